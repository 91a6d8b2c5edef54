/* Two loops aligned by instruction, for `kernel diff` and the compare view. Holds references to
 * their kernels. */
#ifndef PORTOLAN_CMD_COMPARISON_H
#define PORTOLAN_CMD_COMPARISON_H

#include "analysis/analysis.h"
#include "base/vec.h"
#include "base/str.h"
#include "cmd/shelf.h"
#include "model/machine.h"

struct session;

#define COMPARISON_NONE UINT32_MAX

enum comparison_change {
    COMPARISON_SAME, COMPARISON_CHANGED, COMPARISON_ONLY_A, COMPARISON_ONLY_B
};

/* A row of the alignment: an instruction of each loop, or of only one loop */
struct comparison_row {
    /* instruction indices in the analyses; COMPARISON_NONE: no instruction */
    uint32_t a, b;
    enum comparison_change change;
};

/* One of the two loops, on its machine */
struct comparison_side {
    struct shelved item;              /* counted reference */
    struct machine *machine;          /* counted reference */
    struct analysis *analysis;        /* analysis; NULL: not made yet */
    struct str name;
    /* source iterations per iteration of the loop, from kernel tune or the compiler; displayed
     * values are per source iteration */
    double times;
};

struct paired_loops {
    uint64_t serial;
    struct comparison_side side[2];   /* the two loops: A, B */
    /* whether the source lines are the same, but the work per iteration is unknown
     * (analysis/advance.h) */
    bool unequal;
    VEC(struct comparison_row) rows;
};

/* Selects the two loops. B is the current kernel. A is kernel @other of the list (from 1;
 * NOT_GIVEN: the kernel before the current one, or with two machines the current one). @ids: one
 * machine for both loops or one for each; if @count is 0, the displayed machine. Returns NULL with
 * err on failure, for example if a kernel does not exist. */
struct paired_loops *comparison_new(struct session *s, size_t other, const char *const *ids,
                                    size_t count, struct err *err);
void comparison_free(struct paired_loops *c);
/* Analyses and aligns both loops. Returns false with err if the thread's watch cancelled it. */
bool comparison_make(struct paired_loops *c, struct err *err);
/* Returns the cycles per source iteration of side @i. */
double comparison_cycles(const struct paired_loops *c, int i);
/* Returns whether neither side's cycles are a lower bound (of a loop with unknown forms). A
 * difference from a lower bound has no meaning. */
bool comparison_is_exact(const struct paired_loops *c);
/* Appends the cycles of each side, and their difference if it is exact. Says if the work per
 * iteration may differ. Omits the verb if @brief is true. */
void comparison_say(const struct paired_loops *c, bool brief, struct str *out);
/* Returns whether the session's machines are still the compared machines. An edit replaces a
 * machine with a copy. */
bool comparison_is_current(const struct paired_loops *c, const struct session *s);

#endif
