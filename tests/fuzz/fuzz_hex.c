/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the parser of hex blocks. Expects a kernel or an error. */
#include <stdint.h>
#include <stdlib.h>

#include "analysis/kernel.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *hex = mem_strndup((const char *)data, size);
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, hex, &err);
    if (!k && err.code == ERR_NONE)
        abort();
    kernel_free(k);
    free(hex);
    return 0;
}
