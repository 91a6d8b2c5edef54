/* Packs values into bytes for another process of the same program on the same kind of processor,
 * and unpacks them in the same order. A value beyond the end marks the bytes as broken and is read
 * as zero, so that a reader checks once, at its end. Any thread. */
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
/* Whether @count items of @size bytes are left; otherwise the bytes are broken. Call it before
 * allocating them. */
bool unpack_holds(struct unpacking *from, uint64_t count, size_t size);

#endif
