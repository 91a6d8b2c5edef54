/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "analysis/x87_stack.h"

#define REGISTERS X87_REGISTERS
/* number of iterations before counting, after which values have reached every stack position */
#define SETTLE 24
#define COUNTED 32       /* number of counted iterations, a multiple of the 8 stack registers */

/* Content of an x87 register. TINY: a denormal double. NO_NUMBER: the result of an invalid
 * operation. */
enum content { EMPTY, NUMBER, TINY, NO_NUMBER };

struct stack {
    uint8_t content[REGISTERS];
    unsigned top;
};

static uint8_t *at(struct stack *s, unsigned place)
{
    return &s->content[(s->top + place) % REGISTERS];
}

static bool is_stack_register(const struct operand *op)
{
    return op->kind == OPERAND_REGISTER && op->file == FILE_X87 && op->reg >= X87_FIRST &&
           op->reg < X87_FIRST + REGISTERS;
}

/* Stores the stack positions of the instruction's operands in @out, or the position of st(0) if no
 * operand is a stack register. Returns the number of positions. */
static unsigned places_of(const struct insn *insn, unsigned out[2])
{
    unsigned n = 0;
    for (unsigned i = 0; i < insn->operand_count && n < 2; i++)
        if (is_stack_register(&insn->operands[i]))
            out[n++] = insn->operands[i].reg - X87_FIRST;
    if (!n)
        out[n++] = 0;
    return n;
}

/* Returns whether the initial value of memory is a denormal number in the operand's type.
 * START_MEMORY is a denormal double, because its upper half is 0. */
static bool is_denormal(const struct operand *memory)
{
    return memory && memory->bits == 64;
}

static bool loads_number(const struct insn *insn)
{
    return insn->mnemonic[1] != 'i' && insn->mnemonic[1] != 'b';
}

static unsigned load(struct stack *s, const struct insn *insn)
{
    const struct operand *memory = insn_memory(insn);
    unsigned places[2] = {0}, faults = 0;
    uint8_t value = NUMBER;

    if (!memory && places_of(insn, places) && insn->operand_count && !insn->operands[0].implicit) {
        /* If fld has two operands, it reads the second operand. */
        unsigned n = places_of(insn, places);
        value = *at(s, places[n - 1]);
        faults += value == EMPTY;
        value = value == EMPTY ? NO_NUMBER : value;
    } else if (is_denormal(memory) && loads_number(insn)) {
        value = TINY;
        faults++;
    }
    s->top = (s->top + REGISTERS - 1) % REGISTERS;
    bool full = *at(s, 0) != EMPTY;
    *at(s, 0) = full ? NO_NUMBER : value;
    return faults + full;
}

static unsigned store(struct stack *s, const struct insn *insn)
{
    const struct operand *memory = insn_memory(insn);
    unsigned places[2], n = places_of(insn, places);
    uint8_t value = *at(s, 0);
    unsigned faults =
        value == EMPTY || (value == TINY && memory && memory->bits <= 64 && loads_number(insn));

    if (!memory)
        *at(s, n ? places[0] : 0) = value == EMPTY ? NO_NUMBER : value;
    return faults;
}

static unsigned compute(struct stack *s, const struct insn *insn)
{
    const struct operand *memory = insn_memory(insn);
    unsigned places[2], n = places_of(insn, places);
    uint8_t first = *at(s, places[0]),
            second = memory  ? (is_denormal(memory) && loads_number(insn) ? TINY : NUMBER)
                     : n > 1 ? *at(s, places[1])
                             : first;
    bool bad = first == EMPTY || second == EMPTY || first == NO_NUMBER || second == NO_NUMBER,
         denormal = memory && second == TINY;

    if (insn->x87 == X87_COMPARE)
        return first == EMPTY || second == EMPTY || denormal;
    bool tiny = insn->x87 == X87_MULTIPLY ? first == TINY || second == TINY
                                          : first == TINY && second == TINY;
    *at(s, places[0]) = bad ? NO_NUMBER : tiny ? TINY : NUMBER;
    return bad || denormal;
}

static unsigned step(struct stack *s, const struct insn *insn)
{
    unsigned places[2], n = places_of(insn, places), faults = 0;

    switch (insn->x87) {
    case X87_LOAD:
        return load(s, insn);
    case X87_STORE:
        faults = store(s, insn);
        break;
    case X87_ADD:
    case X87_MULTIPLY:
    case X87_COMPARE:
        faults = compute(s, insn);
        break;
    case X87_EXCHANGE: {
        uint8_t *x = at(s, 0), *y = at(s, n > 1 ? places[1] : places[0]), held = *x;
        faults = *x == EMPTY || *y == EMPTY;
        *x = *y == EMPTY ? NO_NUMBER : *y;
        *y = held == EMPTY ? NO_NUMBER : held;
        break;
    }
    case X87_MOVE: {
        uint8_t *from = at(s, n > 1 ? places[1] : 0), *to = at(s, places[0]);
        faults = *from == EMPTY || *to == EMPTY;
        *to = *to == EMPTY ? NO_NUMBER : *to;
        break;
    }
    case X87_SIGN:
        faults = *at(s, 0) == EMPTY;
        *at(s, 0) = faults ? NO_NUMBER : *at(s, 0);
        break;
    case X87_TURN:
        s->top = (s->top + REGISTERS - (unsigned)insn->x87_step) % REGISTERS;
        return 0;
    case X87_EXAMINE:
        return *at(s, 0) == EMPTY;
    case X87_FREE:
        *at(s, places[0]) = EMPTY;
        break;
    case X87_CLEAR:
        *s = (struct stack){.top = 0};
        break;
    default:
        break;
    }
    for (int k = insn->x87_step; k < 0; k++) {
        *at(s, 0) = EMPTY;
        s->top = (s->top + 1) % REGISTERS;
    }
    return faults;
}

double assists_count(const struct insn *insns, size_t count)
{
    struct stack stack = {.top = 0};
    double faults = 0;
    bool any = false;

    for (size_t i = 0; i < count && !any; i++)
        any = insns[i].x87 != X87_NONE;
    for (unsigned round = 0; any && round < SETTLE + COUNTED; round++)
        for (size_t i = 0; i < count; i++) {
            unsigned here = insns[i].x87 ? step(&stack, &insns[i]) : 0;
            faults += round >= SETTLE ? here : 0;
        }
    return faults / COUNTED;
}
