/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/decode.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "isa/a64/decode_parts.h"
#include "isa/a64/learn.h"

static uint32_t word_at(const uint8_t *code)
{
    return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
           (uint32_t)code[3] << 24;
}

/* Returns the name of register @n of register file @file. @last is the name of the highest
 * register. */
static const char *register_text(uint32_t n, char file, const char *last, char out[8])
{
    if (n < 31)
        snprintf(out, 8, "%c%u", file, (unsigned)n);
    else
        snprintf(out, 8, "%s", last);
    return out;
}

/* Replaces names that differ between versions of disassemblers: shifted moves, the branch target
 * hint, a comparison of tags, an alias, and authenticated loads with write-back but without
 * displacement. Returns false for other instructions. */
static bool named_here(uint32_t word, char mnemonic[A64_MNEMONIC], char operands[A64_OPERAND_TEXT])
{
    bool wide = word >> 31;
    unsigned shift = 16 * (word >> 21 & 3);
    char first[8], second[8];

    if ((word & 0x3f800000) == 0x12800000 && shift && (wide || shift == 16)) {
        register_text(word & 31, wide ? 'x' : 'w', wide ? "xzr" : "wzr", first);
        strcpy(mnemonic, word & 1u << 30 ? "movz" : "movn");
        snprintf(operands, A64_OPERAND_TEXT, "%s, #0x%x, lsl #%u", first,
                 (unsigned)(word >> 5 & 0xffff), shift);
        return true;
    }
    if ((word & 0xffffff3f) == 0xd503241f) {
        strcpy(mnemonic, "hint");
        snprintf(operands, A64_OPERAND_TEXT, "#0x%x", (unsigned)(word >> 5 & 0x7f));
        return true;
    }
    if ((word & 0xff7ffc00) == 0xf8200c00) {
        strcpy(mnemonic, word & 1u << 23 ? "ldrab" : "ldraa");
        snprintf(operands, A64_OPERAND_TEXT, "%s, [%s]!",
                 register_text(word & 31, 'x', "xzr", first),
                 register_text(word >> 5 & 31, 'x', "sp", second));
        return true;
    }
    if ((word & 0xffe0fc1f) != 0xbac0001f)
        return false;
    strcpy(mnemonic, "cmpp");
    snprintf(operands, A64_OPERAND_TEXT, "%s, %s", register_text(word >> 5 & 31, 'x', "sp", first),
             register_text(word >> 16 & 31, 'x', "sp", second));
    return true;
}

bool a64_read(uint32_t word, uint64_t offset, struct a64_text *out)
{
    const char *mnemonic, *operands;
    char learned_mnemonic[A64_MNEMONIC], learned_operands[A64_OPERAND_TEXT];

    if (named_here(word, learned_mnemonic, learned_operands) &&
        a64_text_parse(learned_mnemonic, learned_operands, out))
        return true;
    if (a64_capstone_reads(word, offset, &mnemonic, &operands) &&
        a64_text_parse(mnemonic, operands, out))
        return true;
    return a64_learned(word, offset, learned_mnemonic, learned_operands) &&
           a64_text_parse(learned_mnemonic, learned_operands, out);
}

bool a64_learn(const uint8_t *code, size_t length, struct err *err)
{
    VEC(uint32_t) words = {0};
    struct a64_text text;
    bool ok = true;

    for (size_t at = 0; at + 4 <= length; at += 4)
        if (!a64_read(word_at(code + at), 0, &text))
            vec_push(&words, word_at(code + at));
    if (words.count)
        ok = a64_learn_words(words.items, words.count, err);
    vec_done(&words);
    return ok;
}

static struct operand *add(struct insn *out, uint8_t kind, uint8_t access)
{
    /* Operands after the first INSN_OPERANDS are written here and ignored. */
    static _Thread_local struct operand spill;
    struct operand *op =
        out->operand_count < INSN_OPERANDS ? &out->operands[out->operand_count++] : &spill;
    *op = (struct operand){.kind = kind,
                           .access = access,
                           .reg = REG_NONE,
                           .base = REG_NONE,
                           .index = REG_NONE,
                           .segment = REG_NONE};
    return op;
}

static uint8_t file_of(uint8_t reg)
{
    return reg < A64_V0                      ? FILE_GENERAL
           : reg < REG_PC                    ? FILE_VECTOR
           : reg >= A64_P0 && reg <= A64_FFR ? FILE_PREDICATE
           : reg == REG_NONE                 ? FILE_NONE
                                             : FILE_OTHER;
}

static void add_memory(struct insn *out, const struct a64_operand *op, uint8_t access,
                       uint16_t bits)
{
    struct operand *to = add(out, OPERAND_MEMORY, access);
    to->bits = bits;
    to->base = op->base;
    to->index = op->index;
    to->scale = op->scale;
    to->displacement = op->displacement;
}

/* Returns the value of immediate @i with its shift applied: #1, lsl #12 is 4096. */
static int64_t immediate_shifted(const struct a64_text *t, unsigned i)
{
    const struct a64_operand *op = &t->operands[i],
                             *next = i + 1 < t->count ? &t->operands[i + 1] : NULL;

    if (!next || next->kind != A64_SHIFT || strcmp(next->type, "LSL I") != 0 || next->value < 0 ||
        next->value > 63)
        return op->value;
    return (int64_t)((uint64_t)op->value << next->value);
}

/* Adds the base register that a pre- or post-indexed access updates. @step is the step of a
 * post-indexed access, an immediate or a register. */
static void add_writeback(struct insn *out, const struct a64_operand *memory,
                          const struct a64_operand *step)
{
    struct operand *to = add(out, OPERAND_REGISTER, ACCESS_READ | ACCESS_WRITE | ACCESS_WRITEBACK);
    to->implicit = true;
    to->reg = memory->base;
    to->file = file_of(to->reg);
    to->bits = 64;
    to->immediate = memory->pre ? memory->displacement : step->value;
    to->index = memory->pre ? REG_NONE : step->reg;
}

/* Returns the scale factor of the left shift that follows operand @i; 1 if no shift or extension
 * follows; 0 for another shift or extension. */
static uint8_t shift_after(const struct a64_text *t, unsigned i)
{
    const struct a64_operand *next = i + 1 < t->count ? &t->operands[i + 1] : NULL;
    if (!next || next->kind != A64_SHIFT)
        return 1;
    return strcmp(next->type, "LSL I") == 0 && next->value >= 0 && next->value < 8
               ? (uint8_t)(1 << next->value)
               : 0;
}

static void fill_operands(const struct a64_text *t, const struct a64_access *access,
                          struct insn *out)
{
    const struct a64_operand *stepped = NULL, *step = NULL;
    for (unsigned i = 0; i < t->count; i++) {
        const struct a64_operand *op = &t->operands[i];
        if (op->kind == A64_LIST || op->kind == A64_REGISTER) {
            for (unsigned k = 0; k < (op->kind == A64_LIST ? op->count : 1); k++) {
                struct operand *to = add(out, OPERAND_REGISTER, access->operands[i]);
                to->reg = op->kind == A64_LIST ? (uint8_t)(A64_V0 + ((op->reg - A64_V0 + k) & 31))
                                               : op->reg;
                to->file = file_of(to->reg);
                to->bits = op->bits;
                to->scale = shift_after(t, i);
            }
            step = stepped ? op : step;
        } else if (op->kind == A64_MEMORY) {
            add_memory(out, op, access->operands[i], access->memory_bits);
            /* A memory copy also updates its second base register. */
            if (op->pre && stepped && stepped->pre)
                add_writeback(out, stepped, NULL);
            stepped = op->pre || t->post ? op : stepped;
        } else if (op->kind == A64_LABEL && (access->traits & INSN_BRANCH)) {
            add(out, OPERAND_RELATIVE, ACCESS_READ)->displacement = op->value;
        } else if (op->kind == A64_LABEL && access->operands[i]) {
            struct operand *to = add(out, OPERAND_MEMORY, access->operands[i]);
            to->bits = access->memory_bits;
            to->displacement = op->value;
        } else if (op->kind == A64_IMMEDIATE || op->kind == A64_LABEL) {
            add(out, OPERAND_IMMEDIATE, ACCESS_READ)->immediate = immediate_shifted(t, i);
            step = stepped ? op : step;
        }
    }
    if (stepped && (stepped->pre || step))
        add_writeback(out, stepped, step);
    if (access->link_written || access->link_read) {
        struct operand *to =
            add(out, OPERAND_REGISTER, access->link_written ? ACCESS_WRITE : ACCESS_READ);
        to->implicit = true;
        to->reg = A64_LINK;
        to->file = FILE_GENERAL;
        to->bits = 64;
    }
}

static void undecoded_form(uint32_t word, char form[FORM_MAX])
{
    snprintf(form, FORM_MAX, "UNDECODED (0x%08x)", (unsigned)word);
}

bool a64_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err)
{
    struct a64_text t;
    struct a64_access access;

    memset(out, 0, sizeof *out);
    if (length < 4)
        return err_set(err, ERR_DATA, "give whole AArch64 instructions, four bytes each",
                       "%zu stray byte%s at %zu", length, plural(length), (size_t)offset);
    uint32_t word = word_at(code);
    out->isa = ISA_AARCH64;
    memcpy(out->bytes, code, 4);
    out->length = 4;
    out->offset = offset;
    if (!a64_read(word, offset, &t)) {
        out->traits = INSN_UNDECODED;
        undecoded_form(word, out->form);
        strcpy(out->mnemonic, ".inst");
        insn_fill_roles(out);
        if (text) {
            char line[32];
            snprintf(line, sizeof line, ".inst 0x%08x", (unsigned)word);
            out->text = mem_strdup(line);
        }
        return true;
    }
    a64_access_of(&t, &access);
    a64_text_form(&t, out->form);
    strcpy(out->mnemonic, t.mnemonic);
    out->traits = access.traits | (a64_allow(word, t.mnemonic) ? INSN_RUNNABLE : 0);
    out->flags_read = access.flags_read;
    out->flags_written = access.flags_written;
    fill_operands(&t, &access, out);
    a64_operation(&t, out);
    if (text) {
        struct str line = {0};
        str_addf(&line, "%s%s%s", t.mnemonic, t.count ? " " : "", t.line);
        out->text = str_take(&line);
    }
    return true;
}

size_t a64_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits)
{
    struct a64_text t;
    struct a64_access access;

    if (length < 4)
        return 0;
    if (!a64_read(word_at(code), 0, &t)) {
        undecoded_form(word_at(code), form);
        *traits = INSN_UNDECODED;
        return 4;
    }
    a64_access_of(&t, &access);
    a64_text_form(&t, form);
    *traits = access.traits | (a64_allow(word_at(code), t.mnemonic) ? INSN_RUNNABLE : 0);
    return 4;
}
