/* State of an annealer's genome: tables, errors and counts, updated incrementally. For anneal.c and
 * anneal_moves.c; one thread. */
#ifndef PORTOLAN_INFER_ANNEAL_STATE_H
#define PORTOLAN_INFER_ANNEAL_STATE_H

#include "infer/anneal.h"

struct usage_class {
    uint64_t hash;      /* 0: unused */
    uint32_t count;
};

struct annealer {
    const struct problem *p;
    const struct table_engine *engine;
    struct anneal_prices prices;
    struct rng rng;
    struct genome *g;
    struct columns columns;         /* for current sets, and some former ones */
    bool stale;                     /* unneeded columns may exist */
    struct tables tables;
    float *fresh, *saved;           /* tables: of a tried gene, of the forms of a compound move */
    /* per experiment; scratch of the longest list of links, or of all */
    float *errors, *fresh_errors;
    double error_sum, *form_errors; /* over all experiments; per form, over those with it */
    uint64_t *hashes;               /* of the genes */
    /* open addressing by hash of a usage: number of kinds of forms with it; by usage and kind:
     * number of forms. Deleted entries stay until a rebuild */
    struct usage_class *classes;
    size_t class_slots, class_used;
    double *logs;                   /* ln n, up to the number of forms */
    uint16_t *uses;                 /* per set: number of forms with that µop */
    uint16_t *dictionary, *place;   /* sets in use, unordered, and the index of each */
    unsigned distinct;
    uint64_t volume;
    /* forms by cycles alone: candidates for equal usages */
    uint32_t *like, *like_start;
    /* out of 256: probability of copying a usage from a form of the same kind */
    unsigned kin_chance;
    uint32_t *stamp, clock;         /* marks experiments visited in this compound move */
    uint32_t *changed;              /* forms of a compound move */
    struct gene *before, *after;    /* their genes before and after */
    uint32_t *touched;
    float *touched_errors;
    struct anneal_stats stats;
};

/* Number of columns before a move added some. */
struct columns_mark {
    unsigned count, members;
};

/* Adds columns for the sets of @n genes, not yet in the tables. False when there would be too
 * many. */
bool anneal_admit(struct annealer *s, const struct gene *genes, size_t n,
                  struct columns_mark *mark);
/* Computes columns from @mark on in all forms' tables, or removes them. */
void anneal_fill(struct annealer *s, const struct columns_mark *mark);
void anneal_retract(struct annealer *s, const struct columns_mark *mark);
/* Recomputes columns, only for current sets, and all tables. */
void anneal_lay_out(struct annealer *s);
float *anneal_table(const struct annealer *s, size_t form);
/* Sets form @f's gene in everything except columns, tables and errors. */
void anneal_install(struct annealer *s, uint32_t f, const struct gene *gene);
/* Change of the cost without errors when only form @f changes to @gene; and of the cost of usages
 * only. */
double anneal_price(struct annealer *s, uint32_t f, const struct gene *gene);
double anneal_usage_price(struct annealer *s, uint32_t f, const struct gene *gene);
double anneal_regular_cost(const struct annealer *s);
unsigned anneal_below(struct annealer *s, unsigned bound);
unsigned anneal_random_set(struct annealer *s);
/* Draws a form whose usage may suit form @f, one with similar cycles if @like. Prefers the same
 * kind if found in a few draws, less often with many experiments per form. */
uint32_t anneal_draw_form(struct annealer *s, uint32_t f, bool like);

#endif
