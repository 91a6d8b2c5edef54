/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control flow of a file from LLVM's scalar evolution: trip counts, conditions, arguments and
 * stores as expressions of their inputs. Only for portolan-cc. One thread. */
#ifndef PORTOLAN_PROGRAM_COMPILER_CONTROL_H
#define PORTOLAN_PROGRAM_COMPILER_CONTROL_H

#include <jansson.h>

typedef struct LLVMOpaqueModule *LLVMModuleRef;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the control flow of @module as a new JSON object in the form of program/control.h.
 * "functions" has one object per function with code, in the module's order. Each has "blocks" in
 * the function's order. Converts frame variables to values, so @module must be a copy of the
 * compiled module. */
json_t *control_describe(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif
