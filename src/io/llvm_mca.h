/* Runs llvm-mca of the installed LLVM 22 on assembler text, for its tables and for times of
 * blocks. */
#ifndef PORTOLAN_IO_LLVM_MCA_H
#define PORTOLAN_IO_LLVM_MCA_H

#include "base/str.h"
#include "isa/insn.h"

enum llvm_mca_end { LLVM_MCA_DONE, LLVM_MCA_FAILED, LLVM_MCA_DIED };

/* Returns whether @cpu is not empty and has only characters of CPU names; false with err otherwise.
 * Features may be appended, as in neoverse-v2+aes+sha2. */
bool llvm_mca_cpu(const char *cpu, struct err *err);
/* Runs llvm-mca ($PORTOLAN_LLVM_MCA, llvm-mca-22 or llvm-mca, in this order) with the option @extra
 * on @input. Writes the report to @out. @err has the error message of llvm-mca, or after
 * LLVM_MCA_DIED the signal. */
enum llvm_mca_end llvm_mca_run(enum isa isa, const char *cpu, const char *extra,
                               const struct str *input, struct str *out, struct err *err);
/* Runs llvm-mca on each region of @input. Writes timelines to @out as JSON. */
enum llvm_mca_end llvm_mca_timeline(enum isa isa, const char *cpu, const struct str *input,
                                    struct str *out, struct err *err);
/* Sets @cycles to the cycles per iteration of @n repeated blocks according to LLVM's model of @cpu.
 * NaN: the block has an unknown instruction or crashes llvm-mca. @code_of returns the instructions
 * of block @i. Returns false with err if llvm-mca does not run. */
bool llvm_mca_times(enum isa isa, const char *cpu,
                    const struct insn *(*code_of)(const void *blocks, size_t i, size_t *count),
                    const void *blocks, size_t n, double *cycles, struct err *err);

#endif
