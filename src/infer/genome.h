/* A candidate mapping in compact form for search: one gene per form of a problem. */
#ifndef PORTOLAN_INFER_GENOME_H
#define PORTOLAN_INFER_GENOME_H

#include "base/pack.h"
#include "base/rng.h"
#include "infer/problem.h"
#include "model/mapping.h"

#define GENE_COUNT_MAX 250   /* per µop: cycles of a divider */

struct genome {
    size_t forms;
    unsigned ports;          /* up to PROBLEM_PORTS_MAX */
    double width;            /* issue slots per cycle; 0: none */
    struct gene *genes;
    /* Filled by evaluation. */
    double d_avg, cost;      /* mean relative error; objective of the search */
};

struct genome *genome_new(size_t forms, unsigned ports, double width);
struct genome *genome_copy(const struct genome *g);
void genome_assign(struct genome *to, const struct genome *from);   /* same shape */
void genome_free(struct genome *g);
/* Sets the width in slots per cycle, 0 for none. Without a previous width each form gets one slot;
 * without a new one none; otherwise slots are kept. */
void genome_set_width(struct genome *g, double width);

/* Serialises for another process (base/pack.h), without evaluation results. NULL when the bytes are
 * invalid or not of @forms forms. */
void genome_pack(const struct genome *g, struct str *out);
struct genome *genome_unpack(struct unpacking *from, size_t forms);

/* Adds @count µops on @set in order; false when there is no room. */
bool gene_add(struct gene *gene, unsigned set, unsigned count);
void gene_remove(struct gene *gene, unsigned index);
bool gene_equal(const struct gene *a, const struct gene *b);
uint64_t gene_hash(const struct gene *gene);
unsigned gene_volume(const struct gene *gene);
/* Renames ports: bit i becomes bit to[i]. */
void genome_rename(struct genome *g, const uint8_t *to);

size_t genome_distinct(const struct genome *g);
uint64_t genome_volume(const struct genome *g);
/* Renaming of @g's ports (to[i] for port i) that makes it most similar to @like: an assignment
 * problem on common µop mass per form. */
void genome_align(const struct genome *like, const struct genome *g, uint8_t *to);

/* Fills @child from @a, with about half of @a's usages replaced by @b's after aligning ports. Forms
 * that share a usage in @a change together, so that classes survive. */
void genome_recombine(const struct genome *a, const struct genome *b, struct rng *rng,
                      struct genome *child);
/* Predicted cycles of every experiment of @p. */
void genome_predict(const struct genome *g, const struct problem *p, float *cycles);
/* Mean weighted relative error on @p (D_avg of PMEvo 4.4). */
double genome_error(const struct genome *g, const struct problem *p);

/* Copies it without the port whose loss leaves the least error on @p; a µop on that port only may
 * use any. Not for a single port. The caller frees. */
struct genome *genome_least_missed(const struct genome *g, const struct problem *p);

/* Converts to a mapping with the forms' names; port names from @names. Issue slots become
 * micro_ops, the width the mapping's. */
struct mapping *genome_mapping(const struct genome *g, const struct problem *p,
                               const struct ports *names);
/* Converts a mapping; forms of @p that @m lacks get an empty gene. NULL with err when the mapping
 * has too many ports or µops. */
struct genome *genome_of_mapping(const struct mapping *m, const struct problem *p, struct err *err);

/* confidence.c: how sure a mapping's usages are: how far other near-optimal mappings agree. */

#define CONFIDENCE_COST 1.05   /* multiple of the best cost within which genomes count */

/* Per form, 0 to 1: mean overlap of its usage in @genomes[0] with the others', after aligning
 * ports. Overlap = common µops (of the same set) over the larger number of µops. NaN for all
 * without another near-optimal genome. */
void confidence_of(struct genome *const *genomes, size_t n, double *out);

#endif
