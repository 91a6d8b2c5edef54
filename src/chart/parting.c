/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/parting.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "throughput/columns.h"

#define ROWS_LEAST 10       /* minimum number of a form's rows with forms of the core */
#define ROWS_MOST 48        /* maximum number of rows of a form that are evaluated */
/* maximum number of elements of a candidate usage (struct element) */
#define UOPS_MOST 3
#define BEAM 12             /* number of usages with which the beam search continues */
#define ERROR_MOST 0.5      /* limit of the relative error of a row */
#define CORE_WORSE 1.02
#define CORE_NOTHING 1e-6
#define SETS_MOST 48
#define COLUMNS_MOST 256
#define TERMS_MOST 8

/* An experiment with forms of the core and at most one form outside it */
struct single_input_core {
    double cycles, slots;       /* measured cycles, and issue slots of the core's forms */
    uint32_t own;               /* number of executions of the form outside the core */
    unsigned count;
    struct { uint32_t entry, count; } terms[TERMS_MOST];
};

struct outsider {
    uint32_t form;
    VEC(struct single_input_core) rows;
    double before;              /* mean error of the form's best usage with the unchanged core */
};

/* Port sets that replace the port set of a µop: two if the split adds a µop, otherwise one */
struct element {
    portset sets[2];
};

/* The core without a split, or with one split applied */
struct view {
    /* @part: port set that new ports replace. @whole: port set whose µops get an additional µop
     * on the new ports. If both are 0, there is no split. */
    portset part, whole, ports;
    unsigned shift;             /* offset of the new ports from those of @part */
    struct element elements[2 * SETS_MOST];
    size_t element_count;
    portset columns[COLUMNS_MOST];
    /* number of µops within each column: first one row per form of the core, then one row per
     * element */
    float *rows;
    size_t width;
    double inverse[COLUMNS_MOST];
};

struct parter {
    const struct mapping *core;
    double slots;               /* issue slots per cycle */
    VEC(struct outsider) forms;
    struct outsider inside;     /* rows with forms of the core only */
    portset sets[SETS_MOST];    /* different port sets of the core's µops */
    size_t set_count;
    const struct view *view;    /* split that the threads evaluate */
    double *errors;             /* per form: error of its best usage in @view */
    unsigned threads;
    const struct chart_hooks *hooks;
    atomic_bool over;           /* whether the work is cancelled */
};

/* Returns the new ports that replace the ports in @set. */
static portset others_of(const struct view *v, portset set)
{
    portset out = 0;
    unsigned next = v->shift;

    for (unsigned p = 0; p < PORTS_MAX; p++)
        if (v->part >> p & 1) {
            out |= set >> p & 1 ? (portset)1 << next : 0;
            next++;
        }
    return out;
}

static bool parts(const struct view *v, portset set)
{
    return v->part && !(set & ~v->part);
}

static struct element element_of(const struct view *v, portset set)
{
    return parts(v, set) ? (struct element){{others_of(v, set), v->whole}}
                         : (struct element){{set, 0}};
}

static float *row_of(const struct view *v, size_t number)
{
    return v->rows + number * v->width;
}

static void row_add(const struct view *v, float *row, const struct element *e, float count)
{
    for (size_t c = 0; c < v->width; c++)
        for (unsigned k = 0; k < 2; k++)
            row[c] += e->sets[k] && !(e->sets[k] & ~v->columns[c]) ? count : 0;
}

/* Fills @v with the split of @part and @whole. Returns false if there are too many ports or port
 * sets. */
static bool view_make(const struct parter *p, portset part, portset whole, struct view *v)
{
    portset sets[3 * SETS_MOST];
    size_t n = 0, entries = mapping_count(p->core);

    *v = (struct view){.part = part, .whole = whole, .shift = mapping_ports(p->core)->count};
    if (v->shift + portset_size(part) > PORTS_MAX)
        return false;
    for (size_t i = 0; i < p->set_count; i++) {
        v->elements[v->element_count++] = element_of(v, p->sets[i]);
        if (parts(v, p->sets[i]))
            v->elements[v->element_count++] = (struct element){{others_of(v, p->sets[i]), 0}};
    }
    for (size_t i = 0; i < v->element_count; i++)
        for (unsigned k = 0; k < 2; k++)
            if (v->elements[i].sets[k])
                sets[n++] = v->elements[i].sets[k];
    v->width = columns_list(sets, n, COLUMNS_MOST, v->columns);
    if (v->width == SIZE_MAX)
        return false;
    for (size_t c = 0; c < v->width; c++)
        v->inverse[c] = 1.0 / portset_size(v->columns[c]);
    v->rows = mem_zero((entries + v->element_count) * v->width, sizeof *v->rows);
    for (size_t i = 0; i < entries; i++)
        for (unsigned k = 0; k < mapping_at(p->core, i)->usage.count; k++) {
            const struct uop *u = &mapping_at(p->core, i)->usage.uops[k];
            const struct element e = element_of(v, u->ports);
            row_add(v, row_of(v, i), &e, (float)u->count);
        }
    for (size_t i = 0; i < v->element_count; i++)
        row_add(v, row_of(v, entries + i), &v->elements[i], 1);
    return true;
}

static void view_done(struct view *v)
{
    free(v->rows);
}

static double most_of(const struct view *v, const float *row, const float *more, double own)
{
    double most = 0;

    for (size_t c = 0; c < v->width; c++)
        most = fmax(most, ((double)row[c] + own * (double)more[c]) * v->inverse[c]);
    return most;
}

/* Returns the mean error of a form with µops @own. @sums: sums of the other µops in its rows. */
static double error_with(const struct parter *p, const struct outsider *o, const float *sums,
                         const float *own)
{
    double sum = 0;

    for (size_t r = 0; r < o->rows.count; r++) {
        const struct single_input_core *b = &o->rows.items[r];
        double says = fmax(most_of(p->view, sums + r * p->view->width, own, b->own),
                           (b->slots + b->own) / p->slots);
        sum += fmin(fabs(says / b->cycles - 1), ERROR_MOST);
    }
    return sum / (double)o->rows.count;
}

static float *sums_of(const struct view *v, const struct outsider *o)
{
    float *sums = mem_zero(o->rows.count * v->width + 1, sizeof *sums);

    for (size_t r = 0; r < o->rows.count; r++)
        for (unsigned k = 0; k < o->rows.items[r].count; k++)
            for (size_t c = 0; c < v->width; c++)
                sums[r * v->width + c] += (float)o->rows.items[r].terms[k].count *
                                          row_of(v, o->rows.items[r].terms[k].entry)[c];
    return sums;
}

/* A candidate usage: its error and the sums of its µops */
struct try {
    double error;
    float row[COLUMNS_MOST];
};

/* Inserts @t into the sorted list of the @n best usages, at most BEAM. Does nothing if the list has
 * @t, or is full of better usages. Returns the new length of the list. */
static size_t try_keep(struct try *best, size_t n, const struct try *t, size_t width)
{
    size_t at = n;

    while (at && best[at - 1].error > t->error)
        at--;
    for (size_t same = at; same && best[same - 1].error == t->error; same--)
        if (memcmp(best[same - 1].row, t->row, width * sizeof *t->row) == 0)
            return n;
    if (at == BEAM)
        return n;
    n += n < BEAM;
    memmove(best + at + 1, best + at, (n - at - 1) * sizeof *best);
    best[at] = *t;
    return n;
}

/* Returns the smallest mean error that a beam search finds for the form, over usages of at most
 * UOPS_MOST elements. */
static double best_error(const struct parter *p, const struct outsider *o, struct try *work)
{
    const struct view *v = p->view;
    const size_t entries = mapping_count(p->core);
    struct try *last = work, *now = work + BEAM, *t = work + 2 * BEAM;
    size_t count = 1;
    float *sums = sums_of(v, o);
    double least = INFINITY;

    memset(last, 0, sizeof *last);
    for (unsigned kind = 0; kind < UOPS_MOST; kind++) {
        size_t next = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t e = 0; e < v->element_count; e++) {
                for (size_t c = 0; c < v->width; c++)
                    t->row[c] = last[i].row[c] + row_of(v, entries + e)[c];
                t->error = error_with(p, o, sums, t->row);
                next = try_keep(now, next, t, v->width);
            }
        struct try *swap = last;
        last = now;
        now = swap;
        count = next;
        least = fmin(least, count ? last[0].error : INFINITY);
    }
    free(sums);
    return least;
}

static void look(void *state, unsigned worker)
{
    struct parter *p = state;
    const struct chart_hooks *hooks = p->hooks;
    struct try *work = mem_alloc((2 * BEAM + 1) * sizeof *work);

    /* Only the calling thread polls for cancellation. */
    for (size_t i = worker; i < p->forms.count && !atomic_load(&p->over); i += p->threads) {
        if (worker == 0 && hooks->cancelled(hooks->state))
            atomic_store(&p->over, true);
        p->errors[i] = best_error(p, &p->forms.items[i], work);
    }
    free(work);
}

/* Computes the error of each form's best usage that the search finds in view @v. */
static void look_by(struct parter *p, const struct view *v, const struct chart_hooks *hooks)
{
    p->view = v;
    p->hooks = hooks;
    p->threads = hooks->team ? hooks->threads : 1;
    if (p->threads > 1 && hooks->team(hooks->state, look, p))
        return;
    p->threads = 1;
    look(p, 0);
}

static double core_error(struct parter *p, const struct view *v)
{
    float *sums = sums_of(v, &p->inside), *none = mem_zero(v->width, sizeof *none);

    p->view = v;
    double error = error_with(p, &p->inside, sums, none);
    free(none);
    free(sums);
    return error;
}

/* Fills @b from row @i of @t. @entry: per form, its index in the core. Returns whether at most one
 * form is outside the core, and at most TERMS_MOST forms are in it. Stores this form in *@outside,
 * and the number of its executions in b->own. */
static bool single_input_make(const struct experiments *t, size_t i, const size_t *entry,
                              const struct mapping *core, struct single_input_core *b,
                              uint32_t *outside)
{
    const struct experiment_row *row = &t->rows.items[i];

    *b = (struct single_input_core){.cycles = row->cycles};
    *outside = UINT32_MAX;
    for (uint32_t k = 0; k < row->count; k++) {
        const struct flat_term *term = experiments_terms(t, i) + k;
        if (entry[term->form] == SIZE_MAX) {
            if (*outside != UINT32_MAX)
                return false;
            *outside = term->form;
            b->own = term->count;
        } else {
            if (b->count == TERMS_MOST)
                return false;
            b->terms[b->count].entry = (uint32_t)entry[term->form];
            b->terms[b->count++].count = term->count;
            b->slots += term->count * mapping_at(core, entry[term->form])->micro_ops;
        }
    }
    return true;
}

static void rows_collect(struct parter *p, const struct lab *lab, const bool *keep)
{
    const struct experiments *t = lab->table;
    size_t *entry = mem_alloc((t->forms.count + 1) * sizeof *entry),
           *at = mem_alloc((t->forms.count + 1) * sizeof *at), kept = 0;
    struct single_input_core b;
    uint32_t outside;

    for (size_t f = 0; f < t->forms.count; f++) {
        entry[f] = mapping_index(p->core, t->forms.items[f]);
        at[f] = SIZE_MAX;
    }
    for (size_t i = 0; i < t->rows.count; i++) {
        if (!experiments_measured(t, i) || !single_input_make(t, i, entry, p->core, &b, &outside))
            continue;
        if (outside == UINT32_MAX) {
            if (keep[i])
                vec_push(&p->inside.rows, b);
            continue;
        }
        if (at[outside] == SIZE_MAX) {
            at[outside] = p->forms.count;
            vec_push(&p->forms, (struct outsider){.form = outside});
        }
        struct outsider *o = &p->forms.items[at[outside]];
        if (o->rows.count < ROWS_MOST)
            vec_push(&o->rows, b);
    }
    for (size_t i = 0; i < p->forms.count; i++) {
        if (p->forms.items[i].rows.count >= ROWS_LEAST)
            p->forms.items[kept++] = p->forms.items[i];
        else
            vec_done(&p->forms.items[i].rows);
    }
    p->forms.count = kept;
    free(entry);
    free(at);
}

static bool sets_collect(struct parter *p)
{
    for (size_t i = 0; i < mapping_count(p->core); i++)
        for (unsigned k = 0; k < mapping_at(p->core, i)->usage.count; k++) {
            const portset set = mapping_at(p->core, i)->usage.uops[k].ports;
            bool fresh = true;
            for (size_t s = 0; s < p->set_count && fresh; s++)
                fresh = p->sets[s] != set;
            if (fresh && p->set_count == SETS_MOST)
                return false;
            if (fresh)
                p->sets[p->set_count++] = set;
        }
    qsort(p->sets, p->set_count, sizeof *p->sets, portset_by_size);
    return true;
}

/* Returns the sum of the improvements of all forms that improve enough; 0 if there are too few such
 * forms. */
static double gain_of(const struct parter *p)
{
    double sum = 0;
    unsigned n = 0;

    for (size_t i = 0; i < p->forms.count; i++) {
        const double gain = p->forms.items[i].before - p->errors[i];
        n += gain >= PARTING_GAIN;
        sum += gain >= PARTING_GAIN ? gain : 0;
    }
    return n >= PARTING_FORMS ? sum : 0;
}

static struct mapping *parted(const struct parter *p, const struct view *v)
{
    struct ports ports = *mapping_ports(p->core);
    struct ports numbers;

    ports_number(&numbers, v->shift + portset_size(v->part));
    for (unsigned i = v->shift; i < numbers.count; i++)
        ports_add(&ports, numbers.names[i], NULL);
    struct mapping *out = mapping_new(&ports);
    mapping_set_issue_width(out, mapping_issue_width(p->core));
    for (size_t i = 0; i < mapping_count(p->core); i++) {
        struct mapping_entry entry = *mapping_at(p->core, i);
        const struct usage old = entry.usage;
        entry.usage = (struct usage){0};
        for (unsigned k = 0; k < old.count; k++) {
            const struct element e = element_of(v, old.uops[k].ports);
            for (unsigned s = 0; s < 2; s++)
                if (e.sets[s])
                    usage_add(&entry.usage, e.sets[s], old.uops[k].count);
        }
        mapping_set(out, &entry);
        usage_done(&entry.usage);
    }
    return out;
}

static struct mapping *part(struct parter *p, const struct chart_hooks *hooks)
{
    struct view as_is;
    portset part = 0, whole = 0;
    double most = 0;

    if (!view_make(p, 0, 0, &as_is))
        return NULL;
    const double inside = core_error(p, &as_is);
    look_by(p, &as_is, hooks);
    for (size_t i = 0; i < p->forms.count; i++)
        p->forms.items[i].before = p->errors[i];
    view_done(&as_is);
    for (size_t s = 0; s < p->set_count; s++)
        for (size_t w = 0;
             w < p->set_count && !atomic_load(&p->over) && !hooks->cancelled(hooks->state); w++) {
            struct view v;
            if (p->sets[s] == p->sets[w] || p->sets[s] & ~p->sets[w] ||
                !view_make(p, p->sets[s], p->sets[w], &v))
                continue;
            hooks->progress(hooks->state, CHART_PORTS, (double)s, (double)p->set_count,
                            "ports that may be two resources");
            if (core_error(p, &v) <= CORE_WORSE * inside + CORE_NOTHING) {
                look_by(p, &v, hooks);
                const double gain = gain_of(p);
                if (gain > most) {
                    most = gain;
                    part = p->sets[s];
                    whole = p->sets[w];
                }
            }
            view_done(&v);
        }
    return most > 0 && !atomic_load(&p->over) && !hooks->cancelled(hooks->state)
               ? parted(p, &(struct view){.part = part,
                                          .whole = whole,
                                          .shift = mapping_ports(p->core)->count})
               : NULL;
}

struct mapping *parting_find(const struct lab *lab, const bool *keep, const struct mapping *core,
                             double width)
{
    struct parter p = {.core = core, .slots = width};
    struct mapping *out = NULL;

    rows_collect(&p, lab, keep);
    p.errors = mem_zero(p.forms.count + 1, sizeof *p.errors);
    if (sets_collect(&p) && p.inside.rows.count && p.forms.count >= PARTING_FORMS)
        out = part(&p, lab->hooks);
    for (size_t i = 0; i < p.forms.count; i++)
        vec_done(&p.forms.items[i].rows);
    vec_done(&p.forms);
    vec_done(&p.inside.rows);
    free(p.errors);
    return out;
}
