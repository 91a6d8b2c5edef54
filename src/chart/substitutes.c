/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/probes.h"
#include "hunt/explain.h"
#include "isa/isa.h"

#define TIMES 6              /* number of copies of a form's code in a loop */
/* largest relative deviation of an accepted loop: of its time, or of its slots from an integer */
#define AGREES 0.10
#define SLOTS_MOST 8

/* Stack forms, each with one or two equivalent forms, and the two instructions of a loop that
 * leaves the stack pointer unchanged */
static const struct { const char *form, *like[2], *there, *back; } stack_forms[] = {
    {"PUSH (R64)", {"MOV (M64, R64)"}, "push r8", "pop r9"},
    {"POP (R64)", {"MOV (R64, M64)"}, "push r8", "pop r9"},
    {"PUSH (I8)", {"MOV (M64, I32)"}, "push 5", "pop r9"},
    {"PUSH (I32)", {"MOV (M64, I32)"}, "push 500", "pop r9"},
    {"PUSH (M64)", {"MOV (R64, M64)", "MOV (M64, R64)"}, "push qword ptr [rdi]", "pop r9"},
};
/* forms that only take slots */
static const struct {
    const char *form, *line;
} slot_forms[] = {{"ENDBR64 ()", "endbr64"}, {"VZEROUPPER ()", "vzeroupper"}};
/* Parts of the names of forms that no experiment can contain. With the replaced parts, the name is
 * that of a form with the same operation. The parts are the operands ah to dh, and locked accesses,
 * whose latency is a fact. */
#define LOCKED "_LOCK ("
/* Maximum number of loops of locked forms with one mnemonic: the smallest number of which most
 * agree if one loop is disturbed. A loop for each of 140 forms exceeds a batch's 20 seconds. */
#define LOOPS_MOST 3
static const struct { const char *part, *instead; } renamed[] = {{"R8h", "R8l"}, {LOCKED, " ("}};
#define RENAMED (sizeof renamed / sizeof *renamed)
static const char *const jumps[] = {"JMP", "JO",  "JNO", "JB",  "JNB", "JZ",  "JNZ", "JBE", "JNBE",
                                    "JS",  "JNS", "JP",  "JNP", "JL",  "JNL", "JLE", "JNLE"};
/* Jumps that access memory: calls, returns, and a jump to a loaded address. */
static const struct { const char *form, *like[2]; } memory_jumps[] = {
    {"JMP (M64)", {"MOV (R64, M64)"}},
    {"CALL_NEAR (Rel32)", {"MOV (M64, R64)"}},
    {"CALL_NEAR (R64)", {"MOV (M64, R64)"}},
    {"CALL_NEAR (M64)", {"MOV (R64, M64)", "MOV (M64, R64)"}},
    {"RET_NEAR ()", {"MOV (R64, M64)"}},
};
#define STACK_FORMS (sizeof stack_forms / sizeof *stack_forms)
#define SLOT_FORMS (sizeof slot_forms / sizeof *slot_forms)
#define JUMPS (sizeof jumps / sizeof *jumps)
#define MEMORY_JUMPS (sizeof memory_jumps / sizeof *memory_jumps)

struct substitution {
    struct probes probes;
    size_t stack[STACK_FORMS], slots[SLOT_FORMS];
    VEC(struct other_form {
        const char *form;
        char *like;          /* form with the same operation, whose usage the machine has */
        size_t at;           /* index of its loop; SIZE_MAX: none */
        double error;        /* relative deviation of the loop; NaN: no loop or no time */
    }) others;
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

/* Appends the name of @form, with its parts replaced by those that experiments can contain. Returns
 * whether any was replaced. */
static bool with_usual_parts(const char *form, struct str *out)
{
    bool found = false;

    while (*form) {
        size_t k = 0;
        while (k < RENAMED && !str_has_prefix(form, renamed[k].part))
            k++;
        if (k < RENAMED)
            str_add(out, renamed[k].instead);
        else
            str_add_char(out, *form);
        form += k < RENAMED ? strlen(renamed[k].part) : 1;
        found |= k < RENAMED;
    }
    return found;
}

/* Returns whether two forms are equal, or locked with one mnemonic. The time of a locked access
 * does not depend on operands. */
static bool is_timed_alike(const char *a, const char *b)
{
    const char *end = strstr(a, LOCKED);

    return end ? strncmp(a, b, (size_t)(end - a) + sizeof LOCKED - 1) == 0 : strcmp(a, b) == 0;
}

/* Returns the number of loops whose time applies to @form. */
static size_t loops_of(const struct substitution *s, const char *form)
{
    size_t n = 0;

    for (size_t i = 0; i < s->others.count; i++)
        n += s->others.items[i].at != SIZE_MAX && is_timed_alike(form, s->others.items[i].form);
    return n;
}

/* Adds loops of the forms in o->others that have replaceable parts. Omits forms that the machine
 * has, or whose equivalent it lacks. */
static void ask_others(struct substitution *s, const struct chart_options *o)
{
    const struct mapping *m = s->probes.chart->machine->mapping;

    for (size_t i = 0; i < o->others_count; i++) {
        const char *form = o->others[i]->form;
        struct str like = {0}, line = {0};
        if (with_usual_parts(form, &like) && !mapping_find(m, form) &&
            mapping_find(m, str_text(&like))) {
            form_instance(o->others[i], &line);
            const size_t at = loops_of(s, form) < LOOPS_MOST
                                  ? ask_repeated(&s->probes, str_text(&line), "")
                                  : SIZE_MAX;
            vec_push(&s->others, ((struct other_form){form, str_take(&like), at, NAN}));
        }
        str_done(&like);
        str_done(&line);
    }
}

/* Returns the relative deviation of @m's bound for loop @at from the measured time; NaN if the loop
 * has no time. */
static double deviation(const struct substitution *s, const struct machine *m, size_t at)
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

/* Origin of a usage that is derived from other forms; selects the text of its source */
enum usage_origin { ORIGIN_LOOP, ORIGIN_USUAL, ORIGIN_JUMP };
static const struct { const char *before, *after; } origins[] = {
    [ORIGIN_LOOP] = {"charted: usage of ", ", confirmed by a loop"},
    [ORIGIN_USUAL] = {"assumed: usage of ", "; a loop agrees"},
    [ORIGIN_JUMP] = {"assumed: a jump, one issue slot with unknown ports, and ", ""},
};

/* Composes the usage of @form from the forms in @like. Returns false if the machine lacks one of
 * them. */
static bool put_like(struct machine *m, const char *form, const char *const like[2],
                     enum usage_origin origin)
{
    struct mapping_entry entry = {.latency = NAN, .micro_ops = origin == ORIGIN_JUMP};
    char source[160];

    for (unsigned i = 0; i < 2 && like[i]; i++) {
        const struct mapping_entry *one = mapping_find(m->mapping, like[i]);
        unsigned uops = 0;
        if (!one) {
            usage_done(&entry.usage);
            return false;
        }
        for (unsigned k = 0; k < one->usage.count; k++) {
            usage_add(&entry.usage, one->usage.uops[k].ports, one->usage.uops[k].count);
            uops += one->usage.uops[k].count;
        }
        entry.micro_ops += one->micro_ops ? one->micro_ops : uops;
        entry.latency = origin == ORIGIN_USUAL ? one->latency : NAN;
    }
    snprintf(source, sizeof source, "%s%s%s%s%s", origins[origin].before, like[0],
             like[1] ? " and " : "", like[1] ? like[1] : "", origins[origin].after);
    put(m, form, &entry, source);
    usage_done(&entry.usage);
    return true;
}

/* Adds all stack forms to a copy of the machine. Then adds those stack forms to the machine whose
 * loops the copy predicts. */
static void conclude_stack(struct substitution *s)
{
    struct machine *m = s->probes.chart->machine, *tried = machine_copy(m);
    bool known[STACK_FORMS];

    for (size_t i = 0; i < STACK_FORMS; i++)
        known[i] = put_like(tried, stack_forms[i].form, stack_forms[i].like, ORIGIN_LOOP);
    for (size_t i = 0; i < STACK_FORMS; i++)
        if (known[i] && deviation(s, tried, s->stack[i]) <= AGREES)
            put_like(m, stack_forms[i].form, stack_forms[i].like, ORIGIN_LOOP);
    machine_free(tried);
}

/* Returns whether most loops with a time that applies to @form agree with the machine. One loop may
 * have been disturbed. */
static bool loops_agree(const struct substitution *s, const char *form)
{
    size_t agree = 0, differ = 0;

    for (size_t i = 0; i < s->others.count; i++) {
        const struct other_form *o = &s->others.items[i];
        if (!is_timed_alike(form, o->form))
            continue;
        agree += o->error <= AGREES;
        differ += o->error > AGREES;
    }
    return agree > differ;
}

/* Does the same as conclude_stack for forms with high bytes or a locked access. Latency limits most
 * of their loops, which therefore can only refute a usage. */
static void conclude_others(struct substitution *s)
{
    struct machine *m = s->probes.chart->machine, *tried = machine_copy(m);

    for (size_t i = 0; i < s->others.count; i++) {
        const struct other_form *o = &s->others.items[i];
        put_like(tried, o->form, (const char *const[2]){o->like}, ORIGIN_USUAL);
    }
    for (size_t i = 0; i < s->others.count; i++) {
        struct other_form *o = &s->others.items[i];
        o->error = o->at == SIZE_MAX ? NAN : deviation(s, tried, o->at);
    }
    for (size_t i = 0; i < s->others.count; i++) {
        const struct other_form *o = &s->others.items[i];
        if (loops_agree(s, o->form))
            put_like(m, o->form, (const char *const[2]){o->like}, ORIGIN_USUAL);
    }
    machine_free(tried);
}

/* Sets the slots of forms according to their loops. A form that begins a group at rename has one
 * slot, as a loop with fillers shows (fact group_first). */
static void conclude_slots(struct substitution *s)
{
    struct machine *m = s->probes.chart->machine;

    for (size_t i = 0; i < SLOT_FORMS; i++) {
        double slots = probe_time(&s->probes, s->slots[i]) / TIMES * s->probes.width;
        struct mapping_entry entry = {
            .latency = NAN,
            .micro_ops = machine_has(m, "group_first", slot_forms[i].line)
                             ? 1
                             : (unsigned)fmin(rint(slots), SLOTS_MOST)};
        if (slots >= 1 - AGREES && rint(slots) <= SLOTS_MOST &&
            fabs(slots - rint(slots)) <= AGREES * slots)
            put(m, slot_forms[i].form, &entry,
                "charted: number of slots from a loop, ports unknown");
    }
}

/* Adds all jumps, calls and returns to @m, with one slot for the jump. No measurement of a chart
 * reveals the ports of jumps, but most loops of programs contain one. */
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
    put(m, "JMP (R64)", &as, "assumed: one issue slot, ports unknown");
    for (size_t i = 0; i < MEMORY_JUMPS; i++)
        put_like(m, memory_jumps[i].form, memory_jumps[i].like, ORIGIN_JUMP);
}

bool substitutes_find(struct lab *lab, struct chart *c, struct err *err)
{
    struct substitution s = {.probes = {.lab = lab, .chart = c, .width = c->width}};

    if (!c->form_count || isa_ops(c->forms[0].row->isa) != isa_of_dialects() || !(c->width > 0))
        return true;
    for (size_t i = 0; i < STACK_FORMS; i++)
        s.stack[i] = ask_repeated(&s.probes, stack_forms[i].there, stack_forms[i].back);
    for (size_t i = 0; i < SLOT_FORMS; i++)
        s.slots[i] = ask_repeated(&s.probes, slot_forms[i].line, "");
    ask_others(&s, lab->options);
    bool ok = probes_run(&s.probes, err);
    if (ok) {
        conclude_stack(&s);
        conclude_slots(&s);
        conclude_others(&s);
        put_jumps(c->machine);
    }
    for (size_t i = 0; i < s.others.count; i++)
        free(s.others.items[i].like);
    vec_done(&s.others);
    probes_done(&s.probes);
    return ok;
}
