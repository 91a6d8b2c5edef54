/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/bypass.h"

#include <math.h>
#include <string.h>

/* largest vector width in bits; 512-bit operations use other ports and were not measured */
#define WIDEST 256

/* Returns the delay from a two-cycle floating-point addition to @reader (fact
 * bypass_delay_addition). Returns 0 for another producer, if @reader is an addition, or if the
 * addition has 512 bits. */
static int32_t after_addition(const struct core *c, const struct bypass_source *from,
                              const struct insn *reader)
{
    if (isnan(c->bypass_delay_addition) || from->insn->operation != OPERATION_FP_ADD ||
        reader->operation == OPERATION_FP_ADD)
        return 0;
    return from->op->latency == 2 * CYCLE && from->written->bits <= WIDEST
               ? (int32_t)lround(c->bypass_delay_addition * CYCLE)
               : 0;
}

static bool is_fp_multiplier(const struct insn *insn)
{
    switch (insn->operation) {
    case OPERATION_FP_MULTIPLY: case OPERATION_FP_FUSED: case OPERATION_FP_MINMAX:
    case OPERATION_FP_COMPARE: case OPERATION_FP_CONVERT:
    case OPERATION_FP_DIVIDE: case OPERATION_FP_ROOT:
        return true;
    default:
        return false;
    }
}

static bool is_single_cycle(const struct insn *insn, const struct op *op)
{
    switch (insn->operation) {
    case OPERATION_VECTOR_ADD: case OPERATION_VECTOR_MINMAX: case OPERATION_VECTOR_COMPARE:
    case OPERATION_VECTOR_SHIFT: case OPERATION_VECTOR_LOGIC:
        return op->latency == CYCLE;
    default:
        return false;
    }
}

/* Returns whether the instruction is floating-point logic, such as andps or vxorpd. */
static bool is_fp_logic(const struct insn *insn)
{
    size_t length = strlen(insn->mnemonic);
    return insn->operation == OPERATION_VECTOR_LOGIC && length > 2 &&
           insn->mnemonic[length - 2] == 'p' && strchr("sd", insn->mnemonic[length - 1]);
}

/* Returns whether all µops except loads can use only the multipliers' ports. Conversions that also
 * shuffle use other ports. */
static bool ends_in_multiplier(const struct core *c, const struct op *op)
{
    bool any = false;

    for (unsigned i = 0; i < op->usage.count; i++) {
        portset ports = op->usage.uops[i].ports & ~c->pipes;
        bool load = c->load && c->load->count && ports == c->load->uops[0].ports;
        if (!load && ports & ~c->bypass_ports)
            return false;
        any |= !load;
    }
    return any;
}

/* Returns the share of the ports of a one-cycle operation that are ports of the multipliers. */
static double share(const struct core *c, const struct op *op)
{
    for (unsigned i = 0; i < op->usage.count; i++) {
        portset ports = op->usage.uops[i].ports;
        if (ports & c->bypass_ports)
            return (double)portset_size(ports & c->bypass_ports) / portset_size(ports);
    }
    return 0;
}

/* Returns the delay between a multiplier and a one-cycle operation, in hundredths of a cycle. The
 * formulas fit measured delays in cycles from and to the multiplier. With two of three ports in
 * common, the delays are 0.45 and 0.9. With all ports in common (shifts), they are 1 and 1. For
 * floating-point logic, they are 0.5 and 0.25. */
static int32_t multiplier_delay(const struct core *c, const struct bypass_source *from,
                                const struct insn *reader, const struct op *op)
{
    double part = 0;

    if (!c->bypass_ports || from->written->bits > WIDEST)
        return 0;
    if (is_single_cycle(reader, op) &&
        (is_fp_multiplier(from->insn) || from->insn->operation == OPERATION_VECTOR_MULTIPLY) &&
        ends_in_multiplier(c, from->op))
        part = is_fp_logic(reader) ? 0.5 : share(c, op) * share(c, op);
    else if (is_fp_multiplier(reader) && is_single_cycle(from->insn, from->op) &&
             ends_in_multiplier(c, op))
        part = is_fp_logic(from->insn) ? 0.25
                                       : 1 - (1 - share(c, from->op)) * (1 - share(c, from->op));
    return part > 0 ? (int32_t)lround(part * c->bypass_delay * CYCLE) : 0;
}

enum vector_domain { VECTOR_DOMAIN_NONE, VECTOR_DOMAIN_FP, VECTOR_DOMAIN_INTEGER };

/* Returns the domain that executes a vector operation; VECTOR_DOMAIN_NONE for moves, loads and
 * other instructions. */
static enum vector_domain domain_of(const struct insn *insn)
{
    if (is_fp_multiplier(insn) || is_fp_logic(insn) || insn->operation == OPERATION_FP_ADD)
        return VECTOR_DOMAIN_FP;
    switch (insn->operation) {
    case OPERATION_VECTOR_ADD: case OPERATION_VECTOR_MINMAX: case OPERATION_VECTOR_COMPARE:
    case OPERATION_VECTOR_SHIFT: case OPERATION_VECTOR_LOGIC:
    case OPERATION_VECTOR_MULTIPLY: case OPERATION_VECTOR_SHUFFLE: case OPERATION_VECTOR_BLEND:
        return VECTOR_DOMAIN_INTEGER;
    default:
        return VECTOR_DOMAIN_NONE;
    }
}

static int32_t between_domains(const struct core *c, const struct insn *from,
                               const struct insn *reader)
{
    enum vector_domain a = c->bypass_delay_domain > 0 ? domain_of(from) : VECTOR_DOMAIN_NONE,
                       b = a ? domain_of(reader) : VECTOR_DOMAIN_NONE;
    return a && b && a != b ? (int32_t)lround(c->bypass_delay_domain * CYCLE) : 0;
}

int32_t bypass_latency(const struct core *c, const struct bypass_source *from,
                       const struct insn *reader, const struct op *op)
{
    return between_domains(c, from->insn, reader) + after_addition(c, from, reader) +
           multiplier_delay(c, from, reader, op);
}
