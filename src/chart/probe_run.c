/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/probe_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "chart/probe_parts.h"

#define TEXT_MOST (64 << 10) /* maximum number of bytes of an expanded text */
#define TIMES_MOST 4096      /* maximum number of values of a variable */
/* Maximum number of values and repetitions that a table may compute. The shipped tables need less
 * than a thousandth of this number. */
#define STEPS_MOST 100000000

struct probe_run {
    const struct probe_table *t;
    struct probes *p;
    size_t *first;           /* per loop: index of its first probe */
    /* per definition without parameters: its value, and whether it is already computed */
    double *values;
    bool *computed;
    size_t steps;            /* number of values and repetitions so far */
};

static double value(struct probe_run *run, const struct probe_node *n, double *locals);

static bool steps_on(struct probe_run *run)
{
    return run->steps++ < STEPS_MOST;
}

/* Returns whether the table has used at most STEPS_MOST steps. Otherwise returns false with err. */
static bool steps_suffice(const struct probe_run *run, struct err *err)
{
    return run->steps <= STEPS_MOST ||
           err_set(err, ERR_LIMIT, "shorten the ranges and repetitions in the table",
                   "the table of probes needs more than %d steps", STEPS_MOST);
}

static bool is_true(double x)
{
    return x != 0 && !isnan(x);
}

static double argument(struct probe_run *run, const struct probe_node *n, unsigned i,
                       double *locals)
{
    return value(run, n->args[i], locals);
}

static double function_value(struct probe_run *run, const struct probe_node *n, double *locals)
{
    const double x = argument(run, n, 0, locals);

    switch ((enum node_function)n->at) {
    case FUNCTION_IF: return argument(run, n, is_true(x) ? 1 : 2, locals);
    case FUNCTION_NONE: return isnan(x);
    case FUNCTION_ABS: return fabs(x);
    case FUNCTION_RINT: return rint(x);
    case FUNCTION_TRUNC: return trunc(x);
    case FUNCTION_CEIL: return ceil(x);
    case FUNCTION_MIN: return fmin(x, argument(run, n, 1, locals));
    case FUNCTION_MAX: return fmax(x, argument(run, n, 1, locals));
    }
    return NAN;
}

static double sign_value(struct probe_run *run, const struct probe_node *n, double *locals)
{
    const double x = argument(run, n, 0, locals);

    if (n->at == SIGN_AND || n->at == SIGN_OR)
        return is_true(x) == (n->at == SIGN_OR) ? n->at == SIGN_OR
                                                : is_true(argument(run, n, 1, locals));
    const double y = argument(run, n, 1, locals);
    switch ((enum node_sign)n->at) {
    case SIGN_AT_MOST: return x <= y;
    case SIGN_AT_LEAST: return x >= y;
    case SIGN_UNEQUAL: return x != y;
    case SIGN_BELOW: return x < y;
    case SIGN_ABOVE: return x > y;
    case SIGN_EQUAL: return x == y;
    case SIGN_PLUS: return x + y;
    case SIGN_MINUS: return x - y;
    case SIGN_TIMES: return x * y;
    case SIGN_OVER: return x / y;
    case SIGN_REST: return fmod(x, y);
    case SIGN_OR:
    case SIGN_AND: break;
    }
    return NAN;
}

static double median(double *values, size_t n)
{
    if (!n)
        return NAN;
    qsort(values, n, sizeof *values, compare_doubles);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Evaluates an expression over the first TIMES_MOST values of a range. Ignores results that are
 * NaN. */
static double over_value(struct probe_run *run, const struct probe_node *n, double *locals)
{
    const double from = argument(run, n, 0, locals), to = argument(run, n, 1, locals);
    double least = NAN, most = NAN, first = NAN, last = NAN;
    VEC(double) values = {0};
    size_t trues = 0;

    for (unsigned times = 0; times < TIMES_MOST && from + times <= to && steps_on(run); times++) {
        const double i = from + times;
        locals[n->variable] = i;
        const double x = argument(run, n, 2, locals);
        if (isnan(x))
            continue;
        vec_push(&values, x);
        least = fmin(least, x);
        most = fmax(most, x);
        if (x == 0)
            continue;
        first = trues++ ? first : i;
        last = i;
    }
    const double middle = median(values.items, values.count);
    vec_done(&values);
    switch ((enum node_over)n->at) {
    case OVER_COUNT: return (double)trues;
    case OVER_FIRST: return trues ? first : to + 1;
    case OVER_LAST: return trues ? last : from - 1;
    case OVER_LEAST: return least;
    case OVER_MOST: return most;
    case OVER_MEDIAN: return middle;
    }
    return NAN;
}

/* Returns the time of a loop; NaN if an index is outside the family. */
static double loop_value(struct probe_run *run, const struct probe_node *n, double *locals)
{
    const struct table_loop *loop = &run->t->loops.items[n->at];
    size_t at = run->first[n->at];
    size_t place = 0;

    for (unsigned d = 0; d < loop->dimensions; d++) {
        const double i = argument(run, n, d, locals) - loop->over[d].from;
        if (!(i >= 0 && i < loop->over[d].count))
            return NAN;
        place = place * loop->over[d].count + (size_t)i;
    }
    return probe_time(run->p, at + place);
}

static const struct probe_item *item_at(const struct probe_run *run, const struct probe_node *n,
                                        double i)
{
    const struct item_group *g = &run->t->groups.items[n->at];

    return i >= 0 && i < (double)g->items.count ? &g->items.items[(size_t)i] : NULL;
}

static double alone(const struct chart *c, const char *form)
{
    for (size_t i = 0; i < c->form_count; i++)
        if (strcmp(c->forms[i].row->form, form) == 0)
            return c->forms[i].alone;
    return NAN;
}

static double let_value(struct probe_run *run, const struct probe_node *n, double *locals)
{
    const struct definition *let = &run->t->definitions.items[n->at];
    double inner[PROBE_LOCALS] = {0};

    if (!let->parameters && run->computed[n->at])
        return run->values[n->at];
    for (unsigned i = 0; i < let->parameters; i++)
        inner[i] = argument(run, n, i, locals);
    const double x = value(run, let->value, inner);
    if (!let->parameters) {
        run->computed[n->at] = true;
        run->values[n->at] = x;
    }
    return x;
}

static double value(struct probe_run *run, const struct probe_node *n, double *locals)
{
    const struct probe_item *item;

    if (!steps_on(run))
        return NAN;
    switch (n->kind) {
    case NODE_NUMBER: return n->number;
    case NODE_LOCAL: return locals[n->at];
    case NODE_WIDTH: return run->p->width;
    case NODE_FILLS: return run->p->filler != NULL;
    case NODE_DENSE: return run->p->dense_is_slow;
    case NODE_LOOP: return loop_value(run, n, locals);
    case NODE_ITEM:
        item = item_at(run, n, argument(run, n, 0, locals));
        return item ? strtod(item->raw[COLUMN_TEXT], NULL) : NAN;
    case NODE_LET: return let_value(run, n, locals);
    case NODE_FUNCTION: return function_value(run, n, locals);
    case NODE_SIGN: return sign_value(run, n, locals);
    case NODE_NOT: return !is_true(argument(run, n, 0, locals));
    case NODE_NEGATIVE: return -argument(run, n, 0, locals);
    case NODE_OVER: return over_value(run, n, locals);
    case NODE_MACHINE: return machine_number(run->p->chart->machine, n->key);
    case NODE_ALONE:
        item = item_at(run, n, argument(run, n, 0, locals));
        return item ? alone(run->p->chart, item->raw[COLUMN_OTHER]) : NAN;
    }
    return NAN;
}

/* Appends the words of a group for which the expression is true; "none" if there are none. */
static void add_words(struct probe_run *run, const struct piece *p, double *locals, struct str *out)
{
    const struct item_group *g = &run->t->groups.items[p->group];
    const size_t before = out->length;

    for (size_t i = 0; i < g->items.count; i++) {
        locals[p->variable] = (double)i;
        if (is_true(value(run, p->expression, locals)))
            str_addf(out, "%s%s", out->length > before ? " " : "", g->items.items[i].raw[0]);
    }
    if (out->length == before)
        str_add(out, "none");
}

/* Appends the ports of the first µop of the form that the third column of an item names. */
static void add_ports(struct probe_run *run, const struct piece *p, double *locals, struct str *out)
{
    const struct mapping *m = run->p->chart->machine->mapping;
    const struct probe_item *item =
        item_at(run, p->expression, argument(run, p->expression, 0, locals));
    const struct mapping_entry *e = item ? mapping_find(m, item->raw[COLUMN_OTHER]) : NULL;

    if (e && e->usage.count)
        portset_print(e->usage.uops[0].ports, mapping_ports(m), out);
}

/* Appends a text. Stops when @out has more than TEXT_MOST bytes. @loop: loop whose items the text
 * refers to; NULL: none. The loop's indices are the first locals. */
static void expand(struct probe_run *run, const struct piece *p, const struct table_loop *loop,
                   double *locals, struct str *out)
{
    for (; p && out->length <= TEXT_MOST; p = p->next)
        switch (p->kind) {
        case PIECE_TEXT: str_add(out, p->text); break;
        case PIECE_NUMBER: str_addf(out, "%g", value(run, p->expression, locals)); break;
        case PIECE_FILLER: str_add(out, probe_filler(run->p)); break;
        case PIECE_WORDS: add_words(run, p, locals, out); break;
        case PIECE_PORTS: add_ports(run, p, locals, out); break;
        case PIECE_ITEM:
            for (unsigned d = 0; loop && d < loop->dimensions; d++)
                if (loop->over[d].group == p->group) {
                    /* The text of an item uses only the loop's indices, not its variables. */
                    double inner[PROBE_LOCALS] = {locals[0], locals[1]};
                    const struct item_group *g = &run->t->groups.items[p->group];
                    expand(run, g->items.items[(size_t)locals[d]].text[p->column], loop, inner,
                           out);
                }
            break;
        case PIECE_REPEAT: {
            const double count = fmin(value(run, p->expression, locals), TEXT_MOST);
            for (unsigned k = 0; k < count && out->length <= TEXT_MOST && steps_on(run); k++) {
                locals[p->variable] = k;
                expand(run, p->body, loop, locals, out);
            }
            break;
        }
        }
}

/* Adds the loops of a family. Returns false with err. */
static bool ask(struct probe_run *run, size_t at, struct err *err)
{
    const struct table_loop *loop = &run->t->loops.items[at];
    const unsigned rows = loop->dimensions > 0 ? loop->over[0].count : 1;
    const unsigned columns = loop->dimensions > 1 ? loop->over[1].count : 1;

    run->first[at] = run->p->list.count;
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++) {
            double locals[PROBE_LOCALS] = {loop->over[0].from + i, loop->over[1].from + j};
            struct str text = {0};
            expand(run, loop->text, loop, locals, &text);
            const bool fits = text.length <= TEXT_MOST;
            if (fits)
                probe_add(run->p, "%s\n", str_text(&text));
            str_done(&text);
            if (!fits)
                return err_set(err, ERR_LIMIT, "lower the number of repetitions in the table",
                               "the loop %s has more than %d bytes", loop->name, TEXT_MOST);
        }
    return true;
}

struct probe_run *probe_run_new(const struct probe_table *t, struct probes *p, struct err *err)
{
    struct probe_run *run = mem_zero(1, sizeof *run);
    bool ok = true;

    run->t = t;
    run->p = p;
    run->first = mem_zero(t->loops.count + 1, sizeof *run->first);
    run->values = mem_zero(t->definitions.count + 1, sizeof *run->values);
    run->computed = mem_zero(t->definitions.count + 1, sizeof *run->computed);
    for (size_t i = 0; ok && i < t->loops.count; i++)
        ok = ask(run, i, err) && steps_suffice(run, err);
    memset(run->computed, 0, t->definitions.count * sizeof *run->computed);
    if (ok)
        return run;
    probe_run_free(run);
    return NULL;
}

static void conclude(struct probe_run *run, const struct table_fact *fact)
{
    double locals[PROBE_LOCALS] = {0};
    size_t i = 0;

    while (i < fact->cases.count && fact->cases.items[i].when &&
           !is_true(value(run, fact->cases.items[i].when, locals)))
        i++;
    if (i == fact->cases.count || fact->cases.items[i].verdict == CASE_NOTHING)
        return;
    struct str text = {0}, why = {0};
    expand(run, fact->cases.items[i].value, NULL, locals, &text);
    expand(run, fact->cases.items[i].why, NULL, locals, &why);
    /* The ports of a form without a usage have no text, so the fact is not recorded. */
    if (fact->cases.items[i].verdict != CASE_VALUE || text.length)
        probe_tell(run->p, fact->key,
                   fact->cases.items[i].verdict == CASE_VALUE ? str_text(&text) : NULL, fact->unit,
                   str_text(&why));
    str_done(&text);
    str_done(&why);
}

bool probe_run_conclude(struct probe_run *run, struct err *err)
{
    for (size_t i = 0; i < run->t->facts.count; i++)
        conclude(run, &run->t->facts.items[i]);
    return steps_suffice(run, err);
}

void probe_run_free(struct probe_run *run)
{
    free(run->first);
    free(run->values);
    free(run->computed);
    free(run);
}
