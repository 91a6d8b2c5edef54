/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/decode.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "base/watch.h"
#include "isa/x86/decode_parts.h"
#include "isa/x86/form.h"
#include "isa/x86/learn.h"

static ZydisDecoder decoder;
static ZydisFormatter formatter;
static pthread_once_t initialised = PTHREAD_ONCE_INIT;

#define LEARN_ROUNDS 4

static ZydisDecoder light;   /* decoder that determines only length, opcode and immediates */

static void initialise(void)
{
    ZydisDecoderInit(&light, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&light, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    /* Prints 0x1 without leading zeros, as other disassemblers do. */
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                              ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
                              ZYDIS_PADDING_DISABLED);
    /* Prints [rip+0x10] instead of an address. The text then does not depend on the position. */
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
}

/* Decodes an instruction. Returns false for invalid bytes. Rejects branches of Knights Corner,
 * which Zydis decodes from encodings that are invalid on all other CPUs. */
static bool decode_full(const uint8_t *code, size_t length, ZydisDecodedInstruction *in,
                        ZydisDecodedOperand *ops)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, length, in, ops)) &&
           in->mnemonic != ZYDIS_MNEMONIC_JKZD && in->mnemonic != ZYDIS_MNEMONIC_JKNZD;
}

static uint8_t root_of(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_NONE)
        return REG_NONE;
    int id = ZydisRegisterGetId(reg);
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
        /* Zydis numbers al cl dl bl ah ch dh bh spl bpl sil dil r8b. The encodings of ah to bh
         * equal the encodings of spl to dil. */
        if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
            return (uint8_t)(reg - ZYDIS_REGISTER_AH);
        if (reg >= ZYDIS_REGISTER_SPL)
            return (uint8_t)(reg - ZYDIS_REGISTER_SPL + 4);
        return (uint8_t)(reg - ZYDIS_REGISTER_AL);
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
        return (uint8_t)id;
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        return (uint8_t)(16 + id);
    case ZYDIS_REGCLASS_MASK:
        return (uint8_t)(48 + id);
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
        return (uint8_t)(56 + id);
    case ZYDIS_REGCLASS_IP:
        return REG_PC;
    case ZYDIS_REGCLASS_FLAGS:
        return REG_FLAGS;
    default:
        return REG_OTHER;
    }
}

static uint8_t file_of(uint8_t reg)
{
    return reg < 16           ? FILE_GENERAL
           : reg < 48         ? FILE_VECTOR
           : reg < 56         ? FILE_MASK
           : reg < REG_PC     ? FILE_X87
           : reg == REG_PC    ? FILE_PC
           : reg == REG_FLAGS ? FILE_FLAGS
           : reg == REG_NONE  ? FILE_NONE
                              : FILE_OTHER;
}

static uint8_t access_of(ZydisOperandActions actions)
{
    uint8_t access = 0;
    if (actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        access |= ACCESS_READ;
    if (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        access |= ACCESS_WRITE;
    if (actions & (ZYDIS_OPERAND_ACTION_CONDREAD | ZYDIS_OPERAND_ACTION_CONDWRITE))
        access |= ACCESS_CONDITIONAL;
    return access;
}

static void fill_operand(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
                         uint64_t offset, struct operand *out)
{
    *out = (struct operand){.access = access_of(op->actions),
                            .implicit = op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN,
                            .reg = REG_NONE,
                            .bits = op->size,
                            .base = REG_NONE,
                            .index = REG_NONE,
                            .segment = REG_NONE};
    switch (op->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        out->kind = OPERAND_REGISTER;
        out->reg = root_of(op->reg.value);
        out->file = file_of(out->reg);
        out->scale = 1;
        out->offset_bits =
            op->reg.value >= ZYDIS_REGISTER_AH && op->reg.value <= ZYDIS_REGISTER_BH ? 8 : 0;
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        out->kind = OPERAND_MEMORY;
        out->base = root_of(op->mem.base);
        out->index = root_of(op->mem.index);
        out->segment = op->mem.segment == ZYDIS_REGISTER_FS || op->mem.segment == ZYDIS_REGISTER_GS
                           ? root_of(op->mem.segment)
                           : REG_NONE;
        out->scale = op->mem.index == ZYDIS_REGISTER_NONE ? 0 : op->mem.scale;
        /* xlat has the index al, which Zydis reports only as a register that is read. */
        if (in->mnemonic == ZYDIS_MNEMONIC_XLAT) {
            out->index = root_of(ZYDIS_REGISTER_AL);
            out->scale = 1;
        }
        out->displacement = op->mem.disp.has_displacement ? op->mem.disp.value : 0;
        break;
    default:
        out->kind = op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op->imm.is_relative
                        ? OPERAND_RELATIVE
                        : OPERAND_IMMEDIATE;
        out->immediate = op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? op->imm.value.s : 0;
        if (out->kind == OPERAND_RELATIVE)
            out->displacement = (int64_t)(offset + in->length + op->imm.value.u);
    }
}

/* Marks the pointers that a string instruction advances by one element. The direction is upwards,
 * because the ABI clears the direction flag. Does nothing for other instructions, and for repeated
 * instructions, which advance the pointers an unknown number of times. */
static void mark_steps(const ZydisDecodedInstruction *in, struct insn *out)
{
    int64_t bytes = 0;

    if (in->meta.category != ZYDIS_CATEGORY_STRINGOP ||
        in->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        return;
    for (unsigned i = 0; i < out->operand_count; i++)
        bytes = out->operands[i].kind == OPERAND_MEMORY ? out->operands[i].bits / 8 : bytes;
    for (unsigned i = 0; i < out->operand_count; i++) {
        struct operand *op = &out->operands[i];
        /* Skips other operands, because only rsi and rdi are pointers. */
        if (op->kind != OPERAND_REGISTER || !(op->access & ACCESS_WRITE) ||
            (op->reg != 6 && op->reg != 7))
            continue;
        op->access |= ACCESS_WRITEBACK;
        op->immediate = bytes;
        out->traits |= INSN_WRITEBACK;
    }
}

static bool is_zeroing(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR: case ZYDIS_MNEMONIC_XORPS: case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VPXOR: case ZYDIS_MNEMONIC_VXORPS: case ZYDIS_MNEMONIC_VXORPD:
    case ZYDIS_MNEMONIC_VPXORD: case ZYDIS_MNEMONIC_VPXORQ:
    case ZYDIS_MNEMONIC_PSUBB: case ZYDIS_MNEMONIC_PSUBW: case ZYDIS_MNEMONIC_PSUBD:
    case ZYDIS_MNEMONIC_PSUBQ:
    case ZYDIS_MNEMONIC_VPSUBB: case ZYDIS_MNEMONIC_VPSUBW: case ZYDIS_MNEMONIC_VPSUBD:
    case ZYDIS_MNEMONIC_VPSUBQ:
    case ZYDIS_MNEMONIC_PSUBSB: case ZYDIS_MNEMONIC_PSUBSW: case ZYDIS_MNEMONIC_PSUBUSB:
    case ZYDIS_MNEMONIC_PSUBUSW:
    case ZYDIS_MNEMONIC_VPSUBSB: case ZYDIS_MNEMONIC_VPSUBSW: case ZYDIS_MNEMONIC_VPSUBUSB:
    case ZYDIS_MNEMONIC_VPSUBUSW:
    case ZYDIS_MNEMONIC_PCMPGTB: case ZYDIS_MNEMONIC_PCMPGTW: case ZYDIS_MNEMONIC_PCMPGTD:
    case ZYDIS_MNEMONIC_PCMPGTQ:
    case ZYDIS_MNEMONIC_VPCMPGTB: case ZYDIS_MNEMONIC_VPCMPGTW: case ZYDIS_MNEMONIC_VPCMPGTD:
    case ZYDIS_MNEMONIC_VPCMPGTQ:
        return true;
    default:
        return false;
    }
}

static bool is_ones(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_PCMPEQB: case ZYDIS_MNEMONIC_PCMPEQW: case ZYDIS_MNEMONIC_PCMPEQD:
    case ZYDIS_MNEMONIC_VPCMPEQB: case ZYDIS_MNEMONIC_VPCMPEQW: case ZYDIS_MNEMONIC_VPCMPEQD:
        return true;
    default:
        return false;
    }
}

static bool is_plain_move(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVAPS: case ZYDIS_MNEMONIC_MOVAPD: case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA: case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_VMOVAPS: case ZYDIS_MNEMONIC_VMOVAPD: case ZYDIS_MNEMONIC_VMOVUPS:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQA: case ZYDIS_MNEMONIC_VMOVDQU:
    case ZYDIS_MNEMONIC_VMOVDQA32: case ZYDIS_MNEMONIC_VMOVDQA64:
    case ZYDIS_MNEMONIC_VMOVDQU8: case ZYDIS_MNEMONIC_VMOVDQU16: case ZYDIS_MNEMONIC_VMOVDQU32:
    case ZYDIS_MNEMONIC_VMOVDQU64:
        return true;
    default:
        return false;
    }
}

/* Returns traits of idioms and moves. An idiom has the same register as its last two listed
 * operands, and no mask. */
static uint32_t idiom_traits(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    const ZydisDecodedOperand *last = NULL, *before = NULL;
    unsigned listed = 0;

    if (in->avx.mask.reg > ZYDIS_REGISTER_K0)
        return 0;
    for (unsigned i = 0; i < in->operand_count_visible; i++)
        if (form_lists(in, &ops[i])) {
            before = last;
            last = &ops[i];
            listed++;
        }
    if (!before || last->type != ZYDIS_OPERAND_TYPE_REGISTER ||
        before->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return 0;
    if (listed == 2 && is_plain_move(in->mnemonic) && last->size >= 32 &&
        ZydisRegisterGetClass(last->reg.value) != ZYDIS_REGCLASS_SEGMENT &&
        ZydisRegisterGetClass(before->reg.value) == ZydisRegisterGetClass(last->reg.value))
        return INSN_MOVE;
    if (last->reg.value != before->reg.value)
        return 0;
    /* An 8- or 16-bit xor is no idiom, because it merges with the old register. */
    if (is_zeroing(in->mnemonic) && last->size >= 32)
        return INSN_ZERO_IDIOM;
    return is_ones(in->mnemonic) ? INSN_ONES_IDIOM : 0;
}

/* Returns whether an instruction is a barrier. On AMD's CPUs, LFENCE is a barrier because operating
 * systems set a bit for this (Linux since 2018). */
static bool is_barrier(ZydisMnemonic mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_LFENCE || mnemonic == ZYDIS_MNEMONIC_CPUID ||
           mnemonic == ZYDIS_MNEMONIC_SERIALIZE;
}

static uint32_t flow_traits(const ZydisDecodedInstruction *in)
{
    /* Treats endbr as a nop, because it executes like a nop. */
    if (in->mnemonic == ZYDIS_MNEMONIC_ENDBR64 || in->mnemonic == ZYDIS_MNEMONIC_ENDBR32)
        return INSN_NOP;
    switch (in->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return INSN_BRANCH | INSN_CONDITIONAL;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return INSN_BRANCH;
    case ZYDIS_CATEGORY_CALL:
        return INSN_BRANCH | INSN_CALL;
    case ZYDIS_CATEGORY_RET:
        return INSN_BRANCH | INSN_RETURN;
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
        return INSN_NOP;
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_SEGOP:
        return INSN_SYSTEM;
    default:
        return in->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ? INSN_SYSTEM : 0;
    }
}

static uint32_t memory_traits(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    uint32_t traits = 0;
    for (unsigned i = 0; i < in->operand_count; i++) {
        if (ops[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        if (ops[i].mem.index != ZYDIS_REGISTER_NONE &&
            ops[i].visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
            traits |= INSN_INDEXED;
        if (ops[i].mem.base == ZYDIS_REGISTER_RIP)
            traits |= INSN_RIP_RELATIVE;
        if (in->address_width == 32)
            traits |= INSN_NARROW_ADDRESS;
        if (ops[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN || (traits & INSN_NOP))
            continue;
        if (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            traits |= INSN_LOAD;
        if (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            traits |= INSN_STORE;
    }
    return traits;
}

static uint32_t traits_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    uint32_t traits = flow_traits(in) | idiom_traits(in, ops);

    if (!(traits & INSN_NOP))
        traits |= memory_traits(in, ops);
    if (in->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        traits |= INSN_LOCK;
    if (is_barrier(in->mnemonic))
        traits |= INSN_BARRIER;
    if (in->meta.isa_ext == ZYDIS_ISA_EXT_X87 || in->meta.isa_ext == ZYDIS_ISA_EXT_MMX)
        traits |= INSN_X87_MMX;
    if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
        in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
        traits |= INSN_VEX;
    bool vector = false;
    for (unsigned i = 0; i < in->operand_count; i++)
        vector |= ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                  ZydisRegisterGetClass(ops[i].reg.value) == ZYDIS_REGCLASS_XMM;
    if (vector && in->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        traits |= INSN_LEGACY_SSE;
    if (x86_keeps_old(in, ops))
        traits |= INSN_KEEPS_OLD;
    if (x86_demands_alignment(in, ops))
        traits |= INSN_ALIGNED;
    if (in->raw.imm[0].size == 16 && (in->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE))
        traits |= INSN_LCP;
    if (allow_insn(in, ops))
        traits |= INSN_RUNNABLE;
    return traits;
}

/* Converts a mask of Zydis, with the bits of EFLAGS, to a set of FLAG_... bits. */
static uint32_t flags_of(ZydisAccessedFlagsMask mask)
{
    return (mask & ZYDIS_CPUFLAG_CF ? FLAG_CARRY : 0) |
           (mask & ZYDIS_CPUFLAG_PF ? FLAG_PARITY : 0) |
           (mask & ZYDIS_CPUFLAG_AF ? FLAG_ADJUST : 0) | (mask & ZYDIS_CPUFLAG_ZF ? FLAG_ZERO : 0) |
           (mask & ZYDIS_CPUFLAG_SF ? FLAG_SIGN : 0) |
           (mask & ZYDIS_CPUFLAG_OF ? FLAG_OVERFLOW : 0) |
           (mask & ZYDIS_CPUFLAG_DF ? FLAG_DIRECTION : 0);
}

/* Returns the offset of the first byte after the prefixes. VEX and EVEX are part of the opcode. */
static uint8_t opcode_offset(const struct insn *insn)
{
    uint8_t at = 0;
    for (; at + 1 < insn->length; at++) {
        uint8_t byte = insn->bytes[at];
        bool prefix = byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
                      byte == 0xf0 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
                      byte == 0x26 || byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
        if (!prefix)
            break;
    }
    return at;
}

/* Returns INSN_VECTOR if the form has a vector register, otherwise 0. The form's name then contains
 * XMM, YMM, ZMM or MM. */
static uint32_t form_vector(const char *form)
{
    return strstr(form, "MM") ? INSN_VECTOR : 0;
}

/* Returns the length of ModRM, SIB and displacement at @code; 0 if incomplete. */
static size_t address_length(const uint8_t *code, size_t length)
{
    if (!length)
        return 0;
    unsigned mod = code[0] >> 6, rm = code[0] & 7;
    if (mod == 3)
        return 1;
    bool scaled = rm == 4,
         absolute = mod == 0 && (rm == 5 || (scaled && length > 1 && (code[1] & 7) == 5));
    return 1u + scaled + (mod == 1 ? 1 : mod == 2 || absolute ? 4 : 0);
}

/* Returns the length of the immediate for opcode @opcode in map @map of VEX or EVEX. @narrow is
 * true with an operand-size prefix. */
static size_t immediate_length(unsigned map, unsigned opcode, unsigned modrm, bool narrow)
{
    const size_t word = narrow ? 2 : 4;

    if (map == 1)
        return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
               (opcode >= 0xc4 && opcode <= 0xc6);
    if (map == 3)
        return 1;
    if (map == 7)
        return 4;
    if (map != 4)
        return 0;
    if (opcode == 0x69 || opcode == 0x81 || (opcode == 0xf7 && (modrm >> 3 & 7) < 2))
        return word;
    return opcode == 0x6b || opcode == 0x80 || opcode == 0x83 || opcode == 0xc0 || opcode == 0xc1 ||
           opcode == 0x24 || opcode == 0x2c || (opcode == 0xf6 && (modrm >> 3 & 7) < 2);
}

size_t x86_encoding_length(const uint8_t *code, size_t length)
{
    size_t at = 0;

    while (at < length &&
           (code[at] == 0x67 || code[at] == 0x64 || code[at] == 0x65 || code[at] == 0x2e ||
            code[at] == 0x36 || code[at] == 0x3e || code[at] == 0x26))
        at++;
    if (at + 4 > length)
        return 0;
    const uint8_t first = code[at];
    const unsigned map = first == 0xc5   ? 1
                         : first == 0xc4 ? code[at + 1] & 31u
                         : first == 0x62 ? code[at + 1] & 7u
                                         : 0;
    const unsigned pp = first == 0xc5 ? code[at + 1] & 3u : code[at + 2] & 3u;
    if (map == 0 || map > 7)
        return 0;
    at += first == 0xc5 ? 2 : first == 0xc4 ? 3 : 4;
    if (at + 1 >= length)
        return 0;
    const uint8_t opcode = code[at++], modrm = code[at];
    const size_t address = address_length(code + at, length - at);
    at += address + immediate_length(map, opcode, modrm, pp == 1);
    return address && at <= length && at <= X86_LEARN_BYTES ? at : 0;
}

/* Returns the length of an encoding with REX2 (APX), which is the length of the same opcode with
 * REX. Returns 0 for other or incomplete encodings. */
static size_t rex2_length(const uint8_t *code, size_t length)
{
    uint8_t legacy[X86_LEARN_BYTES + 1];
    size_t at = 0, n;
    ZydisDecodedInstruction in;

    while (at < length && at < 4 &&
           (code[at] == 0x66 || code[at] == 0x67 || code[at] == 0xf2 || code[at] == 0xf3 ||
            code[at] == 0x64 || code[at] == 0x65))
        at++;
    if (at + 3 > length || code[at] != 0xd5)
        return 0;
    const bool map1 = code[at + 1] >> 7;
    memcpy(legacy, code, at);
    legacy[at] = (uint8_t)(0x40 | (code[at + 1] & 0xf));
    legacy[at + 1] = 0x0f;
    n = length - at - 2 < sizeof legacy - at - 2 ? length - at - 2 : sizeof legacy - at - 2;
    memcpy(legacy + at + 1 + map1, code + at + 2, n);
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, legacy, at + 1 + map1 + n, &in)))
        return 0;
    n = in.length + 1u - map1;   /* REX2 has two bytes, which replace REX and the escape byte. */
    return n <= length && n <= X86_LEARN_BYTES ? n : 0;
}

/* Returns the length of an instruction that Zydis does not support; 0 if unknown. Sets @text to the
 * text of another disassembler, or to "". */
static size_t foreign_length(const uint8_t *code, size_t length, char text[X86_LEARN_TEXT])
{
    const size_t known = x86_learned(code, length, text);

    if (known)
        return known;
    *text = '\0';
    const size_t vector = x86_encoding_length(code, length);
    return vector ? vector : rex2_length(code, length);
}

/* Decodes an instruction that Zydis does not support from another disassembler's text. Without such
 * a text, or with an unsupported one, the instruction is undecoded. Returns false if its length is
 * unknown. */
static bool foreign_decode(const uint8_t *code, size_t length, uint64_t offset, bool text,
                           struct insn *out)
{
    char line[X86_LEARN_TEXT];
    const size_t n = foreign_length(code, length, line);

    if (!n)
        return false;
    if (*line) {
        memcpy(out->bytes, code, n);
        out->length = (uint8_t)n;
        out->offset = offset;
        if (x86_text_read(line, out)) {
            out->opcode_at = opcode_offset(out);
            out->traits |= INSN_FOREIGN;
            if (text)
                out->text = mem_strdup(line);
            return true;
        }
    }
    insn_undecoded(ISA_X86_64, code, n, offset, *line ? line : NULL, text, out);
    return true;
}

bool x86_learn(const uint8_t *code, size_t length, struct err *err)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    char text[X86_LEARN_TEXT];
    size_t fresh = 1;
    bool ok = true;

    pthread_once(&initialised, initialise);
    /* A newly known length moves the starts of later instructions, so the look-up is repeated until
     * nothing changes. */
    for (unsigned round = 0; ok && fresh && round < LEARN_ROUNDS; round++) {
        VEC(struct x86_window) windows = {0};
        for (size_t at = 0; at < length && !watch_steps(1);) {
            const size_t left = length - at;
            if (decode_full(code + at, left, &in, ops)) {
                at += in.length;
                continue;
            }
            const size_t known = foreign_length(code + at, left, text);
            if (!*text) {
                struct x86_window window = {
                    .length = (uint8_t)(left < X86_LEARN_BYTES ? left : X86_LEARN_BYTES)};
                memcpy(window.bytes, code + at, window.length);
                vec_push(&windows, window);
            }
            at += known ? known : 1;
        }
        ok = x86_learn_windows(windows.items, windows.count, &fresh, err);
        vec_done(&windows);
    }
    return ok;
}

bool x86_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    pthread_once(&initialised, initialise);
    memset(out, 0, sizeof *out);
    out->isa = ISA_X86_64;
    if (!decode_full(code, length, &in, ops))
        return foreign_decode(code, length, offset, text, out) ||
               err_set(err, ERR_DATA, "give whole x86-64 instructions",
                       "no valid instruction at byte %zu (%02x)", (size_t)offset,
                       length ? code[0] : 0);
    memcpy(out->bytes, code, in.length);
    out->length = in.length;
    out->offset = offset;
    out->traits = traits_of(&in, ops);
    form_name(&in, ops, out->form);
    out->traits |= form_vector(out->form);
    if (!memccpy(out->mnemonic, ZydisMnemonicGetString(in.mnemonic), 0, sizeof out->mnemonic))
        out->mnemonic[sizeof out->mnemonic - 1] = 0;
    if (in.cpu_flags) {
        out->flags_read = flags_of(in.cpu_flags->tested);
        out->flags_written = flags_of(in.cpu_flags->modified | in.cpu_flags->set_0 |
                                      in.cpu_flags->set_1 | in.cpu_flags->undefined);
    }
    for (unsigned i = 0; i < in.operand_count && out->operand_count < INSN_OPERANDS; i++)
        if (!(ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
              ops[i].encoding == ZYDIS_OPERAND_ENCODING_MASK &&
              ops[i].reg.value == ZYDIS_REGISTER_K0))
            fill_operand(&in, &ops[i], offset, &out->operands[out->operand_count++]);
    mark_steps(&in, out);
    out->opcode_at = opcode_offset(out);
    x86_operation(&in, out);
    if (out->traits & INSN_X87_MMX)
        x87_fill(out);
    if (text) {
        char line[160];
        ZydisFormatterFormatInstruction(&formatter, &in, ops, in.operand_count_visible, line,
                                        sizeof line, offset, NULL);
        out->text = mem_strdup(line);
    }
    return true;
}

unsigned insn_rip_displacement(const struct insn *insn)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    if (!(insn->traits & INSN_RIP_RELATIVE) ||
        ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, insn->bytes, insn->length, &in, ops)))
        return 0;
    return in.raw.disp.size == 32 ? in.raw.disp.offset : 0;
}

unsigned insn_branch_distance(const struct insn *insn, unsigned *size)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    if (!(insn->traits & INSN_BRANCH) ||
        ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, insn->bytes, insn->length, &in, ops)))
        return 0;
    for (unsigned i = 0; i < 2; i++)
        if (in.raw.imm[i].size && in.raw.imm[i].is_relative) {
            *size = in.raw.imm[i].size / 8u;
            return in.raw.imm[i].offset;
        }
    return 0;
}

unsigned insn_branch_condition(const struct insn *insn)
{
    unsigned size = 0, at = insn_branch_distance(insn, &size);
    const uint8_t opcode = at ? insn->bytes[at - 1] : 0;
    const bool flags = insn->traits & INSN_CONDITIONAL &&
                       ((opcode & 0xf0) == 0x70 || (opcode & 0xf0) == 0x80);

    return flags ? opcode & 15u : INSN_NO_CONDITION;
}

size_t x86_glance(const uint8_t *code, size_t length, int64_t *branch, bool *vector)
{
    ZydisDecodedInstruction in;
    char text[X86_LEARN_TEXT];

    pthread_once(&initialised, initialise);
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&light, NULL, code, length, &in))) {
        *branch = 0;
        *vector = true;
        return foreign_length(code, length, text);
    }
    const bool plain = in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
    *branch = in.raw.imm[0].is_relative && !(plain && (in.opcode == 0xe8 || in.opcode == 0xc7))
                  ? in.raw.imm[0].value.s + in.length
                  : 0;
    /* In these rows, the second opcode table has SSE instructions. */
    const unsigned row = in.opcode >> 4;
    *vector = in.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
              in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
              (in.opcode_map == ZYDIS_OPCODE_MAP_0F &&
               (row == 1   ? in.opcode < 0x18
                : row == 2 ? in.opcode >= 0x28
                           : (row >= 5 && row <= 7) || row >= 0xd));
    return in.length;
}

bool x86_listed(const uint8_t *code, size_t length, size_t *held, int64_t *far)
{
    ZydisDecodedInstruction in;

    pthread_once(&initialised, initialise);
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&light, NULL, code, length, &in)) ||
        in.length != length)
        return false;
    *held = in.raw.imm[0].is_relative ? in.raw.imm[0].size / 8u : 0;
    *far = *held ? in.raw.imm[0].value.s + in.length : 0;
    return true;
}

size_t x86_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    pthread_once(&initialised, initialise);
    if (!decode_full(code, length, &in, ops)) {
        struct insn insn;
        memset(&insn, 0, sizeof insn);
        if (!foreign_decode(code, length, 0, false, &insn))
            return 0;
        memcpy(form, insn.form, sizeof insn.form);
        *traits = insn.traits;
        return insn.length;
    }
    form_name(&in, ops, form);
    *traits = traits_of(&in, ops) | form_vector(form);
    return in.length;
}

