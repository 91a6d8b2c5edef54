/* Quantities as formulas of a program's inputs: sums of coefficients times products of powers, of
 * whole quotients (N - c) / V and of whether a remainder is left, as vector loops have, and of
 * whether an input reaches a threshold, of logarithms and roots; or an expression of the inputs
 * with an offset and a factor; or a network. Plain data; any thread. */
#ifndef PORTOLAN_PROGRAM_FORMULA_H
#define PORTOLAN_PROGRAM_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct nalu;

#define INPUTS_MAX 12
#define FORMULA_TERMS 16
/* terms of an inexact one: more would fit noise */
#define FORMULA_NEAR 8
#define FORMULA_CODE 32

enum term_kind {
    TERM_PRODUCT, TERM_QUOTIENT, TERM_REST, TERM_REMAINS, TERM_REACHED, TERM_LOG, TERM_ROOT
};

struct formula_term {
    int8_t power[INPUTS_MAX];      /* below 0: divided by it */
    uint8_t kind;                  /* enum term_kind: its other factor */
    /* of the quotient floor((N - offset) / width), of its remainder, of 1 if there is one, or if N
     * reaches offset; of log2(N), or the square root */
    uint8_t input;
    int16_t offset;
    uint16_t width;
};

/* Tokens of an expression in postfix order: below INPUTS_MAX inputs, then operators, then the
 * constants 1, 2, ... */
enum formula_token {
    FORMULA_PLUS = INPUTS_MAX, FORMULA_MINUS, FORMULA_TIMES, FORMULA_OVER, FORMULA_LEAST,
    FORMULA_MOST, FORMULA_CONSTANT
};
#define FORMULA_CONSTANTS 16

struct formula {
    struct formula_term terms[FORMULA_TERMS];
    double coefficients[FORMULA_TERMS];
    size_t count;                  /* of coefficients, each of a term; 0: the formula is 0 */
    /* of an expression: the formula is coefficients[0] + coefficients[1] times it, without terms */
    uint8_t code[FORMULA_CODE];
    size_t code_length;            /* 0: terms */
    /* other kind of formula, borrowed from its model; NULL: none */
    const struct nalu *network;
    /* it gives every value it was fitted to, to the last digit, with at least one to spare */
    bool exact;
    /* inputs, a bit each, whose run values do not determine the count beyond them: exact at these
     * values only */
    uint16_t within;
    /* mean relative error when each run in turn is left out; NaN: too few runs */
    double error;
};

/* Whether @token takes the two values before it. */
bool formula_is_operator(uint8_t token);
/* Of an expression; division by 0 is 0. */
double formula_code_value(const uint8_t *code, size_t length, const double *inputs);
/* Of one term, without its coefficient. */
double formula_term_value(const struct formula_term *term, const double *inputs, size_t count);
/* Of the formula at @inputs, never below 0. */
double formula_value(const struct formula *f, const double *inputs, size_t count);
/* Appends "2*N^2 - 4*N + 2", "floor((N-1)/4)*M", "(N%4)", "[N%4>0]", "0.5*N*N/max(M, K)",
 * "network(N, M)" with the inputs' @names. */
void formula_print(const struct formula *f, const char *const *names, size_t count,
                   struct str *out);
/* Degree in all inputs of the highest term, divisors, quotients, remainders, roots and thresholds
 * counted as factors, logarithms not; of an expression products add up, quotients take away; of a
 * network 1. */
unsigned formula_degree(const struct formula *f, size_t count);

#endif
