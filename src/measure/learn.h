/* Determines a form's port usage by measurements with known forms. Each known form keeps one port
 * set busy ("blocking form"). A µop without another port then adds time (uops.info, Abel & Reineke,
 * ASPLOS 2019). The result is the usage with the fewest µops whose predicted throughput agrees with
 * all measurements. */
#ifndef PORTOLAN_MEASURE_LEARN_H
#define PORTOLAN_MEASURE_LEARN_H

#include "isa/forms.h"
#include "measure/source.h"

struct learn_step {
    char *experiment;      /* text of the experiment */
    double measured;       /* cycles per execution of the experiment */
    double without;        /* predicted cycles if the form had no µops */
    double predicted;      /* predicted cycles with the usage found */
};

struct learned {
    struct usage usage;
    unsigned micro_ops;    /* slots at rename; 0: unknown */
    /* greatest latency in cycles between two registers, or between registers and flags; NaN:
     * unknown */
    double latency;
    double tolerance;      /* relative deviation within which measurements agree */
    /* Number of measurements that disagree: the blocking forms have wrong table entries, or
     * interfere in another way. */
    size_t outliers;
    struct learn_step *steps;
    size_t step_count;
    size_t rivals;         /* number of other usages with as many µops that agree equally */
};
void learned_done(struct learned *l);

/* Creates a learner. Borrows @source and @mapping. @issue_width NaN: unknown. Measures which forms
 * of @mapping block their ports. NULL with err when measurement fails or is cancelled, or no form
 * blocks its ports. One thread. */
struct learner;
struct learner *learner_new(struct source *source, const struct mapping *mapping,
                            double issue_width, bool (*cancelled)(void *state), void *state,
                            struct err *err);
void learner_free(struct learner *l);
/* Return the number of blocking forms, and the name and ports of one. */
size_t learner_blockers(const struct learner *l);
const char *learner_blocker(const struct learner *l, size_t index, portset *ports);

/* Fills @out except its latency. False with err if @form cannot be measured or no usage agrees. */
bool learn_form(struct learner *l, const char *form, struct learned *out, struct err *err);
/* Measures the latency of @row by dependency chains on this CPU (@source from source_cpu). NaN with
 * err if the form has no chain. */
double learn_latency(struct source *source, const struct form_row *row, struct err *err);

#endif
