/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/learn.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/file.h"
#include "base/index.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "isa/isa.h"

#define RUN_WINDOWS 8192   /* maximum number of windows per run of a disassembler */
/* Size in bytes of a slot: a window and the nops after it. An incomplete instruction at the
 * window's end also takes bytes of the nops, so the next slot begins with an instruction. */
#define SLOT 32
#define NOP 0x90

/* Result of a look-up: an instruction, or a window that begins with an unknown instruction */
struct named_bytes {
    uint8_t bytes[X86_LEARN_BYTES], length;
    char *text;   /* text of the instruction; NULL: it is unknown */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VEC(struct named_bytes) learned;
static struct index by_bytes;
static unsigned lengths;   /* set of the lengths of instructions in @learned */

struct key { const uint8_t *bytes; size_t length; };

static bool is_key(const void *items, uint32_t item, const void *key)
{
    const struct named_bytes *a = &((const struct named_bytes *)items)[item];
    const struct key *k = key;
    return a->length == k->length && memcmp(a->bytes, k->bytes, k->length) == 0;
}

static struct named_bytes *find(const uint8_t *bytes, size_t length)
{
    uint32_t item = index_find(&by_bytes, hash_bytes(bytes, length), is_key, learned.items,
                               &(struct key){bytes, length});
    return item == INDEX_NONE ? NULL : &learned.items[item];
}

static void forget(void)
{
    for (size_t i = 0; i < learned.count; i++)
        free(learned.items[i].text);
    vec_done(&learned);
    index_done(&by_bytes);
}

static void keep(const uint8_t *bytes, size_t length, char *take_text)
{
    struct named_bytes *there = find(bytes, length);

    /* Replaces an unknown window that consists of exactly this instruction, or the equal text of an
     * equal window. */
    if (there) {
        free(there->text);
        there->text = take_text;
    } else {
        if (!learned.count)
            atexit(forget);
        struct named_bytes fresh = {.length = (uint8_t)length, .text = take_text};
        memcpy(fresh.bytes, bytes, length);
        vec_push(&learned, fresh);
        index_add(&by_bytes, hash_bytes(bytes, length), (uint32_t)learned.count - 1);
    }
    lengths |= take_text ? 1u << length : 0;
}

/* Returns the instruction at @code, of any length, if it was learned; otherwise NULL. The caller
 * must hold the lock. */
static const struct named_bytes *known_at(const uint8_t *code, size_t length)
{
    for (size_t n = length < X86_LEARN_BYTES ? length : X86_LEARN_BYTES; n; n--) {
        const struct named_bytes *a = lengths >> n & 1 ? find(code, n) : NULL;
        if (a && a->text)
            return a;
    }
    return NULL;
}

/* Returns whether the text is an instruction, unlike `(bad)`, `<unknown>`, `.byte 0x62` or a prefix
 * alone. */
static bool names_instruction(const char *text, size_t length)
{
    static const char *const alone[] = {"lock",   "rep", "repz",     "repnz",   "data16",
                                        "addr32", "cs",  "ds",       "es",      "ss",
                                        "fs",     "gs",  "xacquire", "xrelease"};

    if (!length || length >= X86_LEARN_TEXT || !(isalpha((unsigned char)*text) || *text == '{') ||
        memmem(text, length, "(bad)", 5) || memmem(text, length, "<unknown>", 9) ||
        (length >= 3 && memcmp(text, "rex", 3) == 0))
        return false;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (strlen(alone[i]) == length && memcmp(alone[i], text, length) == 0)
            return false;
    return true;
}

/* Parses a line such as ` 40: c4 e2 6f 50 e1 vpdpbssd ymm4,ymm2,ymm1 # comment`, if the instruction
 * is the first instruction of a slot. In LLVM's lines, one blank separates address and bytes.
 * Returns the number of instructions stored. */
static size_t line_read(const char *line, const char *end, const struct x86_window *windows,
                        size_t count)
{
    char *stop;
    unsigned long address = strtoul(line, &stop, 16);
    size_t length = 0;

    if (stop == line || *stop != ':' || address % SLOT || address / SLOT >= count)
        return 0;
    const struct x86_window *window = &windows[address / SLOT];
    const char *at = stop + 1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (at + 2 <= end && isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]) &&
           (at + 2 == end || at[2] == ' ' || at[2] == '\t')) {
        length++;
        at += 2;
        at += at < end && *at == ' ';
    }
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *comment = at;
    while (comment < end && *comment != '#' && *comment != '<')
        comment++;
    bool unknown = comment < end && *comment == '<' && comment == at;
    while (comment > at && isspace((unsigned char)comment[-1]))
        comment--;
    if (unknown || !length || length > window->length ||
        !names_instruction(at, (size_t)(comment - at)))
        return 0;
    char *text = mem_strndup(at, (size_t)(comment - at));
    /* Replaces the tabs after LLVM's mnemonics with spaces. */
    for (char *tab; (tab = strchr(text, '\t'));)
        *tab = ' ';
    keep(window->bytes, length, text);
    return 1;
}

static const struct child_limits limits = {.cpu_seconds = 60,
                                           .memory = (size_t)4 << 30,
                                           .file_size = (size_t)4 << 20,
                                           .wall_seconds = 120,
                                           .output = (size_t)256 << 20};

/* Runs the disassembler @argv in @directory. Sets *@missing if it is not installed. Adds the number
 * of new instructions to *@fresh. */
static bool disassemble(const char *const *argv, const char *directory,
                        const struct x86_window *windows, size_t count, size_t *fresh,
                        bool *missing, struct err *err)
{
    struct child_result result = {0};
    struct err fault = {0};

    *missing = false;
    bool ok = child_run(argv, directory, "", 0, &limits, &result, &fault);
    if (!ok && fault.code == ERR_MISSING)
        *missing = ok = true;
    else if (ok && (result.timed_out || result.cut || !WIFEXITED(result.status) ||
                    WEXITSTATUS(result.status) != 0))
        ok =
            err_set(&fault, ERR_DATA, NULL, "%s failed: %.200s", argv[0], str_text(&result.output));
    for (const char *line = str_text(&result.output), *end; ok && !*missing && *line;
         line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        *fresh += line_read(line, end, windows, count);
    }
    child_result_done(&result);
    if (!ok && err)
        *err = fault;
    return ok;
}

/* Disassembles with LLVM's objdump. This tool needs an object file, so the slots are assembled
 * first. If there is no assembler, disassembles nothing. */
static bool disassemble_llvm(const char *directory, const struct x86_window *windows, size_t count,
                             size_t *fresh, struct err *err)
{
    static const char *const programs[] = {"llvm-objdump-22", "llvm-objdump"};
    static const char text[] = "\t.incbin \"slots\"\n";
    char assembler[64];
    const char *argv[] = {isa_tool(ISA_X86_64, "as", assembler, sizeof assembler),
                          "--64",
                          "-o",
                          "slots.o",
                          "slots.s",
                          NULL};
    struct child_result result = {0};
    struct str path = {0};
    struct err fault = {0};
    bool missing = true;

    str_addf(&path, "%s/slots.s", directory);
    const bool assembled = file_write(str_text(&path), text, sizeof text - 1, &fault) &&
                           child_run(argv, directory, "", 0, &limits, &result, &fault);
    bool ok = assembled || fault.code == ERR_MISSING;
    for (size_t i = 0; ok && assembled && missing && i < sizeof programs / sizeof *programs; i++) {
        const char *options[] = {programs[i], "-d", "--x86-asm-syntax=intel", "slots.o", NULL};
        ok = disassemble(options, directory, windows, count, fresh, &missing, &fault);
    }
    if (!ok && err)
        *err = fault;
    child_result_done(&result);
    str_done(&path);
    return ok;
}

static bool run(const struct x86_window *windows, size_t count, size_t *fresh, struct err *err)
{
    char program[64];
    const char *argv[] = {isa_tool(ISA_X86_64, "objdump", program, sizeof program),
                          "-D",
                          "-w",
                          "--insn-width=15",
                          "-z",
                          "-b",
                          "binary",
                          "-m",
                          "i386:x86-64",
                          "-M",
                          "intel",
                          "slots",
                          NULL};
    struct str path = {0}, slots = {0};
    char *directory = child_directory_new(err);
    bool ok = directory != NULL, missing;

    for (size_t i = 0; i < count; i++) {
        uint8_t slot[SLOT];
        memset(slot, NOP, sizeof slot);
        memcpy(slot, windows[i].bytes, windows[i].length);
        str_add_bytes(&slots, (const char *)slot, sizeof slot);
    }
    if (ok) {
        str_addf(&path, "%s/slots", directory);
        ok = file_write(str_text(&path), slots.data, slots.length, err) &&
             disassemble(argv, directory, windows, count, fresh, &missing, err);
    }
    VEC(struct x86_window) left = {0};
    for (size_t i = 0; ok && i < count; i++)
        if (!known_at(windows[i].bytes, windows[i].length))
            vec_push(&left, windows[i]);
    if (ok && left.count) {
        for (size_t i = 0; i < left.count; i++) {
            memset(slots.data + SLOT * i, NOP, SLOT);
            memcpy(slots.data + SLOT * i, left.items[i].bytes, left.items[i].length);
        }
        ok = file_write(str_text(&path), slots.data, SLOT * left.count, err) &&
             disassemble_llvm(directory, left.items, left.count, fresh, err);
    }
    for (size_t i = 0; ok && i < left.count; i++)
        if (!known_at(left.items[i].bytes, left.items[i].length))
            keep(left.items[i].bytes, left.items[i].length, NULL);
    vec_done(&left);
    child_directory_free(directory);
    str_done(&path);
    str_done(&slots);
    return ok;
}

bool x86_learn_windows(const struct x86_window *windows, size_t count, size_t *fresh,
                       struct err *err)
{
    VEC(struct x86_window) selected = {0};
    bool ok = true;

    *fresh = 0;
    lock_take(&lock);
    for (size_t i = 0; i < count; i++)
        if (windows[i].length && !known_at(windows[i].bytes, windows[i].length) &&
            !find(windows[i].bytes, windows[i].length))
            vec_push(&selected, windows[i]);
    for (size_t at = 0; ok && at < selected.count; at += RUN_WINDOWS)
        ok = run(selected.items + at,
                 selected.count - at < RUN_WINDOWS ? selected.count - at : RUN_WINDOWS, fresh, err);
    lock_give(&lock);
    vec_done(&selected);
    return ok;
}

size_t x86_learned(const uint8_t *code, size_t length, char text[X86_LEARN_TEXT])
{
    size_t found = 0;

    lock_take(&lock);
    const struct named_bytes *a = known_at(code, length);
    if (a) {
        found = a->length;
        strcpy(text, a->text);
    }
    lock_give(&lock);
    return found;
}
