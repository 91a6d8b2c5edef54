/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/parts.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "isa/a64/body.h"
#include "isa/a64/decode.h"
#include "isa/a64/listing.h"
#include "isa/insn.h"

/* Returns the class of a move: x or w for general registers, v for whole vectors, s for
 * floating-point scalars, zero for zeroing, prefix for movprfx. NULL: not a move. */
static const char *move_class(const struct insn *move)
{
    const struct operand *to = &move->operands[0];

    if (strcmp(move->mnemonic, "movprfx") == 0)
        return "prefix";
    if (!(move->traits & INSN_MOVE))
        return NULL;
    if (move->operands[1].reg == REG_NONE)
        return "zero";
    return to->file == FILE_VECTOR ? (move->traits & INSN_VECTOR ? "v" : "s")
           : to->bits == 64        ? "x"
                                   : "w";
}

static bool code_allowed(const struct form_row *row, struct err *err)
{
    const char *reason = a64_unfit(row);
    return !reason || err_set(err, ERR_DATA, NULL, "%s", reason);
}

static const char *code_extension(const struct form_row *row, const void *code)
{
    (void)code;
    return row->extension ? row->extension : "";
}

static const void *code_make(const struct form_row *row, struct err *err)
{
    return code_allowed(row, err) ? a64_code_find(row, err) : NULL;
}

static bool body_of(const void *const *codes, const uint32_t *counts, size_t n,
                    const struct body_shape *shape, struct body *out, struct err *err)
{
    return a64_body_make((const struct a64_code *const *)codes, counts, n, shape, out, err);
}

static size_t chains_of(const void *code, struct chain *out)
{
    return a64_chain_list(code, out);
}

static bool chain_of(const void *code, const struct chain *chain, unsigned links, struct body *out)
{
    return a64_chain_make(code, chain, links, out);
}

static int64_t branch_place(const char *form, const uint8_t *code, size_t n, size_t at)
{
    uint32_t word = (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
                    (uint32_t)code[3] << 24;
    bool far = (word & 0x7c000000) == 0x14000000, test = (word & 0x7e000000) == 0x36000000;
    unsigned low = far ? 0 : 5, width = far ? 26 : test ? 14 : 19;
    int32_t words = (int32_t)(word << (32 - low - width)) >> (32 - width);

    (void)form;
    (void)n;
    return (int64_t)at + 4 * (int64_t)words;
}

/* Implements glance: finds b, b.cond, cbz, cbnz, tbz, tbnz, and instructions with vectors or
 * floating point. */
static size_t glance(const uint8_t *code, size_t length, int64_t *branch, bool *vector)
{
    if (length < 4)
        return 0;
    uint32_t word = (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
                    (uint32_t)code[3] << 24;
    bool jumps = (word & 0xfc000000) == 0x14000000 || (word & 0xff000010) == 0x54000000 ||
                 (word & 0x7e000000) == 0x34000000 || (word & 0x7e000000) == 0x36000000;

    *branch = jumps ? branch_place(NULL, code, 4, 0) : 0;
    *vector = (word & 0x0e000000) == 0x0e000000;
    return 4;
}

/* Returns whether an instruction can be written as data. Branches and calls are written as text,
 * because they refer to labels. */
static bool listed(const uint8_t *code, size_t length, size_t *held, int64_t *far)
{
    bool vector;

    *held = 0;
    return glance(code, length, far, &vector) == length && *far == 0 && (code[3] & 0xfc) != 0x94;
}

static bool branch_written(const uint8_t *code, int64_t *far, struct str *out)
{
    static const char *const conditions[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                             "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};
    const uint32_t word = (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
                          (uint32_t)code[3] << 24;
    const char *const not = word >> 24 & 1 ? "n" : "";
    char reg[8];

    *far = branch_place(NULL, code, 4, 0);
    if (*far == 0)
        return false;
    snprintf(reg, sizeof reg, (word & 31) == 31 ? "%czr" : "%c%u", word >> 31 ? 'x' : 'w',
             (unsigned)(word & 31));
    if ((word & 0x7c000000) == 0x14000000)
        str_add(out, word >> 31 ? "bl " : "b ");
    else if ((word & 0xff000010) == 0x54000000)
        str_addf(out, "b.%s ", conditions[word & 15]);
    else if ((word & 0x7e000000) == 0x34000000)
        str_addf(out, "cb%sz %s, ", not, reg);
    else if ((word & 0x7e000000) == 0x36000000)
        str_addf(out, "tb%sz %s, #%u, ", not, reg, (unsigned)(word >> 31 << 5 | (word >> 19 & 31)));
    else
        return false;
    return true;
}

/* Returns whether @code is a marker: `mov x1, #111` (begin) or `#222` (end), followed by the bytes
 * 213,3,32,31 (in OSACA's order) or a nop. */
static bool is_marker(const uint8_t *code, bool begin)
{
    static const uint8_t written[] = {213, 3, 32, 31}, nop[] = {31, 32, 3, 213};
    const uint32_t mov = 0xd2800001u | (begin ? 111u : 222u) << 5;
    const uint8_t first[] = {(uint8_t)mov, (uint8_t)(mov >> 8), (uint8_t)(mov >> 16),
                             (uint8_t)(mov >> 24)};
    return memcmp(code, first, 4) == 0 &&
           (memcmp(code + 4, written, 4) == 0 || memcmp(code + 4, nop, 4) == 0);
}

static const struct isa_relocation relocations[] = {
    {R_AARCH64_CALL26, "@", true, 0},
    {R_AARCH64_JUMP26, "@", true, 0},
    {R_AARCH64_CONDBR19, "@", true, 0},
    {R_AARCH64_TSTBR14, "@", true, 0},
    {R_AARCH64_LD_PREL_LO19, "@", true, 0},
    {R_AARCH64_ADR_PREL_LO21, "@", true, 0},
    {R_AARCH64_ADR_PREL_PG_HI21, "@", true, 0},
    {R_AARCH64_ADR_GOT_PAGE, ":got:@", true, 0},
    {R_AARCH64_ADD_ABS_LO12_NC, ":lo12:@", false, 0},
    {R_AARCH64_LDST8_ABS_LO12_NC, ":lo12:@", false, 0},
    {R_AARCH64_LDST16_ABS_LO12_NC, ":lo12:@", false, 0},
    {R_AARCH64_LDST32_ABS_LO12_NC, ":lo12:@", false, 0},
    {R_AARCH64_LDST64_ABS_LO12_NC, ":lo12:@", false, 0},
    {R_AARCH64_LDST128_ABS_LO12_NC, ":lo12:@", false, 0},
    {R_AARCH64_LD64_GOT_LO12_NC, ":got_lo12:@", false, 0},
    {0, NULL, false, 0},
};

/* Returns the start of the displacement, which follows the base; @end if there is none. */
static const char *displacement(const char *inside, const char *end)
{
    const char *comma = memchr(inside, ',', (size_t)(end - inside));
    return comma ? comma : end;
}

/* Returns whether the code is a PLT stub: adrp x16, page; ldr x17, [x16, #low], possibly after a
 * bti. If so, sets *@slot to the address of its pointer and *@begin to its start. */
static bool linkage_stub(const uint8_t *code, size_t length, size_t at, uint64_t address,
                         uint64_t *slot, uint64_t *begin)
{
    uint32_t words[2], before = 0;

    if (length - at < sizeof words)
        return false;
    memcpy(words, code + at, sizeof words);
    if ((words[0] & 0x9f00001f) != 0x90000010 || (words[1] & 0xffc003ff) != 0xf9400211)
        return false;
    const uint64_t pages = (uint64_t)(words[0] >> 5 & 0x7ffff) << 2 | (words[0] >> 29 & 3),
                   signed_pages = (pages ^ 1u << 20) - (1u << 20);
    *slot =
        ((address + at) & ~(uint64_t)0xfff) + (signed_pages << 12) + 8 * (words[1] >> 10 & 0xfff);
    if (at >= sizeof before)
        memcpy(&before, code + at - sizeof before, sizeof before);
    *begin = before == 0xd503245f ? at - sizeof before : at;
    return true;
}

const struct isa_ops a64_ops = {
    .title = "AArch64",
    .tool_prefix = "aarch64-linux-gnu",
    .target_option = "-mcpu=",
    .generic_targets = {{NULL, "generic"}},
    .assembler_options = {"-march=all"},   /* enables all extensions */
    .word_directive = ".inst",
    .comment = "//",
    .text_head = "",
    .default_machines = {"neoverse-v2", "neoverse-n1", "cortex-a72"},
    .common_machines = {"cortex-a72", "neoverse-v2"},
    .forms_file = "forms-aarch64.csv",
    .template_example = "add {W:X}, {R:X}, #0xc0",
    .set_aside = "system",
    .llvm_triple = "-mtriple=aarch64-linux-gnu",
    .llvm_features = "-mattr=+all",
    .llvm_marker = {"clrex", "CLREX", "CLREX ()"},
    .elf_machine = EM_AARCH64,
    .relocations = relocations,
    .immediate_sign = "",
    .displacement_sign = ", ",
    .displacement = displacement,
    .relocation_jump_slot = R_AARCH64_JUMP_SLOT,
    .relocation_global = R_AARCH64_GLOB_DAT,
    .linkage_stub = linkage_stub,
    .mapping_symbol = '$',
    .step = 4,
    .generals = 32,
    .stack_pointer = A64_SP,
    .frame_pointer = 29,
    .vectors = A64_V0,
    /* x0, x1 and v0 to v3 */
    .call_results = 0x3 | 0xfull << A64_V0,
    .load_store = true,
    .load_form = "LDR (X, [X, I])",
    .store_form = "STR (X, [X, I])",
    .address_form = "ADD (X, X, I)",
    .compare_form = "CMP (X, X)",
    .decode = a64_decode,
    .form = a64_form,
    .learn = a64_learn,
    .placeholder = a64_placeholder,
    .code_make = code_make,
    .code_allowed = code_allowed,
    .code_extension = code_extension,
    .codes_learn = a64_codes_learn,
    .body_make = body_of,
    .own_registers = A64_BODY_BASES | A64_BODY_KEPT,
    .own_names = "x16 to x30",
    .kept_registers = A64_BODY_KEPT | 1u << A64_SP,
    .base_registers = A64_BODY_BASES,
    .bases_step = true,
    .chain_list = chains_of,
    .chain_make = chain_of,
    .word_end = a64_word_end,
    .comments_cut = a64_comments_cut,
    .directive_kept = a64_directive_kept,
    .target_clean = a64_target_clean,
    .looks_like = a64_looks_like,
    .is_register = a64_is_register,
    .glance = glance,
    .listed = listed,
    .branch_written = branch_written,
    .branch_place = branch_place,
    .is_marker = is_marker,
    .markers = "OSACA markers",
    .move_class = move_class,
    .form_kind = a64_form_kind,
    .spell = a64_spell,
    .osaca = &a64_osaca,
    .foreign = &a64_foreign,
    .vary = &a64_vary,
};
