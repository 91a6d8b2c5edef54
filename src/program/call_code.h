/* Finds the code of mathematical library functions that this CPU executes: the library has several
 * versions of most, and only a run shows which version and path is used. */
#ifndef PORTOLAN_PROGRAM_CALL_CODE_H
#define PORTOLAN_PROGRAM_CALL_CODE_H

#include "base/vec.h"
#include "isa/insn.h"

#define CALL_CODE_MOST 400         /* instructions per call */

struct call_code {
    const char *name;              /* as requested, borrowed */
    /* without texts, offsets from the first instruction, including the last return. Empty: unknown,
     * too long, or tracing is not permitted */
    VEC(struct insn) insns;
};

/* Executes one call of each of the @count functions in a child process, single-stepped by ptrace,
 * with a typical argument. @out has room for @count. Takes some 10 microseconds per instruction, on
 * virtual machines up to 300. Any thread; call_code_done frees. */
void call_codes_find(const char *const *names, size_t count, struct call_code *out);
void call_code_done(struct call_code *code);

#endif
