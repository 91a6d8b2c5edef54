/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code of a module, as clang generates it. Part of portolan-cc only. One thread. */
#ifndef PORTOLAN_PROGRAM_COMPILER_GENERATE_H
#define PORTOLAN_PROGRAM_COMPILER_GENERATE_H

#include <stddef.h>

typedef struct LLVMOpaqueModule *LLVMModuleRef;

#ifdef __cplusplus
extern "C" {
#endif

enum generated { GENERATED_ASSEMBLY, GENERATED_OBJECT };

/* Writes the machine code of the optimised @module to the file @path. @words: clang's options -O,
 * -f and -m with their values. Returns NULL on success, otherwise the reason for the failure, which
 * the caller frees. */
char *generate_code(LLVMModuleRef module, const char *const *words, size_t count,
                    enum generated kind, const char *path);

#ifdef __cplusplus
}
#endif

#endif
