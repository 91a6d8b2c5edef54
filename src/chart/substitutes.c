/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart/probes.h"
#include "hunt/explain.h"
#include "isa/isa.h"

#define TIMES 6              /* copies of a form's code in a loop */
/* largest relative deviation of a loop whose form receives the substitute's usage */
#define AGREES 0.10
#define SLOTS_MOST 8

/* Stack forms, each equivalent to one or two other forms, and the two instructions of a loop that
 * leaves the stack pointer unchanged. */
static const struct { const char *form, *like[2], *there, *back; } stack_forms[] = {
    {"PUSH (R64)", {"MOV (M64, R64)"}, "push r8", "pop r9"},
    {"POP (R64)", {"MOV (R64, M64)"}, "push r8", "pop r9"},
    {"PUSH (I8)", {"MOV (M64, I32)"}, "push 5", "pop r9"},
    {"PUSH (I32)", {"MOV (M64, I32)"}, "push 500", "pop r9"},
    {"PUSH (M64)", {"MOV (R64, M64)", "MOV (M64, R64)"}, "push qword ptr [rdi]", "pop r9"},
};
/* Forms that only take slots. */
static const struct {
    const char *form, *line;
} slot_forms[] = {{"ENDBR64 ()", "endbr64"}, {"VZEROUPPER ()", "vzeroupper"}};
static const char *const jumps[] = {"JMP", "JO",  "JNO", "JB",  "JNB", "JZ",  "JNZ", "JBE", "JNBE",
                                    "JS",  "JNS", "JP",  "JNP", "JL",  "JNL", "JLE", "JNLE"};
#define STACK_FORMS (sizeof stack_forms / sizeof *stack_forms)
#define SLOT_FORMS (sizeof slot_forms / sizeof *slot_forms)
#define JUMPS (sizeof jumps / sizeof *jumps)

struct standins {
    struct probes probes;
    size_t stack[STACK_FORMS], slots[SLOT_FORMS];
};

static size_t ask_repeated(struct probes *p, const char *there, const char *back)
{
    struct str lines = {0};

    for (unsigned i = 0; i < TIMES; i++)
        str_addf(&lines, "%s\n", there);
    for (unsigned i = 0; i < TIMES && *back; i++)
        str_addf(&lines, "%s\n", back);
    size_t at = probe_add(p, "%s", str_text(&lines));
    str_done(&lines);
    return at;
}

/* Returns the relative deviation of @m's bound for loop @at from the measured time; NaN if there is
 * no time. */
static double deviation(const struct standins *s, const struct machine *m, size_t at)
{
    const struct insn *insns;
    size_t n = probe_decode(&s->probes, at, &insns);
    struct model *model = model_new(m, false);
    double cycles = model_cycles_of(model, insns, n);

    model_free(model);
    return fabs(cycles / probe_time(&s->probes, at) - 1);
}

/* Copies the usage of @as to @form, unless the machine has the form. */
static void put(struct machine *m, const char *form, const struct mapping_entry *as,
                const char *source)
{
    struct mapping_entry entry = *as;

    if (mapping_find(m->mapping, form))
        return;
    entry.form = (char *)form;
    entry.source = (char *)source;
    mapping_set(m->mapping, &entry);
}

/* Composes the usage of @form from the forms in @like. Returns false if the machine lacks one of
 * them. */
static bool put_like(struct machine *m, const char *form, const char *const like[2])
{
    struct mapping_entry entry = {.latency = NAN};
    char source[120];

    for (unsigned i = 0; i < 2 && like[i]; i++) {
        const struct mapping_entry *one = mapping_find(m->mapping, like[i]);
        if (!one) {
            usage_done(&entry.usage);
            return false;
        }
        for (unsigned k = 0; k < one->usage.count; k++)
            usage_add(&entry.usage, one->usage.uops[k].ports, one->usage.uops[k].count);
        entry.micro_ops += one->micro_ops;
    }
    snprintf(source, sizeof source, "charted: usage of %s%s%s, confirmed by a loop", like[0],
             like[1] ? " and " : "", like[1] ? like[1] : "");
    put(m, form, &entry, source);
    usage_done(&entry.usage);
    return true;
}

/* Adds all stack forms to a copy of the machine, then those whose loops the copy predicts to the
 * machine. */
static void conclude_stack(struct standins *s)
{
    struct machine *m = s->probes.chart->machine, *tried = machine_copy(m);
    bool known[STACK_FORMS];

    for (size_t i = 0; i < STACK_FORMS; i++)
        known[i] = put_like(tried, stack_forms[i].form, stack_forms[i].like);
    for (size_t i = 0; i < STACK_FORMS; i++)
        if (known[i] && deviation(s, tried, s->stack[i]) <= AGREES)
            put_like(m, stack_forms[i].form, stack_forms[i].like);
    machine_free(tried);
}

static void conclude_slots(struct standins *s)
{
    for (size_t i = 0; i < SLOT_FORMS; i++) {
        double slots = probe_time(&s->probes, s->slots[i]) / TIMES * s->probes.width;
        struct mapping_entry entry = {.latency = NAN,
                                      .micro_ops = (unsigned)fmin(rint(slots), SLOTS_MOST)};
        if (slots >= 1 - AGREES && rint(slots) <= SLOTS_MOST &&
            fabs(slots - rint(slots)) <= AGREES * slots)
            put(s->probes.chart->machine, slot_forms[i].form, &entry,
                "charted: number of slots from a loop, ports unknown");
    }
}

/* Adds all jumps to @m with one slot each, because no program loop could be predicted without them.
 * No measurement of a chart reveals their ports. */
static void put_jumps(struct machine *m)
{
    const struct mapping_entry as = {.latency = NAN, .micro_ops = 1};

    static const char *const distances[] = {"Rel8", "Rel32"};
    char form[32];

    for (size_t i = 0; i < JUMPS; i++)
        for (size_t k = 0; k < 2; k++) {
            snprintf(form, sizeof form, "%s (%s)", jumps[i], distances[k]);
            put(m, form, &as, "assumed: one issue slot, ports unknown");
        }
}

bool substitutes_find(struct lab *lab, struct chart *c, struct err *err)
{
    struct standins s = {.probes = {.lab = lab, .chart = c, .width = c->width}};

    if (!c->form_count || isa_ops(c->forms[0].row->isa) != isa_of_dialects() || !(c->width > 0))
        return true;
    for (size_t i = 0; i < STACK_FORMS; i++)
        s.stack[i] = ask_repeated(&s.probes, stack_forms[i].there, stack_forms[i].back);
    for (size_t i = 0; i < SLOT_FORMS; i++)
        s.slots[i] = ask_repeated(&s.probes, slot_forms[i].line, "");
    bool ok = probes_run(&s.probes, err);
    if (ok) {
        conclude_stack(&s);
        conclude_slots(&s);
        put_jumps(c->machine);
    }
    probes_done(&s.probes);
    return ok;
}
