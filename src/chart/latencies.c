/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/chain_cycles.h"
#include "base/clock.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/vec.h"
#include "chart/saturate.h"
#include "isa/operands.h"
#include "toolchain/assemble.h"

#define WRITE_SECONDS 5.0    /* interval between two writes of the file, in seconds */
#define WHOLE 0.1            /* largest distance of a latency from an integer, in cycles, at which
                              * it is set to that integer */
/* largest difference, in cycles or relative, of latencies that are considered equal */
#define NEAR 0.04
/* For chains of less than one cycle per execution: largest ratio of a chain's time to the form's
 * time in isolation at which the chain shows no latency. Rename then eliminates the form. The ratio
 * of moves on a virtual EPYC Turin was 1.16. */
#define NO_CHAIN 1.25
#define OK "ok"

/* Contents of the file of latencies. Rows of one form are adjacent. */
struct latency_file {
    struct csv_table *table;
    struct names forms;
    VEC(size_t) first;           /* per form: index of its first row */
    /* per form: whether the chart used its rows or measured the form */
    bool *taken;
    /* column indices; -1 if the optional @note is missing */
    int form, from, to, cycles, spread, state, note;
};

struct latency_finding {
    struct lab *lab;
    struct chart *chart;
    struct latency_file known;
    /* copy of the machine, in which the rules of the current form are before all others */
    struct machine *scratch;
    size_t lasting;
    double written;              /* clock_seconds() of the last write */
};

static bool known_open(struct latency_file *k, const char *path, struct err *err)
{
    *k = (struct latency_file){0};
    if (!path || access(path, F_OK) != 0)
        return true;
    k->table = csv_table_read(path, err);
    if (!k->table)
        return false;
    const struct {
        int *column;
        const char *name;
    } required[] = {{&k->form, "form"},     {&k->from, "from"},     {&k->to, "to"},
                    {&k->cycles, "cycles"}, {&k->spread, "spread"}, {&k->state, "state"}};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if ((*required[i].column = csv_table_column(k->table, required[i].name)) < 0) {
            err_set(err, ERR_DATA, "give CSV output of latency measure", "the column %s is missing",
                    required[i].name);
            return err_at(err, path, 1, 1);
        }
    for (size_t i = 0; i < k->table->count; i++)
        if (names_add(&k->forms, k->table->rows[i][k->form]) == k->first.count)
            vec_push(&k->first, i);
    k->note = csv_table_column(k->table, "note");
    k->taken = mem_zero(k->first.count + 1, sizeof *k->taken);
    return true;
}

static void known_close(struct latency_file *k)
{
    csv_table_free(k->table);
    free(k->taken);
    names_done(&k->forms);
    vec_done(&k->first);
}

/* Reads the latencies of all chains of @code from the file, and sets *@count to their number.
 * Returns false if a latency is missing, for example because its chain failed on a busy core; the
 * form's chains are then measured again. Stores the latencies in @out. */
static bool known_latencies(const struct latency_file *k, const struct form_code *code,
                            struct latency out[CHAINS_MAX], size_t *count)
{
    uint32_t name = k->table ? names_find(&k->forms, code->row->form) : UINT32_MAX;
    struct chain chains[CHAINS_MAX];
    bool used[CHAINS_MAX] = {false};

    if (name == UINT32_MAX)
        return false;
    *count = chain_list(code, chains);
    for (size_t i = 0; i < *count; i++) {
        bool found = false;
        out[i] = (struct latency){.chain = chains[i], .cycles = NAN, .spread = NAN};
        for (size_t at = k->first.items[name], n = 0;
             !found && at < k->table->count && n < CHAINS_MAX &&
             strcmp(k->table->rows[at][k->form], code->row->form) == 0;
             at++, n++) {
            char **row = k->table->rows[at];
            if (used[n] || strcmp(row[k->from], chains[i].from_name) != 0 ||
                strcmp(row[k->to], chains[i].to_name) != 0)
                continue;
            used[n] = found = true;
            out[i].cycles = *row[k->cycles] ? strtod(row[k->cycles], NULL) : NAN;
            out[i].spread = *row[k->spread] ? strtod(row[k->spread], NULL) : NAN;
            snprintf(out[i].state, sizeof out[i].state, "%s", row[k->state]);
        }
        if (!found)
            return false;
    }
    return true;
}

static void take_known(struct latency_file *k, const char *form)
{
    uint32_t name = k->table ? names_find(&k->forms, form) : UINT32_MAX;
    if (name != UINT32_MAX)
        k->taken[name] = true;
}

/* Appends the rows of forms that this chart lacks or has not yet measured. */
static void add_others(const struct latency_file *k, struct str *text)
{
    for (size_t i = 0; k->table && i < k->table->count; i++) {
        char **row = k->table->rows[i];
        const int columns[] = {k->form, k->from, k->to, k->cycles, k->spread, k->note, k->state};
        const size_t count = sizeof columns / sizeof *columns;
        for (size_t c = 0; c < count && !k->taken[names_find(&k->forms, row[k->form])]; c++)
            csv_add_field(text, columns[c] < 0 ? "" : row[columns[c]], c + 1 == count);
    }
}

/* Appends a number with @digits significant digits, or an empty field for NaN. */
static void add_number(struct str *text, double number, int digits)
{
    char field[40] = "";

    if (!isnan(number))
        snprintf(field, sizeof field, "%.*g", digits, number);
    csv_add_field(text, field, false);
}

static bool is_busy(const struct latency *l)
{
    return isnan(l->cycles) && strstr(l->state, "contended");
}

/* Writes all measured latencies to the file. Omits chains that failed on a busy core, because the
 * next run measures them. */
static bool write_file(struct latency_finding *f, struct err *err)
{
    const char *path = f->lab->options->latencies;
    struct str text = {0};

    f->written = clock_seconds();
    if (!path)
        return true;
    str_add(&text, "form,from,to,cycles,spread,note,state\n");
    for (size_t i = 0; i < f->chart->latencies.count; i++) {
        const struct chart_latency *l = &f->chart->latencies.items[i];
        if (is_busy(&l->latency))
            continue;
        csv_add_field(&text, f->chart->forms[l->form].row->form, false);
        csv_add_field(&text, l->latency.chain.from_name, false);
        csv_add_field(&text, l->latency.chain.to_name, false);
        add_number(&text, l->latency.cycles, 6);
        add_number(&text, l->latency.spread, 4);
        csv_add_field(&text, l->latency.chain.note, false);
        csv_add_field(&text, l->latency.state, true);
    }
    add_others(&f->known, &text);
    bool ok = file_write(path, text.data, text.length, err);
    str_done(&text);
    return ok;
}

/* Measures the chains of form @i into @list, or takes them from the file. Returns their number; 0:
 * the form has none; SIZE_MAX with err on failure or when cancelled. */
static size_t measure_form(struct latency_finding *f, uint32_t i, struct latency list[CHAINS_MAX],
                           struct err *err)
{
    struct chart *c = f->chart;
    const struct chart_cpu *cpu = f->lab->cpu;
    struct form_code *code = mapping_find(c->machine->mapping, c->forms[i].row->form)
                                 ? encodings_code_any(c->forms[i].row, NULL)
                                 : NULL;
    size_t n = 0;

    if (!code)
        return 0;
    const bool known = known_latencies(&f->known, code, list, &n);
    if (!known)
        n = cpu->latencies(cpu->state, code, list, err);
    form_code_free(code);
    f->lab->resumed += known;
    return n == SIZE_MAX || !lab_goes_on(f->lab, err) ? SIZE_MAX : n;
}

/* Measures again each form with a chain that failed on a busy core. Keeps the latencies of the
 * form's other chains. Returns false with err on failure. */
static bool measure_busy(struct latency_finding *f, struct err *err)
{
    struct chart *c = f->chart;
    struct latency list[CHAINS_MAX];

    for (size_t i = 0, end; i < c->latencies.count; i = end) {
        const uint32_t form = c->latencies.items[i].form;
        bool busy = false;
        for (end = i; end < c->latencies.count && c->latencies.items[end].form == form; end++)
            busy |= is_busy(&c->latencies.items[end].latency);
        if (!busy)
            continue;
        const size_t n = measure_form(f, form, list, err);
        if (n == SIZE_MAX)
            return false;
        for (size_t k = 0; k < n && k < end - i; k++)
            if (is_busy(&c->latencies.items[i + k].latency))
                c->latencies.items[i + k].latency = list[k];
    }
    return true;
}

static bool measure_all(struct latency_finding *f, struct err *err)
{
    const struct chart_hooks *hooks = f->lab->hooks;
    struct chart *c = f->chart;
    char what[60];

    for (uint32_t i = 0; i < c->form_count; i++) {
        struct latency list[CHAINS_MAX];
        const size_t n = measure_form(f, i, list, err);
        if (n == SIZE_MAX)
            return false;
        for (size_t k = 0; k < n; k++)
            vec_push(&c->latencies, ((struct chart_latency){i, list[k]}));
        take_known(&f->known, c->forms[i].row->form);
        if (clock_seconds() - f->written > WRITE_SECONDS && !write_file(f, err))
            return false;
        if (i % 16 == 0) {
            snprintf(what, sizeof what, "%zu chain%s", c->latencies.count,
                     plural(c->latencies.count));
            hooks->progress(hooks->state, CHART_LATENCIES, i, (double)c->form_count, what);
        }
    }
    return measure_busy(f, err) && write_file(f, err);
}

static double rounded(double cycles)
{
    return fabs(cycles - rint(cycles)) < WHOLE ? rint(cycles) : rint(cycles * 100) / 100;
}

/* Returns the most frequent latency between registers in the chains @list; NaN: none. */
static double usual(const struct chart_latency *list, size_t n)
{
    double best = NAN;
    size_t most = 0;

    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        int from, to;
        if (!(list[i].latency.cycles > -NEAR) || list[i].latency.chain.kind == CHAIN_ADDRESS ||
            !chain_ends(&list[i].latency.chain, &from, &to))
            continue;
        for (size_t k = 0; k < n; k++)
            same += rounded(list[k].latency.cycles) == rounded(list[i].latency.cycles);
        if (same > most) {
            most = same;
            best = fmax(rounded(list[i].latency.cycles), 0);
        }
    }
    return best;
}

/* Returns whether the chain measures the update of a base register, which is not the form's
 * latency. */
static bool steps_base(const struct chain *chain)
{
    return chain->kind == CHAIN_OWN && strcmp(chain->from_name, "base") == 0;
}

/* Returns the largest latency of chains through implicit registers (such as rax of mul). Returns
 * NaN if there is none, or if a chain passes through memory (cmpxchg). */
static double of_own_registers(const struct chart_latency *list, size_t n)
{
    double most = NAN;

    for (size_t i = 0; i < n; i++) {
        if (list[i].latency.chain.kind == CHAIN_MEMORY)
            return NAN;
        if (list[i].latency.chain.kind == CHAIN_OWN && !steps_base(&list[i].latency.chain) &&
            !*list[i].latency.chain.note && list[i].latency.cycles > -NEAR)
            most = fmax(most, fmax(rounded(list[i].latency.cycles), 0));
    }
    return most;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= fmax(NEAR, NEAR * fmin(a, b));
}

/* Returns whether a chain of @form with @cycles per execution takes no longer than independent
 * executions. */
static bool shows_no_latency(const struct chart_form *form, double cycles)
{
    return rounded(cycles) < 1 && cycles <= NO_CHAIN * form->alone;
}

/* Adds a rule for the latency that one chain measures, if the machine mispredicts the chain. The
 * rule has the latency with which the machine predicts the measured time. If the chain has no other
 * form, this latency is the measured time. Otherwise, it is that time minus the latencies of the
 * other instructions. */
static void add_rule(struct latency_finding *f, const struct form_code *code,
                     const struct latency *l)
{
    bool own = l->chain.kind == CHAIN_REGISTER || l->chain.kind == CHAIN_FIXED ||
               l->chain.kind == CHAIN_FLAGS;
    int from, to;

    if (!(l->cycles > -1) || !chain_ends(&l->chain, &from, &to))
        return;
    double without = chain_cycles(f->scratch, code, &l->chain),
           cycles = own ? fmax(0, rounded(l->cycles)) : 1;
    if (near(without, l->cycles))
        return;
    machine_put_latency(f->scratch, code->row->form, from, to, cycles, "");
    double with = chain_cycles(f->scratch, code, &l->chain);
    if (!isnan(with) && !near(with, l->cycles)) {
        cycles = fmax(0, rounded(cycles + l->cycles - with));
        machine_drop_latency(f->scratch);
        machine_put_latency(f->scratch, code->row->form, from, to, cycles, "");
        with = chain_cycles(f->scratch, code, &l->chain);
    }
    /* If the machine lacks a form of the chain, only a chain without other forms determines a
     * latency. */
    if (isnan(with) ? own : isnan(without) || fabs(with - l->cycles) < fabs(without - l->cycles))
        machine_put_latency(f->chart->machine, code->row->form, from, to, cycles,
                            "charted: measured");
    else
        machine_drop_latency(f->scratch);
}

static void set_latency(struct mapping *m, const char *form, double cycles)
{
    struct mapping_entry entry = *mapping_find(m, form);

    entry.latency = cycles;
    mapping_set(m, &entry);
}

/* Sets the latency of one form in the machine and in the scratch copy. For a form with memory
 * operands, only adds a rule if a chain through its own registers has a latency. Does nothing if
 * the latency is unknown. */
static void settle_latency(struct latency_finding *f, const struct chart_latency *list, size_t n)
{
    const char *form = f->chart->forms[list->form].row->form;
    bool memory = form_has_memory(form);
    double latency = usual(list, n);
    struct machine *both[] = {f->scratch, f->chart->machine};

    if (isnan(latency)) {
        latency = of_own_registers(list, n);
        for (unsigned i = 0; i < 2 && latency > 0 && memory; i++)
            machine_add_latency(both[i], form, LATENCY_ANY, LATENCY_ANY, latency,
                                "charted: measured");
        f->lasting = f->scratch->latency_count;
    }
    if (shows_no_latency(&f->chart->forms[list->form], latency))
        latency = 0;
    /* Sets no latency of a form with memory operands, because its latencies are rules. */
    if (isnan(latency) || memory)
        return;
    for (unsigned i = 0; i < 2; i++) {
        set_latency(both[i]->mapping, form, latency);
        /* The models treat a form without ports as eliminated, with latency 0. A form whose ports
         * the issue width hides therefore needs a rule for its latency. */
        if (latency > 0 && !mapping_find(both[i]->mapping, form)->usage.count)
            machine_add_latency(both[i], form, LATENCY_ANY, LATENCY_ANY, latency,
                                "charted: measured");
    }
    f->lasting = f->scratch->latency_count;
}

/* Sets the latency rules of one form. The latencies of all forms must already be set, because
 * chains contain other forms. */
static void settle_rules(struct latency_finding *f, const struct chart_latency *list, size_t n)
{
    struct form_code *code = encodings_code_any(f->chart->forms[list->form].row, NULL);

    for (size_t i = 0; i < n && code; i++)
        if (list[i].latency.chain.helper > 0 ||
            !shows_no_latency(&f->chart->forms[list->form], list[i].latency.cycles))
            add_rule(f, code, &list[i].latency);
    while (f->scratch->latency_count > f->lasting)
        machine_drop_latency(f->scratch);
    form_code_free(code);
}

/* Calls @settle with the chains of each form. Returns false with err when cancelled. */
static bool each_form(struct latency_finding *f,
                      void (*settle)(struct latency_finding *f, const struct chart_latency *list,
                                     size_t n),
                      struct err *err)
{
    const struct chart *c = f->chart;
    bool ok = true;

    for (size_t i = 0, end; i < c->latencies.count && ok; i = end) {
        for (end = i;
             end < c->latencies.count && c->latencies.items[end].form == c->latencies.items[i].form;
             end++)
            continue;
        settle(f, c->latencies.items + i, end - i);
        ok = lab_goes_on(f->lab, err);
    }
    return ok;
}

static bool plain_load(const char *form)
{
    return strncmp(form, "MOV ", 4) == 0 || strncmp(form, "LDR ", 4) == 0;
}

/* Sets the fact load_latency, which the models need for dependences through loads. The fact is the
 * latency of the fastest moves from memory; slower moves also merge parts of registers. Without
 * moves from memory, the fact is the smallest latency of a form with a load minus one cycle for the
 * operation. Sets nothing if there is no such form. */
static void set_load_latency(struct latency_finding *f)
{
    const struct chart *c = f->chart;
    double plain = INFINITY, least = INFINITY;
    char text[32];

    for (size_t i = 0; i < c->latencies.count; i++) {
        const struct chart_latency *l = &c->latencies.items[i];
        const double cycles = rounded(l->latency.cycles);
        if (l->latency.chain.kind != CHAIN_ADDRESS || !(cycles > 1))
            continue;
        least = fmin(least, cycles);
        if (plain_load(c->forms[l->form].row->form))
            plain = fmin(plain, cycles);
    }
    if (!isfinite(least))
        return;
    snprintf(text, sizeof text, "%g", isfinite(plain) ? plain : least - 1);
    machine_set_fact(
        c->machine, "load_latency", text, "cycles",
        isfinite(plain)
            ? "charted: the lowest latency from the address of a plain load"
            : "charted: the lowest latency of a load with an operation, minus one cycle");
}

static bool settle_all(struct latency_finding *f, struct err *err)
{
    f->scratch = machine_copy(f->chart->machine);
    f->lasting = 0;
    bool ok = each_form(f, settle_latency, err) && each_form(f, settle_rules, err);
    machine_free(f->scratch);
    return ok;
}

bool latencies_again(struct lab *lab, struct chart *c, struct err *err)
{
    struct latency_finding f = {.lab = lab, .chart = c};

    while (c->machine->latency_count)
        machine_drop_latency(c->machine);
    return settle_all(&f, err);
}

bool latencies_find(struct lab *lab, struct chart *c, struct err *err)
{
    struct latency_finding f = {.lab = lab, .chart = c, .written = clock_seconds()};
    bool ok = known_open(&f.known, lab->options->latencies, err) && measure_all(&f, err);

    if (ok) {
        set_load_latency(&f);
        ok = settle_all(&f, err);
    }
    known_close(&f.known);
    return ok;
}
