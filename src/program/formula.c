/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/formula.h"

#include <math.h>

static double whole_power(double base, unsigned power)
{
    double product = 1;
    for (; power; power--)
        product *= base;
    return product;
}

double formula_term_value(const struct formula_term *term, const double *inputs, size_t count)
{
    double value = 1;

    for (size_t i = 0; i < count; i++)
        value *= whole_power(inputs[i], term->power[i]);
    if (term->kind == TERM_PRODUCT)
        return value;
    double shifted = inputs[term->input] - term->offset, quotient = floor(shifted / term->width);
    if (term->kind == TERM_QUOTIENT)
        return value * (quotient > 0 ? quotient : 0);
    double rest = shifted - quotient * term->width;
    return value * (term->kind == TERM_REST ? rest : rest > 0);
}

double formula_value(const struct formula *f, const double *inputs, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++)
        sum += f->coefficients[i] * formula_term_value(&f->terms[i], inputs, count);
    return sum > 0 ? sum : 0;
}

unsigned formula_degree(const struct formula *f, size_t count)
{
    unsigned most = 0;
    for (size_t i = 0; i < f->count; i++) {
        unsigned degree = f->terms[i].kind == TERM_QUOTIENT;
        for (size_t k = 0; k < count; k++)
            degree += f->terms[i].power[k];
        most = degree > most ? degree : most;
    }
    return most;
}

static void print_term(const struct formula_term *t, const char *const *names, size_t count, bool factor, struct str *out)
{
    for (size_t i = 0; i < count; i++)
        if (t->power[i]) {
            str_addf(out, "%s%s", factor ? "*" : "", names[i]);
            if (t->power[i] > 1)
                str_addf(out, "^%u", t->power[i]);
            factor = true;
        }
    if (t->kind == TERM_PRODUCT)
        return;
    if (factor)
        str_add_char(out, '*');
    static const char *const before[] = {[TERM_QUOTIENT] = "floor(", [TERM_REST] = "(", [TERM_REMAINS] = "["};
    struct str shifted = {0};
    if (t->offset)
        str_addf(&shifted, "(%s%+d)", names[t->input], -t->offset);
    else
        str_add(&shifted, names[t->input]);
    str_add(out, before[t->kind]);
    str_add(out, str_text(&shifted));
    str_addf(out, t->kind == TERM_QUOTIENT ? "/%u)" : t->kind == TERM_REST ? "%%%u)" : "%%%u>0]", t->width);
    str_done(&shifted);
}

static bool is_constant(const struct formula_term *t, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (t->power[i])
            return false;
    return t->kind == TERM_PRODUCT;
}

void formula_print(const struct formula *f, const char *const *names, size_t count, struct str *out)
{
    if (!f->count)
        str_add_char(out, '0');
    for (size_t i = 0; i < f->count; i++) {
        double c = f->coefficients[i], size = fabs(c);
        bool constant = is_constant(&f->terms[i], count), one = size == 1 && !constant;
        str_add(out, i ? (c < 0 ? " - " : " + ") : c < 0 ? "-" : "");
        if (!one)
            str_addf(out, size == floor(size) && size < 1e15 ? "%.0f" : "%.6g", size);
        if (!constant)
            print_term(&f->terms[i], names, count, !one, out);
    }
}
