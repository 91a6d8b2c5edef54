/* Sensitivity of a program's time to each property of a machine. */
#ifndef PORTOLAN_PROGRAM_EFFECTS_H
#define PORTOLAN_PROGRAM_EFFECTS_H

#include "program/estimate.h"

/* A property changed up or down. */
struct effect {
    char *name;
    double value;                      /* value in the machine */
    double elasticity;                 /* elasticity: d ln T / d ln p */
    /* relative to the unchanged time; NaN if the property cannot have that value */
    double halved, doubled;
};

struct effects { VEC(struct effect) list; };

/* Progress: parts done, total, current name. Returns false to cancel. */
typedef bool (*effects_progress)(void *state, double done, double total, const char *what);

/* Finds the effects of @m's properties on copies of it; @seconds: the unchanged time. Omits those
 * without effect and counts them in *@idle; the largest come first. False when @progress (may be
 * NULL) cancelled. effects_done frees @out in either case. One thread. */
bool effects_find(struct estimator *e, const struct machine *m, enum estimate_model kind,
                  double seconds, effects_progress progress, void *state, struct effects *out,
                  size_t *idle);
void effects_done(struct effects *effects);
/* Seconds when fact @key of @m is @value; NaN if invalid. */
double effects_time_with(struct estimator *e, const struct machine *m, const char *key,
                         double value);

#endif
