/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine converted from LLVM's model of a CPU has all forms of the model. llvm-mca analyses all
 * forms of each CPU, which is slow. With SWEEP (make sweep) the test covers all CPUs, otherwise
 * one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/import.h"
#include "isa/forms.h"
#include "../support/support.h"

static void check_machine(const char *id, const struct forms *const *forms)
{
    struct machine *m = load_machine(id);
    struct err err = {0};
    const char *named = machine_fact(m, "compiler_name"), *cpu = named && *named ? named : id,
               *source = machine_fact(m, "source");
    enum isa isa;
    size_t known = 0, lacking = 0;

    if (source && strstr(source, "llvm-mca") && isa_parse(m->isa, &isa)) {
        struct machine *llvm = import_llvm(cpu, forms[isa], &err);
        if (!llvm)
            fail_msg("%s: %s", id, err.what);
        for (size_t i = 0; i < mapping_count(llvm->mapping); i++) {
            const char *form = mapping_at(llvm->mapping, i)->form;
            const struct form_row *row = forms_find(forms[isa], form);
            const char *extensions = machine_fact(m, "extensions");
            if (!row || (extensions && !machine_has(m, "extensions", row->extension)))
                continue;
            known++;
            if (mapping_find(m->mapping, form))
                continue;
            lacking++;
            print_message("# %s lacks %s\n", id, form);
        }
        print_message("# %s: LLVM has %zu forms of %s, %zu of them unknown here\n", id, known, cpu,
                      lacking);
        machine_free(llvm);
    }
    machine_free(m);
    assert_int_equal(lacking, 0);
}

static void test_no_form_is_lost(void **state)
{
    const struct forms *const *forms = shipped_forms();

    if (system("command -v llvm-mca-22 >/dev/null 2>&1") != 0)
        skip();
    if (!getenv("SWEEP")) {
        check_machine("lunarlake-p", forms);
        return;
    }
    char **ids = machine_ids();
    for (size_t i = 0; ids && ids[i]; i++) {
        check_machine(ids[i], forms);
        free(ids[i]);
    }
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_form_is_lost)};
    return cmocka_run_group_tests_name("llvm_tables", tests, NULL, NULL);
}
