/* Values as bytes for another process of the same program on the same kind of processor, and back.
 * What was packed is unpacked in the same order; what does not fit the bytes that are there marks
 * them as broken and comes back as zero, so that a reader asks once, at its end. Any thread. */
#ifndef PORTOLAN_BASE_PACK_H
#define PORTOLAN_BASE_PACK_H

#include <stdint.h>

#include "base/str.h"

void pack_count(struct str *out, uint64_t value);
void pack_number(struct str *out, double value);
void pack_text(struct str *out, const char *text);
/* @count items of @size bytes, without their number. */
void pack_array(struct str *out, const void *items, size_t count, size_t size);

struct unpacking {
    const char *at;      /* borrowed */
    size_t left;
    bool broken;
};
uint64_t unpack_count(struct unpacking *from);
double unpack_number(struct unpacking *from);
/* Borrowed from the bytes; "" when they are broken. */
const char *unpack_text(struct unpacking *from);
/* Copies @count items to @to; zeros when they are not there. */
void unpack_array(struct unpacking *from, void *to, size_t count, size_t size);
/* Whether @count items of @size bytes are left; otherwise the bytes are broken. Before storage for
 * them is asked for. */
bool unpack_holds(struct unpacking *from, uint64_t count, size_t size);

#endif
