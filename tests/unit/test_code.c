/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often machine instructions are executed that the compiler moved out of their block's loop, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "program/code.h"

/* Blocks 1: entry, 2: what the outer loop does, 3: the inner loop, 4: the outer loop's end, 5: the end. Of block 3 the load before the label is executed once for each
 * entry, the jump behind the loop as well; what is of no block belongs to what it stands with. */
static const char assembly[] = "f:\n.Lfunc_begin0:\n\t.loc 0 1 0\n\txorl %ecx, %ecx\n"
                               ".LBB0_2:\n\t.loc 0 0 1\n\tmovq 8(%rsp), %rdx\n\t.loc 0 2 1\n\txorl %eax, %eax\n"
                               "# %bb.9:\n\t.loc 0 3 1\n\tmovq (%rdi), %r8\n\tleaq 8(%rdi), %r9\n.Ltmp3:\n\taddq $1, %r9\n"
                               ".LBB0_3:\n\taddq (%r9,%rax,8), %r8\n\taddq $1, %rax\n\tcmpq %rsi, %rax\n\tjb .LBB0_3\n"
                               "\tjmp .LBB0_4\n"
                               ".LBB0_4:\n\t.loc 0 4 1\n\tmovq %r8, (%rdx)\n\taddq $1, %rcx\n\tcmpq %rsi, %rcx\n\tjb .LBB0_2\n"
                               "\t.loc 0 5 1\n\tretq\n";

static const struct program *read_program(void)
{
    struct str text = {0}, json = {0};
    struct err err = {0};
    char why[512];

    str_add(&json, "{\"key\":\"k\",\"source\":\"f.c\",\"language\":\"c\",\"level\":\"-O3\",\"references\":[],\"functions\":[{\"name\":\"f\",\"blocks\":["
                   "{\"line\":1,\"ops\":[],\"calls\":[],\"next\":[1],\"two_way\":false},{\"line\":2,\"ops\":[],\"calls\":[],\"next\":[2],\"two_way\":false},"
                   "{\"line\":3,\"ops\":[],\"calls\":[],\"next\":[2,3],\"two_way\":true},{\"line\":4,\"ops\":[],\"calls\":[],\"next\":[1,4],\"two_way\":true},"
                   "{\"line\":5,\"ops\":[],\"calls\":[],\"next\":[],\"two_way\":false}]}],\"assembly\":\"");
    for (const char *c = assembly; *c; c++)
        str_add_bytes(&json, *c == '\n' ? "\\n" : *c == '\t' ? "\\t" : c, *c == '\n' || *c == '\t' ? 2 : 1);
    str_add(&json, "\"}");
    str_addf(&text, "portolan-unit %zu\n%s", json.length, str_text(&json));
    struct program *p = program_read("f", &text, &err);
    if (!p)
        fail_msg("%s", err_text(&err, why, sizeof why));
    str_done(&text);
    str_done(&json);
    return p;
}

/* Ten turns of the outer loop, a hundred of the inner one in each. */
static void test_moved(void **state)
{
    const double counts[] = {1, 10, 1000, 10, 1}, taken[] = {0, 0, 990, 9, 0};
    const struct program *p = read_program();
    struct program_run run = {.counts = (double *)(uintptr_t)counts, .taken = (double *)(uintptr_t)taken};
    struct err err = {0};
    struct program_code *c = program_code_new(p, &err);
    double times[32], paths = 0;
    struct code_parts parts;

    (void)state;
    assert_non_null(c);
    const struct kernel *k = c->units[0].kernel;
    assert_int_equal(k->insn_count, 16);
    code_executions(c, 0, &run, times);
    for (size_t i = 0; i < k->insn_count; i++) {
        double want = i == 0 || i == 15 ? 1 : i >= 6 && i <= 9 ? 1000 : 10;
        if (times[i] != want)
            fail_msg("%s is executed %g times instead of %g", k->insns[i].text, times[i], want);
    }
    code_parts_find(c, &run, &parts);
    for (size_t i = 0; i < parts.list.count; i++) {
        const struct code_part *part = &parts.list.items[i];
        if (!part->repeats)
            continue;
        paths++;
        assert_int_equal(part->insns.count, 4);
        assert_true(part->executions == 1000 && part->entries == 10);
    }
    assert_true(paths == 1);
    code_parts_done(&parts);
    program_code_free(c);
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moved)};
    return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
