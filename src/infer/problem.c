/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/problem.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "base/watch.h"
#include "isa/operands.h"

/* maximum number of pairs of forms, summed over all experiments; their data need half a gigabyte */
#define PARTNERS_MAX ((size_t)1 << 27)

unsigned problem_form_kind(const char *name)
{
    enum { MEMORY_FIRST = 1, MEMORY = 2, VECTOR = 4, SCALAR = 8, GENERAL = 16, OTHER = 32 };
    static const unsigned kinds[] = {
        [FORM_OPERAND_GENERAL] = GENERAL, [FORM_OPERAND_VECTOR] = VECTOR,
        [FORM_OPERAND_SCALAR] = SCALAR,   [FORM_OPERAND_MASK] = OTHER,
        [FORM_OPERAND_MEMORY] = MEMORY,   [FORM_OPERAND_IMMEDIATE] = 0,
        [FORM_OPERAND_RELATIVE] = 0,      [FORM_OPERAND_OTHER] = OTHER};
    struct form_operand operands[FORM_OPERANDS_MOST];
    const size_t n = form_operands(name, operands);
    unsigned kind = 0;

    for (size_t i = 0; i < n; i++)
        kind |= operands[i].kind == FORM_OPERAND_MEMORY && i == 0 ? MEMORY_FIRST
                                                                  : kinds[operands[i].kind];
    return kind & (VECTOR | SCALAR) ? kind : kind & ~(unsigned)GENERAL;
}

struct sized_experiment {
    size_t index;
    uint64_t size;
};

/* Compares by number of instructions, then by number of terms, then by terms, which makes equal
 * experiments adjacent. After a cancellation, all rows compare equal, and the sort ends soon. */
static int compare_rows(const void *a, const void *b, void *state)
{
    const struct experiments *t = state;
    const struct sized_experiment *row_x = a, *row_y = b;
    size_t x = row_x->index, y = row_y->index;
    uint32_t count_x = t->rows.items[x].count, count_y = t->rows.items[y].count;

    if (watch_steps(1))
        return 0;
    if (row_x->size != row_y->size)
        return row_x->size < row_y->size ? -1 : 1;
    if (count_x != count_y)
        return count_x < count_y ? -1 : 1;
    int order = memcmp(experiments_terms(t, x), experiments_terms(t, y),
                       count_x * sizeof(struct flat_term));
    return order ? order : (x > y) - (x < y);
}

static bool same_terms(const struct experiments *t, size_t x, size_t y)
{
    uint32_t count = t->rows.items[x].count;
    return count == t->rows.items[y].count &&
           memcmp(experiments_terms(t, x), experiments_terms(t, y),
                  count * sizeof(struct flat_term)) == 0;
}

/* Selects and sorts rows. Returns NULL if memory is exhausted. The caller frees the array. Sets
 * *@count to the number of rows. */
static struct sized_experiment *select_rows(const struct experiments *t, const bool *keep,
                                            size_t *count)
{
    struct sized_experiment *rows = mem_try_alloc((t->rows.count + 1) * sizeof *rows);

    *count = 0;
    if (!rows)
        return NULL;
    for (size_t i = 0; i < t->rows.count; i++)
        if ((!keep || keep[i]) && experiments_measured(t, i) && t->rows.items[i].count)
            rows[(*count)++] = (struct sized_experiment){i, experiments_size(t, i)};
    qsort_r(rows, *count, sizeof *rows, compare_rows, (void *)t);
    return rows;
}

static void add_experiments(struct problem *p, const struct experiments *t,
                            const struct sized_experiment *rows, size_t count)
{
    uint32_t *index = mem_alloc((t->forms.count + 1) * sizeof *index);
    size_t terms = 0;

    memset(index, 0xff, (t->forms.count + 1) * sizeof *index);
    p->names = mem_zero(t->forms.count + 1, sizeof *p->names);
    for (size_t i = 0; i < count; i++)
        terms += t->rows.items[rows[i].index].count;
    p->terms = mem_alloc((terms + 1) * sizeof *p->terms);
    p->term_start = mem_zero(count + 2, sizeof *p->term_start);
    p->cycles = mem_alloc((count + 1) * sizeof *p->cycles);
    p->inverse = mem_alloc((count + 1) * sizeof *p->inverse);
    p->weight = mem_alloc((count + 1) * sizeof *p->weight);
    terms = 0;
    for (size_t i = 0, end; i < count; i = end) {
        const struct flat_term *theirs = experiments_terms(t, rows[i].index);
        double sum = 0;
        for (end = i; end < count && same_terms(t, rows[i].index, rows[end].index); end++)
            sum += t->rows.items[rows[end].index].cycles;
        for (uint32_t k = 0; k < t->rows.items[rows[i].index].count; k++) {
            if (index[theirs[k].form] == UINT32_MAX) {
                index[theirs[k].form] = (uint32_t)p->forms;
                p->names[p->forms++] = mem_strdup(t->forms.items[theirs[k].form]);
            }
            p->terms[terms++] = (struct table_term){index[theirs[k].form], (float)theirs[k].count};
        }
        size_t e = p->experiments++;
        p->weight[e] = (float)(end - i);
        p->weights += (double)(end - i);
        p->cycles[e] = (float)(sum / (double)(end - i));
        p->inverse[e] = p->weight[e] / p->cycles[e];
        p->term_start[e + 1] = (uint32_t)terms;
    }
    free(index);
}

static void add_links(struct problem *p)
{
    size_t links = p->term_start[p->experiments], others = 0;

    p->link_start = mem_zero(p->forms + 2, sizeof *p->link_start);
    p->links = mem_alloc((links + 1) * sizeof *p->links);
    p->single = mem_alloc((p->forms + 1) * sizeof *p->single);
    p->kind = mem_alloc(p->forms + 1);
    for (size_t e = 0; e < p->experiments; e++) {
        size_t n = p->term_start[e + 1] - p->term_start[e];
        others += n * (n - 1);
    }
    p->others = mem_alloc((others + 1) * sizeof *p->others);
    for (size_t k = 0; k < links; k++)
        p->link_start[p->terms[k].form + 1]++;
    for (size_t f = 0; f < p->forms; f++) {
        p->link_start[f + 1] += p->link_start[f];
        p->single[f] = NAN;
        p->kind[f] = (uint8_t)problem_form_kind(p->names[f]);
    }
    uint32_t *next = mem_alloc((p->forms + 1) * sizeof *next);
    memcpy(next, p->link_start, p->forms * sizeof *next);
    others = 0;
    for (size_t e = 0; e < p->experiments; e++)
        for (uint32_t k = p->term_start[e]; k < p->term_start[e + 1]; k++) {
            struct table_link *link = &p->links[next[p->terms[k].form]++];
            *link =
                (struct table_link){(uint32_t)e, (uint32_t)others,
                                    p->term_start[e + 1] - p->term_start[e] - 1, p->terms[k].count};
            for (uint32_t j = p->term_start[e]; j < p->term_start[e + 1]; j++)
                if (j != k)
                    p->others[others++] = p->terms[j];
            if (link->count == 0 && isnan(p->single[p->terms[k].form]))
                p->single[p->terms[k].form] = p->cycles[e] / link->own;
        }
    free(next);
}

static uint64_t fingerprint(const struct problem *p)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t f = 0; f < p->forms; f++)
        for (const char *at = p->names[f]; *at; at++)
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    for (size_t e = 0; e < p->experiments; e++) {
        uint32_t bits;
        memcpy(&bits, &p->cycles[e], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
    }
    return hash;
}

static size_t bytes_of(const struct experiments *t, const struct sized_experiment *rows,
                       size_t count)
{
    const struct problem *p = NULL;
    size_t bytes =
        count *
            (sizeof *p->term_start + sizeof *p->cycles + sizeof *p->inverse + sizeof *p->weight) +
        t->forms.count *
            (sizeof *p->names + sizeof *p->link_start + sizeof *p->single + sizeof *p->kind);

    for (size_t i = 0; i < count; i++) {
        size_t terms = t->rows.items[rows[i].index].count;
        bytes += terms * (sizeof *p->terms + sizeof *p->links + (terms - 1) * sizeof *p->others);
    }
    return bytes;
}

/* Returns the number of ordered pairs of different forms, summed over the experiments. */
static size_t partners_in(const struct experiments *t, const struct sized_experiment *rows,
                          size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = t->rows.items[rows[i].index].count;
        sum += n * (n - 1);
    }
    return sum;
}

struct problem *problem_new(const struct experiments *t, const bool *keep, struct err *err)
{
    size_t count;
    struct sized_experiment *rows = select_rows(t, keep, &count);
    struct problem *p = NULL;

    if (!rows) {
        err_memory_for(err, "the experiments", (t->rows.count + 1) * sizeof *rows);
    } else if (count == 0) {
        err_set(err, ERR_DATA, "use experiments load FILE, or experiments measure",
                "no measured experiments");
    } else if (watch_over()) {
        err_set(err, ERR_LIMIT, "use a longer time limit, or fewer experiments",
                "time limit reached during the sorting of %zu experiment%s", count, plural(count));
    } else if (partners_in(t, rows, count) > PARTNERS_MAX) {
        err_set(err, ERR_LIMIT, "omit experiments with many forms",
                "the experiments have more than %zu pairs of forms", PARTNERS_MAX);
    } else if (!mem_room(bytes_of(t, rows, count), "the experiments", err)) {
        p = NULL;
    } else if (!shortage_need(bytes_of(t, rows, count))) {
        err_memory_for(err, "the experiments", bytes_of(t, rows, count));
    } else {
        p = mem_zero(1, sizeof *p);
        add_experiments(p, t, rows, count);
        add_links(p);
        p->fingerprint = fingerprint(p);
        shortage_reserve();
    }
    free(rows);
    return p;
}

void problem_pack(const struct problem *p, struct str *out)
{
    pack_count(out, p->forms);
    pack_count(out, p->experiments);
    pack_number(out, p->weights);
    for (size_t f = 0; f < p->forms; f++)
        pack_text(out, p->names[f]);
    pack_array(out, p->term_start, p->experiments + 1, sizeof *p->term_start);
    pack_array(out, p->terms, p->term_start[p->experiments], sizeof *p->terms);
    pack_array(out, p->cycles, p->experiments, sizeof *p->cycles);
    pack_array(out, p->inverse, p->experiments, sizeof *p->inverse);
    pack_array(out, p->weight, p->experiments, sizeof *p->weight);
}

/* Reads @count items of @size bytes, and allocates room for one more. Returns an empty array if the
 * bytes are missing. The caller frees the array. */
static void *array_of(struct unpacking *from, size_t count, size_t size)
{
    void *items = mem_zero(unpack_holds(from, count, size) ? count + 1 : 1, size);
    unpack_array(from, items, from->broken ? 0 : count, size);
    return items;
}

struct problem *problem_unpack(struct unpacking *from, struct err *err)
{
    struct problem *p = mem_zero(1, sizeof *p);
    uint64_t forms = unpack_count(from);

    p->experiments = unpack_count(from);
    p->weights = unpack_number(from);
    from->broken |= p->experiments >= UINT32_MAX;
    p->names = mem_zero(unpack_holds(from, forms, 1) ? forms + 1 : 1, sizeof *p->names);
    while (!from->broken && p->forms < forms)
        p->names[p->forms++] = mem_strdup(unpack_text(from));
    p->term_start = array_of(from, p->experiments + 1, sizeof *p->term_start);
    size_t terms = from->broken ? 0 : p->term_start[p->experiments];
    p->terms = array_of(from, terms, sizeof *p->terms);
    p->cycles = array_of(from, p->experiments, sizeof *p->cycles);
    p->inverse = array_of(from, p->experiments, sizeof *p->inverse);
    p->weight = array_of(from, p->experiments, sizeof *p->weight);
    for (size_t e = 0; !from->broken && e < p->experiments; e++)
        from->broken |= p->term_start[e] > p->term_start[e + 1];
    for (size_t k = 0; !from->broken && k < terms; k++)
        from->broken |= p->terms[k].form >= p->forms;
    if (from->broken) {
        problem_free(p);
        err_set(err, ERR_DATA, "start the same version of Portolan on every host",
                "the experiments sent by another rank are damaged");
        return NULL;
    }
    add_links(p);
    p->fingerprint = fingerprint(p);
    return p;
}

/* Copies @count items of @size bytes, and allocates space for @more further items. The caller frees
 * the array. */
static void *copy_with_room(const void *items, size_t count, size_t more, size_t size)
{
    void *copy = mem_zero(count + more + 1, size);
    memcpy(copy, items, count * size);
    return copy;
}

/* Returns the size in bytes of the data of @count experiments, whose terms begin at the offsets
 * @term_start. */
static size_t bytes_of_terms(size_t count, const uint32_t *term_start)
{
    const struct problem *p = NULL;
    size_t bytes = count * (sizeof *p->term_start + sizeof *p->cycles + sizeof *p->inverse +
                            sizeof *p->weight);

    for (size_t e = 0; e < count; e++) {
        size_t n = term_start[e + 1] - term_start[e];
        bytes += n * (sizeof *p->terms + sizeof *p->links + (n - 1) * sizeof *p->others);
    }
    return bytes;
}

struct problem *problem_extend(const struct problem *p, size_t count, const uint32_t *term_start,
                               const struct table_term *terms, struct err *err)
{
    size_t before = p->term_start[p->experiments];

    if (!mem_room(bytes_of_terms(p->experiments, p->term_start) + bytes_of_terms(count, term_start),
                  "the experiments", err))
        return NULL;
    struct problem *q = mem_zero(1, sizeof *q);
    q->forms = p->forms;
    q->experiments = p->experiments + count;
    q->weights = p->weights;
    q->names = mem_zero(p->forms + 1, sizeof *q->names);
    for (size_t f = 0; f < p->forms; f++)
        q->names[f] = mem_strdup(p->names[f]);
    q->term_start = copy_with_room(p->term_start, p->experiments + 1, count, sizeof *q->term_start);
    q->terms = copy_with_room(p->terms, before, term_start[count], sizeof *q->terms);
    memcpy(q->terms + before, terms, term_start[count] * sizeof *q->terms);
    for (size_t i = 0; i < count; i++)
        q->term_start[p->experiments + i + 1] = (uint32_t)(before + term_start[i + 1]);
    q->cycles = copy_with_room(p->cycles, p->experiments, count, sizeof *q->cycles);
    q->inverse = copy_with_room(p->inverse, p->experiments, count, sizeof *q->inverse);
    q->weight = copy_with_room(p->weight, p->experiments, count, sizeof *q->weight);
    add_links(q);
    q->fingerprint = fingerprint(q);
    return q;
}

void problem_set(struct problem *p, size_t e, double cycles)
{
    p->weights += 1 - (double)p->weight[e];
    p->weight[e] = 1;
    p->cycles[e] = (float)cycles;
    p->inverse[e] = (float)(1 / cycles);
}

struct problem *problem_hold(struct problem *p)
{
    atomic_fetch_add(&p->holders, 1);
    return p;
}

void problem_free(struct problem *p)
{
    if (!p || atomic_fetch_sub(&p->holders, 1) > 0)
        return;
    for (size_t f = 0; f < p->forms; f++)
        free(p->names[f]);
    free(p->names);
    free(p->term_start);
    free(p->terms);
    free(p->cycles);
    free(p->inverse);
    free(p->weight);
    free(p->link_start);
    free(p->links);
    free(p->others);
    free(p->single);
    free(p->kind);
    free(p);
}

struct tables problem_tables(const struct problem *p, const struct columns *columns,
                             const struct gene *genes, size_t stride)
{
    return (struct tables){p->term_start, p->terms,
                           p->link_start, p->links,
                           p->others,     p->inverse,
                           p->weight,     columns,
                           genes,         stride ? tables_new(p->forms, stride) : NULL,
                           stride};
}

size_t problem_form(const struct problem *p, const char *name)
{
    for (size_t f = 0; f < p->forms; f++)
        if (strcmp(p->names[f], name) == 0)
            return f;
    return SIZE_MAX;
}
