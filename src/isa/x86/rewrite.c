/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <string.h>

#include "isa/x86/encode.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
/* all arithmetic flags except the adjust flag, which only daa and similar instructions read */
#define ARITHMETIC (FLAG_CARRY | FLAG_PARITY | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)

/* An instruction, its decoded form, and a request to encode it */
struct work {
    const struct insn *in;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    ZydisEncoderRequest again;
};

static bool work_begin(const struct insn *in, struct work *w)
{
    ZydisDecoder decoder;

    w->in = in;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(
               ZydisDecoderDecodeFull(&decoder, in->bytes, in->length, &w->decoded, w->ops)) &&
           ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
               &w->decoded, w->ops, w->decoded.operand_count_visible, &w->again));
}

static ZydisEncoderRequest fresh(ZydisMnemonic mnemonic)
{
    return (ZydisEncoderRequest){.machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .mnemonic = mnemonic};
}

static void put_reg(ZydisEncoderRequest *r, ZydisRegister reg)
{
    r->operands[r->operand_count].type = ZYDIS_OPERAND_TYPE_REGISTER;
    r->operands[r->operand_count++].reg.value = reg;
}

static void put_number(ZydisEncoderRequest *r, int64_t value)
{
    r->operands[r->operand_count].type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
    r->operands[r->operand_count++].imm.s = value;
}

static void put_address(ZydisEncoderRequest *r, ZydisRegister base, ZydisRegister index,
                        uint8_t scale, int64_t displacement, unsigned bytes)
{
    ZydisEncoderOperand *op = &r->operands[r->operand_count++];
    op->type = ZYDIS_OPERAND_TYPE_MEMORY;
    op->mem.base = base;
    op->mem.index = index;
    op->mem.scale = scale;
    op->mem.displacement = displacement;
    op->mem.size = (ZyanU16)bytes;
}

static bool done(const ZydisEncoderRequest *r, struct isa_rewritten *out)
{
    out->lengths[out->count] = request_encode(r, out->bytes[out->count]);
    return out->lengths[out->count++] > 0;
}

static bool is_reg(const ZydisDecodedOperand *op)
{
    return op->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

/* Returns whether the operand is a general register of 32 or 64 bits. A write to such an operand
 * preserves no part of the register. */
static bool is_whole(const ZydisDecodedOperand *op)
{
    return is_reg(op) && (ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_GPR32 ||
                          ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_GPR64);
}

static bool is_number(const ZydisDecodedOperand *op, int64_t value)
{
    return op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op->imm.value.s == value;
}

static ZydisRegister in_class(ZydisRegister reg, ZydisRegisterClass registers)
{
    return ZydisRegisterEncode(registers, (ZyanU8)ZydisRegisterGetId(reg));
}

static bool mov_zero(const struct work *w, struct isa_rewritten *out)
{
    if (w->decoded.mnemonic != ZYDIS_MNEMONIC_MOV || !is_whole(&w->ops[0]) ||
        !is_number(&w->ops[1], 0))
        return false;
    ZydisEncoderRequest r = fresh(ZYDIS_MNEMONIC_XOR);
    put_reg(&r, in_class(w->ops[0].reg.value, ZYDIS_REGCLASS_GPR32));
    put_reg(&r, in_class(w->ops[0].reg.value, ZYDIS_REGCLASS_GPR32));
    return done(&r, out);
}

static bool double_by_shift(const struct work *w, struct isa_rewritten *out)
{
    if (w->decoded.mnemonic != ZYDIS_MNEMONIC_SHL || !is_whole(&w->ops[0]) ||
        !is_number(&w->ops[1], 1))
        return false;
    ZydisEncoderRequest r = fresh(ZYDIS_MNEMONIC_ADD);
    put_reg(&r, w->ops[0].reg.value);
    put_reg(&r, w->ops[0].reg.value);
    return done(&r, out);
}

static bool multiplies(const struct work *w, int64_t *by)
{
    if (w->decoded.mnemonic != ZYDIS_MNEMONIC_IMUL || w->decoded.operand_count_visible != 3 ||
        !is_whole(&w->ops[0]) || !is_whole(&w->ops[1]) ||
        w->ops[2].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return false;
    *by = w->ops[2].imm.value.s;
    return true;
}

static bool multiply_by_shift(const struct work *w, struct isa_rewritten *out)
{
    int64_t by;
    const ZydisRegister to = w->ops[0].reg.value, from = w->ops[1].reg.value;

    if (!multiplies(w, &by) || by < 2 || by & (by - 1) || (to != from && by > 8))
        return false;
    ZydisEncoderRequest r = fresh(to == from ? ZYDIS_MNEMONIC_SHL : ZYDIS_MNEMONIC_LEA);
    put_reg(&r, to);
    if (to == from)
        put_number(&r, __builtin_ctzll((unsigned long long)by));
    else
        put_address(&r, ZYDIS_REGISTER_NONE, in_class(from, ZYDIS_REGCLASS_GPR64), (uint8_t)by, 0,
                    8);
    return done(&r, out);
}

static bool multiply_by_lea(const struct work *w, struct isa_rewritten *out)
{
    int64_t by;

    if (!multiplies(w, &by) || (by != 3 && by != 5 && by != 9))
        return false;
    ZydisEncoderRequest r = fresh(ZYDIS_MNEMONIC_LEA);
    const ZydisRegister from = in_class(w->ops[1].reg.value, ZYDIS_REGCLASS_GPR64);
    put_reg(&r, w->ops[0].reg.value);
    put_address(&r, from, from, (uint8_t)(by - 1), 0, 8);
    return done(&r, out);
}

static bool step_by_add(const struct work *w, struct isa_rewritten *out)
{
    const bool up = w->decoded.mnemonic == ZYDIS_MNEMONIC_INC;

    if ((!up && w->decoded.mnemonic != ZYDIS_MNEMONIC_DEC) || !is_whole(&w->ops[0]))
        return false;
    ZydisEncoderRequest r = fresh(up ? ZYDIS_MNEMONIC_ADD : ZYDIS_MNEMONIC_SUB);
    put_reg(&r, w->ops[0].reg.value);
    put_number(&r, 1);
    return done(&r, out);
}

static bool compare_by_test(const struct work *w, struct isa_rewritten *out)
{
    if (w->decoded.mnemonic != ZYDIS_MNEMONIC_CMP || !is_whole(&w->ops[0]) ||
        !is_number(&w->ops[1], 0))
        return false;
    ZydisEncoderRequest r = fresh(ZYDIS_MNEMONIC_TEST);
    put_reg(&r, w->ops[0].reg.value);
    put_reg(&r, w->ops[0].reg.value);
    return done(&r, out);
}

static bool split_lea(const struct work *w, struct isa_rewritten *out)
{
    const ZydisDecodedOperand *m = &w->ops[1];

    if (w->decoded.mnemonic != ZYDIS_MNEMONIC_LEA || !is_whole(&w->ops[0]) ||
        m->mem.base == ZYDIS_REGISTER_NONE || m->mem.base == ZYDIS_REGISTER_RIP ||
        m->mem.index == ZYDIS_REGISTER_NONE || !m->mem.disp.has_displacement ||
        !m->mem.disp.value || w->decoded.address_width != 64)
        return false;
    ZydisEncoderRequest r = w->again, add = fresh(ZYDIS_MNEMONIC_ADD);
    r.operands[1].mem.displacement = 0;
    put_reg(&add, w->ops[0].reg.value);
    put_number(&add, m->mem.disp.value);
    return done(&r, out) && done(&add, out);
}

static bool rotate_apart(const struct work *w, struct isa_rewritten *out)
{
    const bool left = w->decoded.mnemonic == ZYDIS_MNEMONIC_ROL;

    if ((!left && w->decoded.mnemonic != ZYDIS_MNEMONIC_ROR) || !is_whole(&w->ops[0]) ||
        w->ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return false;
    const int64_t bits = w->ops[0].size, count = (int64_t)w->ops[1].imm.value.u & (bits - 1);
    ZydisEncoderRequest r = fresh(ZYDIS_MNEMONIC_RORX);
    put_reg(&r, w->ops[0].reg.value);
    put_reg(&r, w->ops[0].reg.value);
    put_number(&r, left ? (bits - count) & (bits - 1) : count);
    return count && done(&r, out);
}

static bool shift_apart(const struct work *w, struct isa_rewritten *out)
{
    const ZydisMnemonic m = w->decoded.mnemonic,
                        to = m == ZYDIS_MNEMONIC_SHL   ? ZYDIS_MNEMONIC_SHLX
                             : m == ZYDIS_MNEMONIC_SHR ? ZYDIS_MNEMONIC_SHRX
                             : m == ZYDIS_MNEMONIC_SAR ? ZYDIS_MNEMONIC_SARX
                                                       : ZYDIS_MNEMONIC_INVALID;

    if (to == ZYDIS_MNEMONIC_INVALID || !is_whole(&w->ops[0]) || !is_reg(&w->ops[1]))
        return false;
    ZydisEncoderRequest r = fresh(to);
    put_reg(&r, w->ops[0].reg.value);
    put_reg(&r, w->ops[0].reg.value);
    put_reg(&r, w->ops[0].size == 64 ? ZYDIS_REGISTER_RCX : ZYDIS_REGISTER_ECX);
    return done(&r, out);
}

static bool names(const ZydisDecodedOperand *op, ZydisRegister reg)
{
    const int id = ZydisRegisterGetId(reg);

    if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
        return (op->mem.base != ZYDIS_REGISTER_NONE && ZydisRegisterGetId(op->mem.base) == id) ||
               (op->mem.index != ZYDIS_REGISTER_NONE && ZydisRegisterGetId(op->mem.index) == id);
    return is_reg(op) && ZydisRegisterGetId(op->reg.value) == id;
}

/* Zeroes the destination of a bit count before the count. On some cores, the count has a false
 * dependency on the destination. */
static bool count_from_zero(const struct work *w, struct isa_rewritten *out)
{
    const ZydisMnemonic m = w->decoded.mnemonic;

    if ((m != ZYDIS_MNEMONIC_POPCNT && m != ZYDIS_MNEMONIC_LZCNT && m != ZYDIS_MNEMONIC_TZCNT) ||
        !is_whole(&w->ops[0]) || names(&w->ops[1], w->ops[0].reg.value) ||
        w->in->traits & INSN_RIP_RELATIVE)
        return false;
    ZydisEncoderRequest r = fresh(ZYDIS_MNEMONIC_XOR);
    put_reg(&r, in_class(w->ops[0].reg.value, ZYDIS_REGCLASS_GPR32));
    put_reg(&r, in_class(w->ops[0].reg.value, ZYDIS_REGCLASS_GPR32));
    return done(&r, out) && done(&w->again, out);
}

static bool mask_by_movzx(const struct work *w, struct isa_rewritten *out)
{
    const bool byte = is_number(&w->ops[1], 0xff);

    if (w->decoded.mnemonic != ZYDIS_MNEMONIC_AND || !is_whole(&w->ops[0]) ||
        (!byte && !is_number(&w->ops[1], 0xffff)))
        return false;
    const unsigned id = (unsigned)ZydisRegisterGetId(w->ops[0].reg.value);
    ZydisEncoderRequest r = fresh(ZYDIS_MNEMONIC_MOVZX);
    put_reg(&r, in_class(w->ops[0].reg.value, ZYDIS_REGCLASS_GPR32));
    put_reg(&r, register_of(byte ? ZYDIS_REGCLASS_GPR8 : ZYDIS_REGCLASS_GPR16, id));
    return done(&r, out);
}

/* Replaces an addition of 128 with a subtraction of -128, or vice versa. A signed byte can
 * represent -128, but not 128. Returns false for other instructions. */
static bool add_other_way(const struct work *w, struct isa_rewritten *out)
{
    const bool add = w->decoded.mnemonic == ZYDIS_MNEMONIC_ADD;

    if ((!add && w->decoded.mnemonic != ZYDIS_MNEMONIC_SUB) || !is_whole(&w->ops[0]) ||
        !is_number(&w->ops[1], 128))
        return false;
    ZydisEncoderRequest r = fresh(add ? ZYDIS_MNEMONIC_SUB : ZYDIS_MNEMONIC_ADD);
    put_reg(&r, w->ops[0].reg.value);
    put_number(&r, -128);
    return done(&r, out);
}

static bool shorter(const struct work *w, struct isa_rewritten *out)
{
    return !(w->in->traits & (INSN_RIP_RELATIVE | INSN_BRANCH | INSN_NOP)) &&
           done(&w->again, out) && out->lengths[0] < w->in->length;
}

static bool double_by_vector_shift(const struct work *w, struct isa_rewritten *out)
{
    static const ZydisMnemonic pairs[][2] = {{ZYDIS_MNEMONIC_PSLLW, ZYDIS_MNEMONIC_PADDW},
                                             {ZYDIS_MNEMONIC_PSLLD, ZYDIS_MNEMONIC_PADDD},
                                             {ZYDIS_MNEMONIC_PSLLQ, ZYDIS_MNEMONIC_PADDQ},
                                             {ZYDIS_MNEMONIC_VPSLLW, ZYDIS_MNEMONIC_VPADDW},
                                             {ZYDIS_MNEMONIC_VPSLLD, ZYDIS_MNEMONIC_VPADDD},
                                             {ZYDIS_MNEMONIC_VPSLLQ, ZYDIS_MNEMONIC_VPADDQ}};
    const unsigned last = w->decoded.operand_count_visible - 1u;

    for (size_t i = 0; i < COUNT(pairs); i++)
        if (w->decoded.mnemonic == pairs[i][0] &&
            w->decoded.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX && last >= 1 &&
            is_number(&w->ops[last], 1) && is_reg(&w->ops[last - 1])) {
            ZydisEncoderRequest r = fresh(pairs[i][1]);
            for (unsigned k = 0; k < last; k++)
                put_reg(&r, w->ops[k].reg.value);
            put_reg(&r, w->ops[last - 1].reg.value);
            return done(&r, out);
        }
    return false;
}

/* Replaces a logical operation on floating-point vectors with the operation on integers, which
 * computes the same bits on other units. Returns false for other instructions. */
static bool logic_of_integers(const struct work *w, struct isa_rewritten *out)
{
    static const ZydisMnemonic pairs[][2] = {{ZYDIS_MNEMONIC_XORPS, ZYDIS_MNEMONIC_PXOR},
                                             {ZYDIS_MNEMONIC_XORPD, ZYDIS_MNEMONIC_PXOR},
                                             {ZYDIS_MNEMONIC_ANDPS, ZYDIS_MNEMONIC_PAND},
                                             {ZYDIS_MNEMONIC_ANDPD, ZYDIS_MNEMONIC_PAND},
                                             {ZYDIS_MNEMONIC_ANDNPS, ZYDIS_MNEMONIC_PANDN},
                                             {ZYDIS_MNEMONIC_ANDNPD, ZYDIS_MNEMONIC_PANDN},
                                             {ZYDIS_MNEMONIC_ORPS, ZYDIS_MNEMONIC_POR},
                                             {ZYDIS_MNEMONIC_ORPD, ZYDIS_MNEMONIC_POR},
                                             {ZYDIS_MNEMONIC_VXORPS, ZYDIS_MNEMONIC_VPXOR},
                                             {ZYDIS_MNEMONIC_VXORPD, ZYDIS_MNEMONIC_VPXOR},
                                             {ZYDIS_MNEMONIC_VANDPS, ZYDIS_MNEMONIC_VPAND},
                                             {ZYDIS_MNEMONIC_VANDPD, ZYDIS_MNEMONIC_VPAND},
                                             {ZYDIS_MNEMONIC_VANDNPS, ZYDIS_MNEMONIC_VPANDN},
                                             {ZYDIS_MNEMONIC_VANDNPD, ZYDIS_MNEMONIC_VPANDN},
                                             {ZYDIS_MNEMONIC_VORPS, ZYDIS_MNEMONIC_VPOR},
                                             {ZYDIS_MNEMONIC_VORPD, ZYDIS_MNEMONIC_VPOR}};

    for (size_t i = 0; i < COUNT(pairs); i++)
        if (w->decoded.mnemonic == pairs[i][0] &&
            w->decoded.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX &&
            !(w->in->traits & INSN_RIP_RELATIVE)) {
            ZydisEncoderRequest r = w->again;
            r.mnemonic = pairs[i][1];
            return done(&r, out);
        }
    return false;
}

/* Returns the blend mask that is equivalent to a shuffle with @immediate; -1 if the shuffle moves
 * elements, or if the blend selects part of a doubleword. */
static int blend_mask(ZydisMnemonic m, unsigned immediate, bool wide)
{
    switch (m) {
    /* shufps takes the first half of the result from the first source. */
    case ZYDIS_MNEMONIC_SHUFPS: case ZYDIS_MNEMONIC_VSHUFPS:
        return immediate == 0xe4 ? (wide ? 0xcc : 0xc) : -1;
    case ZYDIS_MNEMONIC_SHUFPD: case ZYDIS_MNEMONIC_VSHUFPD:
        return (immediate & (wide ? 15 : 3)) == (wide ? 10 : 2) ? (wide ? 10 : 2) : -1;
    case ZYDIS_MNEMONIC_VPERM2F128: case ZYDIS_MNEMONIC_VPERM2I128: {
        const int pair = m == ZYDIS_MNEMONIC_VPERM2F128 ? 3 : 15,
                  shift = m == ZYDIS_MNEMONIC_VPERM2F128 ? 2 : 4;
        return immediate & 0x88 || immediate & 1 || !(immediate & 0x10)
                   ? -1
                   : (immediate & 2 ? pair : 0) | (immediate & 0x20 ? pair << shift : 0);
    }
    case ZYDIS_MNEMONIC_VPBLENDW: {   /* With 256 bits, both halves use the same eight-bit mask. */
        int mask = 0;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned two = immediate >> 2 * i & 3;
            if (two == 1 || two == 2)
                return -1;
            mask |= two ? 1 << i : 0;
        }
        return wide ? mask | mask << 4 : mask;
    }
    default:
        return -1;
    }
}

static bool shuffle_by_blend(const struct work *w, struct isa_rewritten *out)
{
    static const ZydisMnemonic pairs[][2] = {{ZYDIS_MNEMONIC_SHUFPS, ZYDIS_MNEMONIC_BLENDPS},
                                             {ZYDIS_MNEMONIC_VSHUFPS, ZYDIS_MNEMONIC_VBLENDPS},
                                             {ZYDIS_MNEMONIC_SHUFPD, ZYDIS_MNEMONIC_BLENDPD},
                                             {ZYDIS_MNEMONIC_VSHUFPD, ZYDIS_MNEMONIC_VBLENDPD},
                                             {ZYDIS_MNEMONIC_VPERM2F128, ZYDIS_MNEMONIC_VBLENDPD},
                                             {ZYDIS_MNEMONIC_VPERM2I128, ZYDIS_MNEMONIC_VPBLENDD},
                                             {ZYDIS_MNEMONIC_VPBLENDW, ZYDIS_MNEMONIC_VPBLENDD}};
    const unsigned last = w->decoded.operand_count_visible - 1u;

    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (w->decoded.mnemonic != pairs[i][0] ||
            w->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
            w->in->traits & INSN_RIP_RELATIVE)
            continue;
        const int mask = blend_mask(pairs[i][0], (unsigned)w->ops[last].imm.value.u & 0xff,
                                    w->ops[0].size == 256);
        ZydisEncoderRequest r = w->again;
        r.mnemonic = pairs[i][1];
        r.operands[last].imm.s = mask;
        return mask >= 0 && done(&r, out);
    }
    return false;
}

static bool move_by_blend(const struct work *w, struct isa_rewritten *out)
{
    static const ZydisMnemonic pairs[][2] = {{ZYDIS_MNEMONIC_MOVSS, ZYDIS_MNEMONIC_BLENDPS},
                                             {ZYDIS_MNEMONIC_MOVSD, ZYDIS_MNEMONIC_BLENDPD},
                                             {ZYDIS_MNEMONIC_VMOVSS, ZYDIS_MNEMONIC_VBLENDPS},
                                             {ZYDIS_MNEMONIC_VMOVSD, ZYDIS_MNEMONIC_VBLENDPD}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        bool registers = w->decoded.mnemonic == pairs[i][0] &&
                         w->decoded.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX;
        for (unsigned k = 0; k < w->decoded.operand_count_visible; k++)
            registers = registers && is_reg(&w->ops[k]);
        if (!registers)
            continue;
        ZydisEncoderRequest r = fresh(pairs[i][1]);
        for (unsigned k = 0; k < w->decoded.operand_count_visible; k++)
            put_reg(&r, w->ops[k].reg.value);
        put_number(&r, 1);
        return done(&r, out);
    }
    return false;
}

/* Rules for replacements. By the architecture's definition (Intel SDM, volume 2), the results are
 * equal, except for the listed flags and the adjust flag (see ARITHMETIC). */
static const struct rule {
    const char *what;
    bool (*make)(const struct work *w, struct isa_rewritten *out);
    uint32_t loses;
} rules[] = {
    {"mov of 0 as xor", mov_zero, ARITHMETIC},
    {"shl by 1 as add", double_by_shift, 0},
    {"imul by a power of two as a shift", multiply_by_shift, ARITHMETIC},
    {"imul as lea", multiply_by_lea, ARITHMETIC},
    {"inc or dec as add or sub", step_by_add, FLAG_CARRY},
    {"cmp with 0 as test", compare_by_test, 0},
    {"lea of three parts as lea and add", split_lea, ARITHMETIC},
    {"rotation as rorx", rotate_apart, FLAG_CARRY | FLAG_OVERFLOW},
    {"shift by cl as shlx, shrx or sarx", shift_apart, ARITHMETIC},
    {"xor before a bit count instruction", count_from_zero,
     FLAG_PARITY | FLAG_SIGN | FLAG_OVERFLOW},
    {"and with a mask replaced by movzx", mask_by_movzx, ARITHMETIC},
    {"add or sub of 128 as sub or add of -128", add_other_way, FLAG_CARRY | FLAG_OVERFLOW},
    {"vector shift by 1 as an addition", double_by_vector_shift, 0},
    {"floating-point logic as integer logic", logic_of_integers, 0},
    {"shuffle as a blend", shuffle_by_blend, 0},
    {"movss or movsd as a blend", move_by_blend, 0},
    {"shorter encoding", shorter, 0},
};

static bool next(const struct insn *in, size_t *at, struct isa_rewritten *out)
{
    struct work w;

    if (!work_begin(in, &w))
        return false;
    while (*at < COUNT(rules)) {
        const struct rule *rule = &rules[(*at)++];
        *out = (struct isa_rewritten){.loses = rule->loses, .what = rule->what};
        if (rule->make(&w, out))
            return true;
    }
    return false;
}

static size_t steps(const struct insn *in, int64_t times, uint8_t *out)
{
    struct work w;

    if (!work_begin(in, &w) || !is_whole(&w.ops[0]))
        return 0;
    ZydisEncoderRequest r = w.again;
    switch (w.decoded.mnemonic) {
    case ZYDIS_MNEMONIC_ADD: case ZYDIS_MNEMONIC_SUB:
        if (w.ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
            return 0;
        r = fresh(w.decoded.mnemonic);
        put_reg(&r, w.ops[0].reg.value);
        put_number(&r, w.ops[1].imm.value.s * times);
        break;
    case ZYDIS_MNEMONIC_INC: case ZYDIS_MNEMONIC_DEC:
        r = fresh(w.decoded.mnemonic == ZYDIS_MNEMONIC_INC ? ZYDIS_MNEMONIC_ADD
                                                           : ZYDIS_MNEMONIC_SUB);
        put_reg(&r, w.ops[0].reg.value);
        put_number(&r, times);
        break;
    case ZYDIS_MNEMONIC_LEA:
        if (w.ops[1].mem.index != ZYDIS_REGISTER_NONE || w.ops[1].mem.base != w.ops[0].reg.value)
            return 0;
        r.operands[1].mem.displacement *= times;
        break;
    default:
        return 0;
    }
    return request_encode(&r, out);
}

/* Accumulating instructions, each with the instruction that combines two of its accumulators */
static const struct { const char *name; ZydisMnemonic sum, join; unsigned lanes;
} sums[] = {
#define SAME(m, lanes) {#m, ZYDIS_MNEMONIC_##m, ZYDIS_MNEMONIC_##m, lanes}
#define FUSED(kind, lanes)                                                                         \
    {"VFMADD231" #kind, ZYDIS_MNEMONIC_VFMADD231##kind, ZYDIS_MNEMONIC_VADD##kind, lanes},         \
    {                                                                                              \
        "VFNMADD231" #kind, ZYDIS_MNEMONIC_VFNMADD231##kind, ZYDIS_MNEMONIC_VADD##kind, lanes      \
    }
    SAME(ADD, 0),    SAME(PADDB, 0),   SAME(PADDW, 0),   SAME(PADDD, 0),   SAME(PADDQ, 0),
    SAME(VPADDB, 0), SAME(VPADDW, 0),  SAME(VPADDD, 0),  SAME(VPADDQ, 0),  SAME(PXOR, 0),
    SAME(VPXOR, 0),  SAME(POR, 0),     SAME(VPOR, 0),    SAME(XOR, 0),     SAME(OR, 0),
    SAME(ADDSS, 32), SAME(ADDPS, 32),  SAME(VADDSS, 32), SAME(VADDPS, 32), SAME(ADDSD, 64),
    SAME(ADDPD, 64), SAME(VADDSD, 64), SAME(VADDPD, 64), FUSED(SS, 32),    FUSED(PS, 32),
    FUSED(SD, 64),   FUSED(PD, 64),
};

/* Returns the index of the row of sums for @w, or -1 if there is none. Sets *@operands to the bit
 * set of accumulator operands. The other inputs must not use the accumulator. */
static int sum_row(const struct work *w, uint8_t *operands)
{
    const ZydisDecodedOperand *ops = w->ops;
    const unsigned count = w->decoded.operand_count_visible;

    *operands = 1;
    if (w->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX || !is_reg(&ops[0]) ||
        w->in->traits & (INSN_RIP_RELATIVE | INSN_ZERO_IDIOM))
        return -1;
    const bool three = count == 3 && w->decoded.mnemonic != ZYDIS_MNEMONIC_IMUL,
               fused = ops[0].actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    for (size_t i = 0; i < COUNT(sums); i++) {
        if (w->decoded.mnemonic != sums[i].sum)
            continue;
        if (!sums[i].lanes && count == 2 &&
            ZydisRegisterGetClass(ops[0].reg.value) != ZYDIS_REGCLASS_XMM && !is_whole(&ops[0]))
            return -1;
        if (three && !fused) {   /* A scalar addition preserves the upper lanes of its first source,
                                  * which must therefore be the accumulator. */
            if (!is_reg(&ops[1]) || ops[1].reg.value != ops[0].reg.value)
                return -1;
            *operands = 3;
        }
        for (unsigned k = 1; k < count; k++)
            if (!(*operands >> k & 1) && (is_reg(&ops[k]) || is_whole(&ops[0])) &&
                names(&ops[k], ops[0].reg.value))
                return -1;
        return (int)i;
    }
    return -1;
}

static bool sum(const struct insn *in, struct isa_sum *out)
{
    struct work w;
    uint8_t operands;
    int row = work_begin(in, &w) ? sum_row(&w, &operands) : -1;

    if (row < 0)
        return false;
    *out = (struct isa_sum){in->operands[0].reg, operands, sums[row].lanes};
    return true;
}

/* Returns the register with number @root (isa/insn.h) in the class of @like. */
static ZydisRegister rooted(ZydisRegister like, uint8_t root)
{
    const ZydisRegisterClass registers = ZydisRegisterGetClass(like);
    return register_of(registers, root >= 16 ? root - 16u : root);
}

/* Multiply-adds with operand order 132 or 213, and the equivalent instruction with order 231. */
static const struct {
    ZydisMnemonic from, to;
    bool last;               /* whether the addend is the last operand */
} stays[] = {
#define STAYS(kind)                                                                                \
    {ZYDIS_MNEMONIC_VFMADD132##kind, ZYDIS_MNEMONIC_VFMADD231##kind, false},                       \
    {ZYDIS_MNEMONIC_VFMADD213##kind, ZYDIS_MNEMONIC_VFMADD231##kind, true}
    STAYS(SS), STAYS(PS), STAYS(SD), STAYS(PD),
};

static size_t sum_stay(const struct insn *in, uint8_t *from, uint8_t *out)
{
    struct work w;

    if (!work_begin(in, &w) || w.decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
        w.decoded.operand_count_visible != 3 || !is_reg(&w.ops[0]) ||
        in->traits & (INSN_RIP_RELATIVE | INSN_ZERO_IDIOM))
        return 0;
    for (size_t i = 0; i < COUNT(stays); i++) {
        const unsigned addend = stays[i].last ? 2 : 1;
        if (w.decoded.mnemonic != stays[i].from)
            continue;
        const ZydisRegister other = w.ops[addend].reg.value, result = w.ops[0].reg.value;
        if (!is_reg(&w.ops[addend]) || other == result ||
            (is_reg(&w.ops[3 - addend]) && names(&w.ops[3 - addend], other)))
            return 0;
        w.again.mnemonic = stays[i].to;
        w.again.operands[0].reg.value = other;
        w.again.operands[addend].reg.value = result;
        *from = in->operands[addend].reg;
        return request_encode(&w.again, out);
    }
    for (size_t i = 0; i < COUNT(sums); i++) {
        if (w.decoded.mnemonic != sums[i].sum || !sums[i].lanes ||
            w.ops[0].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            continue;
        const ZydisRegister other = w.ops[1].reg.value;
        if (!is_reg(&w.ops[1]) || other == w.ops[0].reg.value ||
            (is_reg(&w.ops[2]) && names(&w.ops[2], other)))
            return 0;
        w.again.operands[0].reg.value = other;
        *from = in->operands[1].reg;
        return request_encode(&w.again, out);
    }
    return 0;
}

static bool ends(const char *word, const char *with)
{
    const size_t length = strlen(word), own = strlen(with);

    return length >= own && strcmp(word + length - own, with) == 0;
}

static size_t sum_low(const struct insn *in, uint8_t reg, uint8_t *out)
{
    const bool doubles = ends(in->mnemonic, "sd");

    if (in->operation != OPERATION_FP_FUSED || (!doubles && !ends(in->mnemonic, "ss")))
        /* Returns 0: the upper lanes of an addition's result are those of the accumulator in any
         * case. */
        return 0;
    ZydisEncoderRequest r = fresh(doubles ? ZYDIS_MNEMONIC_VMOVQ : ZYDIS_MNEMONIC_VINSERTPS);
    for (unsigned k = 0; k < (doubles ? 2u : 3u); k++)
        put_reg(&r, register_of(ZYDIS_REGCLASS_XMM, reg - 16u));
    if (!doubles)
        put_number(&r, 0xe);
    return request_encode(&r, out);
}

static size_t sum_begin(const struct insn *in, uint8_t reg, uint8_t *out)
{
    struct work w;
    const bool vex = in->traits & INSN_VEX, general = in->operands[0].file == FILE_GENERAL;

    if (!work_begin(in, &w))
        return 0;
    ZydisEncoderRequest r = fresh(general ? ZYDIS_MNEMONIC_XOR
                                  : vex   ? ZYDIS_MNEMONIC_VPXOR
                                          : ZYDIS_MNEMONIC_PXOR);
    const ZydisRegister zero =
        register_of(general ? ZYDIS_REGCLASS_GPR32 : ZYDIS_REGCLASS_XMM, general ? reg : reg - 16u);
    for (unsigned k = 0; k < (vex && !general ? 3u : 2u); k++)
        put_reg(&r, zero);
    return request_encode(&r, out);
}

static size_t sum_end(const struct insn *in, uint8_t reg, uint8_t *out)
{
    struct work w;
    uint8_t operands;
    int row = work_begin(in, &w) ? sum_row(&w, &operands) : -1;

    if (row < 0)
        return 0;
    ZydisEncoderRequest r = fresh(sums[row].join);
    put_reg(&r, w.ops[0].reg.value);
    if (in->traits & INSN_VEX)
        put_reg(&r, w.ops[0].reg.value);
    put_reg(&r, rooted(w.ops[0].reg.value, reg));
    return request_encode(&r, out);
}

static size_t at_address(const struct insn *in, uint8_t base, uint8_t index, int32_t displacement,
                         uint8_t *out)
{
    struct work w;
    /* The access may be outside the memory operand, because the bit offset in a register moves the
     * access. */
    const bool moves =
        (in->operation == OPERATION_BIT_TEST || in->operation == OPERATION_BIT_CHANGE) &&
        in->operands[1].kind == OPERAND_REGISTER;

    if (moves || !work_begin(in, &w))
        return 0;
    for (unsigned i = 0; i < w.again.operand_count; i++) {
        ZydisEncoderOperand *op = &w.again.operands[i];
        if (op->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        op->mem.base = register_of(ZYDIS_REGCLASS_GPR64, base);
        op->mem.index = index == REG_NONE ? ZYDIS_REGISTER_NONE
                                          : register_of(ZYDIS_REGCLASS_GPR64, index);
        op->mem.scale = index != REG_NONE;
        op->mem.displacement = displacement;
        return request_encode(&w.again, out);
    }
    return 0;
}

/* Writes lea rsp, [rsp - 1024] (the red zone may be in use), then pushfq, then an AND of [rsp] with
 * the bits of @mask. Returns the number of bytes. */
static size_t flags_store(uint32_t mask, uint8_t *out)
{
    static const struct {
        uint32_t flag;
        unsigned bit;
    } places[] = {{FLAG_CARRY, 0}, {FLAG_PARITY, 2}, {FLAG_ADJUST, 4},
                  {FLAG_ZERO, 6},  {FLAG_SIGN, 7},   {FLAG_OVERFLOW, 11}};
    uint8_t code[] = {0x48, 0x8d, 0xa4, 0x24, 0x00, 0xfc, 0xff, 0xff, 0x9c,
                      0x48, 0x81, 0x24, 0x24, 0,    0,    0,    0};
    uint32_t bits = 0;

    for (size_t i = 0; i < COUNT(places); i++)
        bits |= mask & places[i].flag ? 1u << places[i].bit : 0;
    memcpy(code + sizeof code - 4, &bits, 4);
    memcpy(out, code, sizeof code);
    return sizeof code;
}

/* Appends @line with the assembler's mnemonic, because the formatter adds size suffixes of integers
 * to vector instructions, and writes movzx. Appends @line unchanged if the form has no AT&T name,
 * as with lock or rep. */
static void add_att_line(const struct insn *in, const char *line, struct str *out)
{
    struct spelling spelling;
    const char *rest = line + strcspn(line, " ");

    if (att_form(in->form, &spelling))
        str_addf(out, "%s%s", spelling.names[0], rest);
    else
        str_add(out, line);
}

static void print(const struct insn *in, bool att, struct str *out)
{
    struct work w;
    ZydisFormatter formatter;
    char line[160];

    if (!work_begin(in, &w))
        return;
    ZydisFormatterInit(&formatter, att ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, att);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                              ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
                              ZYDIS_PADDING_DISABLED);
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &w.decoded, w.ops,
                                                      w.decoded.operand_count_visible, line,
                                                      sizeof line, in->offset, NULL)))
        return;
    if (att)
        add_att_line(in, line, out);
    else
        str_add(out, line);
}

const struct isa_rewrite x86_rewrite = {
    next,    steps,   sum,         sum_begin,  sum_end,
    sum_stay, sum_low, flags_store, at_address, print};
