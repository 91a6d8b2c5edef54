/* The session's plots as pictures: data are taken on the UI thread and drawn on any. */
#ifndef PORTOLAN_CMD_DRAWING_H
#define PORTOLAN_CMD_DRAWING_H

#include "cmd/session.h"
#include "report/figure.h"

/* Plots: enumerator, word of `plot` and name of the figure, content. */
#define DRAWINGS(DRAWING)                                                                          \
    DRAWING(DRAWING_EVOLUTION, "evolution",                                                        \
            "error of the best, median and worst mapping over time")                               \
    DRAWING(DRAWING_FRONT, "front",                                                                \
            "error and number of distinct µops of the Pareto-optimal mappings")               \
    DRAWING(DRAWING_ACCURACY, "accuracy", "predicted and measured cycles of each experiment")      \
    DRAWING(DRAWING_WHATIF, "whatif", "cycles by the last what-if parameter")
#define DRAWING_VALUE(value, word, shows) value,
#define DRAWING_CHOICE(value, word, shows) "|" word
enum drawing_kind { DRAWINGS(DRAWING_VALUE) DRAWING_KINDS };
#define DRAWING_CHOICES (&(DRAWINGS(DRAWING_CHOICE))[1])
extern const char *const drawing_names[DRAWING_KINDS];

struct drawing;
/* Takes the data. UI thread. NULL with err when the session lacks them. */
struct drawing *drawing_new(struct session *s, enum drawing_kind kind, struct err *err);
/* Computes the rest, on any thread. False with err when cancelled. */
bool drawing_prepare(struct drawing *d, struct err *err);
/* Returns the figure after drawing_prepare; borrowed. */
const struct figure *drawing_figure(const struct drawing *d);
void drawing_free(struct drawing *d);

#endif
