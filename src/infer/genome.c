/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/genome.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/steps.h"
#include "model/mapping_diff.h"

struct genome *genome_new(size_t forms, unsigned ports, double width)
{
    struct genome *g = mem_zero(1, sizeof *g);
    g->forms = forms;
    g->ports = ports;
    g->width = width;
    g->genes = mem_zero(forms + 1, sizeof *g->genes);
    return g;
}

/* Copies @from to @to, which must have the same number of forms and ports. */
static void assign(struct genome *to, const struct genome *from)
{
    struct gene *genes = to->genes;
    memcpy(genes, from->genes, from->forms * sizeof *genes);
    *to = *from;
    to->genes = genes;
}

struct genome *genome_copy(const struct genome *g)
{
    struct genome *copy = genome_new(g->forms, g->ports, g->width);
    assign(copy, g);
    return copy;
}

void genome_free(struct genome *g)
{
    if (!g)
        return;
    free(g->genes);
    free(g);
}

void genome_set_width(struct genome *g, double width)
{
    for (size_t f = 0; (g->width > 0) != (width > 0) && f < g->forms; f++)
        g->genes[f].slots = width > 0;
    g->width = width;
}

void genome_pack(const struct genome *g, struct str *out)
{
    pack_count(out, g->forms);
    pack_count(out, g->ports);
    pack_number(out, g->width);
    pack_array(out, g->genes, g->forms, sizeof *g->genes);
}

struct genome *genome_unpack(struct unpacking *from, size_t forms)
{
    uint64_t own = unpack_count(from), ports = unpack_count(from);
    double width = unpack_number(from);

    from->broken |= own != forms || ports == 0 || ports > PROBLEM_PORTS_MAX;
    if (!unpack_holds(from, forms, sizeof(struct gene)))
        return NULL;
    struct genome *g = genome_new(forms, (unsigned)ports, width);
    unpack_array(from, g->genes, forms, sizeof *g->genes);
    return g;
}

bool gene_add(struct gene *gene, unsigned set, unsigned count)
{
    unsigned at = 0;

    while (at < gene->uops && gene->set[at] < set)
        at++;
    if (at < gene->uops && gene->set[at] == set) {
        if (gene->count[at] + count > GENE_COUNT_MAX)
            return false;
        gene->count[at] = (uint8_t)(gene->count[at] + count);
        return true;
    }
    if (gene->uops == GENE_UOPS || count > GENE_COUNT_MAX || !set)
        return false;
    for (unsigned i = gene->uops; i > at; i--) {
        gene->set[i] = gene->set[i - 1];
        gene->count[i] = gene->count[i - 1];
    }
    gene->set[at] = (uint16_t)set;
    gene->count[at] = (uint8_t)count;
    gene->uops++;
    return true;
}

void gene_remove(struct gene *gene, unsigned index)
{
    gene->uops--;
    for (unsigned i = index; i < gene->uops; i++) {
        gene->set[i] = gene->set[i + 1];
        gene->count[i] = gene->count[i + 1];
    }
    gene->set[gene->uops] = 0;
    gene->count[gene->uops] = 0;
}

bool gene_equal(const struct gene *a, const struct gene *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

uint64_t gene_hash(const struct gene *gene)
{
    uint64_t words[3] = {0};
    memcpy(words, gene, sizeof *gene);
    uint64_t hash = words[0] * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ words[1]) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 29 ^ words[2]) * 0x94d049bb133111ebu;
    return (hash ^ hash >> 31) | 1;   /* Sets a bit, because the hash must not be 0. */
}
_Static_assert(sizeof(struct gene) <= 24 && sizeof(struct gene) > 16,
               "gene_hash covers three words");

unsigned gene_volume(const struct gene *gene)
{
    unsigned volume = 0;
    for (unsigned i = 0; i < gene->uops; i++)
        volume += gene->count[i] * portset_size(gene->set[i]);
    return volume;
}

static unsigned set_rename(unsigned set, const uint8_t *to)
{
    unsigned renamed = 0;
    for (; set; set &= set - 1)
        renamed |= 1u << to[__builtin_ctz(set)];
    return renamed;
}

static void gene_rename(struct gene *gene, const uint8_t *to)
{
    struct gene fresh = {.slots = gene->slots};
    for (unsigned i = 0; i < gene->uops; i++)
        gene_add(&fresh, set_rename(gene->set[i], to), gene->count[i]);
    *gene = fresh;
}

void genome_rename(struct genome *g, const uint8_t *to)
{
    for (size_t f = 0; f < g->forms; f++)
        gene_rename(&g->genes[f], to);
}

size_t genome_distinct(const struct genome *g)
{
    bool seen[1 << PROBLEM_PORTS_MAX] = {false};
    size_t distinct = 0;

    for (size_t f = 0; f < g->forms; f++)
        for (unsigned i = 0; i < g->genes[f].uops; i++) {
            distinct += !seen[g->genes[f].set[i]];
            seen[g->genes[f].set[i]] = true;
        }
    return distinct;
}

uint64_t genome_volume(const struct genome *g)
{
    uint64_t volume = 0;
    for (size_t f = 0; f < g->forms; f++)
        volume += gene_volume(&g->genes[f]);
    return volume;
}

/* Adds the load of @gene on each port to @load, with each µop distributed evenly over its ports. */
static void spread(const struct gene *gene, double *load)
{
    for (unsigned i = 0; i < gene->uops; i++)
        for (unsigned set = gene->set[i]; set; set &= set - 1)
            load[__builtin_ctz(set)] += (double)gene->count[i] / portset_size(gene->set[i]);
}

void genome_align(const struct genome *like, const struct genome *g, uint8_t *to)
{
    unsigned n = g->ports;
    double gain[PROBLEM_PORTS_MAX * PROBLEM_PORTS_MAX] = {0};
    unsigned column[PROBLEM_PORTS_MAX];

    for (size_t f = 0; f < g->forms; f++) {
        double mine[PROBLEM_PORTS_MAX] = {0}, theirs[PROBLEM_PORTS_MAX] = {0};
        spread(&g->genes[f], mine);
        spread(&like->genes[f], theirs);
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < n; j++)
                gain[i * n + j] += 1 - fmin(1, fabs(mine[i] - theirs[j]));
    }
    assignment_best(gain, n, column);
    for (unsigned i = 0; i < n; i++)
        to[i] = (uint8_t)column[i];
}

/* Returns a copy of @g without @port. A µop that could only use this port may use any port in the
 * copy. */
static struct genome *without(const struct genome *g, unsigned port)
{
    unsigned all = (1u << (g->ports - 1)) - 1;
    struct genome *out = genome_new(g->forms, g->ports - 1, g->width);

    for (size_t f = 0; f < g->forms; f++) {
        out->genes[f].slots = g->genes[f].slots;
        for (unsigned i = 0; i < g->genes[f].uops; i++) {
            unsigned set = g->genes[f].set[i], below = set & ((1u << port) - 1);
            set = below | (set >> (port + 1) << port);
            gene_add(&out->genes[f], set ? set : all, g->genes[f].count[i]);
        }
    }
    return out;
}

struct genome *genome_least_missed(const struct genome *g, const struct problem *p)
{
    struct genome *best = NULL;
    double least = INFINITY;

    for (unsigned port = 0; port < g->ports; port++) {
        struct genome *one = without(g, port);
        double error = genome_error(one, p);
        if (!best || error < least) {
            genome_free(best);
            best = one;
            least = error;
        } else {
            genome_free(one);
        }
    }
    return best;
}

struct mapping *genome_mapping(const struct genome *g, const struct problem *p,
                               const struct ports *names)
{
    struct mapping *m = mapping_new(names);

    mapping_set_issue_width(m, g->width);
    for (size_t f = 0; f < g->forms; f++) {
        struct mapping_entry entry = {
            .form = p->names[f], .latency = NAN, .micro_ops = g->width > 0 ? g->genes[f].slots : 0};
        for (unsigned i = 0; i < g->genes[f].uops; i++)
            usage_add(&entry.usage, g->genes[f].set[i], g->genes[f].count[i]);
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

struct genome *genome_of_mapping(const struct mapping *m, const struct problem *p, struct err *err)
{
    unsigned ports = mapping_ports(m)->count;

    if (ports == 0 || ports > PROBLEM_PORTS_MAX) {
        err_set(err, ERR_LIMIT,
                ports ? "select a mapping with fewer ports" : "select a mapping with ports",
                "the mapping has %u ports; inference needs 1 to %d", ports, PROBLEM_PORTS_MAX);
        return NULL;
    }
    struct genome *g = genome_new(p->forms, ports, mapping_issue_width(m));
    for (size_t f = 0; f < p->forms; f++) {
        const struct mapping_entry *entry = mapping_find(m, p->names[f]);
        for (unsigned i = 0; entry && i < entry->usage.count; i++)
            if (!gene_add(&g->genes[f], entry->usage.uops[i].ports, entry->usage.uops[i].count)) {
                err_set(err, ERR_LIMIT, "select another starting mapping",
                        "the usage of %s has too many µops or ports per µop", entry->form);
                genome_free(g);
                return NULL;
            }
        if (entry && g->width > 0)
            g->genes[f].slots = (uint8_t)(entry->micro_ops < 255 ? entry->micro_ops : 255);
    }
    return g;
}

void genome_recombine(const struct genome *a, const struct genome *b, struct rng *rng,
                      struct genome *child)
{
    uint8_t to[PROBLEM_PORTS_MAX];
    uint64_t salt = rng_next(rng);

    assign(child, a);
    genome_align(a, b, to);
    for (size_t f = 0; f < a->forms; f++) {
        uint64_t side = (gene_hash(&a->genes[f]) ^ salt) * 0x9e3779b97f4a7c15u;
        if (side >> 63) {
            child->genes[f] = b->genes[f];
            gene_rename(&child->genes[f], to);
        }
    }
}

void genome_predict(const struct genome *g, const struct problem *p, float *cycles)
{
    const struct table_engine *engine = table_engine(NULL);
    struct columns columns;

    columns_init(&columns, g->ports);
    for (size_t f = 0; f < g->forms; f++)
        for (unsigned i = 0; i < g->genes[f].uops; i++)
            columns_add(&columns, g->genes[f].set[i], UINT_MAX);
    size_t stride = columns_lanes(columns.count);
    struct tables tables = problem_tables(p, &columns, g->genes, stride);
    for (size_t f = 0; f < g->forms; f++)
        engine->fill(&g->genes[f], &columns, 0, g->width, tables.values + f * stride);
    steps_add(p->experiments + g->forms);
    for (uint32_t e = 0; e < p->experiments; e++)
        cycles[e] = engine->cycles(&tables, e);
    free(tables.values);
    columns_done(&columns);
}

double genome_error(const struct genome *g, const struct problem *p)
{
    float *cycles = mem_alloc((p->experiments + 1) * sizeof *cycles);
    double sum = 0;

    genome_predict(g, p, cycles);
    for (size_t e = 0; e < p->experiments; e++)
        sum += fabs((double)cycles[e] * (double)p->inverse[e] - (double)p->weight[e]);
    free(cycles);
    return sum / p->weights;
}
