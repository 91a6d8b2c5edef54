/* Findings of `program explain`, and their result. UI thread after the job. */
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
#define EXPLAINED_PATHS 8u  /* shown paths */
#define EXPLAINED_LOW 0.1   /* quantile of timed blocks */
#define EXPLAINED_HIGH 0.75

/* The job owns all pointers. */
struct explained_findings {
    char *name, *file;             /* of the loop; of its program or library */
    const struct kernel *kernel;
    size_t loop;
    struct machine *machine;       /* NULL: none for this CPU */
    struct insitu insitu;
    struct run_profile *sampled;   /* sampled instead of traced; NULL: traced */
    struct err refused;            /* why */
    struct paths paths;
    struct predicted_branches branches;
    struct loop_lines lines;
    struct split split;
    const char *unreplayed;        /* why replays are missing; static; NULL: they are not */
    double predicted;              /* for the mix of paths; NaN: none */
    struct err unmeasured;         /* why a path was not measured alone */
    struct explained_loop *kept;   /* for other commands; NULL: nothing yet */
    double profiled_cpu;           /* CPU seconds of its run that was profiled; NaN: it was another
                                    * program */
    const char *output;            /* the program's output file; NULL: none */
    bool started;                  /* false: attached to a running process */
};

/* Cycles per iteration that timing may have added to what insitu_cycles returns. */
double explained_extra(const struct insitu *x);
/* Adds sentences, values and tables, of the samples only if the program was sampled. */
void explained_result(const struct explained_findings *f, struct result *result);

#endif
