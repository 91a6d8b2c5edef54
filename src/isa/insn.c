/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void insn_done(struct insn *insn)
{
    free(insn->text);
    insn->text = NULL;
}

void insn_fill_roles(struct insn *insn)
{
    unsigned count = 0;
    uint8_t hidden_read = INSN_NO_OPERAND, hidden_written = INSN_NO_OPERAND;

    insn->result = insn->inputs[0] = insn->inputs[1] = INSN_NO_OPERAND;
    for (uint8_t i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->implicit) {
            bool memory = op->kind == OPERAND_MEMORY;
            hidden_read = memory && op->access & ACCESS_READ ? i : hidden_read;
            hidden_written = memory && op->access & ACCESS_WRITE ? i : hidden_written;
            continue;
        }
        bool written = op->access & ACCESS_WRITE;
        if (written && insn->result == INSN_NO_OPERAND)
            insn->result = i;
        /* AArch64's zero register is an input, although it has no access. */
        if ((!written || op->access & ACCESS_READ) && count < 2)
            insn->inputs[count++] = i;
    }
    if (insn->traits & INSN_STACK && insn->result == INSN_NO_OPERAND)
        insn->result = hidden_written;
    if (insn->traits & INSN_STACK && !count)
        insn->inputs[0] = hidden_read;
}

void insn_undecoded(enum isa isa, const uint8_t *code, size_t n, uint64_t offset, const char *line,
                    bool text, struct insn *out)
{
    struct str bytes = {0}, shown = {0};

    memset(out, 0, sizeof *out);
    out->isa = (uint8_t)isa;
    out->traits = INSN_UNDECODED;
    out->length = (uint8_t)n;
    out->offset = offset;
    memcpy(out->bytes, code, n);
    for (size_t i = 0; i < n; i++) {
        str_addf(&bytes, "%02x", code[i]);
        str_addf(&shown, "%s0x%02x", i ? ", " : ".byte ", code[i]);
    }
    snprintf(out->form, FORM_MAX, "UNDECODED (0x%s)", str_text(&bytes));
    snprintf(out->mnemonic, sizeof out->mnemonic, "%.*s", line ? (int)strcspn(line, " \t") : 5,
             line ? line : ".byte");
    insn_fill_roles(out);
    if (text)
        out->text = mem_strdup(line ? line : str_text(&shown));
    str_done(&bytes);
    str_done(&shown);
}

const struct operand *insn_operand(const struct insn *insn, uint8_t place)
{
    return place < insn->operand_count ? &insn->operands[place] : NULL;
}

static const struct operand *first_of(const struct insn *insn, enum operand_kind kind)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == kind)
            return &insn->operands[i];
    return NULL;
}

const struct operand *insn_immediate(const struct insn *insn)
{
    return first_of(insn, OPERAND_IMMEDIATE);
}

unsigned insn_flops(const struct insn *insn)
{
    static const enum operation counted[] = {OPERATION_FP_ADD, OPERATION_FP_MULTIPLY,
                                             OPERATION_FP_FUSED, OPERATION_FP_DIVIDE,
                                             OPERATION_FP_ROOT};
    const struct operand *to = insn_operand(insn, insn->result);
    size_t length = strlen(insn->mnemonic);
    bool counts = false;

    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        counts |= insn->operation == counted[i];
    if (!counts || !to || length < 2)
        return 0;
    /* On x86-64, the last two letters of the mnemonic are the type of the lanes: ss, sd, ps, pd. On
     * AArch64, assumes lanes of 64 bits. */
    bool x86 = insn->isa == ISA_X86_64,
         scalar = x86 ? insn->mnemonic[length - 2] == 's'
                      : !(insn->traits & INSN_VECTOR) || to->bits <= 64;
    unsigned lanes = scalar ? 1 : to->bits / (x86 && insn->mnemonic[length - 1] == 's' ? 32 : 64);
    return lanes * (insn->operation == OPERATION_FP_FUSED ? 2 : 1);
}

bool insn_streams(const struct insn *insn)
{
    static const char *const x86[] = {"movnt*", "vmovnt*", "maskmov*", "vmaskmovdqu", NULL},
                             *const a64[] = {"stnp", "stnt1*", NULL};
    return insn->traits & INSN_STORE &&
           str_match_any(insn->isa == ISA_AARCH64 ? a64 : x86, insn->mnemonic);
}

bool insn_sets_mode(const struct insn *insn)
{
    static const char *const x86[] = {"fldcw", "ldmxcsr", "vldmxcsr", NULL};
    return str_match_any(x86, insn->mnemonic);
}

bool insn_clears_uppers(const struct insn *insn)
{
    static const char *const x86[] = {"vzeroupper", "vzeroall", NULL};
    return str_match_any(x86, insn->mnemonic);
}

bool insn_adds_length(const struct insn *insn)
{
    static const char *const a64[] = {"incb", "inch", "incw",  "incd",  "decb", "dech",
                                      "decw", "decd", "addvl", "addpl", NULL};
    return insn->isa == ISA_AARCH64 && insn->operands[0].file == FILE_GENERAL &&
           str_match_any(a64, insn->mnemonic);
}

bool insn_stores_masked(const struct insn *insn)
{
    static const char *const by_vector[] = {"vmaskmovp*", "vpmaskmov*", NULL};
    bool vector = false, mask = str_match_any(by_vector, insn->mnemonic);

    for (unsigned i = 0; i < insn->operand_count; i++) {
        vector |= insn->operands[i].file == FILE_VECTOR;
        mask |= insn->operands[i].file == FILE_MASK;
    }
    return insn->traits & INSN_STORE && insn->isa == ISA_X86_64 && vector && mask;
}

bool insn_leaves_vectors(const struct insn *insn)
{
    bool from = false, to = insn->flags_written != 0;

    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        from |= (op->file == FILE_VECTOR || op->file == FILE_MASK) && op->access & ACCESS_READ;
        to |= op->file == FILE_GENERAL && op->kind == OPERAND_REGISTER && op->access & ACCESS_WRITE;
    }
    return from && to;
}

const struct operand *insn_memory(const struct insn *insn)
{
    return first_of(insn, OPERAND_MEMORY);
}

bool insn_same_sources(const struct insn *insn)
{
    const struct operand *last = NULL, *before = NULL;

    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        if (op->implicit)
            continue;
        if (op->kind != OPERAND_REGISTER || op->file == FILE_MASK)
            return false;
        before = last;
        last = op;
    }
    return before && before->reg == last->reg && before->bits == last->bits && last->bits >= 32;
}

bool insn_count_in_register(const struct insn *insn)
{
    const struct operand *count = insn_operand(insn, insn->inputs[1]);
    return insn->operation >= OPERATION_SHIFT_LEFT && insn->operation <= OPERATION_ROTATE_CARRY &&
           count && count->kind == OPERAND_REGISTER;
}

const char *insn_shown(const struct insn *insn)
{
    return insn->text ? insn->text + strspn(insn->text, " \t") : insn->mnemonic;
}

const char *insn_place_text(const struct insn *insn, char out[PLACE_TEXT])
{
    *out = '\0';
    if (insn->line)
        snprintf(out, PLACE_TEXT, "%u", insn->line);
    else if (insn->placed)
        snprintf(out, PLACE_TEXT, "%llx", (unsigned long long)insn->address);
    return out;
}

const char *insn_address_text(const struct insn *insn, char out[PLACE_TEXT + 2])
{
    snprintf(out, PLACE_TEXT + 2, "0x%llx", (unsigned long long)insn->address);
    return insn->placed ? out : NULL;
}

const char *insn_place_title(const struct insn *insn)
{
    return !insn->line && insn->placed ? "address" : "line";
}

unsigned insn_place_width(const struct insn *insns, size_t count)
{
    unsigned width = count ? (unsigned)strlen(insn_place_title(&insns[0])) : 4;

    for (size_t i = 0; i < count; i++) {
        char text[PLACE_TEXT];
        const unsigned own = (unsigned)strlen(insn_place_text(&insns[i], text));
        width = own > width ? own : width;
    }
    return width;
}

void insn_place_note(const struct insn *insn, struct str *out)
{
    if (insn->line)
        str_addf(out, " (line %u)", insn->line);
    else if (insn->placed)
        str_addf(out, " (0x%llx)", (unsigned long long)insn->address);
}

bool insn_decode(enum isa isa, const uint8_t *code, size_t length, uint64_t offset, bool text,
                 struct insn *out, struct err *err)
{
    return isa_ops(isa)->decode(code, length, offset, text, out, err);
}

size_t insn_form(enum isa isa, const uint8_t *code, size_t length, char form[FORM_MAX],
                 uint32_t *traits)
{
    return isa_ops(isa)->form(code, length, form, traits);
}

bool insn_learn(enum isa isa, const uint8_t *code, size_t length, struct err *err)
{
    return !isa_ops(isa)->learn || isa_ops(isa)->learn(code, length, err);
}

bool isa_alike(enum isa isa, const char *form, size_t *at, char out[FORM_MAX])
{
    return isa_ops(isa)->alike && isa_ops(isa)->alike(form, at, out);
}

bool isa_with_register(enum isa isa, const char *form, unsigned bits, size_t *at,
                       char out[FORM_MAX])
{
    return isa_ops(isa)->with_register && isa_ops(isa)->with_register(form, bits, at, out);
}

bool isa_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out)
{
    const struct isa_ops *isa = isa_ops((enum isa)insn->isa);
    return isa->alternative && isa->alternative(insn, at, out);
}
