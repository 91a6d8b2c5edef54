/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "io/cpus.h"
#include "io/machine_file.h"

#define NAMED 3   /* maximum number of machines named in a sentence */

bool machine_names_have(const struct machine_names *names, const char *id)
{
    for (size_t i = 0; i < names->list.count; i++)
        if (strcmp(names->list.items[i], id) == 0)
            return true;
    return false;
}

static void try_machine(const struct kernel *k, size_t loop, const char *id,
                        struct machine_names *out)
{
    struct err none = {0};
    struct machine *m =
        machine_names_have(out, id) || watch_over() ? NULL : machine_load(id, &none);
    struct analysis *a =
        m && strcmp(m->isa, isa_name(k->isa)) == 0 ? analysis_new(k, loop, m) : NULL;

    if (a && !watch_over() && !a->unknown)
        vec_push(&out->list, mem_strdup(id));
    analysis_free(a);
    machine_free(m);
}

void coverage_find(const struct kernel *k, size_t loop, struct machine_names *out)
{
    const struct isa_ops *isa = isa_ops(k->isa);
    char **lists[] = {machine_ids(), machine_user_ids()};
    struct cpu_native native = {0};
    struct err none = {0};

    if (cpu_native_find(&native, &none))
        try_machine(k, loop, native.name, out);
    cpu_native_done(&native);
    for (size_t i = 0; i < sizeof isa->default_machines / sizeof *isa->default_machines &&
                       isa->default_machines[i];
         i++)
        try_machine(k, loop, isa->default_machines[i], out);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        for (size_t i = 0; lists[l] && lists[l][i]; i++) {
            try_machine(k, loop, lists[l][i], out);
            free(lists[l][i]);
        }
        free(lists[l]);
    }
}

void coverage_print(const struct analysis *a, const struct machine_names *coverage, struct str *out)
{
    const size_t forms = a->unknown_forms, machines = coverage->list.count;

    str_addf(out, "%s lacks %s", a->machine->id, a->first_unknown ? a->first_unknown : "");
    if (forms > 1)
        str_addf(out, " and %zu more form%s", forms - 1, forms == 2 ? "" : "s");
    str_add(out, machines ? "; " : "; no available machine has all instructions");
    for (size_t i = 0; i < machines && i < NAMED; i++)
        str_addf(out, "%s%s",
                 !i                  ? ""
                 : i + 1 == machines ? " and "
                                     : ", ",
                 coverage->list.items[i]);
    if (machines > NAMED)
        str_addf(out, " and %zu more machine%s", machines - NAMED,
                 machines == NAMED + 1 ? "" : "s");
    if (machines)
        str_add(out, machines == 1 ? " has all forms" : " have all forms");
}
