/* Content for tests of views, independent of the shipped data. */
#ifndef PORTOLAN_TESTS_CONTENTS_H
#define PORTOLAN_TESTS_CONTENTS_H

#include "chart/stage_log.h"
#include "cmd/check.h"
#include "profile/profile.h"
#include "program/study.h"

/* Returns a study of a nested loop with references in three clusters. The caller, or the session,
 * frees it. */
struct study *study_made(void);
void add_study_block(struct study *s, const char *name, uint32_t block, uint32_t line, double count,
                     const char *formula, double error, double cycles, double share,
                     const char *limit);
struct run_profile *profile_made(void);
/* Adds experiments to the session in the state after a run. */
void add_experiments(void);
/* Copies the log of a measuring job on a simulated processor to the session's record. */
void fill_record(void);
/* Adds a machine check to the session. */
void add_check(void);
void add_check_row(struct check *c, const char *form, bool latency, double measured,
                   double predicted, double uses);
/* Replaces the clock by the test's clock until clock_set_source is called. */
void chart_clock_begin(void);
/* Runs a chart of the session's experiments up to its third stage, timed by the test's clock. */
void chart_runs(struct stage_log *log);
/* Records the first half of a machine check, and a hunt with two findings, timed by the test's
 * clock. */
void check_runs(struct stage_log *log);
void hunt_runs(struct stage_log *log);

#endif
