/* What `program explain` found of a loop within its running program, and the result that says it.
 * UI thread, once the job has filled it. */
#ifndef PORTOLAN_CMD_EXPLAINED_RESULT_H
#define PORTOLAN_CMD_EXPLAINED_RESULT_H

#include "cmd/explained.h"
#include "insitu/insitu.h"
#include "insitu/lines.h"
#include "insitu/paths.h"
#include "insitu/predictor.h"
#include "insitu/split.h"
#include "model/machine.h"
#include "profile/profile.h"
#include "table/result.h"

#define EXPLAINED_LINE 64u  /* bytes of a cache line */
#define EXPLAINED_PATHS 8u  /* that are shown */
#define EXPLAINED_LOW 0.1   /* quantiles of the timed blocks */
#define EXPLAINED_HIGH 0.75

/* The job owns what it points to. */
struct explained_findings {
    char *name, *file;             /* of the loop, of its program or library */
    const struct kernel *kernel;
    size_t loop;
    struct machine *machine;       /* NULL: none fits */
    struct insitu insitu;
    struct run_profile *sampled;   /* the program was sampled instead; NULL: it was watched */
    struct err refused;            /* why */
    struct paths paths;
    struct predicted_branches branches;
    struct loop_lines lines;
    struct split split;
    const char *unreplayed;        /* why replays say nothing; static; NULL: they do */
    double predicted;              /* for the mix of paths; NaN: not */
    struct err unmeasured;         /* why a path was not measured alone */
    struct explained_loop *kept;   /* what other commands may use; NULL: nothing yet */
    double profiled_cpu;           /* CPU seconds of its run that was profiled; NaN: it was another
                                    * program */
    const char *output;            /* file of the program's output; NULL: none */
    bool started;                  /* here; false: attached to */
};

/* Cycles per iteration that timing may have added to what insitu_cycles returns. */
double explained_extra(const struct insitu *x);
/* Adds sentences, values and tables: of the samples alone where the program was sampled. */
void explained_result(const struct explained_findings *f, struct result *result);

#endif
