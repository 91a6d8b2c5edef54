/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tune/version.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_names.h"
#include "analysis/kernel_text.h"
#include "base/mem.h"
#include "base/names.h"
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
    copy->begin = c->begin;
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

/* Adjusts a PC-relative operand of @in, to address the same target as @from. */
static void keep_place(struct insn *in, const struct insn *from)
{
    const struct operand *was = insn_memory(from);
    const int64_t apart =
                      (int64_t)(from->offset + from->length) - (int64_t)(in->offset + in->length),
                  displacement = was->displacement + apart;
    const unsigned at = in->traits & INSN_REFERS ? 0 : insn_rip_displacement(in);

    for (unsigned i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == OPERAND_MEMORY && !in->operands[i].implicit)
            in->operands[i].displacement = displacement;
    for (unsigned i = 0; at && i < 4; i++)
        in->bytes[at + i] = (uint8_t)((uint64_t)displacement >> 8 * i);
}

void version_place(struct version *c, const struct insn *loop)
{
    uint64_t offset = loop->offset;

    c->begin = loop->placed ? loop->address : 0;
    for (size_t i = 0; i < c->count; i++) {
        struct insn *in = &c->insns[i];
        const struct insn *from = &loop[c->origin[i]];
        in->offset = offset;
        offset += in->length;
        if (in->traits & from->traits & INSN_RIP_RELATIVE)
            keep_place(in, from);
    }
}

bool version_fresh(const struct version *c, uint8_t reg)
{
    return reg < 128 && c->fresh[reg / 64] >> reg % 64 & 1;
}

/* Sets *@far to the distance from the loop's start to the memory at a constant address. Returns
 * false if @in addresses no such memory, or addresses it by name. */
static bool relative_place(const struct version *c, const struct insn *in, int64_t *far)
{
    if (!(in->traits & INSN_RIP_RELATIVE) || in->traits & INSN_REFERS ||
        !isa_ops((enum isa)in->isa)->references_from_end)
        return false;
    *far = (int64_t)(in->offset + in->length - c->insns[0].offset) + insn_memory(in)->displacement;
    return true;
}

/* Appends a label for memory at distance @far. The label contains the address if the loop has
 * one. */
static void place_name(const struct version *c, int64_t far, struct str *out)
{
    str_addf(out, ".Lat_%llx", (unsigned long long)(c->begin + (uint64_t)far));
}

static bool print_placed(const struct version *c, const struct insn *in, bool att, struct str *out)
{
    static const struct isa_relocation relative = {0, "@", true, 0};
    struct str name = {0}, text = {0};
    struct insn again;
    int64_t far;

    if (!relative_place(c, in, &far) ||
        !insn_decode((enum isa)in->isa, in->bytes, in->length, in->offset, true, &again, NULL))
        return false;
    place_name(c, far, &name);
    const struct code_reference reference = {in->offset, name.data, -(int64_t)in->length,
                                             &relative};
    const bool ok = reference_insert(&again, again.text, &reference, false, &text);
    if (ok)
        str_addf(out, "%s%s%s", att ? ".intel_syntax noprefix; " : "", str_text(&text),
                 att ? "; .att_syntax prefix" : "");
    insn_done(&again);
    str_done(&name);
    str_done(&text);
    return ok;
}

static void print_places(const struct version *c, struct str *out)
{
    struct names seen = {0};
    int64_t far;

    for (size_t i = 0; i < c->count; i++) {
        struct str name = {0};
        if (relative_place(c, &c->insns[i], &far)) {
            place_name(c, far, &name);
            if (names_find(&seen, str_text(&name)) == UINT32_MAX) {
                names_add(&seen, str_text(&name));
                str_addf(out, "\t.set %s, " LABEL "%+lld\n", str_text(&name), (long long)far);
            }
        }
        str_done(&name);
    }
    names_done(&seen);
}

static void print_insn(const struct version *c, const struct insn *in, bool att, struct str *out)
{
    str_add(out, "\t");
    if (in->traits & INSN_BRANCH)
        str_addf(out, "%s\t" LABEL, in->mnemonic);
    else if (print_placed(c, in, att, out))
        ;
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
        str_addf(out, "%s combines %u iterations: the trip count must be a multiple of %u\n",
                 isa->comment, c->times, c->times);
    if (c->lanes)
        str_addf(out, "%s floating-point sums are added in another order and round differently\n",
                 isa->comment);
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
        print_insn(c, &c->before.items[i], att, out);
    str_add(out, LABEL ":\n");
    for (size_t i = 0; i < c->count; i++)
        print_insn(c, &c->insns[i], att, out);
    for (size_t i = 0; i < c->after.count; i++)
        print_insn(c, &c->after.items[i], att, out);
    print_places(c, out);
}
