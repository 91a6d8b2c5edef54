/* A bounded reader of little-endian tables. Any thread. */
#ifndef PORTOLAN_TOOLCHAIN_CURSOR_H
#define PORTOLAN_TOOLCHAIN_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_cursor {
    const uint8_t *at, *end;
    bool over;               /* read past the end, which gives zeros, or an endless number */
};

/* The next @size bytes, at most 8, as a number. */
uint64_t cursor_fixed(struct byte_cursor *r, size_t size);
/* The next number in LEB128. */
uint64_t cursor_leb(struct byte_cursor *r, bool is_signed);

#endif
