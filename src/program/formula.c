/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/formula.h"

#include <math.h>
#include <stdlib.h>

#include "program/paper/nalu.h"

#define EXPONENT_MOST 900   /* largest exponent of a power of two; counts remain finite */

static double whole_power(double base, int power)
{
    double product = 1;
    for (int k = 0; k < abs(power); k++)
        product *= base;
    return power >= 0 ? product : product != 0 ? 1 / product : 0;
}

double formula_term_value(const struct formula_term *term, const double *inputs, size_t count)
{
    double value = 1;

    for (size_t i = 0; i < count; i++)
        value *= whole_power(inputs[i], term->power[i]);
    if (term->kind == TERM_PRODUCT)
        return value;
    if (term->kind == TERM_LOG)
        return value * (inputs[term->input] > 1 ? log2(inputs[term->input]) : 0);
    if (term->kind == TERM_ROOT)
        return value * (inputs[term->input] > 0 ? sqrt(inputs[term->input]) : 0);
    if (term->kind == TERM_EXPONENTIAL)
        return value * exp2(fmin(inputs[term->input], EXPONENT_MOST));
    double shifted = inputs[term->input] - term->offset, quotient = floor(shifted / term->width);
    if (term->kind == TERM_REACHED)
        return value * (shifted >= 0);
    if (term->kind == TERM_QUOTIENT)
        return value * (quotient > 0 ? quotient : 0);
    double rest = shifted - quotient * term->width;
    return value * (term->kind == TERM_REST ? rest : rest > 0);
}

bool formula_is_operator(uint8_t token)
{
    return token >= FORMULA_PLUS && token < FORMULA_CONSTANT;
}

static double apply(uint8_t token, double a, double b)
{
    switch (token) {
    case FORMULA_PLUS: return a + b;
    case FORMULA_MINUS: return a - b;
    case FORMULA_TIMES: return a * b;
    case FORMULA_OVER: return b != 0 ? a / b : 0;
    case FORMULA_LEAST: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

double formula_code_value(const uint8_t *code, size_t length, const double *inputs)
{
    double stack[FORMULA_CODE];
    size_t top = 0;

    for (size_t i = 0; i < length; i++)
        if (formula_is_operator(code[i])) {
            top--;
            stack[top - 1] = apply(code[i], stack[top - 1], stack[top]);
        } else {
            stack[top++] = code[i] < INPUTS_MAX ? inputs[code[i]] : code[i] - FORMULA_CONSTANT + 1;
        }
    return stack[0];
}

double formula_value(const struct formula *f, const double *inputs, size_t count)
{
    double sum = 0;

    if (f->network) {
        sum = nalu_value(f->network, inputs);
        return sum > 0 ? sum : 0;
    }
    if (f->code_length) {
        sum = f->coefficients[0] +
              f->coefficients[1] * formula_code_value(f->code, f->code_length, inputs);
        /* Rounds the sum of an exact formula, because its quotients may have been rounded. */
        sum = f->exact ? rint(sum) : sum;
        return sum > 0 ? sum : 0;
    }
    for (size_t i = 0; i < f->count; i++)
        sum += f->coefficients[i] * formula_term_value(&f->terms[i], inputs, count);
    return sum > 0 ? sum : 0;
}

static unsigned code_degree(const struct formula *f)
{
    int stack[FORMULA_CODE];
    size_t top = 0;

    for (size_t i = 0; i < f->code_length; i++) {
        uint8_t token = f->code[i];
        if (!formula_is_operator(token)) {
            stack[top++] = token < INPUTS_MAX;
            continue;
        }
        top--;
        int a = stack[top - 1], b = stack[top];
        stack[top - 1] = token == FORMULA_TIMES  ? a + b
                         : token == FORMULA_OVER ? a - b
                         : a > b                 ? a
                                                 : b;
    }
    return stack[0] > 0 ? (unsigned)stack[0] : 0;
}

unsigned formula_degree(const struct formula *f, size_t count)
{
    unsigned most = 0;

    if (f->network)
        return 1;
    if (f->code_length)
        return code_degree(f);
    for (size_t i = 0; i < f->count; i++) {
        unsigned degree = f->terms[i].kind != TERM_PRODUCT && f->terms[i].kind != TERM_LOG;
        for (size_t k = 0; k < count; k++)
            degree += (unsigned)abs(f->terms[i].power[k]);
        most = degree > most ? degree : most;
    }
    return most;
}

/* Prints the additional factor of a term: logarithm, root, power of two, quotient, remainder,
 * presence of a remainder, excess over an offset, or threshold. */
static void print_kind(const struct formula_term *t, const char *const *names, bool factor,
                       struct str *out)
{
    static const char *const before[] = {
        [TERM_QUOTIENT] = "floor(", [TERM_REST] = "(", [TERM_REMAINS] = "["};
    struct str shifted = {0};

    if (factor)
        str_add_char(out, '*');
    if (t->kind == TERM_LOG || t->kind == TERM_ROOT) {
        str_addf(out, "%s(%s)", t->kind == TERM_LOG ? "log2" : "sqrt", names[t->input]);
        return;
    }
    if (t->kind == TERM_EXPONENTIAL) {
        str_addf(out, "2^%s", names[t->input]);
        return;
    }
    if (t->kind == TERM_REACHED || (t->kind == TERM_QUOTIENT && t->width == 1)) {
        str_addf(out, t->kind == TERM_REACHED ? "[%s>=%d]" : "max(0, %s%+d)", names[t->input],
                 t->kind == TERM_REACHED ? t->offset : -t->offset);
        return;
    }
    if (t->offset)
        str_addf(&shifted, "(%s%+d)", names[t->input], -t->offset);
    else
        str_add(&shifted, names[t->input]);
    str_add(out, before[t->kind]);
    str_add(out, str_text(&shifted));
    str_addf(out,
             t->kind == TERM_QUOTIENT ? "/%u)"
             : t->kind == TERM_REST   ? "%%%u)"
                                      : "%%%u>0]",
             t->width);
    str_done(&shifted);
}

static void print_term(const struct formula_term *t, const char *const *names, size_t count,
                       bool factor, struct str *out)
{
    for (size_t i = 0; i < count; i++)
        if (t->power[i] > 0) {
            str_addf(out, "%s%s", factor ? "*" : "", names[i]);
            if (t->power[i] > 1)
                str_addf(out, "^%d", t->power[i]);
            factor = true;
        }
    if (t->kind != TERM_PRODUCT)
        print_kind(t, names, factor, out);
    else if (!factor)
        str_add_char(out, '1');
    for (size_t i = 0; i < count; i++)
        if (t->power[i] < 0) {
            str_addf(out, "/%s", names[i]);
            if (t->power[i] < -1)
                str_addf(out, "^%d", -t->power[i]);
        }
}

/* Prints the postfix expression that ends at *@at. Moves *@at to the token before the
 * expression. */
static void print_code(const struct formula *f, size_t *at, const char *const *names,
                       struct str *out)
{
    static const char *const between[] = {" + ", " - ", "*", "/", ", ", ", "};
    static const char *const before[] = {"(", "(", "", "", "min(", "max("}, *const after[] = {
                                                                                ")", ")", "",
                                                                                "",  ")", ")"};
    uint8_t token = f->code[--*at];

    if (!formula_is_operator(token)) {
        if (token < INPUTS_MAX)
            str_add(out, names[token]);
        else
            str_addf(out, "%d", token - FORMULA_CONSTANT + 1);
        return;
    }
    struct str left = {0}, right = {0};
    int kind = token - FORMULA_PLUS;
    bool group = token == FORMULA_OVER &&
                 (f->code[*at - 1] == FORMULA_TIMES || f->code[*at - 1] == FORMULA_OVER);
    print_code(f, at, names, &right);
    print_code(f, at, names, &left);
    str_addf(out, group ? "%s%s%s(%s)%s" : "%s%s%s%s%s", before[kind], str_text(&left),
             between[kind], str_text(&right), after[kind]);
    str_done(&left);
    str_done(&right);
}

static bool is_constant(const struct formula_term *t, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (t->power[i])
            return false;
    return t->kind == TERM_PRODUCT;
}

static void print_size(double size, struct str *out)
{
    str_addf(out, size == floor(size) && size < 1e15 ? "%.0f" : "%.6g", size);
}

void formula_print(const struct formula *f, const char *const *names, size_t count, struct str *out)
{
    if (f->network) {
        for (size_t i = 0; i < count; i++)
            str_addf(out, "%s%s", i ? ", " : "network(", names[i]);
        str_add_char(out, ')');
        return;
    }
    if (f->code_length) {
        double offset = f->coefficients[0], factor = f->coefficients[1];
        size_t at = f->code_length;
        if (offset != 0) {
            str_add(out, offset < 0 ? "-" : "");
            print_size(fabs(offset), out);
        }
        str_add(out, offset != 0 ? (factor < 0 ? " - " : " + ") : factor < 0 ? "-" : "");
        if (fabs(factor) != 1) {
            print_size(fabs(factor), out);
            str_add_char(out, '*');
        }
        print_code(f, &at, names, out);
        return;
    }
    if (!f->count)
        str_add_char(out, '0');
    for (size_t i = 0; i < f->count; i++) {
        double c = f->coefficients[i], size = fabs(c);
        bool constant = is_constant(&f->terms[i], count), one = size == 1 && !constant;
        str_add(out, i ? (c < 0 ? " - " : " + ") : c < 0 ? "-" : "");
        if (!one)
            print_size(size, out);
        if (!constant)
            print_term(&f->terms[i], names, count, !one, out);
    }
}
