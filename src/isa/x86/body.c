/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "isa/body.h"
#include "isa/x86/encode.h"

#define DS_PREFIX 0x3e      /* segment prefix, which 64-bit code ignores */
/* Minimum distance in bytes between loads and written memory. A load that overlaps a word in the
 * store buffer would wait for it. */
#define WORD 8

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Registers of one kind. Some are only read. The others are written in rotation. */
struct register_pool {
    uint8_t read[16], written[32];
    unsigned reads, writes, next_read, next_written;
};

struct x86_allocation {
    struct register_pool general, vector, mask;
    unsigned load_offset, store_offset, load_window;
    bool padded;
    struct body *body;
};

/* Returns whether the instruction accesses memory through implicit registers. Mnemonics alone are
 * not sufficient, because movsd and cmpsd are also scalar SSE instructions, and prefixes may
 * precede string instructions. */
static bool walks(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].implicit &&
            insn->operands[i].access & (ACCESS_READ | ACCESS_WRITE))
            return true;
    return false;
}

/* Returns the reason why no body can contain a form on any CPU; NULL if bodies can contain the
 * form. */
static const char *unfit(const struct insn *insn)
{
    static const char *const serialising[] = {
        "cpuid",    "?fence",   "serialize",   "rdtsc*",   "rdpmc",   "rdrand",
        "rdseed",   "rdpru",    "rdpid",       "clflush*", "clwb",    "pause",
        "cldemote", "mcommit",  "clzero",      "movdir*",  "enqcmd*", "tpause",
        "umwait",   "umonitor", "prefetchwt1", NULL};
    static const char *const streaming[] = {"*movntdq", "*movntps", "*movntpd", "movnti",
                                            "movntq",   "movntsd",  "movntss",  NULL};
    static const char *const state[] = {
        "vzero*",    "*ldmxcsr",  "emms",      "femms",     "xsave*",    "xrstor*",     "fxsave*",
        "fxrstor*",  "rd?sbase",  "wr?sbase",  "xgetbv",    "xsetbv",    "std",         "sti",
        "cli",       "rdpkru",    "wrpkru",    "incssp?",   "rdssp?",    "saveprevssp", "rstorssp",
        "swapgs",    "in",        "out",       "xtest",     "xabort",    "xend",        "xbegin",
        "setssbsy",  "clrssbsy",  "wrss?",     "wruss?",    "ptwrite",   "clui",        "stui",
        "testui",    "lar",       "lsl",       "verr",      "verw",      "sgdt",        "sidt",
        "sldt",      "smsw",      "str",       "xstore",    "montmul",   "xcrypt_*",    "xsha1",
        "xsha256",   "psmash",    "pvalidate", "rmpadjust", "rmpupdate", "encodekey*",  "aesenc*kl",
        "aesdec*kl", "loadiwkey", NULL};
    static const char *const stack[] = {"push*", "pop", "popf*", "enter", "leave", NULL};
    static const char *const walking[] = {"movsb", "movsw",    "movsq",       "stos?", "lods?",
                                          "scas?", "cmpsb",    "cmpsw",       "cmpsq", "ins?",
                                          "outs?", "maskmov*", "vmaskmovdqu", "xlat*", NULL};

    if (insn->traits & INSN_X87_MMX)
        return "uses x87 or MMX state";
    if (insn->traits & INSN_BRANCH)
        return "branch";
    if (insn->traits & INSN_SYSTEM)
        return "system or privileged instruction";
    if (insn->traits & INSN_LOCK ||
        (strcmp(insn->mnemonic, "xchg") == 0 && insn->traits & INSN_STORE))
        return "locked access";
    if (str_match_any(serialising, insn->mnemonic))
        return "serialising, or executed outside of the core's ports";
    if (str_match_any(streaming, insn->mnemonic))
        return "non-temporal store";
    if (str_match_any(state, insn->mnemonic))
        return "reads or changes processor state";
    if (str_match_any(stack, insn->mnemonic))
        return "changes the stack pointer";
    if (str_has_prefix(insn->mnemonic, "ud"))
        return "always faults";
    if (str_match_any(walking, insn->mnemonic) || walks(insn))
        return "string instruction";
    return NULL;
}

/* Returns the reason in a template why no body can contain the form; NULL if there is none. */
static const char *unfit_template(const struct form_row *row)
{
    static const struct { const char *part, *reason;
    } reasons[] = {{"R8h}", "high byte register (ah to dh)"},
                   {"SREG", "uses a segment register"},
                   {"{Rel", "branch"},
                   {"VSIB", "gather or scatter, which clears its mask"},
                   {":MM}", "uses x87 or MMX state"},
                   {"TMM}", "uses AMX tiles"},
                   {":CR}", "uses a control register"},
                   {":DR}", "uses a debug register"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(row->template, reasons[i].part))
            return reasons[i].reason;
    return NULL;
}

static bool code_make(const struct form_row *row, struct x86_code *code, struct err *err)
{
    const char *reason = unfit_template(row);

    if (reason)
        return err_set(err, ERR_DATA, NULL, "%s", reason);
    if (!x86_code_encode(row, code, err))
        return false;
    reason = unfit(&code->insn);
    return !reason || err_set(err, ERR_DATA, NULL, "%s", reason);
}

const void *x86_code_make(const struct form_row *row, struct err *err)
{
    struct x86_code *code = mem_zero(1, sizeof *code);

    if (code_make(row, code, err))
        return code;
    free(code);
    return NULL;
}

const char *x86_code_extension(const struct form_row *row, const void *code)
{
    (void)row;
    return ZydisISASetGetString(((const struct x86_code *)code)->isa_set);
}

void x86_code_free(const void *code)
{
    free((void *)code);
}

/* Returns how the instruction accesses register @reg as an implicit or fixed operand, or in an
 * implicit address. */
static unsigned own_access(const struct x86_code *code, unsigned reg)
{
    unsigned access = 0;
    for (unsigned i = 0; i < code->insn.operand_count; i++) {
        const struct operand *op = &code->insn.operands[i];
        bool fixed =
            op->implicit || (i < code->request.operand_count && code->parts[i].kind == PART_FIXED);
        if (op->kind == OPERAND_REGISTER && op->reg == reg && fixed) {
            access |= op->access & (ACCESS_READ | ACCESS_WRITE);
            /* A partial write also reads, because it merges with the old value. */
            if (reg < 16 && op->access & ACCESS_WRITE && op->bits < 32)
                access |= ACCESS_READ;
        }
        if (op->kind == OPERAND_MEMORY && op->implicit && (op->base == reg || op->index == reg))
            access |= ACCESS_READ;
    }
    return access;
}

static void pool_fill(struct register_pool *pool, const uint8_t *read, unsigned reads,
                      const uint8_t *written, unsigned writes, unsigned first,
                      const struct x86_code *const *forms, size_t n)
{
    memset(pool, 0, sizeof *pool);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < (pass ? writes : reads); i++) {
            uint8_t reg = pass ? written[i] : read[i];
            bool taken = false;
            for (size_t k = 0; k < n; k++)
                taken |= own_access(forms[k], first + reg) != 0;
            if (taken)
                continue;
            if (pass)
                pool->written[pool->writes++] = reg;
            else
                pool->read[pool->reads++] = reg;
        }
}

static bool is_vector(ZydisRegisterClass registers)
{
    return registers == ZYDIS_REGCLASS_XMM || registers == ZYDIS_REGCLASS_YMM ||
           registers == ZYDIS_REGCLASS_ZMM;
}

/* Returns whether the instruction depends on the flags of the previous instruction. Zeroing
 * BODY_ZERO sets the flags, which breaks this dependence. */
static bool waits_for_flags(const struct x86_code *code);

/* Returns whether one of @forms reads and writes a register operand, vector or general. Each
 * execution then depends on the previous execution with the same register. Rotation over many
 * registers hides this latency. */
static bool any_chained(const struct x86_code *const *forms, size_t n, bool vector)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < forms[i]->request.operand_count; k++) {
            const struct part *part = &forms[i]->parts[k];
            bool own_kind =
                vector ? is_vector(part->registers)
                       : !is_vector(part->registers) && part->registers != ZYDIS_REGCLASS_MASK;
            if (part->kind == PART_REGISTER && own_kind && (part->access & ACCESS_READ) &&
                (part->access & ACCESS_WRITE))
                return true;
        }
    return false;
}

static bool any_memory(const struct x86_code *const *forms, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < forms[i]->request.operand_count; k++)
            if (forms[i]->parts[k].kind == PART_MEMORY)
                return true;
    return false;
}

/* Fills the pool of general registers. If a form reads and writes a register, only two registers
 * are read-only, and all other free registers are written in rotation. */
static void generals_fill(struct register_pool *pool, const struct x86_code *const *forms, size_t n)
{
    static const uint8_t read[] = {RSI, RDI, RBP, R12},
                         written[] = {R8, R9, R10, RBX, RCX, RDX, RAX};
    static const uint8_t few[] = {RSI, RDI};
    uint8_t all[12];
    unsigned count = 0;
    bool zeroes = false;

    memcpy(all, written, sizeof written);
    count = sizeof written;
    all[count++] = RBP;
    all[count++] = R12;
    for (size_t i = 0; i < n; i++)
        zeroes |= waits_for_flags(forms[i]);
    if (!zeroes)
        all[count++] = R11;
    if (!any_memory(forms, n)) {
        all[count++] = R13;
        all[count++] = R14;
    }
    if (any_chained(forms, n, false)) {
        pool_fill(pool, few, sizeof few, all, count, 0, forms, n);
        if (pool->reads)
            return;
    }
    pool_fill(pool, read, sizeof read, written, sizeof written, 0, forms, n);
}

static void vectors_fill(struct register_pool *pool, const struct x86_code *const *forms, size_t n,
                         bool high)
{
    static const uint8_t read[] = {10, 11, 12, 13, 14, 15, 26, 27, 28, 29, 30, 31};
    static const uint8_t written[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  0,
                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
    static const uint8_t few[] = {13, 14, 15};
    static const uint8_t all[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  0,  10, 11, 12, 16, 17,
                                  18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

    if (any_chained(forms, n, true))
        pool_fill(pool, few, sizeof few, all, high ? sizeof all : 13, 16, forms, n);
    else
        pool_fill(pool, read, high ? 12 : 6, written, high ? 20 : 10, 16, forms, n);
}

static void allocation_init(struct x86_allocation *a, const struct x86_code *const *forms, size_t n,
                            struct body *body)
{
    static const uint8_t mask_read[] = {1, 2, 3}, mask_written[] = {4, 5, 6, 7};
    bool high = n > 0;

    for (size_t i = 0; i < n; i++)
        high &= forms[i]->request.allowed_encodings == ZYDIS_ENCODABLE_ENCODING_EVEX;
    a->body = body;
    a->load_offset = a->store_offset = 0;
    generals_fill(&a->general, forms, n);
    vectors_fill(&a->vector, forms, n, high);
    pool_fill(&a->mask, mask_read, 3, mask_written, 4, 48, forms, n);
    body->wide |= high;
}

static struct register_pool *pool_of(struct x86_allocation *a, ZydisRegisterClass registers)
{
    return is_vector(registers)               ? &a->vector
           : registers == ZYDIS_REGCLASS_MASK ? &a->mask
                                              : &a->general;
}

static uint8_t next_read(struct register_pool *pool)
{
    return pool->read[pool->next_read++ % pool->reads];
}

/* Returns the next base register. Skips rbp, because it requires a displacement, which would make
 * another form. */
static uint8_t next_base(struct register_pool *pool)
{
    uint8_t reg = next_read(pool);
    return reg == RBP ? next_read(pool) : reg;
}

static uint8_t next_written(struct register_pool *pool)
{
    return pool->written[pool->next_written++ % pool->writes];
}

/* Returns the next offset. Offsets are consecutive, because accesses to separate lines cause bank
 * and set conflicts. Advances *@offset. */
static int64_t next_offset(unsigned *offset, unsigned bytes, unsigned window)
{
    unsigned step = bytes ? bytes : 64;
    *offset = (*offset + step - 1) / step * step;
    if (*offset + step > window)
        *offset = 0;
    int64_t at = (int64_t)*offset - BODY_WINDOW / 2;
    *offset += step;
    return at;
}

static bool emit(struct x86_allocation *a, const ZydisEncoderRequest *request)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    const size_t length = request_encode(request, bytes),
                 prefixes = a->padded && length < BODY_PADDED ? BODY_PADDED - length : 0;
    if (!length || a->body->length + prefixes + length > BODY_LIMIT)
        return false;
    memset(a->body->code + a->body->length, DS_PREFIX, prefixes);
    memcpy(a->body->code + a->body->length + prefixes, bytes, length);
    a->body->length += prefixes + length;
    a->body->padded |= prefixes > 0;
    return true;
}

static bool emit_breaker(struct x86_allocation *a, ZydisMnemonic mnemonic, unsigned reg,
                         ZydisEncoderOperand second)
{
    ZydisEncoderRequest request = {
        .machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .mnemonic = mnemonic, .operand_count = 2};
    request.operands[0] = (ZydisEncoderOperand){
        .type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = register_of(ZYDIS_REGCLASS_GPR32, reg)};
    request.operands[1] = second;
    a->body->breakers++;
    return emit(a, &request);
}

static bool emit_zero(struct x86_allocation *a, unsigned reg)
{
    ZydisEncoderOperand same = {.type = ZYDIS_OPERAND_TYPE_REGISTER,
                                .reg.value = register_of(ZYDIS_REGCLASS_GPR32, reg)};
    return emit_breaker(a, ZYDIS_MNEMONIC_XOR, reg, same);
}

static bool is_division(const struct x86_code *code)
{
    return code->request.mnemonic == ZYDIS_MNEMONIC_DIV ||
           code->request.mnemonic == ZYDIS_MNEMONIC_IDIV;
}

static bool shifts_by_cl(const struct x86_code *code)
{
    for (unsigned i = 0; i < code->request.operand_count; i++)
        if (code->parts[i].kind == PART_FIXED &&
            code->request.operands[i].reg.value == ZYDIS_REGISTER_CL)
            return true;
    return false;
}

static bool waits_for_flags(const struct x86_code *code)
{
    return (code->insn.flags_read & code->insn.flags_written) ||
           (shifts_by_cl(code) && code->insn.flags_written);
}

/* Emits the instructions that break the chain of the next form. Returns false if this is impossible
 * or the body is full. */
static bool emit_breakers(struct x86_allocation *a, const struct x86_code *code)
{
    bool cleared = false;

    if (is_division(code)) {
        /* Sets a valid dividend that has a long quotient, because divisors are small and not 0. The
         * dividend of an 8-bit division is ax. */
        bool byte = own_access(code, RDX) == 0;
        ZydisEncoderOperand dividend = {.type = ZYDIS_OPERAND_TYPE_IMMEDIATE,
                                        .imm.u = byte ? 0x531 : 0x6eadbeef};
        return emit_breaker(a, ZYDIS_MNEMONIC_MOV, RAX, dividend) && (byte || emit_zero(a, RDX));
    }
    for (unsigned reg = 0; reg < 16; reg++)
        if (own_access(code, reg) == (ACCESS_READ | ACCESS_WRITE)) {
            if (reg == RSP || !emit_zero(a, reg))
                return false;
            cleared = true;
        }
    return !waits_for_flags(code) || cleared || emit_zero(a, BODY_ZERO);
}

static bool emit_form(struct x86_allocation *a, const struct x86_code *code)
{
    ZydisEncoderRequest request = code->request;

    if (!emit_breakers(a, code))
        return false;
    for (unsigned i = 0; i < request.operand_count; i++) {
        const struct part *part = &code->parts[i];
        ZydisEncoderOperand *operand = &request.operands[i];
        struct register_pool *pool = pool_of(a, part->registers);
        switch (part->kind) {
        case PART_REGISTER:
        case PART_MASK:
            if (part->access & ACCESS_WRITE ? !pool->writes : !pool->reads)
                return false;
            operand->reg.value =
                register_of(part->registers,
                            part->access & ACCESS_WRITE ? next_written(pool) : next_read(pool));
            break;
        case PART_MEMORY:
            operand->mem.base = register_of(ZYDIS_REGCLASS_GPR64,
                                            part->access & ACCESS_WRITE ? BODY_STORES : BODY_LOADS);
            operand->mem.displacement =
                part->access & ACCESS_WRITE
                    ? next_offset(&a->store_offset,
                                  part->bytes && part->bytes < WORD ? WORD : part->bytes,
                                  BODY_WINDOW)
                    : next_offset(&a->load_offset, part->bytes, a->load_window);
            break;
        case PART_ADDRESS:
            if (operand->mem.base != ZYDIS_REGISTER_NONE && operand->mem.base != ZYDIS_REGISTER_RIP)
                operand->mem.base = register_of(ZYDIS_REGCLASS_GPR64, next_base(&a->general));
            if (operand->mem.index != ZYDIS_REGISTER_NONE)
                operand->mem.index = register_of(ZYDIS_REGCLASS_GPR64, next_read(&a->general));
            break;
        default:
            break;
        }
    }
    return emit(a, &request);
}

static bool vectors_agree(const struct x86_code *const *forms, size_t n, struct body *body,
                          struct err *err)
{
    bool sse = false, vex = false, evex = false;
    for (size_t i = 0; i < n; i++) {
        sse |= (forms[i]->insn.traits & INSN_LEGACY_SSE) != 0;
        evex |= forms[i]->request.allowed_encodings == ZYDIS_ENCODABLE_ENCODING_EVEX;
        for (unsigned k = 0; k < forms[i]->request.operand_count; k++) {
            vex |= (forms[i]->insn.traits & INSN_VEX) && is_vector(forms[i]->parts[k].registers);
            body->wide |= forms[i]->parts[k].registers == ZYDIS_REGCLASS_ZMM;
        }
    }
    body->vectors = evex ? BODY_EVEX : vex ? BODY_VEX : sse ? BODY_SSE : BODY_NO_VECTOR;
    if (sse && (vex || evex))
        return err_set(err, ERR_DATA, NULL, "mixes SSE and VEX code");
    return true;
}

/* Emits @count instructions in the order @order, and sets *@done to the number emitted. Returns
 * false if that number is less than @count. */
static bool emit_all(struct x86_allocation *a, const struct x86_code *const *forms,
                     const uint32_t *order, uint64_t count, uint64_t *done)
{
    a->body->length = 0;
    a->body->breakers = 0;
    for (*done = 0; *done < count; ++*done)
        if (!emit_form(a, forms[order[*done]]))
            return false;
    return true;
}

bool x86_body_make(const void *const *codes, const uint32_t *counts, size_t n,
                   const struct body_shape *shape, struct body *out, struct err *err)
{
    const struct x86_code *const *forms = (const struct x86_code *const *)codes;
    struct x86_allocation a;
    uint64_t total = 0, done = 0;
    bool ok;

    out->length = 0;
    out->executions = out->instructions = out->breakers = 0;
    out->wide = false;
    for (size_t i = 0; i < n; i++)
        total += counts[i];
    if (!total || total > BODY_LIMIT)
        return err_set(err, ERR_LIMIT, "use smaller counts",
                       "the experiment is too long: %llu instructions", (unsigned long long)total);
    if (!vectors_agree(forms, n, out, err))
        return false;
    uint64_t executions = (shape->instructions + total - 1) / total;
    executions = executions ? executions : 1;
    executions += shape->order == BODY_PAIRED && executions % 2;
    bool *apart = mem_alloc(n * sizeof *apart);
    for (size_t i = 0; i < n; i++)
        apart[i] = forms[i]->insn.traits & (INSN_LOAD | INSN_STORE) ||
                   insn_leaves_vectors(&forms[i]->insn);
    uint32_t *order = mem_alloc(executions * total * sizeof *order);
    for (;;) {
        allocation_init(&a, forms, n, out);
        a.padded = shape->padded;
        a.load_window = shape->load_window >= 64 && shape->load_window < BODY_WINDOW
                            ? shape->load_window
                            : BODY_WINDOW;
        body_order(counts, apart, n, executions, shape->order, order);
        ok = emit_all(&a, forms, order, executions * total, &done);
        if (ok || executions == 1 || out->length + 64 <= BODY_LIMIT)
            break;
        /* Makes only as many executions as fit. */
        executions = done / total && done / total < executions ? done / total : executions - 1;
    }
    free(order);
    free(apart);
    if (!ok)
        return err_set(err, ERR_LIMIT, NULL,
                       "too few registers or too little memory for this experiment");
    out->padded |= shape->padded && shape->order == BODY_PAIRED && executions >= 2;
    out->executions = (unsigned)executions;
    out->instructions = (unsigned)(executions * total);
    return true;
}
