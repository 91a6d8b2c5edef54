/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hunt/pattern.h"

#include <ctype.h>
#include <string.h>

#define DRAWS 64           /* maximum number of attempts to draw a form of a family */
#define MEMORY_TRAITS (INSN_LOAD | INSN_STORE)

void pattern_of(const struct random_block *b, struct pattern *out)
{
    memset(out, 0, sizeof *out);
    out->block = *b;
    out->slot_count = block_slots(b, out->slots);
    for (size_t i = 0; i < out->slot_count; i++) {
        for (size_t k = 0; k < i && !out->class_of[i]; k++)
            if (out->slots[k].reg == out->slots[i].reg)
                out->class_of[i] = out->class_of[k];
        if (!out->class_of[i])
            out->class_of[i] = ++out->classes;
    }
}

/* Returns the number of steps. In order, the steps are: the forms of all instructions, their
 * mnemonics, their addresses, and the register classes. */
size_t pattern_steps(const struct pattern *p)
{
    return 3 * p->block.count + p->classes;
}

bool pattern_relax(const struct pattern *p, size_t step, struct pattern *changed)
{
    size_t n = p->block.count;
    bool found = false;

    *changed = *p;
    if (step < 2 * n) {
        uint8_t level = (uint8_t)(step / n + 1), *now = &changed->level[step % n];
        found = *now + 1 == level;
        *now = found ? level : *now;
    } else if (step < 3 * n) {
        size_t at = step - 2 * n;
        found = !p->any_address[at] && insn_memory(&p->block.insns[at]);
        changed->any_address[at] |= found;
    } else {
        uint8_t class = (uint8_t)(step - 3 * n + 1);
        for (size_t i = 0; i < p->slot_count; i++)
            if (p->class_of[i] == class) {
                changed->class_of[i] = 0;
                found = true;
            }
    }
    return found;
}

/* Returns whether @in belongs to the family of @like at level @level. */
static bool fits(const struct insn *in, const struct insn *like, enum pattern_level level)
{
    if (level == LEVEL_FORM)
        return strcmp(in->form, like->form) == 0;
    if ((in->traits ^ like->traits) & (INSN_LEGACY_SSE | INSN_VEX))
        return false;
    if (level == LEVEL_MNEMONIC)
        return strcmp(in->mnemonic, like->mnemonic) == 0;
    return in->operation == like->operation &&
           (in->traits & MEMORY_TRAITS) == (like->traits & MEMORY_TRAITS);
}

bool pattern_fits(const struct pattern *p, size_t at, const struct insn *in)
{
    return fits(in, &p->block.insns[at], (enum pattern_level)p->level[at]);
}

static uint32_t draw_form(const struct pattern *p, size_t at, const struct block_maker *m,
                          struct rng *rng)
{
    if (p->level[at] == LEVEL_FORM)
        return p->block.forms[at];
    size_t count = block_maker_forms(m), from = rng_below(rng, count);
    for (unsigned i = 0; i < DRAWS; i++) {
        uint32_t form = block_maker_draw(m, rng);
        if (pattern_fits(p, at, block_maker_insn(m, form)))
            return form;
    }
    /* Tries all forms, because a family may be too rare for random draws. */
    for (size_t i = 0; i < count; i++)
        if (pattern_fits(p, at, block_maker_insn(m, (uint32_t)((from + i) % count))))
            return (uint32_t)((from + i) % count);
    return p->block.forms[at];
}

/* Returns the class of @p's slot at the same place as @slot: the same operand of the same
 * instruction. */
static uint8_t class_there(const struct pattern *p, const struct slot *slot)
{
    for (size_t i = 0; i < p->slot_count; i++)
        if (p->slots[i].insn == slot->insn && p->slots[i].operand == slot->operand &&
            p->slots[i].role == slot->role)
            return p->class_of[i];
    return 0;
}

/* Returns the register that class @class has in the original block. */
static uint8_t class_register(const struct pattern *p, uint8_t class)
{
    size_t i = 0;

    while (p->class_of[i] != class)
        i++;
    return p->slots[i].reg;
}

void pattern_draw(const struct pattern *p, const struct block_maker *m, struct rng *rng,
                  struct random_block *out)
{
    struct slot slots[BLOCK_SLOTS];
    enum isa isa = (enum isa)block_maker_insn(m, 0)->isa;

    out->count = p->block.count;
    for (size_t i = 0; i < out->count; i++) {
        out->forms[i] = draw_form(p, i, m, rng);
        out->insns[i] = *block_maker_insn(m, out->forms[i]);
        if (p->any_address[i])
            block_move_address(out, i, (int64_t)(4 * rng_below(rng, 8)));
        else
            block_copy_address(out, i, &p->block.insns[i]);
    }
    size_t n = block_slots(out, slots);
    for (size_t i = 0; i < n; i++) {
        uint8_t class = class_there(p, &slots[i]);
        block_set_register(out, &slots[i],
                           class ? class_register(p, class) : block_register(isa, &slots[i], rng));
    }
}

static bool on_stack(const struct pattern *p, const struct slot *slot)
{
    return slot->reg == isa_ops((enum isa)p->block.insns[0].isa)->stack_pointer;
}

/* Returns whether the registers of instructions @chosen of @b match the classes of @p, with one
 * register per class. */
static bool registers_fit(const struct pattern *p, const struct random_block *b,
                          const size_t *chosen)
{
    struct slot slots[BLOCK_SLOTS];
    size_t n = block_slots(b, slots);
    uint8_t held[BLOCK_SLOTS + 1];

    memset(held, REG_NONE, sizeof held);
    for (size_t i = 0; i < p->slot_count; i++)   /* The stack pointer matches only itself. */
        if (on_stack(p, &p->slots[i]))
            held[p->class_of[i]] = p->slots[i].reg;
    for (size_t i = 0; i < p->slot_count; i++) {
        uint8_t class = p->class_of[i];
        for (size_t k = 0; class && k < n; k++) {
            if (slots[k].insn != chosen[p->slots[i].insn] ||
                slots[k].operand != p->slots[i].operand || slots[k].role != p->slots[i].role)
                continue;
            if (held[class] != REG_NONE && held[class] != slots[k].reg)
                return false;
            held[class] = slots[k].reg;
        }
    }
    return true;
}

static bool within(const struct pattern *p, const struct random_block *b, size_t *chosen,
                   size_t depth, size_t from)
{
    if (depth == p->block.count)
        return registers_fit(p, b, chosen);
    for (size_t i = from; i < b->count; i++) {
        if (!pattern_fits(p, depth, &b->insns[i]))
            continue;
        chosen[depth] = i;
        if (within(p, b, chosen, depth + 1, i + 1))
            return true;
    }
    return false;
}

bool pattern_within(const struct pattern *p, const struct random_block *b)
{
    struct random_block turned = *b;
    size_t chosen[BLOCK_INSNS];

    for (size_t turn = 0; turn < b->count; turn++) {
        for (size_t i = 0; turn && i < b->count; i++)
            turned.insns[i] = b->insns[(i + turn) % b->count];
        if (within(p, &turned, chosen, 0, 0))
            return true;
    }
    return false;
}

bool pattern_equal(const struct pattern *a, const struct pattern *b)
{
    if (a->block.count != b->block.count || a->slot_count != b->slot_count)
        return false;
    for (size_t i = 0; i < a->block.count; i++)
        if (a->level[i] != b->level[i] || !pattern_fits(a, i, &b->block.insns[i]))
            return false;
    for (size_t i = 0; i < a->slot_count; i++)
        if (!a->class_of[i] != !b->class_of[i])
            return false;
    return true;
}

void pattern_title(const struct pattern *p, size_t at, struct str *out)
{
    const struct insn *in = &p->block.insns[at];

    if (p->level[at] == LEVEL_FORM) {
        str_add(out, in->form);
        return;
    }
    str_add(out, "any ");
    for (const char *c = in->mnemonic; *c; c++)
        str_add_char(out, (char)toupper((unsigned char)*c));
    if (p->level[at] != LEVEL_OPERATION)
        return;
    str_add(out, " or similar");
    str_add(out, in->traits & INSN_STORE  ? in->traits & INSN_LOAD ? " on memory" : " to memory"
                 : in->traits & INSN_LOAD ? " from memory"
                                          : "");
}

/* Appends the slots that must have the same register, such as "; one register in operand 1 of 1 and
 * operand 2 of 2". */
static void print_classes(const struct pattern *p, struct str *out)
{
    static const char *const roles[] = {"operand", "base of operand", "index of operand"};

    for (uint8_t class = 1; class <= p->classes; class++) {
        size_t members = 0;
        bool stack = false;
        for (size_t i = 0; i < p->slot_count; i++) {
            members += p->class_of[i] == class;
            stack |= p->class_of[i] == class && on_stack(p, &p->slots[i]);
        }
        if (members < 2 && !stack)
            continue;
        str_add(out, stack ? "; the stack pointer in " : "; one register in ");
        for (size_t i = 0, k = 0; i < p->slot_count; i++) {
            const struct slot *s = &p->slots[i];
            if (p->class_of[i] != class)
                continue;
            str_add(out, !k ? "" : k + 1 == members ? " and " : ", ");
            str_addf(out, "%s %u", roles[s->role], s->operand + 1u);
            if (p->block.count > 1)
                str_addf(out, " of %u", s->insn + 1u);
            k++;
        }
    }
}

void pattern_print(const struct pattern *p, struct str *out)
{
    for (size_t i = 0; i < p->block.count; i++) {
        str_add(out, i ? ", then " : "");
        pattern_title(p, i, out);
    }
    print_classes(p, out);
}
