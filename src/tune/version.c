/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tune/version.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_text.h"
#include "base/mem.h"
#include "isa/rewrite.h"
#include "isa/vary.h"

#define LABEL ".Ltuned"

struct version *version_new(const struct insn *insns, size_t count)
{
    struct version *c = mem_zero(1, sizeof *c);

    c->insns = mem_alloc((count + 1) * sizeof *insns);
    c->origin = mem_alloc((count + 1) * sizeof *c->origin);
    c->count = count;
    c->times = 1;
    c->flags = FLAGS_ALL;
    memcpy(c->insns, insns, count * sizeof *insns);
    for (size_t i = 0; i < count; i++)
        c->origin[i] = (uint32_t)i;
    return c;
}

struct version *version_copy(const struct version *c)
{
    struct version *copy = version_new(c->insns, c->count);

    memcpy(copy->origin, c->origin, c->count * sizeof *c->origin);
    copy->times = c->times;
    for (size_t i = 0; i < c->before.count; i++)
        vec_push(&copy->before, c->before.items[i]);
    for (size_t i = 0; i < c->after.count; i++)
        vec_push(&copy->after, c->after.items[i]);
    memcpy(copy->fresh, c->fresh, sizeof c->fresh);
    copy->lanes = c->lanes;
    copy->flags = c->flags;
    str_add(&copy->what, str_text(&c->what));
    return copy;
}

void version_free(struct version *c)
{
    if (!c)
        return;
    free(c->insns);
    free(c->origin);
    vec_done(&c->before);
    vec_done(&c->after);
    str_done(&c->what);
    free(c);
}

void version_note(struct version *c, const char *what)
{
    if (strstr(str_text(&c->what), what))
        return;
    str_addf(&c->what, "%s%s", c->what.length ? ", " : "", what);
}

void version_replace(struct version *c, size_t at, const struct insn *with, unsigned count)
{
    const uint32_t origin = c->origin[at];
    const size_t rest = c->count - at - 1;

    c->insns = mem_resize(c->insns, (c->count + count + 1) * sizeof *c->insns);
    c->origin = mem_resize(c->origin, (c->count + count + 1) * sizeof *c->origin);
    memmove(c->insns + at + count, c->insns + at + 1, rest * sizeof *c->insns);
    memmove(c->origin + at + count, c->origin + at + 1, rest * sizeof *c->origin);
    for (unsigned i = 0; i < count; i++) {
        c->insns[at + i] = with[i];
        c->origin[at + i] = origin;
    }
    c->count = c->count - 1 + count;
}

void version_reorder(struct version *c, const uint32_t *order)
{
    struct insn *insns = mem_alloc((c->count + 1) * sizeof *insns);
    uint32_t *origin = mem_alloc((c->count + 1) * sizeof *origin);

    for (size_t i = 0; i < c->count; i++) {
        insns[i] = c->insns[order[i]];
        origin[i] = c->origin[order[i]];
    }
    free(c->insns);
    free(c->origin);
    c->insns = insns;
    c->origin = origin;
}

void version_place(struct version *c, uint64_t offset)
{
    for (size_t i = 0; i < c->count; i++) {
        c->insns[i].offset = offset;
        offset += c->insns[i].length;
    }
}

bool version_fresh(const struct version *c, uint8_t reg)
{
    return reg < 128 && c->fresh[reg / 64] >> reg % 64 & 1;
}

static void print_insn(const struct insn *in, bool att, struct str *out)
{
    str_add(out, "\t");
    if (in->traits & INSN_BRANCH)
        str_addf(out, "%s\t" LABEL, in->mnemonic);
    else if (in->text)
        str_add(out, in->text + strspn(in->text, " \t"));
    else
        rewrite_print(in, att, out);
    str_add(out, "\n");
}

void version_print(const struct version *c, const char *name, bool att, struct str *out)
{
    const struct isa_ops *isa = isa_ops((enum isa)c->insns[0].isa);
    bool any = false;

    str_addf(out, "%s ", isa->comment);
    comment_print(name, out);
    str_addf(out, ": %s\n", str_text(&c->what));
    if (c->times > 1)
        str_addf(out, "%s %u iterations at once: the trip count must be a multiple of %u\n", isa->comment, c->times, c->times);
    if (c->lanes)
        str_addf(out, "%s sums of floating point are rounded in another order\n", isa->comment);
    for (uint8_t reg = 0; reg < INSN_REGISTERS; reg++)
        if (version_fresh(c, reg)) {
            str_addf(out, "%s%s", any ? ", " : "", "");
            if (!any)
                str_addf(out, "%s registers that must be free: ", isa->comment);
            vary_register_name((enum isa)c->insns[0].isa, reg, out);
            any = true;
        }
    str_add(out, any ? "\n" : "");
    if (isa->dialects && !att)
        str_add(out, "\t.intel_syntax noprefix\n");
    for (size_t i = 0; i < c->before.count; i++)
        print_insn(&c->before.items[i], att, out);
    str_add(out, LABEL ":\n");
    for (size_t i = 0; i < c->count; i++)
        print_insn(&c->insns[i], att, out);
    for (size_t i = 0; i < c->after.count; i++)
        print_insn(&c->after.items[i], att, out);
}
