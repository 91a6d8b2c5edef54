/* The control flow of a function as LLVM's scalar evolution describes it: trip counts, conditions,
 * arguments and stores as expressions of what they depend on. Read from a unit's description, which
 * compiler/control.cpp writes; nothing in it changes.
 *
 * An expression is text in prefix notation: "add 64 2 c 64 5 a 64 0" is 5 + argument 0, in 64
 * bits. */
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
    /* a number, an argument of the function, a value that a step defines */
    CONTROL_CONSTANT,
    CONTROL_ARGUMENT,
    CONTROL_VALUE,
    CONTROL_TRUNC,
    CONTROL_ZEXT,
    CONTROL_SEXT, /* one operand */
    /* two */
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
    CONTROL_SMIN,       /* count */
    CONTROL_RECURRENCE, /* count: {start,+,step,+,...} in iteration 0, 1, ... of the loop */
    CONTROL_SELECT,     /* a condition, and the operand for it and against it */
};

struct control_node {
    uint8_t op, width;       /* bits, 1 to 64 */
    uint16_t count;          /* of operands, if the operation does not imply it */
    /* constant, number of the argument or of the value, loop of the recurrence */
    uint64_t value;
};

enum control_does {
    CONTROL_CALL,            /* @symbol, CONTROL_NONE: through a pointer; operands: its arguments */
    CONTROL_RESULT,          /* value @id is the result of the previous call */
    /* into or from variable @symbol; of a store the operand, of a load value @id */
    CONTROL_STORE, CONTROL_LOAD,
    /* value @id is the number in the word of the command line that the operand points to */
    CONTROL_WORD,
    /* value @id by the block that led here: each operand follows a constant, that block */
    CONTROL_PHI,
};

struct control_step {
    uint8_t does, width;
    uint32_t symbol, id;
    uint32_t first, count;   /* node of the first operand, operands */
};

struct control_block {
    /* node: condition, value of a switch, result of the function; CONTROL_NONE: not known, or
     * nothing */
    uint32_t on;
    bool returns;
    /* of a switch: they lead to the ways from the second on; the first is for all others */
    uint32_t first_case, case_count;
    uint32_t first_step, step_count;
    uint32_t loop;           /* innermost; CONTROL_NONE: none */
};

/* the loop is left there after node @count of its iterations were completed */
struct control_exit { uint32_t loop, block, count; };

struct control_loop {
    uint32_t header, parent;   /* block; loop around it, CONTROL_NONE: none */
    uint32_t first_exit, exit_count;
};

/* Blocks are numbered within the function. */
struct control {
    bool described;          /* false: nothing is known of it */
    struct control_block *blocks;
    size_t block_count;
    VEC(struct control_node) nodes;
    VEC(struct control_step) steps;
    VEC(uint64_t) cases;
    VEC(struct control_loop) loops;    /* outer ones before inner ones */
    VEC(struct control_exit) exits;
    uint32_t value_count;
};

struct control_initial { uint32_t symbol; uint64_t value; };

/* Names that a unit's functions mention; of those that begin with '@' each unit has its own. */
struct control_symbols {
    VEC(char *) names;
    VEC(bool) escaping;      /* per name: something may refer to it by its address */
    VEC(struct control_initial) initial;   /* initial values of variables */
};

/* Reads the description @json, which may be NULL, of a function of @block_count blocks in a unit
 * with @symbol_count names. False: it is broken; control_done frees in either case. Any thread. */
bool control_read(json_t *json, size_t block_count, size_t symbol_count, struct control *out);
void control_done(struct control *c);
/* Reads a unit's names from its description. False: it is broken; control_symbols_done frees in
 * either case. Any thread. */
bool control_symbols_read(json_t *json, struct control_symbols *out);
void control_symbols_done(struct control_symbols *s);

#endif
