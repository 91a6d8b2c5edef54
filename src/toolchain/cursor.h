/* A bounded reader of tables of little-endian numbers. Any thread may use it. */
#ifndef PORTOLAN_TOOLCHAIN_CURSOR_H
#define PORTOLAN_TOOLCHAIN_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_cursor {
    const uint8_t *at, *end;
    /* Whether the reader passed the end, or a number was too long. From then on the reader returns
     * only zeros. */
    bool over;
};

/* Reads the next @size bytes, at most 8, as a number. */
uint64_t cursor_fixed(struct byte_cursor *r, size_t size);
/* Reads the next LEB128 number. */
uint64_t cursor_leb(struct byte_cursor *r, bool is_signed);

#endif
