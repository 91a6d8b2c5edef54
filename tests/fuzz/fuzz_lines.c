/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reading of what libdw's process writes, in a piece of memory that ends with them: rows name what is there. */
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
        if (d.rows.items[i].inlined > d.inlined.count || (row && (row < d.rows.items || row >= d.rows.items + d.rows.count)))
            abort();
    }
    debug_lines_done(&d);
    free(text);
    return 0;
}
