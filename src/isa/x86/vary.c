/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <string.h>

#include "isa/x86/encode.h"

/* Writes a nop of @length bytes (Intel SDM, volume 2, NOP: recommended sequences up to 9 bytes). A
 * longer nop has additional operand-size prefixes, and is still one instruction. Returns 0 if no
 * nop has this length. */
static size_t nop(unsigned length, uint8_t *out)
{
    static const uint8_t bytes[9][9] = {
        {0x90},
        {0x66, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40},
        {0x0f, 0x1f, 0x44},
        {0x66, 0x0f, 0x1f, 0x44},
        {0x0f, 0x1f, 0x80},
        {0x0f, 0x1f, 0x84},
        {0x66, 0x0f, 0x1f, 0x84},
    };
    unsigned prefixes = length > 9 ? length - 9 : 0;

    if (!length || length > 15)
        return 0;
    memset(out, 0x66, prefixes);
    memcpy(out + prefixes, bytes[length - prefixes - 1], 9);
    return length;
}

/* Makes an encoder request for @in, and finds operand @operand of @in in the request. Returns false
 * if this is impossible. */
static bool request_of(const struct insn *in, unsigned operand, ZydisEncoderRequest *request,
                       ZydisEncoderOperand **which)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    unsigned place = 0;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, in->bytes, in->length, &decoded, ops)) ||
        ZYAN_FAILED(ZydisEncoderDecodedInstructionToEncoderRequest(
            &decoded, ops, decoded.operand_count_visible, request)))
        return false;
    /* Skips k0, which struct insn omits. */
    for (unsigned i = 0; i < decoded.operand_count_visible && i < request->operand_count; i++) {
        bool none = ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                    ops[i].encoding == ZYDIS_OPERAND_ENCODING_MASK &&
                    ops[i].reg.value == ZYDIS_REGISTER_K0;
        if (!none && place++ == operand) {
            *which = &request->operands[i];
            return true;
        }
    }
    return false;
}

/* Returns the register with number @root in the class of @like. If @like is ah, bh, ch or dh,
 * returns @like. */
static ZydisRegister like_register(ZydisRegister like, uint8_t root)
{
    ZydisRegisterClass registers = ZydisRegisterGetClass(like);
    bool vector = registers == ZYDIS_REGCLASS_XMM || registers == ZYDIS_REGCLASS_YMM ||
                  registers == ZYDIS_REGCLASS_ZMM;

    if (like >= ZYDIS_REGISTER_AH && like <= ZYDIS_REGISTER_BH)
        return like;
    return register_of(registers, vector ? root - 16u : root);
}

static size_t reg(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                  unsigned attempt, uint8_t *out)
{
    const struct operand *op = &in->operands[operand];
    ZydisEncoderRequest request;
    ZydisEncoderOperand *which;

    if (attempt)
        return SIZE_MAX;
    if (!request_of(in, operand, &request, &which))
        return 0;
    if (op->kind == OPERAND_REGISTER)
        which->reg.value = like_register(which->reg.value, to);
    if (op->kind == OPERAND_MEMORY && op->base == from)
        which->mem.base = like_register(which->mem.base, to);
    if (op->kind == OPERAND_MEMORY && op->index == from)
        which->mem.index = like_register(which->mem.index, to);
    return request_encode(&request, out);
}

static size_t moved(const struct insn *in, unsigned operand, int64_t by, unsigned attempt,
                    uint8_t *out)
{
    ZydisEncoderRequest request;
    ZydisEncoderOperand *which;

    if (attempt)
        return SIZE_MAX;
    if (!request_of(in, operand, &request, &which) || which->mem.base == ZYDIS_REGISTER_RIP)
        return 0;
    which->mem.displacement += by;
    return request_encode(&request, out);
}

static size_t indexed(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                      int64_t displacement, uint8_t *out)
{
    ZydisEncoderRequest request;
    ZydisEncoderOperand *which;

    if (!request_of(in, operand, &request, &which) || which->mem.base == ZYDIS_REGISTER_RIP ||
        which->mem.base == ZYDIS_REGISTER_NONE)
        return 0;
    which->mem.index = like_register(which->mem.base, index);
    which->mem.scale = scale;
    which->mem.displacement = displacement;
    return request_encode(&request, out);
}

static size_t copy(const struct operand *like, bool legacy, uint8_t to, uint8_t from, uint8_t *out)
{
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64};
    ZydisRegisterClass registers = like->file == FILE_GENERAL ? ZYDIS_REGCLASS_GPR64
                                   : like->bits > 256         ? ZYDIS_REGCLASS_ZMM
                                   : like->bits > 128         ? ZYDIS_REGCLASS_YMM
                                                              : ZYDIS_REGCLASS_XMM;
    unsigned base = like->file == FILE_VECTOR ? 16 : 0;
    const ZydisRegister regs[3] = {register_of(registers, to - base), ZYDIS_REGISTER_K0,
                                   register_of(registers, from - base)};

    if (like->file != FILE_GENERAL && like->file != FILE_VECTOR)
        return 0;
    request.mnemonic = like->file == FILE_GENERAL ? ZYDIS_MNEMONIC_MOV
                       : legacy                   ? ZYDIS_MNEMONIC_MOVAPS
                                                  : ZYDIS_MNEMONIC_VMOVAPS;
    for (unsigned k = 0; k < 3; k++) {
        /* Only EVEX instructions need an explicit k0 in the request. */
        if (k == 1 && registers != ZYDIS_REGCLASS_ZMM)
            continue;
        request.operands[request.operand_count].type = ZYDIS_OPERAND_TYPE_REGISTER;
        request.operands[request.operand_count++].reg.value = regs[k];
    }
    return request_encode(&request, out);
}

/* Appends the name of a register. For a vector register this is the xmm name, because most
 * instructions use it. */
static void name(uint8_t root, struct str *out)
{
    const char *text =
        ZydisRegisterGetString(root < 16 ? register_of(ZYDIS_REGCLASS_GPR64, root)
                                         : register_of(ZYDIS_REGCLASS_XMM, root - 16u));
    str_add(out, text ? text : "a register");
}

const struct isa_vary x86_vary = {nop, copy, reg, moved, indexed, name};
