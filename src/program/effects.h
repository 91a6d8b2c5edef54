/* How much a program's time depends on each property of a machine. */
#ifndef PORTOLAN_PROGRAM_EFFECTS_H
#define PORTOLAN_PROGRAM_EFFECTS_H

#include "program/estimate.h"

/* One property changed one way or two. */
struct effect {
    char *name;
    double value;                      /* as the machine has it */
    double elasticity;                 /* change of ln T by that of ln p */
    /* times, relative to the unchanged machine's; NaN if the property cannot take that value */
    double halved, doubled;
};

struct effects { VEC(struct effect) list; };

/* Progress: part done, total, and name; false: stop. */
typedef bool (*effects_progress)(void *state, double done, double total, const char *what);

/* The effects of @m's properties, by copies of it; @seconds: the unchanged time. Those without
 * effect are counted in *@idle and left out; the largest come first. False when @progress (may be
 * NULL) ended it. effects_done frees @out in either case. One thread. */
bool effects_find(struct estimator *e, const struct machine *m, enum estimate_model kind,
                  double seconds, effects_progress progress, void *state, struct effects *out,
                  size_t *idle);
void effects_done(struct effects *effects);
/* Seconds when fact @key of @m is @value; NaN when it cannot be that. */
double effects_time_with(struct estimator *e, const struct machine *m, const char *key,
                         double value);

#endif
