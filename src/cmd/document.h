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

/* The last `kernel whatif NAME=A..B`. */
struct sweep {
    char name[128], machine[64];
    /* cycles per iteration; NaN: no prediction */
    double *values, *bounds, *simulated;
    size_t count;
};

/* The last `kernel whatif NAME=VALUE` since the last sweep: a machine before and after the
 * change. */
struct whatif_pair {
    char name[128], machine[64];
    /* simulated NaN, bottleneck empty: none */
    struct { double bounds, simulated; const char *bottleneck; } sides[2];
};

/* A run of inference unfinished when its session was closed; evolve resume continues it. */
struct unfinished_run {
    char *checkpoint;                 /* NULL: none */
    double seconds, limit;            /* time used, and its limit; limit 0: none */
};
void unfinished_run_done(struct unfinished_run *run);

/* Machines shown side by side; the first is the current one. */
struct selection {
    char **ids;
    size_t count;
};

/* This computer's machine. */
struct here {
    char *id;                         /* NULL: none; fault has the reason */
    char *base;                       /* machine whose tables it uses */
    /* "Emerald Rapids (Golden Cove core, sapphirerapids tables)" */
    char *title;
    enum isa isa;
    struct err fault;
};
/* Stands for a machine's id. */
#define HERE_NAME "native"
/* Suffix of the user's machine with measurements of this CPU, after the CPU's name. */
#define HERE_MEASURED "-measured"

/* A measured time of the program at some inputs. */
struct program_point {
    double inputs[INPUTS_MAX];          /* in the order of the model's inputs */
    double seconds;
};
struct program_points { VEC(struct program_point) list; };

/* The program of the program commands with its runs and fits; everything is held. */
struct program_state {
    const struct program *program;      /* NULL: none */
    struct invocation how;              /* as given to program load */
    const struct program_runs *runs;    /* NULL: none yet */
    const struct program_model *model;  /* fitted to @runs */
    struct study *study;                /* of @model; NULL: none yet */
    unsigned showing;                   /* job that makes a study automatically; 0: none */
    struct program_points measured;     /* with the same input names as @runs */
};

struct document {
    struct here here;
    const struct kernel *kernel;      /* NULL: none loaded */
    size_t loop;                      /* index of the loop in use */
    /* instruction under the cursor of the views, in the loop in use */
    size_t row;
    struct shelf shelf;               /* this and previously loaded kernels */
    struct undo undo;                 /* not part of a saved session */
    /* cycles per iteration of the loop in use on this CPU; NaN: not measured */
    double kernel_measured;
    struct blame *blame;              /* of the loop in use; NULL: none */
    struct explained_loop *explained; /* by the last `program explain`; NULL: none */
    struct function_list *functions;  /* of the last `kernel functions`; NULL: none */
    struct stage_log *chart;          /* of the last `machine chart`, held; NULL: none */
    struct check *check;              /* of the last `machine check`; NULL: none */
    struct paired_loops *comparison;  /* of the last `kernel compare`; NULL: none */
    struct sweep sweep;               /* count 0: none */
    struct whatif_pair pair;          /* sides[0].bottleneck NULL: none; not saved with a session */
    struct experiments *experiments;  /* NULL: none */
    struct evolve_run **runs;         /* of inference, newest last */
    size_t run_count;
    /* from the loaded session, until a run starts here */
    struct unfinished_run unfinished;
    struct active_curve *active;      /* rounds of the last `evolve start --active`; NULL: none */
    /* run that followed them; 0 while they run, and after a failure */
    unsigned active_run;
    struct machine **machines;        /* loaded so far */
    size_t machine_count;
    struct machine **retired;         /* replaced machines that a running command may still use */
    size_t retired_count;
    /* ids shown side by side, all of instruction set isa; the first is the current one */
    char **selected;
    size_t selected_count;
    /* index of the selected machine whose kernel and timeline are shown */
    size_t in_view;
    /* form tables including the user's; NULL until session_forms */
    struct forms *forms[ISA_COUNT];
    char **form_patterns;             /* of `forms select`; empty: all forms */
    size_t form_pattern_count;
    struct program_state program;     /* built here: not saved with a session */
    struct run_profile *profile;          /* of the last `program profile`; NULL: none */
    /* index of its loop under the cursor of the views */
    size_t hot;
    enum isa isa;
    struct selection kept[ISA_COUNT]; /* selections of all instruction sets */
    /* the user selected the machines of chosen_isa: they are not replaced silently */
    bool chosen;
    enum isa chosen_isa;
    /* id of the machine last given to kernel analyze; NULL: none */
    char *analysed;
    struct record *record;            /* of measuring */
    struct runner_summary measured;   /* of the last `experiments measure` */
    double measured_clock_hz;
    unsigned measured_children;
    struct analyses *analyses;        /* of session_analyses; NULL: none */
    struct forecasts *forecasts;      /* of session_forecast; NULL: none */
};

/* Initialises an empty document with the initial machines of each instruction set: this computer's,
 * then the set's defaults. */
void document_init(struct document *d);
void document_done(struct document *d);
void sweep_done(struct sweep *sweep);
/* Copies to the empty @to. */
void sweep_copy(const struct sweep *from, struct sweep *to);
void program_state_done(struct program_state *p);
/* Drops the analyses and cancels the job that makes them. */
void document_drop_analyses(struct document *d);
/* Selects loop @loop (from 0) of the kernel. Drops measurements and sweeps of the previous loop. */
void document_use_loop(struct document *d, size_t loop);
/* Keeps a replaced machine until document_let_go, since a running command may still use it. */
void document_retire(struct document *d, struct machine *take_machine);
void document_let_go(struct document *d);
/* Shows the selection of @isa. */
void document_show_isa(struct document *d, enum isa isa);
/* Exchanges the parts that a session directory holds, and dependent data, with @saved. Runs of
 * inference and records of measuring stay, since they belong to jobs of this program. */
void document_exchange(struct document *d, struct document *saved);

#endif
