/* The paper's pipelines (PPT-AMMP): a block's instructions with their dependences, its graphlet,
 * run once through pipes of given latency and throughput, in order of dependence, each in the first
 * free pipe. Runs of a block do not overlap; the steady model has that. */
#ifndef PORTOLAN_PROGRAM_GRAPHLET_H
#define PORTOLAN_PROGRAM_GRAPHLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Classes of instructions, as descriptions of programs name them. */
enum op_class {
    OP_IADD, OP_IMUL, OP_IDIV, OP_LOGIC, OP_FADD, OP_FMUL, OP_FDIV, OP_LOAD, OP_STORE, OP_CONVERT,
    OP_BRANCH, OP_CALL, OP_CLASSES
};

#define GRAPHLET_READS 3   /* dependences kept of an instruction; of more, the latest */

struct graphlet_op {
    uint8_t class;         /* enum op_class */
    uint8_t read_count;
    uint32_t reads[GRAPHLET_READS];   /* earlier places in the graphlet */
};

struct pipe_kind {
    unsigned count;        /* pipes of this kind, at least 1 */
    double latency;        /* cycles from start to result */
    double interval;       /* cycles until the same pipe takes the next: 1 / throughput */
};

#define GRAPHLET_PIPES_MOST 64   /* pipes of one kind */

/* Cycles from the first start to the last result of one run; @busy (OP_CLASSES entries, may be
 * NULL) gets the busy cycles of each kind's pipes. Every class has its own kind. Any thread. */
double graphlet_cycles(const struct graphlet_op *ops, size_t count,
                       const struct pipe_kind kinds[OP_CLASSES], double *busy);
/* "fadd"; the class of that name, false when there is none. */
const char *op_class_name(enum op_class class);
bool op_class_find(const char *name, size_t length, enum op_class *out);

#endif
