/* Charts a CPU without prior tables: measures experiments, chains and loops, and infers a machine
 * from their times. The stages run one after the other on one thread. Journals store each time, so
 * an interrupted run can resume.
 * 1. all forms alone (chart.c)
 * 2. a core: forms of every behaviour, measured in pairs (chart/core.h)
 * 3. ports and usages of the core (chart/ports.h)
 * 4. every other form with saturators of the core's ports (chart/place.h, chart/settle.h)
 * 5. latencies by dependency chains, per pair of operands (chart/stages.h)
 * 6. facts of the front and back end by small loops (chart/stages.h)
 * 7. review on held-out blocks (chart/stages.h) */
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

/* Origin of a form's usage */
enum chart_state {
    CHART_NOT_MEASURED,   /* the form has no stable time in isolation */
    CHART_IN_CORE,        /* the usage was inferred together with the ports */
    CHART_PLACED,         /* the usage was inferred from experiments with saturators of the core */
    CHART_UNEXPLAINED,    /* the usage disagrees with some measurements of the form */
};
extern const char *const chart_state_names[];

/* An alternative usage, which explains a form's measurements about as well as the form's usage */
struct chart_usage {
    struct usage usage;           /* µops over the machine's ports */
    unsigned slots;
    double weight;                /* relative likelihood; 1 for the form's own usage */
};

/* upper limit of the confidence of a usage that contradicts a measurement */
#define CHART_DOUBTFUL 0.2

struct chart_form {
    const struct form_row *row;   /* row of the forms table, borrowed */
    enum chart_state state;
    double alone;                 /* cycles per execution in isolation; NaN: not measured */
    char *reason;                 /* reason why the form was not measured (CHART_NOT_MEASURED);
                                   * NULL: it was measured */
    /* probability of the form's usage, relative to all usages that explain the measurements; NaN:
     * the form has no usage */
    double confidence;
    unsigned experiments;         /* number of experiments with the form */
    double error;                 /* largest relative error of a measurement of the form */
    /* most likely alternative that an experiment could distinguish; NULL: none */
    char *rival;
    /* experiment that would distinguish @rival from the form's usage; NULL: none */
    char *settle;
    /* alternative usages, most likely first; empty for forms of the core */
    struct chart_usage *others;
    unsigned other_count;
    portset untested;             /* ports with whose saturators the form was not measured */
    /* experiment of the form with a saturator of untested ports; NULL: none */
    char *check;
    /* whether several executions of the form share a slot at rename; the form then has no ports */
    bool joined;
    /* Whether no experiment with the core reveals the form's ports. If an experiment with other
     * forms reveals the ports, that experiment is in @settle. */
    bool hidden;
};

/* A measured latency chain of one form */
struct chart_latency {
    uint32_t form;                /* index into the chart's forms */
    struct latency latency;
};

/* An alternative usage of a form, and an experiment that would distinguish it from the form's
 * usage */
struct chart_ambiguity {
    /* @form: index into the chart's forms. @other: index into that form's alternatives. */
    uint32_t form, other;
    struct experiment experiment;
};

/* An experiment that would test a form with a saturator of untested ports */
struct chart_check {
    uint32_t form;
    struct experiment experiment;
};

/* A machine fact that small loops determine */
struct chart_fact {
    char *key, *value, *why;      /* value: NULL if the fact is unknown */
};

/* Result of the review: predictions of random blocks that inference did not use */
struct chart_review {
    /* @blocks: number of measured blocks. @covered: number of measured blocks whose forms are all
     * in the machine. */
    size_t blocks, covered;
    double error;                 /* mean relative error over the covered blocks; NaN: no block is
                                   * covered */
    /* @worst: largest relative error of a block. @worst_cycles, @worst_says: that block's measured
     * and predicted cycles. */
    double worst, worst_cycles, worst_says;
    char *worst_block;            /* text of the block with the largest error; NULL: none */
    /* names of the forms that are in most of the badly predicted blocks; NULL: none */
    char *suspects;
};

struct chart {
    struct machine *machine;      /* machine inferred by the completed stages */
    struct chart_form *forms;
    size_t form_count;
    struct experiments *table;    /* all measured experiments */
    size_t core_forms, core_experiments;
    /* mean relative error of the core's mapping on the core's experiments; NaN before stage 3 */
    double core_error;
    double width;                 /* issue slots per cycle; NaN before stage 3 */
    unsigned resumed;             /* number of experiments read from the journal */
    /* relative standard deviation of times from predictions with the core; NaN before stage 3 */
    double noise;
    /* Whether some times of the core exceed the port bound (chart/residual.h). If so, times of
     * other forms may also exceed it. */
    bool above_ports;
    VEC(struct chart_ambiguity) ambiguities;
    VEC(struct chart_check) checks;   /* experiments that `experiments settle` measures */
    VEC(struct chart_latency) latencies;
    VEC(struct chart_fact) facts;
    struct chart_review review;
    double seconds[CHART_STAGES];
};

struct chart_options {
    const char *name;             /* name of the charted machine */
    size_t core_most;             /* maximum number of candidate forms for the core */
    struct journal *journal;      /* journal of experiments; NULL: none */
    /* CSV file of latencies in the export format of `latency measure`. The chart uses its rows and
     * adds new ones. NULL: none. */
    const char *latencies;
    /* Usages of a core from an earlier run; NULL: none. The chart uses them again if they cover
     * nearly all forms of this core and explain the times of these forms. Otherwise the ports are
     * searched again. */
    const struct mapping *core;
    /* whether exactly the forms of @core are the core; otherwise forms are selected */
    bool core_fixed;
    /* forms from which the review generates random blocks, x86-64 or AArch64 */
    const struct block_form *uses;
    size_t uses_count;            /* number of forms in @uses; 0: no review */
    size_t review_blocks;         /* number of random blocks in the review */
    /* whether to leave ambiguous usages for `experiments settle`; otherwise the chart measures
     * experiments that distinguish them */
    bool leave_ambiguities;
    /* Forms to chart that no experiment can contain. Some of these forms take the usage of an
     * equivalent form (substitutes_find). */
    const struct form_row *const *others;
    size_t others_count;
    uint64_t seed;
    /* seconds that each batch of experiments may wait for an idle CPU (runner_options); 0: the
     * default */
    double patience;
};

struct chart_hooks {
    bool (*cancelled)(void *state);
    void (*progress)(void *state, enum chart_stage stage, double done, double total,
                     const char *what);
    /* Receives, during a stage, the current mapping and measurements (@table) for display. NULL:
     * not called. */
    void (*mapping)(void *state, const struct mapping *so_far, const struct experiments *table);
    /* Writes @so_far->machine after each stage. Returning false with err ends the run. */
    bool (*stage_done)(void *state, enum chart_stage stage, const struct chart *so_far,
                       struct err *err);
    /* Calls @work with each number below @threads, with 0 on the calling thread and with each other
     * number on its own thread. Returns false without any call if threads cannot start. NULL: the
     * chart uses one thread. */
    bool (*team)(void *state, void (*work)(void *work_state, unsigned worker), void *work_state);
    unsigned threads;
    void *state;
};

/* Charts the @count forms @rows of @cpu. Returns NULL with err on failure or when cancelled. The
 * journals then contain all measurements. One thread. */
struct chart *chart_run(const struct chart_cpu *cpu, const struct form_row *const *rows,
                        size_t count, const struct chart_options *o,
                        const struct chart_hooks *hooks, struct err *err);
void chart_free(struct chart *c);

/* Number of forms by state and by confidence, and number of latencies and facts */
struct chart_tally {
    size_t of[CHART_UNEXPLAINED + 1];   /* number of forms by state */
    /* @timed: number of forms with a time. @hidden: number of forms whose ports no experiment with
     * the core reveals. @hidden_settled: number of @hidden forms whose ports an experiment with
     * other forms reveals. */
    size_t timed, hidden, hidden_settled;
    /* @usages: number of forms in the core or placed. @sure: number of @usages with a confidence of
     * at least 0.9. @likely: number of @usages with a confidence from 0.5 to below 0.9. */
    size_t usages, sure, likely;
    size_t latencies, facts;            /* number of known latencies, and of known facts */
};
struct chart_tally chart_count(const struct chart *c);


/* Replaces c->checks, c->ambiguities, and each form's @rival, @settle and @check. If an unmeasured
 * experiment would distinguish an alternative, lowers the form's confidence. Ignores alternatives
 * whose predictions are equal in all experiments. */
void ambiguities_find(struct chart *c);
/* Removes the results of ambiguities_find. */
void ambiguities_forget(struct chart *c);

/* Appends the ambiguities of @f to a source text: ", not observable: ...", ", not tested against
 * ...". */
void ambiguities_note(const struct chart *c, const struct chart_form *f, struct str *out);
/* untested_print appends ", not tested against p12" to a source text, or nothing if @ports is
 * empty. untested_parse returns the ports in such a text; 0: none. */
void untested_print(portset ports, const struct ports *names, struct str *out);
portset untested_parse(const char *source, const struct ports *names);
/* Returns a static string: the reason why no experiment with the core reveals the ports of @f, and
 * whether an experiment with other forms does. */
const char *ambiguities_hidden_reason(const struct chart_form *f);

/* An ambiguity with names instead of indices, for the file of ambiguities */
struct ambiguity {
    char *form;
    struct usage usage;           /* the alternative usage, over the machine's ports */
    unsigned slots;
    double weight;
    struct experiment experiment;
};
/* Returns whether @d only tests the form with saturators of untested ports. In such an ambiguity,
 * usage and slots equal those of @entry. */
bool ambiguity_is_check(const struct ambiguity *d, const struct mapping_entry *entry);

struct ambiguities {
    VEC(struct ambiguity) list;       /* the ambiguities; all ambiguities of one form are
                                       * adjacent */
    /* relative standard deviation of times from the prediction of the right usage */
    double noise;
    bool above_ports; /* whether times may exceed the port bound (chart/residual.h) */
    /* name of the charted machine if the CPU is simulated; "": the CPU is real */
    char *simulated;
};

/* Fills @out with c->ambiguities in the same order, and if @checks is true, with c->checks. */
void ambiguities_of_chart(const struct chart *c, const char *simulated, bool checks,
                          struct ambiguities *out);
/* Saves or loads a file of ambiguities. Saving is atomic. Both functions return false with err on
 * failure. A file without ambiguities is valid. @ports: the machine's ports. */
bool ambiguities_save(const struct ambiguities *d, const struct ports *ports, const char *path,
                      struct err *err);
bool ambiguities_load(const char *path, const struct ports *ports, struct ambiguities *out,
                      struct err *err);
void ambiguity_done(struct ambiguity *d);
void ambiguities_done(struct ambiguities *d);

#endif
