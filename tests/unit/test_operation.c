/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Semantics of decoded instructions: operation, condition and roles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "../support/support.h"

static struct insn decode(enum isa isa, const char *hex)
{
    uint8_t code[16];
    size_t length = strlen(hex) / 2;
    struct insn insn;
    struct err err = {0};
    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        code[i] = (uint8_t)byte;
    }
    assert_true(insn_decode(isa, code, length, 0, false, &insn, &err));
    assert_int_equal(insn.isa, isa);
    assert_int_equal(insn.length, length);
    return insn;
}

struct expected {
    const char *hex;      /* AArch64: bytes in memory */
    uint8_t operation, condition;
    uint8_t result, first, second;   /* operand numbers; N for none */
};
#define N INSN_NO_OPERAND

static void check(enum isa isa, const struct expected *e)
{
    struct insn insn = decode(isa, e->hex);
    if (insn.operation != e->operation || insn.condition != e->condition ||
        insn.result != e->result || insn.inputs[0] != e->first || insn.inputs[1] != e->second)
        fail_msg("%s %s: operation %u condition %u result %u inputs %u %u", e->hex, insn.form,
                 insn.operation, insn.condition, insn.result, insn.inputs[0], insn.inputs[1]);
    insn_done(&insn);
}

static void test_x86(void **state)
{
    static const struct expected table[] = {
        {"4889c8", OPERATION_MOVE, 0, 0, 1, N},                        /* mov rax, rcx */
        {"488b07", OPERATION_MOVE, 0, 0, 1, N},                        /* mov rax, [rdi] */
        {"488907", OPERATION_MOVE, 0, 0, 1, N},                        /* mov [rdi], rax */
        {"0fb6c1", OPERATION_MOVE_ZERO, 0, 0, 1, N},                   /* movzx eax, cl */
        {"4863c1", OPERATION_MOVE_SIGN, 0, 0, 1, N},                   /* movsxd rax, ecx */
        {"4801c8", OPERATION_ADD, 0, 0, 0, 1},                         /* add rax, rcx */
        {"48030f", OPERATION_ADD, 0, 0, 0, 1},                         /* add rcx, [rdi] */
        {"48830705", OPERATION_ADD, 0, 0, 0, 1},                       /* add qword [rdi], 5 */
        {"4883e901", OPERATION_SUBTRACT, 0, 0, 0, 1},                  /* sub rcx, 1 */
        {"48ffc1", OPERATION_INCREMENT, 0, 0, 0, N},                   /* inc rcx */
        {"488d4408fb", OPERATION_ADDRESS, 0, 0, 1, N},                 /* lea rax, [rax+rcx-5] */
        {"48d3e0", OPERATION_SHIFT_LEFT, 0, 0, 0, 1},                  /* shl rax, cl */
        {"48c1f803", OPERATION_SHIFT_SIGNED, 0, 0, 0, 1},              /* sar rax, 3 */
        {"c4e2f1f7c2", OPERATION_SHIFT_FLAGLESS, 0, 0, 1, 2},          /* shlx rax, rdx, rcx */
        {"4839c8", OPERATION_COMPARE, 0, N, 0, 1},                     /* cmp rax, rcx */
        {"813f00010000", OPERATION_COMPARE, 0, N, 0, 1},               /* cmp dword [rdi], 256 */
        {"4885c0", OPERATION_TEST, 0, N, 0, 1},                        /* test rax, rax */
        {"480f44c1", OPERATION_SELECT, CONDITION_EQUAL, 0, 1, N},      /* cmovz rax, rcx */
        {"480f47c1", OPERATION_SELECT, CONDITION_NEITHER, 0, 1, N},    /* cmova rax, rcx */
        {"0f92c0", OPERATION_SET, CONDITION_CARRY, 0, N, N},           /* setb al */
        {"7500", OPERATION_BRANCH, CONDITION_NOT_EQUAL, N, 0, N},      /* jnz */
        {"7c00", OPERATION_BRANCH, CONDITION_LESS, N, 0, N},           /* jl */
        {"e300", OPERATION_BRANCH, 0, N, 0, N},                        /* jrcxz */
        {"eb00", OPERATION_JUMP, 0, N, 0, N},                          /* jmp */
        {"50", OPERATION_PUSH, 0, 2, 0, N},                            /* push rax */
        {"58", OPERATION_POP, 0, 0, 2, N},                             /* pop rax */
        {"c3", OPERATION_RETURN, 0, N, 2, N},                          /* ret */
        {"480fafc1", OPERATION_MULTIPLY, 0, 0, 0, 1},                  /* imul rax, rcx */
        {"486bc105", OPERATION_MULTIPLY, 0, 0, 1, 2},                  /* imul rax, rcx, 5 */
        {"48f7e9", OPERATION_MULTIPLY_WIDE, 0, N, 0, N},               /* imul rcx */
        {"4887c8", OPERATION_EXCHANGE, 0, 0, 0, 1},                    /* xchg rax, rcx */
        {"480fa3c8", OPERATION_BIT_TEST, 0, N, 0, 1},                  /* bt rax, rcx */
        {"f3480fb8c1", OPERATION_BIT_COUNT, 0, 0, 1, N},               /* popcnt rax, rcx */
        {"0f0b", OPERATION_TRAP, 0, N, N, N},                          /* ud2 */
        /* movsd, the string instruction */
        {"a5", OPERATION_STRING, 0, N, N, N},
        {"f20f10c1", OPERATION_VECTOR_MOVE, 0, 0, 1, N},               /* movsd xmm0, xmm1 */
        {"66480f6ec0", OPERATION_TRANSFER, 0, 0, 1, N},                /* movq xmm0, rax */
        {"f20f58c1", OPERATION_FP_ADD, 0, 0, 0, 1},                    /* addsd xmm0, xmm1 */
        {"c5f459c2", OPERATION_FP_MULTIPLY, 0, 0, 1, 2},               /* vmulps ymm0, ymm1, ymm2 */
        /* vfmadd231ps ymm0, ymm1, ymm2 */
        {"c4e275b8c2", OPERATION_FP_FUSED, 0, 0, 0, 1},
        {"f20f5ec1", OPERATION_FP_DIVIDE, 0, 0, 0, 1},                 /* divsd */
        {"660fefc1", OPERATION_VECTOR_LOGIC, 0, 0, 0, 1},              /* pxor xmm0, xmm1 */
        {"0f57c1", OPERATION_VECTOR_LOGIC, 0, 0, 0, 1},                /* xorps */
        {"0fc6c14e", OPERATION_VECTOR_SHUFFLE, 0, 0, 0, 1},            /* shufps */
        {"660f73f904", OPERATION_VECTOR_SHUFFLE, 0, 0, 0, 1},          /* pslldq: bytes */
        {"660f72f104", OPERATION_VECTOR_SHIFT, 0, 0, 0, 1},            /* pslld */
        {"c5f441c2", OPERATION_MASK, 0, 0, 1, 2},                      /* kandw k0, k1, k2 */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check(ISA_X86_64, &table[i]);
}

static void test_a64(void **state)
{
    static const struct expected table[] = {
        {"e00301aa", OPERATION_MOVE, 0, 0, 1, N},                      /* mov x0, x1 */
        {"200440f9", OPERATION_MOVE, 0, 0, 1, N},                      /* ldr x0, [x1, #8] */
        {"200400f9", OPERATION_MOVE, 0, 1, 0, N},                      /* str x0, [x1, #8] */
        {"3f0400f9", OPERATION_MOVE, 0, 1, 0, N},                      /* str xzr, [x1, #8] */
        {"20004039", OPERATION_MOVE_ZERO, 0, 0, 1, N},                 /* ldrb w0, [x1] */
        {"2000028b", OPERATION_ADD, 0, 0, 1, 2},                       /* add x0, x1, x2 */
        {"204000d1", OPERATION_SUBTRACT, 0, 0, 1, 2},                  /* sub x0, x1, #16 */
        {"3f0002eb", OPERATION_COMPARE, 0, N, 0, 1},                   /* cmp x1, x2 */
        {"2000829a", OPERATION_SELECT, CONDITION_EQUAL, 0, 1, 2},      /* csel x0, x1, x2, eq */
        {"00000054", OPERATION_BRANCH, CONDITION_EQUAL, N, 0, N},      /* b.eq */
        {"08000054", OPERATION_BRANCH, CONDITION_HIGHER, N, 0, N},     /* b.hi */
        {"000000b4", OPERATION_BRANCH, 0, N, 0, 1},                    /* cbz x0 */
        {"00000014", OPERATION_JUMP, 0, N, 0, N},                      /* b */
        {"00000094", OPERATION_CALL, 0, N, 0, N},                      /* bl */
        {"c0035fd6", OPERATION_RETURN, 0, N, N, N},                    /* ret */
        {"207c029b", OPERATION_MULTIPLY, 0, 0, 1, 2},                  /* mul x0, x1, x2 */
        {"2008c29a", OPERATION_DIVIDE, 0, 0, 1, 2},                    /* udiv x0, x1, x2 */
        {"2028621e", OPERATION_FP_ADD, 0, 0, 1, 2},                    /* fadd d0, d1, d2 */
        {"200c421f", OPERATION_FP_FUSED, 0, 0, 1, 2},                  /* fmadd d0, d1, d2, d3 */
        /* and v0.16b, v1.16b, v2.16b */
        {"201c224e", OPERATION_VECTOR_LOGIC, 0, 0, 1, 2},
        {"2000669e", OPERATION_TRANSFER, 0, 0, 1, N},                  /* fmov x0, d1 */
        {"000020d4", OPERATION_TRAP, 0, N, 0, N},                      /* brk #0 */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check(ISA_AARCH64, &table[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_x86), cmocka_unit_test(test_a64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
