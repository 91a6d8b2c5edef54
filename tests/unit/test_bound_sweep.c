/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For every form of a machine's table, bounds are finite and no simulation is below them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "io/machine_file.h"
#include "isa/body.h"
#include "isa/forms.h"
#include "isa/isa.h"
#include "simulate/simulate.h"
#include "../support/support.h"

#define FAULTS_MOST 20   /* maximum number of faults that are printed */

typedef VEC(struct insn) instructions;

/* Collects one instruction of each form that can be encoded. */
static void collect(const struct forms *forms, instructions *out)
{
    struct body *body = mem_alloc(sizeof *body);

    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        struct err err = {0};
        struct form_code *code = form_code_any(row, &err);
        uint32_t one = 1;
        if (code &&
            body_make(&code, &one, 1, &(struct body_shape){.instructions = 1}, body, &err)) {
            struct insn insn;
            for (size_t at = 0;
                 at < body->length && insn_decode(ISA_X86_64, body->code + at, body->length - at,
                                                  at, false, &insn, &err);
                 at += insn.length)
                if (strcmp(insn.form, row->form) == 0) {
                    insn.offset = 0;
                    vec_push(out, insn);
                    break;
                }
        }
        form_code_free(code);
    }
    free(body);
}

/* Checks the forms of @m. Returns their number. Stores the number of simulations that were raised
 * to the bound, because of fractional latencies, in *@bounded. */
static size_t check_machine(const struct machine *m, const instructions *insns, size_t *faults,
                            size_t *bounded)
{
    struct block_work *w = block_work_new(m);
    struct simulator *s = simulator_new();
    const struct block_options options = {.shape = SHAPE_CACHED};
    size_t found = 0;

    for (size_t i = 0; i < insns->count; i++) {
        const struct insn *insn = &insns->items[i];
        struct simulation sim;
        struct bounds bounds;
        if (!mapping_find(m->mapping, insn->form))
            continue;
        found++;
        bounds_of(w, insn, 1, &options, false, &bounds);
        simulate(s, w, insn, 1, &options, &(struct simulate_options){.iterations = 300}, &sim);
        *bounded += sim.bounded;
        bool finite = isfinite(bounds.total) && bounds.total > 0 && !bounds.unknown;
        /* Without a load latency, the machine cannot be simulated. */
        bool lacks = isnan(sim.cycles) && !isfinite(machine_number(m, "load_latency"));
        if (finite && (lacks || sim.cycles >= bounds.total * (1 - 1e-9)))
            continue;
        if ((*faults)++ < FAULTS_MOST)
            print_message("%s: %s: bound %.3f%s, simulated %.3f\n", m->id, insn->form, bounds.total,
                          bounds.unknown ? " (unknown)" : "", sim.cycles);
    }
    simulator_free(s);
    block_work_free(w);
    return found;
}

static void test_each_form(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    instructions insns = {0};
    char **ids = machine_ids();
    size_t found = 0, faults = 0, bounded = 0;

    if (!forms)
        fail_msg("%s", err.what);
    collect(forms, &insns);
    for (size_t i = 0; ids[i]; free(ids[i++])) {
        struct machine *m = load_machine(ids[i]);
        if (strcmp(m->isa, isa_name(ISA_X86_64)) == 0)
            found += check_machine(m, &insns, &faults, &bounded);
        machine_free(m);
    }
    free(ids);
    print_message("%zu instructions, %zu pairs of form and machine, %zu faults, %zu raised\n",
                  insns.count, found, faults, bounded);
    assert_true(found > 30000);
    assert_int_equal(faults, 0);
    assert_true(bounded < found / 100);
    vec_done(&insns);
    forms_free(forms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
