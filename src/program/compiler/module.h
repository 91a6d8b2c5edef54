/* A compiled file as LLVM sees it after optimisation: its blocks and references are numbered and
 * described, then the same code is written twice, once with the block's number as each
 * instruction's source line, once with counters and trace calls. Part of portolan-cc alone. One
 * thread. */
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
    REFERENCE_SCALAR,      /* one address, a size known now */
    REFERENCE_RANGE,       /* address and length */
    REFERENCE_GATHER,      /* a vector of addresses under a mask */
};

struct module_reference {
    LLVMValueRef insn;
    enum reference_kind kind;
    unsigned block, operand;       /* of the address; REFERENCE_RANGE: the length is operand 2 */
    int mask_operand;              /* REFERENCE_GATHER */
    unsigned size;                 /* bytes */
    bool write;
    bool fixed;                    /* at a fixed place: of the frame, or of a global variable */
};

struct module_block {
    LLVMBasicBlockRef block;
    unsigned function;             /* its number among those with code */
};

struct module {
    LLVMContextRef context;
    LLVMModuleRef module;
    char *key;                     /* 16 hex digits, of the code and where it comes from */
    VEC(struct module_block) blocks;
    VEC(struct module_reference) references;
};

/* Reads LLVM's bitcode; @source goes into the key. NULL with err. */
struct module *module_read(const char *path, const char *source, struct err *err);
void module_free(struct module *m);
/* The functions and blocks with their instructions, as an array for the description; new. Before
 * module_instrument. */
json_t *module_describe(struct module *m);
/* Writes a copy whose instructions' source lines are the block's number + 1, so that machine code
 * maps to blocks; otherwise unchanged. */
bool module_write_plain(struct module *m, const char *path, struct err *err);
/* Adds counters and trace calls (runtime/runtime.h) and the description @about, then writes it. Its
 * counters are those of several threads where @threads or the module says so. Once. */
bool module_write_traced(struct module *m, bool threads, const char *about, size_t length,
                         const char *path, struct err *err);

/* In instrument.c and number.c, which write the above. */
bool module_write(LLVMModuleRef module, const char *path, struct err *err);
void module_number_lines(LLVMModuleRef module);
/* Whether @function has code that ends up in this object. */
bool module_has_code(LLVMValueRef function);

#endif
