/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds text to the assembler. Expects an error, or a kernel whose instructions refer to lines of
 * the text. Starts one process per input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kernel_options options = {.skip_bad = size % 2};
    struct err err = {0};
    size_t lines = 1;

    if (size > 4096)
        return 0;
    for (size_t i = 0; i < size; i++)
        /* A carriage return without line feed also ends a line. */
        lines += data[i] == '\n' || (data[i] == '\r' && (i + 1 == size || data[i + 1] != '\n'));
    struct kernel *k = kernel_from_text("fuzz", (const char *)data, size, &options, &err);
    if (!k && !err.what[0])
        abort();
    for (size_t i = 0; k && i < k->insn_count; i++)
        if (k->insns[i].line > lines)
            abort();
    kernel_free(k);
    return 0;
}
