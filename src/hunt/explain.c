/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hunt/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/watch.h"
#include "model/change.h"
#include "model/facts.h"
#include "simulate/simulate.h"

#define LATENCY_MOST 30      /* maximum distance of tried latencies from the current latency, in
                              * cycles */
#define FAR 64               /* maximum distance of tried numbers from the current value, except its
                              * half and its double */
/* Step between two tried numbers: 1 plus their distance from the current number divided by
 * STRIDE_SHARE. */
#define STRIDE_SHARE 16
#define LIKE_SHARE 0.75      /* smallest fraction of the similar blocks (drawn from the pattern of
                              * the first block) that a change must correct */
/* One block that a change makes wrong counts as much as 1 / BROKEN_SHARE blocks that it
 * corrects. */
#define BROKEN_SHARE 0.1
/* Smallest ratio of the errors of two changes at which both count as equally good. Below it, the
 * change with the smaller error fits clearly better. */
#define NEARER 0.95
#define ABSOLUTE 0.1         /* largest difference in cycles at which times count as equal */
#define FINALISTS 64         /* maximum number of changes tried on all blocks */

struct model {
    struct block_work *work;
    struct simulator *simulator;   /* simulator; NULL: predicts with the bounds */
};

struct model *model_new(const struct machine *m, bool simulated)
{
    struct model *model = mem_zero(1, sizeof *model);
    model->work = block_work_new(m);
    model->simulator = simulated ? simulator_new() : NULL;
    return model;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    block_work_free(model->work);
    simulator_free(model->simulator);
    free(model);
}

double model_cycles_as(struct model *model, const struct insn *insns, size_t count,
                       enum shape shape)
{
    const struct block_options options = {.shape = shape, .start = START_MEASURED};
    struct bounds bounds;

    bounds_of(model->work, insns, count, &options, false, &bounds);
    double cycles = bounds.unknown ? NAN : bounds.total;
    if (model->simulator && isfinite(cycles)) {
        struct simulation sim;
        simulate(model->simulator, model->work, insns, count, &options,
                 &(struct simulate_options){0}, &sim);
        cycles = fmax(sim.cycles, bounds.cycles[BOUND_MEMORY]);
        simulation_done(&sim);
    }
    return cycles;
}

double model_cycles_of(struct model *model, const struct insn *insns, size_t count)
{
    return model_cycles_as(model, insns, count,
                           count && insns[count - 1].traits & INSN_BRANCH ? SHAPE_LOOP
                                                                          : SHAPE_CACHED);
}

double model_cycles(struct model *model, const struct random_block *b)
{
    return model_cycles_of(model, b->insns, b->count);
}

bool cycles_differ(double a, double b, double tolerance)
{
    return fabs(a - b) > ABSOLUTE && fabs(a - b) > tolerance * fmax(a, b);
}

void change_done(struct remedy *c)
{
    free(c->name);
    free(c->value);
    free(c->before);
    for (size_t i = 0; i < c->form_count; i++) {
        free(c->forms[i].name);
        free(c->forms[i].value);
    }
    free(c->forms);
    *c = (struct remedy){0};
}

void change_make(struct machine *m, const struct remedy *c)
{
    const char *form = c->name + strlen(CHANGE_LATENCY);

    for (size_t i = 0; i < c->form_count; i++)
        machine_change(m, c->forms[i].name, c->forms[i].value, NULL);
    if (c->form_count)
        return;
    if (c->from != LATENCY_ANY || c->to != LATENCY_ANY)
        machine_put_latency(m, form, c->from, c->to, strtod(c->value, NULL), "");
    else
        machine_change(m, c->name, c->value, NULL);
}

bool change_same(const struct remedy *a, const struct remedy *b)
{
    return a->name && b->name && strcmp(a->name, b->name) == 0 && a->from == b->from &&
           a->to == b->to && !a->form_count && !b->form_count;
}

static const char *or_nothing(const char *value)
{
    return *value ? value : "nothing";
}

void change_print(const struct remedy *c, struct str *out)
{
    const char *colon = strchr(c->name, ':');

    if (!colon) {
        str_addf(out, "fact %s: %s, not %s", c->name, or_nothing(c->value), or_nothing(c->before));
        return;
    }
    str_addf(out, "%.*s of %s", (int)(colon - c->name), c->name, colon + 1);
    if (c->from != LATENCY_ANY || c->to != LATENCY_ANY) {
        str_add(out, " from ");
        latency_end_print(c->from, out);
        str_add(out, " to ");
        latency_end_print(c->to, out);
    }
    str_addf(out, ": %s, not %s", c->value, c->before);
}

typedef VEC(struct remedy) changes;

static void add_change(changes *list, const char *kind, const char *name, const char *value,
                       const char *before)
{
    struct str full = {0};

    if (strcmp(value, before) == 0)
        return;
    str_addf(&full, "%s%s", kind, name);
    vec_push(list, ((struct remedy){.name = str_take(&full),
                                    .value = mem_strdup(value),
                                    .before = mem_strdup(before),
                                    .from = LATENCY_ANY,
                                    .to = LATENCY_ANY}));
}

/* Returns 0, 1, -1, 2, -2, ... for @step 0, 1, 2, ... The smallest of equally good changes is thus
 * tried first, and reported. */
static int near_first(int step)
{
    return step % 2 ? (step + 1) / 2 : -step / 2;
}

/* Adds changes of the form's latency and of the latencies between two operands. */
static void add_latencies(const struct machine *m, const struct mapping_entry *entry, changes *list)
{
    char value[32], before[32];

    if (isfinite(entry->latency)) {
        snprintf(before, sizeof before, "%g", entry->latency);
        for (int step = 0; step <= 2 * LATENCY_MOST; step++) {
            snprintf(value, sizeof value, "%g", rint(entry->latency) + near_first(step));
            if (value[0] != '-')
                add_change(list, CHANGE_LATENCY, entry->form, value, before);
        }
    }
    for (size_t i = 0; i < m->latency_count; i++) {
        const struct latency_rule *rule = &m->latencies[i];
        if (!str_match(rule->form, entry->form) ||
            (rule->from == LATENCY_ANY && rule->to == LATENCY_ANY) || latency_end_whole(rule->from))
            continue;
        snprintf(before, sizeof before, "%g", rule->cycles);
        for (int step = 0; step <= 2 * LATENCY_MOST; step++) {
            size_t count = list->count;
            snprintf(value, sizeof value, "%g", rint(rule->cycles) + near_first(step));
            if (value[0] != '-')
                add_change(list, CHANGE_LATENCY, entry->form, value, before);
            if (list->count > count) {
                list->items[count].from = rule->from;
                list->items[count].to = rule->to;
            }
        }
    }
}

static void add_usage(const struct machine *m, const struct mapping_entry *entry,
                      const struct usage *usage, changes *list)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct str value = {0}, before = {0};

    usage_print(usage, ports, &value);
    usage_print(&entry->usage, ports, &before);
    add_change(list, CHANGE_USAGE, entry->form, value.length ? str_text(&value) : "none",
               before.length ? str_text(&before) : "none");
    str_done(&value);
    str_done(&before);
}

/* Adds @count µops on @ports to @usage, or removes them if @count is negative. Returns false, with
 * @out empty, if @usage has too few such µops. */
static bool usage_changed(const struct usage *usage, portset ports, int count, struct usage *out)
{
    bool enough = count > 0;

    *out = (struct usage){0};
    for (unsigned i = 0; i < usage->count; i++)
        enough |= usage->uops[i].ports == ports && (int)usage->uops[i].count + count >= 0;
    for (unsigned i = 0; enough && i < usage->count; i++) {
        int left =
            (int)usage->uops[i].count + (count < 0 && usage->uops[i].ports == ports ? count : 0);
        if (left > 0)
            usage_add(out, usage->uops[i].ports, (uint32_t)left);
    }
    if (count > 0)
        usage_add(out, ports, (uint32_t)count);
    return enough;
}

/* Adds usages with one or two µops fewer, moved or added. Adds changes with fewer µops first,
 * because the first of several equally good changes is reported. */
static void add_usages(const struct machine *m, const struct mapping_entry *entry,
                       const portset *sets, size_t set_count, changes *list)
{
    struct usage less, other;

    for (unsigned i = 0; i < entry->usage.count; i++)
        for (int n = 1; n <= (int)entry->usage.uops[i].count && n <= 2; n++) {
            if (!usage_changed(&entry->usage, entry->usage.uops[i].ports, -n, &less))
                continue;
            add_usage(m, entry, &less, list);
            for (size_t s = 0; s < set_count; s++)
                if (usage_changed(&less, sets[s], n, &other)) {
                    add_usage(m, entry, &other, list);
                    usage_done(&other);
                }
            usage_done(&less);
        }
    for (int n = 1; n <= 2; n++)
        for (size_t s = 0; s < set_count; s++)
            if (usage_changed(&entry->usage, sets[s], n, &other)) {
                add_usage(m, entry, &other, list);
                usage_done(&other);
            }
}

static void add_form(struct remedy *c, const char *kind, const char *form, const char *value)
{
    struct str name = {0};

    str_addf(&name, "%s%s", kind, form);
    c->forms = mem_resize(c->forms, (c->form_count + 1) * sizeof *c->forms);
    c->forms[c->form_count++] = (struct form_change){str_take(&name), mem_strdup(value)};
}

/* Adds changes of the latency of all forms of a family by the same amount. */
static void add_family_latencies(const struct machine *m, const struct family *f, changes *list)
{
    double first = mapping_find(m->mapping, f->forms[0])->latency;
    char value[32], before[32];

    for (int step = 1; step <= 2 * LATENCY_MOST && isfinite(first); step++) {
        size_t count = list->count;
        snprintf(value, sizeof value, "%g", first + near_first(step));
        snprintf(before, sizeof before, "%g", first);
        if (value[0] != '-')
            add_change(list, CHANGE_LATENCY, f->title, value, before);
        for (size_t i = 0; list->count > count && i < f->count; i++) {
            const struct mapping_entry *entry = mapping_find(m->mapping, f->forms[i]);
            snprintf(value, sizeof value, "%g", entry ? entry->latency + near_first(step) : NAN);
            if (entry && entry->latency + near_first(step) >= 0)
                add_form(&list->items[count], CHANGE_LATENCY, f->forms[i], value);
        }
    }
}

/* Replaces @count µops @from of @usage with @to (0 removes them). Returns false if @usage has too
 * few such µops. */
static bool usage_moved(const struct usage *usage, portset from, portset to, int count,
                        struct usage *out)
{
    struct usage less;

    if (!usage_changed(usage, from, -count, &less))
        return false;
    if (!to)
        *out = less;
    else
        usage_changed(&less, to, count, out);
    if (to)
        usage_done(&less);
    return true;
}

/* Adds changes that move one µop of one kind to other ports, in all forms of a family. */
static void add_family_usages(const struct machine *m, const struct family *f, const portset *sets,
                              size_t set_count, changes *list)
{
    const struct usage *first = &mapping_find(m->mapping, f->forms[0])->usage;
    const struct ports *ports = mapping_ports(m->mapping);
    struct str value = {0}, before = {0};
    struct usage moved;

    usage_print(first, ports, &before);
    for (unsigned u = 0; u < first->count; u++)
        for (size_t s = 0; s < set_count; s++) {
            size_t count = list->count;
            if (sets[s] == first->uops[u].ports ||
                !usage_moved(first, first->uops[u].ports, sets[s], 1, &moved))
                continue;
            str_clear(&value);
            usage_print(&moved, ports, &value);
            usage_done(&moved);
            add_change(list, CHANGE_USAGE, f->title, str_text(&value), str_text(&before));
            for (size_t i = 0; list->count > count && i < f->count; i++) {
                const struct mapping_entry *entry = mapping_find(m->mapping, f->forms[i]);
                if (!entry || !usage_moved(&entry->usage, first->uops[u].ports, sets[s], 1, &moved))
                    continue;
                str_clear(&value);
                usage_print(&moved, ports, &value);
                usage_done(&moved);
                add_form(&list->items[count], CHANGE_USAGE, entry->form, str_text(&value));
            }
        }
    str_done(&value);
    str_done(&before);
}

/* Returns all port sets of usages, and all single ports. The caller frees the array. Sets *@count
 * to the number of sets. */
static portset *sets_of(const struct machine *m, size_t *count)
{
    VEC(portset) sets = {0};

    for (unsigned port = 0; port < mapping_ports(m->mapping)->count; port++)
        vec_push(&sets, (portset)1 << port);
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct usage *u = &mapping_at(m->mapping, i)->usage;
        for (unsigned k = 0; k < u->count; k++) {
            bool known = false;
            for (size_t s = 0; s < sets.count && !known; s++)
                known = sets.items[s] == u->uops[k].ports;
            if (!known)
                vec_push(&sets, u->uops[k].ports);
        }
    }
    *count = sets.count;
    return sets.items;
}

static void add_value(const struct machine *m, const struct fact *f, double now, double tried,
                      changes *list)
{
    const char *text = machine_fact(m, f->key);
    char value[32], before[32];

    if (f->type == FACT_WHOLE && tried != rint(tried))
        return;
    snprintf(value, sizeof value, "%g", tried);
    snprintf(before, sizeof before, "%g", now);
    if (fact_check(f, value, NULL, NULL))
        add_change(list, "", f->key, value, text ? text : before);
}

static void add_number(const struct machine *m, const struct fact *f, changes *list)
{
    double now = fact_number(m, f->key);

    if (!isfinite(now))
        return;
    if (now != rint(now))
        add_value(m, f, now, rint(now), list);
    for (int far = 1; far <= FAR; far += 1 + far / STRIDE_SHARE)
        for (int sign = 1; sign >= -1; sign -= 2) {
            add_value(m, f, now, now + sign * far, list);
            if (now != rint(now))
                add_value(m, f, now, rint(now) + sign * far, list);
        }
    add_value(m, f, now, now / 2, list);
    add_value(m, f, now, now * 2, list);
}

/* Adds the change that appends @word to a list of words, or removes @word from it. */
static void add_word(const struct machine *m, const struct fact *f, const char *word, changes *list)
{
    const char *now = machine_fact(m, f->key);
    struct str value = {0};

    if (!machine_has(m, f->key, word)) {
        str_addf(&value, "%s%s%s", now ? now : "", now && *now ? "," : "", word);
    } else {
        char *copy = mem_strdup(now), *rest = copy, *part;
        while ((part = strsep(&rest, ", ")))
            if (*part && strcmp(part, word) != 0)
                str_addf(&value, "%s%s", value.length ? "," : "", part);
        free(copy);
    }
    add_change(list, "", f->key, str_text(&value), now ? now : "nothing");
    str_done(&value);
}

static void each_word(const char *words,
                      void (*take)(const struct machine *, const struct fact *, const char *,
                                   changes *),
                      const struct machine *m, const struct fact *f, changes *list)
{
    char *copy = mem_strdup(words ? words : ""), *rest = copy, *part;

    while ((part = strsep(&rest, " ")))
        if (*part)
            take(m, f, part, list);
    free(copy);
}

static void add_choice(const struct machine *m, const struct fact *f, const char *word,
                       changes *list)
{
    const char *now = machine_fact(m, f->key);
    add_change(list, "", f->key, word, now ? now : f->fallback ? f->fallback : "nothing");
}

static void add_facts(const struct machine *m, const struct random_block *b, changes *list)
{
    for (const struct fact *f = fact_schema; f->key; f++) {
        if (f->kind == FACT_FIXED || strcmp(f->reader, "programs") == 0)
            continue;
        if (f->type == FACT_NUMBER || f->type == FACT_WHOLE)
            add_number(m, f, list);
        else if (f->type == FACT_SWITCH)
            add_change(list, "", f->key, fact_switch(m, f->key) ? "no" : "yes",
                       fact_switch(m, f->key) ? "yes" : "no");
        else if (f->type == FACT_CHOICE)
            each_word(f->words, add_choice, m, f, list);
        else if (f->type == FACT_WORDS && f->words)
            each_word(f->words, add_word, m, f, list);
        else if (f->type == FACT_WORDS)
            for (size_t i = 0; i < b->count; i++)
                add_word(m, f, b->insns[i].mnemonic, list);
    }
}

static void add_all(const struct machine *m, const struct trial *t, changes *list)
{
    const struct random_block *b = &t->blocks[0].block;
    size_t set_count;
    portset *sets = sets_of(m, &set_count);

    for (size_t i = 0; i < b->count; i++) {
        const struct mapping_entry *entry = mapping_find(m->mapping, b->insns[i].form);
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = strcmp(b->insns[k].form, b->insns[i].form) == 0;
        if (!entry || again)
            continue;
        add_latencies(m, entry, list);
        add_usages(m, entry, sets, set_count, list);
    }
    for (size_t i = 0; i < t->family_count; i++)
        if (mapping_find(m->mapping, t->families[i].forms[0])) {
            add_family_latencies(m, &t->families[i], list);
            add_family_usages(m, &t->families[i], sets, set_count, list);
        }
    add_facts(m, b, list);
    free(sets);
}

struct score {
    size_t mended, broken, like;
    double error;              /* sum of relative errors over all blocks */
};

/* Previous values, to undo a trial change */
struct tried {
    const struct remedy *change;
    /* entries of the changed forms; owned, except for their source */
    VEC(struct mapping_entry) entries;
    char *fact;                          /* former value of the fact; NULL: none */
};

static void keep_entry(const struct machine *m, const char *form, struct tried *t)
{
    const struct mapping_entry *entry = mapping_find(m->mapping, form);
    struct mapping_entry kept;

    if (!entry)
        return;
    kept = *entry;
    kept.form = mem_strdup(entry->form);
    kept.source = (char *)"";
    kept.usage = (struct usage){0};
    usage_copy(&kept.usage, &entry->usage);
    vec_push(&t->entries, kept);
}

static void try_change(struct machine *m, const struct remedy *c, struct tried *t)
{
    const char *colon = strchr(c->name, ':'), *fact = colon ? NULL : machine_fact(m, c->name);

    *t = (struct tried){.change = c, .fact = mem_strdup(fact)};
    for (size_t i = 0; i < c->form_count; i++)
        keep_entry(m, strchr(c->forms[i].name, ':') + 1, t);
    if (colon && !c->form_count)
        keep_entry(m, colon + 1, t);
    change_make(m, c);
}

static void undo_change(struct machine *m, struct tried *t)
{
    const struct remedy *c = t->change;

    if (c->from != LATENCY_ANY || c->to != LATENCY_ANY)
        machine_drop_latency(m);
    for (size_t i = 0; i < t->entries.count; i++) {
        mapping_set(m->mapping, &t->entries.items[i]);
        free(t->entries.items[i].form);
        usage_done(&t->entries.items[i].usage);
    }
    vec_done(&t->entries);
    if (t->fact)
        machine_set_fact(m, c->name, t->fact, "", "");
    else if (!strchr(c->name, ':'))
        machine_drop_fact(m, c->name);
    free(t->fact);
}

static bool helps(const struct machine *m, const struct trial *t)
{
    struct model *model = model_new(m, t->simulated);
    bool agrees =
        !cycles_differ(model_cycles(model, &t->blocks[0].block), t->blocks[0].truth, t->tolerance);

    model_free(model);
    return agrees;
}

static bool agrees_with(struct model *model, const struct judged *b, double tolerance,
                        struct score *s)
{
    double cycles = model_cycles(model, &b->block);

    s->error += fabs(cycles - b->truth) / fmax(cycles, b->truth);
    return !cycles_differ(cycles, b->truth, tolerance);
}

static struct score score_of(const struct machine *m, const struct trial *t)
{
    struct model *model = model_new(m, t->simulated);
    struct score s = {0};

    for (size_t i = 0; i < t->like_count; i++)
        s.like += agrees_with(model, &t->like[i], t->tolerance, &s);
    for (size_t i = 0; i < t->count && !watch_steps(64); i++) {
        bool agreed = !cycles_differ(t->blocks[i].predicted, t->blocks[i].truth, t->tolerance);
        bool agrees = agrees_with(model, &t->blocks[i], t->tolerance, &s);
        s.mended += !agreed && agrees;
        s.broken += agreed && !agrees;
    }
    model_free(model);
    return s;
}

bool explain(const struct machine *m, const struct trial *t, struct remedy *out)
{
    struct machine *scratch = machine_copy(m);
    size_t best = SIZE_MAX, finalists = 0;
    double best_gain = 0, best_error = 0;
    changes list = {0};

    add_all(m, t, &list);
    for (size_t i = 0; i < list.count && finalists < FINALISTS && !watch_steps(64); i++) {
        struct tried tried;
        try_change(scratch, &list.items[i], &tried);
        if (helps(scratch, t)) {
            struct score s = score_of(scratch, t);
            double gain = (double)s.mended - (double)s.broken / BROKEN_SHARE;
            /* Of several values of one property, chooses the best fit. Of different properties,
             * chooses the first, unless another property fits clearly better. */
            bool same = best != SIZE_MAX && strcmp(list.items[i].name, list.items[best].name) == 0;
            bool nearer =
                gain == best_gain && best != SIZE_MAX && s.error < (same ? 1 : NEARER) * best_error;
            bool fits = (double)s.like >= LIKE_SHARE * (double)t->like_count &&
                        (gain > best_gain || nearer);
            best = fits ? i : best;
            best_gain = fits ? gain : best_gain;
            best_error = fits ? s.error : best_error;
            finalists++;
        }
        undo_change(scratch, &tried);
    }
    *out = (struct remedy){0};
    if (best != SIZE_MAX) {
        *out = list.items[best];
        list.items[best] = (struct remedy){0};
    }
    for (size_t i = 0; i < list.count; i++)
        change_done(&list.items[i]);
    vec_done(&list);
    machine_free(scratch);
    return best != SIZE_MAX;
}
