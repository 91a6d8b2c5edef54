/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/compiler/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>

#include "base/file.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/utf8_text.h"
#include "program/compiler/selects.h"

#define BITCODE_LIMIT ((size_t)256 << 20)

bool module_has_code(LLVMValueRef function)
{
    unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);
    return LLVMCountBasicBlocks(function) > 0 &&
           LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage &&
           !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, naked);
}

static const char *callee_name(LLVMValueRef insn)
{
    LLVMValueRef callee = LLVMGetCalledValue(insn);
    size_t length;
    return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

static unsigned size_of(LLVMModuleRef module, LLVMTypeRef type)
{
    (void)module;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 2;
    case LLVMFloatTypeKind:
        return 4;
    case LLVMX86_FP80TypeKind:
        return 10;
    case LLVMFP128TypeKind:
        return 16;
    case LLVMIntegerTypeKind:
        return (LLVMGetIntTypeWidth(type) + 7) / 8;
    case LLVMVectorTypeKind: {
        LLVMTypeRef element = LLVMGetElementType(type);
        bool bits =
            LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) < 8;
        return bits ? (LLVMGetVectorSize(type) * LLVMGetIntTypeWidth(element) + 7) / 8
                    : LLVMGetVectorSize(type) * size_of(module, element);
    }
    case LLVMArrayTypeKind:
        return (unsigned)LLVMGetArrayLength2(type) * size_of(module, LLVMGetElementType(type));
    case LLVMStructTypeKind: {
        unsigned sum = 0;
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            sum += size_of(module, LLVMStructGetTypeAtIndex(type, i));
        return sum ? sum : 1;
    }
    default:
        return 8;   /* size of a pointer in bytes */
    }
}

/* Returns whether @address is constant: that of a frame variable or a global variable. */
static bool is_fixed(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address)) {
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(address); i++)
            if (!LLVMIsAConstantInt(LLVMGetOperand(address, i)))
                return false;
        address = LLVMGetOperand(address, 0);
    }
    return LLVMIsAConstant(address) ||
           (LLVMIsAAllocaInst(address) &&
            LLVMGetInstructionParent(address) ==
                LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(address))));
}

static void add(struct module *m, LLVMValueRef insn, enum reference_kind kind, unsigned operand,
                unsigned size, bool write)
{
    struct module_reference r = {.insn = insn,
                                 .kind = kind,
                                 .block = (unsigned)m->blocks.count - 1,
                                 .operand = operand,
                                 .mask_operand = -1,
                                 .size = size,
                                 .write = write,
                                 .fixed =
                                     LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(insn, operand))) ==
                                         LLVMPointerTypeKind &&
                                     is_fixed(LLVMGetOperand(insn, operand))};
    vec_push(&m->references, r);
}

static unsigned type_size(struct module *m, LLVMValueRef value)
{
    return size_of(m->module, LLVMTypeOf(value));
}

/* Adds the references of an intrinsic or library function that becomes loads and stores. */
static void add_call(struct module *m, LLVMValueRef insn)
{
    const char *name = callee_name(insn);

    if (strncmp(name, "llvm.memset", 11) == 0 || strcmp(name, "memset") == 0) {
        add(m, insn, REFERENCE_RANGE, 0, 0, true);
    } else if (strncmp(name, "llvm.memcpy", 11) == 0 || strncmp(name, "llvm.memmove", 12) == 0 ||
               strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0) {
        add(m, insn, REFERENCE_RANGE, 1, 0, false);
        add(m, insn, REFERENCE_RANGE, 0, 0, true);
    } else if (strncmp(name, "llvm.masked.load", 16) == 0) {
        add(m, insn, REFERENCE_SCALAR, 0, type_size(m, insn), false);
    } else if (strncmp(name, "llvm.masked.store", 17) == 0) {
        add(m, insn, REFERENCE_SCALAR, 1, type_size(m, LLVMGetOperand(insn, 0)), true);
    } else if (strncmp(name, "llvm.masked.gather", 18) == 0 ||
               strncmp(name, "llvm.masked.scatter", 19) == 0) {
        bool write = name[12] == 's';
        LLVMTypeRef data = LLVMTypeOf(write ? LLVMGetOperand(insn, 0) : insn);
        add(m, insn, REFERENCE_GATHER, write, size_of(m->module, LLVMGetElementType(data)), write);
        m->references.items[m->references.count - 1].mask_operand = write ? 3 : 2;
    }
}

static void add_references(struct module *m, LLVMValueRef insn)
{
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMLoad:
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(insn, 0))) == 0)
            add(m, insn, REFERENCE_SCALAR, 0, type_size(m, insn), false);
        break;
    case LLVMStore:
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(insn, 1))) == 0)
            add(m, insn, REFERENCE_SCALAR, 1, type_size(m, LLVMGetOperand(insn, 0)), true);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        add(m, insn, REFERENCE_SCALAR, 0, type_size(m, LLVMGetOperand(insn, 1)), true);
        break;
    case LLVMCall:
    case LLVMInvoke:
        add_call(m, insn);
        break;
    default:
        break;
    }
}

static void number(struct module *m)
{
    unsigned function = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
        if (!module_has_code(f))
            continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            vec_push(&m->blocks, ((struct module_block){b, function, 0}));
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                add_references(m, i);
        }
        function++;
    }
}

/* Appends an error in the bitcode to @state, a string, and prints other diagnostics. Without this
 * handler LLVM ends the program. */
static void take_diagnostic(LLVMDiagnosticInfoRef info, void *state)
{
    char *text = LLVMGetDiagInfoDescription(info);

    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        str_addf(state, ": %s", text);
    else
        utf8_say(stderr, "portolan-cc: %s\n", text);
    LLVMDisposeMessage(text);
}

struct module *module_read(const char *path, const char *source, struct err *err)
{
    struct str bytes = {0}, faults = {0};
    LLVMModuleRef module = NULL;

    if (!file_read(path, BITCODE_LIMIT, &bytes, err)) {
        str_done(&bytes);
        return NULL;
    }
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(str_text(&bytes), bytes.length, path);
    uint64_t hash =
        hash_fixed(hash_fixed(HASH_START, source, strlen(source)), str_text(&bytes), bytes.length);
    LLVMContextSetDiagnosticHandler(context, take_diagnostic, &faults);
    bool ok = LLVMParseBitcodeInContext2(context, buffer, &module) == 0;
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    LLVMDisposeMemoryBuffer(buffer);
    str_done(&bytes);
    if (!ok) {
        char todo[80];
        snprintf(todo, sizeof todo, "install clang-%d, then configure and build Portolan again",
                 LLVM_MAJOR);
        err_set(err, ERR_DATA, todo, "LLVM %d cannot read the bitcode of the compiler%s",
                LLVM_MAJOR, str_text(&faults));
        err_at(err, path, 0, 0);
        str_done(&faults);
        LLVMContextDispose(context);
        return NULL;
    }
    str_done(&faults);
    struct module *m = mem_zero(1, sizeof *m);
    char key[17];
    m->context = context;
    m->module = module;
    snprintf(key, sizeof key, "%016" PRIx64, hash);
    m->key = mem_strdup(key);
    number(m);
    return m;
}

void module_free(struct module *m)
{
    if (!m)
        return;
    LLVMDisposeModule(m->module);
    LLVMContextDispose(m->context);
    free(m->key);
    vec_done(&m->blocks);
    vec_done(&m->references);
    free(m);
}

LLVMModuleRef module_plain(const struct module *m)
{
    LLVMModuleRef copy = LLVMCloneModule(m->module);
    module_number_lines(copy);
    return copy;
}

void module_find_selects(struct module *m, const char *assembly)
{
    unsigned *counts = mem_zero(m->blocks.count + 1, sizeof *counts);

    selects_count(assembly, m->blocks.count, counts);
    for (size_t i = 0; i < m->blocks.count; i++) {
        struct module_block *b = &m->blocks.items[i];
        for (LLVMValueRef insn = LLVMGetFirstInstruction(b->block);
             insn && b->selects < counts[i]; insn = LLVMGetNextInstruction(insn))
            b->selects += module_selects(insn);
    }
    free(counts);
}
