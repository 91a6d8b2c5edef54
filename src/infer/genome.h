/* A candidate mapping in compact form for the search: one gene per form of a problem */
#ifndef PORTOLAN_INFER_GENOME_H
#define PORTOLAN_INFER_GENOME_H

#include "base/pack.h"
#include "base/rng.h"
#include "infer/problem.h"
#include "model/mapping.h"

#define GENE_COUNT_MAX 250   /* maximum number of µops per port set; a divider needs one
                              * per cycle that it is busy */

struct genome {
    size_t forms;
    unsigned ports;          /* number of ports, at most PROBLEM_PORTS_MAX */
    double width;            /* issue slots per cycle; 0: no limit */
    struct gene *genes;
    double d_avg, cost;      /* mean relative error and cost of the last evaluation */
};

struct genome *genome_new(size_t forms, unsigned ports, double width);
struct genome *genome_copy(const struct genome *g);
void genome_free(struct genome *g);
/* Sets the width in slots per cycle. 0 removes the width and all slots. If there was no width, each
 * form gets one slot; otherwise slots are unchanged. */
void genome_set_width(struct genome *g, double width);

/* Serialises @g for another process (base/pack.h), without results of an evaluation. genome_unpack
 * returns NULL if the bytes are invalid or not of @forms forms. */
void genome_pack(const struct genome *g, struct str *out);
struct genome *genome_unpack(struct unpacking *from, size_t forms);

/* Adds @count µops of @set in sorted order. Returns false if the gene is full, the count of the set
 * would exceed GENE_COUNT_MAX, or @set is empty. */
bool gene_add(struct gene *gene, unsigned set, unsigned count);
void gene_remove(struct gene *gene, unsigned index);
bool gene_equal(const struct gene *a, const struct gene *b);
uint64_t gene_hash(const struct gene *gene);
unsigned gene_volume(const struct gene *gene);
/* Renames ports: port i becomes port to[i]. */
void genome_rename(struct genome *g, const uint8_t *to);

size_t genome_distinct(const struct genome *g);
uint64_t genome_volume(const struct genome *g);
/* Finds the renaming of @g's ports (to[i] for port i) that makes @g most similar to @like. Solves
 * an assignment problem on the ports' loads per form. */
void genome_align(const struct genome *like, const struct genome *g, uint8_t *to);

/* Aligns the ports of @b with those of @a. Then fills @child from @a, with about half of @a's
 * usages replaced by those of @b. Forms that share a usage in @a change together, which preserves
 * classes. */
void genome_recombine(const struct genome *a, const struct genome *b, struct rng *rng,
                      struct genome *child);
/* Computes the predicted cycles of every experiment of @p. Stores the cycles in @cycles. */
void genome_predict(const struct genome *g, const struct problem *p, float *cycles);
/* Returns the mean weighted relative error on @p (D_avg of PMEvo 4.4). */
double genome_error(const struct genome *g, const struct problem *p);

/* Returns a copy of the genome without the port whose removal gives the least error on @p. A µop
 * that could only use this port may then use any port. Needs at least two ports. The caller frees
 * the result. */
struct genome *genome_least_missed(const struct genome *g, const struct problem *p);

/* Converts @g to a mapping with the forms' names, and port names from @names. Issue slots become
 * micro_ops, and the width the issue width. */
struct mapping *genome_mapping(const struct genome *g, const struct problem *p,
                               const struct ports *names);
/* Converts a mapping. If @m lacks a form of @p, its gene is empty. Returns NULL with err if the
 * mapping has no port, or too many ports or µops. */
struct genome *genome_of_mapping(const struct mapping *m, const struct problem *p, struct err *err);

/* largest ratio of a near-optimal genome's cost to the best cost */
#define CONFIDENCE_COST 1.05

/* Computes, for each form, the mean overlap of its usage in @genomes[0] with those in the other
 * near-optimal genomes. Ports are first aligned. The overlap, 0 to 1, is the number of common µops
 * (of the same set) divided by the larger number. All results are NaN if there is no other
 * near-optimal genome. Stores the results in @out. */
void confidence_of(struct genome *const *genomes, size_t n, double *out);

#endif
