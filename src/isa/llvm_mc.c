/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/llvm_mc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "isa/isa.h"

#define LINE_LABEL "portolan_line_"
#define WORD_BYTES 4
#define LISTING_LIMIT ((size_t)64 << 20)

static const char *program(void)
{
    return access("/usr/bin/llvm-mc-22", X_OK) == 0 ? "llvm-mc-22" : "llvm-mc";
}

/* Runs llvm-mc on @input, and stores its listing with encodings in @out. A rejected line is not an
 * error. If @words is true, llvm-mc writes the listing to a file, because its messages would
 * interrupt lines on a pipe. llvm-mc removes the file if it rejects a line. */
static bool run(enum isa isa, bool words, const struct str *input, struct str *out, struct err *err)
{
    static const struct child_limits limits = {.cpu_seconds = 20,
                                               .memory = (size_t)2 << 30,
                                               .file_size = LISTING_LIMIT,
                                               .wall_seconds = 60,
                                               .output = LISTING_LIMIT};
    struct str triple = {0}, path = {0};
    struct child_result r = {0};
    char *dir = child_directory_new(err);

    str_addf(&triple, "-triple=%s", strchr(isa_ops(isa)->llvm_triple, '=') + 1);
    str_addf(&path, "%s/listing", dir ? dir : "");
    const char *argv[] = {program(),
                          str_text(&triple),
                          "-show-encoding",
                          "-o",
                          words ? str_text(&path) : "-",
                          words ? "-disassemble" : "-assemble",
                          isa_ops(isa)->llvm_features,
                          NULL};
    bool ok = dir && child_run(argv, dir, input->data, input->length, &limits, &r, err);
    if (ok && (r.timed_out || r.cut || !WIFEXITED(r.status)))
        ok = err_set(err, ERR_DATA, "install the package llvm-22", "%s failed", argv[0]);
    if (ok && !words)
        str_add_bytes(out, r.output.data, r.output.length);
    else if (ok && access(str_text(&path), R_OK) == 0)
        ok = file_read(str_text(&path), LISTING_LIMIT, out, err);
    child_result_done(&r);
    child_directory_free(dir);
    str_done(&triple);
    str_done(&path);
    return ok;
}

/* Parses "// encoding: [0x29,0x21,0xc0,0x5a]" between @line and @end. Returns false without such
 * text, or if a byte is invalid. */
static bool encoding_read(const char *line, const char *end, struct llvm_mc_word *out)
{
    static const char head[] = "encoding: [";
    const char *at = memmem(line, (size_t)(end - line), head, sizeof head - 1);

    out->word = 0;
    out->size = 0;
    if (!at)
        return false;
    for (at += sizeof head - 1; out->size < LLVM_MC_BYTES; at++) {
        char *stop;
        unsigned long byte = strtoul(at, &stop, 16);
        if (stop != at + 4 || byte > 255 || (*stop != ',' && *stop != ']'))
            return false;
        out->word |= out->size < WORD_BYTES ? (uint32_t)byte << 8 * out->size : 0;
        out->bytes[out->size++] = (uint8_t)byte;
        at = stop;
        if (*stop == ']')
            return true;
    }
    return false;
}

/* Returns whether the line is one instruction with balanced brackets. Without this test, llvm-mc
 * would parse `[rbx` as address 0. */
static bool is_plain(const struct llvm_mc_word *line)
{
    static const char ends[] = "]})", begins[] = "[{(";
    char open[16];
    size_t at = 0, depth = 0;

    while (at < line->length && isspace((unsigned char)line->text[at]))
        at++;
    if (at == line->length || !(isalpha((unsigned char)line->text[at]) || line->text[at] == '{'))
        return false;
    size_t stop = at;   /* llvm-mc would parse `sub- $1, %ecx` as `sub -$1, %ecx` */
    while (stop < line->length && (isalnum((unsigned char)line->text[stop]) ||
                                   line->text[stop] == '.' || line->text[stop] == '_'))
        stop++;
    if (stop > at && stop < line->length && !isspace((unsigned char)line->text[stop]))
        return false;
    for (; at < line->length; at++) {
        const char c = line->text[at], *end = c ? strchr(ends, c) : NULL;
        const bool segment = c == ':' && at >= 3 && line->text[at - 1] == 's' &&
                             strchr("cdefgs", line->text[at - 2]) &&
                             !isalnum((unsigned char)line->text[at - 3]);
        if (strchr(";\"\n\r", c) || (c == ':' && !segment))
            return false;
        if (strchr(begins, c)) {
            if (depth == sizeof open)
                return false;
            open[depth++] = c;
        } else if (end && (!depth || open[--depth] != begins[end - ends])) {
            return false;
        }
    }
    return depth == 0;
}

bool llvm_mc_encode(enum isa isa, bool intel, struct llvm_mc_word *lines, size_t count,
                    struct err *err)
{
    struct str input = {0};
    struct str listing = {0};
    size_t line = count;

    for (size_t i = 0; i < count; i++) {
        lines[i].known = false;
        if (!is_plain(&lines[i]))
            continue;
        if (isa_ops(isa)->dialects)
            str_add(&input, intel && !memchr(lines[i].text, '%', lines[i].length)
                                ? ".intel_syntax noprefix\n"
                                : ".att_syntax\n");
        str_addf(&input, LINE_LABEL "%zu:\n%.*s\n", i, (int)lines[i].length, lines[i].text);
    }
    bool ok = run(isa, false, &input, &listing, err);
    for (const char *at = str_text(&listing), *end; ok && *at; at = *end ? end + 1 : end) {
        struct llvm_mc_word read;
        end = at + strcspn(at, "\n");
        if (str_has_prefix(at, LINE_LABEL)) {
            line = strtoul(at + sizeof LINE_LABEL - 1, NULL, 10);
        } else if (line < count && encoding_read(at, end, &read)) {
            lines[line].word = read.word;
            lines[line].size = read.size;
            memcpy(lines[line].bytes, read.bytes, read.size);
            lines[line].known = !lines[line].known;
        }
    }
    str_done(&listing);
    str_done(&input);
    return ok;
}

static struct llvm_mc_word *word_find(struct llvm_mc_word *words, size_t count, uint32_t word,
                                      size_t *from)
{
    for (size_t i = *from; i < count; i++)
        if (words[i].word == word) {
            *from = i + 1;
            return &words[i];
        }
    return NULL;
}

bool llvm_mc_decode(enum isa isa, struct llvm_mc_word *words, size_t count, struct err *err)
{
    struct str input = {0};
    struct str listing = {0};
    size_t from = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t w = words[i].word;
        words[i].known = false;
        str_addf(&input, "0x%x 0x%x 0x%x 0x%x\n", w & 255, w >> 8 & 255, w >> 16 & 255, w >> 24);
    }
    bool ok = run(isa, true, &input, &listing, err);
    for (const char *at = str_text(&listing), *end; ok && *at; at = *end ? end + 1 : end) {
        struct llvm_mc_word read;
        end = at + strcspn(at, "\n");
        struct llvm_mc_word *found =
            encoding_read(at, end, &read) ? word_find(words, count, read.word, &from) : NULL;
        const char *stop = found ? memmem(at, (size_t)(end - at), isa_ops(isa)->comment,
                                          strlen(isa_ops(isa)->comment))
                                 : NULL;
        while (stop && stop > at && isspace((unsigned char)stop[-1]))
            stop--;
        while (stop && at < stop && isspace((unsigned char)*at))
            at++;
        if (stop) {
            found->text = mem_strndup(at, (size_t)(stop - at));
            found->known = true;
        }
    }
    str_done(&listing);
    str_done(&input);
    return ok;
}
