/* Kernels from C, C++ and Fortran: compiled here, with the source line of each instruction. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_SOURCE_H
#define PORTOLAN_ANALYSIS_KERNEL_SOURCE_H

#include "analysis/kernel.h"

struct recipe;

/* Compiles the file of @r, whose target becomes the one it was compiled for, and takes the
 * hottest-looking loop of the assembler text; with a symbol only that function is searched.
 * *@printed (may be NULL) gets the compiler's messages when there is no kernel. NULL on failure. */
struct kernel *kernel_from_source(struct recipe *r, struct str *printed, struct err *err);

#endif
