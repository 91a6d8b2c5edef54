/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each instruction that binutils' objdump shows of programs and libraries is one instruction here, as long. SWEEP: the directories whose ELF files are all taken (make sweep). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/support.h"
#include "base/file.h"
#include "isa/insn.h"
#include "toolchain/object.h"

static size_t files, instructions, different, bad;

/* Prefixes that objdump shows alone: what follows makes no instruction with them. */
static bool stands_alone(const char *text)
{
    static const char *const alone[] = {"lock", "rep", "repz", "repnz", "data16", "addr32", "cs", "ds", "es", "ss", "fs", "gs", "rex*", "xacquire", "xrelease", NULL};
    char word[16];

    for (int n; sscanf(text, "%15s%n", word, &n) == 1; text += n)
        if (!str_match_any(alone, word))
            return false;
    return true;
}

/* `  401000:	48 89 e5             	mov    %rsp,%rbp`: the place and length, and the text; false for other lines. */
static bool line_read(const char *line, uint64_t *address, size_t *length, const char **text)
{
    char *colon;

    *address = strtoull(line, &colon, 16);
    if (colon == line || *colon != ':' || colon[1] != '\t')
        return false;
    *length = 0;
    for (*text = colon + 2; isxdigit((unsigned char)(*text)[0]) && isxdigit((unsigned char)(*text)[1]) && (*text)[2] == ' '; *text += 3)
        ++*length;
    *text += strspn(*text, " \t");
    return *length > 0;
}

/* Of the file at @path the instructions at multiples of @step. */
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
        assert_true(insn_learn(o.isa, o.code + o.sections.items[i].offset, o.sections.items[i].size, &err));
    snprintf(command, sizeof command, "objdump -dw --insn-width=15 '%s' 2>/dev/null", path);
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
            const char *name = line + sizeof head - 1;
            section = NULL;
            for (size_t i = 0; i < o.sections.count; i++)
                if (strlen(o.sections.items[i].name) == strlen(name) - 1 && strncmp(o.sections.items[i].name, name, strlen(name) - 1) == 0)
                    section = section ? NULL : &o.sections.items[i];   /* several of one name cannot be told apart */
        }
        if (!section || !line_read(line, &address, &length, &text) || address % step || stands_alone(text) || address < section->address || address - section->address + length > section->size)
            continue;
        const uint8_t *code = o.code + section->offset + (address - section->address);
        if (*code == 0x9b)   /* objdump joins fwait and what follows */
            continue;
        if (strstr(text, "(bad)") || strstr(text, "%?") || strstr(text, "%cr") || strstr(text, ",%cs")) {   /* it has control registers that there are not */
            bad++;
            continue;
        }
        char form[FORM_MAX];
        uint32_t traits = 0;
        size_t here = insn_form(o.isa, code, section->size - (size_t)(address - section->address), form, &traits);
        /* With an operand-size prefix objdump reads jumps as AMD's processors do, Zydis as Intel's. */
        if (traits & INSN_BRANCH && *code == 0x66)
            continue;
        instructions++;
        if (here == length)
            continue;
        if (different++ < 50)
            print_message("# %s: %s: %zu bytes here (%s)\n", path, line, here, here ? form : "none");
    }
    pclose(listing);
    object_done(&o);
    files++;
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)walk;
    if (kind == FTW_F && S_ISREG(status->st_mode) && !strchr(path, '\''))
        check_file(path, 1);
    return 0;
}

static void test_programs(void **state)
{
    (void)state;
    const char *sweep = getenv("SWEEP");
    char directories[4096];

    if (sweep) {
        snprintf(directories, sizeof directories, "%s", sweep);
        for (char *at = strtok(directories, " "); at; at = strtok(NULL, " "))
            nftw(at, visit, 20, FTW_PHYS);
    } else {
        const char *program = getenv("PORTOLAN");
        if (!program)
            skip();
        check_file(program, 1);
        assert_true(instructions > 10000);
    }
    print_message("# %zu files, %zu instructions, %zu of another length, %zu bad ones\n", files, instructions, different, bad);
    assert_true(different == 0);
}

#define SLOT 32   /* an encoding and nops, among which whatever begins in it ends */

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

/* An opcode behind @n bytes of prefixes with operands: registers, addresses with and without a scaled index and displacements, and every member of a group. */
static void operands_add(uint8_t code[SLOT], size_t n, size_t step, struct str *out)
{
    static const uint8_t operands[][6] = {{0xc3}, {0x03}, {0x43, 8}, {0x83, 0, 16}, {0x04, 0x33}, {0x84, 0xb3, 0, 16}, {0x05, 0, 16}};

    for (unsigned reg = 0; reg < 8; reg++)
        for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
            memset(code + n, 0x11, 12);
            memcpy(code + n, operands[k], sizeof *operands);
            code[n] = (uint8_t)(code[n] | reg << 3);
            slot_add(code, n + 12, step, out);
        }
}

/* Encodings by their tables: opcodes with prefixes, VEX and EVEX; every 23rd with SWEEP, else every 211th. */
static void test_encodings(void **state)
{
    static const uint8_t prefixes[][3] = {{0}, {1, 0x66}, {1, 0xf2}, {1, 0xf3}, {1, 0x48}, {2, 0x66, 0x48}, {2, 0xf2, 0x48}, {2, 0xf3, 0x48}}, maps[][3] = {{0}, {1, 0x0f}, {2, 0x0f, 0x38}, {2, 0x0f, 0x3a}};
    (void)state;
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
                memcpy(code, (const uint8_t[]){0xc4, (uint8_t)(0xe0 | map), (uint8_t)((last & 8) << 4 | (opcode & 1 ? 0x50 : 0x78) | (last & 7)), (uint8_t)opcode}, 4);
                operands_add(code, 4, step, &slots);
            }
        for (unsigned last = 0; last < 32; last++)
            for (unsigned map = 1; map <= 6; map++) {
                memcpy(code, (const uint8_t[]){0x62, (uint8_t)(0xf0 | map), (uint8_t)((last & 4) << 5 | (opcode & 1 ? 0x50 : 0x78) | 4 | (last & 3)), (uint8_t)(last >> 3 << 5 | 8), (uint8_t)opcode}, 5);
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
    files = instructions = different = bad = 0;
    check_file(work_path("slots.o"), SLOT);
    print_message("# %zu encodings, %zu instructions, %zu of another length, %zu bad ones\n", slots.length / SLOT, instructions, different, bad);
    assert_true(instructions > slots.length / SLOT / 16);
    assert_true(different == 0);
    str_done(&slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_encodings)};
    return cmocka_run_group_tests_name("lengths", tests, NULL, NULL);
}
