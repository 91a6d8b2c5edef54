/* Findings of `program explain`, and the result made from them. UI thread after the job. */
#ifndef PORTOLAN_CMD_EXPLAINED_RESULT_H
#define PORTOLAN_CMD_EXPLAINED_RESULT_H

#include "cmd/blame_recorded.h"
#include "cmd/explained.h"
#include "insitu/insitu.h"
#include "insitu/lines.h"
#include "insitu/paths.h"
#include "insitu/predictor.h"
#include "insitu/split.h"
#include "model/machine.h"
#include "profile/profile.h"
#include "table/result.h"

#define EXPLAINED_LINE 64u  /* size in bytes of a cache line */
#define EXPLAINED_PATHS 8u  /* maximum number of paths shown */
/* Returns @value with two significant digits if it is at least 100. Pure. */
double explained_about(double value);
/* Reports a measured time and its prediction without a cause of their difference. */
void explained_equal(double cycles, double predicted, struct str *out);
#define EXPLAINED_LOW 0.1   /* quantile of the times of timed blocks that is shown as the low
                             * value */
#define EXPLAINED_HIGH 0.75

/* The job owns all pointers. */
struct explained_findings {
    char *name, *file;             /* name of the loop, and file of its program or library */
    const struct kernel *kernel;
    size_t loop;
    struct machine *machine;       /* machine; NULL: none for this CPU */
    struct insitu insitu;
    struct run_profile *sampled;   /* profile if the program was sampled; NULL: it was traced */
    struct err refused;            /* reason why the program could not be traced */
    struct paths paths;
    struct predicted_branches branches;
    struct loop_lines lines;
    struct split split;
    /* static reason why there are no replays; NULL: there are replays */
    const char *unreplayed;
    double predicted;              /* predicted cycles for the mix of paths; NaN: none */
    struct err unmeasured;         /* reason why a path was not measured in isolation */
    struct recorded_costs recorded;   /* costs by replays; empty if not measured */
    struct err unrecorded;         /* reason why @recorded was not measured */
    struct explained_loop *kept;   /* result for other commands; NULL: none yet */
    double profiled_cpu;           /* CPU seconds of the profiled run; NaN: another program was
                                    * profiled */
    const char *output;            /* path of the program's output file; NULL: no file */
    bool started;                  /* whether Portolan started the program; false: it was attached
                                    * to a running process */
};

/* Returns the estimated cycles per iteration by which timing itself increased insitu_cycles. */
double explained_extra(const struct insitu *x);
/* Adds sentences, values and tables to the result. For a sampled program, adds only the results
 * from samples. */
void explained_result(const struct explained_findings *f, struct result *result);

#endif
