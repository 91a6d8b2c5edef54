/* Formulas of a program's inputs. Most are sums of coefficients times products. The factors are
 * powers, integer quotients (N - c) / V, presence of a remainder (vector loops), thresholds,
 * logarithms, roots and powers of two. Others are an expression of the inputs with offset and factor, or a
 * network. A formula has no pointers. Any thread. */
#ifndef PORTOLAN_PROGRAM_FORMULA_H
#define PORTOLAN_PROGRAM_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "program/fit_data.h"

struct nalu;

#define FORMULA_TERMS 16
/* maximum number of terms of an inexact formula, to avoid fitting noise */
#define FORMULA_NEAR 8
#define FORMULA_CODE 32

enum term_kind {
    TERM_PRODUCT, TERM_QUOTIENT, TERM_REST, TERM_REMAINS, TERM_REACHED, TERM_LOG, TERM_ROOT,
    TERM_EXPONENTIAL
};

struct formula_term {
    int8_t power[INPUTS_MAX];      /* power of each input; a negative power divides by the input */
    uint8_t kind;                  /* kind of the additional factor (enum term_kind) */
    /* Index of the input N of the additional factor. The factor is floor((N - offset) / width), its
     * remainder, 1 if there is a remainder, 1 if N reaches offset, log2(N), sqrt(N), or 2^N. */
    uint8_t input;
    int16_t offset;
    uint16_t width;
};

/* Tokens of an expression in postfix order: inputs (below INPUTS_MAX), operators, and the constants
 * 1, 2, ... */
enum formula_token {
    FORMULA_PLUS = INPUTS_MAX, FORMULA_MINUS, FORMULA_TIMES, FORMULA_OVER, FORMULA_LEAST,
    FORMULA_MOST, FORMULA_CONSTANT
};
#define FORMULA_CONSTANTS 16

struct formula {
    struct formula_term terms[FORMULA_TERMS];
    double coefficients[FORMULA_TERMS];
    size_t count;                  /* number of terms and coefficients; 0: the formula is 0 */
    /* tokens of an expression; the formula is then coefficients[0] + coefficients[1] * expression,
     * without terms */
    uint8_t code[FORMULA_CODE];
    size_t code_length;            /* number of tokens of the expression; 0: the formula consists of
                                    * terms */
    /* network, borrowed from the model; NULL: none */
    const struct nalu *network;
    /* whether the formula equals every fitted value, with more runs than terms */
    bool exact;
    /* set of the inputs for which the formula is certain only at the values of runs */
    uint16_t within;
    /* mean relative error at left-out runs; NaN: too few runs */
    double error;
};

#define FIT_NEAR 24

/* Formulas that explain the runs about as well as the chosen one, with their criteria (lower is
 * better) */
struct fit_near {
    struct formula formulas[FIT_NEAR];
    double criteria[FIT_NEAR];
    size_t count;
};

/* Returns whether @token is an operator with two operands. */
bool formula_is_operator(uint8_t token);
/* Returns the value of an expression in postfix order. Division by 0 yields 0. */
double formula_code_value(const uint8_t *code, size_t length, const double *inputs);
/* Returns the value of one term without its coefficient. */
double formula_term_value(const struct formula_term *term, const double *inputs, size_t count);
/* Returns the value of the formula at @inputs. Negative values become 0. */
double formula_value(const struct formula *f, const double *inputs, size_t count);
/* Appends the formula with the inputs' @names: "2*N^2 - 4*N + 2", "floor((N-1)/4)*M", "(N%4)",
 * "[N%4>0]", "0.5*N*N/max(M, K)", "network(N, M)". */
void formula_print(const struct formula *f, const char *const *names, size_t count,
                   struct str *out);
/* Returns the total degree of the highest term. Divisors, quotients, remainders, roots and
 * thresholds each add a factor; logarithms add none. In an expression, a product adds the degrees
 * of its operands, and a quotient subtracts them. A network has degree 1. */
unsigned formula_degree(const struct formula *f, size_t count);

#endif
