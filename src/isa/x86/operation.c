/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/decode_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "base/str.h"

/* Operations of mnemonics. The first row whose pattern matches the mnemonic applies. The first
 * letter v of vector mnemonics is skipped. */
static const struct { const char *pattern; uint8_t operation;
} general[] =
    {
        {"mov", OPERATION_MOVE},
        {"movzx", OPERATION_MOVE_ZERO},
        {"movsx", OPERATION_MOVE_SIGN},
        {"movsxd", OPERATION_MOVE_SIGN},
        {"movbe", OPERATION_MOVE_SWAPPED},
        {"lea", OPERATION_ADDRESS},
        {"add", OPERATION_ADD},
        {"sub", OPERATION_SUBTRACT},
        {"adc", OPERATION_ADD_CARRY},
        {"adcx", OPERATION_ADD_CARRY},
        {"adox", OPERATION_ADD_CARRY},
        {"sbb", OPERATION_SUBTRACT_CARRY},
        {"inc", OPERATION_INCREMENT},
        {"dec", OPERATION_DECREMENT},
        {"neg", OPERATION_NEGATE},
        {"cmp", OPERATION_COMPARE},
        {"and", OPERATION_AND},
        {"andn", OPERATION_AND_NOT},
        {"or", OPERATION_OR},
        {"xor", OPERATION_XOR},
        {"not", OPERATION_NOT},
        {"test", OPERATION_TEST},
        {"shl", OPERATION_SHIFT_LEFT},
        {"shr", OPERATION_SHIFT_RIGHT},
        {"sar", OPERATION_SHIFT_SIGNED},
        {"rol", OPERATION_ROTATE_LEFT},
        {"ror", OPERATION_ROTATE_RIGHT},
        {"rcl", OPERATION_ROTATE_CARRY},
        {"rcr", OPERATION_ROTATE_CARRY},
        {"shld", OPERATION_SHIFT_DOUBLE},
        {"shrd", OPERATION_SHIFT_DOUBLE},
        {"shlx", OPERATION_SHIFT_FLAGLESS},
        {"shrx", OPERATION_SHIFT_FLAGLESS},
        {"sarx", OPERATION_SHIFT_FLAGLESS},
        {"rorx", OPERATION_SHIFT_FLAGLESS},
        {"bt", OPERATION_BIT_TEST},
        {"btc", OPERATION_BIT_CHANGE},
        {"btr", OPERATION_BIT_CHANGE},
        {"bts", OPERATION_BIT_CHANGE},
        {"bsf", OPERATION_BIT_FORWARD},
        {"bsr", OPERATION_BIT_REVERSE},
        {"popcnt", OPERATION_BIT_COUNT},
        {"lzcnt", OPERATION_BIT_COUNT},
        {"tzcnt", OPERATION_BIT_COUNT},
        {"bls*", OPERATION_BIT_FIELD},
        {"bzhi", OPERATION_BIT_FIELD},
        {"bextr", OPERATION_BIT_FIELD},
        {"pdep", OPERATION_BIT_FIELD},
        {"pext", OPERATION_BIT_FIELD},
        {"bswap", OPERATION_BYTE_SWAP},
        {"crc32", OPERATION_CRC32},
        {"imul", OPERATION_MULTIPLY},
        {"mul", OPERATION_MULTIPLY_WIDE},
        {"mulx", OPERATION_MULTIPLY_WIDE},
        {"div", OPERATION_DIVIDE},
        {"idiv", OPERATION_DIVIDE},
        {"xchg", OPERATION_EXCHANGE},
        {"xadd", OPERATION_EXCHANGE_ADD},
        {"cmpxchg*", OPERATION_COMPARE_EXCHANGE},
        {"push", OPERATION_PUSH},
        {"pop", OPERATION_POP},
        {"jmp", OPERATION_JUMP},
        {"call", OPERATION_CALL},
        {"ret", OPERATION_RETURN},
        {"ud?", OPERATION_TRAP},
        {"hlt", OPERATION_TRAP},
        {"nop", OPERATION_NOP},
        {"?fence", OPERATION_FENCE},
},
  vector[] = {
      {"movap?", OPERATION_VECTOR_MOVE},
      {"movup?", OPERATION_VECTOR_MOVE},
      {"movdqa*", OPERATION_VECTOR_MOVE},
      {"movdqu*", OPERATION_VECTOR_MOVE},
      {"movss", OPERATION_VECTOR_MOVE},
      {"movsd", OPERATION_VECTOR_MOVE},
      {"movsh", OPERATION_VECTOR_MOVE},
      {"lddqu", OPERATION_VECTOR_MOVE},
      {"movnt*", OPERATION_VECTOR_MOVE},
      {"movd", OPERATION_TRANSFER},
      {"movq", OPERATION_TRANSFER},
      {"movw", OPERATION_TRANSFER},
      {"movmskp?", OPERATION_TRANSFER},
      {"pmovmskb", OPERATION_TRANSFER},
      {"addp?", OPERATION_FP_ADD},
      {"adds?", OPERATION_FP_ADD},
      {"subp?", OPERATION_FP_ADD},
      {"subs?", OPERATION_FP_ADD},
      {"addsubp?", OPERATION_FP_ADD},
      {"mulp?", OPERATION_FP_MULTIPLY},
      {"muls?", OPERATION_FP_MULTIPLY},
      {"fmadd*", OPERATION_FP_FUSED},
      {"fmsub*", OPERATION_FP_FUSED},
      {"fnmadd*", OPERATION_FP_FUSED},
      {"fnmsub*", OPERATION_FP_FUSED},
      {"divp?", OPERATION_FP_DIVIDE},
      {"divs?", OPERATION_FP_DIVIDE},
      {"sqrt*", OPERATION_FP_ROOT},
      {"rcp*", OPERATION_FP_RECIPROCAL},
      {"rsqrt*", OPERATION_FP_RECIPROCAL},
      {"cmpp?", OPERATION_FP_COMPARE},
      {"cmps?", OPERATION_FP_COMPARE},
      {"comis?", OPERATION_FP_COMPARE},
      {"ucomis?", OPERATION_FP_COMPARE},
      {"maxp?", OPERATION_FP_MINMAX},
      {"maxs?", OPERATION_FP_MINMAX},
      {"minp?", OPERATION_FP_MINMAX},
      {"mins?", OPERATION_FP_MINMAX},
      {"round*", OPERATION_FP_ROUND},
      {"rndscale*", OPERATION_FP_ROUND},
      {"cvt*", OPERATION_FP_CONVERT},
      {"hadd*", OPERATION_FP_HORIZONTAL},
      {"hsub*", OPERATION_FP_HORIZONTAL},
      {"dpp?", OPERATION_FP_HORIZONTAL},
      {"pslldq", OPERATION_VECTOR_SHUFFLE},
      {"psrldq", OPERATION_VECTOR_SHUFFLE},
      {"psll*", OPERATION_VECTOR_SHIFT},
      {"psrl*", OPERATION_VECTOR_SHIFT},
      {"psra*", OPERATION_VECTOR_SHIFT},
      {"prol*", OPERATION_VECTOR_SHIFT},
      {"pror*", OPERATION_VECTOR_SHIFT},
      {"pshld*", OPERATION_VECTOR_SHIFT},
      {"pshrd*", OPERATION_VECTOR_SHIFT},
      {"pand*", OPERATION_VECTOR_LOGIC},
      {"por*", OPERATION_VECTOR_LOGIC},
      {"pxor*", OPERATION_VECTOR_LOGIC},
      {"pternlog?", OPERATION_VECTOR_LOGIC},
      {"andp?", OPERATION_VECTOR_LOGIC},
      {"andnp?", OPERATION_VECTOR_LOGIC},
      {"orp?", OPERATION_VECTOR_LOGIC},
      {"xorp?", OPERATION_VECTOR_LOGIC},
      {"padd*", OPERATION_VECTOR_ADD},
      {"psub*", OPERATION_VECTOR_ADD},
      {"pabs?", OPERATION_VECTOR_ADD},
      {"pavg*", OPERATION_VECTOR_ADD},
      {"psign?", OPERATION_VECTOR_ADD},
      {"pmax*", OPERATION_VECTOR_MINMAX},
      {"pmin*", OPERATION_VECTOR_MINMAX},
      {"pcmpeq?", OPERATION_VECTOR_COMPARE},
      {"pcmpgt?", OPERATION_VECTOR_COMPARE},
      {"pcmp?", OPERATION_VECTOR_COMPARE},
      {"pcmpu?", OPERATION_VECTOR_COMPARE},
      {"ptest*", OPERATION_VECTOR_COMPARE},
      {"testp?", OPERATION_VECTOR_COMPARE},
      {"pmul*", OPERATION_VECTOR_MULTIPLY},
      {"pmadd*", OPERATION_VECTOR_MULTIPLY},
      {"pdp*", OPERATION_VECTOR_MULTIPLY},
      {"pblend*", OPERATION_VECTOR_BLEND},
      {"blend*", OPERATION_VECTOR_BLEND},
      {"pinsr?", OPERATION_VECTOR_INSERT},
      {"insert*", OPERATION_VECTOR_INSERT},
      {"movlhps", OPERATION_VECTOR_SHUFFLE},
      {"movhlps", OPERATION_VECTOR_SHUFFLE},
      {"movlp?", OPERATION_VECTOR_INSERT},
      {"movhp?", OPERATION_VECTOR_INSERT},
      {"pextr?", OPERATION_VECTOR_EXTRACT},
      {"extract*", OPERATION_VECTOR_EXTRACT},
      {"pshuf*", OPERATION_VECTOR_SHUFFLE},
      {"shuf*", OPERATION_VECTOR_SHUFFLE},
      {"unpck*", OPERATION_VECTOR_SHUFFLE},
      {"punpck*", OPERATION_VECTOR_SHUFFLE},
      {"pack*", OPERATION_VECTOR_SHUFFLE},
      {"palignr", OPERATION_VECTOR_SHUFFLE},
      {"align?", OPERATION_VECTOR_SHUFFLE},
      {"perm*", OPERATION_VECTOR_SHUFFLE},
      {"pperm*", OPERATION_VECTOR_SHUFFLE},
      {"broadcast*", OPERATION_VECTOR_SHUFFLE},
      {"pbroadcast*", OPERATION_VECTOR_SHUFFLE},
      {"pmovsx*", OPERATION_VECTOR_SHUFFLE},
      {"pmovzx*", OPERATION_VECTOR_SHUFFLE},
      {"movddup", OPERATION_VECTOR_SHUFFLE},
      {"movs?dup", OPERATION_VECTOR_SHUFFLE},
      {"gather*", OPERATION_GATHER},
      {"pgather*", OPERATION_GATHER},
      {"scatter*", OPERATION_SCATTER},
      {"pscatter*", OPERATION_SCATTER},
};

static const struct { const char *suffix; uint8_t condition;
} conditions[] = {
    {"o", CONDITION_OVERFLOW},
    {"no", CONDITION_NO_OVERFLOW},
    {"b", CONDITION_CARRY},
    {"nb", CONDITION_NO_CARRY},
    {"z", CONDITION_EQUAL},
    {"nz", CONDITION_NOT_EQUAL},
    {"be", CONDITION_CARRY_OR_EQUAL},
    {"nbe", CONDITION_NEITHER},
    {"s", CONDITION_SIGN},
    {"ns", CONDITION_NO_SIGN},
    {"p", CONDITION_PARITY},
    {"np", CONDITION_NO_PARITY},
    {"l", CONDITION_LESS},
    {"nl", CONDITION_GREATER_EQUAL},
    {"le", CONDITION_LESS_EQUAL},
    {"nle", CONDITION_GREATER},
};

static uint8_t find_operation(const char *mnemonic)
{
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        if (str_match(general[i].pattern, mnemonic))
            return general[i].operation;
    mnemonic += *mnemonic == 'v';
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        if (str_match(vector[i].pattern, mnemonic))
            return vector[i].operation;
    return *mnemonic == 'k' ? OPERATION_MASK : OPERATION_OTHER;
}

static uint8_t find_condition(const char *suffix)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (strcmp(conditions[i].suffix, suffix) == 0)
            return conditions[i].condition;
    return CONDITION_NONE;
}

struct meaning {
    uint8_t operation, condition;
};

static struct meaning find_meaning(ZydisMnemonic number)
{
    static const struct {
        const char *prefix;
        uint8_t operation;
    } conditional[] = {{"cmov", OPERATION_SELECT}, {"set", OPERATION_SET}, {"j", OPERATION_BRANCH}};
    const char *mnemonic = ZydisMnemonicGetString(number);
    struct meaning m = {OPERATION_OTHER, CONDITION_NONE};

    if (!mnemonic)
        return m;
    m.operation = find_operation(mnemonic);
    for (size_t i = 0; i < sizeof conditional / sizeof *conditional; i++)
        if (str_has_prefix(mnemonic, conditional[i].prefix) &&
            (m.condition = find_condition(mnemonic + strlen(conditional[i].prefix))))
            m.operation = conditional[i].operation;
    return m;
}

/* Returns the operation and condition of a mnemonic. Looks up each mnemonic at its first use,
 * because looking up all 1,700 would take longer than the analysis of a loop. Any thread;
 * concurrent look-ups have equal results. */
static struct meaning meaning_of(ZydisMnemonic number)
{
    enum { KNOWN = 1 << 16 };
    static _Atomic uint32_t known[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    uint32_t found = atomic_load_explicit(&known[number], memory_order_relaxed);

    if (!found) {
        struct meaning m = find_meaning(number);
        found = KNOWN | (uint32_t)m.condition << 8 | m.operation;
        atomic_store_explicit(&known[number], found, memory_order_relaxed);
    }
    return (struct meaning){(uint8_t)found, (uint8_t)(found >> 8)};
}

void x86_operation(const ZydisDecodedInstruction *in, struct insn *out)
{
    struct meaning m = meaning_of(in->mnemonic);

    out->operation = m.operation;
    out->condition = m.condition;
    /* Decides by the category, because vector instructions are also named movsd and cmpsd. */
    if (in->meta.category == ZYDIS_CATEGORY_STRINGOP)
        out->operation = OPERATION_STRING;
    if (in->meta.category == ZYDIS_CATEGORY_COND_BR)    /* The category of conditional branches
                                                         * includes loop and jrcxz. */
        out->operation = OPERATION_BRANCH;
    if (out->operation == OPERATION_MULTIPLY && in->operand_count_visible == 1)
        out->operation = OPERATION_MULTIPLY_WIDE;
    if (out->operation == OPERATION_PUSH || out->operation == OPERATION_POP ||
        out->operation == OPERATION_CALL || out->operation == OPERATION_RETURN)
        out->traits |= INSN_STACK;
    insn_fill_roles(out);
}

bool x86_keeps_old(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_BSF: case ZYDIS_MNEMONIC_BSR:
        return true;
    case ZYDIS_MNEMONIC_CVTSI2SS: case ZYDIS_MNEMONIC_CVTSI2SD: case ZYDIS_MNEMONIC_CVTSS2SD:
    case ZYDIS_MNEMONIC_CVTSD2SS: case ZYDIS_MNEMONIC_CVTPI2PS:
    case ZYDIS_MNEMONIC_SQRTSS: case ZYDIS_MNEMONIC_SQRTSD: case ZYDIS_MNEMONIC_RCPSS:
    case ZYDIS_MNEMONIC_RSQRTSS:
    case ZYDIS_MNEMONIC_ROUNDSS: case ZYDIS_MNEMONIC_ROUNDSD:
    case ZYDIS_MNEMONIC_MOVLPS: case ZYDIS_MNEMONIC_MOVHPS: case ZYDIS_MNEMONIC_MOVLPD:
    case ZYDIS_MNEMONIC_MOVHPD:
    case ZYDIS_MNEMONIC_MOVLHPS: case ZYDIS_MNEMONIC_MOVHLPS:
        return ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
    case ZYDIS_MNEMONIC_MOVSS: case ZYDIS_MNEMONIC_MOVSD:
        return ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    default:
        return false;
    }
}

bool x86_demands_alignment(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    bool xmm = false, memory = false;

    for (unsigned i = 0; i < in->operand_count; i++) {
        xmm |= ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               ZydisRegisterGetClass(ops[i].reg.value) == ZYDIS_REGCLASS_XMM;
        memory |= ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY && ops[i].size == 128;
    }
    switch (in->meta.exception_class) {   /* Instructions of exception type 1 in the manual require
                                           * alignment. */
    case ZYDIS_EXCEPTION_CLASS_SSE1: case ZYDIS_EXCEPTION_CLASS_AVX1: case ZYDIS_EXCEPTION_CLASS_E1:
    case ZYDIS_EXCEPTION_CLASS_E1NF:
        return true;
    default:
        break;
    }
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_CMPXCHG16B:
        return true;
    /* These legacy encodings do not require alignment, unlike other encodings with a 128-bit
     * operand. */
    case ZYDIS_MNEMONIC_MOVUPS: case ZYDIS_MNEMONIC_MOVUPD: case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_LDDQU: case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_PCMPESTRI: case ZYDIS_MNEMONIC_PCMPESTRM: case ZYDIS_MNEMONIC_PCMPISTRI:
    case ZYDIS_MNEMONIC_PCMPISTRM:
        return false;
    default:
        return xmm && memory && in->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    }
}
