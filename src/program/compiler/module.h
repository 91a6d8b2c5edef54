/* A compiled file in LLVM after optimisation, with numbered and described blocks and references.
 * Two versions of the code are made: one with block numbers as source lines, one with counters and
 * trace calls. Only for portolan-cc. One thread. */
#ifndef PORTOLAN_PROGRAM_COMPILER_MODULE_H
#define PORTOLAN_PROGRAM_COMPILER_MODULE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"

typedef struct LLVMOpaqueContext *LLVMContextRef;
typedef struct LLVMOpaqueModule *LLVMModuleRef;
typedef struct LLVMOpaqueBasicBlock *LLVMBasicBlockRef;
typedef struct LLVMOpaqueValue *LLVMValueRef;

enum reference_kind {
    REFERENCE_SCALAR,      /* one address, constant size */
    REFERENCE_RANGE,       /* address and length */
    REFERENCE_GATHER,      /* a vector of addresses under a mask */
};

struct module_reference {
    LLVMValueRef insn;
    enum reference_kind kind;
    /* @operand: index of the address. For REFERENCE_RANGE, operand 2 is the length. */
    unsigned block, operand;
    int mask_operand;              /* operand with the mask, for REFERENCE_GATHER */
    unsigned size;                 /* size of the access in bytes */
    bool write;
    bool fixed;                    /* whether the address is constant, that is, of a frame or
                                    * global variable */
};

struct module_block {
    LLVMBasicBlockRef block;
    unsigned function;             /* index among the functions with code */
    /* number of the block's selects that are branches in the machine code */
    unsigned selects;
};

struct module {
    LLVMContextRef context;
    LLVMModuleRef module;
    char *key;                     /* hash of code and source, in 16 hexadecimal digits */
    VEC(struct module_block) blocks;
    VEC(struct module_reference) references;
};

/* Reads LLVM bitcode. @source is part of the key. Returns NULL with err on failure. */
struct module *module_read(const char *path, const char *source, struct err *err);
void module_free(struct module *m);
/* Returns whether @insn is a select of one value, or a minimum or maximum of two integers. */
bool module_selects(LLVMValueRef insn);
/* Sets the number of selects of each block that became branches in @assembly, the code of
 * module_plain. A branch of other code within a block, such as a loop of compare-and-exchange,
 * counts only if the block has a select. */
void module_find_selects(struct module *m, const char *assembly);
/* Returns a new array with the description of functions, blocks and their instructions. Call it
 * before module_trace. */
json_t *module_describe(struct module *m);
/* Returns a copy of the module whose source line numbers are block numbers + 1. The line numbers
 * assign machine code to blocks. The code is otherwise unchanged. The caller disposes of the copy
 * before @m. */
LLVMModuleRef module_plain(const struct module *m);
/* Adds counters and trace calls (runtime/layout.h) and the description @about to the module.
 * Counters are atomic if @threads is true or the module starts threads. Call it once. */
void module_trace(struct module *m, bool threads, const char *about, size_t length);

/* Numbers the source lines of a module. Internal to instrument.c and number.c. */
void module_number_lines(LLVMModuleRef module);
/* Returns whether @function has code in this object. */
bool module_has_code(LLVMValueRef function);

#endif
