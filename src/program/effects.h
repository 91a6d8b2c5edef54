/* Sensitivity of a program's time to each property of a machine */
#ifndef PORTOLAN_PROGRAM_EFFECTS_H
#define PORTOLAN_PROGRAM_EFFECTS_H

#include "program/estimate.h"

/* Effect of a property of the machine on the program's time */
struct effect {
    char *name;
    double value;                      /* value of the property on the machine */
    double elasticity;                 /* d ln T / d ln p, with time T and property p */
    /* time with half or twice the value, relative to the unchanged time; NaN if the property cannot
     * have that value */
    double halved, doubled;
};

struct effects { VEC(struct effect) list; };

/* Progress callback: number of parts done, their total, and name of the current property. Returns
 * false to cancel. */
typedef bool (*effects_progress)(void *state, double done, double total, const char *what);

/* Finds the effects of @m's properties by predictions on changed copies of @m. @seconds: predicted
 * time on @m. Sorts the effects, largest first. Omits properties without effect, and sets *@idle to
 * their number. Returns false if @progress (may be NULL) cancels. The caller always frees @out with
 * effects_done. One thread. */
bool effects_find(struct estimator *e, const struct machine *m, enum estimate_model kind,
                  double seconds, effects_progress progress, void *state, struct effects *out,
                  size_t *idle);
void effects_done(struct effects *effects);
/* Returns the predicted seconds with fact @key of @m set to @value; NaN if the value is invalid. */
double effects_time_with(struct estimator *e, const struct machine *m, const char *key,
                         double value);

#endif
