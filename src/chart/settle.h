/* Measures experiments that decide between ambiguous usages, and applies the result. */
#ifndef PORTOLAN_CHART_SETTLE_H
#define PORTOLAN_CHART_SETTLE_H

#include "chart/chart.h"
#include "chart/lab.h"

enum settle_verdict {
    SETTLE_OPEN,           /* the experiments have no time yet, so the ambiguities remain */
    SETTLE_CONFIRMED,      /* the machine's usage is the most likely usage */
    SETTLE_CHANGED,        /* another usage is more likely and is now in the machine */
    /* No usage explains the times. The machine's usage remains, with low confidence. */
    SETTLE_UNEXPLAINED,
};
extern const char *const settle_verdict_names[];

struct settled_form {
    char *form;
    enum settle_verdict verdict;
    char *before, *after;  /* usages before and after, as text */
    double confidence;     /* confidence of the usage; NaN for SETTLE_OPEN */
    unsigned experiments;  /* number of measured experiments of the form */
};

struct settled {
    VEC(struct settled_form) forms;
    size_t experiments, measured;
};

/* Measures the experiments of @ambiguities, decides form by form, updates @machine, and removes
 * ambiguities that are decided. @journal may be NULL. Returns false with err on failure or when
 * cancelled; machine and ambiguities are then unchanged. */
bool settle_ambiguities(struct source *source, struct journal *journal,
                        const struct runner_options *options, const struct runner_hooks *hooks,
                        struct ambiguities *ambiguities, struct machine *machine,
                        struct settled *out, struct err *err);
/* Measures the experiments of c->ambiguities during a chart, in the lab's table. Returns false with
 * err. */
bool settle_chart(struct lab *lab, struct chart *c, struct err *err);
void settled_done(struct settled *s);

#endif
