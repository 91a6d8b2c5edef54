/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/decode_parts.h"

#include <string.h>

#include "base/str.h"

/* Effects on the register stack. The first row whose pattern matches the mnemonic applies. */
static const struct { const char *pattern; uint8_t kind; int8_t step;
} rows[] = {
    {"fldcw", X87_NONE, 0},       {"fldenv", X87_NONE, 0},      {"fld*", X87_LOAD, 1},
    {"fild", X87_LOAD, 1},        {"fbld", X87_LOAD, 1},        {"fstp*", X87_STORE, -1},
    {"fistp", X87_STORE, -1},     {"fisttp", X87_STORE, -1},    {"fbstp", X87_STORE, -1},
    {"fst", X87_STORE, 0},        {"fist", X87_STORE, 0},       {"fxch", X87_EXCHANGE, 0},
    {"fabs", X87_SIGN, 0},        {"fchs", X87_SIGN, 0},        {"fxam", X87_EXAMINE, 0},
    {"fcmov*", X87_MOVE, 0},      {"fcompp", X87_COMPARE, -2},  {"fucompp", X87_COMPARE, -2},
    {"fcomp", X87_COMPARE, -1},   {"ficomp", X87_COMPARE, -1},  {"fucomp", X87_COMPARE, -1},
    {"fcomip", X87_COMPARE, -1},  {"fucomip", X87_COMPARE, -1}, {"fcom*", X87_COMPARE, 0},
    {"ficom*", X87_COMPARE, 0},   {"fucom*", X87_COMPARE, 0},   {"ftst", X87_COMPARE, 0},
    {"faddp", X87_ADD, -1},       {"fsubp", X87_ADD, -1},       {"fsubrp", X87_ADD, -1},
    {"fadd", X87_ADD, 0},         {"fsub*", X87_ADD, 0},        {"fiadd", X87_ADD, 0},
    {"fisub*", X87_ADD, 0},       {"fmulp", X87_MULTIPLY, -1},  {"fdivp", X87_MULTIPLY, -1},
    {"fdivrp", X87_MULTIPLY, -1}, {"fmul", X87_MULTIPLY, 0},    {"fdiv*", X87_MULTIPLY, 0},
    {"fimul", X87_MULTIPLY, 0},   {"fidiv*", X87_MULTIPLY, 0},  {"fsqrt", X87_MULTIPLY, 0},
    {"ffree*", X87_FREE, 0},      {"fdecstp", X87_TURN, 1},     {"fincstp", X87_TURN, -1},
    {"fninit", X87_CLEAR, 0},     {"emms", X87_CLEAR, 0},
};

void x87_fill(struct insn *out)
{
    if (out->mnemonic[0] != 'f' && out->mnemonic[0] != 'e')
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_match(rows[i].pattern, out->mnemonic)) {
            out->x87 = rows[i].kind;
            out->x87_step = rows[i].step;
            return;
        }
}
