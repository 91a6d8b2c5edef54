/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/decode_parts.h"

#include <string.h>

#include "base/str.h"

struct operation_pattern { const char *pattern; uint8_t operation; };

/* Operations of mnemonics: @flow of control flow, nops and fences, @vector if the first operand is
 * a vector register, otherwise @general. The first row whose pattern matches the mnemonic
 * applies. */
static const struct operation_pattern flow[] =
    {
        {"b", OPERATION_JUMP},      {"b.*", OPERATION_BRANCH},  {"bc.*", OPERATION_BRANCH},
        {"cbz", OPERATION_BRANCH},  {"cbnz", OPERATION_BRANCH}, {"tbz", OPERATION_BRANCH},
        {"tbnz", OPERATION_BRANCH}, {"br", OPERATION_JUMP},     {"bra?", OPERATION_JUMP},
        {"bra?z", OPERATION_JUMP},  {"bl", OPERATION_CALL},     {"blr*", OPERATION_CALL},
        {"ret*", OPERATION_RETURN}, {"hlt", OPERATION_TRAP},    {"udf", OPERATION_TRAP},
        {"brk", OPERATION_TRAP},    {"nop", OPERATION_NOP},     {"dmb", OPERATION_FENCE},
        {"dsb", OPERATION_FENCE},   {"isb", OPERATION_FENCE},
},
                                      general[] =
                                          {
                                              {"mov", OPERATION_MOVE},
                                              {"ldr", OPERATION_MOVE},
                                              {"ldur", OPERATION_MOVE},
                                              {"str", OPERATION_MOVE},
                                              {"stur", OPERATION_MOVE},
                                              {"strb", OPERATION_MOVE},
                                              {"strh", OPERATION_MOVE},
                                              {"sturb", OPERATION_MOVE},
                                              {"sturh", OPERATION_MOVE},
                                              {"ldrb", OPERATION_MOVE_ZERO},
                                              {"ldrh", OPERATION_MOVE_ZERO},
                                              {"ldurb", OPERATION_MOVE_ZERO},
                                              {"ldurh", OPERATION_MOVE_ZERO},
                                              {"uxt?", OPERATION_MOVE_ZERO},
                                              {"ldrs?", OPERATION_MOVE_SIGN},
                                              {"ldurs?", OPERATION_MOVE_SIGN},
                                              {"sxt?", OPERATION_MOVE_SIGN},
                                              {"add", OPERATION_ADD},
                                              {"adds", OPERATION_ADD},
                                              {"sub", OPERATION_SUBTRACT},
                                              {"subs", OPERATION_SUBTRACT},
                                              {"adc", OPERATION_ADD_CARRY},
                                              {"adcs", OPERATION_ADD_CARRY},
                                              {"sbc", OPERATION_SUBTRACT_CARRY},
                                              {"sbcs", OPERATION_SUBTRACT_CARRY},
                                              {"neg", OPERATION_NEGATE},
                                              {"negs", OPERATION_NEGATE},
                                              {"cmp", OPERATION_COMPARE},
                                              {"cmn", OPERATION_COMPARE},
                                              {"and", OPERATION_AND},
                                              {"ands", OPERATION_AND},
                                              {"bic", OPERATION_AND_NOT},
                                              {"bics", OPERATION_AND_NOT},
                                              {"orn", OPERATION_AND_NOT},
                                              {"eon", OPERATION_AND_NOT},
                                              {"orr", OPERATION_OR},
                                              {"eor", OPERATION_XOR},
                                              {"mvn", OPERATION_NOT},
                                              {"tst", OPERATION_TEST},
                                              {"lsl", OPERATION_SHIFT_LEFT},
                                              {"lsr", OPERATION_SHIFT_RIGHT},
                                              {"asr", OPERATION_SHIFT_SIGNED},
                                              {"ror", OPERATION_ROTATE_RIGHT},
                                              {"extr", OPERATION_SHIFT_DOUBLE},
                                              {"clz", OPERATION_BIT_COUNT},
                                              {"cls", OPERATION_BIT_COUNT},
                                              {"rbit", OPERATION_BIT_FIELD},
                                              {"?bfx", OPERATION_BIT_FIELD},
                                              {"?bfiz", OPERATION_BIT_FIELD},
                                              {"bf?", OPERATION_BIT_FIELD},
                                              {"bfxil", OPERATION_BIT_FIELD},
                                              {"rev*", OPERATION_BYTE_SWAP},
                                              {"crc32*", OPERATION_CRC32},
                                              {"mul", OPERATION_MULTIPLY},
                                              {"madd", OPERATION_MULTIPLY},
                                              {"msub", OPERATION_MULTIPLY},
                                              {"?mull", OPERATION_MULTIPLY_WIDE},
                                              {"?mulh", OPERATION_MULTIPLY_WIDE},
                                              {"?maddl", OPERATION_MULTIPLY_WIDE},
                                              {"?msubl", OPERATION_MULTIPLY_WIDE},
                                              {"?mnegl", OPERATION_MULTIPLY_WIDE},
                                              {"?div", OPERATION_DIVIDE},
                                              {"csel", OPERATION_SELECT},
                                              {"csinc", OPERATION_SELECT},
                                              {"csinv", OPERATION_SELECT},
                                              {"csneg", OPERATION_SELECT},
                                              {"cinc", OPERATION_SELECT},
                                              {"cinv", OPERATION_SELECT},
                                              {"cneg", OPERATION_SELECT},
                                              {"cset", OPERATION_SET},
                                              {"csetm", OPERATION_SET},
                                              {"cas*", OPERATION_COMPARE_EXCHANGE},
                                              {"fmov", OPERATION_TRANSFER},
                                              {"umov", OPERATION_VECTOR_EXTRACT},
                                              {"smov", OPERATION_VECTOR_EXTRACT},
                                              {"fcvt*", OPERATION_FP_CONVERT},
},
                                      vector[] = {
                                          {"mov", OPERATION_VECTOR_MOVE},
                                          {"movi", OPERATION_VECTOR_MOVE},
                                          {"mvni", OPERATION_VECTOR_MOVE},
                                          {"fmov", OPERATION_VECTOR_MOVE},
                                          {"ldr", OPERATION_VECTOR_MOVE},
                                          {"ldur", OPERATION_VECTOR_MOVE},
                                          {"str", OPERATION_VECTOR_MOVE},
                                          {"stur", OPERATION_VECTOR_MOVE},
                                          {"fadd", OPERATION_FP_ADD},
                                          {"fsub", OPERATION_FP_ADD},
                                          {"fabd", OPERATION_FP_ADD},
                                          {"fmul", OPERATION_FP_MULTIPLY},
                                          {"fnmul", OPERATION_FP_MULTIPLY},
                                          {"fmulx", OPERATION_FP_MULTIPLY},
                                          {"fmadd", OPERATION_FP_FUSED},
                                          {"fmsub", OPERATION_FP_FUSED},
                                          {"fnmadd", OPERATION_FP_FUSED},
                                          {"fnmsub", OPERATION_FP_FUSED},
                                          {"fmla", OPERATION_FP_FUSED},
                                          {"fmls", OPERATION_FP_FUSED},
                                          {"fdiv", OPERATION_FP_DIVIDE},
                                          {"fsqrt", OPERATION_FP_ROOT},
                                          {"frecp?", OPERATION_FP_RECIPROCAL},
                                          {"frsqrt?", OPERATION_FP_RECIPROCAL},
                                          {"fcmp*", OPERATION_FP_COMPARE},
                                          {"fccmp*", OPERATION_FP_COMPARE},
                                          {"fcm??", OPERATION_FP_COMPARE},
                                          {"fmax*", OPERATION_FP_MINMAX},
                                          {"fmin*", OPERATION_FP_MINMAX},
                                          {"frint*", OPERATION_FP_ROUND},
                                          {"fcvt*", OPERATION_FP_CONVERT},
                                          {"?cvtf", OPERATION_FP_CONVERT},
                                          {"faddp", OPERATION_FP_HORIZONTAL},
                                          {"fcsel", OPERATION_SELECT},
                                          {"add", OPERATION_VECTOR_ADD},
                                          {"sub", OPERATION_VECTOR_ADD},
                                          {"neg", OPERATION_VECTOR_ADD},
                                          {"abs", OPERATION_VECTOR_ADD},
                                          {"?addw*", OPERATION_VECTOR_ADD},
                                          {"?adalp", OPERATION_VECTOR_ADD},
                                          {"?aba", OPERATION_VECTOR_ADD},
                                          {"?abal*", OPERATION_VECTOR_ADD},
                                          {"?max", OPERATION_VECTOR_MINMAX},
                                          {"?min", OPERATION_VECTOR_MINMAX},
                                          {"cm??", OPERATION_VECTOR_COMPARE},
                                          {"mul", OPERATION_VECTOR_MULTIPLY},
                                          {"mla", OPERATION_VECTOR_MULTIPLY},
                                          {"mls", OPERATION_VECTOR_MULTIPLY},
                                          {"?dot", OPERATION_VECTOR_MULTIPLY},
                                          {"?mull*", OPERATION_VECTOR_MULTIPLY},
                                          {"?mlal*", OPERATION_VECTOR_MULTIPLY},
                                          {"and", OPERATION_VECTOR_LOGIC},
                                          {"orr", OPERATION_VECTOR_LOGIC},
                                          {"eor", OPERATION_VECTOR_LOGIC},
                                          {"bic", OPERATION_VECTOR_LOGIC},
                                          {"orn", OPERATION_VECTOR_LOGIC},
                                          {"mvn", OPERATION_VECTOR_LOGIC},
                                          {"shl", OPERATION_VECTOR_SHIFT},
                                          {"?shr", OPERATION_VECTOR_SHIFT},
                                          {"?shl", OPERATION_VECTOR_SHIFT},
                                          {"bsl", OPERATION_VECTOR_BLEND},
                                          {"bit", OPERATION_VECTOR_BLEND},
                                          {"bif", OPERATION_VECTOR_BLEND},
                                          {"sel", OPERATION_VECTOR_BLEND},
                                          {"dup", OPERATION_VECTOR_SHUFFLE},
                                          {"ext", OPERATION_VECTOR_SHUFFLE},
                                          {"zip?", OPERATION_VECTOR_SHUFFLE},
                                          {"uzp?", OPERATION_VECTOR_SHUFFLE},
                                          {"trn?", OPERATION_VECTOR_SHUFFLE},
                                          {"tbl", OPERATION_VECTOR_SHUFFLE},
                                          {"tbx", OPERATION_VECTOR_SHUFFLE},
                                          {"rev*", OPERATION_VECTOR_SHUFFLE},
                                          {"ins", OPERATION_VECTOR_INSERT},
};

static const struct { const char *name; uint8_t condition;
} conditions[] = {
    {"eq", CONDITION_EQUAL},         {"ne", CONDITION_NOT_EQUAL}, {"cs", CONDITION_CARRY},
    {"hs", CONDITION_CARRY},         {"cc", CONDITION_NO_CARRY},  {"lo", CONDITION_NO_CARRY},
    {"mi", CONDITION_SIGN},          {"pl", CONDITION_NO_SIGN},   {"vs", CONDITION_OVERFLOW},
    {"vc", CONDITION_NO_OVERFLOW},   {"hi", CONDITION_HIGHER},    {"ls", CONDITION_LOWER_SAME},
    {"ge", CONDITION_GREATER_EQUAL}, {"lt", CONDITION_LESS},      {"gt", CONDITION_GREATER},
    {"le", CONDITION_LESS_EQUAL},
};

static uint8_t find(const struct operation_pattern *rows, size_t count, const char *mnemonic)
{
    for (size_t i = 0; i < count; i++)
        if (str_match(rows[i].pattern, mnemonic))
            return rows[i].operation;
    return OPERATION_OTHER;
}

static uint8_t condition_of(const struct a64_text *text)
{
    const struct a64_operand *last = text->count ? &text->operands[text->count - 1] : NULL;
    const char *dot = strchr(text->mnemonic, '.'), *name = dot ? dot + 1 : "";
    size_t length = strlen(name);

    if (!dot && last && strcmp(last->type, "C") == 0) {
        name = last->text;
        length = last->length;
    }
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (length == 2 && memcmp(conditions[i].name, name, 2) == 0)
            return conditions[i].condition;
    return CONDITION_NONE;
}

void a64_operation(const struct a64_text *text, struct insn *out)
{
    const struct operand *first = &out->operands[0];
    bool register_first = out->operand_count && first->kind == OPERAND_REGISTER;
    bool of_vectors = register_first && first->file == FILE_VECTOR;

    out->operation = find(flow, sizeof flow / sizeof *flow, text->mnemonic);
    if (!out->operation && register_first && first->file == FILE_PREDICATE)
        out->operation = OPERATION_MASK;
    else if (!out->operation && of_vectors)
        out->operation = find(vector, sizeof vector / sizeof *vector, text->mnemonic);
    else if (!out->operation)
        out->operation = find(general, sizeof general / sizeof *general, text->mnemonic);
    out->condition = condition_of(text);
    insn_fill_roles(out);
}
