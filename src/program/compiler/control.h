/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LLVM's scalar evolution of a file's control flow: trip counts, conditions, arguments and stores,
 * as expressions of their inputs. Part of portolan-cc alone. One thread. */
#ifndef PORTOLAN_PROGRAM_COMPILER_CONTROL_H
#define PORTOLAN_PROGRAM_COMPILER_CONTROL_H

#include <jansson.h>

typedef struct LLVMOpaqueModule *LLVMModuleRef;

#ifdef __cplusplus
extern "C" {
#endif

/* The control flow of @module (program/control.h has the form): "functions" has one object per
 * function with code, in the module's order, with "blocks" in their order. Promotes variables of
 * frames to values: @module must be a copy of what is compiled. New. */
json_t *control_describe(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif
