/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hostile blocks, by attack path. Each ends in time with a reason or a correct value, and the next
 * measurement is correct. No process, file or descriptor remains. x86-64. ATTACK_BLOCKS=N is the
 * number of random blocks (make torture: 3,000). */
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../support/attacks.h"
#include "../support/support.h"
#include "analysis/kernel.h"
#include "base/clock.h"
#include "base/rng.h"
#include "measure/arch.h"
#include "measure/kernel_passes.h"
#include "measure/kernel_set.h"
#include "measure/sandbox_child.h"

static void test_next_values(void **state)
{
    print_message("%u of %u next measurements had a value, all of them within 1 %%\n", values_had,
                  values_asked);
    assert_true(values_asked >= 20);
    if (2 * values_had <= values_asked)
        skip();   /* This host is rarely idle, so there are too few values. */
}

/* Code is hidden after the closing branch. imul rax, rbx takes three cycles (four on old CPUs) with
 * any closing branch. The immediates contain system calls. */
static void test_hidden_code(void **state)
{
    static const char *const branches[] = {
        "75f7",           "2e75f7",         "3e75f7",         "6775f7",         "f275f7",
        "f375f7",         "6475f7",         "6575f7",         "4075f7",         "4875f7",
        "4f75f7",         "2e3e75f7",       "f23e75f7",       "3e4875f7",       "f2f375f7",
        "0f85f0ffffff",   "2e0f85f0ffffff", "3e0f85f0ffffff", "f20f85f0ffffff", "480f85f0ffffff",
        "670f85f0ffffff", "ebf7",           "f2ebf7",         "e9f0ffffff",     "f2e9f0ffffff",
        "e3f7",           "67e3f7",         "e2f7",           "e1f7",           "e0f7",
        "48e2f7",         "3ee2f7",
    };
    char hex[64];
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        snprintf(hex, sizeof hex, "c7c2c0000f05 %s", branches[i]);
        attack(branches[i], hex, 0, VALUE, NULL);
        if (i % 4 == 0)
            next_right(branches[i]);
    }
    value_right("480fafc3 3e75f8", 0, 2.9, 4.3, "predicted taken");
    value_right("480fafc3 f275f8", 0, 2.9, 4.3, "bnd");
    value_right("480fafc3 2e75f8", 0, 2.9, 4.3, "predicted not taken");
    attack("a branch whose length is disputed", "c7c2c0000f05 660f85f0ffffff", 0, REFUSED,
           "system");
    attack("a branch whose target is cut to 16 bits on AMD's processors", "c7c2c0000f05 6675f7", 0,
           REFUSED, "system");
    attack("the same with the prefix twice", "c7c2c0000f05 666675f7", 0, REFUSED, "system");
    attack("a branch into itself", "ebff", 0, ANY, NULL);
    attack("a branch inside", "7500 90", 0, REFUSED, "inside");
    attack("an indirect branch", "ffe0", 0, REFUSED, "indirect");
    attack("a call", "e800000000", 0, REFUSED, "call");
    attack("a return", "c3", 0, REFUSED, "return");
    next_right("hidden code");
}

/* Blocks store to addresses around the code, relative to it. */
static void test_stores_around(void **state)
{
    static const int64_t distances[] = {
        -0x800000, -0x10000, -0x4000, -0x1000, -0x800,  -8,      0,
        8,         0x40,     0x800,   0xfc0,   0x1000,  0x2000,  0x3000,
        0x4000,    0x8000,   0xc000,  0x10000, 0x14000, 0x18000, 0x1c000,
        0x20000,   0x28000,  0x2c000, 0x30000, 0x38000, 0x40000, 0x100000,
    };
    char hex[128], name[64];
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        uint32_t d = (uint32_t)distances[i];
        /* lea rax, [rip]; mov [rax + d], rbx */
        snprintf(hex, sizeof hex, "488d0500000000 488998 %02x%02x%02x%02x", d & 0xff, d >> 8 & 0xff,
                 d >> 16 & 0xff, d >> 24);
        snprintf(name, sizeof name, "a store at the code's data %+lld", (long long)distances[i]);
        attack(name, hex, 0, ANY, NULL);
        /* lea rdi, [rip + d]; mov ecx, 64; rep stosq: stores over the code, in both directions */
        snprintf(hex, sizeof hex, "488d05%02x%02x%02x%02x 4889c7 b940000000 %s f348ab", d & 0xff,
                 d >> 8 & 0xff, d >> 16 & 0xff, d >> 24, i % 2 ? "fd" : "fc");
        attack(name, hex, 0, ANY, NULL);
        if (i % 4 == 0)
            next_right(name);
    }
    /* Memory that one block writes does not affect the next block. */
    struct kernel_measured m;
    struct err err;
    struct attack_block load = {0};
    block_add(&load, "488b0500000000 488b08", 0);   /* mov rax, [rip]; mov rcx, [rax] */
    bool before = measure(&load, &m, &err);
    attack("a number left in the data", "48891d00000000", 0, ANY, NULL);
    attack("an address left in the data", "48bb0000000000000080 48891d00000000", 0, ANY, NULL);
    attack("the data full of 1", "48c7c301000000 48891d00000000 48895d00", 0, ANY, NULL);
    bool after = measure(&load, &m, &err);
    assert_int_equal(before, after);
    attack("push without end", "5050505050505050", 0, ANY, NULL);
    attack("pop without end", "5858585858585858", 0, ANY, NULL);
    attack("the stack far away", "31e4 50", 0, ANY, NULL);
    attack("the trap flag", "9c 810c2400010000 9d", 0, ANY, "SIGTRAP");
    attack("alignment checks", "9c 810c2400000400 9d 8b4701", 0, ANY, NULL);
    attack("the direction flag left set", "fd", 0, ANY, NULL);
    attack("unmasked exceptions", "0fae1500000000 f20f5ec0", 0, ANY, NULL);
    attack("x87's environment stored", "d930 d9e8 dd18", 0, ANY, NULL);
    attack("a store through fs", "64488904250000 0000", 0, REFUSED, "thread-local");
    attack("a store through gs", "65488904250000 0000", 0, REFUSED, "thread-local");
    attack("a load through gs", "65488b0425600300 00", 0, REFUSED, "system");
    attack("a load through fs", "64488b04252800 0000", 0, VALUE, NULL);
    attack("a string through gs", "65f348a5", 0, REFUSED, "");
    attack("a streaming store at the code", "488d0500000000 480fc398000080ff", 0, ANY, NULL);
    attack("an exchange at the code", "488d0500000000 488798000080ff", 0, ANY, NULL);
    attack("a locked add at the code", "488d0500000000 f0480198000080ff", 0, ANY, NULL);
    attack("a masked store at the code", "488d3d000080ff 660fefc0 660ff7c0", 0, ANY, NULL);
    next_right("stores around");
}

static uint64_t written = 1;
static const uint64_t constant = 1;

/* Blocks store to addresses that only the parent process has: its mapping of the code, its memory,
 * the program, the stack, libc. */
static void test_stores_known(void **state)
{
    uint64_t on_stack = 1, *on_heap = calloc(1, sizeof *on_heap);
    const uint8_t *code = sandbox_code(sandbox, 0);
    const struct { const char *name; uint64_t address;
    } targets[] = {
        {"the parent's view of the code", (uint64_t)code},
        {"the chain in the parent's view", (uint64_t)code + 64},
        {"the sandbox", (uint64_t)sandbox},
        {"the items", (uint64_t)sandbox_items(sandbox)},
        {"a variable", (uint64_t)&written},
        {"a constant", (uint64_t)&constant},
        {"the stack", (uint64_t)&on_stack},
        {"the heap", (uint64_t)on_heap},
        {"the program", (uint64_t)(uintptr_t)&test_stores_known},
        {"the way in", (uint64_t)(uintptr_t)&sandbox_enter},
        {"the way out", (uint64_t)(uintptr_t)&sandbox_escape},
        {"where system calls are made", (uint64_t)(uintptr_t)sandbox_syscall_site},
        {"libc", (uint64_t)(uintptr_t)&calloc},
        {"libc's variables", (uint64_t)stdout},
        {"errno", (uint64_t)&errno},
        {"nothing", 0},
        {"the end of memory", 0x00007ffffffff000u},
        {"a non-canonical address", (uint64_t)1 << 63},
        {"the kernel", 0xffffffff80000000u},
        {"vsyscall", 0xffffffffff600000u},
    };
    uint8_t before[256];
    memcpy(before, code, sizeof before);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        /* mov rax, address; mov [rax], rbx */
        attack(targets[i].name, "48b8< 488918", targets[i].address, ANY, NULL);
        /* rep stosq stores to the complete page at the address. */
        attack(targets[i].name, "48bf< b900020000 fc f348ab", targets[i].address, ANY, NULL);
        assert_memory_equal(before, code, sizeof before);
        assert_true(written == 1 && constant == 1 && on_stack == 1 && *on_heap == 0);
        if (i % 3 == 0)
            next_right(targets[i].name);
    }
    free(on_heap);
    attack("a non-canonical address is called that", "48b8< 488b08", (uint64_t)1 << 63, REFUSED,
           "general protection");
    attack("so is a misaligned vector", "48b8< 0f2808", 0x20000008, REFUSED, "general protection");
    attack("address cannot be mapped", "48b8< 488b08", 64, REFUSED, "cannot be mapped");
    attack("code that cannot be written", "488d05000080ff 488918", 0, ANY, NULL);
    next_right("known addresses");
}

static double seconds_used(const struct rusage *from, const struct rusage *to)
{
    return (double)(to->ru_utime.tv_sec - from->ru_utime.tv_sec + to->ru_stime.tv_sec -
                    from->ru_stime.tv_sec) +
           1e-6 * (double)(to->ru_utime.tv_usec - from->ru_utime.tv_usec + to->ru_stime.tv_usec -
                           from->ru_stime.tv_usec);
}

/* Runs code in the child for foreign code without the check against the list of permitted
 * instructions. The code has the program's addresses. It must end with @fault or @or_fault.
 * FAULT_COUNT stands for any fault. */
static void raw_or_asleep(const char *name, const char *hex, uint64_t address, unsigned fault,
                          unsigned or_fault, bool sleeps)
{
    struct attack_block b = {0};
    struct err err = {0};
    struct sandbox_item *item = sandbox_items(sandbox);
    uint32_t offset;
    const struct attack_time time = attack_begins();
    struct rusage before, after;

    block_add(&b, hex, address);
    sandbox_clear(sandbox);
    assert_true(sandbox_add(sandbox, b.code, b.length, 1, COUNTER_MEMORY, &offset));
    *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                  .code = PULSE_ITEM,
                                  .offset = offset,
                                  .kernel = true,
                                  .counter = COUNTER_MEMORY,
                                  .warm = 1,
                                  .count = 2,
                                  .samples = 2};
    for (unsigned r = 0; r < 16; r++)
        item->general[r] = 0x20000000 + r * 0x100000;
    getrusage(RUSAGE_CHILDREN, &before);
    if (!sandbox_run(sandbox, 1, NULL, NULL, NULL, &err))
        fail_msg("%s: %s", name, err.what);
    getrusage(RUSAGE_CHILDREN, &after);
    attack_ends(&time, name);
    /* On a busy machine, an endless block may be ended before its processor time shows that it is
     * endless. This exception does not apply to a sleeping block. */
    bool ended = !sleeps && (fault == FAULT_ENDLESS || or_fault == FAULT_ENDLESS) &&
                 item->fault == FAULT_STARVED &&
                 seconds_used(&before, &after) < SANDBOX_ENDLESS + 0.1;
    if (!item->done ||
        (!ended && item->fault != fault &&
         (or_fault == FAULT_COUNT ? item->fault == FAULT_NONE : item->fault != or_fault)))
        fail_msg("%s: %s instead of %s", name, sandbox_fault_text(item->fault),
                 sandbox_fault_text(fault));
    sandbox_clear(sandbox);
    cases_run++;
    nothing_left(name);
}

static void raw(const char *name, const char *hex, uint64_t address, unsigned fault,
                unsigned or_fault)
{
    raw_or_asleep(name, hex, address, fault, or_fault, false);
}

static void test_endless(void **state)
{
    uint64_t site = (uint64_t)(uintptr_t)sandbox_syscall_site - 2;
    raw("a loop", "ebfe", 0, FAULT_ENDLESS, FAULT_ENDLESS);
    raw("a loop that pauses", "f390ebfc", 0, FAULT_ENDLESS, FAULT_ENDLESS);
    raw("a loop of far jumps into itself", "e9fbffffff", 0, FAULT_ENDLESS, FAULT_ENDLESS);
    raw("a loop over memory", "488900 4883c008 ebf7", 0, FAULT_PAGES, FAULT_ENDLESS);
    raw_or_asleep("nanosleep for ever",
                  "6a00 48bbffffffffffffff7f 53 4889e7 31f6 b823000000 48b9< ffe1", site,
                  FAULT_ENDLESS, FAULT_ENDLESS, true);
    raw("reading the link", "31ff ffc7 ebfc", 0, FAULT_ENDLESS, FAULT_ENDLESS);
    attack("strings for ever", "48c7c1ffffffff f3aa", 0, ANY, NULL);
    attack("strings for ever, backwards", "fd 48c7c1ffffffff f348ab", 0, ANY, NULL);
    attack("moves for ever", "48c7c1ffffffff f348a5", 0, ANY, NULL);
    attack("loads for ever", "48c7c1ffffffff f348ad", 0, ANY, NULL);
    attack("searches for ever", "48c7c1ffffffff f2af", 0, ANY, NULL);
    attack("compares for ever", "48c7c1ffffffff 4889fe f3a6", 0, ANY, NULL);
    attack("divisions of the longest", "48c7c2ffffffff 48c7c0ffffffff 48f7f3", 0, ANY, NULL);
    attack("pauses", "f390f390f390f390f390f390f390f390", 0, ANY, NULL);
    attack("flushes", "0fae38 0faef0", 0, ANY, NULL);
    attack("loads without end", "488b00 480500100000", 0, ANY, NULL);
    next_right("endless");
}

static bool stop(void *state)
{
    ++*(unsigned *)state;
    return true;
}

/* Cancelling ends an endless block, and the next run works. */
static void test_cancelled(void **state)
{
    struct err err = {0};
    struct sandbox_item *item = sandbox_items(sandbox);
    uint64_t site = (uint64_t)(uintptr_t)sandbox_syscall_site - 2;
    struct attack_block b = {0};
    uint32_t offset;
    unsigned asked = 0;
    block_add(&b, "6a00 48bbffffffffffffff7f 53 4889e7 31f6 b823000000 48b9< ffe1", site);
    sandbox_clear(sandbox);
    assert_true(sandbox_add(sandbox, b.code, b.length, 1, COUNTER_MEMORY, &offset));
    *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                  .code = PULSE_ITEM,
                                  .offset = offset,
                                  .kernel = true,
                                  .counter = COUNTER_MEMORY,
                                  .warm = 1,
                                  .count = 2,
                                  .samples = 2};
    item->general[4] = 0x20000000;
    sandbox_cancel_by(sandbox, stop, &asked);
    assert_false(sandbox_run(sandbox, 1, NULL, NULL, NULL, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_int_equal(asked, 1);
    sandbox_cancel_by(sandbox, NULL, NULL);
    next_right("cancelled");
    nothing_left("cancelled");
}

/* Tries every system call that the child itself may make, from the child's code but with other
 * arguments, and all other system calls. eax is the number, and the arguments follow. */
static void test_system_calls(void **state)
{
    static const struct { const char *name, *set; unsigned fault, or_fault;
    } cases[] = {
        {"mmap executable", "b809000000 31ff be00100000 ba07000000 41ba22000000 4983c8ff 4531c9",
         FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"mmap 3 GB",
         "b809000000 31ff 48be000000c000000000 ba03000000 41ba22000000 4983c8ff 4531c9",
         FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"mmap private", "b809000000 31ff be00100000 ba03000000 41ba22000000 4983c8ff 4531c9",
         FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"mmap over what is there",
         "b809000000 31ff be00100000 ba03000000 41ba11000000 41b804000000 4531c9",
         FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"mmap two pages", "b809000000 31ff be00200000 ba03000000 41ba01001000 41b804000000 4531c9",
         FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"mmap another file",
         "b809000000 31ff be00100000 ba03000000 41ba01001000 41b800000000 4531c9",
         FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"munmap everything", "b80b000000 31ff 48be00f0ffffff7f0000", FAULT_SYSTEM_CALL,
         FAULT_SYSTEM_CALL},
        {"mprotect", "b80a000000 31ff be00100000 ba07000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"read a file", "31c0 31ff 4889e6 ba08000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"write to standard output", "b801000000 bf01000000 4889e6 ba08000000", FAULT_SYSTEM_CALL,
         FAULT_SYSTEM_CALL},
        {"write to standard error", "b801000000 bf02000000 4889e6 ba08000000", FAULT_SYSTEM_CALL,
         FAULT_SYSTEM_CALL},
        {"open", "b802000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"socket", "b829000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"fork", "b839000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"execve", "b83b000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"kill the parent", "b83e000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"ptrace", "b865000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"arch_prctl", "b89e000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"rt_sigreturn", "b80f000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"rt_sigaction", "b80d000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"setrlimit", "b8a0000000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"memfd_create", "b83f010000", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"32-bit numbers", "b801000040", FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL},
        {"the end", "b8e7000000 31ff", FAULT_KILLED, FAULT_KILLED},
        {"the end with success", "b8e7000000 bf48000000", FAULT_KILLED, FAULT_KILLED},
    };
    uint64_t site = (uint64_t)(uintptr_t)sandbox_syscall_site - 2;
    char hex[200];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(hex, sizeof hex, "48bc0040002000000000 %s 48b9< ffe1", cases[i].set);
        raw(cases[i].name, hex, site, cases[i].fault, cases[i].or_fault);
        /* Makes the same system call from the block's own code. */
        snprintf(hex, sizeof hex, "48bc0040002000000000 %s 0f05", cases[i].set);
        raw(cases[i].name, hex, 0, FAULT_SYSTEM_CALL, FAULT_SYSTEM_CALL);
    }
    raw("int 0x80", "b814000000 cd80", 0, FAULT_SYSTEM_CALL, FAULT_COUNT);
    raw("sysenter", "0f34", 0, FAULT_ILLEGAL, FAULT_COUNT);
    raw("a jump into libc", "48b8< ffe0", (uint64_t)(uintptr_t)&calloc, FAULT_RESERVED,
        FAULT_SEGMENT);
    raw("a return into nowhere", "48bc0040002000000000 c3", 0, FAULT_ADDRESS, FAULT_SEGMENT);
    raw("a jump out of the loop into the way out", "48b8< ffe0",
        (uint64_t)(uintptr_t)&sandbox_escape, FAULT_ANSWER, FAULT_COUNT);
    next_right("system calls");
}

/* Foreign code writes a forged result to each descriptor from 0 to 15. */
static void test_forged_answers(void **state)
{
    uint64_t site = (uint64_t)(uintptr_t)sandbox_syscall_site - 2;
    char hex[200];
    for (unsigned fd = 0; fd < 16; fd++) {
        snprintf(hex, sizeof hex,
                 "48bc0040002000000000 6a00 b801000000 bf%02x000000 4889e6 ba08000000 48b9< ffe1",
                 fd);
        raw("a forged answer", hex, site, FAULT_SYSTEM_CALL, FAULT_ANSWER);
    }
    next_right("forged answers");
}

/* The parent validates count, order and ranges of results. */
static void test_answers_checked(void **state)
{
    struct sandbox_item good = {.done = true, .counter_cycles = NAN}, item = {0};
    good.result = (struct window_result){.state = WINDOW_SETTLED,
                                         .cycles = 2,
                                         .spread = 0.001,
                                         .clock = 1.1,
                                         .accepted = 3,
                                         .values = {2, 2, 2.001f}};
    sandbox_answer_take(&item, &good);
    assert_true(item.done && item.fault == FAULT_NONE && item.result.cycles == 2 &&
                item.result.accepted == 3);
    for (unsigned i = 0; i < 22; i++) {
        struct sandbox_item bad = good;
        struct window_result *r = &bad.result;
        switch (i) {
        case 0: r->accepted = WINDOW_VALUES + 1; break;
        case 1: r->accepted = UINT32_MAX; break;
        case 2: r->accepted = 2; break;
        case 3: r->accepted = 0; break;
        case 4: r->cycles = 121; break;
        case 5: r->cycles = 1; break;
        case 6: r->cycles = INFINITY; break;
        case 7: r->cycles = NAN; break;
        case 8: r->cycles = -2; break;
        case 9: r->spread = INFINITY; break;
        case 10: r->clock = 0; break;
        case 11: r->clock = NAN; break;
        case 12: r->state = (enum window_state)7; break;
        case 13: r->state = WINDOW_FAULT; break;
        case 14: r->values[1] = NAN; break;
        case 15: r->values[2] = INFINITY; break;
        case 16: r->contended = UINT32_MAX; break;
        case 17: bad.fault = FAULT_COUNT; break;
        case 18: bad.fault = FAULT_ILLEGAL; break;
        case 19: bad.pages = SANDBOX_PAGES + 1; break;
        case 20: bad.done = false; break;
        default: bad.counter_cycles = INFINITY; break;
        }
        item = (struct sandbox_item){.offset = 1234, .executions = 5};
        sandbox_answer_take(&item, &bad);
        if (!item.done || item.fault != FAULT_ANSWER || item.result.accepted ||
            item.result.cycles > 0)
            fail_msg("answer %u is believed", i);
        assert_true(item.offset == 1234 && item.executions == 5);
        cases_run++;
    }
    struct sandbox_item ticks = {.mode = SANDBOX_RAW_TICKS, .samples = 4},
                        answer = {.done = true, .counter_cycles = NAN, .ticks = {5, 5, 0, 5}};
    sandbox_answer_take(&ticks, &answer);
    assert_int_equal(ticks.fault, FAULT_ANSWER);
    answer.ticks[2] = UINT64_MAX;
    sandbox_answer_take(&ticks, &answer);
    assert_int_equal(ticks.fault, FAULT_ANSWER);
    answer.ticks[2] = 5;
    sandbox_answer_take(&ticks, &answer);
    assert_int_equal(ticks.fault, FAULT_NONE);
}

/* A block that searches for the vault has few guesses, regardless of its registers and the number
 * of its runs. A block that merely accesses distant memory is measured normally. */
static void test_guesses(void **state)
{
    static const char *const guesses[] = {
        "48b80000a95c2a610000 488b00",            /* mov rax, 0x612a5ca90000; mov rax, [rax] */
        /* mov rcx, 0x612a5ca90000; add rcx, rax; mov [rcx], rax */
        "48b90000a95c2a610000 4801c1 488901",
        /* Starts at the lower end of the range, with r14 added. */
        "48b90000000000400000 4c01f1 488b09",
        /* shl rax, 1; mov rcx, [rax]: doubles the address in each iteration */
        "48c1e001 488b08",
    };
    struct err err = {0};

#if defined(__SANITIZE_THREAD__)
    skip();
#endif
    for (unsigned i = 0; i < sizeof guesses / sizeof *guesses; i++) {
        struct kernel *k = kernel_from_hex(ISA_X86_64, guesses[i], &err);
        struct kernel_plan plan = {0};
        struct kernel_measured m;
        assert_non_null(k);
        const unsigned before = sandbox_reached(sandbox);
        for (unsigned visit = 0; visit < 4; visit++) {
            const bool ok =
                kernel_visit(sandbox, &calibration, k->insns, k->insn_count, 1.2, &plan, &m, &err);
            assert_false(ok && i + 1 < sizeof guesses / sizeof *guesses);
        }
        /* With 0 accesses, this host was too busy to run the block. */
        const unsigned reached = sandbox_reached(sandbox) - before;
        if (reached > SANDBOX_GUESSES || (!reached && err.code == ERR_DATA))
            fail_msg("%s reached %u times: %s", guesses[i], reached, err.what);
        kernel_free(k);
    }
}

/* Instructions outside of the list are rejected before they run. test_kernel_code tests the whole
 * list. */
static void test_refused(void **state)
{
    static const char *const blocks[] = {
        "0f01c1",       "0f01d9",   "0f01d0",     "8ed8",       "8cd8",       "0fa1",
        "c4e2784900",   "0f01e8",   "fa",         "fb",         "f4",         "0f05",
        "0f34",         "cd80",     "cc",         "f1",         "0fa2",       "0f31",
        "0f01f9",       "f30fc7f8", "0fc7f0",     "f3480faec8", "f3480faed8", "0f01ef",
        "c7f800000000", "0f01e0",   "0f0100",     "0fae00",     "0fae20",     "0fae28",
        "660faef0",     "0f20c0",   "e410",       "6c",         "c8000000",   "0f01ca",
        "f30f01ee",     "f30fc7f0", "660f38f800", "f20f38f800", "cf",         "ff28",
        "ff18",         "0f0b",     "0f08",       "0f09",       "0f30",       "0f32",
        "0f01f8",
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        char hex[64];
        if (strcmp(blocks[i], "660f38f800") == 0)
            continue;   /* movdir64b, a store of 64 bytes, is permitted. */
        snprintf(hex, sizeof hex, "4801d8 %s 4801d8", blocks[i]);
        attack(blocks[i], hex, 0, REFUSED,
               blocks[i][0] == 'f' && blocks[i][1] == 'f'   ? ""
               : blocks[i][0] == 'c' && blocks[i][1] == 'f' ? ""
                                                            : "system");
    }
    next_right("refused");
}

/* The reference block detects damaged code in the sandbox. The next runs repair the code and
 * measure a correct time. */
static void test_canary(void **state)
{
    struct err err = {0};
    bool off = false;
    double cycles = NAN;
    for (unsigned i = 0; i < TRIES; i++) {
        sandbox_clear(sandbox);
        assert_true(sandbox_canary(sandbox, &calibration.rules, &off, &cycles, &err));
        if (!off && cycles > 0)
            break;
    }
    assert_false(off);
    /* Doubles the speed of the chain that calibrates the clock, because nops replace every other
     * addition. */
    uint8_t *code = (uint8_t *)(uintptr_t)sandbox_code(sandbox, 0);
    unsigned damaged = 0;
    for (unsigned at = 0; at < 400 && damaged < SANDBOX_CHAIN_LENGTH / 2; at++)
        if (memcmp(code + at, arch_chain.bytes, 3) == 0) {
            memcpy(code + at, (const uint8_t[]){0x0f, 0x1f, 0x00}, 3);
            at += 5;
            damaged++;
        }
    assert_int_equal(damaged, SANDBOX_CHAIN_LENGTH / 2);
    sandbox_clear(sandbox);
    struct window_rules rules = calibration.rules;
    rules.second_cycles = 0;        /* The second chain would detect the damage earlier. */
    rules.probe_tolerance = 10;
    rules.chain_tolerance = rules.agreement = 0.5;
    bool seen = false;
    for (unsigned i = 0; i < TRIES && !seen; i++)
        assert_true(sandbox_canary(sandbox, &rules, &seen, &cycles, &err));
    assert_true(seen);
    struct calibration loose = calibration;
    struct kernel_measured m;
    struct insn insn;
    loose.rules = rules;
    assert_true(
        insn_decode(ISA_X86_64, (const uint8_t[]){0x48, 0x01, 0xd8}, 3, 0, false, &insn, NULL));
    bool ok = false;
    for (unsigned i = 0; i < TRIES && !ok; i++)
        ok = kernel_run(sandbox, &loose, &insn, 1, &m, &err);
    if (ok)
        assert_true(m.cycles < 1.5);
    next_right("damage undone");
    nothing_left("damage undone");
}

/* The clock runs four times too fast, which no neighbour can cause. The reference block is never
 * correct, so no block has a value until a later pass. */
static void test_canary_off(void **state)
{
    struct calibration fast = calibration;
    struct kernel_measured m;
    struct err err = {0};
    struct insn insn;
    fast.rules.chain_cycles *= 4;
    fast.rules.second_cycles = 0;   /* The second chain would detect the wrong clock earlier. */
    assert_true(
        insn_decode(ISA_X86_64, (const uint8_t[]){0x48, 0x01, 0xd8}, 3, 0, false, &insn, NULL));
    /* On a contended CPU patience may end before the reference block runs, or before it has a
     * value. */
    bool seen[2] = {false, false};
    for (unsigned i = 0; i < TRIES && !seen[0]; i++) {
        if (kernel_run(sandbox, &fast, &insn, 1, &m, &err))
            continue;
        assert_int_equal(err.code, ERR_LIMIT);
        assert_int_equal(m.windows, 0);
        seen[0] = strstr(err.what, "a 1-cycle block took") != NULL;
    }
    for (unsigned i = 0; i < TRIES && !seen[1]; i++) {
        struct kernel_set *set = kernel_set_new(sandbox, &fast);
        err = (struct err){0};
        kernel_set_add(set, &insn, 1);
        if (!kernel_set_measure(set, 1, &err)) {
            assert_int_equal(err.code, ERR_LIMIT);
            seen[1] = strstr(err.what, "a 1-cycle block took") != NULL;
        }
        kernel_set_free(set);
    }
    if (!seen[0] || !seen[1])
        skip();   /* This host is too busy for the reference block. */
    next_right("a fast clock");
}

/* Generates a block of random instructions of the list. */
static void random_block(struct rng *rng, struct attack_block *b)
{
    unsigned count = 1 + (unsigned)rng_below(rng, 6), have = 0;
    while (have < count) {
        uint8_t bytes[16];
        struct insn insn;
        for (unsigned i = 0; i < 2; i++) {
            uint64_t random = rng_next(rng);
            memcpy(bytes + 8 * i, &random, 8);
        }
        if (have % 2)
            bytes[0] = (uint8_t[]){0x0f, 0x48, 0x66, 0xf3, 0xc5, 0x62, 0xc4, 0x2e}[bytes[15] % 8];
        if (!insn_decode(ISA_X86_64, bytes, 15, 0, false, &insn, NULL) ||
            !(insn.traits & INSN_RUNNABLE) || (insn.traits & INSN_BRANCH && have + 1 < count))
            continue;
        memcpy(b->code + b->length, insn.bytes, insn.length);
        b->length += insn.length;
        have++;
    }
}

static void test_random(void **state)
{
    const char *asked = getenv("ATTACK_BLOCKS");
    unsigned blocks = asked ? (unsigned)atoi(asked) : 250, measured = 0;
    struct rng rng;
    rng_seed(&rng, 11);
    for (unsigned i = 0; i < blocks; i++) {
        struct attack_block b = {0};
        struct kernel_measured m;
        struct err err;
        random_block(&rng, &b);
        char name[32];
        snprintf(name, sizeof name, "random block %u", i);
        const struct attack_time time = attack_begins();
        bool ok = measure(&b, &m, &err);
        attack_ends(&time, name);
        if (ok ? !(m.cycles > 0) : !err.what[0]) {
            for (size_t k = 0; k < b.length; k++)
                print_message("%02x", b.code[k]);
            fail_msg(": block %u: %g cycles, %s", i, m.cycles, ok ? "ok" : "no reason");
        }
        measured += ok;
        if (i % 50 == 49) {
            next_right("random blocks");
            nothing_left("random blocks");
        }
    }
    print_message("%u random blocks: %u measured, %u with a reason\n", blocks, measured,
                  blocks - measured);
}

static void test_elsewhere(void **state)
{
    print_message("x86-64 machine code is not tried here\n");
}

static struct { double now; unsigned asked; } hands;

static double counted_clock(void)
{
    hands.asked++;
    hands.now += 0.05;
    return hands.now;
}

/* A harmless block on a core that is never idle ends within its patience and is reported as
 * contended. The test's clock advances with each read. */
static void test_never_quiet(void **state)
{
    static const double patience[] = {0.5, 2, 5};
    struct calibration usual = calibration;
    struct attack_block b = {0};
    struct insn insns[1];
    struct err err = {0};

    block_add(&b, "4801d8", 0);
    assert_true(insn_decode(ISA_X86_64, b.code, b.length, 0, false, &insns[0], &err));
    calibration.rules.chain_tolerance = -1;   /* No window is accepted. */
    for (size_t i = 0; i < sizeof patience / sizeof *patience; i++) {
        struct kernel_measured m;
        hands.asked = 0;
        clock_set_source(counted_clock);
        bool ok = kernel_measure(sandbox, &calibration, NULL, insns, 1, patience[i], &m, &err);
        clock_set_source(NULL);
        if (ok || err.code != ERR_LIMIT || !strstr(err.what, "contended") ||
            hands.asked > patience[i] / 0.05 + 8)
            fail_msg("patience of %g s: %s after %u looks at the clock: %s", patience[i],
                     ok ? "a value" : "none", hands.asked, err.what);
    }
    calibration = usual;
    nothing_left("never quiet");
    next_right("never quiet");
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(test_elsewhere)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden_code),     cmocka_unit_test(test_stores_around),
        cmocka_unit_test(test_stores_known),    cmocka_unit_test(test_endless),
        cmocka_unit_test(test_cancelled),       cmocka_unit_test(test_system_calls),
        cmocka_unit_test(test_forged_answers),  cmocka_unit_test(test_answers_checked),
        cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_canary),
        cmocka_unit_test(test_canary_off),      cmocka_unit_test(test_random),
        cmocka_unit_test(test_never_quiet),     cmocka_unit_test(test_next_values)};
    if (!attacks_possible())
        return cmocka_run_group_tests(others, NULL, NULL);
    return cmocka_run_group_tests_name("attack", tests, attacks_begin, attacks_end);
}
