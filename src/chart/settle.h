/* Measures the experiments that decide between ambiguous usages, and applies the result. */
#ifndef PORTOLAN_CHART_SETTLE_H
#define PORTOLAN_CHART_SETTLE_H

#include "chart/chart.h"
#include "chart/lab.h"

enum settle_verdict {
    SETTLE_OPEN,           /* its experiments have no time yet: the doubts stay */
    SETTLE_CONFIRMED,      /* the machine's usage is the likeliest */
    SETTLE_CHANGED,        /* another one is; it is the machine's now */
    /* the likeliest does not explain the times either: the machine's usage stays, with little
     * confidence */
    SETTLE_UNEXPLAINED,
};
extern const char *const settle_verdict_names[];

struct settled_form {
    char *form;
    enum settle_verdict verdict;
    char *before, *after;  /* usages */
    double confidence;     /* NaN while it is open */
    unsigned experiments;  /* that have a time */
};

struct settled {
    VEC(struct settled_form) forms;
    size_t experiments, measured;
};

/* Measures the experiments of @doubts, decides form by form, writes the usages found into @machine
 * and removes decided ones from @doubts. @journal may be NULL. False with err when measuring is
 * impossible or was cancelled: then machine and doubts are as before. */
bool settle_ambiguities(struct source *source, struct journal *journal,
                        const struct runner_options *options, const struct runner_hooks *hooks,
                        struct ambiguities *ambiguities, struct machine *machine,
                        struct settled *out, struct err *err);
/* The same for the doubts of a chart under way: measured with the rest of its experiments, decided,
 * and taken into the machine and the forms of @c; open ones stay in c->doubts. */
bool settle_chart(struct lab *lab, struct chart *c, struct err *err);
void settled_done(struct settled *s);

#endif
