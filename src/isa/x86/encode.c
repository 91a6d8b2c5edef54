/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/encode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "isa/x86/decode.h"

static pthread_once_t initialised = PTHREAD_ONCE_INIT;
static ZydisDecoder decoder;
static ZydisMnemonic by_name[ZYDIS_MNEMONIC_MAX_VALUE + 1];

static int compare_mnemonics(const void *a, const void *b)
{
    const char *x = ZydisMnemonicGetString(*(const ZydisMnemonic *)a),
               *y = ZydisMnemonicGetString(*(const ZydisMnemonic *)b);
    return strcmp(x ? x : "", y ? y : "");
}

static void initialise(void)
{
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
        by_name[i] = (ZydisMnemonic)i;
    qsort(by_name, ZYDIS_MNEMONIC_MAX_VALUE + 1, sizeof *by_name, compare_mnemonics);
}

static ZydisMnemonic mnemonic_find(const char *name, size_t length)
{
    size_t low = 0, high = ZYDIS_MNEMONIC_MAX_VALUE + 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *text = ZydisMnemonicGetString(by_name[middle]);
        int order = strncmp(text ? text : "", name, length);
        order = order ? order : text && text[length] ? 1 : 0;
        if (order == 0)
            return by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return ZYDIS_MNEMONIC_INVALID;
}

static ZydisRegister register_find(const char *name, size_t length)
{
    for (unsigned i = 1; i <= ZYDIS_REGISTER_MAX_VALUE; i++) {
        const char *text = ZydisRegisterGetString((ZydisRegister)i);
        if (text && strlen(text) == length && strncmp(text, name, length) == 0)
            return (ZydisRegister)i;
    }
    return ZYDIS_REGISTER_NONE;
}

ZydisRegister register_of(ZydisRegisterClass registers, unsigned number)
{
    if (registers == ZYDIS_REGCLASS_GPR8 && number >= 4)
        number += 4;   /* Skips the numbers of ah, ch, dh and bh. */
    return ZydisRegisterEncode(registers, (ZyanU8)number);
}

size_t request_encode(const ZydisEncoderRequest *request,
                      uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH])
{
    ZyanUSize length = ZYDIS_MAX_INSTRUCTION_LENGTH;
    return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, bytes, &length)) ? length : 0;
}

static bool starts(const char *text, size_t length, const char *with)
{
    return strlen(with) == length && strncmp(text, with, length) == 0;
}

static bool part_register(const char *type, size_t length, unsigned first, struct part *part,
                          ZydisEncoderOperand *operand)
{
    static const struct { const char *type; ZydisRegisterClass registers;
    } classes[] = {
        {"R8l", ZYDIS_REGCLASS_GPR8},  {"R16", ZYDIS_REGCLASS_GPR16}, {"R32", ZYDIS_REGCLASS_GPR32},
        {"R64", ZYDIS_REGCLASS_GPR64}, {"XMM", ZYDIS_REGCLASS_XMM},   {"YMM", ZYDIS_REGCLASS_YMM},
        {"ZMM", ZYDIS_REGCLASS_ZMM},   {"K", ZYDIS_REGCLASS_MASK},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (starts(type, length, classes[i].type)) {
            part->kind = PART_REGISTER;
            part->registers = classes[i].registers;
            operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
            operand->reg.value = register_of(classes[i].registers, first);
            return true;
        }
    return false;
}

static bool part_memory(const char *type, size_t length, struct part *part,
                        ZydisEncoderRequest *request, ZydisEncoderOperand *operand)
{
    static const struct { unsigned count; ZydisBroadcastMode mode;
    } modes[] = {
        {2, ZYDIS_BROADCAST_MODE_1_TO_2},   {4, ZYDIS_BROADCAST_MODE_1_TO_4},
        {8, ZYDIS_BROADCAST_MODE_1_TO_8},   {16, ZYDIS_BROADCAST_MODE_1_TO_16},
        {32, ZYDIS_BROADCAST_MODE_1_TO_32},
    };
    char *end;
    if (type[0] != 'M' || (length > 1 && (type[1] < '1' || type[1] > '9')))
        return false;
    unsigned long bits = length > 1 ? strtoul(type + 1, &end, 10) : 8;
    if (bits > 512)
        return false;
    const char *to = memchr(type, '_', length);
    for (size_t i = 0; to && strncmp(to, "_1to", 4) == 0 && i < sizeof modes / sizeof *modes; i++)
        if (strtoul(to + 4, &end, 10) == modes[i].count)
            request->evex.broadcast = modes[i].mode;
    part->kind = PART_MEMORY;
    part->bytes = length > 1 ? (uint16_t)(bits / 8) : 0;
    operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
    operand->mem.base = ZYDIS_REGISTER_R14;
    operand->mem.displacement = 64;
    operand->mem.size = (ZyanU16)(bits / 8);
    return true;
}

static bool part_immediate(const char *type, size_t length, struct part *part,
                           ZydisEncoderOperand *operand)
{
    static const struct { const char *type; uint64_t value; } values[] = {
        {"I8", 7}, {"I16", 0x1234}, {"I32", 0x12345678}, {"I64", 0x123456789abcdef0}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (starts(type, length, values[i].type)) {
            part->kind = PART_IMMEDIATE;
            operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
            operand->imm.u = values[i].value;
            return true;
        }
    return false;
}

/* Parses the address of a lea, such as [{B}+{I}*4+{D8}]. Its registers are replaced later. */
static bool part_address(const char *text, size_t length, struct part *part,
                         ZydisEncoderOperand *operand)
{
    part->kind = PART_ADDRESS;
    part->access = ACCESS_READ;
    operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
    operand->mem.size = 8;
    for (size_t i = 1; i + 1 < length; i++) {
        if (strncmp(text + i, "rip", 3) == 0)
            operand->mem.base = ZYDIS_REGISTER_RIP;
        else if (strncmp(text + i, "{B}", 3) == 0)
            operand->mem.base = ZYDIS_REGISTER_RSI;
        else if (strncmp(text + i, "{I}", 3) == 0)
            operand->mem.index = ZYDIS_REGISTER_RDI;
        else if (strncmp(text + i, "{D", 2) == 0)
            operand->mem.displacement = text[i + 2] == '8' ? 8 : 4096;
        else if (text[i] == '*')
            operand->mem.scale = (ZyanU8)(text[i + 1] - '0');
    }
    return true;
}

static bool part_parse(const char *text, size_t length, struct part *part,
                       ZydisEncoderRequest *request, ZydisEncoderOperand *operand)
{
    memset(part, 0, sizeof *part);
    memset(operand, 0, sizeof *operand);
    if (text[0] == '[')
        return part_address(text, length, part, operand);
    if (text[0] != '{') {
        part->kind = PART_FIXED;
        if (starts(text, length, "1")) {
            operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
            operand->imm.u = 1;
            return true;
        }
        operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
        operand->reg.value = register_find(text, length);
        return operand->reg.value != ZYDIS_REGISTER_NONE;
    }
    text++;
    length -= 2;
    const char *colon = memchr(text, ':', length);
    if (!colon)
        return part_immediate(text, length, part, operand);
    part->access = (uint8_t)((memchr(text, 'R', (size_t)(colon - text)) ? ACCESS_READ : 0) |
                             (memchr(text, 'W', (size_t)(colon - text)) ? ACCESS_WRITE : 0));
    length -= (size_t)(colon + 1 - text);
    text = colon + 1;
    /* Gives each operand its own register, because some forms reject equal registers. */
    return part_register(text, length, 2u + request->operand_count, part, operand) ||
           part_memory(text, length, part, request, operand);
}

/* Parses the mask after the first operand, `{{{K}}}{{z}}`, which becomes a separate operand.
 * Returns the end of its text, or @at if there is no mask. */
static const char *mask_parse(const char *at, struct x86_code *out)
{
    ZydisEncoderRequest *request = &out->request;
    if (strncmp(at, "{{{K}}}", 7) != 0 || request->operand_count == ZYDIS_ENCODER_MAX_OPERANDS)
        return at;
    at += 7;
    out->parts[request->operand_count] =
        (struct part){.kind = PART_MASK, .access = ACCESS_READ, .registers = ZYDIS_REGCLASS_MASK};
    request->operands[request->operand_count++] =
        (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = ZYDIS_REGISTER_K1};
    if (strncmp(at, "{{z}}", 5) == 0) {
        request->evex.zeroing_mask = ZYAN_TRUE;
        at += 5;
    }
    return at;
}

static bool operands_parse(const char *at, struct x86_code *out)
{
    ZydisEncoderRequest *request = &out->request;
    while (*at) {
        at += strspn(at, " ,");
        if (strncmp(at, "{{rn-sae}}", 10) == 0) {
            request->evex.rounding = ZYDIS_ROUNDING_MODE_RN;
            request->evex.sae = ZYAN_TRUE;
            at += 10;
            continue;
        }
        if (strncmp(at, "{{sae}}", 7) == 0) {
            request->evex.sae = ZYAN_TRUE;
            at += 7;
            continue;
        }
        size_t length = at[0] == '['   ? strcspn(at, "]") + 1
                        : at[0] == '{' ? strcspn(at, "}") + 1
                                       : strcspn(at, ",");
        if (request->operand_count == ZYDIS_ENCODER_MAX_OPERANDS || strlen(at) < length ||
            !part_parse(at, length, &out->parts[request->operand_count], request,
                        &request->operands[request->operand_count]))
            return false;
        /* The immediate encodes a fourth register, as in AVX blends. */
        request->operands[request->operand_count].reg.is4 =
            request->operand_count == 3 && out->parts[3].kind == PART_REGISTER &&
            request->allowed_encodings != ZYDIS_ENCODABLE_ENCODING_EVEX;
        request->operand_count++;
        at = mask_parse(at + length, out);
    }
    return true;
}

static bool template_parse(const char *at, struct x86_code *out)
{
    static const struct { const char *text; ZydisInstructionAttributes prefix;
    } prefixes[] = {{"lock ", ZYDIS_ATTRIB_HAS_LOCK},
                    {"repne ", ZYDIS_ATTRIB_HAS_REPNE},
                    {"repe ", ZYDIS_ATTRIB_HAS_REPE},
                    {"rep ", ZYDIS_ATTRIB_HAS_REP}};
    ZydisEncoderRequest *request = &out->request;

    request->machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
    request->allowed_encodings =
        (ZydisEncodableEncoding)(ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX);
    if (strncmp(at, "{{evex}} ", 9) == 0) {
        request->allowed_encodings = ZYDIS_ENCODABLE_ENCODING_EVEX;
        at += 9;
    } else if (strncmp(at, "{{vex}} ", 8) == 0) {
        request->allowed_encodings = ZYDIS_ENCODABLE_ENCODING_VEX;
        at += 8;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(at, prefixes[i].text, strlen(prefixes[i].text)) == 0) {
            request->prefixes |= prefixes[i].prefix;
            at += strlen(prefixes[i].text);
        }
    size_t length = strcspn(at, " ");
    request->mnemonic = mnemonic_find(at, length);
    return request->mnemonic != ZYDIS_MNEMONIC_INVALID && operands_parse(at + length, out);
}

/* Encodes the form with its first registers. If the EVEX encoding has a mask field, the encoder
 * needs an explicit k0. Returns the length; 0 if encoding fails. */
static size_t encode_first(struct x86_code *out, uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH])
{
    ZydisEncoderRequest *request = &out->request;
    size_t length = request_encode(request, bytes);
    if (length || request->allowed_encodings != ZYDIS_ENCODABLE_ENCODING_EVEX ||
        !request->operand_count || request->operand_count == ZYDIS_ENCODER_MAX_OPERANDS)
        return length;
    unsigned after = request->operand_count - 1u;
    memmove(&request->operands[2], &request->operands[1], after * sizeof *request->operands);
    memmove(&out->parts[2], &out->parts[1], after * sizeof *out->parts);
    out->parts[1] = (struct part){.kind = PART_FIXED};
    request->operands[1] =
        (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = ZYDIS_REGISTER_K0};
    request->operand_count++;
    return request_encode(request, bytes);
}

/* Detects fixed operands in a template that names the accumulator although the form accepts any
 * register. Tries another register in place of the accumulator. If the encoder accepts it, makes
 * the operand a register operand. */
static void free_accumulator(struct x86_code *out)
{
    for (unsigned i = 0; i < out->request.operand_count; i++) {
        ZydisRegister reg = out->request.operands[i].reg.value;
        ZydisRegisterClass registers = ZydisRegisterGetClass(reg);
        uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
        struct insn insn;
        if (out->parts[i].kind != PART_FIXED ||
            (reg != ZYDIS_REGISTER_AL && reg != ZYDIS_REGISTER_AX && reg != ZYDIS_REGISTER_EAX &&
             reg != ZYDIS_REGISTER_RAX))
            continue;
        out->request.operands[i].reg.value = register_of(registers, 3);
        size_t length = request_encode(&out->request, bytes);
        if (!length || !x86_decode(bytes, length, 0, false, &insn, NULL) ||
            strcmp(insn.form, out->row->form) != 0) {
            out->request.operands[i].reg.value = reg;
            continue;
        }
        out->insn = insn;
        out->parts[i] =
            (struct part){.kind = PART_REGISTER,
                          .access = insn.operands[i].access & (ACCESS_READ | ACCESS_WRITE),
                          .registers = registers};
    }
}

/* Returns whether the access letters of the template match the decoder. The letters determine which
 * registers are assigned. */
static bool access_agrees(const struct x86_code *c, struct err *err)
{
    static const char *const letters[] = {"neither R nor W", "R", "W", "RW"};
    const ZydisEncoderRequest *request = &c->request;

    for (unsigned i = 0, k = 0; i < request->operand_count; i++) {
        const struct part *part = &c->parts[i];
        if (request->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            request->operands[i].reg.value == ZYDIS_REGISTER_K0)
            continue;   /* Skips k0, which the decoder omits because it has no effect. */
        const unsigned access = c->insn.operands[k++].access & (ACCESS_READ | ACCESS_WRITE);
        if ((part->kind == PART_REGISTER || part->kind == PART_MEMORY) && part->access != access)
            return err_set(
                err, ERR_DATA, NULL,
                "the template declares %s for operand %u, which is %s (R read, W written)",
                letters[part->access], k, letters[access]);
    }
    return true;
}

bool x86_code_encode(const struct form_row *row, struct x86_code *out, struct err *err)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    pthread_once(&initialised, initialise);
    memset(out, 0, sizeof *out);
    out->row = row;
    if (!template_parse(row->template, out))
        return err_set(err, ERR_DATA, NULL, "cannot fill in the operands of %s", row->form);
    size_t length = encode_first(out, bytes);
    if (!length || !x86_decode(bytes, length, 0, false, &out->insn, NULL))
        return err_set(err, ERR_DATA, NULL, "cannot encode %s", row->form);
    if (strcmp(out->insn.form, row->form) != 0)
        return err_set(err, ERR_DATA, NULL, "the encoding of %s decodes as %s", row->form,
                       out->insn.form);
    if (!access_agrees(out, err))
        return false;
    ZydisDecoderDecodeFull(&decoder, bytes, length, &in, ops);
    out->isa_set = in.meta.isa_set;
    out->defines_zero =
        in.cpu_flags &&
        (in.cpu_flags->modified | in.cpu_flags->set_0 | in.cpu_flags->set_1) & ZYDIS_CPUFLAG_ZF;
    free_accumulator(out);
    return true;
}
