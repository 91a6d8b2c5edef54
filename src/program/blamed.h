/* Parts of a program whose predicted time differs from the measured time, and the predicted terms
 * that explain the difference. Pure. */
#ifndef PORTOLAN_PROGRAM_BLAMED_H
#define PORTOLAN_PROGRAM_BLAMED_H

#include "program/steady.h"

struct blamed_part {
    char *name;  /* function, line and kind of the part: "main:3 loop" */
    size_t part; /* index of the part in the code */
    uint32_t line;
    bool repeats;
    double executions, clock_hz;
    double predicted, measured, off; /* seconds of the run; @off: sampling error of @measured */
    double core;                     /* predicted cycles per execution without misses */
    /* measured cycles per execution in isolation; NaN: not measured */
    double alone;
    /* reason why @alone was not measured; NULL: it was measured, or not requested */
    char *unmeasured;
    enum bound_kind bottleneck;
    /* @misses, @ends, @calls: predicted seconds of streamed lines and misses, of mispredicted
     * branches, and of calls. @branches: seconds if all branches that take both directions were
     * mispredicted. */
    double misses, ends, calls, branches;
    /* seconds of the prediction that result from differences between the run's counts and the
     * measured counts */
    double counts;
    bool near; /* whether the program's data fits the first-level cache; no load then misses */
    /* term that explains the difference: "counts", "ports", "chain", "misses", "branch misses",
     * "calls", "agrees", "not explained", "not distinguished" */
    const char *term;
};

/* Fills @out with the prediction of part @index of @parts at @run. The caller fills @measured, @off
 * and @alone. blamed_part_done frees @out. Without a time of the part in @time, the prediction is
 * 0. */
void blamed_part_fill(struct blamed_part *out, const struct program *p,
                      const struct program_run *run, const struct code_parts *parts, size_t index,
                      const struct program_time *time, double clock_hz, double branch_miss);
void blamed_part_done(struct blamed_part *b);
/* Sorts by absolute difference between measured and predicted time, largest first. */
void blamed_parts_sort(struct blamed_part *parts, size_t count);
/* Sets b->counts from the difference between the counts of @run and the measured ones in @counted.
 * Pure. */
void blamed_part_count(struct blamed_part *b, const struct code_parts *parts,
                       const struct program_run *run, const struct program_run *counted);

/* System time of a run in seconds, and its number of page faults */
struct blamed_system {
    double measured, predicted, faults_measured, faults_predicted;
};
/* Returns whether the prediction error of system time exceeds that of user time, and 3 % of the CPU
 * time. Page faults then explain the difference. @measured and @predicted: user times of the run in
 * seconds. Pure. */
bool blamed_pages(const struct blamed_system *s, double measured, double predicted);
/* Sets the term of each part. Returns a sentence about the cause, which the caller frees. All times
 * are seconds of a run: @measured and @predicted in total, @elsewhere outside all parts. */
char *blamed_judge(struct blamed_part *parts, size_t count, double measured, double predicted,
                   double elsewhere);

#endif
