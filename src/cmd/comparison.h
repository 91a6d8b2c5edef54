/* Two loops aligned by instruction: output of `kernel diff` and of the view compare. It holds its
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

/* One row: an instruction of each, or of one. */
struct comparison_row {
    /* rows of the analyses; COMPARISON_NONE: that one has none here */
    uint32_t a, b;
    enum comparison_change change;
};

/* One of the two: a loop on a machine. */
struct comparison_side {
    struct shelved item;              /* held */
    struct machine *machine;          /* held */
    struct analysis *analysis;        /* NULL: not made yet */
    struct str name;
    /* iterations of the source per iteration (kernel tune, or compiled so): all values are per
     * one */
    double times;
};

struct paired_loops {
    struct comparison_side side[2];   /* A, B */
    /* of one source, and how much of it each does in an iteration is not known
     * (analysis/advance.h) */
    bool unequal;
    VEC(struct comparison_row) rows;
};

/* Which two: A is kernel @other of the list (from 1; NOT_GIVEN: the one before the current), B the
 * current one; @ids: the machine of both or of each, @count 0: the one in view. NULL with err when
 * there are no such two. */
struct paired_loops *comparison_new(struct session *s, size_t other, const char *const *ids,
                                    size_t count, struct err *err);
void comparison_free(struct paired_loops *c);
/* Analyses and aligns them; false with err when the thread's watch is over. Any thread. */
bool comparison_make(struct paired_loops *c, struct err *err);
/* Cycles per iteration of side @i. */
double comparison_cycles(const struct paired_loops *c, int i);
/* Whether neither's cycles are a lower bound, as where a machine does not know all instructions:
 * only then a difference is meaningful. */
bool comparison_is_exact(const struct paired_loops *c);
/* Appends the cycles of each, and the difference if there is one: a whole sentence or, @brief,
 * without its verb. */
void comparison_say(const struct paired_loops *c, bool brief, struct str *out);
/* Whether the session's machines are still those that were compared: false after an edit. */
bool comparison_is_current(const struct paired_loops *c, const struct session *s);

#endif
