/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/object_parts.h"

/* Maximum number of bytes of a LEB128 number. Valid numbers have at most ten. Without a limit,
 * hostile padding would be parsed again for each reference. */
#define LEB_LONGEST 16

uint64_t cursor_fixed(struct byte_cursor *r, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < size) {
        r->over = true;
        r->at = r->end;
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)r->at[i] << (8 * i);
    r->at += size;
    return value;
}

uint64_t cursor_leb(struct byte_cursor *r, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)cursor_fixed(r, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        r->over |= (byte & 128) && shift >= LEB_LONGEST * 7;
    } while ((byte & 128) && !r->over);
    if (is_signed && (byte & 64) && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return value;
}
