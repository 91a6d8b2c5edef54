/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/form.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static bool has_vex[ZYDIS_MNEMONIC_MAX_VALUE + 1];
static pthread_once_t vex_scanned = PTHREAD_ONCE_INIT;

/* Finds the mnemonics with a VEX encoding. Decodes every opcode with every W, L and pp, with a
 * register and with a memory operand. */
static void scan_vex(void)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned map = 1; map <= 3; map++)
        for (unsigned last = 0; last < 16; last++)
            for (unsigned opcode = 0; opcode < 256; opcode++)
                for (unsigned memory = 0; memory < 2; memory++) {
                    /* bytes of a VEX prefix: C4; inverted R, X and B, and the map; and W vvvv L
                     * pp */
                    uint8_t code[16] = {0xc4, (uint8_t)(0xe0 | map),
                                        (uint8_t)((last & 8) << 4 | 0x78 | (last & 7)),
                                        (uint8_t)opcode, memory ? 0x00 : 0xc0};
                    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, sizeof code, &in, ops)))
                        has_vex[in.mnemonic] = true;
                }
}

static bool is_string(const ZydisDecodedInstruction *in)
{
    return in->meta.category == ZYDIS_CATEGORY_STRINGOP ||
           in->meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

bool form_lists(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
    if (op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN || is_string(in) ||
        in->mnemonic == ZYDIS_MNEMONIC_NOP)
        return false;
    return !(op->encoding == ZYDIS_OPERAND_ENCODING_MASK &&
             op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == ZYDIS_REGISTER_K0);
}

static bool is_count_register(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
    if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || op->reg.value != ZYDIS_REGISTER_CL ||
        op->visibility != ZYDIS_OPERAND_VISIBILITY_IMPLICIT)
        return false;
    return in->meta.category == ZYDIS_CATEGORY_SHIFT || in->meta.category == ZYDIS_CATEGORY_ROTATE;
}

static const char *register_type(ZydisRegister reg)
{
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
        return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH ? "R8h" : "R8l";
    case ZYDIS_REGCLASS_GPR16:
        return "R16";
    case ZYDIS_REGCLASS_GPR32:
        return "R32";
    case ZYDIS_REGCLASS_GPR64:
        return "R64";
    case ZYDIS_REGCLASS_X87:
        return "ST";
    case ZYDIS_REGCLASS_MMX:
        return "MM";
    case ZYDIS_REGCLASS_XMM:
        return "XMM";
    case ZYDIS_REGCLASS_YMM:
        return "YMM";
    case ZYDIS_REGCLASS_ZMM:
        return "ZMM";
    case ZYDIS_REGCLASS_MASK:
        return "K";
    case ZYDIS_REGCLASS_SEGMENT:
        return "SREG";
    case ZYDIS_REGCLASS_CONTROL:
        return "CR";
    case ZYDIS_REGCLASS_DEBUG:
        return "DR";
    case ZYDIS_REGCLASS_TMM:
        return "TMM";
    default:
        return "REG";
    }
}

static const char *index_type(ZydisRegister index)
{
    switch (ZydisRegisterGetClass(index)) {
    case ZYDIS_REGCLASS_XMM:
        return "VSIB_XMM";
    case ZYDIS_REGCLASS_YMM:
        return "VSIB_YMM";
    default:
        return "VSIB_ZMM";
    }
}

/* Buffer for the name of a form. Every decoded instruction needs a name. Appending to a buffer is
 * faster than snprintf, which would take half of the decoder's time. */
struct name {
    char *at;
    const char *end;     /* end of the storage; a longer name is truncated */
};

static void add(struct name *name, const char *text)
{
    while (*text && name->at + 1 < name->end)
        *name->at++ = *text++;
    *name->at = '\0';
}

static void add_number(struct name *name, unsigned number)
{
    char digits[16], *at = digits + sizeof digits - 1;

    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    add(name, at);
}

/* Returns the number of elements to which a broadcast copies one element. */
static unsigned broadcast_count(ZydisBroadcastMode mode)
{
    switch (mode) {
    case ZYDIS_BROADCAST_MODE_1_TO_2:
        return 2;
    case ZYDIS_BROADCAST_MODE_1_TO_4:
        return 4;
    case ZYDIS_BROADCAST_MODE_1_TO_8:
        return 8;
    case ZYDIS_BROADCAST_MODE_1_TO_16:
        return 16;
    case ZYDIS_BROADCAST_MODE_1_TO_32:
        return 32;
    default:
        return 64;
    }
}

/* Appends the type of an operand. @immediate is the number of immediates before the operand. */
static void add_type(struct name *name, const ZydisDecodedInstruction *in,
                     const ZydisDecodedOperand *op, unsigned immediate)
{
    switch (op->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        add(name, is_count_register(in, op) ? "CL" : register_type(op->reg.value));
        return;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
            add(name, index_type(op->mem.index));
            return;
        }
        add(name, "M");
        if (in->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID &&
            !in->avx.broadcast.is_static) {
            add_number(name, op->element_size);
            add(name, "_1to");
            add_number(name, broadcast_count(in->avx.broadcast.mode));
        } else if (op->size) {
            add_number(name, op->size);
        }
        return;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        if (op->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT || immediate > 1 ||
            !in->raw.imm[immediate].size) {
            add_number(name, (unsigned)op->imm.value.u);
            return;
        }
        add(name, op->imm.is_relative ? "Rel" : "I");
        add_number(name, in->raw.imm[immediate].size);
        return;
    default:
        add(name, "PTR");
    }
}

/* Appends the parts of a LEA's address: base, index, scaled index, displacement, rip. */
static void add_lea(struct name *name, const ZydisDecodedInstruction *in,
                    const ZydisDecodedOperand *op)
{
    const ZydisDecodedOperandMem *mem = &op->mem;
    const char *base = mem->base == ZYDIS_REGISTER_NONE                                     ? ""
                       : mem->base == ZYDIS_REGISTER_RIP || mem->base == ZYDIS_REGISTER_EIP ? "_R"
                                                                                            : "_B";
    const char *index = mem->index == ZYDIS_REGISTER_NONE ? "" : mem->scale > 1 ? "_IS" : "_I";
    /* Without displacement, base rbp or r13 also has _D8, because the encoding requires 8 bits. */
    const char *displacement = in->raw.disp.size == 8 ? "_D8" : in->raw.disp.size ? "_D32" : "";
    add(name, base);
    add(name, index);
    add(name, displacement);
}

static void upper_mnemonic(const ZydisDecodedInstruction *in, char *out, size_t size)
{
    const char *text = ZydisMnemonicGetString(in->mnemonic);

    if (in->mnemonic == ZYDIS_MNEMONIC_CALL)
        text = "call_near";
    else if (in->mnemonic == ZYDIS_MNEMONIC_RET)
        text = "ret_near";
    size_t i = 0;
    for (; text && text[i] && i + 1 < size; i++)
        out[i] = (char)toupper((unsigned char)text[i]);
    out[i] = '\0';
}

static const char *rep_prefix(const ZydisDecodedInstruction *in)
{
    if (!is_string(in))
        return "";
    if (in->attributes & ZYDIS_ATTRIB_HAS_REP)
        return "REP_";
    if (in->attributes & ZYDIS_ATTRIB_HAS_REPE)
        return "REPE_";
    return in->attributes & ZYDIS_ATTRIB_HAS_REPNE ? "REPNE_" : "";
}

/* AVX-512 instructions to which a VEX encoding was added later. Older decoders do not support that
 * encoding, so the names of the EVEX forms have no suffix. */
static const ZydisMnemonic evex_first[] = {ZYDIS_MNEMONIC_VPMADD52HUQ, ZYDIS_MNEMONIC_VPMADD52LUQ,
                                           ZYDIS_MNEMONIC_VCVTNEPS2BF16};

static bool was_evex_alone(ZydisMnemonic mnemonic)
{
    return mnemonic == evex_first[0] || mnemonic == evex_first[1] || mnemonic == evex_first[2];
}

const char *form_encoding(const char *mnemonic, bool evex, bool zmm)
{
    for (size_t i = 0; i < sizeof evex_first / sizeof *evex_first; i++)
        if (strcmp(mnemonic, ZydisMnemonicGetString(evex_first[i])) == 0)
            return evex ? "" : "_VEX";
    return evex && !zmm && (str_has_prefix(mnemonic, "vpdp") || str_has_prefix(mnemonic, "vsm4"))
               ? "_EVEX"
               : "";
}

/* Returns whether an EVEX form would have the same name as a VEX form. */
static bool needs_evex_suffix(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX || in->avx.mask.reg != ZYDIS_REGISTER_K0 ||
        was_evex_alone(in->mnemonic))
        return false;
    for (unsigned i = 0; i < in->operand_count_visible; i++)
        if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(ops[i].reg.value) == ZYDIS_REGCLASS_ZMM)
            return false;
    pthread_once(&vex_scanned, scan_vex);
    return has_vex[in->mnemonic];
}

/* Returns whether the text shows zero-masking. A comparison into a mask register always clears
 * unselected bits, so its text has no mark. */
static bool zeroes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    return in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
           in->avx.mask.mode == ZYDIS_MASK_MODE_ZEROING &&
           !(ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
             ZydisRegisterGetClass(ops[0].reg.value) == ZYDIS_REGCLASS_MASK);
}

void form_name(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
               char form[FORM_MAX])
{
    char mnemonic[48], list[96] = "", suffix[24] = "";
    struct name types = {list, list + sizeof list}, parts = {suffix, suffix + sizeof suffix},
                whole = {form, form + FORM_MAX};
    unsigned immediates = 0;
    const char *separator = "";

    upper_mnemonic(in, mnemonic, sizeof mnemonic);
    for (unsigned i = 0; i < in->operand_count_visible; i++) {
        const ZydisDecodedOperand *op = &ops[i];
        if (!form_lists(in, op))
            continue;
        if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.type == ZYDIS_MEMOP_TYPE_AGEN &&
            in->mnemonic == ZYDIS_MNEMONIC_LEA) {
            add_lea(&parts, in, op);
            continue;
        }
        add(&types, separator);
        add_type(&types, in, op, immediates);
        immediates += op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
        separator = ", ";
    }
    const char *rounding = in->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX           ? ""
                           : in->avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID ? "_ER"
                           : in->avx.has_sae                                        ? "_SAE"
                                                                                    : "";
    const char *encoding =
        needs_evex_suffix(in, ops)                                                       ? "_EVEX"
        : in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && was_evex_alone(in->mnemonic) ? "_VEX"
                                                                                         : "";
    const char *const texts[] = {rep_prefix(in),
                                 mnemonic,
                                 suffix,
                                 encoding,
                                 rounding,
                                 zeroes(in, ops) ? "_Z" : "",
                                 in->attributes & ZYDIS_ATTRIB_HAS_LOCK ? "_LOCK" : "",
                                 " (",
                                 list,
                                 ")"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add(&whole, texts[i]);
}

static const char *access_text(ZydisOperandActions actions)
{
    bool read = actions & ZYDIS_OPERAND_ACTION_MASK_READ,
         written = actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    return read && written ? "RW" : written ? "W" : "R";
}

static void lea_template(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
                         struct str *out)
{
    const ZydisDecodedOperandMem *mem = &op->mem;
    const char *plus = "";

    str_add(out, "[");
    if (mem->base == ZYDIS_REGISTER_RIP) {
        str_add(out, "rip");
        plus = "+";
    } else if (mem->base != ZYDIS_REGISTER_NONE) {
        str_add(out, "{B}");
        plus = "+";
    }
    if (mem->index != ZYDIS_REGISTER_NONE) {
        str_addf(out, "%s{I}*%u", plus, mem->scale);
        plus = "+";
    }
    if (in->raw.disp.size)
        str_addf(out, "%s{D%u}", plus, in->raw.disp.size == 8 ? 8u : 32u);
    str_add(out, "]");
}

/* Returns whether the memory operand is a cache line, a descriptor or a key, before which
 * assemblers reject a size. */
static bool is_line(const ZydisDecodedInstruction *in)
{
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_MOVDIR64B: case ZYDIS_MNEMONIC_ENQCMD: case ZYDIS_MNEMONIC_ENQCMDS:
    case ZYDIS_MNEMONIC_LDTILECFG: case ZYDIS_MNEMONIC_STTILECFG:
        return true;
    default:
        break;
    }
    return in->meta.category == ZYDIS_CATEGORY_PREFETCH || in->mnemonic == ZYDIS_MNEMONIC_CLFLUSH ||
           in->mnemonic == ZYDIS_MNEMONIC_CLFLUSHOPT || in->mnemonic == ZYDIS_MNEMONIC_CLWB ||
           in->mnemonic == ZYDIS_MNEMONIC_CLDEMOTE;
}

static bool operand_template(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
                             unsigned immediate, struct str *out)
{
    char type[32];

    if (op->type == ZYDIS_OPERAND_TYPE_POINTER)
        return false;
    add_type(&(struct name){type, type + sizeof type}, in, op, immediate);
    if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
        lea_template(in, op, out);
    else if (is_count_register(in, op))
        str_add(out, "cl");
    else if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        str_addf(out, isdigit((unsigned char)type[0]) ? "%s" : "{%s}", type);
    else if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
             op->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT)
        /* Prints the register as the assembler names it. */
        str_add(out,
                op->reg.value == ZYDIS_REGISTER_ST0 ? "st" : ZydisRegisterGetString(op->reg.value));
    else
        str_addf(out, "{%s:%s}", access_text(op->actions),
                 is_line(in) && op->type == ZYDIS_OPERAND_TYPE_MEMORY ? "M" : type);
    return true;
}

bool form_template(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
                   struct str *out)
{
    const char *separator = " ", *rounding = in->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX ? ""
                                             : in->avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID
                                                 ? ", {{rn-sae}}"
                                             : in->avx.has_sae ? ", {{sae}}"
                                                               : "";
    unsigned immediates = 0;

    if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
        str_add(out, "{{evex}} ");
    else if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX &&
             in->meta.isa_ext == ZYDIS_ISA_EXT_AVX_VNNI)
        str_add(out, "{{vex}} ");   /* Without {vex}, assemblers would use the AVX-512 encoding. */
    if (in->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        str_add(out, "lock ");
    const char *rep = rep_prefix(in);
    str_add(out, rep[0] == '\0'               ? ""
                 : strcmp(rep, "REPNE_") == 0 ? "repne "
                 : strcmp(rep, "REPE_") == 0  ? "repe "
                                              : "rep ");
    str_add(out, ZydisMnemonicGetString(in->mnemonic));
    for (unsigned i = 0; i < in->operand_count_visible; i++) {
        const ZydisDecodedOperand *op = &ops[i];
        if (!form_lists(in, op))
            continue;
        /* Omits st if assemblers reject it for this instruction. */
        if (op->encoding == ZYDIS_OPERAND_ENCODING_MASK ||
            (in->mnemonic == ZYDIS_MNEMONIC_FUCOMP &&
             op->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT))
            continue;
        /* In assembler text, the rounding mode is before an immediate. LLVM also expects it before
         * a general register that is the source. */
        if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ||
            (i && op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
             (ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_GPR32 ||
              ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_GPR64))) {
            str_add(out, rounding);
            rounding = "";
        }
        str_add(out, separator);
        if (!operand_template(in, op, immediates, out))
            return false;
        immediates += op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
        if (separator[0] == ' ' && i + 1 < in->operand_count_visible &&
            ops[i + 1].encoding == ZYDIS_OPERAND_ENCODING_MASK &&
            ops[i + 1].reg.value != ZYDIS_REGISTER_K0)
            str_add(out, zeroes(in, ops) ? "{{{K}}}{{z}}" : "{{{K}}}");
        separator = ", ";
    }
    str_add(out, rounding);
    return true;
}

static void add_memory(const char *type, struct str *out)
{
    static const struct { const char *type, *keyword;
    } sizes[] = {
        {"M8", "byte ptr "},      {"M16", "word ptr "},     {"M32", "dword ptr "},
        {"M64", "qword ptr "},    {"M80", "tbyte ptr "},    {"M128", "xmmword ptr "},
        {"M256", "ymmword ptr "}, {"M512", "zmmword ptr "},
    };
    size_t length = strcspn(type, "_");

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strlen(sizes[i].type) == length && strncmp(type, sizes[i].type, length) == 0)
            str_add(out, sizes[i].keyword);
    str_add(out, "[rbx]");
    if (type[length])
        str_addf(out, "{%s}", type + length + 1);   /* Prints the broadcast, such as {1to4}. */
}

void x86_placeholder(struct form_registers *in, const char *type, struct str *out)
{
    static const char *const general[4][8] = {
        {"cl", "dl", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b"},
        {"cx", "dx", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w"},
        {"ecx", "edx", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d"},
        {"rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13"},
    };
    static const char *const high[] = {"ch", "dh", "bh", "ah"};
    static const struct { const char *type, *text;
    } fixed[] = {
        {"I8", "7"},
        {"I16", "0x1234"},
        {"I32", "0x12345678"},
        {"I64", "0x123456789abcdef0"},
        {"Rel8", ".+8"},
        {"Rel32", ".+4096"},
        {"D8", "8"},
        {"D32", "4096"},
        {"B", "rbx"},
        {"I", "rsi"},
        {"SREG", "fs"},
        {"CR", "cr0"},
        {"DR", "dr0"},
        {"VSIB_XMM", "[rbx+xmm9]"},
        {"VSIB_YMM", "[rbx+ymm9]"},
        {"VSIB_ZMM", "[rbx+zmm9]"},
    };

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(type, fixed[i].type) == 0) {
            str_add(out, fixed[i].text);
            return;
        }
    if (strcmp(type, "R8h") == 0)
        str_add(out, high[in->high++ % 4]);
    else if (type[0] == 'R' && isdigit((unsigned char)type[1]))
        str_add(out, general[type[1] == '8'   ? 0
                             : type[1] == '1' ? 1
                             : type[1] == '3' ? 2
                                              : 3][in->general++ % 8]);
    else if (type[0] == 'M' && type[1] != 'M')
        add_memory(type, out);
    else if (strcmp(type, "K") == 0)
        str_addf(out, "k%u", 1 + in->mask++ % 7);
    else if (strcmp(type, "MM") == 0)
        str_addf(out, "mm%u", in->vector++ % 8);
    else if (strcmp(type, "ST") == 0)
        str_addf(out, "st(%u)", 1 + in->vector++ % 7);
    else
        str_addf(out, "%cmm%u", tolower((unsigned char)type[0]), 1 + in->vector++ % 7);
}
