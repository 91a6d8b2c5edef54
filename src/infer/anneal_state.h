/* State of an annealer's genome: tables, errors and counts, updated with each change. For anneal.c
 * and anneal_moves.c; one thread. */
#ifndef PORTOLAN_INFER_ANNEAL_STATE_H
#define PORTOLAN_INFER_ANNEAL_STATE_H

#include "infer/anneal.h"

struct usage_class {
    uint64_t hash;      /* 0: never used */
    uint32_t count;
};

struct annealer {
    const struct problem *p;
    const struct table_engine *engine;
    struct anneal_prices prices;
    struct rng rng;
    struct genome *g;
    struct columns columns;         /* for the sets in use, and for some that were */
    bool stale;                     /* columns that are not needed may be among them */
    struct tables tables;
    float *fresh, *saved;           /* tables: of a gene tried, of the forms of a compound move */
    /* per experiment; scratch of the longest list of links, or of all */
    float *errors, *fresh_errors;
    double error_sum, *form_errors; /* of all experiments; per form, of those with it */
    uint64_t *hashes;               /* of the genes */
    /* open addressing, by the hash of a usage: of how many kinds forms have it; by that of a usage
     * and a kind: how many forms. Emptied places stay until a rebuild */
    struct usage_class *classes;
    size_t class_slots, class_used;
    double *logs;                   /* ln n, n up to the number of forms */
    uint16_t *uses;                 /* per set: forms with that µop */
    uint16_t *dictionary, *place;   /* sets in use, in any order, and where each stands */
    unsigned distinct;
    uint64_t volume;
    /* forms ordered by cycles alone: candidates for the same usage */
    uint32_t *like, *like_start;
    /* of 256: that a usage is copied from a form of the same kind */
    unsigned kin_chance;
    uint32_t *stamp, clock;         /* experiments seen in this compound move */
    uint32_t *changed;              /* forms of a compound move */
    struct gene *before, *after;    /* their genes */
    uint32_t *touched;
    float *touched_errors;
    struct anneal_stats stats;
};

/* How many columns there were before a move added some. */
struct columns_mark {
    unsigned count, members;
};

/* Adds the columns for the sets of @n genes; the tables do not have them yet. False when there
 * would be too many. */
bool anneal_admit(struct annealer *s, const struct gene *genes, size_t n,
                  struct columns_mark *mark);
/* Columns from @mark on: into all forms' tables, or away again. */
void anneal_fill(struct annealer *s, const struct columns_mark *mark);
void anneal_retract(struct annealer *s, const struct columns_mark *mark);
/* Recomputes columns, for the sets in use only, and all tables. */
void anneal_lay_out(struct annealer *s);
float *anneal_table(const struct annealer *s, size_t form);
/* Puts @gene in place of form @f's in all that is kept besides columns, tables and errors. */
void anneal_install(struct annealer *s, uint32_t f, const struct gene *gene);
/* Change of the cost without the errors when form @f alone gets @gene; change of the cost of usages
 * only. */
double anneal_price(struct annealer *s, uint32_t f, const struct gene *gene);
double anneal_usage_price(struct annealer *s, uint32_t f, const struct gene *gene);
double anneal_regular_cost(const struct annealer *s);
unsigned anneal_below(struct annealer *s, unsigned bound);
unsigned anneal_random_set(struct annealer *s);
/* A form whose usage is to be tried for form @f, one with similar cycles if @like. Prefers the same
 * kind if a few draws find one, less often if there are many experiments with a form. */
uint32_t anneal_draw_form(struct annealer *s, uint32_t f, bool like);

#endif
