/* Checks that a version computes the same as its loop: both run on random inputs, and registers,
 * flags and memory are compared. */
#ifndef PORTOLAN_TUNE_SAME_H
#define PORTOLAN_TUNE_SAME_H

#include "measure/sandbox.h"
#include "tune/version.h"

struct same {
    unsigned agreed;      /* inputs with equal results */
    /* inputs on which the loop itself does not end, touches too much memory, or is not scheduled */
    unsigned skipped;
    bool differs;         /* a difference was found; no further input is tried */
    char where[64];       /* place of the difference: "rax", "memory or flags" */
};

/* Returns why @insns cannot be compared here; NULL when they can. */
const char *same_refused(const struct insn *insns, size_t count);
/* Tries @inputs random inputs. False with err when measuring is impossible or cancelled. One
 * thread. */
bool same_try(struct sandbox *s, const struct insn *insns, size_t count, const struct version *c,
              unsigned inputs, uint64_t seed, struct same *out, struct err *err);

#endif
