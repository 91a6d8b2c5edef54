/* The document: analysed and inferred data of a session. One thread. */
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
    /* cycles per iteration; NaN where there is no prediction */
    double *values, *bounds, *simulated;
    size_t count;
};

/* The last `kernel whatif NAME=VALUE` since the last sweep: a machine as it is, and changed. */
struct whatif_pair {
    char name[128], machine[64];
    /* simulated NaN: no prediction; no bottleneck: there is none */
    struct { double bounds, simulated; const char *bottleneck; } sides[2];
};

/* A run of inference that was unfinished when its session was closed: evolve resume continues
 * it. */
struct unfinished_run {
    char *checkpoint;                 /* path; NULL: there is none */
    double seconds, limit;            /* used, and meant; limit 0: none */
};
void unfinished_run_done(struct unfinished_run *run);

/* Machines that are shown side by side, the first the current one. */
struct selection {
    char **ids;
    size_t count;
};

/* The machine that this computer is. */
struct here {
    char *id;                         /* NULL: no machine is; fault has the reason */
    char *base;                       /* whose tables it has */
    /* "Emerald Rapids (Golden Cove core, sapphirerapids tables)" */
    char *title;
    enum isa isa;
    struct err fault;
};
/* Its name in place of a machine's id. */
#define HERE_NAME "native"
/* Name of the user's machine with the measurements of this CPU: the CPU's name and this. */
#define HERE_MEASURED "-measured"

/* The program's own time at inputs, as it was measured here. */
struct program_point {
    double inputs[INPUTS_MAX];          /* in the order of the model's */
    double seconds;
};
struct program_points { VEC(struct program_point) list; };

/* The whole program of the program commands, with its runs and fits; all held. */
struct program_state {
    const struct program *program;      /* NULL: none */
    struct invocation how;              /* as program load has it */
    const struct program_runs *runs;    /* NULL: none yet */
    const struct program_model *model;  /* of these runs */
    struct study *study;                /* of this model; NULL: none yet */
    unsigned showing;                   /* the job that makes one unasked; 0: none */
    struct program_points measured;     /* with the inputs of these runs */
};

struct document {
    struct here here;
    const struct kernel *kernel;      /* NULL: none loaded */
    size_t loop;                      /* of the kernel's loops, the one in use */
    /* of the loop in use, the instruction under the cursor of the views that show it */
    size_t row;
    struct shelf shelf;               /* it and those loaded before */
    struct undo undo;                 /* undo steps; not part of a saved session */
    /* cycles per iteration of the loop in use on this CPU; NaN: not measured */
    double kernel_measured;
    struct blame *blame;              /* of the loop in use; NULL: not requested */
    struct explained_loop *explained; /* by the last `program explain`; NULL: none */
    struct function_list *functions;  /* of the last `kernel functions`; NULL: none */
    struct stage_log *chart;          /* of the last `machine chart`, held; NULL: none */
    struct check *check;              /* of the last `machine check`; NULL: none */
    struct paired_loops *comparison;  /* of the last `kernel compare`; NULL: none */
    struct sweep sweep;               /* count 0: none */
    struct whatif_pair pair;          /* sides[0].bottleneck NULL: none; not of a session's files */
    struct experiments *experiments;  /* NULL: none */
    struct evolve_run **runs;         /* of inference, newest last */
    size_t run_count;
    /* of the session that was loaded, until a run is begun here */
    struct unfinished_run unfinished;
    struct active_curve *active;      /* rounds of the last `evolve start --active`; NULL: none */
    /* the run that followed them; 0 while they run, and after they failed */
    unsigned active_run;
    struct machine **machines;        /* loaded so far */
    size_t machine_count;
    struct machine **retired;         /* replaced while a command may still look at them */
    size_t retired_count;
    /* ids shown side by side, all of instruction set isa; the first is the current one */
    char **selected;
    size_t selected_count;
    /* of the selected, the one whose kernel and timeline are shown */
    size_t in_view;
    /* the form tables with the user's own; NULL until session_forms */
    struct forms *forms[ISA_COUNT];
    char **form_patterns;             /* selection of `forms select`; none: all forms */
    size_t form_pattern_count;
    struct program_state program;     /* as built here: not part of a saved session */
    struct run_profile *profile;          /* of the last `program profile`; NULL: none */
    /* of its loops, the one under the cursor of the views that show it */
    size_t hot;
    enum isa isa;
    struct selection kept[ISA_COUNT]; /* also of the sets that are not shown */
    /* those of chosen_isa were, by the user: no others stand in for them in silence */
    bool chosen;
    enum isa chosen_isa;
    /* id of the one machine that the kernel was analysed for by name; NULL: none was */
    char *analysed;
    struct record *record;            /* record of measuring */
    struct runner_summary measured;   /* of the last `experiments measure` */
    double measured_clock_hz;
    unsigned measured_children;
    struct analyses *analyses;        /* session_analyses; NULL: not requested */
    struct forecasts *forecasts;      /* session_forecast; NULL: not requested */
};

/* Empty, with the initial machines of each instruction set: the one that this computer is, then the
 * set's own. */
void document_init(struct document *d);
void document_done(struct document *d);
void sweep_done(struct sweep *sweep);
/* @to is empty. */
void sweep_copy(const struct sweep *from, struct sweep *to);
void program_state_done(struct program_state *p);
/* Forgets the analyses, and ends the job that makes them. */
void document_drop_analyses(struct document *d);
/* Selects loop @loop (from 0, one of the kernel's). Measurements and sweeps of the previous one are
 * dropped. */
void document_use_loop(struct document *d, size_t loop);
/* Keeps a machine that another has replaced until document_let_go: a command that named both may
 * look at it. */
void document_retire(struct document *d, struct machine *take_machine);
void document_let_go(struct document *d);
/* Shows the machines that are kept of @isa. */
void document_show_isa(struct document *d, enum isa isa);
/* Takes the parts of a session directory from @saved, and what depends on them; @saved gets the
 * previous ones. Runs of inference and records of measuring stay: they belong to the jobs of this
 * program. */
void document_exchange(struct document *d, struct document *saved);

#endif
