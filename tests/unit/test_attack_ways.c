/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hostile blocks by special cases of instructions: pending exceptions, flags set during a page
 * fault, addresses at the ends of memory, caches, time. Also all privileged and system instructions
 * in their own encodings, and the registers at the start of a block. x86-64. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "isa/cpu.h"
#include "isa/foreign.h"
#include "isa/isa.h"
#include "../support/attacks.h"
#include "../support/support.h"

struct attack_case {
    const char *name, *hex;
    const char *after;   /* block measured after the attack; NULL for an addition */
};

#define ADDITION_X87 "d9e8 d8c0 ddd8"
#define SSE_ADDITION "0f58c1"
#define COPY "4889df 4889d6 b940000000 f3a4"      /* rdi = rbx, rsi = rdx; 64 bytes */
#define MISALIGNED "8b4301"                       /* mov eax, [rbx + 1] */
#define PUSH_POP "50 58"
#define ENVIRONMENT_AT 1984   /* offset of fnstenv's data within a page of the dump */
#define STEPS 12   /* number of cases between two checks of the next measurement */

static void run(const struct attack_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        attack(cases[i].name, cases[i].hex, 0, ANY, NULL);
        if (cases[i].after)
            value_as_fresh(cases[i].after, cases[i].name);
        else if (i % STEPS == 0)
            next_right(cases[i].name);
    }
}

/* Unmasks and raises each exception of SSE and x87: immediately, by the next x87 instruction, or by
 * the exit code. */
static void test_exceptions_unmasked(void **state)
{
    static const struct attack_case cases[] = {
        {"an invalid operation unmasked in SSE", "c74424c0001f0000 0fae5424c0 660fefc0 f30f5ec0",
         SSE_ADDITION},
        {"a denormal unmasked in SSE", "c74424c0801e0000 0fae5424c0 b801000000 660f6ec0 f30f59c0",
         NULL},
        {"a division by zero unmasked in SSE",
         "c74424c0801d0000 0fae5424c0 660fefc0 b80000803f 660f6ec8 f30f5ec8", SSE_ADDITION},
        {"an overflow unmasked in SSE", "c74424c0801b0000 0fae5424c0 b8ffff7f7f 660f6ec0 f30f59c0",
         NULL},
        {"an underflow unmasked in SSE", "c74424c080170000 0fae5424c0 b800008000 660f6ec0 f30f59c0",
         SSE_ADDITION},
        {"an inexact result unmasked in SSE",
         "c74424c0800f0000 0fae5424c0 b80100803f 660f6ec0 f30f59c0", NULL},
        {"an invalid operation unmasked in x87", "66c74424c07e03 d96c24c0 d9e8 d9e0 d9fa",
         ADDITION_X87},
        {"a division by zero unmasked in x87", "66c74424c07b03 d96c24c0 d9e8 d9ee def9", NULL},
        {"an overflow unmasked in x87", "66c74424c07703 d96c24c0 d9ea d9fd d9fd d9fd d8c8",
         ADDITION_X87},
        {"an inexact result unmasked in x87", "66c74424c05f03 d96c24c0 d9eb d9fa", NULL},
        {"an empty stack unmasked in x87", "66c74424c07e03 d96c24c0 ddd8 ddd8", ADDITION_X87},
        {"a full stack unmasked in x87",
         "66c74424c07e03 d96c24c0 d9e8 d9e8 d9e8 d9e8 d9e8 d9e8 d9e8 d9e8 d9e8", NULL},
        {"an x87 exception that waits for MMX", "66c74424c04003 d96c24c0 d9e8 d9ee def9 0f77",
         NULL},
        {"an x87 exception that waits for fwait", "66c74424c04003 d96c24c0 d9e8 d9ee def9 9b",
         NULL},
        {"an x87 exception that nothing waits for", "66c74424c04003 d96c24c0 d9e8 d9ee def9 4889d8",
         ADDITION_X87},
        {"exceptions unmasked and a page requested",
         "c74424c000000000 0fae5424c0 488b8300000005 0f5ec1", NULL},
        {"a division overflow", "48c7c0ffffffff 48c7c2ffffffff 31c9 ffc1 48f7f1", NULL},
        {"a signed division overflow", "31c0 480fbae83f 4899 48c7c1ffffffff 48f7f9", NULL},
        {"a division by zero", "31c9 f7f1", NULL},
        {"a division by zero from memory that is not there", "48f7b300000007", NULL},
        {"flags of all exceptions", "c74424c0bf1f0000 0fae5424c0", SSE_ADDITION},
        {"a pending exception from memory",
         "c74424a040030000 c74424a4ff800000 c74424a8ffff0000 d96424a0", NULL},
        {"x87 tags that lie", "c74424a07f030000 c74424a400000000 c74424a800000000 d96424a0 d8c1",
         ADDITION_X87},
    };
    run(cases, sizeof cases / sizeof *cases);
}

/* Tries flags that are still set when the signal handler, the page fault or the exit code
 * begins. */
static void test_flags_and_pages(void **state)
{
    static const struct { const char *name; unsigned bits;
    } flags[] = {
        {"the trap flag", 0x100},         {"the direction flag", 0x400},
        {"the privilege of I/O", 0x3000}, {"nested task", 0x4000},
        {"the resume flag", 0x10000},     {"virtual mode", 0x20000},
        {"alignment checks", 0x40000},
    };
    static const struct { const char *name, *hex;
    } actions[] = {
        {"a page that is not there", "488b8300000009"},
        {"a store that is not allowed", "488905000080ff"},
        {"a string over pages", "b900080000 f348ab"},
        {"a vector over two pages", "0f1083f90f0000 0f1183f91f0000"},
        {"no stack", "31e4"},
        {"nothing else", ""},
    };
    static const struct attack_case cases[] = {
        {"popf of 16 bits", "669c 66810c240001 669d", NULL},
        {"flags from a page that is not there", "488da30000000a 9d", NULL},
        {"flags from the code", "488d2500000000 9d", NULL},
        {"sahf", "b4ff 9e", NULL},
        {"flags pushed where nothing is", "488da30800000b 9c 9d", NULL},
    };
    char hex[96], name[80];
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
        for (size_t a = 0; a < sizeof actions / sizeof *actions; a++) {
            unsigned bits = flags[f].bits;
            /* pushfq; or dword ptr [rsp], bits; popfq */
            snprintf(hex, sizeof hex, "9c 810c24%02x%02x%02x00 9d %s", bits & 0xff,
                     bits >> 8 & 0xff, bits >> 16, actions[a].hex);
            snprintf(name, sizeof name, "%s and %s", flags[f].name, actions[a].name);
            attack(name, hex, 0, ANY, NULL);
        }
        value_as_fresh(flags[f].bits == 0x400 ? COPY : MISALIGNED, flags[f].name);
    }
    run(cases, sizeof cases / sizeof *cases);
    value_as_fresh(PUSH_POP, "flags and pages");
}

/* Tries every kind of access at the ends of regions of the address space. */
static void test_addresses(void **state)
{
    static const struct { const char *name; uint64_t at;
    } places[] = {
        {"the last page of user memory", 0x7fffffffe000},
        {"the last word", 0x7fffffffeff8},
        {"across the end", 0x7fffffffeffc},
        {"half of memory", 0x400000000000},
        {"the first page that may be", 0x10000},
        {"the page before it", 0xf000},
        {"across its beginning", 0xfffc},
        {"the least address of state", 0x200000000},
        {"below four gigabytes", 0xfffff000},
        {"across four gigabytes", 0xfffffffc},
        {"where vDSOs are", 0x7ffff7fc1000},
        {"beyond 47 bits", 0x800000000000},
        {"across 47 bits", 0x7ffffffffffc},
        {"57 bits", 0x100000000000000},
        {"a tag in bit 62", 0x4000000020000000},
        {"tags in bits 57 to 62", 0x7e00000020000000},
        {"the kernel's least address", 0xffff800000000000},
        {"the last byte", 0xffffffffffffffff},
        {"below vsyscall", 0xffffffffff5ff000},
        {"vsyscall", 0xffffffffff600000},
        {"vsyscall's second call", 0xffffffffff600400},
    };
    static const struct { const char *name, *hex;
    } accesses[] = {
        {"a load", "48b8< 488b18"},
        {"a store", "48b8< 488918"},
        {"16 bytes", "48b8< 0f1100"},
        {"a locked exchange", "48b8< f0480fb118"},
        {"a push", "48b8< 4889c4 53"},
        {"a prefetch and a flush", "48b8< 0f0d08 0fae38"},
        {"a string", "48b8< 4889c7 b920000000 f3aa"},
        {"x87's 80 bits", "48b8< db28 db38"},
    };
    char name[80];
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        for (size_t a = 0; a < sizeof accesses / sizeof *accesses; a++) {
            snprintf(name, sizeof name, "%s: %s", places[p].name, accesses[a].name);
            attack(name, accesses[a].hex, places[p].at, ANY, NULL);
        }
        if (p % 3 == 0)
            next_right(places[p].name);
    }
}

/* Tries accesses with implicit addresses, and instructions with several accesses. */
static void test_memory_operands(void **state)
{
    static const struct attack_case cases[] = {
        {"every 512th page", "488b03 4881c300002000", NULL},
        {"gathers from sixteen pages",
         "b800002000 c5f96ec8 62f27d4858c9 62f2754840c9 c5f446c9 62f27d4990040b", NULL},
        {"a gather from everywhere",
         "c5f446c9 62f3754825c9ff 62f1f54873d111 62f2fd499104cd00000000", NULL},
        {"a gather without a mask that faults", "c5f447c9 62f3754825c9ff 62f2fd499104c8", NULL},
        {"a scatter over the code", "c5f446c9 62f17548efc9 488d0500000000 62f2fd49a10408", NULL},
        {"masked loads of nothing", "c5f447c9 31c0 62f17fc96f00", NULL},
        {"masked stores to the code", "c5f447c9 62f17f497f0500000000", NULL},
        {"a compressed store at the end of memory", "48b8f8efffffff7f0000 c5f446c9 62f27d498b00",
         NULL},
        {"bits far from their operand", "48c7c0ffffffff 480fab03", NULL},
        {"bits far up", "48b8ffffffffff3f0000 480fbb03", NULL},
        {"bits of the code", "488d3d00000000 31c0 f0480fab07", NULL},
        {"a table that is not there", "48bb0000000000600000 d7", NULL},
        {"leave to anywhere", "48bd0000000000500000 c9 50", NULL},
        {"pop into what it points with", "488d6340 8f0424", NULL},
        {"push of what is not there", "ffb30000000d", NULL},
        {"a stack that grows over 600 pages", "4881ec00100000 50", NULL},
    };
    run(cases, sizeof cases / sizeof *cases);
}

/* Tries flushes, prefetches and unusual stores to the code, and locked accesses across two lines or
 * pages. */
static void test_caches_and_code(void **state)
{
    static const struct attack_case cases[] = {
        {"clflush of its own line", "0fae3d00000000", NULL},
        {"clflushopt of its own line", "660fae3d00000000", NULL},
        {"clwb of its own line", "660fae3500000000", NULL},
        {"prefetcht0 of its own line", "0f180d00000000", NULL},
        {"prefetchw of its own line", "0f0d0d00000000", NULL},
        {"prefetchnta of its own line", "0f180500000000", NULL},
        {"prefetcht2 of its own line", "0f181d00000000", NULL},
        {"cldemote of its own line", "0f1c0500000000", NULL},
        {"flushes of all copies, then a fence",
         "488d0500000000 0fae38 0fae7840 0faeb880000000 0faef0", NULL},
        {"a page of flushes", "0fae3b 4883c340 0faef8", NULL},
        {"64 bytes onto the code", "488d3d00000000 4889de 660f38f83e", NULL},
        {"a direct store onto the code", "488d3d00000000 480f38f907", NULL},
        {"a masked byte store onto the code", "488d3d00000000 660ff7c1", NULL},
        {"a line of zeros onto the code", "488d0500000000 0f01fc", NULL},
        {"x87 80 bits onto the code", "d9e8 db3d00000000", NULL},
        {"bcd onto the code", "d9e8 df3500000000", NULL},
        {"the stack onto the code, backwards", "488d2500100000 50 53", NULL},
        {"a byte of itself incremented", "fe05ffffffff", NULL},
        {"an exchange with its own opcode", "488d3d00000000 8607", NULL},
        {"split locks", "f04801433d", NULL},
        {"split locks over pages", "f0480fc183fd0f0000", NULL},
        {"a split exchange without lock", "488783fd0f0000", NULL},
        {"a split exchange of 16 bytes", "f0480fc78bf80f0000", NULL},
        {"streaming stores over lines", "480fc3433d 0faef8", NULL},
        {"a misaligned streaming store", "660fe74308", NULL},
        {"a misaligned streaming load", "660f382a4308", NULL},
    };
    run(cases, sizeof cases / sizeof *cases);
    next_right("caches and code");
}

static void test_long(void **state)
{
    static const struct attack_case cases[] = {
        {"sines of sines", "d9fe d9fe d9fe d9fe", NULL},
        {"arc tangents", "d9f3 d9f3 d9f3", NULL},
        {"bcd numbers", "df23 df33", NULL},
        {"denormals all the way", "b801000000 660f6ec0 f30f59c1 f30f59c1 f30f58c0", NULL},
        {"x87 denormals", "db2b d8c8 db3b", NULL},
        {"rep stosb for ever from one page to the next", "48c7c1ffffffff f3aa", NULL},
        {"rep stosb with overlap", "b900000100 488d77ff f3aa", NULL},
        {"rep stosb of no length", "31c9 f3aa", NULL},
        {"rep stosb backwards below everything", "fd b9a0860100 bf00000200 be00000200 f3aa", NULL},
        {"rep stosq for ever from one page to the next", "48c7c1ffffffff f348ab", NULL},
        {"rep stosq with overlap", "b900000100 488d77ff f348ab", NULL},
        {"rep stosq of no length", "31c9 f348ab", NULL},
        {"rep stosq backwards below everything", "fd b9a0860100 bf00000200 be00000200 f348ab",
         NULL},
        {"rep movsb for ever from one page to the next", "48c7c1ffffffff f3a4", NULL},
        {"rep movsb with overlap", "b900000100 488d77ff f3a4", NULL},
        {"rep movsb of no length", "31c9 f3a4", NULL},
        {"rep movsb backwards below everything", "fd b9a0860100 bf00000200 be00000200 f3a4", NULL},
        {"rep movsq for ever from one page to the next", "48c7c1ffffffff f348a5", NULL},
        {"rep movsq with overlap", "b900000100 488d77ff f348a5", NULL},
        {"rep movsq of no length", "31c9 f348a5", NULL},
        {"rep movsq backwards below everything", "fd b9a0860100 bf00000200 be00000200 f348a5",
         NULL},
        {"rep lodsb for ever from one page to the next", "48c7c1ffffffff f3ac", NULL},
        {"rep lodsb with overlap", "b900000100 488d77ff f3ac", NULL},
        {"rep lodsb of no length", "31c9 f3ac", NULL},
        {"rep lodsb backwards below everything", "fd b9a0860100 bf00000200 be00000200 f3ac", NULL},
        {"repne scasb for ever from one page to the next", "48c7c1ffffffff f2ae", NULL},
        {"repne scasb with overlap", "b900000100 488d77ff f2ae", NULL},
        {"repne scasb of no length", "31c9 f2ae", NULL},
        {"repne scasb backwards below everything", "fd b9a0860100 bf00000200 be00000200 f2ae",
         NULL},
        {"repe cmpsb for ever from one page to the next", "48c7c1ffffffff f3a6", NULL},
        {"repe cmpsb with overlap", "b900000100 488d77ff f3a6", NULL},
        {"repe cmpsb of no length", "31c9 f3a6", NULL},
        {"repe cmpsb backwards below everything", "fd b9a0860100 bf00000200 be00000200 f3a6", NULL},
        {"fences", "0faef0 0faee8 0faef8 0faef0 0faee8 0faef8", NULL},
        {"pauses by the hundred",
         "f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 "
         "f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 "
         "f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 "
         "f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390 f390",
         NULL},
        {"a chain of divisions",
         "48c7c2feffffff 48c7c0ffffffff 48c7c1ffffffff 48f7f1 48f7f1 48f7f1 48f7f1", NULL},
        {"the longest multiplication of masks", "c4e2fbf5c3 c4e2faf5c3 c4e2fbf5c3", NULL},
        {"loops by rcx", "e2fe", NULL},
        {"jrcxz to itself", "e3fe", NULL},
        {"a jump to itself", "ebfe", NULL},
        {"a jump over its own end", "eb00", NULL},
        {"parity for ever", "31c0 7afc", NULL},
    };
    run(cases, sizeof cases / sizeof *cases);
    next_right("long");
}

/* All instructions that control, query or leave the machine, by purpose, and with prefixes that do
 * not change the instruction. */
static void test_commands_refused(void **state)
{
    static const char *const instructions[] = {
        /* AMX */ "c4e2784903",
        "c4e2794903",
        "c4e27849c0",
        "c4e27b49c0",
        "c4e27b4b0418",
        "c4e27a4b0418",
        "c4e2735ec1",
        /* XSAVE and FXSAVE */ "0fae23",
        "0fae2b",
        "0fae33",
        "0fc723",
        "0fc72b",
        "0fc71b",
        "0fae03",
        "0fae0b",
        "0f01d0",
        "0f01d1",
        /* protection keys, bases of segments */ "0f01ee",
        "0f01ef",
        "f3480faec0",
        "f3480faec9",
        "f3480faed2",
        "f3480faedb",
        "f30faed8",
        /* user interrupts, enqueued commands, waiting */ "f30f01ec",
        "f30f01ed",
        "f30f01ee",
        "f30f01ef",
        "f30fc7f0",
        "f20f38f803",
        "f30f38f803",
        "f30faef0",
        "f20faef1",
        "660faef1",
        "0f01c8",
        "0f01c9",
        "0f01fa",
        "0f01fb",
        /* transactions */ "c7f800000000",
        "c6f800",
        "0f01d5",
        "0f01d6",
        "f20f01e8",
        "f20f01e9",
        /* SGX, VMX, SVM, SEV */ "0f01d7",
        "0f01cf",
        "0f01c0",
        "0f01c1",
        "0f01c2",
        "0f01c3",
        "0f01c4",
        "0f01d4",
        "0f78c0",
        "0f79c0",
        "0f01d8",
        "0f01d9",
        "0f01da",
        "0f01db",
        "0f01dc",
        "0f01dd",
        "0f01de",
        "0f01df",
        "f20f01ff",
        "f30f01ff",
        "f30f01fe",
        /* shadow stacks */ "f3480f1ec8",
        "f3480faee8",
        "f30f01ea",
        "f30f012b",
        "f30f01e8",
        "f30fae33",
        "480f38f603",
        "66480f38f503",
        /* whole caches and TLBs, serialising */ "0f01c5",
        "f30f09",
        "0f09",
        "0f08",
        "0f013b",
        "660f38823b",
        "0f01e8",
        "f30f3af0c000",
        /* clocks, counters, processor numbers */ "0f01f8",
        "0f01f9",
        "f30fc7f8",
        "480fc7f0",
        "480fc7f8",
        "0f33",
        "0f31",
        "0f32",
        "0f30",
        "0fa2",
        "0f01fd",
        /* tables, control and debug registers, segments */ "0f0113",
        "0f0103",
        "0f010b",
        "0f011b",
        "0f01e0",
        "0f01f0",
        "0f00c0",
        "0f00c8",
        "0f00d0",
        "0f00d8",
        "0f00e0",
        "0f00e8",
        "0f02c0",
        "0f03c0",
        "0f20c0",
        "0f22c0",
        "0f21c0",
        "0f23c0",
        "8cc0",
        "8ce8",
        "8ec0",
        "8ed0",
        "0fa0",
        "0fa8",
        "0fa1",
        "0fa9",
        "0fb403",
        "0fb503",
        "0fb203",
        "0f01ca",
        "0f01cb",
        "0f06",
        /* devices */ "e400",
        "e600",
        "e500",
        "e700",
        "ec",
        "ed",
        "ee",
        "ef",
        "6c",
        "6d",
        "6e",
        "6f",
        "f36c",
        "f36f",
        "f4",
        "fa",
        "fb",
        /* traps, of current and former CPUs */ "cc",
        "cd03",
        "cd04",
        "cd2e",
        "cd80",
        "cdff",
        "ce",
        "f1",
        "0fffc0",
        "0fb9c0",
        "0f0b",
        "06",
        "0e",
        "1e",
        "27",
        "37",
        "60",
        "61",
        "9a000000000000",
        "ea000000000000",
        "d6",
        "c403",
        "c503",
        /* far and near exits, stack frames */ "ff1b",
        "48ff1b",
        "ff2b",
        "48ff2b",
        "cb",
        "ca0000",
        "cf",
        "48cf",
        "c8000000",
        "c8ffffff",
        "ffd0",
        "ff13",
        "ffe0",
        "ff23",
        "c3",
        "c20000",
        "e800000000",
        /* system calls of other systems */ "0f05",
        "0f34",
        "0f07",
        "480f07",
        "0f35",
        "480f35",
        "0fa7c0",
        "f30fa7c8",
        "f30fa6c0",
        "f30fa6c8",
        /* bounds, keys, traces, profiles, encodings reserved for future CPUs */ "f30f1b03",
        "0f1a03",
        "0f1b03",
        "660f1a03",
        "f30f38dcc1",
        "f30f38fac0",
        "f30f38dc03",
        "f3480faee0",
        "8fe97812c0",
        "8fea781203 00000000",
        "62f47c0801d8",
        "d50001d8",
        "d51801d8",
        "d58005",
        "d5080f05",
        "f20f38f8c0",
        "f30f38f8c0",
    };
    static const char *const prefixes[] = {"", "64", "67", "40", "2e3e2636"};
    char hex[96];
    assert_true(sizeof instructions / sizeof *instructions > 150);
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
            snprintf(hex, sizeof hex, "4801d8 %s%s 4801d8", prefixes[p], instructions[i]);
            attack(hex, hex, 0, REFUSED, "");
        }
    next_right("commands");
}

/* An address range. */
struct stretch { uint64_t begin, end; };

/* Lists at most @most ranges of writable memory without a file of process @pid (0 for this process)
 * in @out. With @name, lists the mappings of a file of @name instead. */
static size_t memory_of(int pid, const char *name, struct stretch *out, size_t most)
{
    char path[64], line[512];
    size_t n = 0;

    snprintf(path, sizeof path, pid ? "/proc/%d/maps" : "/proc/self/maps", pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (n < most && fgets(line, sizeof line, f)) {
        char rights[8];
        unsigned long long inode;
        struct stretch s;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %llu", &s.begin, &s.end, rights,
                   &inode) == 4 &&
            (name ? strstr(line, name) != NULL : inode == 0 && rights[1] == 'w'))
            out[n++] = s;
    }
    fclose(f);
    return n;
}

/* Writes code of a block that stores all writable registers to adjacent addresses below the stack
 * pointer. Returns its length. */
static size_t dump_code(uint8_t *code, bool wide)
{
    size_t at = 0;
    for (unsigned r = 0; r < (wide ? 32u : 16u); r++) {
        /* vmovups [rsp + d32], zmm */
        const uint8_t zmm[] = {0x62, (uint8_t)(0x61 | !(r >> 3 & 1) << 7 | !(r >> 4) << 4),
                               0x7c, 0x48,
                               0x11, (uint8_t)(0x84 | (r & 7) << 3),
                               0x24};
        /* movups [rsp + d32], xmm */
        const uint8_t xmm[] = {(uint8_t)(0x40 | r >> 3 << 2), 0x0f, 0x11,
                               (uint8_t)(0x84 | (r & 7) << 3), 0x24};
        int32_t d = (int32_t)(64 * r) - 2048;
        memcpy(code + at, wide ? zmm : xmm, wide ? sizeof zmm : sizeof xmm);
        at += wide ? sizeof zmm : sizeof xmm;
        memcpy(code + at, &d, 4);
        at += 4;
    }
    static const uint8_t environment[] = {0xd9, 0xb4, 0x24};   /* fnstenv [rsp + d32] */
    int32_t d = ENVIRONMENT_AT - 4096;
    memcpy(code + at, environment, 3);
    memcpy(code + at + 3, &d, 4);
    at += 7;
    for (unsigned r = 0; r < 8; r++) {
        /* movq, kmovq [rsp + d32] */
        const uint8_t mmx[] = {0x0f, 0x7f, (uint8_t)(0x84 | r << 3), 0x24},
                      mask[] = {0xc4, 0xe1, 0xf8, 0x91, (uint8_t)(0x84 | r << 3), 0x24};
        d = (int32_t)(8 * r) - 2048 - 192;
        memcpy(code + at, mmx, 4);
        memcpy(code + at + 4, &d, 4);
        at += 8;
        if (!wide)
            continue;
        d -= 64;
        memcpy(code + at, mask, 6);
        memcpy(code + at + 6, &d, 4);
        at += 10;
    }
    for (unsigned r = 0; r < 16; r++)   /* push */
        if (r >= 8)
            code[at++] = 0x41, code[at++] = (uint8_t)(0x50 | (r & 7));
        else
            code[at++] = (uint8_t)(0x50 | r);
    return at;
}

/* Runs @code in a child for foreign code, which remains alive. */
static void run_dump(const uint8_t *code, size_t length, bool wide, uint64_t r8)
{
    struct err err = {0};
    struct sandbox_item *item = sandbox_items(sandbox);
    uint32_t offset;

    sandbox_clear(sandbox);
    assert_true(sandbox_add(sandbox, code, length, 1, COUNTER_MEMORY, &offset));
    *item = (struct sandbox_item){
        .mode = SANDBOX_RAW_TICKS,
        .code = PULSE_ITEM,
        .offset = offset,
        .kernel = true,
        .counter = COUNTER_MEMORY,
        .warm = 0,
        .count = 1,
        .samples = 1,
        .vectors = sandbox_setup(&(struct body){.vectors = wide ? BODY_EVEX : BODY_SSE})};
    for (unsigned r = 0; r < 16; r++)
        item->general[r] = 0x20000000 + r * 0x100000;
    item->general[8] = r8;
    assert_true(sandbox_run(sandbox, 1, NULL, NULL, NULL, &err));
    assert_int_equal(item->fault, FAULT_NONE);
}

static bool within(uint64_t value, uint64_t begin, uint64_t end)
{
    return value >= begin && value < end;
}

/* Returns the number of values in @pages that are addresses within @own: complete values, and the
 * halves of addresses in x87's environment. */
static unsigned addresses_found(const struct stretch *pages, const struct stretch *own, size_t n)
{
    unsigned found = 0;
    for (uint64_t at = pages->begin; at + 8 <= pages->end; at += 4) {
        uint64_t value, in_page = (at - pages->begin) % 4096;
        bool half = within(in_page, ENVIRONMENT_AT, ENVIRONMENT_AT + 28);
        memcpy(&value, (const void *)at, 8);
        for (size_t i = 0; i < n; i++)
            found +=
                within(value, own[i].begin, own[i].end) ||
                (half && within((uint32_t)value, (uint32_t)own[i].begin, (uint32_t)own[i].end));
    }
    return found;
}

/* At the start of a block no register of any kind contains an address of the child's state, or of
 * memory that only the child has. */
static void test_no_address_in_registers(void **state)
{
    uint8_t code[1024];
    struct stretch pages, own[64], ours[256];
    bool wide = cpu_vector_bits() >= 512;
    size_t length = dump_code(code, wide), n = 0;

    run_dump(code, length, wide, 0);
    assert_int_equal(memory_of(0, "portolan-page", &pages, 1), 1);
    size_t had = memory_of(getpid(), NULL, ours, 256),
           has = memory_of(sandbox_pid(sandbox, true), NULL, own, 64);
    for (size_t i = 0; i < has; i++) {
        bool shared = false;
        for (size_t k = 0; k < had; k++)
            shared |= own[i].begin >= ours[k].begin && own[i].end <= ours[k].end;
        if (!shared)
            own[n++] = own[i];
    }
    /* the child's state, signal stack and stack */
    assert_true(n >= 3);
    assert_int_equal(addresses_found(&pages, own, n), 0);
    /* As a control, the search must find an address that is present. */
    uint64_t at = own[0].begin + 64;
    uint32_t half = (uint32_t)at;
    memcpy((void *)(pages.begin + 128), &at, sizeof at);
    assert_int_equal(addresses_found(&pages, own, n), 1);
    memcpy((void *)(pages.begin + ENVIRONMENT_AT + 20), &half, sizeof half);
    assert_int_equal(addresses_found(&pages, own, n), 2);
    sandbox_clear(sandbox);
    nothing_left("registers");
}

static void test_values(void **state)
{
    print_message("%u of %u next measurements had a value, all of them within 1 %%\n", values_had,
                  values_asked);
    assert_true(values_asked >= 20);
    assert_true(2 * values_had > values_asked);
}

static void test_elsewhere(void **state)
{
    print_message("x86-64 machine code is not tried here\n");
}

/* Blocks with an arena may write only inside of it. It is new for each process, and all other
 * protection is unchanged. */
static void test_arena(void **state)
{
    struct err err = {0};
    assert_true(sandbox_arena(sandbox, (size_t)4 << 20, true, &err));
    const uint64_t at = sandbox_arena_at(sandbox), size = (uint64_t)4 << 20;
    attack("a store to the arena", "48b8< 488918", at, VALUE, NULL);
    attack("behind the arena", "48b8< 488918", at + size, REFUSED, "outside the mapped memory");
    attack("before the arena", "48b8< 488918", at - 8, REFUSED, "outside the mapped memory");
    attack("across its end", "48b8< 488918", at + size - 4, REFUSED, "outside the mapped memory");
    attack("all of it, and on", "48bf< b9ffffffff fc f348ab", at, ANY, NULL);
    attack("all of it backwards, and on", "48bf< b9ffffffff fd f348ab fc", at + size - 8, ANY,
           NULL);
    attack("a pointer is left there", "48b8< 48c70000000020 488b08", at, ANY, NULL);
    attack("nothing is left for the next", "48b8< 488b00 488b08", at, REFUSED, "cannot be mapped");
    attack("code in the arena", "48b8< ffe0", at, REFUSED, "");
    attack("endless next to an arena", "b9ffffffff fc f3ac", 0, ANY, NULL);
    next_right("an arena");
    assert_true(sandbox_arena(sandbox, 0, false, &err));
    attack("the arena is gone", "48b8< 488b08", at - 8, ANY, NULL);
    nothing_left("an arena");
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(test_elsewhere)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exceptions_unmasked),
                                       cmocka_unit_test(test_flags_and_pages),
                                       cmocka_unit_test(test_addresses),
                                       cmocka_unit_test(test_memory_operands),
                                       cmocka_unit_test(test_caches_and_code),
                                       cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_commands_refused),
                                       cmocka_unit_test(test_no_address_in_registers),
                                       cmocka_unit_test(test_arena),
                                       cmocka_unit_test(test_values)};
    if (!attacks_possible())
        return cmocka_run_group_tests(others, NULL, NULL);
    return cmocka_run_group_tests_name("attack_ways", tests, attacks_begin, attacks_end);
}
