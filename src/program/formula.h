/* Formulas of a program's inputs. A sum of coefficients times products of powers, integer quotients
 * (N - c) / V, presence of a remainder (vector loops), thresholds, logarithms and roots. Or an
 * expression of the inputs with offset and factor, or a network. Plain data; any thread. */
#ifndef PORTOLAN_PROGRAM_FORMULA_H
#define PORTOLAN_PROGRAM_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "program/fit_data.h"

struct nalu;

#define FORMULA_TERMS 16
/* terms of an inexact formula: more would fit noise */
#define FORMULA_NEAR 8
#define FORMULA_CODE 32

enum term_kind {
    TERM_PRODUCT, TERM_QUOTIENT, TERM_REST, TERM_REMAINS, TERM_REACHED, TERM_LOG, TERM_ROOT
};

struct formula_term {
    int8_t power[INPUTS_MAX];      /* negative: division */
    uint8_t kind;                  /* enum term_kind: additional factor */
    /* for the quotient floor((N - offset) / width), its remainder, 1 if there is one, or if N
     * reaches offset; for log2(N) or the square root */
    uint8_t input;
    int16_t offset;
    uint16_t width;
};

/* Tokens of an expression in postfix order: inputs (below INPUTS_MAX), operators, constants 1, 2,
 * ... */
enum formula_token {
    FORMULA_PLUS = INPUTS_MAX, FORMULA_MINUS, FORMULA_TIMES, FORMULA_OVER, FORMULA_LEAST,
    FORMULA_MOST, FORMULA_CONSTANT
};
#define FORMULA_CONSTANTS 16

struct formula {
    struct formula_term terms[FORMULA_TERMS];
    double coefficients[FORMULA_TERMS];
    size_t count;                  /* number of coefficients, one per term; 0: the formula is 0 */
    /* expression: the formula is coefficients[0] + coefficients[1] * expression, without terms */
    uint8_t code[FORMULA_CODE];
    size_t code_length;            /* 0: terms */
    /* network, borrowed from its model; NULL: none */
    const struct nalu *network;
    /* it gives every fitted value exactly, with at least one spare run */
    bool exact;
    /* bit set of inputs whose run values do not determine the count beyond them: exact at these
     * values only */
    uint16_t within;
    /* mean relative error with each run left out in turn; NaN: too few runs */
    double error;
};

#define FIT_NEAR 24

/* Formulas that explain the runs about as well as the chosen one, with their criteria: the lower
 * the better. */
struct fit_near {
    struct formula formulas[FIT_NEAR];
    double criteria[FIT_NEAR];
    size_t count;
};

/* Returns whether @token is a binary operator. */
bool formula_is_operator(uint8_t token);
/* Value of an expression; division by 0 gives 0. */
double formula_code_value(const uint8_t *code, size_t length, const double *inputs);
/* Value of one term without its coefficient. */
double formula_term_value(const struct formula_term *term, const double *inputs, size_t count);
/* Value of the formula at @inputs, never negative. */
double formula_value(const struct formula *f, const double *inputs, size_t count);
/* Appends "2*N^2 - 4*N + 2", "floor((N-1)/4)*M", "(N%4)", "[N%4>0]", "0.5*N*N/max(M, K)",
 * "network(N, M)" with the inputs' @names. */
void formula_print(const struct formula *f, const char *const *names, size_t count,
                   struct str *out);
/* Total degree of the highest term. Divisors, quotients, remainders, roots and thresholds count as
 * factors, logarithms do not. In expressions products add and quotients subtract degrees; a network
 * has degree 1. */
unsigned formula_degree(const struct formula *f, size_t count);

#endif
