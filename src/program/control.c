/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/control.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

#define DEPTH_MOST 200      /* largest nesting depth of an expression */
#define OPERANDS_MOST 1000
#define VALUES_MOST 1000000

/* Operations with their numbers of operands; 0: the number is part of the expression */
static const struct { const char *name; uint8_t op, operands;
} operations[] = {
    {"trunc", CONTROL_TRUNC, 1}, {"zext", CONTROL_ZEXT, 1}, {"sext", CONTROL_SEXT, 1},
    {"udiv", CONTROL_UDIV, 2},   {"sdiv", CONTROL_SDIV, 2}, {"urem", CONTROL_UREM, 2},
    {"srem", CONTROL_SREM, 2},   {"and", CONTROL_AND, 2},   {"or", CONTROL_OR, 2},
    {"xor", CONTROL_XOR, 2},     {"shl", CONTROL_SHL, 2},   {"lshr", CONTROL_LSHR, 2},
    {"ashr", CONTROL_ASHR, 2},   {"eq", CONTROL_EQ, 2},     {"ne", CONTROL_NE, 2},
    {"ugt", CONTROL_UGT, 2},     {"uge", CONTROL_UGE, 2},   {"ult", CONTROL_ULT, 2},
    {"ule", CONTROL_ULE, 2},     {"sgt", CONTROL_SGT, 2},   {"sge", CONTROL_SGE, 2},
    {"slt", CONTROL_SLT, 2},     {"sle", CONTROL_SLE, 2},   {"add", CONTROL_ADD, 0},
    {"mul", CONTROL_MUL, 0},     {"umax", CONTROL_UMAX, 0}, {"smax", CONTROL_SMAX, 0},
    {"umin", CONTROL_UMIN, 0},   {"smin", CONTROL_SMIN, 0}, {"rec", CONTROL_RECURRENCE, 0}};

/* Parses the next number and checks that it is below @limit. Moves *@at after it and stores it in
 * *@out. Returns false without such a number. */
static bool number(const char **at, uint64_t limit, uint64_t *out)
{
    char *end;
    *at += strspn(*at, " ");
    if (**at < '0' || **at > '9')
        return false;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return *out < limit;
}

/* Returns whether the next word is @name. If so, skips the word. */
static bool word(const char **at, const char *name)
{
    size_t length = strlen(name);
    const char *here = *at + strspn(*at, " ");

    if (strncmp(here, name, length) != 0 || (here[length] && here[length] != ' '))
        return false;
    *at = here + length;
    return true;
}

/* Parses and appends the next expression. Returns false if it is invalid or too deep. */
static bool expression(struct control *c, const char **at, unsigned depth)
{
    struct control_node node = {.width = 64};
    const size_t index = c->nodes.count;
    uint64_t width, operands = 0;
    const bool leaf = word(at, "?");

    vec_push(&c->nodes, node);
    if (leaf)
        return true;
    if (depth > DEPTH_MOST || watch_steps(1))
        return false;
    const bool constant = word(at, "c"), argument = !constant && word(at, "a"),
               value = !constant && !argument && word(at, "v"),
               chosen = !constant && !argument && !value && word(at, "select");
    if (constant || argument || value) {
        node.op = constant ? CONTROL_CONSTANT : argument ? CONTROL_ARGUMENT : CONTROL_VALUE;
    } else if (chosen) {
        node.op = CONTROL_SELECT;
        operands = 2;
        /* The condition of a select is before its width in the text, so it is parsed first. */
        if (!expression(c, at, depth + 1))
            return false;
    } else {
        for (size_t i = 0; i < sizeof operations / sizeof *operations && !node.op; i++)
            if (word(at, operations[i].name)) {
                node.op = operations[i].op;
                operands = operations[i].operands;
            }
    }
    if (!node.op || !number(at, 65, &width) || !width)
        return false;
    node.width = (uint8_t)width;
    if (constant || argument || value) {
        if (!number(at, constant ? UINT64_MAX : VALUES_MOST, &node.value) &&
            !(constant && node.value == UINT64_MAX))
            return false;
        c->value_count =
            value && node.value >= c->value_count ? (uint32_t)node.value + 1 : c->value_count;
    } else if (!operands) {
        if (!number(at, OPERANDS_MOST, &operands) || !operands)
            return false;
        node.count = (uint16_t)operands;
    }
    for (uint64_t i = 0; i < operands; i++)
        if (!expression(c, at, depth + 1))
            return false;
    if (node.op == CONTROL_RECURRENCE && (!number(at, c->loops.count, &node.value)))
        return false;
    c->nodes.items[index] = node;
    return true;
}

static bool value_of(struct control *c, const char **at, struct control_step *step)
{
    uint64_t id;

    if (!number(at, VALUES_MOST, &id))
        return false;
    step->id = (uint32_t)id;
    c->value_count = id >= c->value_count ? (uint32_t)id + 1 : c->value_count;
    return true;
}

static bool symbol_of(const char **at, struct control_step *step)
{
    uint64_t symbol;

    if (word(at, "-1")) {
        step->symbol = CONTROL_NONE;
        return true;
    }
    if (!number(at, VALUES_MOST, &symbol))
        return false;
    step->symbol = (uint32_t)symbol;
    return true;
}

static bool read_step(struct control *c, const char *at)
{
    static const char *const names[] = {
        [CONTROL_CALL] = "call", [CONTROL_RESULT] = "result", [CONTROL_STORE] = "store",
        [CONTROL_LOAD] = "load", [CONTROL_WORD] = "word",     [CONTROL_PHI] = "phi"};
    struct control_step step = {.width = 64};
    uint64_t count = 0, width;
    bool ok = false;

    for (size_t i = 0; at && i < sizeof names / sizeof *names && !ok; i++) {
        ok = word(&at, names[i]);
        step.does = (uint8_t)i;
    }
    if (!ok)
        return false;
    if (step.does != CONTROL_CALL && step.does != CONTROL_STORE && !value_of(c, &at, &step))
        return false;
    if ((step.does == CONTROL_CALL || step.does == CONTROL_STORE || step.does == CONTROL_LOAD) &&
        !symbol_of(&at, &step))
        return false;
    if ((step.does == CONTROL_CALL || step.does == CONTROL_PHI) &&
        !number(&at, OPERANDS_MOST, &count))
        return false;
    if (step.does == CONTROL_WORD) {
        if (!number(&at, 65, &width) || !width)
            return false;
        step.width = (uint8_t)width;
    }
    step.count = step.does == CONTROL_STORE || step.does == CONTROL_WORD ? 1 : (uint32_t)count;
    step.first = (uint32_t)c->nodes.count;
    for (uint32_t i = 0; i < step.count; i++) {
        struct control_node from = {.op = CONTROL_CONSTANT, .width = 64};
        if (step.does == CONTROL_PHI) {
            if (!number(&at, c->block_count, &from.value))
                return false;
            vec_push(&c->nodes, from);
        }
        if (!expression(c, &at, 0))
            return false;
    }
    vec_push(&c->steps, step);
    return !*at;
}

static bool read_expression(struct control *c, const char *text, uint32_t *out)
{
    *out = (uint32_t)c->nodes.count;
    return text && expression(c, &text, 0) && !*text;
}

static bool read_block(struct control *c, json_t *json, struct control_block *b)
{
    json_t *steps = json_object_get(json, "steps"), *cases = json_object_get(json, "cases"),
           *on = json_object_get(json, "on");

    b->on = CONTROL_NONE;
    b->returns = json_is_true(json_object_get(json, "returns"));
    if (on && !read_expression(c, json_string_value(on), &b->on))
        return false;
    b->first_case = (uint32_t)c->cases.count;
    b->case_count = (uint32_t)json_array_size(cases);
    for (size_t i = 0; i < b->case_count; i++)
        vec_push(&c->cases, (uint64_t)json_integer_value(json_array_get(cases, i)));
    b->first_step = (uint32_t)c->steps.count;
    for (size_t i = 0; i < json_array_size(steps); i++)
        if (!read_step(c, json_string_value(json_array_get(steps, i))))
            return false;
    b->step_count = (uint32_t)c->steps.count - b->first_step;
    return true;
}

static bool index_of(json_t *json, const char *key, size_t limit, uint32_t *out)
{
    json_int_t value = json_integer_value(json_object_get(json, key));
    *out = (uint32_t)value;
    return value >= 0 && (size_t)value < limit;
}

/* Reads a loop. Outer loops are before inner ones, so the last loop that lists a block is its
 * innermost loop. Returns false if invalid. */
static bool read_loop(struct control *c, json_t *json, size_t at)
{
    struct control_loop *loop = &c->loops.items[at];
    json_t *blocks = json_object_get(json, "blocks"), *exits = json_object_get(json, "exits");

    if (!index_of(json, "header", c->block_count, &loop->header))
        return false;
    loop->parent = CONTROL_NONE;
    if (json_integer_value(json_object_get(json, "parent")) != -1 &&
        !index_of(json, "parent", at, &loop->parent))
        return false;
    for (size_t i = 0; i < json_array_size(blocks); i++) {
        json_int_t block = json_integer_value(json_array_get(blocks, i));
        if (block < 0 || (size_t)block >= c->block_count)
            return false;
        c->blocks[block].loop = (uint32_t)at;
    }
    if (c->blocks[loop->header].loop != at)
        return false;
    loop->first_exit = (uint32_t)c->exits.count;
    for (size_t i = 0; i < json_array_size(exits); i++) {
        struct control_exit one = {.loop = (uint32_t)at};
        if (!index_of(json_array_get(exits, i), "block", c->block_count, &one.block) ||
            !read_expression(c,
                             json_string_value(json_object_get(json_array_get(exits, i), "count")),
                             &one.count))
            return false;
        vec_push(&c->exits, one);
    }
    loop->exit_count = (uint32_t)c->exits.count - loop->first_exit;
    return true;
}

bool control_read(json_t *json, size_t block_count, size_t symbol_count, struct control *out)
{
    json_t *loops = json_object_get(json, "loops"), *blocks = json_object_get(json, "blocks");

    *out = (struct control){.blocks = mem_zero(block_count + 1, sizeof *out->blocks),
                            .block_count = block_count};
    for (size_t i = 0; i < block_count; i++)
        out->blocks[i] = (struct control_block){.loop = CONTROL_NONE, .on = CONTROL_NONE};
    out->described = json != NULL;
    if (!json)
        return true;
    if (json_array_size(blocks) != block_count || json_array_size(loops) > block_count)
        return false;
    for (size_t i = 0; i < json_array_size(loops); i++)
        vec_push(&out->loops, ((struct control_loop){0}));
    for (size_t i = 0; i < json_array_size(loops); i++)
        if (!read_loop(out, json_array_get(loops, i), i))
            return false;
    for (size_t i = 0; i < block_count; i++)
        if (!read_block(out, json_array_get(blocks, i), &out->blocks[i]))
            return false;
    for (size_t i = 0; i < out->steps.count; i++) {
        const struct control_step *s = &out->steps.items[i];
        const bool named = s->does == CONTROL_CALL || s->does == CONTROL_STORE ||
                           s->does == CONTROL_LOAD,
                   pointer = s->does == CONTROL_CALL && s->symbol == CONTROL_NONE;
        if (named && !pointer && s->symbol >= symbol_count)
            return false;
    }
    return true;
}

void control_done(struct control *c)
{
    free(c->blocks);
    vec_done(&c->nodes);
    vec_done(&c->steps);
    vec_done(&c->cases);
    vec_done(&c->loops);
    vec_done(&c->exits);
}

bool control_symbols_read(json_t *json, struct control_symbols *out)
{
    json_t *names = json_object_get(json, "symbols"), *escaping = json_object_get(json, "escaping"),
           *initial = json_object_get(json, "initial");

    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!name)
            return false;
        vec_push(&out->names, mem_strdup(name));
        vec_push(&out->escaping, false);
    }
    for (size_t i = 0; i < json_array_size(escaping); i++) {
        json_int_t at = json_integer_value(json_array_get(escaping, i));
        if (at < 0 || (size_t)at >= out->names.count)
            return false;
        out->escaping.items[at] = true;
    }
    for (size_t i = 0; i < json_array_size(initial); i++) {
        json_t *one = json_array_get(initial, i);
        json_int_t at = json_integer_value(json_array_get(one, 0));
        if (at < 0 || (size_t)at >= out->names.count)
            return false;
        vec_push(&out->initial,
                 ((struct control_initial){(uint32_t)at,
                                           (uint64_t)json_integer_value(json_array_get(one, 1))}));
    }
    return true;
}

void control_symbols_done(struct control_symbols *s)
{
    for (size_t i = 0; i < s->names.count; i++)
        free(s->names.items[i]);
    vec_done(&s->names);
    vec_done(&s->escaping);
    vec_done(&s->initial);
}
