/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reading of llvm-mca's tables: a machine or a reason. */
#include <stdint.h>
#include <stdlib.h>

#include "io/import_llvm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"ADD (R64, R64)", "IMUL (R64, R64)", "NOP ()"};
    struct err err = {0};
    struct str text = {0};

    str_add_bytes(&text, data, size);
    struct machine *m = import_llvm_parse("fuzz", str_text(&text), text.length, names, 3, &err);
    if (!m && err.code == ERR_NONE)
        abort();
    machine_free(m);
    str_done(&text);
    return 0;
}
