/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/body.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "isa/cpu.h"
#include "isa/insn.h"

static bool set_is_here(const struct form_row *row, struct err *err)
{
    return row->isa == isa_host() ||
           err_set(err, ERR_DATA, NULL, "code for another instruction set");
}

/* Returns whether this CPU has the extension that the form of @row requires. If not, sets err. */
static bool extension_is_here(const struct form_row *row, const void *own, struct err *err)
{
    const char *extension = isa_ops(row->isa)->code_extension(row, own);
    return !*extension || cpu_has(extension) ||
           err_set(err, ERR_MISSING, NULL, "this CPU has no %s", extension);
}

struct form_code *form_code_any(const struct form_row *row, struct err *err)
{
    const void *own = isa_ops(row->isa)->code_make(row, err);
    if (!own)
        return NULL;
    struct form_code *code = mem_alloc(sizeof *code);
    *code = (struct form_code){row, own};
    return code;
}

struct form_code *form_code_new(const struct form_row *row, struct err *err)
{
    struct form_code *code = set_is_here(row, err) ? form_code_any(row, err) : NULL;

    if (code && !extension_is_here(row, code->own, err)) {
        form_code_free(code);
        return NULL;
    }
    return code;
}

void form_code_free(struct form_code *code)
{
    if (code && isa_ops(code->row->isa)->code_free)
        isa_ops(code->row->isa)->code_free(code->own);
    free(code);
}

bool form_has_code(const struct form_row *row)
{
    struct err err = {0};

    if (isa_ops(row->isa)->code_allowed)
        return isa_ops(row->isa)->code_allowed(row, &err);
    struct form_code *code = form_code_any(row, &err);
    form_code_free(code);
    return code != NULL;
}

const char *form_measurable(const struct form_row *row, char *buffer, size_t size)
{
    struct err err = {0};
    struct form_code *code = NULL;
    bool ok;

    if (row->isa == isa_host() && isa_ops(row->isa)->code_allowed)
        ok = isa_ops(row->isa)->code_allowed(row, &err) && extension_is_here(row, NULL, &err);
    else
        ok = (code = form_code_new(row, &err)) != NULL;
    form_code_free(code);
    if (ok)
        return NULL;
    snprintf(buffer, size, "%s", err.what);
    return buffer;
}

/* Adds the registers that the instruction writes, and its base registers, to two bit sets. Returns
 * false if an address has a segment, or a base that bodies do not use. The sets are *@written and
 * *@bases. */
static bool uses(const struct insn *in, uint32_t *written, uint32_t *bases)
{
    const struct isa_ops *isa = isa_ops((enum isa)in->isa);
    bool right = true;

    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct operand *op = &in->operands[i];
        if (op->kind == OPERAND_REGISTER && op->reg < isa->generals && op->access & ACCESS_WRITE &&
            !(op->access & ACCESS_WRITEBACK))
            *written |= 1u << op->reg;
        if (op->kind != OPERAND_MEMORY || !(op->access & (ACCESS_READ | ACCESS_WRITE)))
            continue;
        const bool vector = op->base >= isa->vectors && op->base < isa->vectors + 32,
                   general = op->base < isa->generals && isa->base_registers >> op->base & 1;
        right &= (vector || general) && op->segment == REG_NONE;
        *bases |= general ? 1u << op->base : 0;
    }
    return right;
}

static const char *not_run(const struct insn *in)
{
    return !(in->traits & INSN_RUNNABLE)
               ? "not in the list of instructions that measurements may execute"
           : in->traits & (INSN_BRANCH | INSN_CALL | INSN_RETURN) ? "a branch"
           : in->traits & INSN_LOCK                               ? "a locked access"
                                                                  : NULL;
}

bool body_check(enum isa set, const uint8_t *code, size_t length, struct err *err)
{
    const struct isa_ops *isa = isa_ops(set);
    uint32_t written = 0, bases = 0;
    struct insn in;

    for (size_t at = 0; at < length; at += in.length) {
        if (!insn_decode(set, code + at, length - at, at, false, &in, err))
            return false;
        const char *reason = not_run(&in);
        reason = !uses(&in, &written, &bases) && !reason
                     ? "the memory operand has no base register, or uses a segment"
                     : reason;
        reason = !reason && written & isa->kept_registers
                     ? "writes a register that the measurement loop uses"
                     : reason;
        reason = !reason && !isa->bases_step && written & bases
                     ? "writes a register that addresses memory"
                     : reason;
        insn_done(&in);
        if (reason)
            return err_set(err, ERR_DATA, NULL, "%.40s: %s", in.form, reason);
    }
    return true;
}

/* Checks the body if a user added its form. A test checks the bodies of the shipped forms
 * (tests/unit/test_regalloc.c). */
static bool checked(const struct form_code *code, const struct body *body, struct err *err)
{
    return !code->row->added || body_check(code->row->isa, body->code, body->length, err);
}

bool body_make(struct form_code *const *forms, const uint32_t *counts, size_t n,
               const struct body_shape *shape, struct body *out, struct err *err)
{
    const void **own = mem_alloc((n + 1) * sizeof *own);
    for (size_t i = 0; i < n; i++)
        own[i] = forms[i]->own;
    out->padded = false;
    bool ok = isa_ops(forms[0]->row->isa)->body_make(own, counts, n, shape, out, err);
    free(own);
    for (size_t i = 0; ok && i < n; i++)
        ok = checked(forms[i], out, err);
    return ok;
}

void code_print(enum isa isa, const uint8_t *code, size_t length, size_t lines, struct str *out)
{
    struct insn insn;
    size_t shown = lines && lines < length / isa_step(isa) ? lines * isa_step(isa) : length;

    /* Looks up all words in one call, because each look-up starts a program. Unknown words are
     * printed as numbers. */
    insn_learn(isa, code, isa_step(isa) > 1 ? shown : length, NULL);
    for (size_t at = 0, line = 0; at < length && (!lines || line < lines);
         at += insn.length, line++) {
        if (!insn_decode(isa, code + at, length - at, at, true, &insn, NULL))
            return;
        str_addf(out, "%s\n", insn.text);
        insn_done(&insn);
    }
}

size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX])
{
    return isa_ops(code->row->isa)->chain_list(code->own, out);
}

bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links,
                struct body *out, struct err *err)
{
    const bool made =
        isa_ops(code->row->isa)->chain_make(code->own, chain, links, out) ||
        err_set(err, ERR_DATA, NULL, "cannot encode the chain of %s", code->row->form);

    return made && checked(code, out, err);
}
