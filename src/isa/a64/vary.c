/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/parts.h"

#include <string.h>

#define NOP 0xd503201fu
#define MOVE_GENERAL 0xaa0003e0u   /* orr Xd, xzr, Xm */
#define MOVE_VECTOR 0x4ea01c00u    /* orr Vd.16b, Vn.16b, Vn.16b */
#define STEPS 63                   /* maximum number of units by which an immediate is changed */

static size_t put(uint32_t word, uint8_t *out)
{
    memcpy(out, &word, sizeof word);
    return sizeof word;
}

static uint32_t word_of(const struct insn *in)
{
    uint32_t word;
    memcpy(&word, in->bytes, sizeof word);
    return word;
}

static uint32_t number_of(uint8_t root)
{
    return root >= A64_P0 ? root - A64_P0 : root >= A64_V0 ? root - A64_V0 : root;
}

static size_t nop(unsigned length, uint8_t *out)
{
    return length == sizeof(uint32_t) ? put(NOP, out) : 0;
}

static size_t copy(const struct operand *like, bool legacy, uint8_t to, uint8_t from, uint8_t *out)
{
    uint32_t d = number_of(to), s = number_of(from);

    (void)legacy;
    if (like->file == FILE_GENERAL)
        return put(MOVE_GENERAL | s << 16 | d, out);
    return like->file == FILE_VECTOR ? put(MOVE_VECTOR | s << 16 | s << 5 | d, out) : 0;
}

/* Writes @in with another register in one of its five-bit fields, selected by @attempt. The caller
 * decodes the results, and uses the result in which only the operand differs. Returns the number of
 * bytes; 0 if the field has another register; SIZE_MAX after the last attempt. */
static size_t reg(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                  unsigned attempt, uint8_t *out)
{
    static const unsigned fields[] = {5, 16, 10, 0};

    (void)operand;
    if (attempt >= sizeof fields / sizeof *fields)
        return SIZE_MAX;
    uint32_t word = word_of(in), mask = 31u << fields[attempt];
    if ((word & mask) >> fields[attempt] != number_of(from))
        return 0;
    return put((word & ~mask) | number_of(to) << fields[attempt], out);
}

/* Writes @in with another immediate in the address, counted in the instruction's unit. @attempt
 * selects the field (bits 10-21, 12-20 or 15-21) and the change. Returns the number of bytes;
 * SIZE_MAX after the last attempt. */
static size_t moved(const struct insn *in, unsigned operand, int64_t by, unsigned attempt,
                    uint8_t *out)
{
    static const struct { unsigned at, bits; } fields[] = {{10, 12}, {12, 9}, {15, 7}};
    unsigned field = attempt / STEPS, step = attempt % STEPS + 1;

    (void)operand;
    (void)by;
    if (field >= sizeof fields / sizeof *fields)
        return SIZE_MAX;
    uint32_t word = word_of(in), mask = ((1u << fields[field].bits) - 1) << fields[field].at;
    return put((word & ~mask) | ((word + (step << fields[field].at)) & mask), out);
}

static void name(uint8_t root, struct str *out)
{
    if (root == A64_SP)
        str_add(out, "sp");
    else
        str_addf(out, "%c%u", root < A64_V0 ? 'x' : 'v', (unsigned)number_of(root));
}

const struct isa_vary a64_vary = {nop, copy, reg, moved, NULL, name};
