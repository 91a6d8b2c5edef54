/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reading of OSACA machine files: a machine that prints and reads back, or a reason. */
#include <stdint.h>
#include <stdlib.h>

#include "io/export_osaca.h"
#include "io/import_osaca.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct forms *forms;
    struct err err = {0};

    if (!forms)
        forms = forms_load(NULL, NULL);
    struct machine *m = import_osaca_parse("fuzz", "fuzz", (const char *)data, size, forms, NULL, &err);
    if (!m && err.code == ERR_NONE)
        abort();
    if (m) {
        struct str text = {0};
        if (export_osaca(m, &text, &err)) {
            struct machine *again = import_osaca_parse("fuzz", "again", text.data, text.length, forms, NULL, &err);
            if (!again || !mapping_equal(m->mapping, again->mapping))
                abort();
            machine_free(again);
        }
        str_done(&text);
    }
    machine_free(m);
    return 0;
}
