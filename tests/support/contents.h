/* What tests show in views: content of their own, which changes with nothing but the test. */
#ifndef PORTOLAN_TESTS_CONTENTS_H
#define PORTOLAN_TESTS_CONTENTS_H

#include "chart/stage_log.h"
#include "cmd/check.h"
#include "profile/profile.h"
#include "program/study.h"

/* A loop in a loop, references in three clusters. The caller, or the session, frees it. */
struct study *study_made(void);
void add_study_block(struct study *s, const char *name, uint32_t block, uint32_t line, double count,
                     const char *formula, double error, double cycles, double share,
                     const char *limit);
struct run_profile *profile_made(void);
/* Experiments become those of the session, as the runner would have left them. */
void add_experiments(void);
/* The log of a measuring job on a simulated processor goes into the session's record. */
void fill_record(void);
/* A machine check becomes the session's. */
void add_check(void);
void add_check_row(struct check *c, const char *form, bool latency, double measured,
                   double predicted, double uses);
/* From now on the clock is one of the test's, until clock_set_source. */
void chart_clock_begin(void);
/* By that clock a chart of the session's experiments is with its third stage. */
void chart_runs(struct stage_log *log);

#endif
