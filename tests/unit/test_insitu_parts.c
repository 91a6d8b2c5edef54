/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops of computed gotos in their program: parts, their patches, and recordings; reasons why a
 * program cannot be traced. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "analysis/loops.h"
#include "insitu/admission.h"
#include "insitu/copies.h"
#include "insitu/placed.h"
#include "insitu/predictor.h"
#include "insitu/refusal.h"
#include "../support/support.h"

#if defined(__x86_64__)

#define BIAS 0x4000u
#define TABLE 0x1000u
#define MAPPED 0x9000u
#define MAPPED_BYTES 64u
enum { ADD = 0x09, SUM = 0x17, LAST = 0x24, MIXED = 0x27, END = 0x36 };

/* xor eax, eax; jmp *table(,rax,8)
 * ADD: add 1, rbx; movzbl (rcx), eax; jmp *table(,rax,8)
 * SUM: add rdx, rbx; movzbl (rcx), eax; jmp *table(,rax,8)
 * LAST: ret; nopl (rax)... ; MIXED: cmp 2, rax; jne .+5; add rdx, rbx; nop; jmp *table(,rax,8)
 * END: ret */
static const char parts_hex[] = "31 c0 ff 24 c5 00 10 00 00 "
                                "48 83 c3 01 0f b6 01 ff 24 c5 00 10 00 00 "
                                "48 01 d3 0f b6 01 ff 24 c5 00 10 00 00 "
                                "c3 66 90 "
                                "48 83 f8 02 75 04 48 01 d3 90 ff 24 c5 00 10 00 00 "
                                "c3";

/* Reads the table: ADD, SUM, an address in another function, LAST and MIXED. */
static bool read_table(void *state, uint64_t address, void *out, size_t bytes)
{
    static const uint64_t table[] = {ADD, SUM, 0x2000, LAST, MIXED, 0};
    const uint64_t i = (address - TABLE) / 8;

    if (bytes != 8 || address < TABLE || i >= sizeof table / sizeof *table)
        return false;
    const uint64_t value = table[i] ? table[i] + BIAS : UINT64_C(0x123456789a);
    memcpy(out, &value, 8);
    return true;
}

static const struct region_memory table_alone = {.read = read_table, .bias = BIAS};

static struct kernel *load(void)
{
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, parts_hex, &err);

    assert_non_null(k);
    loops_done(k->loops, k->loop_count);
    k->loop_count = loops_find(k->insns, k->insn_count, NULL, 0, &k->loops);
    return k;
}

static size_t find(const struct kernel *k)
{
    size_t loop = 0;

    while (loop < k->loop_count && !k->loops[loop].dispatch)
        loop++;
    assert_true(loop < k->loop_count);
    return loop;
}

static uint64_t offset_of(const struct region *r, size_t part)
{
    return r->list.items[region_site(r, part)].insn->offset;
}

/* The entries of the table are parts, except for a part that is shorter than a jump. Addresses of
 * other functions do not end the table. */
static void test_parts(void **state)
{
    struct region r;
    struct err err = {0};
    struct kernel *k = load();

    if (!region_find(k, find(k), &table_alone, &r, &err))
        fail_msg("%s", err.what);
    assert_true(r.dispatch && r.each_away && r.jumps_indirect);
    assert_int_equal(r.resumed.count, 2);
    assert_int_equal(r.unresumed, 1);
    assert_int_equal(offset_of(&r, 0), ADD);
    assert_int_equal(offset_of(&r, 1), SUM);
    assert_int_equal(offset_of(&r, 2), MIXED);
    region_done(&r);
    /* Without a readable table, there are no parts. */
    assert_false(region_find(k, find(k), NULL, &r, &err));
    region_done(&r);
    kernel_free(k);
}

/* Each mode has code for each part, and that code returns to the original. A thread that is stopped
 * after the count of a part counts the part again. */
static void test_code(void **state)
{
    struct region r;
    struct copies c;
    struct err err = {0};
    struct kernel *k = load();
    unsigned again = 0;

    assert_true(
        region_find(k, find(k), &table_alone, &r, &err));
    copies_make(&r, BIAS, &c);
    assert_true(code_resolve(&c.code, 0x10000, &err));
    for (enum copy_mode mode = 0; mode < COPY_MODES; mode++)
        assert_int_equal(c.resumes[mode].count, 2);
    assert_int_equal(c.anchors.count, 3);
    for (size_t i = 0; i < c.points.count; i++)
        again += c.points.items[i].unfinished == 1 &&
                 c.points.items[i].at == region_site(&r, 1);
    assert_int_equal(again, COPY_MODES + 1);   /* also at its anchor */
    for (size_t i = 0; i < c.code.fixups.count; i++) {
        const struct code_fixup *f = &c.code.fixups.items[i];
        if (f->label == CODE_UNPLACED)
            assert_true(f->target >= BIAS && f->target <= BIAS + END);
    }
    copies_done(&c);
    region_done(&r);
    kernel_free(k);
}

/* A thread in a system call keeps its counters when the mode changes. Blocks that it completed
 * earlier do not complete the next timing. */
static void test_waiting(void **state)
{
    struct process p = {.memory = memfd_create("memory", MFD_CLOEXEC)};
    enum copy_mode chosen[1] = {COPY_TIME};
    uint64_t period[1] = {16}, given[1] = {0}, earlier[1] = {0}, blocks = 20, left = 0;
    struct region r = {.dispatch = false};
    struct traced t = {.slot = 0};
    bool mixed = false;
    struct placed x = {.process = &p, .region = &r, .slot_count = 1, .chosen = chosen,
                       .period = period, .given = given, .earlier = earlier, .mixed = &mixed,
                       .mode = COPY_TIME};

    assert_true(p.memory >= 0);
    assert_true(process_write(&p, SLOT_BLOCKS, &blocks, sizeof blocks));
    assert_true(placed_completed(&x));
    placed_choose_waiting(&x, &t);
    assert_false(placed_completed(&x));
    blocks = 40;
    assert_true(process_write(&p, SLOT_BLOCKS, &blocks, sizeof blocks));
    assert_true(placed_completed(&x));
    placed_choose(&x, &t, 16, 0, true);
    x.mode = COPY_RECORD;
    given[0] = 2000;
    assert_true(process_write(&p, SLOT_RECORDS_LEFT, &left, sizeof left));
    assert_true(placed_completed(&x));
    placed_choose_waiting(&x, &t);
    assert_false(placed_completed(&x));
    placed_choose(&x, &t, 16, 2000, true);
    assert_false(placed_completed(&x));
    assert_true(process_write(&p, SLOT_RECORDS_LEFT, &left, sizeof left));
    assert_true(placed_completed(&x));
    close(p.memory);
}

/* Reads the table, or a mapping with a jump into the second byte of ADD, one to the start of SUM,
 * and a branch into the third byte of MIXED. */
static bool read_jumps(void *state, uint64_t address, void *out, size_t bytes)
{
    static const struct { uint8_t opcode[2]; uint32_t length, target; } jumps[] = {
        {{0xe9}, 1, ADD + 1}, {{0xe9}, 1, SUM}, {{0x0f, 0x84}, 2, MIXED + 2}};
    uint8_t mapped[MAPPED_BYTES];
    size_t n = 3;

    if (address < MAPPED)
        return read_table(state, address, out, bytes);
    memset(mapped, 0x90, sizeof mapped);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        memcpy(mapped + n, jumps[i].opcode, jumps[i].length);
        n += jumps[i].length;
        const uint32_t distance = jumps[i].target - (uint32_t)(MAPPED + n + 4);
        memcpy(mapped + n, &distance, 4);
        n += 4;
    }
    if (address - MAPPED + bytes > sizeof mapped)
        return false;
    memcpy(out, mapped + (address - MAPPED), bytes);
    return true;
}

/* A part into whose patch code outside of the function jumps, such as its cold part, is not
 * patched. */
static void test_entries(void **state)
{
    const struct region_memory memory = {read_jumps, NULL, BIAS, MAPPED, MAPPED + MAPPED_BYTES};
    struct region r;
    struct err err = {0};
    struct kernel *k = load();

    assert_true(region_find(k, find(k), &memory, &r, &err));
    assert_int_equal(r.resumed.count, 0);
    assert_int_equal(r.unresumed, 3);
    assert_int_equal(offset_of(&r, 0), SUM);
    region_done(&r);
    kernel_free(k);
}

/* Marks the blocks of a harvest of a thread that was stopped STEPS times. Returns their number.
 * @tracer: the stops are the tracer's own. */
static size_t waited_blocks(struct process *p, bool tracer)
{
    enum { STAMPS = 40, STEPS = 20 };
    enum copy_mode chosen[1] = {COPY_TIME};
    uint64_t period[1] = {16}, given[1] = {0}, earlier[1] = {0}, peeked[1] = {0}, stamps[STAMPS][6];
    uint64_t end = SLOT_STAMPS + sizeof stamps;
    struct region r = {.dispatch = false};
    struct copies c = {.times = {1, 1, 1, 1, 1, 1}};
    bool mixed = false;
    struct placed x = {.process = p, .region = &r, .copies = &c, .slot_count = 1, .period = period,
                       .chosen = chosen, .given = given, .earlier = earlier, .mixed = &mixed,
                       .peeked = peeked};
    size_t waited = 0;

    for (uint64_t i = 0; i < STAMPS; i++)
        memcpy(stamps[i], (uint64_t[]){1000 * i, 1000 * i + 50, 1000 * i + 90, 0, 0, 0}, 48);
    assert_true(process_write(p, SLOT_STAMPS, stamps, sizeof stamps));
    placed_begin_waits(&x);
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(ptrace(PTRACE_SINGLESTEP, p->tracees.items[0].tid, NULL, NULL), 0);
        assert_int_equal(waitpid(p->tracees.items[0].tid, NULL, 0), p->tracees.items[0].tid);
    }
    if (tracer)
        placed_begin_waits(&x);
    assert_true(process_write(p, SLOT_STAMP_AT, &end, sizeof end));
    placed_harvest(&x, &p->tracees.items[0]);
    assert_int_equal(x.timed.count, STAMPS - 1);
    for (size_t i = 0; i < x.timed.count; i++)
        waited += x.timed.items[i].waited;
    vec_done(&x.timed);
    return waited;
}

/* Stops by the tracer between two timings are not waits of the thread. Other stops are. */
static void test_own_stops(void **state)
{
    struct process p = {.memory = memfd_create("memory", MFD_CLOEXEC)};
    const pid_t child = fork();
    int status;

    if (!child) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(1);
        raise(SIGSTOP);
        for (;;)
            ;
    }
    assert_true(p.memory >= 0 && ftruncate(p.memory, SLOT_BYTES) == 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSTOPPED(status)) {
        close(p.memory);
        skip();
    }
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_EXITKILL), 0);
    vec_push(&p.tracees, ((struct traced){.tid = child, .slot = 0, .stopped = true}));
    assert_int_equal(waited_blocks(&p, true), 0);
    assert_true(waited_blocks(&p, false) >= 19);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    vec_done(&p.tracees);
    close(p.memory);
}

/* The simulated predictor learns a sequence of parts, but not a random one. */
static void test_predicted(void **state)
{
    struct region r;
    struct err err = {0};
    struct kernel *k = load();
    uint64_t seed = 88172645463325252u;

    assert_true(
        region_find(k, find(k), &table_alone, &r, &err));
    for (int random = 0; random < 2; random++) {
        struct placed x = {.region = &r};
        struct predicted_branches out;
        for (int i = 0; i < 6000; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            const uint64_t part = random ? (seed >> 20) % 3 : (uint64_t)i % 3;
            vec_push(&x.events, (uint64_t)EVENT_PART << 48 | part);
        }
        predictor_run(&x, &out);
        assert_int_equal(out.iterations, 4000);
        assert_int_equal(out.list.count, 3);
        /* A random part of three is mispredicted in two of three cases. */
        assert_true(random ? fabs(out.missed - 2.0 / 3) < 0.05 : out.missed < 0.01);
        predictor_done(&out);
        vec_done(&x.events);
    }
    region_done(&r);
    kernel_free(k);
}
/* lea table, rdx; jmp HEAD; MORE: add 1, rax; HEAD: add 1, rdi; cmp rsi, rdi; je END; cmp 3, ecx;
 * ja MORE; movslq (rdx,rcx,4), rcx; add rdx, rcx; jmp *rcx; CASE: sub rbx, rax; jmp MORE; END: ret */
static const char beyond_hex[] =
    "48 8d 15 f9 00 00 00 eb 04 48 83 c0 01 48 83 c7 01 48 39 f7 74 13 83 f9 03 77 ee 48 63 0c 8a "
    "48 01 d1 ff e1 48 29 d8 eb e0 c3";
enum { BEYOND_TABLE = 0x100, BEYOND_HEAD = 0xd, BEYOND_JUMP = 0x22, BEYOND_CASE = 0x24 };

static bool read_beyond(void *state, uint64_t address, void *out, size_t bytes)
{
    static const int32_t table[5] = {BEYOND_CASE - BEYOND_TABLE, BEYOND_CASE - BEYOND_TABLE,
                                     BEYOND_CASE - BEYOND_TABLE, BEYOND_CASE - BEYOND_TABLE, 0};

    (void)state;
    if (address < BEYOND_TABLE || address + bytes > BEYOND_TABLE + sizeof table)
        return false;
    memcpy(out, (const char *)table + (address - BEYOND_TABLE), bytes);
    return true;
}

/* A jump table after the loop's last branch belongs to the loop if its cases continue it. */
static void test_table_beyond(void **state)
{
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, beyond_hex, &err);
    const struct region_memory memory = {.read = read_beyond};
    struct region r;

    assert_true(k && k->loop_count);
    /* A compiled function has this loop: the range of the branch to MORE. */
    k->loops[0].first = 2;
    k->loops[0].count = 6;
    k->loops[0].head = 3;
    if (!region_find(k, 0, &memory, &r, &err))
        fail_msg("%s", err.what);
    assert_true(r.jumps_indirect);
    const uint32_t at[] = {BEYOND_HEAD, BEYOND_JUMP, BEYOND_CASE};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_true(region_at(&r, at[i]) != REGION_NONE &&
                    r.list.items[region_at(&r, at[i])].in_loop);
    const uint32_t before = region_at(&r, 7);
    assert_true(before == REGION_NONE || !r.list.items[before].in_loop);
    region_done(&r);
    kernel_free(k);
}

/* A file without section headers is refused if its code has the signature of restartable sequences.
 */
static void test_sequences(void **state)
{
    static const uint8_t signature[] = {0x90, 0x53, 0x30, 0x05, 0x53, 0x90};
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr program;
        uint8_t code[64];
    } file = {.header = {.e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 1}};
    struct insn insn = {.offset = 0};
    struct region_insn of = {.insn = &insn};
    const struct region r = {.list = {.items = &of, .count = 1}};
    const char *path = work_path("sequences");

    file.program = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
                                .p_offset = sizeof file.header + sizeof file.program,
                                .p_filesz = sizeof file.code};
    for (int with = 0; with < 2; with++) {
        struct err err = {0};
        const int fd = open(path, O_WRONLY | O_CREAT, 0600);
        if (with)
            memcpy(file.code + 40, signature, sizeof signature);
        assert_int_equal(write(fd, &file, sizeof file), sizeof file);
        close(fd);
        assert_int_equal(admit_sequences(NULL, path, &r, 0, &err), !with);
        assert_true(!with || strstr(err.what, "restartable sequences"));
    }
    unlink(path);
    struct err err = {0};
    assert_false(admit_sequences(NULL, path, &r, 0, &err));
}

/* The message of a refusal names the first obstacle that the system checks. */
static void test_refusal(void **state)
{
    const struct refusal plain = {.pid = 7, .reason = EPERM, .user = 1, .group = 1,
                                  .users = {1, 1, 1}, .groups = {1, 1, 1}};
    struct refusal r[10];
    static const char *const words[10] = {
        "PR_SET_DUMPABLE", "seccomp profile", "process 5 traces it", "rights of user 3",
        "rights of group 4", "ptrace_scope is 1", "ptrace_scope is 2", "ptrace_scope is 3",
        "although Portolan has the capability", "No such process"};

    for (size_t i = 0; i < 10; i++)
        r[i] = plain;
    r[1].call = true;
    r[1].scope = '1';
    r[2].tracer = 5;
    r[2].users[1] = 3;
    r[3].users[2] = 3;   /* Only the saved id differs. */
    r[3].scope = '1';
    r[4].groups[0] = 4;
    r[5].scope = '1';
    r[6].scope = '2';
    r[7].scope = '3';
    r[7].capable = true;
    r[8].scope = '2';
    r[8].capable = true;
    r[9].reason = ESRCH;
    for (size_t i = 0; i < 10; i++) {
        struct err err = {0};
        assert_false(refusal_tell(&r[i], &err));
        if (!strstr(err.what, words[i]) || !strstr(err.what, "ptrace of process 7 is refused"))
            fail_msg("%zu: %s", i, err.what);
    }
    r[5].ours = true;   /* A child may be traced with scope 1. */
    struct err err = {0};
    refusal_tell(&r[5], &err);
    assert_null(strstr(err.what, "ptrace_scope"));
    const struct refusal here = refusal_read(getpid(), EPERM, true);
    assert_true(here.users[0] == getuid() && here.groups[2] == getgid());
}

#endif

int main(void)
{
#if defined(__x86_64__)
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_own_stops),
        cmocka_unit_test(test_predicted),
        cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_table_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0;
#endif
}
