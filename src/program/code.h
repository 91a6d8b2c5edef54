/* The machine code of a program with the block that each instruction belongs to, and the parts in
 * which it runs: the paths of loops, and straight code. */
#ifndef PORTOLAN_PROGRAM_CODE_H
#define PORTOLAN_PROGRAM_CODE_H

#include "analysis/kernel.h"
#include "program/call_code.h"
#include "program/runs.h"

struct code_unit {
    const struct kernel *kernel;   /* NULL: the unit has no code */
    uint32_t *block;               /* per instruction: block of the program */
    /* per instruction: the first instruction of its straight-line sequence */
    uint32_t *stretch;
    /* per instruction: the loop that it was moved out of, UINT32_MAX: none */
    uint32_t *left;
    /* per instruction: its innermost loop, UINT32_MAX outside of loops */
    uint32_t *inner;
};

struct program_code {
    const struct program *program; /* held */
    struct code_unit *units;
    bool *has_code;                /* per block of the program: an instruction is its */
    uint32_t *shown;               /* per block of the program: result of program_code_block */
    /* the functions that it calls of those that are known (calls.h) */
    struct call_code *library;
    size_t library_count;
};

/* Assembles the code of all units. NULL with err. Any thread; takes some milliseconds for each
 * unit. */
struct program_code *program_code_new(const struct program *p, struct err *err);
void program_code_free(struct program_code *c);
/* Loop to show for block @block: the index of a loop of its unit's kernel, the innermost one around
 * it; of a block in none, its instructions, which are among the kernel's loops without being one.
 * UINT32_MAX when it has no code. Any thread. */
uint32_t program_code_block(const struct program_code *c, uint32_t block, uint32_t *unit);

/* The code of @name, one of the library's; NULL: it is not known. Any thread. */
const struct call_code *program_code_library(const struct program_code *c, const char *name);
/* Executions of each instruction of @unit at @run, into @out, as many as its kernel has. Any
 * thread. */
void code_executions(const struct program_code *c, uint32_t unit, const struct program_run *run,
                     double *out);

/* Instructions that are executed together. */
struct code_part {
    uint32_t unit;
    uint32_t loop;                 /* index of the kernel's loop; UINT32_MAX: outside of loops */
    /* an innermost loop's path: the next iteration follows at once */
    bool repeats;
    double executions;
    double entries;                /* of a path: how often the loop was entered from outside */
    VEC(uint32_t) insns;           /* of the kernel, in their order */
    VEC(double) times;             /* each of them is executed */
    VEC(uint32_t) blocks;          /* of the program, each once */
};

struct code_parts { VEC(struct code_part) list; };

/* How often @run entered the blocks of function @f that are @inside, of which there is one flag for
 * each of the program's, from the function's others. Blocks without code between them are added. */
double code_entries(const struct program_code *c, const struct program_run *run,
                    const struct program_function *f, bool *inside);
/* Fills u->left; the rest of it stands. */
void code_find_moved(struct code_unit *u);

/* The parts of all units at @run, those that were executed. code_parts_done frees. Any thread. */
void code_parts_find(const struct program_code *c, const struct program_run *run,
                     struct code_parts *out);
void code_parts_done(struct code_parts *parts);

#endif
