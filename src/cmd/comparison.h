/* Two loops aligned by instruction: output of `kernel diff` and of the compare view. Holds its
 * loops. */
#ifndef PORTOLAN_CMD_COMPARISON_H
#define PORTOLAN_CMD_COMPARISON_H

#include "analysis/analysis.h"
#include "base/vec.h"
#include "cmd/session.h"

#define COMPARISON_NONE UINT32_MAX

enum comparison_change {
    COMPARISON_SAME, COMPARISON_CHANGED, COMPARISON_ONLY_A, COMPARISON_ONLY_B
};

/* A row: an instruction of each loop, or of one. */
struct comparison_row {
    /* rows of the analyses; COMPARISON_NONE: no instruction */
    uint32_t a, b;
    enum comparison_change change;
};

/* A loop on a machine. */
struct comparison_side {
    struct shelved item;              /* held */
    struct machine *machine;          /* held */
    struct analysis *analysis;        /* NULL: not made yet */
    struct str name;
    /* source iterations per iteration (kernel tune, or compiled so); all values are per source
     * iteration */
    double times;
};

struct paired_loops {
    struct comparison_side side[2];   /* A, B */
    /* same source, but the work per iteration is unknown (analysis/advance.h) */
    bool unequal;
    VEC(struct comparison_row) rows;
};

/* Selects both sides: A is kernel @other of the list (from 1; NOT_GIVEN: the one before the
 * current), B the current one; @ids: a machine for both or one each, @count 0: the one in view.
 * NULL with err when there are no such kernels. */
struct paired_loops *comparison_new(struct session *s, size_t other, const char *const *ids,
                                    size_t count, struct err *err);
void comparison_free(struct paired_loops *c);
/* Analyses and aligns them; false with err when cancelled by the thread's watch. */
bool comparison_make(struct paired_loops *c, struct err *err);
/* Cycles per iteration of side @i. */
double comparison_cycles(const struct paired_loops *c, int i);
/* Returns whether neither side's cycles are a lower bound, such as with unknown forms: only then is
 * the difference meaningful. */
bool comparison_is_exact(const struct paired_loops *c);
/* Appends the cycles of each, and the difference if there is one: a sentence, or without its verb
 * if @brief. */
void comparison_say(const struct paired_loops *c, bool brief, struct str *out);
/* Returns whether the session's machines are still the compared ones: false after an edit. */
bool comparison_is_current(const struct paired_loops *c, const struct session *s);

#endif
