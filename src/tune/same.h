/* Checks that a version computes what its loop computes: both run on the same random inputs, and
 * registers, flags and memory are compared. */
#ifndef PORTOLAN_TUNE_SAME_H
#define PORTOLAN_TUNE_SAME_H

#include "measure/sandbox.h"
#include "tune/version.h"

struct same {
    unsigned agreed;      /* inputs after which all was the same */
    /* on which the loop itself does not end, touches too much memory to compare, or gets no
     * processor time */
    unsigned skipped;
    bool differs;         /* found once: no further input is tried */
    char where[64];       /* of a difference: "rax", "memory or flags" */
};

/* Why nothing like @insns can be compared here; NULL when it can. */
const char *same_refused(const struct insn *insns, size_t count);
/* Tries @inputs random inputs. False with err when measuring is impossible or was cancelled. One
 * thread. */
bool same_try(struct sandbox *s, const struct insn *insns, size_t count, const struct version *c,
              unsigned inputs, uint64_t seed, struct same *out, struct err *err);

#endif
