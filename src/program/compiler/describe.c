/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes each block: successors, calls, references, and its graphlet (instruction classes with
 * dependences within the block). */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/mem.h"
#include "base/str.h"
#include "program/compiler/control.h"
#include "program/compiler/module.h"

/* Returns the class of a call (program/graphlet.h); NULL if it generates no instruction. */
static const char *class_of_call(const char *name)
{
    static const struct { const char *prefix, *class;
    } known[] = {{"llvm.dbg", NULL},           {"llvm.lifetime", NULL},
                 {"llvm.assume", NULL},        {"llvm.experimental.noalias", NULL},
                 {"llvm.invariant", NULL},     {"llvm.fma", "fmul"},
                 {"llvm.fmuladd", "fmul"},     {"llvm.sqrt", "fdiv"},
                 {"llvm.fabs", "logic"},       {"llvm.copysign", "logic"},
                 {"llvm.minnum", "fadd"},      {"llvm.maxnum", "fadd"},
                 {"llvm.smax", "iadd"},        {"llvm.smin", "iadd"},
                 {"llvm.umax", "iadd"},        {"llvm.umin", "iadd"},
                 {"llvm.abs", "iadd"},         {"llvm.vector.reduce", "fadd"},
                 {"llvm.masked.load", "load"}, {"llvm.masked.gather", "load"},
                 {"llvm.masked.s", "store"},   {"llvm.ctpop", "logic"},
                 {"llvm.fsh", "logic"},        {"llvm.memcpy", "load"},
                 {"llvm.memmove", "load"},     {"llvm.memset", "store"}};
    /* Intrinsics that may become calls of the mathematical library */
    static const char *const functions[] = {
        "pow",   "exp",    "log",     "sin",   "cos",    "tan",   "asin",
        "acos",  "atan",   "floor",   "ceil",  "trunc",  "rint",  "nearbyint",
        "round", "lround", "llround", "lrint", "llrint", "ldexp", "frexp"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(name, known[i].prefix, strlen(known[i].prefix)) == 0)
            return known[i].class;
    if (strncmp(name, "llvm.", 5) != 0)
        return "call";
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strncmp(name + 5, functions[i], strlen(functions[i])) == 0)
            return "call";
    /* All other intrinsics become instructions, such as saturating arithmetic, byte swaps or bit
     * counts. */
    return "logic";
}

static const char *class_of(LLVMValueRef insn, const char *callee)
{
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMBitCast:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMFreeze:
    case LLVMUnreachable:
    case LLVMLandingPad:
        return NULL;
    case LLVMAdd:
    case LLVMSub:
    case LLVMICmp:
    case LLVMGetElementPtr:
        return "iadd";
    case LLVMMul:
        return "imul";
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return "idiv";
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFCmp:
        return "fadd";
    case LLVMFMul:
        return "fmul";
    case LLVMFDiv:
    case LLVMFRem:
        return "fdiv";
    case LLVMLoad:
        return "load";
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return "store";
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
        return "convert";
    case LLVMBr:
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMRet:
    case LLVMInvoke:
    case LLVMResume:
        return "branch";
    case LLVMCall:
        return class_of_call(callee);
    default:
        return "logic";
    }
}

/* Returns a JSON string with the instruction's class and the indices of its inputs in @list. */
static json_t *describe_insn(LLVMValueRef insn, const char *class, const LLVMValueRef *list,
                             size_t count)
{
    struct str text = {0};

    str_add(&text, class);
    for (int k = 0; k < LLVMGetNumOperands(insn); k++) {
        LLVMValueRef operand = LLVMGetOperand(insn, (unsigned)k);
        for (size_t i = count; i-- > 0;)
            if (list[i] == operand) {
                str_addf(&text, " %zu", i);
                break;
            }
    }
    json_t *value = json_string(str_text(&text));
    str_done(&text);
    return value;
}

static void describe_insns(LLVMBasicBlockRef block, json_t *out)
{
    VEC(LLVMValueRef) list = {0};
    json_t *ops = json_array(), *calls = json_array();
    unsigned line = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        const char *callee = "";
        size_t length;
        if (opcode == LLVMCall || opcode == LLVMInvoke) {
            LLVMValueRef called = LLVMGetCalledValue(i);
            callee = called && LLVMIsAFunction(called) ? LLVMGetValueName2(called, &length) : "";
        }
        const char *class = class_of(i, callee);
        if (!class)
            continue;
        line = line ? line : LLVMGetDebugLocLine(i);
        const bool assembly = (opcode == LLVMCall || opcode == LLVMInvoke) &&
                              LLVMIsAInlineAsm(LLVMGetCalledValue(i));
        if (!assembly && (strcmp(class, "call") == 0 || opcode == LLVMInvoke))
            json_array_append_new(calls, json_string(*callee ? callee : "(pointer)"));
        json_array_append_new(ops, describe_insn(i, class, list.items, list.count));
        vec_push(&list, i);
    }
    vec_done(&list);
    json_object_set_new(out, "line", json_integer(line));
    json_object_set_new(out, "ops", ops);
    json_object_set_new(out, "calls", calls);
}

static json_t *describe_block(struct module *m, size_t index)
{
    json_t *out = json_object(), *next = json_array();
    LLVMBasicBlockRef block = m->blocks.items[index].block;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    unsigned ways = last ? LLVMGetNumSuccessors(last) : 0;

    describe_insns(block, out);
    for (unsigned k = 0; k < ways; k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(last, k);
        size_t at = index;
        while (at > 0 && m->blocks.items[at - 1].function == m->blocks.items[index].function)
            at--;
        while (at < m->blocks.count && m->blocks.items[at].block != to)
            at++;
        json_array_append_new(next, json_integer((json_int_t)at));
    }
    json_object_set_new(out, "next", next);
    json_object_set_new(
        out, "two_way",
        json_boolean(last && LLVMGetInstructionOpcode(last) == LLVMBr && LLVMIsConditional(last)));
    if (m->blocks.items[index].selects)
        json_object_set_new(out, "selects", json_integer(m->blocks.items[index].selects));
    return out;
}

static json_t *describe_references(const struct module *m)
{
    json_t *all = json_array();
    for (size_t i = 0; i < m->references.count; i++) {
        const struct module_reference *r = &m->references.items[i];
        json_array_append_new(all, json_pack("{s:i, s:i, s:b, s:b}", "block", (int)r->block,
                                             "bytes", (int)r->size, "write", (int)r->write, "fixed",
                                             (int)r->fixed));
    }
    return all;
}

json_t *module_describe(struct module *m)
{
    LLVMModuleRef copy = LLVMCloneModule(m->module);
    json_t *functions = json_array(), *blocks = NULL, *control = control_describe(copy),
           *flows = json_object_get(control, "functions");
    size_t at = 0;

    LLVMDisposeModule(copy);

    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (!module_has_code(f))
            continue;
        blocks = json_array();
        for (unsigned function = m->blocks.items[at].function;
             at < m->blocks.count && m->blocks.items[at].function == function; at++)
            json_array_append_new(blocks, describe_block(m, at));
        json_t *flow = json_array_get(flows, json_array_size(functions));
        json_array_append_new(functions,
                              json_pack("{s:s, s:o, s:O}", "name", LLVMGetValueName2(f, &length),
                                        "blocks", blocks, "control", flow));
    }
    json_object_set_new(control, "key", json_string(m->key));
    json_object_set_new(control, "functions", functions);
    json_object_set_new(control, "references", describe_references(m));
    return control;
}
