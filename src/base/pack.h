/* Serialises values for another process of the same program, which reads them in the same order.
 * Reading past the end marks the bytes as broken and returns zero. A reader therefore needs only
 * one check, at its end. Any thread. */
#ifndef PORTOLAN_BASE_PACK_H
#define PORTOLAN_BASE_PACK_H

#include <stdint.h>

#include "base/str.h"

void pack_count(struct str *out, uint64_t value);
void pack_number(struct str *out, double value);
void pack_text(struct str *out, const char *text);
/* Appends @count items of @size bytes each, without the count. */
void pack_array(struct str *out, const void *items, size_t count, size_t size);

struct unpacking {
    const char *at;      /* next byte; borrowed */
    size_t left;
    bool broken;
};
uint64_t unpack_count(struct unpacking *from);
double unpack_number(struct unpacking *from);
/* Returns a string borrowed from the bytes; "" if the bytes are broken. */
const char *unpack_text(struct unpacking *from);
/* Copies @count items to @to. If bytes are missing, stores zeros. */
void unpack_array(struct unpacking *from, void *to, size_t count, size_t size);
/* Returns whether @count items of @size bytes remain. If not, marks the bytes as broken. Call it
 * before an allocation. */
bool unpack_holds(struct unpacking *from, uint64_t count, size_t size);

#endif
