/* Charts a CPU without prior tables: measures experiments, chains and loops, and infers a machine
 * from their times. The stages run one after the other on one thread. Journals keep each time, so
 * that an interrupted run can resume.
 * 1. all forms alone (chart.c)
 * 2. a core: forms of every behaviour, measured in pairs (chart/core.h)
 * 3. ports and usages of the core (chart/ports.h)
 * 4. every other form with saturators of the core's ports (chart/place.h, chart/settle.h)
 * 5. latencies by dependency chains, per pair of operands (chart/stages.h)
 * 6. facts of the front and back end by small loops (chart/stages.h)
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
    CHART_NOT_MEASURED,   /* it has no stable time alone */
    CHART_IN_CORE,        /* determined together with the ports */
    CHART_PLACED,         /* determined with saturators of the core */
    CHART_UNEXPLAINED,    /* its usage disagrees with some of its measurements */
};
extern const char *const chart_state_names[];

/* An alternative usage that explains a form's measurements equally well, or nearly. */
struct chart_usage {
    struct usage usage;           /* over the machine's ports */
    unsigned slots;
    double weight;                /* relative likelihood; 1 for the form's own usage */
};

#define CHART_DOUBTFUL 0.2   /* largest confidence of a usage that experiments contradict */

struct chart_form {
    const struct form_row *row;   /* borrowed */
    enum chart_state state;
    double alone;                 /* cycles alone; NaN: not measured */
    char *reason;                 /* of CHART_NOT_MEASURED; NULL otherwise */
    /* likelihood of this usage among all that explain the measurements; NaN: none */
    double confidence;
    unsigned experiments;         /* experiments with the form */
    /* random experiments (chart/stages.h), and the number mispredicted */
    unsigned trials, failed;
    double error;                 /* largest relative error of its measurements */
    /* most likely alternative that some experiment distinguishes; NULL: none */
    char *rival;
    /* that experiment; NULL: none known */
    char *settle;
    struct chart_usage *others;   /* alternatives, most likely first; empty for forms of the core */
    unsigned other_count;
    portset untested;             /* ports without a measurement with their saturators, */
    /* and an experiment with some of them; NULL: none known */
    char *check;
    bool joined;                  /* it fuses with its neighbours, several per slot: it has no
                                   * ports */
    /* no experiment with the core reveals its ports; settle has one with other forms */
    bool hidden;
};

/* A measured chain of one form. */
struct chart_latency {
    uint32_t form;                /* index into the chart's forms */
    struct latency latency;
};

/* Another usage of a form and the experiment that distinguishes it. */
struct chart_ambiguity {
    uint32_t form, other;         /* indices into the chart's forms, and into its alternatives */
    struct experiment experiment;
};

/* An experiment of a form with saturators of ports that it was not tested against. */
struct chart_check {
    uint32_t form;                /* index into the chart's forms */
    struct experiment experiment;
};

/* A fact determined by small loops. */
struct chart_fact {
    char *key, *value, *why;      /* value NULL: unknown */
};

/* Random blocks excluded from inference. */
struct chart_review {
    size_t blocks, covered;       /* number with a time; number of these whose forms are all in the
                                   * machine */
    double error;                 /* mean relative error of the covered blocks; NaN: none */
    double error_before;          /* the same before the second round */
    size_t changed;               /* number of usages and latencies that the second round
                                   * changed, */
    char *changes;                /* and their names; NULL: none */
    /* largest error, with the measured time and the prediction */
    double worst, worst_cycles, worst_says;
    char *worst_block;            /* NULL: none */
    /* forms of most blocks with a large error; NULL: none */
    char *suspects;
};

struct chart {
    struct machine *machine;      /* the machine so far */
    struct chart_form *forms;
    size_t form_count;
    struct experiments *table;    /* all measurements */
    size_t core_forms, core_experiments;
    /* mean relative error of the core's mapping on its experiments; NaN before stage 3 */
    double core_error;
    double width;                 /* issue slots per cycle; NaN before stage 2 */
    unsigned resumed;             /* experiments taken from the journal */
    /* relative noise of a measured time against the core's prediction; NaN before stage 3 */
    double noise;
    /* some times of the core are late (chart/residual.h), so others may be */
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
    double seconds;               /* time limit of inference */
    size_t core_most;             /* number of candidate forms for the core */
    struct journal *journal;      /* of experiments; NULL: none */
    /* file of latencies, as latency measure exports them; its entries are reused, and new ones are
     * added. NULL: none */
    const char *latencies;
    /* usages of a core from an earlier run; NULL: none. Kept if they cover nearly all forms of this
     * core and explain their times; if not, the search resumes from the common forms. */
    const struct mapping *core;
    /* forms for the blocks of the last stage, x86-64 or AArch64; */
    const struct block_form *uses;
    size_t uses_count;            /* 0: no such blocks */
    size_t review_blocks;         /* how many are drawn */
    /* leave ambiguous usages to experiments settle; false: measure the deciding experiments */
    bool leave_ambiguities;
    uint64_t seed;
    /* seconds that each batch of experiments waits for an idle machine, as runner_options; 0: its
     * default */
    double patience;
};

struct chart_hooks {
    bool (*cancelled)(void *state);
    void (*progress)(void *state, enum chart_stage stage, double done, double total,
                     const char *what);
    /* Called after each stage to write @so_far->machine. False with err ends the run. */
    bool (*stage_done)(void *state, enum chart_stage stage, const struct chart *so_far,
                       struct err *err);
    /* Calls @work for each of 0 .. threads - 1, one thread each, 0 on the calling thread. False,
     * with nothing called, if threads cannot be started. NULL: single-threaded. */
    bool (*team)(void *state, void (*work)(void *work_state, unsigned worker), void *work_state);
    unsigned threads;
    void *state;
};

/* Charts the @count forms @rows of @cpu. NULL with err, also when cancelled; the journals keep all
 * measurements. One thread. */
struct chart *chart_run(const struct chart_cpu *cpu, const struct form_row *const *rows,
                        size_t count, const struct chart_options *o,
                        const struct chart_hooks *hooks, struct err *err);
void chart_free(struct chart *c);

/* Number of forms by result and confidence, and of other results. */
struct chart_tally {
    size_t of[CHART_UNEXPLAINED + 1];   /* by state */
    /* hidden_told: hidden forms that an experiment with other forms reveals */
    size_t timed, hidden, hidden_told;
    /* forms in the core or placed; those with confidence of at least 0.9, and of at least 0.5 */
    size_t usages, sure, likely;
    size_t latencies, facts;            /* known ones */
};
struct chart_tally chart_count(const struct chart *c);

/* ambiguities.c: usages that a chart's experiments do not distinguish, and experiments with all
 * forms of known usage that would. A file keeps them between runs. */

/* Fills c->checks, c->ambiguities, and each form's experiment against its most likely alternative
 * (settle, rival). The confidence of a form falls to the share of its usage. Alternatives that no
 * experiment distinguishes predict the same and do not count. */
void ambiguities_find(struct chart *c);

/* Appends the open points of @f to its source: ", not observable: ...", ", not tested against
 * ...". */
void ambiguities_note(const struct chart *c, const struct chart_form *f, struct str *out);
/* Writes ", not tested against p12" to a source (nothing without ports), and reads the ports back;
 * 0: none. */
void untested_print(portset ports, const struct ports *names, struct str *out);
portset untested_parse(const char *source, const struct ports *names);
/* Returns why no experiment with the core reveals the ports, and whether any experiment does. */
const char *ambiguities_hidden_reason(const struct chart_form *f);

/* An ambiguity by names, as in its file. */
struct ambiguity {
    char *form;
    struct usage usage;           /* the alternative, over the machine's ports */
    unsigned slots;
    double weight;
    struct experiment experiment;
};
/* Returns whether @d only measures the form with ports that it was not tested against: its usage
 * equals that of @entry, the form's. */
bool ambiguity_is_check(const struct ambiguity *d, const struct mapping_entry *entry);

struct ambiguities {
    VEC(struct ambiguity) list;       /* those of one form are adjacent */
    double noise;                 /* relative noise of a time against the right usage's
                                   * prediction */
    bool late;                    /* times may be late (chart/residual.h) */
    char *simulated;              /* charted machine if simulated; "": a real CPU */
};

/* Converts in the order of c->ambiguities; @checks: includes c->checks. */
void ambiguities_of_chart(const struct chart *c, const char *simulated, bool checks,
                          struct ambiguities *out);
/* Saves and loads a file of ambiguities, atomically; false with err. The file may be empty. @ports:
 * those of the machine. */
bool ambiguities_save(const struct ambiguities *d, const struct ports *ports, const char *path,
                      struct err *err);
bool ambiguities_load(const char *path, const struct ports *ports, struct ambiguities *out,
                      struct err *err);
void ambiguity_done(struct ambiguity *d);
void ambiguities_done(struct ambiguities *d);

#endif
