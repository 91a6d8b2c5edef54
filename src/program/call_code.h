/* Finds the instructions that this CPU executes in mathematical library functions. Most of these
 * functions have several versions, and only a run shows which version and which path is
 * executed. */
#ifndef PORTOLAN_PROGRAM_CALL_CODE_H
#define PORTOLAN_PROGRAM_CALL_CODE_H

#include "base/vec.h"
#include "isa/insn.h"

#define CALL_CODE_MOST 400         /* maximum number of stored instructions of a call */

struct call_code {
    const char *name;              /* requested name, borrowed */
    /* Instructions without text, up to and including the last return. Offsets are relative to the
     * first one. Empty: the code is unknown or too long, or tracing is not permitted. */
    VEC(struct insn) insns;
};

/* Executes one call of each of the @count functions with a typical argument, in a child process
 * that ptrace single-steps. @out has @count entries, each of which call_code_done frees. Each
 * instruction takes two changes of process, which are slow on virtual machines. Any thread. */
void call_codes_find(const char *const *names, size_t count, struct call_code *out);
void call_code_done(struct call_code *code);

#endif
