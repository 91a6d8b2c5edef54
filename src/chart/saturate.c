/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/saturate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "throughput/columns.h"

/* smallest relative margin; below this margin, noise may decide which port set limits */
#define MARGIN 0.04
#define MARGIN_ENOUGH 0.3
/* increase of the margin that an additional execution must achieve, because shorter experiments are
 * better */
#define TERM_PRICE 0.02
#define COUNT_MOST 3
#define SETS_TRIED 64        /* number of port sets at which no further pairs of ports are
                              * added */
#define TRIPLES_MOST 24      /* maximum number of entries from which triples are formed */

enum vectors vectors_of(const char *form)
{
    bool vector = strstr(form, "XMM") || strstr(form, "YMM") || strstr(form, "ZMM");
    return !vector ? VECTORS_NONE : form[0] == 'V' ? VECTORS_VEX : VECTORS_LEGACY;
}

static void add_set(struct lattice *g, portset set)
{
    if (set && lattice_set(g, set) == SIZE_MAX)
        vec_push(&g->sets, set);
}

/* Lists the columns of the first @n sets. Returns false if there are too many. */
static bool make_columns(struct lattice *g, size_t n)
{
    size_t count = columns_list(g->sets.items, n, COLUMNS_MOST, g->column);

    if (count == SIZE_MAX)
        return false;
    g->columns = count;
    g->stride = (count + LATTICE_LANES - 1) / LATTICE_LANES * LATTICE_LANES;
    memset(g->inverse, 0, sizeof g->inverse);
    for (size_t c = 0; c < g->columns; c++)
        g->inverse[c] = 1 / (float)portset_size(g->column[c]);
    g->sets.count = n;
    return true;
}

void lattice_make(const struct mapping *m, double width, double noise, struct lattice *out)
{
    out->width = width;
    out->noise = noise;
    for (size_t i = 0; i < mapping_count(m); i++)
        for (unsigned k = 0; k < mapping_at(m, i)->usage.count; k++)
            add_set(out, mapping_at(m, i)->usage.uops[k].ports);
    out->known = out->sets.count;
    for (size_t i = 0; i < out->known; i++)
        for (size_t k = 0; k < i; k++)
            add_set(out, out->sets.items[i] & out->sets.items[k]);
    for (unsigned p = 0; p < mapping_ports(m)->count; p++)
        add_set(out, (portset)1 << p);
    for (size_t i = 0; i < out->known && out->sets.count < SETS_TRIED; i++)
        for (portset one = out->sets.items[i]; one; one &= one - 1)
            for (portset two = one & (one - 1); two; two &= two - 1)
                add_set(out, (one & -one) | (two & -two));
    /* Adds unions of two single ports, because both ports together may limit an experiment. */
    for (size_t i = 0, n = out->known; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (portset_size(out->sets.items[i]) == 1 && portset_size(out->sets.items[k]) == 1)
                add_set(out, out->sets.items[i] | out->sets.items[k]);
    for (size_t n = out->sets.count; n >= out->known && !make_columns(out, n); n--)
        ;
    out->within = mem_zero(out->sets.count * out->stride + 1, sizeof *out->within);
    for (size_t i = 0; i < out->sets.count; i++)
        for (size_t c = 0; c < out->columns; c++)
            out->within[i * out->stride + c] = (out->sets.items[i] & ~out->column[c]) == 0;
}

void lattice_done(struct lattice *g)
{
    vec_done(&g->sets);
    free(g->within);
}

size_t lattice_set(const struct lattice *g, portset set)
{
    size_t i = 0;
    while (i < g->sets.count && g->sets.items[i] != set)
        i++;
    return i < g->sets.count ? i : SIZE_MAX;
}

FOR_WIDE_VECTORS
void lattice_add(const struct lattice *g, size_t set, float count, const float *row, float *sum)
{
    const float *within = g->within + set * g->stride;

    for (size_t c = 0; c < g->stride; c += LATTICE_LANES)
        for (size_t lane = 0; lane < LATTICE_LANES; lane++)
            sum[c + lane] = row[c + lane] + count * within[c + lane];
}

/* Returns the largest of @most, @pipe and the cycles of @slots issue slots. */
static double largest_cycles(const struct lattice *g, const float most[LATTICE_LANES],
                             double slots, double pipe)
{
    double ports = pipe;

    for (size_t lane = 0; lane < LATTICE_LANES; lane++)
        ports = most[lane] > ports ? most[lane] : ports;
    return slots / g->width > ports ? slots / g->width : ports;
}

FOR_WIDE_VECTORS
double lattice_cycles(const struct lattice *g, const float *row, const float *more, float count,
                      double slots, double pipe)
{
    float most[LATTICE_LANES] = {0};

    for (size_t c = 0; c < g->stride; c += LATTICE_LANES)
        for (size_t lane = 0; lane < LATTICE_LANES; lane++) {
            float cycles = (row[c + lane] + count * more[c + lane]) * g->inverse[c + lane];
            most[lane] = cycles > most[lane] ? cycles : most[lane];
        }
    return largest_cycles(g, most, slots, pipe);
}

FOR_WIDE_VECTORS
double lattice_cycles_more(const struct lattice *g, const float *row, size_t set, float added,
                           const float *more, float count, double slots, double pipe)
{
    const float *within = g->within + set * g->stride;
    float most[LATTICE_LANES] = {0};

    for (size_t c = 0; c < g->stride; c += LATTICE_LANES)
        for (size_t lane = 0; lane < LATTICE_LANES; lane++) {
            float sum = row[c + lane] + added * within[c + lane],
                  cycles = (sum + count * more[c + lane]) * g->inverse[c + lane];
            most[lane] = cycles > most[lane] ? cycles : most[lane];
        }
    return largest_cycles(g, most, slots, pipe);
}

struct entries {
    const struct mapping *mapping;
    const struct lattice *lattice;
    const struct saturators *refused;   /* saturators that are excluded; NULL: none */
    float *rows;
    size_t n;
};

/* Computes the busy ports, cycles and margin of @s when it runs in isolation. Sets @row to the
 * masses per column. */
static void judge(const struct entries *e, struct saturator *s, float *row)
{
    const struct lattice *g = e->lattice;
    double first = 0, second = 0;
    size_t at = 0;

    memset(row, 0, g->stride * sizeof *row);
    s->slots = 0;
    for (unsigned i = 0; i < s->term_count; i++) {
        const float *own = e->rows + s->terms[i].entry * g->stride;
        for (size_t c = 0; c < g->columns; c++)
            row[c] += (float)s->terms[i].count * own[c];
        s->slots += s->terms[i].count * mapping_at(e->mapping, s->terms[i].entry)->micro_ops;
    }
    /* Chooses the largest of equally busy sets, because any µop on its ports adds time. */
    for (size_t c = 0; c < g->columns; c++) {
        double cycles = row[c] * g->inverse[c];
        if (cycles > first * (1 + 1e-6) ||
            (cycles > first * (1 - 1e-6) && g->inverse[c] < g->inverse[at])) {
            first = fmax(first, cycles);
            at = c;
        }
    }
    for (size_t c = 0; c < g->columns; c++)
        if (g->column[c] & ~g->column[at])
            second = fmax(second, row[c] * g->inverse[c]);
    double issue = s->slots / g->width;
    bool slots = issue > first;
    s->ports = slots ? 0 : g->column[at];
    s->cycles = fmax(issue, first);
    s->margin = s->cycles > 0 ? 1 - (slots ? first : fmax(second, issue)) / s->cycles : 0;
}

static double score(const struct saturator *s)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->term_count; i++)
        count += s->terms[i].count;
    return fmin(s->margin, MARGIN_ENOUGH) - TERM_PRICE * count;
}

bool saturators_alike(const struct saturator *a, const struct saturator *b)
{
    unsigned found = 0;

    for (unsigned i = 0; i < a->term_count; i++)
        for (unsigned k = 0; k < b->term_count; k++)
            found += a->terms[i].entry == b->terms[k].entry;
    return found == a->term_count && found == b->term_count;
}

static bool is_refused(const struct entries *e, const struct saturator *s)
{
    for (size_t i = 0; e->refused && i < e->refused->list.count; i++)
        if (saturators_alike(&e->refused->list.items[i], s))
            return true;
    return false;
}

static void offer(const struct entries *e, struct saturator s, struct saturators *out)
{
    float row[COLUMNS_MOST];

    s.vectors = VECTORS_NONE;
    for (unsigned i = 0; i < s.term_count; i++) {
        enum vectors own = vectors_of(mapping_at(e->mapping, s.terms[i].entry)->form);
        if (own && s.vectors && own != s.vectors)
            return;
        s.vectors = own ? own : s.vectors;
    }
    judge(e, &s, row);
    if (s.margin < MARGIN)
        return;
    struct saturator *kept = NULL;
    for (size_t i = 0; i < out->list.count && !kept; i++)
        if (out->list.items[i].ports == s.ports && out->list.items[i].vectors == s.vectors)
            kept = &out->list.items[i];
    if ((kept && score(kept) >= score(&s)) || is_refused(e, &s))
        return;
    s.row = kept ? kept->row : mem_alloc((e->lattice->stride + 1) * sizeof *s.row);
    memcpy(s.row, row, e->lattice->stride * sizeof *row);
    if (kept)
        *kept = s;
    else
        vec_push(&out->list, s);
}

static void offer_counts(const struct entries *e, size_t a, size_t b, size_t c,
                         struct saturators *out)
{
    struct saturator s = {.terms = {{a, 1}, {b, 1}, {c, 1}},
                          .term_count = c != SIZE_MAX   ? 3
                                        : b != SIZE_MAX ? 2
                                                        : 1};
    uint32_t most_b = b == SIZE_MAX ? 1 : COUNT_MOST, most_c = c == SIZE_MAX ? 1 : COUNT_MOST;

    for (uint32_t x = 1; x <= (b == SIZE_MAX ? 1 : COUNT_MOST); x++)
        for (uint32_t y = 1; y <= most_b; y++)
            for (uint32_t z = 1; z <= most_c; z++) {
                s.terms[0].count = x;
                s.terms[1].count = y;
                s.terms[2].count = z;
                offer(e, s, out);
            }
}

/* Lists at most TRIPLES_MOST entries, one for each vector encoding and each usage with at most one
 * µop. Triples are formed from these entries. Returns their number. Stores their indices in
 * @out. */
static size_t simple_entries(const struct mapping *m, size_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < mapping_count(m) && n < TRIPLES_MOST; i++) {
        const struct mapping_entry *entry = mapping_at(m, i);
        bool fresh =
            entry->usage.count <= 1 && (!entry->usage.count || entry->usage.uops[0].count == 1);
        for (size_t k = 0; k < n && fresh; k++) {
            const struct mapping_entry *other = mapping_at(m, out[k]);
            fresh = !(usage_equal(&entry->usage, &other->usage) &&
                      vectors_of(entry->form) == vectors_of(other->form));
        }
        if (fresh)
            out[n++] = i;
    }
    return n;
}

void saturators_find(const struct mapping *m, const struct lattice *g,
                     const struct saturators *refused, struct saturators *out)
{
    struct entries e = {m, g, refused, mem_zero(mapping_count(m) * g->stride + 1, sizeof(float)),
                        mapping_count(m)};
    size_t simple[TRIPLES_MOST], count = simple_entries(m, simple);

    for (size_t i = 0; i < e.n; i++)
        for (unsigned k = 0; k < mapping_at(m, i)->usage.count; k++)
            lattice_add(g, lattice_set(g, mapping_at(m, i)->usage.uops[k].ports),
                        (float)mapping_at(m, i)->usage.uops[k].count, e.rows + i * g->stride,
                        e.rows + i * g->stride);
    for (size_t i = 0; i < e.n; i++) {
        offer_counts(&e, i, SIZE_MAX, SIZE_MAX, out);
        for (size_t k = 0; k < i; k++)
            offer_counts(&e, i, k, SIZE_MAX, out);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            for (size_t l = 0; l < k; l++)
                offer_counts(&e, simple[i], simple[k], simple[l], out);
    free(e.rows);
}

void saturators_done(struct saturators *s)
{
    for (size_t i = 0; i < s->list.count; i++)
        free(s->list.items[i].row);
    vec_done(&s->list);
}
