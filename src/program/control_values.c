/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/control_values.h"

static int64_t signed_of(uint64_t bits, unsigned width)
{
    const unsigned up = 64 - width;
    return (int64_t)(bits << up) >> up;
}

/* Evaluates {a,+,b,+,c}: a + b * i + c * i (i - 1) / 2, modulo 2^width. */
static struct number recurrence(const struct control_values *f, const struct control_node *node,
                                uint32_t *at)
{
    const struct number i = f->iterations[node->value];
    unsigned __int128 binomial = 1;
    uint64_t sum = 0;
    bool ok = i.known && node->count <= 3;

    for (unsigned k = 0; k < node->count; k++) {
        const struct number one = control_evaluate(f, at);
        ok = ok && one.known;
        sum += one.bits * (uint64_t)binomial;
        binomial = ok && k + 1 < node->count && i.bits >= k ? binomial * (i.bits - k) / (k + 1) : 0;
    }
    return ok ? number_known(number_masked(sum, node->width)) : number_unknown;
}

static struct number of_several(const struct control_values *f, const struct control_node *node,
                                uint32_t *at)
{
    struct number sum = control_evaluate(f, at);
    const unsigned width = node->width;

    for (unsigned k = 1; k < node->count; k++) {
        const struct number one = control_evaluate(f, at);
        const int64_t a = signed_of(sum.bits, width), b = signed_of(one.bits, width);
        sum.known &= one.known;
        switch (node->op) {
        case CONTROL_ADD:
            sum.bits += one.bits;
            break;
        case CONTROL_MUL:
            sum.bits *= one.bits;
            break;
        case CONTROL_UMAX:
            sum.bits = sum.bits > one.bits ? sum.bits : one.bits;
            break;
        case CONTROL_UMIN:
            sum.bits = sum.bits < one.bits ? sum.bits : one.bits;
            break;
        case CONTROL_SMAX:
            sum.bits = a > b ? sum.bits : one.bits;
            break;
        default:
            sum.bits = a < b ? sum.bits : one.bits;
        }
        sum.bits = number_masked(sum.bits, width);
    }
    return sum;
}

static struct number of_two(enum control_op op, unsigned width, struct number x, struct number y)
{
    const int64_t a = signed_of(x.bits, width), b = signed_of(y.bits, width);
    const bool divides =
        op == CONTROL_UDIV || op == CONTROL_SDIV || op == CONTROL_UREM || op == CONTROL_SREM;

    if (!x.known || !y.known || (divides && (!y.bits || (b == -1 && a == INT64_MIN))) ||
        (op >= CONTROL_SHL && op <= CONTROL_ASHR && y.bits >= width))
        return number_unknown;
    switch (op) {
    case CONTROL_UDIV:
        return number_known(x.bits / y.bits);
    case CONTROL_SDIV:
        return number_known(number_masked((uint64_t)(a / b), width));
    case CONTROL_UREM:
        return number_known(x.bits % y.bits);
    case CONTROL_SREM:
        return number_known(number_masked((uint64_t)(a % b), width));
    case CONTROL_AND:
        return number_known(x.bits & y.bits);
    case CONTROL_OR:
        return number_known(x.bits | y.bits);
    case CONTROL_XOR:
        return number_known(x.bits ^ y.bits);
    case CONTROL_SHL:
        return number_known(number_masked(x.bits << y.bits, width));
    case CONTROL_LSHR:
        return number_known(x.bits >> y.bits);
    case CONTROL_ASHR:
        return number_known(number_masked((uint64_t)(a >> y.bits), width));
    case CONTROL_EQ:
        return number_known(x.bits == y.bits);
    case CONTROL_NE:
        return number_known(x.bits != y.bits);
    case CONTROL_UGT:
        return number_known(x.bits > y.bits);
    case CONTROL_UGE:
        return number_known(x.bits >= y.bits);
    case CONTROL_ULT:
        return number_known(x.bits < y.bits);
    case CONTROL_ULE:
        return number_known(x.bits <= y.bits);
    case CONTROL_SGT:
        return number_known(a > b);
    case CONTROL_SGE:
        return number_known(a >= b);
    case CONTROL_SLT:
        return number_known(a < b);
    default:
        return number_known(a <= b);
    }
}

struct number control_evaluate(const struct control_values *f, uint32_t *at)
{
    const struct control_node *node = &f->control->nodes.items[(*at)++];

    switch ((enum control_op)node->op) {
    case CONTROL_UNKNOWN:
        return number_unknown;
    case CONTROL_CONSTANT:
        return number_known(number_masked(node->value, node->width));
    case CONTROL_ARGUMENT:
        return node->value < f->argument_count && f->arguments[node->value].known
                   ? number_known(number_masked(f->arguments[node->value].bits, node->width))
                   : number_unknown;
    case CONTROL_VALUE:
        return f->values[node->value].known
                   ? number_known(number_masked(f->values[node->value].bits, node->width))
                   : number_unknown;
    case CONTROL_TRUNC:
    case CONTROL_ZEXT:
    case CONTROL_SEXT: {
        const unsigned from = f->control->nodes.items[*at].width;
        const struct number x = control_evaluate(f, at);
        return x.known ? number_known(number_masked(
                             node->op == CONTROL_SEXT ? (uint64_t)signed_of(x.bits, from) : x.bits,
                             node->width))
                       : number_unknown;
    }
    case CONTROL_SELECT: {
        const struct number on = control_evaluate(f, at), yes = control_evaluate(f, at),
                            no = control_evaluate(f, at);
        return !on.known ? number_unknown : on.bits ? yes : no;
    }
    case CONTROL_RECURRENCE:
        return recurrence(f, node, at);
    default:
        break;
    }
    if (node->op >= CONTROL_ADD)
        return of_several(f, node, at);
    const struct number x = control_evaluate(f, at), y = control_evaluate(f, at);
    return of_two((enum control_op)node->op, node->width, x, y);
}
