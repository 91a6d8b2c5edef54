/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/parts.h"

#include <ctype.h>
#include <Zydis/Zydis.h>
#include <elf.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/x86/decode.h"
#include "isa/x86/form.h"

static int64_t branch_place(const char *form, const uint8_t *code, size_t n, size_t at)
{
    int32_t distance = (int8_t)code[n - 1];
    if (strstr(form, "(Rel32)") && n >= 5)
        memcpy(&distance, code + n - 4, 4);
    return (int64_t)(at + n) + distance;
}

/* Returns whether @code is a marker: mov ebx, 111 (begin) or 222 (end), then a nop with two
 * prefixes. */
static bool is_marker(const uint8_t *code, bool begin)
{
    static const uint8_t first[MARKER_BYTES] = {0xBB, 0x6F, 0, 0, 0, 0x64, 0x67, 0x90},
                         last[MARKER_BYTES] = {0xBB, 0xDE, 0, 0, 0, 0x64, 0x67, 0x90};
    return code[0] == 0xBB && memcmp(code, begin ? first : last, MARKER_BYTES) == 0;
}

static const char *move_class(const struct insn *move)
{
    const struct operand *to = &move->operands[0], *from = &move->operands[1];

    /* Rename may also eliminate a zero-extension of a low byte. */
    if (move->operation == OPERATION_MOVE_ZERO && from->kind == OPERAND_REGISTER &&
        from->bits == 8 && !from->offset_bits && to->bits >= 32)
        return "movzx8";
    if (!(move->traits & INSN_MOVE))
        return NULL;
    if (to->file == FILE_GENERAL)
        return to->bits == 64 ? "gpr64" : to->bits == 32 ? "gpr32" : "gpr16";
    return to->file == FILE_VECTOR ? (to->bits == 512   ? "zmm"
                                      : to->bits == 256 ? "ymm"
                                                        : "xmm")
                                   : "mask";
}

static bool is_register(const char *word, size_t length)
{
    static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                        "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp",
                                        "al",  "bl",  "cl",  "dl",  "ah",  "bh",  "ch",  "dh",
                                        "ax",  "bx",  "cx",  "dx",  "rip", "eip", "st"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncasecmp(word, names[i], length) == 0)
            return true;
    bool vector =
        length >= 4 && (word[1] | 32) == 'm' && (word[2] | 32) == 'm' && strchr("xyzXYZ", *word);
    if (!vector && (*word | 32) != 'r')
        return false;
    size_t digits = vector ? 3 : 1, at = digits;
    while (at < length && at < digits + 2 && isdigit((unsigned char)word[at]))
        at++;
    bool sized = !vector && at < length && strchr("bwdBWD", word[at]);
    return at > digits && at + sized == length;
}

/* Returns whether the word is a mnemonic: a name of the decoder, whose names are sorted, or another
 * name that assemblers accept. */
static bool is_mnemonic(const char *word, size_t length)
{
    static const char *const others[] = {
        "je",    "jne",    "ja",    "jae",    "jc",     "jnc",     "jg",     "jge",
        "jna",   "jnae",   "jng",   "jnge",   "jpe",    "jpo",     "sal",    "movabs",
        "sete",  "setne",  "seta",  "setae",  "setc",   "setnc",   "setg",   "setge",
        "setna", "setnae", "setng", "setnge", "cmove",  "cmovne",  "cmova",  "cmovae",
        "cmovc", "cmovnc", "cmovg", "cmovge", "cmovna", "cmovnae", "cmovng", "cmovnge"};
    char name[32];
    if (length == 0 || length >= sizeof name)
        return false;
    for (size_t i = 0; i <= length; i++)
        name[i] = i < length ? (char)tolower((unsigned char)word[i]) : '\0';
    for (int low = ZYDIS_MNEMONIC_INVALID + 1, high = ZYDIS_MNEMONIC_MAX_VALUE; low <= high;) {
        int middle = (low + high) / 2,
            order = strcmp(name, ZydisMnemonicGetString((ZydisMnemonic)middle));
        if (order == 0)
            return true;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    /* Comparisons with a predicate in the name, such as cmpltps and vcmpneq_oqpd. */
    const char *vex = name + (name[0] == 'v'), *last = name + length - 2;
    return strncmp(vex, "cmp", 3) == 0 && length > 6 && (last[0] == 'p' || last[0] == 's') &&
           (last[1] == 's' || last[1] == 'd');
}

static const struct isa_relocation relocations[] = {
    {R_X86_64_PC32, "@", true, 0},
    {R_X86_64_PLT32, "@", true, 0},
    {R_X86_64_GOTPCREL, "@@GOTPCREL", true, 0},
    {R_X86_64_GOTPCRELX, "@@GOTPCREL", true, 0},
    {R_X86_64_REX_GOTPCRELX, "@@GOTPCREL", true, 0},
    {R_X86_64_GOTTPOFF, "@@GOTTPOFF", true, 0},
    {R_X86_64_TLSGD, "@@TLSGD", true, 0},
    {R_X86_64_TLSLD, "@@TLSLD", true, 0},
    {R_X86_64_TPOFF32, "@@TPOFF", false, 0},
    {R_X86_64_DTPOFF32, "@@DTPOFF", false, 0},
    {R_X86_64_32S, "@", false, 0},
    {R_X86_64_32, "@", false, 0},
    {R_X86_64_64, "@", false, 8},
    {0, NULL, false, 0},
};

/* Returns the start of the number at the end, including its sign, as in "rip+0x0" and "rax*4+0x10";
 * @end if there is none. */
static const char *displacement(const char *inside, const char *end)
{
    const char *at = end;

    while (at > inside && (isxdigit((unsigned char)at[-1]) || at[-1] == 'x'))
        at--;
    if (at < end && isdigit((unsigned char)*at) && at > inside && (at[-1] == '+' || at[-1] == '-'))
        return at - 1;
    return at == inside && isdigit((unsigned char)*at) ? inside : end;
}

/* Returns whether the code is a PLT stub: jmp [rip+d], possibly after endbr64 or with a bnd prefix.
 * If so, sets *@slot to the address of its pointer and *@begin to its start. */
static bool linkage_stub(const uint8_t *code, size_t length, size_t at, uint64_t address,
                         uint64_t *slot, uint64_t *begin)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    int32_t distance;

    if (length - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
        return false;
    memcpy(&distance, code + at + 2, sizeof distance);
    *slot = address + at + 6 + (uint64_t)(int64_t)distance;
    *begin = at > 0 && code[at - 1] == 0xf2 ? at - 1 : at;
    if (*begin >= sizeof endbr64 &&
        memcmp(code + *begin - sizeof endbr64, endbr64, sizeof endbr64) == 0)
        *begin -= sizeof endbr64;
    return true;
}

static const char *narrower_division(const struct insn *in)
{
    return in->operation != OPERATION_DIVIDE || in->operands[0].bits != 64 ? NULL
           : in->mnemonic[0] == 'i'                                       ? "IDIV (R32)"
                                                                          : "DIV (R32)";
}

const struct isa_ops x86_ops = {
    .title = "x86-64",
    .tool_prefix = "x86_64-linux-gnu",
    .word_option = "-m64",
    .target_option = "-march=",
    .generic_targets = {{"AVX512F", "x86-64-v4"},
                        {"AVX2", "x86-64-v3"},
                        {"SSE4", "x86-64-v2"},
                        {NULL, "x86-64"}},
    .plain_tools = true,
    .assembler_options = {"--64", "-mindex-reg"}, /* -mindex-reg accepts %riz, which objdump
                                                   * prints. */
    .comment = "#",
    .text_head = "\t.intel_syntax noprefix\n",
    .default_machines = {"skylake", "sapphirerapids", "znver4"},
    .common_machines = {"skylake-avx512", "sapphirerapids"},
    .forms_file = "forms.csv",
    .template_example = "add {RW:R64}, {R:M64}",
    .set_aside = "x87, MMX or system",
    .llvm_triple = "-mtriple=x86_64-linux-gnu",
    .llvm_syntax = "-x86-asm-syntax=intel",
    .llvm_marker = {"cld", "CLD", "CLD ()"},
    .elf_machine = EM_X86_64,
    .relocations = relocations,
    .reference_bytes = 4,
    .references_from_end = true,
    .immediate_sign = "OFFSET ",
    .displacement_sign = "+",
    .displacement = displacement,
    .long_branch = "{disp32} ",
    .relocation_jump_slot = R_X86_64_JUMP_SLOT,
    .relocation_global = R_X86_64_GLOB_DAT,
    .linkage_stub = linkage_stub,
    .step = 1,
    .generals = 16,
    .stack_pointer = 4,
    .frame_pointer = 5,
    .vectors = 16,
    .call_results = 0x30005, /* rax, rdx and the first two vector registers */
    .load_form = "MOV (R64, M64)",
    .add_512_form = "VPADDD (ZMM, ZMM, ZMM)",
    .add_256_form = "VPADDD (YMM, YMM, YMM)",
    .narrower_division = narrower_division,
    .store_form = "MOV (M64, R64)",
    .stack_sync_form = "ADD (R64, I8)",
    .sum_form = "ADD (R64, R64)",
    .compare_form = "CMP (R64, R64)",
    .decode = x86_decode,
    .form = x86_form,
    .learn = x86_learn,
    .placeholder = x86_placeholder,
    .code_make = x86_code_make,
    .code_free = x86_code_free,
    .code_extension = x86_code_extension,
    .body_make = x86_body_make,
    .own_registers =
        1u << 4 | 1u << BODY_ZERO | 1u << BODY_STORES | 1u << BODY_LOADS | 1u << BODY_COUNTER,
    .own_names = "rsp, r11, r13, r14 and r15",
    .kept_registers = 1u << 4 | 1u << BODY_COUNTER,
    .base_registers = 1u << BODY_STORES | 1u << BODY_LOADS,
    .chain_list = x86_chain_list,
    .chain_make = x86_chain_make,
    .dialects = true,
    .is_register = is_register,
    .is_mnemonic = is_mnemonic,
    .glance = x86_glance,
    .listed = x86_listed,
    .branch_place = branch_place,
    .is_marker = is_marker,
    .markers = "IACA markers",
    .iaca_markers = {"\t.byte 187,111,0,0,0,100,103,144\n", "\t.byte 187,222,0,0,0,100,103,144\n"},
    .move_class = move_class,
    .form_traits = x86_form_traits,
    .form_kind = x86_form_kind,
    .spell = att_form,
    .osaca = &att_osaca,
    .alike = x86_alike,
    .with_register = x86_with_register,
    .alternative = x86_alternative,
    .foreign = &x86_foreign,
    .vary = &x86_vary,
    .rewrite = &x86_rewrite,
};
