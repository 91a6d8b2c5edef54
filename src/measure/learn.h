/* Determines a form's port usage by measurements with known forms. Each of these keeps one set of
 * ports busy ("blocking form"), so that a µop of the new form without another port adds time
 * (uops.info, Abel & Reineke, ASPLOS 2019). The usage with the fewest µops whose predicted
 * throughput agrees with all measurements is taken. */
#ifndef PORTOLAN_MEASURE_LEARN_H
#define PORTOLAN_MEASURE_LEARN_H

#include "isa/forms.h"
#include "measure/source.h"

struct learn_step {
    char *experiment;      /* text */
    double measured;       /* cycles per execution */
    double without;        /* predicted if the form used no port */
    double predicted;      /* with the usage found */
};

struct learned {
    struct usage usage;
    unsigned micro_ops;    /* slots at rename; 0: not known */
    /* cycles, greatest between two registers or registers and flags; NaN: not known */
    double latency;
    double tolerance;      /* relative deviation within which the measurements agree */
    /* measurements that do not: blocking forms whose own usage is not what the mapping says, or
     * that disturb otherwise */
    size_t outliers;
    struct learn_step *steps;
    size_t step_count;
    size_t rivals;         /* other usages of as many µops that agree as well */
};
void learned_done(struct learned *l);

/* One thread; @source and @mapping are borrowed. @issue_width NaN: not known. Measures which forms
 * of @mapping block which ports as they should; NULL with err when measuring is impossible, none
 * does, or cancelled. */
struct learner;
struct learner *learner_new(struct source *source, const struct mapping *mapping,
                            double issue_width, bool (*cancelled)(void *state), void *state,
                            struct err *err);
void learner_free(struct learner *l);
/* The blocking forms found: their number, and one's name and ports. */
size_t learner_blockers(const struct learner *l);
const char *learner_blocker(const struct learner *l, size_t index, portset *ports);

/* Fills @out but its latency. False with err when @form cannot be measured or nothing agrees. */
bool learn_form(struct learner *l, const char *form, struct learned *out, struct err *err);
/* Latency of @row by dependency chains on this CPU (@source from source_cpu); NaN with err when
 * none can be made. */
double learn_latency(struct source *source, const struct form_row *row, struct err *err);

#endif
