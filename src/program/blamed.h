/* Parts of a program whose predicted time differs from the measured one, and which term of the
 * prediction is to blame. Pure. */
#ifndef PORTOLAN_PROGRAM_BLAMED_H
#define PORTOLAN_PROGRAM_BLAMED_H

#include "program/steady.h"

struct blamed_part {
    char *name;  /* "main:3 loop" */
    size_t part; /* index into the code's parts */
    uint32_t line;
    bool repeats;
    double executions, clock_hz;
    double predicted, measured, off; /* seconds of a run; off: how far the samples may err */
    double core;                     /* cycles per execution without misses, predicted */
    double alone;                    /* the same, measured; NaN: it was not */
    char *unmeasured;                /* why; NULL: it was, or was not tried */
    enum bound_kind bottleneck;
    /* Predicted seconds: of lines streamed and misses waited for, of mispredicted loop ends, of
     * calls; and the possible cost of all branches that go either way. */
    double misses, ends, calls, branches;
    /* seconds that counts which differ from the program's take more than it has */
    double counts;
    bool near; /* the program's data lie in the first level: nothing is missed */
    /* "counts", "ports", "chain", "misses", "branch misses", "calls", "agrees", "not explained",
     * "not told apart" */
    const char *term;
};

/* Prediction of part @index of @parts at @run; the caller fills measured, off and alone.
 * blamed_part_done frees. */
void blamed_part_fill(struct blamed_part *out, const struct program *p,
                      const struct program_run *run, const struct code_parts *parts, size_t index,
                      const struct program_time *time, double clock_hz, double branch_miss);
void blamed_part_done(struct blamed_part *b);
/* Those that differ most first. */
void blamed_parts_sort(struct blamed_part *parts, size_t count);
/* Sets the differences of the counts of @run from those that the program @counted. Pure. */
void blamed_part_count(struct blamed_part *b, const struct code_parts *parts,
                       const struct program_run *run, const struct program_run *counted);

/* Time in the system, seconds of a run, and page faults. */
struct blamed_system {
    double measured, predicted, faults_measured, faults_predicted;
};
/* Whether @s differs by more than the time outside the system, @measured and @predicted seconds,
 * does: pages are to blame. Pure. */
bool blamed_pages(const struct blamed_system *s, double measured, double predicted);
/* Fills each part's term, and says which is to blame; the caller frees. Seconds of a run:
 * @measured, @predicted in all, @elsewhere in no part. */
char *blamed_judge(struct blamed_part *parts, size_t count, double measured, double predicted,
                   double elsewhere);

#endif
