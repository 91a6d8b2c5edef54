/* The pipeline model of the PPT-AMMP paper. A block's dependence graph (graphlet) passes once
 * through pipes of given latency and throughput. Instructions start in dependence order, each in
 * the first free pipe. Unlike in the steady model, executions do not overlap. */
#ifndef PORTOLAN_PROGRAM_GRAPHLET_H
#define PORTOLAN_PROGRAM_GRAPHLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Classes of instructions, with their names in program descriptions */
enum op_class {
    OP_IADD, OP_IMUL, OP_IDIV, OP_LOGIC, OP_FADD, OP_FMUL, OP_FDIV, OP_LOAD, OP_STORE, OP_CONVERT,
    OP_BRANCH, OP_CALL, OP_CLASSES
};

/* maximum number of dependences per instruction; if an instruction has more, the latest ones are
 * stored */
#define GRAPHLET_READS 3

struct graphlet_op {
    uint8_t class;         /* class (enum op_class) */
    uint8_t read_count;
    /* indices of the earlier instructions whose results the instruction reads */
    uint32_t reads[GRAPHLET_READS];
};

struct pipe_kind {
    unsigned count;        /* number of pipes of this kind, at least 1 */
    double latency;        /* cycles from start to result */
    double interval;       /* cycles until the pipe can start another instruction: 1 / throughput */
};

#define GRAPHLET_PIPES_MOST 64   /* maximum number of pipes of one kind */

/* Returns the cycles from the first start to the last result of one execution. There is one kind of
 * pipe per class of instructions. Sets @busy (OP_CLASSES entries, or NULL) to the cycles in which
 * each kind is busy. */
double graphlet_cycles(const struct graphlet_op *ops, size_t count,
                       const struct pipe_kind kinds[OP_CLASSES], double *busy);
/* op_class_name returns the name of a class, such as "fadd". op_class_find finds a class by its
 * name. It returns false for an unknown name. */
const char *op_class_name(enum op_class class);
bool op_class_find(const char *name, size_t length, enum op_class *out);

#endif
