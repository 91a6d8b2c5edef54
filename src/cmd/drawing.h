/* The session's plots as pictures: taken on the UI thread, drawn on any. */
#ifndef PORTOLAN_CMD_DRAWING_H
#define PORTOLAN_CMD_DRAWING_H

#include "cmd/session.h"
#include "report/figure.h"

/* The plots: value, word of `plot` and name of the figure, content. */
#define DRAWINGS(DRAWING)                                                                          \
    DRAWING(DRAWING_EVOLUTION, "evolution",                                                        \
            "error of the best, median and worst mapping over time")                               \
    DRAWING(DRAWING_FRONT, "front",                                                                \
            "error and number of distinct µops of the mappings that no other beats")               \
    DRAWING(DRAWING_ACCURACY, "accuracy", "predicted and measured cycles of each experiment")      \
    DRAWING(DRAWING_WHATIF, "whatif", "cycles by the last what-if parameter")
#define DRAWING_VALUE(value, word, shows) value,
#define DRAWING_CHOICE(value, word, shows) "|" word
enum drawing_kind { DRAWINGS(DRAWING_VALUE) DRAWING_KINDS };
#define DRAWING_CHOICES (&(DRAWINGS(DRAWING_CHOICE))[1])
extern const char *const drawing_names[DRAWING_KINDS];

struct drawing;
/* UI thread. NULL with err when the session has no such data. */
struct drawing *drawing_new(struct session *s, enum drawing_kind kind, struct err *err);
/* Any thread: computes the rest. False with err when it was cancelled. */
bool drawing_prepare(struct drawing *d, struct err *err);
/* Of a prepared one; borrowed. */
const struct figure *drawing_figure(const struct drawing *d);
void drawing_free(struct drawing *d);

#endif
