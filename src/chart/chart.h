/* Charts a CPU from nothing: measures experiments, chains and loops, and infers a machine from
 * their times. The stages follow each other in one run on one thread. Journals keep each time, so
 * that a killed run can resume.
 * 1. all forms alone (chart.c)
 * 2. a core: forms of every behaviour, measured in pairs (chart/core.h)
 * 3. ports and usages of the core (chart/ports.h)
 * 4. every other form under load: next to saturators of the core's ports (chart/place.h,
 *    chart/settle.h)
 * 5. latencies by dependency chains, per pair of operands (chart/stages.h)
 * 6. facts of the front and back end by small loops (chart/facts.h)
 * 7. review on held-out blocks, and a second round (chart/stages.h, chart/second.h) */
#ifndef PORTOLAN_CHART_CHART_H
#define PORTOLAN_CHART_CHART_H

#include "base/vec.h"
#include "chart/cpu.h"
#include "hunt/blocks.h"
#include "infer/evolve.h"
#include "measure/runner.h"
#include "model/machine.h"

enum chart_stage {
    CHART_ALONE, CHART_CORE, CHART_PORTS, CHART_PLACES, CHART_LATENCIES, CHART_FACTS, CHART_REVIEW,
    CHART_STAGES
};
extern const char *const chart_stage_names[];

/* State of a form's usage. */
enum chart_state {
    CHART_NOT_MEASURED,   /* alone it has no time */
    CHART_IN_CORE,        /* together with the ports */
    CHART_PLACED,         /* with saturators of the core */
    CHART_UNEXPLAINED,    /* its usage disagrees with some of its measurements */
};
extern const char *const chart_state_names[];

/* A usage that explains a form's measurements as well as its own, or nearly. */
struct chart_usage {
    struct usage usage;           /* over the machine's ports */
    unsigned slots;
    double weight;                /* that of the form's own is 1 */
};

#define CHART_DOUBTFUL 0.2   /* confidence, at most, of a usage that experiments do not bear out */

struct chart_form {
    const struct form_row *row;   /* borrowed */
    enum chart_state state;
    double alone;                 /* cycles; NaN: not measured */
    char *reason;                 /* of CHART_NOT_MEASURED; NULL otherwise */
    /* share of this usage among all that explain the measurements; NaN: none */
    double confidence;
    unsigned experiments;         /* it took part in */
    /* random experiments (chart/stages.h), and how many of them were mispredicted */
    unsigned trials, failed;
    double error;                 /* largest relative difference to one of its measurements */
    /* the most likely other usage that differs in some experiment; NULL: none */
    char *rival;
    /* the experiment that would distinguish it; NULL: none is known */
    char *settle;
    struct chart_usage *others;   /* such, the likeliest ones; none for forms of the core */
    unsigned other_count;
    portset untested;             /* ports whose saturators it was never measured with, */
    /* and an experiment with some of them; NULL: none is known */
    char *check;
    bool joined;                  /* joins its neighbours, several in a slot: it has no ports */
    /* no experiment with the core shows its ports; settle has one with other forms */
    bool hidden;
};

/* One chain of one form as it was measured. */
struct chart_latency {
    uint32_t form;                /* of the chart's */
    struct latency latency;
};

/* Another usage of a form and the experiment that distinguishes it. */
struct chart_ambiguity {
    uint32_t form, other;         /* of the chart's, and of its others */
    struct experiment experiment;
};

/* An experiment of a form with saturators of ports that it was not tested against. */
struct chart_check {
    uint32_t form;                /* of the chart's */
    struct experiment experiment;
};

/* Result of a fact's small loops. */
struct chart_fact {
    char *key, *value, *why;      /* value NULL: unknown */
};

/* Random blocks that took no part. */
struct chart_review {
    size_t blocks, covered;       /* with a time; of these, all of whose forms the machine has */
    double error;                 /* mean relative one of those covered; NaN: there are none */
    double error_before;          /* the same of the machine as it was before the second round */
    size_t changed;               /* usages and latencies that the second round changed, */
    char *changes;                /* and which; NULL: none */
    /* the largest, its time and the machine's prediction */
    double worst, worst_cycles, worst_says;
    char *worst_block;            /* NULL: none */
    /* forms that are in most of the blocks with a large error; NULL: none */
    char *suspects;
};

struct chart {
    struct machine *machine;      /* the machine so far */
    struct chart_form *forms;
    size_t form_count;
    struct experiments *table;    /* all that was measured */
    size_t core_forms, core_experiments;
    /* mean relative error of the core's mapping on its experiments; NaN before */
    double core_error;
    double width;                 /* issue slots per cycle; NaN before */
    unsigned resumed;             /* experiments that the journal knew */
    /* relative, of a measured time against the core's prediction; NaN before */
    double noise;
    /* times of the core are late (chart/residual.h), so that others may be */
    bool late;
    VEC(struct chart_ambiguity) ambiguities;
    VEC(struct chart_check) checks;   /* left to experiments settle */
    VEC(struct chart_latency) latencies;
    VEC(struct chart_fact) facts;
    struct chart_review review;
    double seconds[CHART_STAGES];
};

struct chart_options {
    const char *name;             /* of the machine */
    double seconds;               /* of inference */
    size_t core_most;             /* forms that the core is chosen from */
    struct journal *journal;      /* of experiments; NULL: none */
    /* path of a file of latencies, as latency measure exports them: those in it are known, it is
     * written as others come; NULL: none */
    const char *latencies;
    /* usages of a core from an earlier run; NULL: none. They are kept if they have nearly all forms
     * of this core and explain their times. The search resumes from them where the forms are the
     * same. */
    const struct mapping *core;
    /* forms that blocks of the last stage are made of, x86-64 or AArch64 alike; */
    const struct block_form *uses;
    size_t uses_count;            /* 0: no such blocks */
    size_t review_blocks;         /* how many are drawn */
    /* leave undistinguished usages to experiments settle; false: measure what distinguishes them */
    bool leave_ambiguities;
    uint64_t seed;
    /* seconds that each lot of experiments waits for a quiet machine, as runner_options; 0: as
     * there */
    double patience;
};

struct chart_hooks {
    bool (*cancelled)(void *state);
    void (*progress)(void *state, enum chart_stage stage, double done, double total,
                     const char *what);
    /* After a stage: @so_far->machine is to be written. False with err ends the run. */
    bool (*stage_done)(void *state, enum chart_stage stage, const struct chart *so_far,
                       struct err *err);
    /* Calls @work for each of 0 .. threads - 1, each on a thread of its own, 0 on this one; false
     * when there are no threads, and nothing was called. NULL: all is done on this one. */
    bool (*team)(void *state, void (*work)(void *work_state, unsigned worker), void *work_state);
    unsigned threads;
    void *state;
};

/* Charts the @count forms @rows of @cpu. NULL with err, also when cancelled: the journals then have
 * what was measured. One thread. */
struct chart *chart_run(const struct chart_cpu *cpu, const struct form_row *const *rows,
                        size_t count, const struct chart_options *o,
                        const struct chart_hooks *hooks, struct err *err);
void chart_free(struct chart *c);

/* Number of forms by result and confidence, and of other results. */
struct chart_tally {
    size_t of[CHART_UNEXPLAINED + 1];   /* by state */
    /* hidden_told: hidden forms that an experiment with other forms distinguishes */
    size_t timed, hidden, hidden_told;
    /* forms in the core or placed; of them those with a confidence from 0.9 on, and from 0.5 */
    size_t usages, sure, likely;
    size_t latencies, facts;            /* that are known */
};
struct chart_tally chart_count(const struct chart *c);

/* ambiguities.c: usages that a chart's experiments do not distinguish, and experiments that would,
 * with every form whose usage is known. A file keeps them between runs. */

/* Fills c->checks, c->ambiguities, and each form's experiment against its most likely other usage
 * (settle, rival). The confidence of a form falls to the share of its usage among those. Usages
 * that no experiment distinguishes predict the same and do not count. */
void ambiguities_find(struct chart *c);

/* Appends the open points of @f to its source: ", not observable: ...", ", not tested against
 * ...". */
void ambiguities_note(const struct chart *c, const struct chart_form *f, struct str *out);
/* Appends ", not tested against p12" to a source; nothing without ports. And reads the ports back
 * from a source; 0: none. */
void untested_print(portset ports, const struct ports *names, struct str *out);
portset untested_parse(const char *source, const struct ports *names);
/* Why no experiment with the core shows the ports, and whether any experiment does. */
const char *ambiguities_hidden_reason(const struct chart_form *f);

/* The same by names, as a file has it. */
struct ambiguity {
    char *form;
    struct usage usage;           /* the other one, over the machine's ports */
    unsigned slots;
    double weight;
    struct experiment experiment;
};
/* Whether @d only measures the form with ports that it was not tested against: it has the usage of
 * @entry, the form's. */
bool ambiguity_is_check(const struct ambiguity *d, const struct mapping_entry *entry);

struct ambiguities {
    VEC(struct ambiguity) list;       /* those of a form together */
    double noise;                 /* relative, of a time against the right usage's prediction */
    bool late;                    /* such a time may be late (chart/residual.h) */
    char *simulated;              /* machine that was charted; "": a real CPU */
};

/* In the order of c->doubts; @checks: with c->checks among them. */
void ambiguities_of_chart(const struct chart *c, const char *simulated, bool checks,
                          struct ambiguities *out);
/* Both whole or not at all, false with err. A file of no doubts can be read. @ports: of the
 * machine. */
bool ambiguities_save(const struct ambiguities *d, const struct ports *ports, const char *path,
                      struct err *err);
bool ambiguities_load(const char *path, const struct ports *ports, struct ambiguities *out,
                      struct err *err);
void ambiguity_done(struct ambiguity *d);
void ambiguities_done(struct ambiguities *d);

#endif
