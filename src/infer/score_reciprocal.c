/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/score_reciprocal.h"

/* Each step doubles the list: the upper half has one member more. */
#define R(n) ((n) ? 1.0f / (float)(n) : 0.0f)
#define R1(n) R(n), R((n) + 1)
#define R2(n) R1(n), R1((n) + 1)
#define R3(n) R2(n), R2((n) + 1)
#define R4(n) R3(n), R3((n) + 1)
#define R5(n) R4(n), R4((n) + 1)
#define R6(n) R5(n), R5((n) + 1)
#define R7(n) R6(n), R6((n) + 1)
#define R8(n) R7(n), R7((n) + 1)
#define R9(n) R8(n), R8((n) + 1)
#define R10(n) R9(n), R9((n) + 1)
#define R11(n) R10(n), R10((n) + 1)
#define R12(n) R11(n), R11((n) + 1)

_Alignas(64) const float score_reciprocal[1 << PROBLEM_PORTS_MAX] = {R12(0)};
