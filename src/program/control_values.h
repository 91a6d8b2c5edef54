/* Evaluates the expressions of a function's control flow for one call. */
#ifndef PORTOLAN_PROGRAM_CONTROL_VALUES_H
#define PORTOLAN_PROGRAM_CONTROL_VALUES_H

#include "program/control.h"

/* An integer with the value @bits, which is valid only if @known is true */
struct number { uint64_t bits; bool known; };

static const struct number number_unknown = {0, false};

static inline struct number number_known(uint64_t bits)
{
    return (struct number){bits, true};
}

/* Returns the lowest @width bits of @bits. */
static inline uint64_t number_masked(uint64_t bits, unsigned width)
{
    return width >= 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

struct control_values {
    const struct control *control;
    const struct number *arguments;
    size_t argument_count;
    struct number *values;       /* values that steps defined */
    /* per loop: index of the current iteration; after the loop, of the last iteration */
    struct number *iterations;
};

/* Evaluates the expression at node *@at, and moves *@at past it. Pure. */
struct number control_evaluate(const struct control_values *f, uint32_t *at);

#endif
