/* Control flow of a function from LLVM's scalar evolution: trip counts, conditions, arguments and
 * stores as expressions of their inputs. compiler/control.cpp writes this data into a unit's
 * description. Immutable. An expression is text in prefix notation: "add 64 2 c 64 5 a 64 0" is 5 +
 * argument 0, in 64 bits. */
#ifndef PORTOLAN_PROGRAM_CONTROL_H
#define PORTOLAN_PROGRAM_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define CONTROL_NONE UINT32_MAX

enum control_op {
    CONTROL_UNKNOWN,
    /* CONTROL_CONSTANT is a constant, CONTROL_ARGUMENT an argument of the function, CONTROL_VALUE a
     * value that a step defines. */
    CONTROL_CONSTANT,
    CONTROL_ARGUMENT,
    CONTROL_VALUE,
    CONTROL_TRUNC,
    CONTROL_ZEXT,
    CONTROL_SEXT, /* CONTROL_TRUNC to CONTROL_SEXT have one operand */
    /* CONTROL_UDIV and the operations after it have two operands */
    CONTROL_UDIV,
    CONTROL_SDIV,
    CONTROL_UREM,
    CONTROL_SREM,
    CONTROL_AND,
    CONTROL_OR,
    CONTROL_XOR,
    CONTROL_SHL,
    CONTROL_LSHR,
    CONTROL_ASHR,
    CONTROL_EQ,
    CONTROL_NE,
    CONTROL_UGT,
    CONTROL_UGE,
    CONTROL_ULT,
    CONTROL_ULE,
    CONTROL_SGT,
    CONTROL_SGE,
    CONTROL_SLT,
    CONTROL_SLE,
    CONTROL_ADD,
    CONTROL_MUL,
    CONTROL_UMAX,
    CONTROL_SMAX,
    CONTROL_UMIN,
    CONTROL_SMIN, /* CONTROL_ADD to CONTROL_SMIN have @count operands */
    /* {start,+,step,+,...}: the value in iteration 0, 1, ... of a loop; @count operands */
    CONTROL_RECURRENCE,
    CONTROL_SELECT,     /* three operands: condition, value if true, value if false */
};

struct control_node {
    uint8_t op, width;       /* width in bits, 1 to 64 */
    uint16_t count;          /* number of operands, if variable */
    /* constant, index of the argument or value, or loop of the recurrence */
    uint64_t value;
};

enum control_does {
    /* call of @symbol (CONTROL_NONE: indirect); the operands are its arguments */
    CONTROL_CALL,
    CONTROL_RESULT,          /* defines value @id as the result of the previous call */
    /* access to variable @symbol: CONTROL_STORE stores the operand, CONTROL_LOAD defines value @id
     * as the loaded value */
    CONTROL_STORE, CONTROL_LOAD,
    /* defines value @id as the number in the command-line word of the operand */
    CONTROL_WORD,
    /* phi: defines value @id by the predecessor. The operands are pairs of a constant, the
     * predecessor's block, and a value. */
    CONTROL_PHI,
};

struct control_step {
    uint8_t does, width;
    uint32_t symbol, id;
    /* @first: index of the node of the first operand. @count: number of operands. */
    uint32_t first, count;
};

struct control_block {
    /* Node of the condition, of the switch value, or of the result of the function. CONTROL_NONE:
     * unknown, or there is none. */
    uint32_t on;
    bool returns;
    /* case values of the second and later successors; the first one is the default */
    uint32_t first_case, case_count;
    uint32_t first_step, step_count;
    uint32_t loop;           /* innermost loop; CONTROL_NONE: none */
};

/* An exit of loop @loop from @block. @count: node of the number of complete iterations before the
 * exit */
struct control_exit { uint32_t loop, block, count; };

struct control_loop {
    uint32_t header, parent;   /* header block, and enclosing loop; CONTROL_NONE: none */
    uint32_t first_exit, exit_count;
};

/* Control flow of one function. Block numbers start at 0 in each function. */
struct control {
    /* whether the function has a description; if not, all other members are empty */
    bool described;
    struct control_block *blocks;
    size_t block_count;
    VEC(struct control_node) nodes;
    VEC(struct control_step) steps;
    VEC(uint64_t) cases;
    VEC(struct control_loop) loops;    /* loops, outer ones before their inner ones */
    VEC(struct control_exit) exits;
    uint32_t value_count;
};

struct control_initial { uint32_t symbol; uint64_t value; };

/* Names used in a unit's functions. Those that begin with '@' are local to the unit. */
struct control_symbols {
    VEC(char *) names;
    VEC(bool) escaping;      /* per name: whether its address is stored or passed */
    VEC(struct control_initial) initial;   /* initial values of variables */
};

/* Reads the description @json (may be NULL) of a function of @block_count blocks in a unit with
 * @symbol_count names. Returns false if invalid. The caller always frees @out with control_done. */
bool control_read(json_t *json, size_t block_count, size_t symbol_count, struct control *out);
void control_done(struct control *c);
/* Reads a unit's names from its description. Returns false if invalid. The caller always frees @out
 * with control_symbols_done. */
bool control_symbols_read(json_t *json, struct control_symbols *out);
void control_symbols_done(struct control_symbols *s);

#endif
