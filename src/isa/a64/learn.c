/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/learn.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/index.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "base/child.h"
#include "isa/isa.h"
#include "isa/llvm_mc.h"

#define RUN_WORDS 65536   /* maximum number of words per run of objdump */
#define PLACE_TEXT 20     /* maximum length of the text of an address: #0x and sixteen digits */

struct disassembled {
    uint32_t word;
    char *mnemonic, *operands;   /* text of the instruction; NULL if no disassembler supports the
                                  * word */
    /* @relative: whether the operands end with an address, @distance bytes from the word. @pages:
     * whether the distance is from the page of the word. */
    bool relative, pages;
    uint64_t distance;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VEC(struct disassembled) learned;
static struct index by_word;

static bool is_word(const void *items, uint32_t item, const void *word)
{
    return ((const struct disassembled *)items)[item].word == *(const uint32_t *)word;
}

static uint64_t hash_word(uint32_t word)
{
    return hash_bytes(&word, sizeof word);
}

/* Returns the cached entry of @word, or NULL if it was not looked up. The caller must hold the
 * lock. */
static struct disassembled *find(uint32_t word)
{
    uint32_t item = index_find(&by_word, hash_word(word), is_word, learned.items, &word);
    return item == INDEX_NONE ? NULL : &learned.items[item];
}

static void forget(void)
{
    for (size_t i = 0; i < learned.count; i++) {
        free(learned.items[i].mnemonic);
        free(learned.items[i].operands);
    }
    vec_done(&learned);
    index_done(&by_word);
}

/* Replaces the address in the last operand of a PC-relative branch or access with the distance from
 * the word's address @address. Does nothing if the last operand is no address. */
static void keep_place(struct disassembled *d, uint64_t address)
{
    char *comma = strrchr(d->operands, ','), *last = comma ? comma + 1 : d->operands, *end;

    while (isspace((unsigned char)*last))
        last++;
    if (strncmp(last, "0x", 2) != 0)
        return;
    uint64_t place = strtoull(last, &end, 16);
    if (*end)
        return;
    d->relative = true;
    d->pages = strcmp(d->mnemonic, "adrp") == 0;
    d->distance = place - (d->pages ? address & ~(uint64_t)4095 : address);
    *last = '\0';
}

static void keep_text(struct disassembled *fresh, uint64_t address, const char *text, size_t length)
{
    size_t span = 0;

    while (span < length && !isspace((unsigned char)text[span]))
        span++;
    /* Skips words that objdump does not support. For these words it prints `.inst 0x... ;
     * undefined`. */
    if (span == 0 || text[0] == '.' || span >= A64_MNEMONIC ||
        length - span >= A64_OPERAND_TEXT - PLACE_TEXT)
        return;
    fresh->mnemonic = mem_strndup(text, span);
    while (span < length && isspace((unsigned char)text[span]))
        span++;
    fresh->operands = mem_strndup(text + span, length - span);
    keep_place(fresh, address);
}

static void keep(uint32_t word, uint64_t address, const char *text, size_t length)
{
    if (find(word))
        return;
    if (!learned.count)
        atexit(forget);
    vec_push(&learned, ((struct disassembled){.word = word}));
    index_add(&by_word, hash_word(word), (uint32_t)learned.count - 1);
    keep_text(&learned.items[learned.count - 1], address, text, length);
}

/* Parses a line of objdump: `   4:        f8200041        ldadd   x0, x1, [x2]  // comment`. A
 * branch target may have a suffix such as ` <.data+0x8>`. */
static void line_read(const char *line, const char *end, const uint32_t *words, size_t count)
{
    char *stop;
    unsigned long address = strtoul(line, &stop, 16);
    if (stop == line || *stop != ':' || address % 4 || address / 4 >= count)
        return;
    const char *at = stop + 1;
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (at < end && isxdigit((unsigned char)*at))
        at++;
    while (at < end && isspace((unsigned char)*at))
        at++;
    const char *comment = at;
    while (comment < end && !(comment[0] == '/' && comment[1] == '/') && *comment != ';' &&
           *comment != '<')
        comment++;
    while (comment > at && isspace((unsigned char)comment[-1]))
        comment--;
    keep(words[address / 4], address, *at == '.' ? "" : at,
         *at == '.' ? 0 : (size_t)(comment - at));
}

static bool run(const uint32_t *words, size_t count, struct err *err)
{
    static const struct child_limits limits = {.cpu_seconds = 20,
                                               .memory = (size_t)2 << 30,
                                               .file_size = 4096,
                                               .wall_seconds = 60,
                                               .output = (size_t)64 << 20};
    char program[64];
    const char *argv[] = {isa_tool(ISA_AARCH64, "objdump", program, sizeof program),
                          "-D",
                          "-z",
                          "-b",
                          "binary",
                          "-m",
                          "aarch64",
                          "words",
                          NULL};
    struct child_result result = {0};
    struct str path = {0};
    char *dir = child_directory_new(err);
    bool ok = dir != NULL;

    if (ok) {
        str_addf(&path, "%s/words", dir);
        ok = file_write(str_text(&path), words, count * sizeof *words, err) &&
             child_run(argv, dir, "", 0, &limits, &result, err);
    }
    if (ok && (result.timed_out || result.cut || !WIFEXITED(result.status) ||
               WEXITSTATUS(result.status) != 0))
        ok = err_set(err, ERR_DATA, "install the package binutils-aarch64-linux-gnu",
                     "%s failed: %.200s", argv[0], str_text(&result.output));
    for (const char *line = str_text(&result.output), *end; ok && *line;
         line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        line_read(line, end, words, count);
    }
    child_result_done(&result);
    child_directory_free(dir);
    str_done(&path);
    return ok;
}

/* If llvm-mc is installed, uses it to look up the words from index @from that objdump does not
 * support. */
static void ask_second(size_t from)
{
    VEC(struct llvm_mc_word) words = {0};
    struct err ignored = {0};

    for (size_t i = from; i < learned.count; i++)
        if (!learned.items[i].mnemonic)
            vec_push(&words, ((struct llvm_mc_word){.word = learned.items[i].word}));
    if (words.count && llvm_mc_decode(ISA_AARCH64, words.items, words.count, &ignored))
        for (size_t i = 0; i < words.count; i++)
            if (words.items[i].known) {
                keep_text(find(words.items[i].word), 0, words.items[i].text,
                          strlen(words.items[i].text));
                free((char *)words.items[i].text);
            }
    vec_done(&words);
}

bool a64_learn_words(const uint32_t *words, size_t count, struct err *err)
{
    VEC(uint32_t) fresh = {0};
    bool ok = true;

    lock_take(&lock);
    size_t before = learned.count;
    for (size_t i = 0; i < count; i++)
        if (!find(words[i]))
            vec_push(&fresh, words[i]);
    for (size_t at = 0; ok && at < fresh.count; at += RUN_WORDS)
        ok =
            run(fresh.items + at, fresh.count - at < RUN_WORDS ? fresh.count - at : RUN_WORDS, err);
    if (ok)
        ask_second(before);
    lock_give(&lock);
    vec_done(&fresh);
    return ok;
}

bool a64_learned(uint32_t word, uint64_t offset, char mnemonic[A64_MNEMONIC],
                 char operands[A64_OPERAND_TEXT])
{
    bool known = false;
    lock_take(&lock);
    const struct disassembled *l = find(word);
    if (l && l->mnemonic) {
        known = true;
        strcpy(mnemonic, l->mnemonic);
        uint64_t from = l->pages ? offset & ~(uint64_t)4095 : offset;
        snprintf(operands, A64_OPERAND_TEXT, l->relative ? "%s#0x%llx" : "%s", l->operands,
                 (unsigned long long)(from + l->distance));
    }
    lock_give(&lock);
    return known;
}
