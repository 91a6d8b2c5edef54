/* What limits a loop, in the field's terms: the kind of the largest bound and the facts that its sentence needs. advice.h renders it. */
#ifndef PORTOLAN_ANALYSIS_LIMIT_H
#define PORTOLAN_ANALYSIS_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analysis;
struct block_work;

/* Kinds with their names in the results. Those up to SERIAL are kinds of dependence chains. */
#define LIMITS(X) \
    X(INDUCTION, "induction variable")     /* a counter or pointer that a constant steps */ \
    X(REDUCTION, "reduction")              /* an accumulator of one associative operation */ \
    X(RECURRENCE, "recurrence")            /* any other chain of operations */ \
    X(POINTER_CHASE, "pointer chase")      /* the address of a load comes from the load before */ \
    X(SELECT, "select chain")              /* a conditional move or blend waits for the one before */ \
    X(MEMORY, "through memory")            /* a store is read by a load of a later iteration */ \
    X(FALSE, "false dependency")           /* an instruction waits for an old value that it does not need */ \
    X(SERIAL, "serialisation")             /* locked, fencing or blocked accesses */ \
    X(PORTS, "ports") \
    X(DIVIDER, "divider") \
    X(ACCESSES, "loads and stores")        /* what the first-level cache serves in a cycle */ \
    X(FRONTEND, "front end") \
    X(BRANCH, "taken branch") \
    X(ISSUE, "issue width") \
    X(RETIRE, "retirement") \
    X(MICROCODE, "microcode")              /* the least that instructions measured alone take */ \
    X(NONE, "none")                        /* no instruction uses a port */

#define LIMIT_KIND(kind, name) LIMIT_##kind,
enum limit_kind { LIMITS(LIMIT_KIND) LIMIT_COUNT };

/* An instruction of the chain: cycles from the value before it to its own. */
struct limit_link {
    uint32_t row;            /* of the analysis */
    double cycles;
    double forwarded;        /* of them, from the store to the load; 0 where it reads no store */
    bool address;            /* the value before it is part of its address */
    bool memory;             /* it reads the value from a store */
    bool moves;              /* it hands the value on unchanged */
};

struct limit_chain {
    enum limit_kind kind;        /* INDUCTION to SERIAL; NONE: no chain */
    struct limit_link *links;    /* in order, one iteration or @distance of them */
    size_t count;
    unsigned distance;           /* iterations that the chain spans */
    unsigned alike;              /* chains of as many cycles that share no instruction with it, itself among them */
    double cycles;               /* per iteration */
    bool floating;               /* REDUCTION: another order rounds differently */
    bool affine;                 /* RECURRENCE: x * a + b with a constant a */
    bool carry;                  /* RECURRENCE: through the carry flag */
    bool compared;               /* SELECT: the comparison is part of the chain */
};

struct limit {
    enum limit_kind kind;                  /* the first of kinds */
    enum limit_kind kinds[LIMIT_COUNT];    /* all within LIMIT_TIE of the largest */
    unsigned count;
    enum limit_kind next;                  /* the largest limit below these; NONE: none is known */
    double next_cycles;                    /* its cycles per iteration; 0 */
    struct limit_chain chain;              /* the longest, also where something else limits */
    char *split;                           /* REDUCTION: code with the accumulator split, lines of assembly; NULL: none */
};

#define LIMIT_TIE 0.01   /* relative */

/* Fills @out for @a, which is filled except for limit and sentence; @work: of the same block (bounds_of). limit_done frees it. Any thread. */
void limit_find(const struct analysis *a, struct block_work *work, struct limit *out);
void limit_done(struct limit *l);
const char *limit_name(enum limit_kind kind);

#endif
