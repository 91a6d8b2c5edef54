/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of llvm-mca's tables. Expects a machine with valid usages, or an
 * error. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const forms[] = {"ADD (R64, R64)", "DIV (R64)", "CLD ()"};
    char *text = mem_strndup((const char *)data, size);
    struct err err = {0};
    struct machine *m = import_llvm_parse(ISA_X86_64, "fuzz", text, size, forms, 3, &err);

    if (!m && err.code == ERR_NONE)
        abort();
    for (size_t i = 0; m && i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        const struct ports *ports = mapping_ports(m->mapping);
        if (!(entry->latency >= 0 && isfinite(entry->latency)))
            abort();
        for (unsigned k = 0; k < entry->usage.count; k++)
            if (!entry->usage.uops[k].ports || !entry->usage.uops[k].count ||
                (ports->count < 32 && entry->usage.uops[k].ports >> ports->count))
                abort();
    }
    machine_free(m);
    free(text);
    return 0;
}
