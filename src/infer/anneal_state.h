/* State of an annealer's genome: tables, errors and counts, which each move updates. Only for
 * anneal.c and anneal_moves.c. One thread. */
#ifndef PORTOLAN_INFER_ANNEAL_STATE_H
#define PORTOLAN_INFER_ANNEAL_STATE_H

#include "infer/anneal.h"

struct usage_class {
    uint64_t hash;      /* hash of a usage, or of a usage and a kind; 0: unused entry */
    uint32_t count;
};

struct annealer {
    const struct problem *p;
    const struct table_engine *engine;
    struct anneal_prices prices;
    struct rng rng;
    struct genome *g;
    struct columns columns;         /* columns for the current sets, and for some earlier sets */
    bool stale;                     /* whether columns may include sets that no form uses */
    struct tables tables;
    /* @fresh: table of a tried gene. @saved: tables of the forms of a compound move. */
    float *fresh, *saved;
    /* @errors: error of each experiment. @fresh_errors: working storage for the longest list of
     * links, or for all experiments. */
    float *errors, *fresh_errors;
    /* @error_sum: sum of errors over all experiments. @form_errors: per form, sum over the
     * experiments with the form. */
    double error_sum, *form_errors;
    uint64_t *hashes;               /* per form: hash of its gene */
    /* Hash table with open addressing. The entry of a usage counts the kinds of forms with this
     * usage. The entry of a usage and a kind counts the forms. Deleted entries remain until the
     * table is rebuilt. */
    struct usage_class *classes;
    size_t class_slots, class_used;
    double *logs;                   /* ln n, for n up to the number of forms */
    uint16_t *uses;                 /* per port set: number of forms with a µop on this set */
    uint16_t *dictionary, *place;   /* sets in use, and index of each set in @dictionary */
    unsigned distinct;
    uint64_t volume;
    /* @like: forms sorted by cycles in isolation. @like_start: per form, range of the forms in
     * @like with similar cycles, from which usages are copied. */
    uint32_t *like, *like_start;
    /* probability, out of 256, of preferring forms of the same kind when a usage is copied */
    unsigned kin_chance;
    /* @stamp: per experiment, number of the last compound move that visited it. @clock: number
     * of the current compound move. */
    uint32_t *stamp, clock;
    uint32_t *changed;              /* forms that the current compound move changes */
    struct gene *before, *after;    /* genes of these forms before and after the move */
    uint32_t *touched;
    float *touched_errors;
    struct anneal_stats stats;
};

/* Number of columns and members before a move added some */
struct columns_mark {
    unsigned count, members;
};

/* Adds columns for those sets of @n genes that the tables lack. Returns false if there would be too
 * many. Sets *@mark to the numbers of columns and members before. */
bool anneal_admit(struct annealer *s, const struct gene *genes, size_t n,
                  struct columns_mark *mark);
/* anneal_fill computes the columns after @mark in the tables of all forms. anneal_retract removes
 * these columns. anneal_fill does nothing if there are none. */
void anneal_fill(struct annealer *s, const struct columns_mark *mark);
void anneal_retract(struct annealer *s, const struct columns_mark *mark);
/* anneal_lay_out recomputes all tables, with columns only for current sets. anneal_table returns a
 * form's table. */
void anneal_lay_out(struct annealer *s);
float *anneal_table(const struct annealer *s, size_t form);
/* Sets the gene of form @f and all data that depend on it, except columns, tables and errors. */
void anneal_install(struct annealer *s, uint32_t f, const struct gene *gene);
/* anneal_price returns the change of the cost, without errors, if only form @f changes to @gene.
 * anneal_usage_price returns the change of only the price of usages. */
double anneal_price(struct annealer *s, uint32_t f, const struct gene *gene);
double anneal_usage_price(struct annealer *s, uint32_t f, const struct gene *gene);
double anneal_regular_cost(const struct annealer *s);
unsigned anneal_below(struct annealer *s, unsigned bound);
unsigned anneal_random_set(struct annealer *s);
/* Draws a form whose usage may suit form @f. If @like is true, draws a form with similar cycles in
 * isolation. May draw several times to find a form of @f's kind. This is less likely with many
 * experiments per form. */
uint32_t anneal_draw_form(struct annealer *s, uint32_t f, bool like);

#endif
