/* The code of the mathematical library's functions as this CPU executes it: the library has several
 * versions of most, and a run determines which one is used, and the path through it. */
#ifndef PORTOLAN_PROGRAM_CALL_CODE_H
#define PORTOLAN_PROGRAM_CALL_CODE_H

#include "base/vec.h"
#include "isa/insn.h"

#define CALL_CODE_MOST 400         /* instructions of one call */

struct call_code {
    const char *name;              /* as requested, borrowed */
    /* without texts, each at its offset from the first, with the last return; none: it is not
     * known, longer, or the system does not let it be looked at */
    VEC(struct insn) insns;
};

/* Makes one call of each of the @count functions in a process of its own, instruction by
 * instruction (ptrace), with a typical argument. @out has room for @count. Some 10 microseconds, on
 * virtual machines up to 300, for each instruction. Any thread; call_code_done frees. */
void call_codes_find(const char *const *names, size_t count, struct call_code *out);
void call_code_done(struct call_code *code);

#endif
