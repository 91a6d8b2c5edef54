/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hunts.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "hunt/uses.h"
#include "support.h"

static bool predictable(void *state, const struct insn *in)
{
    struct random_block alone = {.count = 1};
    alone.insns[0] = *in;
    return isfinite(model_cycles(state, &alone));
}

struct hunt_setup *hunt_setup_new(const char *machine, size_t most)
{
    struct hunt_setup *s = mem_zero(1, sizeof *s);
    struct block_form *drawn = mem_zero(most, sizeof *drawn);
    struct err err = {0};
    size_t count, n = 0;
    struct form_uses *uses = form_uses_load(ISA_X86_64, &count, &err);

    assert_non_null(uses);
    s->forms = forms_load(ISA_X86_64, NULL, &err);
    s->machine = load_machine(machine);
    for (size_t i = 0; i < count && n < most; i++) {
        const struct form_row *row = forms_find(s->forms, uses[i].form);
        if (row)
            drawn[n++] = (struct block_form){row, uses[i].uses};
    }
    struct model *model = model_new(s->machine, false);
    s->maker = block_maker_new(ISA_X86_64, drawn, n, predictable, model, &err);
    if (!s->maker)
        fail_msg("%s", err.what);
    model_free(model);
    form_uses_free(uses, count);
    s->drawn = drawn;
    s->drawn_count = n;
    return s;
}

void hunt_setup_free(struct hunt_setup *s)
{
    block_maker_free(s->maker);
    machine_free(s->machine);
    forms_free(s->forms);
    free(s->drawn);
    free(s);
}
