/* llvm-mca of the installed LLVM 22, run on assembler text: for its tables, and for the times of
 * blocks. Any thread. */
#ifndef PORTOLAN_IO_LLVM_MCA_H
#define PORTOLAN_IO_LLVM_MCA_H

#include "base/str.h"
#include "isa/insn.h"

enum llvm_mca_end { LLVM_MCA_DONE, LLVM_MCA_FAILED, LLVM_MCA_DIED };

/* Whether @cpu may be passed to it as a name. Features that LLVM leaves off are appended to the
 * name: neoverse-v2+aes+sha2. */
bool llvm_mca_cpu(const char *cpu, struct err *err);
/* Runs it (from $PORTOLAN_LLVM_MCA, else llvm-mca-22, else llvm-mca) with @extra on @input, its
 * report in @out. Its complaint is in @err; with LLVM_MCA_DIED, also of a signal. */
enum llvm_mca_end llvm_mca_run(enum isa isa, const char *cpu, const char *extra,
                               const struct str *input, struct str *out, struct err *err);
/* Runs it once over each region of @input, its timelines in @out as JSON. */
enum llvm_mca_end llvm_mca_timeline(enum isa isa, const char *cpu, const struct str *input,
                                    struct str *out, struct err *err);
/* Cycles per iteration of each of @n blocks, repeated, by LLVM's model of @cpu, into @cycles; NaN
 * for a block with an instruction that it does not know, or that it dies of. @code_of gives the
 * instructions of block @i. False with err when it does not run. */
bool llvm_mca_times(enum isa isa, const char *cpu,
                    const struct insn *(*code_of)(const void *blocks, size_t i, size_t *count),
                    const void *blocks, size_t n, double *cycles, struct err *err);

#endif
