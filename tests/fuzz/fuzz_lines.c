/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of the libdw process's output, in a buffer of exact size. Rows must
 * refer to existing names and files. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "toolchain/debug_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size ? size : 1);
    struct debug_lines d;

    if (size)
        memcpy(text, data, size);
    debug_lines_parse(text, size, 0x1000, &d);
    for (size_t i = 0; i < d.rows.count; i++) {
        const struct debug_line *row = debug_line_at(&d, d.rows.items[i].place);
        if (d.rows.items[i].inlined > d.inlined.count ||
            (row && (row < d.rows.items || row >= d.rows.items + d.rows.count)))
            abort();
    }
    debug_lines_done(&d);
    struct object_section section = {
        .index = 1, .address = 0x1000, .size = 0x1000, .position = 0x1000};
    const struct object o = {.sections = {.items = &section, .count = 1}};
    struct unit_lines u;
    unit_lines_parse(text, size, &o, &u);
    for (size_t i = 0; i < u.rows.count; i++)
        if (u.rows.items[i].file >= u.files.count || unit_lines_from(&u, u.rows.items[i].place) > i)
            abort();
    unit_lines_done(&u);
    free(text);
    return 0;
}
