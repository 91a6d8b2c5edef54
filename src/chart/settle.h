/* Measures the experiments that decide between ambiguous usages, and applies the result. */
#ifndef PORTOLAN_CHART_SETTLE_H
#define PORTOLAN_CHART_SETTLE_H

#include "chart/chart.h"
#include "chart/lab.h"

enum settle_verdict {
    SETTLE_OPEN,           /* its experiments have no time yet: the ambiguities remain */
    SETTLE_CONFIRMED,      /* the machine's usage is the most likely */
    SETTLE_CHANGED,        /* another usage is more likely and now in the machine */
    /* none explains the times: the machine's usage stays, with low confidence */
    SETTLE_UNEXPLAINED,
};
extern const char *const settle_verdict_names[];

struct settled_form {
    char *form;
    enum settle_verdict verdict;
    char *before, *after;  /* usages */
    double confidence;     /* NaN while open */
    unsigned experiments;  /* number with a time */
};

struct settled {
    VEC(struct settled_form) forms;
    size_t experiments, measured;
};

/* Measures the experiments of @doubts, decides form by form, updates @machine and removes decided
 * ones from @doubts. @journal may be NULL. False with err when measuring is impossible or was
 * cancelled; then machine and ambiguities are unchanged. */
bool settle_ambiguities(struct source *source, struct journal *journal,
                        const struct runner_options *options, const struct runner_hooks *hooks,
                        struct ambiguities *ambiguities, struct machine *machine,
                        struct settled *out, struct err *err);
/* Does the same during a chart, in its own table of experiments; updates the machine and the forms
 * of @c. Open ambiguities stay in @c. */
bool settle_chart(struct lab *lab, struct chart *c, struct err *err);
void settled_done(struct settled *s);

#endif
