/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What unit tests share: things that are loaded or end the test with the reason. Included behind cmocka.h. */
#ifndef PORTOLAN_TESTS_UNIT_HELPERS_H
#define PORTOLAN_TESTS_UNIT_HELPERS_H

#include "io/machine_file.h"

/* A shipped machine, or one in a directory; the caller frees it. */
static inline struct machine *load_machine(const char *id)
{
    struct err err = {0};
    struct machine *m = machine_load(id, &err);
    if (!m)
        fail_msg("%s: %s:%zu:%zu %s", id, err.file, err.line, err.column, err.what);
    return m;
}

#endif
