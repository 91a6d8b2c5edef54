/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instruments a module. Counters count the executions of each block, and of each conditional branch
 * whose condition is true. Trace calls precede each reference, and surround each call of external
 * code. */
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/mem.h"
#include "base/vec.h"
#include "config.h"
#include "program/compiler/module.h"
#include "program/runtime/layout.h"

struct additions {
    bool threads;                /* whether several threads may update counters */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef word, pointer, touch_type, access_type, calls_type, at_type, begin_type, end_type,
        mark_type, branch_type;
    LLVMValueRef counts, access, calls, touch, touch_range, store, load, call_at, begin, end, enter,
        leave, jump, branch, mispredicted;
};

static LLVMValueRef word(const struct additions *a, uint64_t value)
{
    return LLVMConstInt(a->word, value, false);
}

static LLVMValueRef global(const struct additions *a, LLVMTypeRef type, const char *name,
                           LLVMValueRef value)
{
    LLVMValueRef g = LLVMAddGlobal(a->module, type, name);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetInitializer(g, value ? value : LLVMConstNull(type));
    return g;
}

/* Emits counts[@index] += @amount at the builder's position, atomically for programs with
 * threads. */
static void add_count(const struct additions *a, uint64_t index, LLVMValueRef amount)
{
    LLVMValueRef at = word(a, index), place = LLVMConstGEP2(a->word, a->counts, &at, 1);
    if (a->threads) {
        LLVMBuildAtomicRMW(a->builder, LLVMAtomicRMWBinOpAdd, place, amount,
                           LLVMAtomicOrderingMonotonic, false);
        return;
    }
    LLVMValueRef sum =
        LLVMBuildAdd(a->builder, LLVMBuildLoad2(a->builder, a->word, place, ""), amount, "");
    LLVMBuildStore(a->builder, sum, place);
}

/* Returns the first instruction of @block before which code can be inserted; NULL: none. */
static LLVMValueRef first_place(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    for (; i; i = LLVMGetNextInstruction(i))
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMPHI:
        case LLVMLandingPad:
        case LLVMCatchPad:
        case LLVMCleanupPad: continue;
        case LLVMCatchSwitch: return NULL;
        default: return i;
        }
    return NULL;
}

/* Emits a call that passes the outcome of branch number @number of block @index to the predictor.
 * @condition: an integer of one bit. Branch 0 ends the block. */
static void trace_branch(const struct additions *a, uint64_t index, uint64_t number,
                         LLVMValueRef condition)
{
    LLVMValueRef at = word(a, index), taken = LLVMBuildZExt(a->builder, condition, a->word, ""),
                 both = LLVMBuildOr(a->builder, taken, word(a, 2 * number), ""),
                 arguments[] = {LLVMConstGEP2(a->word, a->mispredicted, &at, 1), both};
    LLVMBuildCall2(a->builder, a->branch_type, a->branch, arguments, 2, "");
}

/* Returns the comparison of @insn, a minimum or maximum of integers; 0: another instruction. */
static LLVMIntPredicate comparison_of(LLVMValueRef insn)
{
    static const struct { const char *name; LLVMIntPredicate less; } least[] = {
        {"llvm.smin.", LLVMIntSLT}, {"llvm.smax.", LLVMIntSGT},
        {"llvm.umin.", LLVMIntULT}, {"llvm.umax.", LLVMIntUGT}};
    size_t length;
    LLVMValueRef callee = LLVMIsACallInst(insn) ? LLVMGetCalledValue(insn) : NULL;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        if (strncmp(name, least[i].name, strlen(least[i].name)) == 0)
            return least[i].less;
    return 0;
}

bool module_selects(LLVMValueRef insn)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(insn));

    return kind != LLVMVectorTypeKind && kind != LLVMScalableVectorTypeKind &&
           (LLVMGetInstructionOpcode(insn) == LLVMSelect || comparison_of(insn));
}

/* Traces @count selects of @block, which are assumed to be the branches in the machine code: the
 * first ones with different conditions that the block computes. Conditions from other blocks hardly
 * change. */
static void trace_selects(const struct additions *a, LLVMBasicBlockRef block, uint64_t index,
                          unsigned count)
{
    VEC(LLVMValueRef) seen = {0};

    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i && seen.count < count; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!module_selects(i))
            continue;
        LLVMPositionBuilderBefore(a->builder, next);
        LLVMValueRef condition =
            LLVMGetInstructionOpcode(i) == LLVMSelect
                ? LLVMGetOperand(i, 0)
                : LLVMBuildICmp(a->builder, comparison_of(i), LLVMGetOperand(i, 0),
                                LLVMGetOperand(i, 1), "");
        bool fresh = LLVMIsAInstruction(condition) && LLVMGetInstructionParent(condition) == block;
        for (size_t k = 0; fresh && k < seen.count; k++)
            fresh = seen.items[k] != condition;
        if (!fresh)
            continue;
        vec_push(&seen, condition);
        trace_branch(a, index, seen.count, condition);
    }
    vec_done(&seen);
}

static void count_block(const struct additions *a, LLVMBasicBlockRef block, uint64_t index)
{
    LLVMValueRef first = first_place(block), last = LLVMGetBasicBlockTerminator(block);

    if (!first)
        return;
    LLVMPositionBuilderBefore(a->builder, first);
    add_count(a, 2 * index, word(a, 1));
    if (LLVMGetInstructionOpcode(last) == LLVMBr && LLVMIsConditional(last)) {
        LLVMPositionBuilderBefore(a->builder, last);
        add_count(a, 2 * index + 1,
                  LLVMBuildZExt(a->builder, LLVMGetCondition(last), a->word, ""));
        trace_branch(a, index, 0, LLVMGetCondition(last));
    }
}

static void call(const struct additions *a, LLVMValueRef function, LLVMValueRef access,
                 LLVMValueRef address, LLVMValueRef size)
{
    LLVMValueRef arguments[] = {access, address, size};
    LLVMBuildCall2(a->builder, a->touch_type, function, arguments, 3, "");
}

/* Emits one trace call per element of a gather or scatter. For an element that the mask excludes,
 * the traced address is null. */
static void trace_gather(const struct additions *a, const struct module_reference *r,
                         LLVMValueRef access)
{
    LLVMValueRef addresses = LLVMGetOperand(r->insn, r->operand),
                 mask = LLVMGetOperand(r->insn, (unsigned)r->mask_operand);
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(addresses));

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef at = word(a, i),
                     address = LLVMBuildExtractElement(a->builder, addresses, at, "");
        LLVMValueRef on = LLVMBuildExtractElement(a->builder, mask, at, "");
        call(a, a->touch, access,
             LLVMBuildSelect(a->builder, on, address, LLVMConstNull(a->pointer), ""),
             word(a, r->size));
    }
}

static void trace(const struct additions *a, const struct module_reference *r, size_t index)
{
    LLVMValueRef at = word(a, index), access = LLVMConstGEP2(a->access_type, a->access, &at, 1);

    LLVMPositionBuilderBefore(a->builder, r->insn);
    if (r->kind == REFERENCE_GATHER) {
        trace_gather(a, r, access);
    } else if (r->kind == REFERENCE_RANGE) {
        LLVMValueRef length =
            LLVMBuildIntCast2(a->builder, LLVMGetOperand(r->insn, 2), a->word, false, "");
        call(a, a->touch_range, access, LLVMGetOperand(r->insn, r->operand), length);
    } else {
        call(a, r->write ? a->store : a->load, access, LLVMGetOperand(r->insn, r->operand),
             word(a, r->size));
    }
}

/* Returns whether a return must directly follow the call @insn ([[clang::musttail]]). */
static bool must_end(LLVMValueRef insn)
{
#if LLVM_MAJOR >= 18
    return LLVMGetTailCallKind(insn) == LLVMTailCallKindMustTail;
#else
    /* LLVM's C interface does not return this attribute. The instruction's printed text begins with
     * it: "musttail call ...", or "%3 = musttail call ...". */
    char *text = LLVMPrintValueToString(insn);
    const char *call = text + strspn(text, " "),
               *equals = *call == '%' ? strstr(call, " = ") : NULL;
    bool must = strncmp(equals ? equals + 3 : call, "musttail ", 9) == 0;

    LLVMDisposeMessage(text);
    return must;
#endif
}

/* Returns whether @insn calls or invokes a function that is not in this object. Returns false for
 * indirect calls, intrinsics, functions of the runtime, setjmp and vfork. */
static bool calls_other(LLVMValueRef insn)
{
    static const char *const others[] = {"llvm.",       "portolan_", "setjmp", "_setjmp",
                                         "__sigsetjmp", "sigsetjmp", "vfork"};
    const LLVMOpcode code = LLVMGetInstructionOpcode(insn);
    LLVMValueRef callee = code == LLVMCall || code == LLVMInvoke ? LLVMGetCalledValue(insn) : NULL;
    size_t length;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee))
        return false;
    const char *name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

/* Returns whether @insn calls a function that is not in this object and can return. Returns false
 * if a return must directly follow the call. */
static bool leaves(LLVMValueRef insn)
{
    unsigned ends = LLVMGetEnumAttributeKindForName("noreturn", 8);

    return LLVMGetInstructionOpcode(insn) == LLVMCall && calls_other(insn) &&
           !LLVMGetEnumAttributeAtIndex(LLVMGetCalledValue(insn), LLVMAttributeFunctionIndex,
                                        ends) &&
           !must_end(insn);
}

/* Returns whether @insn ends active functions without a return (longjmp). */
static bool jumps(LLVMValueRef insn)
{
    static const char *const names[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(insn), &length);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void time_calls(const struct additions *a, LLVMBasicBlockRef block, uint64_t index)
{
    LLVMValueRef at = word(a, index), calls = LLVMConstGEP2(a->calls_type, a->calls, &at, 1);

    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!calls_other(i))
            continue;
        LLVMPositionBuilderBefore(a->builder, i);
        LLVMBuildCall2(a->builder, a->at_type, a->call_at, &calls, 1, "");
        if (jumps(i))
            LLVMBuildCall2(a->builder, a->mark_type, a->jump, NULL, 0, "");
        if (!next || !leaves(i))
            continue;
        LLVMValueRef begun = LLVMBuildCall2(a->builder, a->begin_type, a->begin, NULL, 0, ""),
                     arguments[] = {calls, begun};
        LLVMPositionBuilderBefore(a->builder, next);
        LLVMBuildCall2(a->builder, a->end_type, a->end, arguments, 2, "");
    }
}

/* Returns whether code of other objects may call @function: it has external linkage, or its address
 * is taken. Returns false for main. */
static bool called_back(LLVMValueRef function)
{
    size_t length;
    LLVMLinkage linkage = LLVMGetLinkage(function);

    if (strcmp(LLVMGetValueName2(function, &length), "main") == 0)
        return false;
    if (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage)
        return true;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
            return true;
        for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
            if (LLVMGetOperand(user, i) == function)
                return true;
    }
    return false;
}

/* Emits a call at the start of @function and at each return. A function that an exception ends has
 * no call there. */
static void mark_ends(const struct additions *a, LLVMValueRef function)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);

    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
        if (!last || LLVMGetInstructionOpcode(last) != LLVMRet)
            continue;
        for (LLVMValueRef before = LLVMGetPreviousInstruction(last);
             before && LLVMIsACallInst(before) && must_end(before); before = NULL)
            last = before;
        LLVMPositionBuilderBefore(a->builder, last);
        LLVMBuildCall2(a->builder, a->mark_type, a->leave, NULL, 0, "");
    }
    while (LLVMGetInstructionOpcode(first) == LLVMAlloca)
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(a->builder, first);
    LLVMBuildCall2(a->builder, a->mark_type, a->enter, NULL, 0, "");
}

/* Adds the unit's data, and a pointer to it in the linker's section. */
static void add_unit(const struct additions *a, const struct module *m)
{
    LLVMValueRef key =
        LLVMConstStringInContext(a->context, m->key, (unsigned)strlen(m->key), false);
    LLVMTypeRef members[] = {a->word,    a->word,    a->word,    a->pointer,
                             a->pointer, a->pointer, a->pointer, a->pointer};
    LLVMValueRef values[] = {word(a, PORTOLAN_RUNTIME_VERSION),
                             word(a, m->blocks.count),
                             word(a, m->references.count),
                             global(a, LLVMTypeOf(key), "portolan.key", key),
                             a->counts,
                             a->access,
                             a->calls,
                             a->mispredicted};
    LLVMTypeRef type = LLVMStructTypeInContext(a->context, members, 8, false);
    LLVMValueRef unit =
        global(a, type, "portolan.unit", LLVMConstStructInContext(a->context, values, 8, false));
    LLVMSetSection(global(a, a->pointer, "portolan.unit.at", unit), PORTOLAN_UNIT_SECTION);
}

static void add_description(const struct additions *a, const char *about, size_t length)
{
    LLVMValueRef text = LLVMConstStringInContext(a->context, about, (unsigned)length, true);
    LLVMValueRef g = global(a, LLVMTypeOf(text), "portolan.about", text);
    LLVMSetGlobalConstant(g, true);
    LLVMSetAlignment(g, 1);
    LLVMSetSection(g, PORTOLAN_ABOUT_SECTION);
}

/* Returns whether the module calls a known function that starts threads. */
static bool starts_threads(LLVMModuleRef module)
{
    static const char *const names[] = {"pthread_create", "thrd_create", "__kmpc_fork",
                                        "GOMP_parallel", "_ZNSt6thread"};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(name, names[i], strlen(names[i])) == 0)
                return true;
    }
    return false;
}

void module_trace(struct module *m, bool threads, const char *about, size_t length)
{
    struct additions a = {.threads = threads || starts_threads(m->module),
                          .context = m->context,
                          .module = m->module,
                          .builder = LLVMCreateBuilderInContext(m->context)};

    LLVMStripModuleDebugInfo(m->module);
    a.word = LLVMInt64TypeInContext(a.context);
    a.pointer = LLVMPointerTypeInContext(a.context, 0);
    a.access_type = LLVMArrayType2(a.word, sizeof(struct portolan_access_) / 8);
    LLVMTypeRef parameters[] = {a.pointer, a.pointer, a.word};
    a.touch_type = LLVMFunctionType(LLVMVoidTypeInContext(a.context), parameters, 3, false);
    a.touch = LLVMAddFunction(m->module, PORTOLAN_TOUCH, a.touch_type);
    a.store = LLVMAddFunction(m->module, PORTOLAN_STORE, a.touch_type);
    a.load = LLVMAddFunction(m->module, PORTOLAN_LOAD, a.touch_type);
    a.touch_range = LLVMAddFunction(m->module, PORTOLAN_TOUCH_RANGE, a.touch_type);
    LLVMTypeRef branched[] = {a.pointer, a.word};
    a.branch_type = LLVMFunctionType(LLVMVoidTypeInContext(a.context), branched, 2, false);
    a.branch = LLVMAddFunction(m->module, PORTOLAN_BRANCH, a.branch_type);
    a.mispredicted =
        global(&a, LLVMArrayType2(a.word, m->blocks.count + 1), "portolan.mispredicted", NULL);
    a.counts = global(&a, LLVMArrayType2(a.word, 2 * m->blocks.count + 1), "portolan.counts", NULL);
    a.access =
        global(&a, LLVMArrayType2(a.access_type, m->references.count + 1), "portolan.access", NULL);
    a.calls_type = LLVMArrayType2(a.word, sizeof(struct portolan_calls_) / 8);
    a.calls = global(&a, LLVMArrayType2(a.calls_type, m->blocks.count + 1), "portolan.calls", NULL);
    a.begin_type = LLVMFunctionType(a.word, NULL, 0, false);
    LLVMTypeRef ended[] = {a.pointer, a.word};
    a.end_type = LLVMFunctionType(LLVMVoidTypeInContext(a.context), ended, 2, false);
    a.at_type = LLVMFunctionType(LLVMVoidTypeInContext(a.context), &a.pointer, 1, false);
    a.call_at = LLVMAddFunction(m->module, PORTOLAN_CALL_AT, a.at_type);
    a.begin = LLVMAddFunction(m->module, PORTOLAN_CALL_BEGIN, a.begin_type);
    a.end = LLVMAddFunction(m->module, PORTOLAN_CALL_END, a.end_type);
    a.mark_type = LLVMFunctionType(LLVMVoidTypeInContext(a.context), NULL, 0, false);
    a.enter = LLVMAddFunction(m->module, PORTOLAN_ENTER, a.mark_type);
    a.leave = LLVMAddFunction(m->module, PORTOLAN_LEAVE, a.mark_type);
    a.jump = LLVMAddFunction(m->module, PORTOLAN_JUMP, a.mark_type);
    for (size_t i = 0; i < m->blocks.count; i++)
        trace_selects(&a, m->blocks.items[i].block, i, m->blocks.items[i].selects);
    for (size_t i = 0; i < m->blocks.count; i++)
        time_calls(&a, m->blocks.items[i].block, i);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f) && called_back(f))
            mark_ends(&a, f);
    for (size_t i = 0; i < m->references.count; i++)
        trace(&a, &m->references.items[i], i);
    for (size_t i = 0; i < m->blocks.count; i++)
        count_block(&a, m->blocks.items[i].block, i);
    add_unit(&a, m);
    add_description(&a, about, length);
    LLVMDisposeBuilder(a.builder);
}
