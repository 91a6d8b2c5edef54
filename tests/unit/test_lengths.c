/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each instruction in binutils' objdump output of programs and libraries is one instruction of
 * equal length here. SWEEP names directories in which all ELF files are compared, by one process
 * per CPU (make sweep). */
#include <ctype.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/support.h"
#include "base/names.h"
#include "isa/insn.h"
#include "toolchain/object.h"

/* Largest product of a file's numbers of symbols and sections. Above it, objdump is slow. */
#define SECTIONS_MANY 200

/* Memory that the processes of a sweep share. */
static struct counts {
    atomic_size_t next;   /* index of the next file */
    atomic_size_t files, instructions, different, bad;
} *counts;

/* Encodings already compared, indexed by hash, because libraries share most instructions. */
static struct compared { uint8_t code[15], length; } compared[1 << 20];

/* Returns whether the @length bytes at @code were compared before, and records them. */
static bool compared_before(const uint8_t *code, size_t length)
{
    struct compared this = {.length = (uint8_t)length};
    uint64_t hash = length;

    if (length > sizeof this.code)
        return false;
    memcpy(this.code, code, length);
    for (size_t i = 0; i < sizeof this.code; i++)
        hash = (hash ^ this.code[i]) * 0x100000001b3u;
    struct compared *at = &compared[(hash ^ hash >> 32) % (sizeof compared / sizeof *compared)];
    if (memcmp(at, &this, sizeof this) == 0)
        return true;
    *at = this;
    return false;
}

/* Returns whether @text is a prefix that objdump prints alone because it forms no instruction with
 * the next bytes. */
static bool stands_alone(const char *text)
{
    static const char *const alone[] = {"lock", "rep",      "repz",     "repnz", "data16", "addr32",
                                        "cs",   "ds",       "es",       "ss",    "fs",     "gs",
                                        "rex*", "xacquire", "xrelease", NULL};
    char word[16];

    for (int n; sscanf(text, "%15s%n", word, &n) == 1; text += n)
        if (!str_match_any(alone, word))
            return false;
    return true;
}

/* Returns whether the text after `lock` is a lockable instruction. Its last operand must be memory
 * that it reads and writes. */
static bool is_lockable(const char *text)
{
    static const char *const names[] = {"adc",     "add", "and",  "btc",  "btr", "bts",
                                        "cmpxchg", "dec", "inc",  "neg",  "not", "or",
                                        "sbb",     "sub", "xadd", "xchg", "xor"};

    text += strncmp(text, "rex", 3) == 0 ? strcspn(text, " ") + 1 : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return *text && text[strlen(text) - 1] == ')';
    return false;
}

/* Returns whether objdump's text is an invalid instruction: bytes that it does not decode or splits
 * at a symbol, missing control registers, or LOCK where it is not allowed. */
static bool is_bad(const char *text)
{
    const char *lock = strstr(text, "lock ");

    return strstr(text, "(bad)") || strstr(text, "%?") || strstr(text, "%cr") ||
           strstr(text, ",%cs") || strncmp(text, ".byte", 5) == 0 ||
           (lock && !is_lockable(lock + 5));
}

/* Parses address, length and text of ` 401000: 48 89 e5 mov %rsp,%rbp`. Returns false for other
 * lines. Data have no tab after their bytes. */
static bool line_read(const char *line, uint64_t *address, size_t *length, const char **text)
{
    char *colon;

    *address = strtoull(line, &colon, 16);
    if (colon == line || *colon != ':' || colon[1] != '\t')
        return false;
    *length = 0;
    for (*text = colon + 2; isxdigit((unsigned char)(*text)[0]) &&
                            isxdigit((unsigned char)(*text)[1]) && (*text)[2] == ' ';
         *text += 3)
        ++*length;
    *text += strspn(*text, " ");
    return *length > 0 && *(*text)++ == '\t';
}

/* Returns the section of @o named @name, or NULL if there is none or there are several of this
 * name. @names are the names of all sections, @numbers their indices. */
static const struct object_section *section_called(const struct object *o,
                                                   const struct names *names,
                                                   const uint32_t *numbers, const char *name)
{
    const uint32_t i = names_find(names, name);
    return i == UINT32_MAX || numbers[i] == UINT32_MAX ? NULL : &o->sections.items[numbers[i]];
}

/* Compares every @step-th instruction of the file at @path. */
static void check_file(const char *path, uint64_t step)
{
    struct object o;
    struct err err = {0};
    char command[4096], line[512];

    if (!object_read(path, 0, &o, &err) || o.isa != ISA_X86_64) {
        object_done(&o);
        return;
    }
    for (size_t i = 0; i < o.sections.count; i++)
        assert_true(
            insn_learn(o.isa, o.code + o.sections.items[i].offset, o.sections.items[i].size, &err));
    if (o.sections.count > SECTIONS_MANY)
        snprintf(command, sizeof command,
                 "objcopy -S --remove-relocations='*' '%s' '%s.%d' && objdump -dw --insn-width=15 "
                 "'%s.%d'; rm -f '%s.%d'",
                 path, work_path("stripped"), (int)getpid(), work_path("stripped"), (int)getpid(),
                 work_path("stripped"), (int)getpid());
    else
        snprintf(command, sizeof command, "objdump -dw --insn-width=15 '%s' 2>/dev/null", path);
    size_t shown = 0;
    struct names names = {0};
    uint32_t *numbers = calloc(o.sections.count + 1, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < o.sections.count; i++) {
        const size_t known = names.count;
        const uint32_t number = names_add(&names, o.sections.items[i].name);
        numbers[number] = names.count > known ? (uint32_t)i : UINT32_MAX;
    }
    FILE *listing = popen(command, "r");
    assert_non_null(listing);
    const struct object_section *section = NULL;
    while (fgets(line, sizeof line, listing)) {
        static const char head[] = "Disassembly of section ";
        uint64_t address;
        size_t length;
        const char *text;
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, head, sizeof head - 1) == 0) {
            line[strlen(line) - 1] = '\0';   /* a colon */
            section = section_called(&o, &names, numbers, line + sizeof head - 1);
        }
        if (!section || !line_read(line, &address, &length, &text) || address % step ||
            stands_alone(text) || address < section->address ||
            address - section->address + length > section->size)
            continue;
        const uint8_t *code = o.code + section->offset + (address - section->address);
        if (*code == 0x9b)   /* objdump joins fwait with the next instruction. */
            continue;
        if (is_bad(text)) {
            counts->bad++;
            continue;
        }
        counts->instructions++;
        if (compared_before(code, length))
            continue;
        char form[FORM_MAX];
        uint32_t traits = 0;
        size_t here = insn_form(o.isa, code, section->size - (size_t)(address - section->address),
                                form, &traits);
        /* With an operand-size prefix, objdump decodes jumps like AMD processors, and Zydis like
         * Intel's. */
        if (traits & INSN_BRANCH && *code == 0x66)
            continue;
        if (here == length)
            continue;
        counts->different++;
        if (shown++ < 10)
            print_message("# %s: %s: %zu bytes here (%s)\n", path, line, here,
                          here ? form : "none");
    }
    pclose(listing);
    names_done(&names);
    free(numbers);
    object_done(&o);
    counts->files++;
}

/* Files of a sweep. */
struct found { char *path; off_t size; dev_t device; ino_t inode; };
static VEC(struct found) found;

static int visit(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    if (kind == FTW_F && S_ISREG(status->st_mode) && !strchr(path, '\''))
        vec_push(&found,
                 ((struct found){strdup(path), status->st_size, status->st_dev, status->st_ino}));
    return 0;
}

/* Sorts the largest files first, to balance the processes. Names of one file are adjacent. */
static int by_size(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Compares the files with one process per CPU. Each process takes the next file when it has
 * finished one. */
static void check_found(void)
{
    const long processes = sysconf(_SC_NPROCESSORS_ONLN);

    qsort(found.items, found.count, sizeof *found.items, by_size);
    fflush(stdout);
    for (long i = 0; i < processes; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child)
            continue;
        for (size_t next; (next = counts->next++) < found.count;) {
            const struct found *this = &found.items[next], *before = this - 1;
            if (next == 0 || this->inode != before->inode || this->device != before->device)
                check_file(this->path, 1);
        }
        fflush(stdout);
        _exit(0);
    }
    for (long i = 0; i < processes; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
}

static void test_programs(void **state)
{
    const char *sweep = getenv("SWEEP");
    char directories[4096];

    if (sweep) {
        snprintf(directories, sizeof directories, "%s", sweep);
        for (char *at = strtok(directories, " "); at; at = strtok(NULL, " "))
            nftw(at, visit, 20, FTW_PHYS);
        check_found();
    } else {
        const char *program = getenv("PORTOLAN");
        if (!program)
            skip();
        check_file(program, 1);
        assert_true(counts->instructions > 10000);
    }
    print_message("# %zu files, %zu instructions, %zu of another length, %zu bad ones\n",
                  counts->files, counts->instructions, counts->different, counts->bad);
    assert_true(counts->different == 0);
}

#define SLOT 32   /* bytes of an encoding and its nops, so that an instruction that begins in a slot
                   * ends in it */

static void slot_add(const uint8_t *code, size_t n, size_t step, struct str *out)
{
    static size_t number;
    uint8_t slot[SLOT];

    if (number++ % step)
        return;
    memset(slot, 0x90, sizeof slot);
    memcpy(slot, code, n);
    str_add_bytes(out, (const char *)slot, sizeof slot);
}

/* Adds an opcode after @n bytes of prefixes, with operands: registers, addresses with and without a
 * scaled index and displacements, and every member of a group. */
static void operands_add(uint8_t code[SLOT], size_t n, size_t step, struct str *out)
{
    static const uint8_t operands[][6] = {
        {0xc3}, {0x03}, {0x43, 8}, {0x83, 0, 16}, {0x04, 0x33}, {0x84, 0xb3, 0, 16}, {0x05, 0, 16}};

    for (unsigned reg = 0; reg < 8; reg++)
        for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
            memset(code + n, 0x11, 12);
            memcpy(code + n, operands[k], sizeof *operands);
            code[n] = (uint8_t)(code[n] | reg << 3);
            slot_add(code, n + 12, step, out);
        }
}

/* Compares systematic encodings of opcodes with prefixes, VEX and EVEX: every 23rd with SWEEP,
 * otherwise every 211th. */
static void test_encodings(void **state)
{
    static const uint8_t prefixes[][3] =
        {{0},       {1, 0x66},       {1, 0xf2},       {1, 0xf3},
         {1, 0x48}, {2, 0x66, 0x48}, {2, 0xf2, 0x48}, {2, 0xf3, 0x48}},
                         maps[][3] = {{0}, {1, 0x0f}, {2, 0x0f, 0x38}, {2, 0x0f, 0x3a}};
    const size_t step = getenv("SWEEP") ? 23 : 211;
    struct str slots = {0};
    uint8_t code[SLOT];
    char command[1024];

    for (unsigned opcode = 0; opcode < 256; opcode++) {
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
            for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
                size_t n = prefixes[p][0];
                memcpy(code, prefixes[p] + 1, n);
                memcpy(code + n, maps[m] + 1, maps[m][0]);
                n += maps[m][0];
                code[n++] = (uint8_t)opcode;
                operands_add(code, n, step, &slots);
            }
        for (unsigned last = 0; last < 16; last++)
            for (unsigned map = 1; map <= 3; map++) {
                memcpy(code,
                       (const uint8_t[]){
                           0xc4, (uint8_t)(0xe0 | map),
                           (uint8_t)((last & 8) << 4 | (opcode & 1 ? 0x50 : 0x78) | (last & 7)),
                           (uint8_t)opcode},
                       4);
                operands_add(code, 4, step, &slots);
            }
        for (unsigned last = 0; last < 32; last++)
            for (unsigned map = 1; map <= 6; map++) {
                memcpy(code,
                       (const uint8_t[]){
                           0x62, (uint8_t)(0xf0 | map),
                           (uint8_t)((last & 4) << 5 | (opcode & 1 ? 0x50 : 0x78) | 4 | (last & 3)),
                           (uint8_t)(last >> 3 << 5 | 8), (uint8_t)opcode},
                       5);
                operands_add(code, 5, step, &slots);
            }
    }
    FILE *file = fopen(work_path("slots"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(slots.data, 1, slots.length, file), slots.length);
    fclose(file);
    work_put("slots.s", "\t.incbin \"slots\"\n");
    snprintf(command, sizeof command, "cd '%s' && as --64 -o slots.o slots.s", work_path(""));
    assert_int_equal(system(command), 0);
    counts->files = counts->instructions = counts->different = counts->bad = 0;
    check_file(work_path("slots.o"), SLOT);
    print_message("# %zu encodings, %zu instructions, %zu of another length, %zu bad ones\n",
                  slots.length / SLOT, counts->instructions, counts->different, counts->bad);
    assert_true(counts->instructions > slots.length / SLOT / 16);
    assert_true(counts->different == 0);
    str_done(&slots);
}

int main(void)
{
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_encodings)};
    return cmocka_run_group_tests_name("lengths", tests, NULL, NULL);
}
