/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of uops.info's tables, CSV and XML. Expects an error, or a machine that
 * reads back after printing. */
#include <stdint.h>
#include <stdlib.h>

#include "common.h"
#include "io/export_mapping.h"
#include "io/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct forms *few_forms(void)
{
    static const char rows[] = "form,template,extension\n\"ADD (R64, R64)\",\"add {RW:R64}, "
                               "{R:R64}\",\nREP_MOVSB (),rep movsb,\n";
    return forms_of(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct forms *forms;
    struct err err = {0};

    if (!forms)
        forms = few_forms();
    struct machine *m =
        import_uops_parse("fuzz", "fuzz", (const char *)data, size, NULL, forms, &err);
    if (!m && err.code == ERR_NONE)
        abort();
    if (m) {
        struct str text = {0};
        export_uops_info(m, forms, &text);
        struct machine *again =
            import_uops_parse("again", "again", text.data, text.length, NULL, forms, &err);
        if (again && mapping_count(again->mapping) > mapping_count(m->mapping))
            abort();
        machine_free(again);
        str_done(&text);
    }
    machine_free(m);
    return 0;
}
