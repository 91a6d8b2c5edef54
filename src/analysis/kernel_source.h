/* Kernels from C and C++: compiled here, with the source line beside each instruction. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_SOURCE_H
#define PORTOLAN_ANALYSIS_KERNEL_SOURCE_H

#include "analysis/kernel.h"

/* Compiles @path (see toolchain/compile.h for what @flags may be) and takes the hottest-looking loop of the assembler text; with
 * options->symbol only that function is searched. NULL on failure. */
struct kernel *kernel_from_source(const char *path, const char *compiler, const char *const *flags, size_t flag_count,
                                  const struct kernel_options *options, struct err *err);

#endif
