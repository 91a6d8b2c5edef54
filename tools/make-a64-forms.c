/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes data/isa/aarch64.csv. Tries instruction words systematically and determines the form of
 * each. Stores one row for each form whose instance the assembler accepts and that decodes back to
 * the same form. The extension is the first architecture of a list with which the assembler
 * accepts it.
 *
 *     make-a64-forms > data/isa/aarch64.csv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "base/csv.h"
#include "isa/a64/decode.h"
#include "isa/a64/parts.h"
#include "toolchain/assemble.h"
#include "isa/forms.h"

struct row {
    char *form, *template;
    const char *extension;
    bool dropped;
};

static VEC(struct row) rows;
static uint32_t slots[1 << 16];   /* row number + 1, by hash of the form */

/* In this order, the first architecture that accepts the instruction names its extension. */
static const struct { const char *name, *march;
} extensions[] = {
    {"base", "armv8-a"},
    {"crc", "armv8-a+crc"},
    {"crypto", "armv8-a+crypto"},
    {"lse", "armv8-a+lse"},
    {"rdma", "armv8-a+rdma"},
    {"fp16", "armv8.2-a+fp16"},
    {"dotprod", "armv8.2-a+dotprod"},
    {"fp16fml", "armv8.2-a+fp16fml"},
    {"sha3", "armv8.2-a+sha3"},
    {"sm4", "armv8.2-a+sm4"},
    {"v8.1", "armv8.1-a"},
    {"v8.2", "armv8.2-a"},
    {"v8.3", "armv8.3-a"},
    {"v8.3fp16", "armv8.3-a+fp16"},
    {"v8.4", "armv8.4-a"},
    {"v8.5", "armv8.5-a"},
    {"bf16", "armv8.2-a+bf16"},
    {"i8mm", "armv8.2-a+i8mm"},
    {"sve", "armv8.2-a+sve"},
    {"sve+", "armv8.2-a+sve+bf16+i8mm+f32mm+f64mm"},
    {"sve2", "armv8.2-a+sve2"},
    {"sve2+", "armv8.2-a+sve2+sve2-bitperm+sve2-aes+sve2-sha3+sve2-sm4"},
    {"rng", "armv8.5-a+rng"},
    {"memtag", "armv8.5-a+memtag"},
    {"all", "all"},
};

/* User instructions in the system space, which is not searched, and pairs of registers, of which
 * the search tries only odd ones. */
static const char extras[] = "casp w0, w1, w2, w3, [x4]\ncasp x0, x1, x2, x3, [x4]\ncaspa w0, w1, "
                             "w2, w3, [x4]\ncaspa x0, x1, x2, x3, [x4]\n"
                             "caspl w0, w1, w2, w3, [x4]\ncaspl x0, x1, x2, x3, [x4]\ncaspal w0, "
                             "w1, w2, w3, [x4]\ncaspal x0, x1, x2, x3, [x4]\n"
                             "nop\nret\nyield\nsvc #0\nbrk #1\nisb\ndmb ish\ndmb ishld\ndmb "
                             "ishst\ndmb sy\ndmb ld\ndmb st\ndsb ish\ndsb ishst\ndsb sy\ndsb ld\n"
                             "mrs x1, nzcv\nmrs x1, fpcr\nmrs x1, fpsr\nmrs x1, tpidr_el0\nmrs x1, "
                             "cntvct_el0\nmrs x1, cntfrq_el0\nmrs x1, dczid_el0\nmrs x1, ctr_el0\n"
                             "msr nzcv, x1\nmsr fpcr, x1\nmsr fpsr, x1\nmsr tpidr_el0, x1\ndc zva, "
                             "x1\ndc cvac, x1\ndc cvau, x1\ndc civac, x1\nic ivau, x1\n";

static uint32_t *slot_of(const char *form)
{
    uint32_t hash = 2166136261u;
    for (const char *c = form; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    uint32_t at = (hash ^ hash >> 16) & 0xffff;
    while (slots[at] && strcmp(rows.items[slots[at] - 1].form, form) != 0)
        at = (at + 1) & 0xffff;
    return &slots[at];
}

static void try(uint32_t word, bool system)
{
    struct a64_text text;
    struct a64_access access;
    struct str template = {0};
    char form[FORM_MAX];

    if (!a64_read(word, 0, &text))
        return;
    a64_access_of(&text, &access);
    if ((access.traits & INSN_SYSTEM) && !system)
        return;
    a64_text_form(&text, form);
    uint32_t *slot = slot_of(form);
    if (*slot)
        return;
    if (rows.count + 1 >= sizeof slots / sizeof *slots / 2)
        die("more than %zu forms: make the table larger", rows.count);
    a64_text_template(&text, access.operands, &template);
    vec_push(&rows, ((struct row){mem_strdup(form), str_take(&template), NULL, false}));
    *slot = (uint32_t)rows.count;
}

/* Tries the words with bits 31 to 21 equal to @top, these registers, and all values of the middle
 * bits. */
static void try_all(uint32_t top, uint32_t third, uint32_t second, uint32_t first)
{
    /* bits 28 to 25, the main encoding groups; 0, 1 and 3 contain no user instructions */
    uint32_t group = top >> 4 & 15;
    for (uint32_t middle = 0; group != 0 && group != 1 && group != 3 && middle < 64; middle++)
        try(top << 21 | third << 16 | middle << 10 | second << 5 | first, false);
}

/* Returns whether Capstone lacks instructions of the group: SVE, loads and stores, SIMD, operations
 * on registers. */
static bool has_gaps(uint32_t top)
{
    uint32_t group = top >> 4 & 15;
    return group == 2 || (group & 5) == 4 || (group & 7) == 7 || (group & 7) == 5;
}

/* Decodes the words of @top that Capstone lacks with the second disassembler. */
static void learn(uint32_t top, const uint32_t (*combinations)[2], size_t count)
{
    VEC(uint8_t) code = {0};
    struct err err = {0};
    for (uint32_t third = 0; third < 32; third++)
        for (uint32_t middle = 0; middle < 64; middle++)
            for (size_t i = 0; i < count; i++) {
                uint32_t word = top << 21 | third << 16 | middle << 10 | combinations[i][1] << 5 |
                                combinations[i][0];
                for (unsigned k = 0; k < 4; k++)
                    vec_push(&code, (uint8_t)(word >> 8 * k));
            }
    if (!a64_learn(code.items, code.count, &err))
        die("%s", err.what);
    vec_done(&code);
}

static void search(void)
{
    /* Destination and first source. Pairs of distinct registers come first, so equal registers are
     * tried only if the encoding requires them. The last pairs have values that encode sp, xzr or
     * operations. */
    static const uint32_t combinations[][2] = {{1, 2},  {1, 31}, {31, 2},  {0, 2}, {8, 2},  {16, 2},
                                               {24, 2}, {1, 0},  {1, 4},   {1, 8}, {1, 16}, {17, 2},
                                               {9, 2},  {25, 2}, {17, 18}, {1, 18}};
    static const uint32_t thirds[] = {3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                      14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                      25, 26, 27, 28, 29, 30, 31, 0,  2,  1};
    size_t count = sizeof combinations / sizeof *combinations;
    for (uint32_t top = 0; top < 2048; top++) {
        if (has_gaps(top))
            learn(top, combinations, (top >> 4 & 15) == 2 || (top >> 4 & 7) == 7 ? count : 3);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < 32; k++)
                try_all(top, thirds[k], combinations[i][1], combinations[i][0]);
        if (top % 256 == 255)
            fprintf(stderr, "%u of 2048: %zu forms\n", top + 1, rows.count);
    }
}

static void path_in(struct str *path, const char *directory, const char *name)
{
    str_clear(path);
    str_addf(path, "%s/%s", directory, name);
}

/* Assembles @text for @march and stores its output in @messages. Returns false if lines were
 * rejected. */
static bool assemble_file(const char *directory, const char *march, const struct str *text,
                          struct str *messages)
{
    struct str path = {0}, command = {0};
    struct err err;
    path_in(&path, directory, "f.s");
    if (!file_write(str_text(&path), text->data, text->length, &err))
        die("%s", err.what);
    str_addf(&command,
             "aarch64-linux-gnu-as -march=%s -o '%s/f.o' '%s/f.s' 2>'%s/f.err' && "
             "aarch64-linux-gnu-objcopy -O binary -j .text '%s/f.o' '%s/f.bin'",
             march, directory, directory, directory, directory, directory);
    int status = system(str_text(&command));
    path_in(&path, directory, "f.err");
    str_clear(messages);
    if (!file_read(str_text(&path), (size_t)64 << 20, messages, &err))
        die("%s", err.what);
    str_done(&path);
    str_done(&command);
    return status == 0;
}

static void instance_of(size_t i, struct str *out)
{
    struct form_row row = {rows.items[i].form, rows.items[i].template, NULL, ISA_AARCH64};
    form_instance(&row, out);
}

/* Sets the extension of rows without one to @which if the assembler accepts them for it. */
static void extend(const char *directory, size_t which)
{
    struct str text = {0}, messages = {0};
    bool *refused = mem_zero(rows.count + 2, sizeof *refused);
    for (size_t i = 0; i < rows.count; i++) {
        if (!rows.items[i].extension)
            instance_of(i, &text);
        str_add_char(&text, '\n');
    }
    assemble_file(directory, extensions[which].march, &text, &messages);
    for (const char *at = str_text(&messages); (at = strstr(at, "f.s:")); at += 4) {
        size_t line = strtoul(at + 4, NULL, 10);
        const char *end = strchr(at, '\n'), *error = strstr(at, "Error");
        if (line && line <= rows.count && error && (!end || error < end))
            refused[line] = true;
    }
    for (size_t i = 0; i < rows.count; i++)
        if (!rows.items[i].extension && !refused[i + 1])
            rows.items[i].extension = extensions[which].name;
    free(refused);
    str_done(&text);
    str_done(&messages);
}

/* Drops the rows that no architecture accepts or that decode to another form. */
static void verify(const char *directory)
{
    struct str text = {0}, messages = {0}, path = {0};
    struct err err;
    for (size_t i = 0; i < rows.count; i++) {
        rows.items[i].dropped = !rows.items[i].extension;
        if (rows.items[i].dropped)
            fprintf(stderr, "refused by the assembler: %s: %s\n", rows.items[i].form,
                    rows.items[i].template);
        else
            instance_of(i, &text);
        str_add_char(&text, '\n');
    }
    if (!assemble_file(directory, "all", &text, &messages))
        die("the assembler failed: %.400s", str_text(&messages));
    path_in(&path, directory, "f.bin");
    str_clear(&text);
    if (!file_read(str_text(&path), (size_t)64 << 20, &text, &err) ||
        !a64_learn((uint8_t *)text.data, text.length, &err))
        die("%s", err.what);
    size_t at = 0;
    for (size_t i = 0; i < rows.count; i++) {
        char form[FORM_MAX] = "(nothing)";
        uint32_t traits;
        if (rows.items[i].dropped)
            continue;
        at += a64_form((uint8_t *)text.data + at, text.length - at, form, &traits);
        if (strcmp(form, rows.items[i].form) != 0) {
            fprintf(stderr, "decodes to another form: %s: %s is %s\n", rows.items[i].form,
                    rows.items[i].template, form);
            rows.items[i].dropped = true;
        }
    }
    str_done(&text);
    str_done(&messages);
    str_done(&path);
}

static void try_extras(const char *directory)
{
    struct str text = {0}, messages = {0}, path = {0};
    struct err err;
    str_add(&text, extras);
    if (!assemble_file(directory, "all", &text, &messages))
        die("the assembler failed: %.400s", str_text(&messages));
    path_in(&path, directory, "f.bin");
    str_clear(&text);
    if (!file_read(str_text(&path), 1 << 20, &text, &err))
        die("%s", err.what);
    for (size_t at = 0; at + 4 <= text.length; at += 4) {
        uint32_t word;
        memcpy(&word, text.data + at, 4);
        try(word, true);
    }
    str_done(&text);
    str_done(&messages);
    str_done(&path);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->form, ((const struct row *)b)->form);
}

int main(void)
{
    char directory[] = "/tmp/make-a64-forms-XXXXXX";
    struct str out = {0}, command = {0};

    if (!mkdtemp(directory))
        die("cannot make a directory in /tmp");
    try_extras(directory);
    search();
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        extend(directory, i);
    verify(directory);
    str_addf(&command, "rm -r '%s'", directory);
    if (system(str_text(&command)) != 0)
        fprintf(stderr, "%s is left behind\n", directory);
    qsort(rows.items, rows.count, sizeof *rows.items, compare);
    str_add(&out, "form,template,extension\n");
    for (size_t i = 0; i < rows.count; i++)
        if (!rows.items[i].dropped) {
            csv_add_field(&out, rows.items[i].form, false);
            csv_add_field(&out, rows.items[i].template, false);
            csv_add_field(&out, rows.items[i].extension, true);
        }
    fwrite(out.data, 1, out.length, stdout);
    str_done(&out);
    str_done(&command);
    return 0;
}
