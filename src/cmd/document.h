/* The document of a session: analysed and inferred data. One thread. */
#ifndef PORTOLAN_CMD_DOCUMENT_H
#define PORTOLAN_CMD_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/kernel.h"
#include "base/err.h"
#include "cmd/shelf.h"
#include "cmd/undo.h"
#include "isa/forms.h"
#include "measure/runner.h"
#include "model/experiments.h"
#include "model/machine.h"
#include "program/model.h"

struct active_curve;
struct stage_log;
struct analyses;
struct blame;
struct explained_loop;
struct check;
struct paired_loops;
struct evolve_run;
struct forecasts;
struct function_list;
struct run_profile;
struct study;

/* Result of the last `kernel whatif NAME=A..B` */
struct sweep {
    char name[128], machine[64];
    /* @values: values of the parameter. @bounds, @simulated: cycles per iteration; NaN: no
     * prediction. */
    double *values, *bounds, *simulated;
    size_t count;
};

/* Result of `kernel whatif NAME=VALUE`, if it is more recent than the last sweep: the predictions
 * for a machine before and after the change */
struct whatif_pair {
    char name[128], machine[64];
    /* @simulated: NaN if not simulated. @bottleneck: empty if there is no limit. */
    struct {
        double bounds, simulated;
        const char *bottleneck;
        double pressure[PORTS_MAX];   /* cycles per iteration, by port */
    } sides[2];
    struct ports ports;               /* ports with their displayed names */
};

/* An inference run that was unfinished when its session was closed. evolve resume continues it. */
struct unfinished_run {
    char *checkpoint;                 /* path of the checkpoint; NULL: none */
    double seconds, limit;            /* seconds used, and the limit of seconds (0: none) */
};
void unfinished_run_done(struct unfinished_run *run);

/* Machines displayed next to each other; the first is the current machine */
struct selection {
    char **ids;
    size_t count;
};

/* The machine of this computer */
struct here {
    char *id;                         /* id; NULL: unknown, with the reason in @fault */
    char *base;                       /* id of the machine whose tables this computer uses; NULL:
                                       * unknown */
    /* title such as "Emerald Rapids (Golden Cove core, sapphirerapids tables)"; NULL: unknown */
    char *title;
    enum isa isa;
    struct err fault;
};
/* name that commands accept for the id of this computer's machine */
#define HERE_NAME "native"
/* suffix of the name of the user's machine with this CPU's measurements */
#define HERE_MEASURED "-measured"

/* A measured time of the program at one set of inputs */
struct program_point {
    double inputs[INPUTS_MAX];          /* values in the order of the model's inputs */
    double seconds;
};
struct program_points { VEC(struct program_point) list; };

/* The program of the program commands with its runs and fits. All pointers are counted
 * references. */
struct program_state {
    const struct program *program;      /* program; NULL: none loaded */
    struct invocation how;              /* arguments given to program load */
    const struct program_runs *runs;    /* runs; NULL: not run yet */
    const struct program_model *model;  /* model fitted to @runs; NULL: not fitted yet */
    struct study *study;                /* study of @model; NULL: none yet */
    unsigned showing;                   /* job that computes a study automatically; 0: none */
    struct program_points measured;     /* times at inputs with the same names as in @runs */
};

struct document {
    struct here here;
    const struct kernel *kernel;      /* kernel; NULL: none loaded */
    size_t loop;                      /* index of the loop in use */
    /* index of the selected instruction of the loop */
    size_t row;
    struct shelf shelf;               /* this and previously loaded kernels */
    struct undo undo;                 /* changes that undo reverts; not part of a saved session */
    /* measured cycles per iteration of the loop on this CPU; NaN: not measured */
    double kernel_measured;
    struct blame *blame;              /* result of kernel blame for the loop in use; NULL: none */
    struct explained_loop *explained; /* result of the last `program explain`; NULL: none */
    struct function_list *functions;  /* result of the last `kernel functions`; NULL: none */
    /* log of the last `machine chart`, `check` or `hunt` (counted reference; NULL: none), and the
     * number of inference runs when it started */
    struct stage_log *chart;
    size_t chart_after;
    struct check *check;              /* result of the last `machine check`; NULL: none */
    struct paired_loops *comparison;  /* result of the last `kernel compare`; NULL: none */
    struct sweep sweep;               /* last sweep; count 0: no sweep */
    /* last pair, which a session directory does not store; sides[0].bottleneck NULL: no pair */
    struct whatif_pair pair;
    struct experiments *experiments;  /* experiments; NULL: none */
    struct evolve_run **runs;         /* inference runs, newest last */
    size_t run_count;
    /* unfinished inference run of the loaded session; removed when a run starts in this process */
    struct unfinished_run unfinished;
    struct active_curve *active;      /* rounds of the last `evolve start --active`; NULL: none */
    /* number of the run that followed these rounds; 0: the rounds have not ended, or have
     * failed */
    unsigned active_run;
    struct machine **machines;        /* all loaded machines */
    size_t machine_count;
    struct machine **retired;         /* replaced machines that a running command may still use */
    size_t retired_count;
    /* ids of the displayed machines, all of instruction set isa; the first is the current
     * machine */
    char **selected;
    size_t selected_count;
    /* index into @selected of the machine that single-machine views display */
    size_t in_view;
    /* form tables, including the user's; NULL before the first session_forms */
    struct forms *forms[ISA_COUNT];
    char **form_patterns;             /* patterns of `forms select`; empty: all forms are
                                       * selected */
    size_t form_pattern_count;
    struct program_state program;     /* program built in this process; not saved with a session */
    struct run_profile *profile;          /* profile of the last `program profile`; NULL: none */
    /* index in the profile of the loop that views show */
    size_t hot;
    enum isa isa;
    struct selection kept[ISA_COUNT]; /* last selection of each instruction set */
    /* whether the user selected the machines of chosen_isa; an automatic selection does not
     * replace them */
    bool chosen;
    enum isa chosen_isa;
    /* id of the machine in the last kernel analyze command; NULL: the command named none */
    char *analysed;
    struct record *record;            /* record of measurements */
    struct runner_summary measured;   /* summary of the last `experiments measure` */
    double measured_clock_hz;
    unsigned measured_children;
    struct analyses *analyses;        /* result of session_analyses; NULL: none */
    struct forecasts *forecasts;      /* results of session_forecast; NULL: none */
};

/* Initialises an empty document. The selection of each instruction set is this computer's machine,
 * if it fits, and the set's defaults. */
void document_init(struct document *d);
void document_done(struct document *d);
void sweep_done(struct sweep *sweep);
/* Copies a sweep to @to, which must be empty. Copies nothing from an empty sweep. */
void sweep_copy(const struct sweep *from, struct sweep *to);
void program_state_done(struct program_state *p);
/* Frees the analyses and cancels the job that computes them. */
void document_drop_analyses(struct document *d);
/* Selects loop @loop (from 0) of the kernel. Frees measurements and sweeps of the previous loop. */
void document_use_loop(struct document *d, size_t loop);
/* Keeps a replaced machine until document_let_go, because a running command may still use it. */
void document_retire(struct document *d, struct machine *take_machine);
void document_let_go(struct document *d);
/* Returns the newest inference run; NULL: none. */
struct evolve_run *document_newest_run(const struct document *d);
/* Returns machine @id if the document has it; NULL otherwise. */
struct machine *document_machine(const struct document *d, const char *id);
/* Displays the machines selected for @isa. */
void document_show_isa(struct document *d, enum isa isa);
/* Exchanges with @saved all data that a session directory has, and the data derived from it. Does
 * not exchange results of jobs of this process, such as inference runs, records of measurements,
 * charts and profiles. */
void document_exchange(struct document *d, struct document *saved);

#endif
