/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of .file and .loc directives. The output must have as many lines as the
 * input. */
#include <stdint.h>
#include <stdlib.h>

#include "toolchain/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count, lines = size && data[size - 1] != '\n';

    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    /* The text ends with NUL, as read_file returns it for the assembler. */
    struct str text = {0};
    str_add_bytes(&text, data, size);
    uint32_t *found = compile_lines(str_text(&text), size, "dir/a.c", &count);
    if (count != lines)
        abort();
    free(found);
    str_done(&text);
    return 0;
}
