/* Machine code of a program with the block of each instruction, and the parts of the code: paths of
 * loops, and straight-line code */
#ifndef PORTOLAN_PROGRAM_CODE_H
#define PORTOLAN_PROGRAM_CODE_H

#include "analysis/kernel.h"
#include "program/call_code.h"
#include "program/runs.h"

struct code_unit {
    const struct kernel *kernel;   /* code; NULL: none */
    uint32_t *block;               /* per instruction: index of its block in the program */
    /* per instruction: index of the first instruction of its straight-line sequence */
    uint32_t *stretch;
    /* per instruction: index of the loop from which the compiler moved it; UINT32_MAX: none */
    uint32_t *left;
    /* per instruction: index of its innermost loop; UINT32_MAX: none */
    uint32_t *inner;
};

struct program_code {
    const struct program *program; /* program, to which the code owns a reference */
    struct code_unit *units;
    bool *has_code;                /* per block of the program: whether it has instructions */
    uint32_t *shown;               /* per block of the program: result of program_code_block */
    /* known code of library functions (calls.h) that the program calls */
    struct call_code *library;
    size_t library_count;
};

/* Assembles the code of all units. Returns NULL with err on failure. Any thread. Runs the assembler
 * once per unit. */
struct program_code *program_code_new(const struct program *p, struct err *err);
void program_code_free(struct program_code *c);
/* Returns the index of the loop that represents @block among the loops of *@unit: its innermost
 * loop, or if the block is in no loop, its own entry. Returns UINT32_MAX if the block has no
 * code. */
uint32_t program_code_block(const struct program_code *c, uint32_t block, uint32_t *unit);

/* Returns the code of library function @name; NULL: unknown. */
const struct call_code *program_code_library(const struct program_code *c, const char *name);
/* Sets out[i] to the number of executions of instruction i of @unit at @run. */
void code_executions(const struct program_code *c, uint32_t unit, const struct program_run *run,
                     double *out);

/* Instructions of a unit with about the same number of executions */
struct code_part {
    uint32_t unit;
    uint32_t loop;                 /* index among the kernel's loops; UINT32_MAX: none */
    /* whether the part is the path of an innermost loop, so that its iterations directly follow
     * each other */
    bool repeats;
    double executions;
    double entries;                /* path: number of entries into the loop */
    VEC(uint32_t) insns;           /* indices in the kernel, ascending */
    VEC(double) times;             /* number of executions of each instruction */
    VEC(uint32_t) blocks;          /* blocks of the program, without duplicates */
};

struct code_parts { VEC(struct code_part) list; };

/* Returns the number of times that execution at @run enters the blocks @inside of function @f from
 * the function's other blocks. @inside has a flag per block of the program. Also sets the flags of
 * blocks without code between the flagged blocks. */
double code_entries(const struct program_code *c, const struct program_run *run,
                    const struct program_function *f, bool *inside);
/* Finds the instructions that the compiler moved out of loops, and sets u->left. Sets no other
 * member. */
void code_find_moved(struct code_unit *u);

/* Finds the executed parts of all units at @run. code_parts_done frees @out. */
void code_parts_find(const struct program_code *c, const struct program_run *run,
                     struct code_parts *out);
void code_parts_done(struct code_parts *parts);

#endif
