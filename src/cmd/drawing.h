/* The session's plots as drawings. The UI thread collects the data; any thread draws. */
#ifndef PORTOLAN_CMD_DRAWING_H
#define PORTOLAN_CMD_DRAWING_H

#include "cmd/session.h"
#include "report/figure.h"

/* all plots: enumerator, name (of the figure, and argument of `plot`), contents */
#define DRAWINGS(DRAWING)                                                                          \
    DRAWING(DRAWING_EVOLUTION, "evolution",                                                        \
            "error of the best, median and worst mapping over time")                               \
    DRAWING(DRAWING_FRONT, "front",                                                                \
            "error and number of distinct µops of the Pareto-optimal mappings")               \
    DRAWING(DRAWING_ACCURACY, "accuracy", "predicted and measured cycles of each experiment")      \
    DRAWING(DRAWING_WHATIF, "whatif", "cycles for each value that kernel whatif last swept")
#define DRAWING_VALUE(value, word, shows) value,
#define DRAWING_CHOICE(value, word, shows) "|" word
enum drawing_kind { DRAWINGS(DRAWING_VALUE) DRAWING_KINDS };
#define DRAWING_CHOICES (&(DRAWINGS(DRAWING_CHOICE))[1])
extern const char *const drawing_names[DRAWING_KINDS];

struct drawing;
/* Collects the data. UI thread. Returns NULL with err if the session lacks data. */
struct drawing *drawing_new(struct session *s, enum drawing_kind kind, struct err *err);
/* Computes the figure. Any thread. Returns false with err if cancelled or out of memory. */
bool drawing_prepare(struct drawing *d, struct err *err);
/* Returns the figure; valid after drawing_prepare, until drawing_free. */
const struct figure *drawing_figure(const struct drawing *d);
void drawing_free(struct drawing *d);

#endif
