/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the importer of uops.info tables, CSV and XML: a machine or a fault, never both, never neither. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/import_uops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    struct err err = {0};
    size_t length = size;

    struct machine *m = import_uops_parse("fuzz", "input", text, length, NULL, NULL, &err);
    if ((m != NULL) == (err.code != ERR_NONE))
        abort();
    if (m && !mapping_ports(m->mapping)->count)
        abort();
    machine_free(m);
    free(text);
    return 0;
}
