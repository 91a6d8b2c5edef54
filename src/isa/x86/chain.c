/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <stdio.h>
#include <string.h>

#include "isa/x86/encode.h"

/* Numbers of fixed registers: registers of the chain, registers that are only read, and other
 * written registers. */
enum {
    CHAIN_GENERAL = 8,
    UNUSED_GENERAL = 9,
    INDEX_GENERAL = 10,
    READ_GENERAL = 6,
    CHAIN_VECTOR = 1,
    UNUSED_VECTOR = 2,
    READ_VECTOR = 10,
    CHAIN_MASK = 4,
    STACK_POINTER = 4,
    UNUSED_MASK = 5,
    READ_MASK = 1
};

static enum domain domain_of(ZydisRegisterClass registers)
{
    if (registers == ZYDIS_REGCLASS_XMM || registers == ZYDIS_REGCLASS_YMM ||
        registers == ZYDIS_REGCLASS_ZMM)
        return DOMAIN_VECTOR;
    return registers == ZYDIS_REGCLASS_MASK ? DOMAIN_MASK : DOMAIN_GENERAL;
}

static bool is_register(const struct x86_code *code, unsigned i)
{
    return code->parts[i].kind == PART_REGISTER || code->parts[i].kind == PART_MASK;
}

static void chain_add(struct chain *list, size_t *n, struct chain chain)
{
    if (*n < CHAINS_MAX)
        list[(*n)++] = chain;
}

static struct chain chain_of(enum chain_kind kind, unsigned from, unsigned to, double helper,
                             const char *note)
{
    struct chain c = {
        .kind = kind, .from = (uint8_t)from, .to = (uint8_t)to, .helper = helper, .note = note};
    snprintf(c.from_name, sizeof c.from_name, "op%u", from + 1);
    snprintf(c.to_name, sizeof c.to_name, "op%u", to + 1);
    return c;
}

static void named(struct chain *c, const char *from, const char *to)
{
    if (from)
        snprintf(c->from_name, sizeof c->from_name, "%s", from);
    if (to)
        snprintf(c->to_name, sizeof c->to_name, "%s", to);
}

/* Returns the operand number that users see. Mask operands count, but the encoder's implicit k0
 * does not. */
static unsigned shown(const struct x86_code *code, unsigned part)
{
    unsigned n = 0;
    for (unsigned i = 0; i < part; i++)
        n += !(code->parts[i].kind == PART_FIXED &&
               code->request.operands[i].reg.value == ZYDIS_REGISTER_K0);
    return n;
}

/* Lists the chains through base and index of a lea. */
static void list_address(const struct x86_code *code, unsigned from, unsigned to,
                         struct chain *list, size_t *n)
{
    const ZydisEncoderOperand *address = &code->request.operands[from];
    for (unsigned index = 0; index < 2; index++) {
        ZydisRegister reg = index ? address->mem.index : address->mem.base;
        if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP)
            continue;
        struct chain c = chain_of(CHAIN_REGISTER, from, shown(code, to), 0, "");
        c.from = (uint8_t)from;
        c.to = (uint8_t)to;
        named(&c, index ? "index" : "base", NULL);
        chain_add(list, n, c);
    }
}

static void list_pairs(const struct x86_code *code, struct chain *list, size_t *n)
{
    for (unsigned to = 0; to < code->request.operand_count; to++) {
        const struct part *written = &code->parts[to];
        if (!is_register(code, to) || !(written->access & ACCESS_WRITE))
            continue;
        for (unsigned from = 0; from < code->request.operand_count; from++) {
            const struct part *read = &code->parts[from];
            if (read->kind == PART_ADDRESS)
                list_address(code, from, to, list, n);
            if (!is_register(code, from) || !(read->access & ACCESS_READ))
                continue;
            enum domain a = domain_of(read->registers), b = domain_of(written->registers);
            bool both = from != to && written->access & ACCESS_READ;
            struct chain c =
                chain_of(CHAIN_REGISTER, shown(code, from), shown(code, to), 0,
                         both ? "upper bound: the larger of the latencies from this operand and "
                                "from the written operand" : "");
            if (a != b) {
                if (a == DOMAIN_MASK || b == DOMAIN_MASK || (from != to && both))
                    continue;
                c.kind = CHAIN_DOMAINS;
                c.note = "round trip, with movq back";
            }
            c.from = (uint8_t)from;
            c.to = (uint8_t)to;
            chain_add(list, n, c);
        }
    }
}

/* Lists chains from an implicit general register to each written operand for which the same
 * register is possible. */
static void list_fixed(const struct x86_code *code, struct chain *list, size_t *n)
{
    for (unsigned i = 0; i < code->insn.operand_count; i++) {
        const struct operand *op = &code->insn.operands[i];
        bool fixed =
            op->implicit || (i < code->request.operand_count && code->parts[i].kind == PART_FIXED);
        if (!fixed || op->kind != OPERAND_REGISTER || op->file != FILE_GENERAL ||
            op->access != ACCESS_READ || op->reg == STACK_POINTER)
            continue;
        for (unsigned to = 0; to < code->request.operand_count; to++) {
            const struct part *written = &code->parts[to];
            if (written->kind != PART_REGISTER || !(written->access & ACCESS_WRITE) ||
                domain_of(written->registers) != DOMAIN_GENERAL ||
                written->registers == ZYDIS_REGCLASS_GPR8)
                continue;
            struct chain c =
                chain_of(CHAIN_FIXED, i, shown(code, to), 0,
                         written->access & ACCESS_READ
                             ? "upper bound: the larger of the latencies from this operand and "
                               "from the written operand"
                             : "");
            c.from = op->reg;
            c.to = (uint8_t)to;
            chain_add(list, n, c);
        }
    }
}

static void list_memory(const struct x86_code *code, struct chain *list, size_t *n)
{
    for (unsigned m = 0; m < code->request.operand_count; m++) {
        if (code->parts[m].kind != PART_MEMORY || !code->parts[m].bytes)
            continue;
        unsigned access = code->parts[m].access;
        if (access == (ACCESS_READ | ACCESS_WRITE)) {
            struct chain c =
                chain_of(CHAIN_MEMORY, shown(code, m), shown(code, m), 0, "through memory");
            c.from = c.to = (uint8_t)m;
            named(&c, "memory", "memory");
            chain_add(list, n, c);
        }
        for (unsigned r = 0; r < code->request.operand_count; r++) {
            if (!is_register(code, r))
                continue;
            enum domain domain = domain_of(code->parts[r].registers);
            if (access == ACCESS_READ && code->parts[r].access & ACCESS_WRITE &&
                domain == DOMAIN_GENERAL) {
                struct chain c = chain_of(CHAIN_ADDRESS, shown(code, m), shown(code, r), 1, "");
                c.from = (uint8_t)m;
                c.to = (uint8_t)r;
                named(&c, "address", NULL);
                chain_add(list, n, c);
            }
            bool plain =
                domain == DOMAIN_GENERAL ? code->parts[m].bytes >= 4 : code->parts[m].bytes >= 16;
            if (access == ACCESS_WRITE && code->parts[r].access == ACCESS_READ &&
                domain != DOMAIN_MASK && plain) {
                struct chain c = chain_of(CHAIN_FORWARD, shown(code, r), shown(code, m), 0,
                                          "store and load again");
                c.from = (uint8_t)r;
                c.to = (uint8_t)m;
                named(&c, NULL, "memory");
                chain_add(list, n, c);
            }
        }
    }
}

static void list_flags(const struct x86_code *code, struct chain *list, size_t *n)
{
    uint32_t read = code->insn.flags_read, written = code->insn.flags_written;
    struct chain c;

    if (read & written) {
        c = chain_of(CHAIN_FLAGS, 0, 0, 0, "");
        named(&c, "flags", "flags");
        chain_add(list, n, c);
    }
    for (unsigned i = 0; i < code->request.operand_count; i++) {
        if (code->parts[i].kind != PART_REGISTER ||
            domain_of(code->parts[i].registers) != DOMAIN_GENERAL)
            continue;
        if (read && !written && code->parts[i].access & ACCESS_WRITE) {
            c = chain_of(CHAIN_FROM_FLAGS, 0, shown(code, i), 1, "");
            c.to = (uint8_t)i;
            named(&c, "flags", NULL);
            chain_add(list, n, c);
        }
        /* cmovz needs the zero flag, which the form must define. */
        if (code->defines_zero && !read && code->parts[i].access == ACCESS_READ) {
            c = chain_of(CHAIN_TO_FLAGS, shown(code, i), 0, 1, "");
            c.from = (uint8_t)i;
            named(&c, NULL, "flags");
            chain_add(list, n, c);
        }
    }
}

size_t x86_chain_list(const void *own, struct chain out[CHAINS_MAX])
{
    const struct x86_code *code = own;
    size_t n = 0;

    list_pairs(code, out, &n);
    list_fixed(code, out, &n);
    for (unsigned i = 0; i < code->insn.operand_count; i++) {
        const struct operand *op = &code->insn.operands[i];
        bool fixed =
            op->implicit || (i < code->request.operand_count && code->parts[i].kind == PART_FIXED);
        if (op->kind == OPERAND_REGISTER && fixed && op->reg < 48 &&
            (op->access & (ACCESS_READ | ACCESS_WRITE)) == (ACCESS_READ | ACCESS_WRITE)) {
            struct chain c = chain_of(CHAIN_OWN, 0, 0, 0, "");
            const char *name = ZydisRegisterGetString(
                op->reg < 16 ? register_of(ZYDIS_REGCLASS_GPR64, op->reg)
                             : register_of(ZYDIS_REGCLASS_XMM, op->reg - 16u));
            named(&c, name, name);
            chain_add(out, &n, c);
        }
    }
    list_flags(code, out, &n);
    list_memory(code, out, &n);
    return n;
}

/* Sets the default register or value of an operand that is not in the chain. */
static void operand_default(const struct x86_code *code, unsigned i, ZydisEncoderOperand *operand)
{
    static const unsigned reads[] = {READ_GENERAL, READ_VECTOR, READ_MASK},
                          unused[] = {UNUSED_GENERAL, UNUSED_VECTOR, UNUSED_MASK};
    const struct part *part = &code->parts[i];

    if (is_register(code, i)) {
        enum domain d = domain_of(part->registers);
        /* Gives each read operand its own register, because equal registers may be an idiom. */
        operand->reg.value =
            register_of(part->registers, part->access & ACCESS_WRITE ? unused[d] + (i > 1 ? 1 : 0)
                                                                     : reads[d] + (i > 1 ? 1 : 0));
    } else if (part->kind == PART_MEMORY) {
        operand->mem.base = register_of(ZYDIS_REGCLASS_GPR64,
                                        part->access & ACCESS_WRITE ? BODY_STORES : BODY_LOADS);
        operand->mem.displacement = 64;
    } else if (part->kind == PART_ADDRESS) {
        if (operand->mem.base != ZYDIS_REGISTER_NONE && operand->mem.base != ZYDIS_REGISTER_RIP)
            operand->mem.base = register_of(ZYDIS_REGCLASS_GPR64, READ_GENERAL);
        if (operand->mem.index != ZYDIS_REGISTER_NONE)
            operand->mem.index = register_of(ZYDIS_REGCLASS_GPR64, READ_GENERAL + 1);
    }
}

static ZydisRegister chained(ZydisRegisterClass registers)
{
    static const unsigned numbers[] = {CHAIN_GENERAL, CHAIN_VECTOR, CHAIN_MASK};
    return register_of(registers, numbers[domain_of(registers)]);
}

static bool put(struct body *body, const ZydisEncoderRequest *request)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    size_t length = request_encode(request, bytes);
    if (!length || body->length + length > BODY_LIMIT)
        return false;
    memcpy(body->code + body->length, bytes, length);
    body->length += length;
    return true;
}

static bool put_two(struct body *body, ZydisMnemonic mnemonic, ZydisEncoderOperand first,
                    ZydisEncoderOperand second)
{
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                   .mnemonic = mnemonic,
                                   .operand_count = 2,
                                   .operands = {first, second}};
    return put(body, &request);
}

static ZydisEncoderOperand operand_register(ZydisRegister reg)
{
    return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = reg};
}

/* Adds the helper instructions between the result of @link and the next link. Returns false if an
 * instruction cannot be added. */
static bool put_helper(const struct x86_code *code, const struct chain *c,
                       const ZydisEncoderRequest *link, struct body *body)
{
    ZydisEncoderOperand general =
        operand_register(register_of(ZYDIS_REGCLASS_GPR64, CHAIN_GENERAL));
    bool vex = (code->insn.traits & INSN_VEX) != 0;
    ZydisRegisterClass registers =
        code->parts[c->kind == CHAIN_FORWARD ? c->from : c->to].registers;

    switch (c->kind) {
    case CHAIN_FROM_FLAGS:
        return put_two(body, ZYDIS_MNEMONIC_TEST, general, general);
    case CHAIN_TO_FLAGS:
        return put_two(body, ZYDIS_MNEMONIC_CMOVZ, general,
                       operand_register(register_of(ZYDIS_REGCLASS_GPR64, READ_GENERAL)));
    case CHAIN_ADDRESS:
        return put_two(body, ZYDIS_MNEMONIC_AND,
                       operand_register(register_of(ZYDIS_REGCLASS_GPR64, BODY_ZERO)), general);
    case CHAIN_DOMAINS: {
        ZydisEncoderOperand vector =
            operand_register(register_of(ZYDIS_REGCLASS_XMM, CHAIN_VECTOR));
        ZydisMnemonic move = vex ? ZYDIS_MNEMONIC_VMOVQ : ZYDIS_MNEMONIC_MOVQ;
        return domain_of(registers) == DOMAIN_GENERAL ? put_two(body, move, vector, general)
                                                      : put_two(body, move, general, vector);
    }
    case CHAIN_FORWARD: {
        ZydisMnemonic load = domain_of(registers) == DOMAIN_GENERAL ? ZYDIS_MNEMONIC_MOV
                             : vex                                  ? ZYDIS_MNEMONIC_VMOVUPS
                                                                    : ZYDIS_MNEMONIC_MOVUPS;
        return put_two(body, load, operand_register(chained(registers)), link->operands[c->to]);
    }
    default:
        return true;
    }
}

bool x86_chain_make(const void *own, const struct chain *c, unsigned links, struct body *out)
{
    const struct x86_code *code = own;
    ZydisEncoderRequest link = code->request;

    out->length = 0;
    out->executions = links;
    out->instructions = links;
    out->breakers = 0;
    out->wide = false;
    out->vectors = code->request.allowed_encodings == ZYDIS_ENCODABLE_ENCODING_EVEX ? BODY_EVEX
                   : code->insn.traits & INSN_VEX                                   ? BODY_VEX
                   : code->insn.traits & INSN_LEGACY_SSE                            ? BODY_SSE
                                                         : BODY_NO_VECTOR;
    for (unsigned i = 0; i < link.operand_count; i++)
        operand_default(code, i, &link.operands[i]);
    if (c->kind == CHAIN_REGISTER || c->kind == CHAIN_DOMAINS || c->kind == CHAIN_FORWARD ||
        c->kind == CHAIN_TO_FLAGS)
        if (is_register(code, c->from))
            link.operands[c->from].reg.value = chained(code->parts[c->from].registers);
    if (c->kind == CHAIN_REGISTER || c->kind == CHAIN_DOMAINS || c->kind == CHAIN_ADDRESS ||
        c->kind == CHAIN_FROM_FLAGS)
        link.operands[c->to].reg.value = chained(code->parts[c->to].registers);
    if (c->kind == CHAIN_FIXED)
        link.operands[c->to].reg.value = register_of(code->parts[c->to].registers, c->from);
    if (c->kind == CHAIN_REGISTER && code->parts[c->from].kind == PART_ADDRESS) {
        ZydisRegister reg = register_of(ZYDIS_REGCLASS_GPR64, CHAIN_GENERAL);
        if (c->from_name[0] == 'b')
            link.operands[c->from].mem.base = reg;
        else
            link.operands[c->from].mem.index = reg;
    }
    if (c->kind == CHAIN_ADDRESS) {
        link.operands[c->from].mem.index = register_of(ZYDIS_REGCLASS_GPR64, BODY_ZERO);
        link.operands[c->from].mem.scale = 1;
        /* Sets the displacement to 0, because addresses with three parts are slower on some
         * cores. */
        link.operands[c->from].mem.displacement = 0;
    }
    for (unsigned i = 0; i < links; i++)
        if (!put(out, &link) || !put_helper(code, c, &link, out))
            return false;
    return true;
}
