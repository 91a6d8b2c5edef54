/* Determines a form's usage from measurements with known forms. Each known form ("blocking form")
 * keeps one port set busy. A µop that can use only these ports then adds time (uops.info, Abel
 * and Reineke, ASPLOS 2019). The result is the usage with the least sum of µops and of penalties
 * for measurements that disagree with its predicted throughput. */
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
    /* greatest latency in cycles between two operands that are registers or flags; NaN: unknown */
    double latency;
    double tolerance;      /* relative tolerance at which measurements agree with the usage */
    /* number of measurements that disagree; usages of blocking forms may be wrong, or forms may
     * interfere */
    size_t outliers;
    struct learn_step *steps;
    size_t step_count;
    size_t rivals;         /* number of other usages that have as many µops and outliers */
};
void learned_done(struct learned *l);

/* Creates a learner, and measures which forms of @mapping keep their ports busy. Borrows @source
 * and @mapping. @issue_width may be NaN. Returns NULL with err on failure, when cancelled, or if
 * there are no such forms. One thread. */
struct learner;
struct learner *learner_new(struct source *source, const struct mapping *mapping,
                            double issue_width, bool (*cancelled)(void *state), void *state,
                            struct err *err);
void learner_free(struct learner *l);
/* learner_blockers returns the number of blocking forms, and learner_blocker the name and the ports
 * of one. *@ports receives the ports. */
size_t learner_blockers(const struct learner *l);
const char *learner_blocker(const struct learner *l, size_t index, portset *ports);

/* Fills @out except its latency. Returns false with err if @form cannot be measured or no usage
 * agrees. */
bool learn_form(struct learner *l, const char *form, struct learned *out, struct err *err);
/* Measures the latency of @row on this CPU by dependency chains. @source must be from source_cpu.
 * Returns the largest latency of its chains through registers. Returns NaN with err if there is
 * none, or on failure. */
double learn_latency(struct source *source, const struct form_row *row, struct err *err);

#endif
