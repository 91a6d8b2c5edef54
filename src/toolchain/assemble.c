/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/assemble.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/steps.h"
#include "base/vec.h"
#include "base/child.h"
#include "isa/llvm_mc.h"
#include "toolchain/listing.h"
#include "toolchain/listing_modes.h"
#include "toolchain/markers.h"
#include "toolchain/line_places.h"
#include "toolchain/messages.h"
#include "toolchain/object.h"

#define TEXT_LIMIT ((size_t)16 << 20)
#define PASSES 8
#define ARGUMENTS 32     /* maximum number of arguments of the assembler */
#define ADVICE_C "the text looks like C; kernel load compiles .c and .cpp files"

static const struct child_limits as_limits = {.cpu_seconds = 2,
                                              .memory = (size_t)1 << 30,
                                              .file_size = (size_t)32 << 20,
                                              .wall_seconds = 30,
                                              .output = (size_t)256 << 10};

#define ENCODED_LABEL ".Lportolan_encoded_"

ORDER_BY(diagnostic_order, struct diagnostic, ASCENDING(line))

/* Replaces the rejected lines of the cleaned text with blanks. Line ends remain. */
static void lines_blank(struct str *clean, const struct refused_list *refused, size_t from)
{
    struct line_starts lines = {0};

    line_starts_index(&lines, str_text(clean), clean->length);
    for (size_t i = from; i < refused->list.count; i++) {
        size_t start, size;
        line_starts_find(&lines, refused->list.items[i].line, &start, &size);
        memset(clean->data + start, ' ', size);
    }
    vec_done(&lines.starts);
}

/* Replaces @size bytes at @start of @clean, in line @line, with the encoding in @word. The text
 * grows if the encoding is longer. */
static void line_replace(enum isa isa, struct str *clean, size_t line, size_t start, size_t size,
                         const struct llvm_mc_word *word)
{
    const char *directive = isa_ops(isa)->word_directive;
    struct str text = {0};

    if (directive)
        str_addf(&text, "%s 0x%08x", directive, (unsigned)word->word);
    for (size_t i = 0; !directive && i < word->size; i++)
        i ? str_addf(&text, ",0x%02x", word->bytes[i])
          : str_addf(&text, ENCODED_LABEL "%zu: .byte 0x%02x", line, word->bytes[i]);
    if (text.length <= size) {
        memset(clean->data + start, ' ', size);
        memcpy(clean->data + start, text.data, text.length);
        str_done(&text);
        return;
    }
    struct str grown = {0};
    str_add_bytes(&grown, clean->data, start);
    str_add_bytes(&grown, text.data, text.length);
    str_add_bytes(&grown, clean->data + start + size, clean->length - start - size);
    str_done(&text);
    str_done(clean);
    *clean = grown;
}

/* Returns whether `as` rejected the line because it does not know an instruction, a register or a
 * variant. Returns true for all lines of instruction sets with a single syntax. Other lines were
 * rejected because their text is wrong. llvm-mc accepts many of these: it reads `shl rdx,` as a
 * shift by 0 and `cmpb $10., (%rax)` as a comparison with the bits of 10.0. */
static bool as_is_too_old(const struct listing *l, const struct diagnostic *d)
{
    static const char *const reasons[] = {
        "no such instruction", "number of operands mismatch", "operand size mismatch",
        "operand type mismatch", "bad register name", "unsupported",
    };

    if (!isa_ops(l->isa)->dialects)
        return true;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (str_has_prefix(d->reason, reasons[i]))
            return true;
    /* An unknown register in the brackets of Intel syntax is read as a symbol. */
    return l->syntax == SYNTAX_INTEL && str_has_prefix(d->reason, "invalid operands (");
}

/* Assembles with llvm-mc the rejected lines, from index @from, that `as` is too old for. Replaces
 * each line that succeeds with its encoding in the text of @l. Returns the number of replaced
 * lines, or 0 without llvm-mc. */
static size_t second_assemble(struct listing *l, struct refused_list *refused, size_t from)
{
    size_t count = refused->list.count - from, kept = from, start, size;
    struct line_starts lines = {0};
    struct err ignored = {0};
    struct str *clean = &l->text;

    if (!count)
        return 0;
    struct llvm_mc_word *words = mem_zero(count, sizeof *words);
    line_starts_index(&lines, str_text(clean), clean->length);
    for (size_t i = 0; i < count; i++) {
        line_starts_find(&lines, refused->list.items[from + i].line, &start, &size);
        words[i].text = clean->data + start;
        words[i].length = as_is_too_old(l, &refused->list.items[from + i]) ? size : 0;
    }
    bool ran = llvm_mc_encode(l->isa, l->syntax == SYNTAX_INTEL, words, count, &ignored);
    /* Replaces the last lines first, because a line that grows moves the lines after it. */
    for (size_t i = count; ran && i-- > 0;)
        if (words[i].known) {
            const size_t line = refused->list.items[from + i].line;
            line_starts_find(&lines, line, &start, &size);
            line_replace(l->isa, clean, line, start, size, &words[i]);
            l->encoded |= !isa_ops(l->isa)->word_directive;
        }
    for (size_t i = 0; i < count; i++) {
        struct diagnostic *d = &refused->list.items[from + i];
        if (ran && words[i].known) {
            refused->seen.items[d->line] = false;
            free(d->text);
            free(d->reason);
        } else {
            refused->list.items[kept++] = *d;
        }
    }
    size_t known = refused->list.count - kept;
    refused->list.count = kept;
    vec_done(&lines.starts);
    free(words);
    return known;
}

static void object_take(struct object *o, const struct listing *l, struct assembled *out)
{
    out->code = o->code;
    out->length = o->length;
    o->code = NULL;
    VEC(struct code_line) lines = {0};
    for (size_t i = 0; i < o->lines.count; i++)
        if (o->lines.items[i].offset < o->length) {
            struct code_line add = {o->lines.items[i].offset, o->lines.items[i].line};
            vec_add(&lines, add);
        }
    out->lines = lines.items;
    out->line_count = lines.count;
    VEC(struct label) labels = {0};
    struct names functions = {0};
    size_t at = 0;
    for (size_t i = 0; i < l->functions.count; i++)
        names_add(&functions, l->functions.items[i]);
    for (size_t i = 0; i < o->symbols.count; i++) {
        const struct object_symbol *s = &o->symbols.items[i];
        if (str_has_prefix(s->name, ENCODED_LABEL))
            continue;
        while (at + 1 < lines.count && lines.items[at].offset < s->offset)
            at++;
        uint32_t line = lines.count ? lines.items[at].line : 0;
        vec_add(&labels,
                ((struct label){.name = mem_strdup(s->name),
                                .offset = s->offset,
                                .line = line,
                                .function = names_find(&functions, s->name) != UINT32_MAX}));
    }
    steps_add(lines.count + labels.count);
    names_done(&functions);
    out->labels = labels.items;
    out->label_count = labels.count;
    out->references = o->references.items;
    out->reference_count = o->references.count;
    memset(&o->references, 0, sizeof o->references);
}

/* Returns whether the text may read files. Only directives read files; macros may contain them.
 * Treats any dot as the start of a directive, except in ".L" labels and before digits. */
static bool may_read_files(const struct str *text)
{
    for (size_t i = 0; i + 1 < text->length; i++)
        if (text->data[i] == '.' && text->data[i + 1] != 'L' &&
            !isdigit((unsigned char)text->data[i + 1]))
            return true;
    return false;
}

/* Returns whether the dependency list has no file that was read, except the text for NASM. If not,
 * sets err. */
static bool read_nothing(const char *dir, struct err *err)
{
    struct str path = {0}, deps = {0};
    str_addf(&path, "%s/deps", dir);
    bool ok = file_read(path.data, (size_t)1 << 20, &deps, err);
    const char *colon = ok ? strchr(str_text(&deps), ':') : NULL;
    const char *read = colon ? colon + 1 + strspn(colon + 1, " ") : "";
    for (const char *p = str_has_prefix(read, NASM_TEXT) ? read + strlen(NASM_TEXT) : read;
         ok && *p; p++)
        if (!isspace((unsigned char)*p))
            ok = err_set(err, ERR_DATA, "remove the directive",
                         "directives that read other files are not allowed");
    str_done(&deps);
    str_done(&path);
    return ok;
}

static bool left_out_as_source(const struct listing *l)
{
    for (size_t i = 0; i < l->left_out.count; i++)
        if (strcmp(l->left_out.items[i].reason, "source code") == 0)
            return true;
    return false;
}

/* Writes the path of descriptor @file, valid in this process, to @out. */
static const char *place_name(int file, char out[64])
{
    snprintf(out, 64, "/proc/self/fd/%d", file);
    return out;
}

/* Output of the assembler: a file in a directory, or a memory file. A memory file is used only if
 * the operating system supports it and the text names no file. */
struct object_place {
    char *dir;           /* path of the directory; NULL for a memory file */
    int file;            /* descriptor of the memory file; 0: none */
};

/* Creates a memory file and returns its descriptor, or 0 if that fails. The descriptor is not one
 * of the standard descriptors, which may be closed. */
static int memory_file_new(void)
{
    int first = memfd_create("portolan", MFD_CLOEXEC),
        file = first < 0 ? -1 : fcntl(first, F_DUPFD_CLOEXEC, CHILD_FILE);

    if (first >= 0)
        close(first);
    return file < 0 ? 0 : file;
}

static bool object_place_init(struct object_place *p, bool named, struct err *err)
{
    char path[64];

    *p = (struct object_place){NULL, named ? 0 : memory_file_new()};
    if (p->file > 0 && access(place_name(p->file, path), R_OK | W_OK) == 0)
        return true;
    if (p->file > 0)
        close(p->file);
    *p = (struct object_place){child_directory_new(err), 0};
    return p->dir != NULL;
}

static void object_place_done(struct object_place *p)
{
    if (p->file > 0)
        close(p->file);
    child_directory_free(p->dir);
}

/* Reads the object. If @listed is true, first checks that the dependency list has no other file. */
static bool result_read(const struct object_place *place, bool listed, const struct listing *l,
                        struct assembled *out, struct err *err)
{
    struct str path = {0};
    struct object object = {0};
    char name[64];
    bool ok = !listed || read_nothing(place->dir, err);
    if (ok) {
        if (place->dir)
            str_addf(&path, "%s/out.o", place->dir);
        else
            str_add(&path, place_name(place->file, name));
        ok = object_read(path.data, OBJECT_LINES | OBJECT_NAMES, &object, err);
    }
    if (ok && object.length == 0)
        ok = err_set(err, ERR_DATA,
                     left_out_as_source(l) ? ADVICE_C : "give assembler text with instructions",
                     "no instructions in this text");
    if (ok)
        object_take(&object, l, out);
    object_done(&object);
    str_done(&path);
    return ok;
}

/* Returns false with err. Call it if `as` wrote neither an object nor a message about a line. */
static bool as_failure(const struct child_result *r, struct err *err)
{
    static const char *const advice = "shorten the text (check for large .rept or .fill counts)";
    if (r->timed_out)
        return err_set(err, ERR_LIMIT, advice,
                       "the assembler took more than 30 seconds and was stopped");
    if (WIFSIGNALED(r->status))
        return err_set(err, ERR_LIMIT, advice,
                       "the assembler was stopped at a limit (2 s of CPU time, 1 GiB of memory, 32 "
                       "MiB of output)");
    const char *first = str_text(&r->output);
    if (strstr(first, "memory exhausted") || strstr(first, "out of memory") ||
        strstr(first, "cannot allocate") || strstr(first, "File too large"))
        return err_set(err, ERR_LIMIT, advice, "the assembler reached its memory or output limit");
    return err_set(err, ERR_DATA, NULL, "the assembler failed: %.300s",
                   *first ? first : "no message");
}

/* This directive permits segment overrides (fs:40), which the option alone does not. It is on the
 * first line of the text, so line numbers do not change. */
static const char intel_head[] = ".intel_syntax noprefix;";
/* With this directive, `as` adds a data line to the line table if the line has a label. The
 * encodings of llvm-mc have labels for this purpose (ENCODED_LABEL). */
static const char encoded_head[] = ".loc_mark_labels 1;";

static bool as_run(const char *const argv[], const struct listing *l,
                   const struct object_place *place, const struct child_limits *limits,
                   struct child_result *r, struct err *err)
{
    static const char *const nasm[] = {"nasm",  "-f",      "elf64", "-g",   "-F",
                                       "dwarf", "-w-all",  "-MD",   "deps", "-o",
                                       "out.o", NASM_TEXT, NULL};
    const char *dir = place->dir ? place->dir : "/";
    struct str text = {0};

    if (l->nasm) {   /* NASM reads its input several times, so it needs a file instead of a pipe. */
        str_addf(&text, "%s/" NASM_TEXT, dir);
        bool written = file_write(str_text(&text), l->text.data, l->text.length, err);
        str_done(&text);
        memset(r, 0, sizeof *r);
        return written && child_run(nasm, dir, NULL, 0, limits, r, err);
    }

    if (l->syntax != SYNTAX_INTEL && !l->encoded)
        return child_run(argv, dir, l->text.data, l->text.length, limits, r, err);
    str_add(&text, l->syntax == SYNTAX_INTEL ? intel_head : "");
    str_add(&text, l->encoded ? encoded_head : "");
    str_add_bytes(&text, l->text.data, l->text.length);
    bool ok = child_run(argv, dir, text.data, text.length, limits, r, err);
    str_done(&text);
    return ok;
}

/* Rejected lines that are tolerated: all, or only those outside of marked regions. */
struct lenience {
    bool all;
    /* per line number from 1, whether the line is in a marked region; empty if there are no
     * markers */
    VEC(bool) marked;
};

/* Returns whether the line contains the bytes at the end of a marker of IACA or OSACA. */
static bool is_byte_mark(const char *p, const char *end)
{
    const char *at = find_in_line(p, end, ".byte");
    return at && ((find_in_line(at, end, "100") && find_in_line(at, end, "103") &&
                   find_in_line(at, end, "144")) ||
                  (find_in_line(at, end, "213") && find_in_line(at, end, "32") &&
                   find_in_line(at, end, "31")));
}

static void lenience_find(struct lenience *out, const char *text, size_t length)
{
    struct marker_list marks;
    size_t number = 1, next = 0;
    long open = 0;
    bool any = false, bytes = false;

    markers_find(text, length, &marks);
    vec_push(&out->marked, false);
    for (const char *p = text, *end = text + length, *stop; p < end; p = stop + 1, number++) {
        stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        for (; next < marks.list.count && marks.list.items[next].line <= number; next++) {
            open += marks.list.items[next].kind == MARKER_BEGIN ? 1 : -(open > 0);
            any = true;
        }
        if (is_byte_mark(p, stop)) {
            bytes = !bytes;
            any = true;
        }
        vec_add(&out->marked, open > 0 || bytes);
    }
    if (!any)
        vec_done(&out->marked);
    markers_done(&marks);
}

/* Returns whether the text may be used without the rejected lines from index @from. */
static bool goes_without(const struct lenience *l, const struct refused_list *refused, size_t from)
{
    for (size_t i = from; !l->all && i < refused->list.count; i++)
        if (refused->list.items[i].line >= l->marked.count ||
            l->marked.items[refused->list.items[i].line])
            return false;
    return true;
}

static bool passes_run(const char *text, size_t length, const struct lenience *lenience,
                       struct listing *l, bool listed, const struct object_place *place,
                       struct refused_list *refused, struct assembled *out, struct err *err)
{
    char program[64], name[64];
    isa_tool(l->isa, "as", program, sizeof program);
    const char *argv[ARGUMENTS] = {program, "-gdwarf-2", "-L", "-o",
                                   place->dir ? "out.o" : place_name(CHILD_FILE, name)};
    struct child_limits limits = as_limits;
    size_t n = 5;
    limits.file = place->file;
    if (listed) {
        argv[n++] = "--MD";
        argv[n++] = "deps";
    }
    for (const char *const *option = isa_ops(l->isa)->assembler_options; *option; option++)
        argv[n++] = *option;
    if (l->syntax != SYNTAX_AUTO)
        argv[n++] = l->syntax == SYNTAX_INTEL ? "-msyntax=intel" : "-msyntax=att";
    if (l->syntax == SYNTAX_INTEL)
        argv[n++] = "-mnaked-reg";
    lines_blank(&l->text, refused, 0);
    for (int pass = 0;; pass++) {
        struct child_result r;
        if (!as_run(argv, l, place, &limits, &r, err)) {
            child_result_done(&r);
            return false;
        }
        bool done = !r.timed_out && WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0,
             foreign = false, ok = true;
        size_t before = refused->list.count;
        size_t found = l->nasm
                           ? messages_of_nasm(str_text(&r.output), text, length, refused)
                           : messages_of_as(str_text(&r.output), text, length, refused, &foreign);
        if (foreign)
            ok = err_set(err, ERR_DATA, "remove the directive",
                         "directives that read other files are not allowed");
        else if (!done && (r.timed_out || (found == 0 && goes_without(lenience, refused, 0))))
            ok = !(place->dir && child_directory_full(place->dir, str_text(&r.output),
                                                      as_limits.file_size, err)) &&
                 as_failure(&r, err);
        else if (!done && goes_without(lenience, refused, 0) && pass + 1 >= PASSES)
            ok =
                err_set(err, ERR_LIMIT, "give assembler text",
                        "the assembler reports errors in more than %zu lines", refused->list.count);
        child_result_done(&r);
        if (!ok)
            return false;
        if (done)
            return result_read(place, listed, l, out, err);
        bool again = pass == 0 && !l->nasm && second_assemble(l, refused, before) > 0;
        if (!goes_without(lenience, refused, 0) && !(again && refused->list.count == before))
            return true;
        lines_blank(&l->text, refused, before);
    }
}

/* Returns a copy of @text without the zeros in comments that clang writes after `.byte 0`. Returns
 * NULL if the text has other zeros or none. */
static char *zeros_blank(const char *text, size_t length)
{
    bool comment = false, any = false;

    for (size_t i = 0; i < length; i++) {
        comment = (comment && text[i] != '\n') || text[i] == '#';
        if (!text[i] && !comment)
            return NULL;
        any |= !text[i];
    }
    char *out = any ? mem_alloc(length) : NULL;
    for (size_t i = 0; any && i < length; i++)
        out[i] = text[i] ? text[i] : ' ';
    return out;
}

static bool text_check(enum isa isa, const char *text, size_t length, struct err *err)
{
    if (length > TEXT_LIMIT)
        return err_set(err, ERR_LIMIT, "load only the loop",
                       "the text has %zu MiB; the maximum is 16 MiB", length >> 20);
    if (memchr(text ? text : "", 0, length))
        return err_set(err, ERR_DATA, "give assembler text, a listing or an ELF file",
                       "the input is binary data, not assembler text");
    size_t i = 0;
    while (i < length && isspace((unsigned char)text[i]))
        i++;
    if (i == length)
        return err_set(err, ERR_DATA, "give assembler text with instructions", "the text is empty");
    enum isa likely = listing_isa(text, length);
    if (likely == isa || likely == ISA_UNSAID)
        return true;
    struct str todo = {0};
    str_addf(&todo, "choose --isa %s", isa_name(likely));
    err_set(err, ERR_DATA, str_text(&todo), "the text looks like %s code, not %s",
            isa_ops(likely)->title, isa_ops(isa)->title);
    str_done(&todo);
    return false;
}

/* Detects C source by an #include, or by the ends of its nonblank lines. At least half of these
 * lines end with characters that rarely end lines of assembler text. */
static bool looks_like_c(const char *text, size_t length)
{
    size_t lines = 0, ends = 0;

    for (const char *at = text, *end = text + length, *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        if (stop - at > 8 && strncmp(at, "#include", 8) == 0)
            return true;
        while (stop > at && isspace((unsigned char)stop[-1]))
            stop--;
        lines += stop > at;
        ends += stop > at && strchr(";{}", stop[-1]) != NULL;
    }
    return ends > 0 && 2 * ends >= lines;
}

/* Returns whether @reason quotes @line. Ignores blanks, because the assembler's quotation lacks
 * them. */
static bool holds_line(const char *reason, const char *line)
{
    struct str bare[2] = {{0}};
    const char *texts[2] = {reason, line};

    for (int i = 0; i < 2; i++)
        for (const char *at = texts[i]; *at; at++)
            if (!isspace((unsigned char)*at))
                str_add_char(&bare[i], *at);
    bool holds = strstr(str_text(&bare[0]), str_text(&bare[1])) != NULL;
    str_done(&bare[0]);
    str_done(&bare[1]);
    return holds;
}

/* Returns the first of @count lines that is code of 16 or 32 bits; NULL if there is none. */
static const struct diagnostic *narrow_line(const struct diagnostic *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].reason, MODE_NARROW) == 0)
            return &list[i];
    return NULL;
}

/* Reports the first rejected line and the number of further rejected lines. A line of 16 or 32 bits
 * takes precedence. @no_nasm is true if the text needs nasm, which is not installed. */
static bool refusal(const char *name, const char *text, size_t length, bool no_nasm,
                    const struct assembled *a, struct err *err)
{
    const struct diagnostic *narrow = narrow_line(a->refused, a->refused_count),
                            *first = narrow ? narrow : &a->refused[0];
    const char *line = first->text + strspn(first->text, " \t");
    struct str more = {0};
    size_t statements = 0;

    for (size_t i = 0; i < a->span_count; i++)
        statements += a->spans[i].length > 0;
    if (a->refused_count > 1)
        str_addf(&more, " (and %zu more line%s)", a->refused_count - 1,
                 a->refused_count > 2 ? "s" : "");
    bool repeats = holds_line(first->reason, line);
    err_set(err, ERR_DATA,
            narrow    ? "compile the source with -m64, or load only its 64-bit code"
            : no_nasm ? "install nasm: the text has its directives (%rep, %macro, times)"
            : looks_like_c(text, length)
                ? ADVICE_C
            : a->refused_count > 1 && a->refused_count >= statements
                ? "correct the lines, or select their instruction set (--isa); kernel hex loads "
                  "bytes"
                : "correct the line, or skip invalid lines with --skip-bad",
            "%.200s%s%.200s%s%s", first->reason, repeats ? "" : ", in \"", repeats ? "" : line,
            repeats ? "" : "\"", str_text(&more));
    str_done(&more);
    return err_at(err, name, first->line, 0);
}

/* Moves the omitted lines of the listing with their text, and the percentages, from @l to @out. */
static void take_left_out(const char *text, size_t length, struct listing *l, struct assembled *out)
{
    struct line_starts lines = {0};
    size_t start, size;

    line_starts_index(&lines, text, length);
    for (size_t i = 0; i < l->left_out.count; i++) {
        line_starts_find(&lines, l->left_out.items[i].line, &start, &size);
        l->left_out.items[i].text = mem_strndup(text + start, size);
    }
    vec_done(&lines.starts);
    out->left_out = l->left_out.items;
    out->left_out_count = l->left_out.count;
    out->percents = l->percents.items;
    out->percent_count = l->percents.count;
    memset(&l->left_out, 0, sizeof l->left_out);
    memset(&l->percents, 0, sizeof l->percents);
}

/* Computes the offsets of lines if branches of @l name offsets in functions. Assembles the text
 * without these branches, computes the offsets and cleans the text again. On failure, @l is
 * unchanged. */
static void places_take(const char *text, size_t length, enum syntax syntax, struct listing *l)
{
    struct line_places places = {0};
    struct listing lengths;
    struct assembled a = {.isa = l->isa};
    struct refused_list refused = {0};
    struct object_place place;
    struct lenience lenience = {.all = true};
    struct err fault = {0};

    listing_clean(l->isa, text, length, syntax, &places, &lengths);
    const bool listed = may_read_files(&lengths.text),
               open = object_place_init(&place, listed, &fault);
    const bool ok =
        open && passes_run(text, length, &lenience, &lengths, listed, &place, &refused, &a, &fault);
    object_place_done(&place);
    listing_done(&lengths);
    diagnostics_free(refused.list.items, refused.list.count);
    vec_done(&refused.seen);
    vec_done(&refused.lines.starts);
    if (ok) {
        line_places_find(&a, text, length, &places);
        listing_done(l);
        listing_clean(l->isa, text, length, syntax, &places, l);
    }
    assembled_done(&a);
    line_places_done(&places);
}

static bool text_assemble(enum isa isa, const char *name, const char *text, size_t length,
                          enum syntax syntax, bool skip_bad, struct assembled *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    out->isa = isa;
    if (!text_check(isa, text, length, err))
        return err_at(err, name, 0, 0);
    struct listing l;
    struct refused_list refused = {0};
    /* Blocks SIGINT, SIGTERM and SIGHUP until the temporary directory is removed. */
    sigset_t stops, mask;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stops, &mask);
    listing_clean(isa, text, length, syntax, NULL, &l);
    if (l.unplaced)
        places_take(text, length, syntax, &l);
    out->syntax = l.syntax;
    out->address = l.address;
    for (size_t i = 0; i < l.refused.count; i++)
        refused_add(&refused, text, length, l.refused.items[i].line, l.refused.items[i].reason,
               strlen(l.refused.items[i].reason));
    struct object_place place;
    struct lenience lenience = {.all = skip_bad && !narrow_line(l.refused.items, l.refused.count)};
    if (!lenience.all)
        lenience_find(&lenience, text, length);
    bool listed = l.nasm || may_read_files(&l.text),
         ok = object_place_init(&place, listed, err) &&
              passes_run(text, length, &lenience, &l, listed, &place, &refused, out, err);
    const bool taken = goes_without(&lenience, &refused, 0);
    vec_done(&lenience.marked);
    object_place_done(&place);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (refused.list.count)
        qsort(refused.list.items, refused.list.count, sizeof *refused.list.items, diagnostic_order);
    out->refused = refused.list.items;
    out->refused_count = refused.list.count;
    out->spans = l.spans.items;
    out->span_count = l.spans.count;
    memset(&l.spans, 0, sizeof l.spans);
    take_left_out(text, length, &l, out);
    const bool no_nasm = l.no_nasm;
    listing_done(&l);
    vec_done(&refused.seen);
    vec_done(&refused.lines.starts);
    if (!ok)
        return err_at(err, name, 0, 0);
    return taken || refusal(name, text, length, no_nasm, out, err);
}

bool assemble(enum isa isa, const char *name, const char *text, size_t length, enum syntax syntax,
              bool skip_bad, struct assembled *out, struct err *err)
{
    char *blanked = zeros_blank(text, length);
    bool ok =
        text_assemble(isa, name, blanked ? blanked : text, length, syntax, skip_bad, out, err);

    free(blanked);
    return ok;
}

void diagnostics_free(struct diagnostic *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].text);
        free(list[i].reason);
    }
    free(list);
}

void assembled_done(struct assembled *a)
{
    free(a->code);
    free(a->lines);
    for (size_t i = 0; i < a->label_count; i++)
        free(a->labels[i].name);
    free(a->labels);
    for (size_t i = 0; i < a->reference_count; i++)
        free(a->references[i].name);
    free(a->references);
    diagnostics_free(a->refused, a->refused_count);
    diagnostics_free(a->left_out, a->left_out_count);
    free(a->spans);
    free(a->percents);
    memset(a, 0, sizeof *a);
}

const struct isa_assembler toolchain_assembler = {assemble, assembled_done};

bool encodings_learn(const struct form_row *const *rows, size_t count, struct err *err)
{
    const struct isa_ops *set = count ? isa_ops(rows[0]->isa) : NULL;
    return !set || !set->codes_learn || set->codes_learn(rows, count, &toolchain_assembler, err);
}

struct form_code *encodings_code(const struct form_row *row, struct err *err)
{
    return encodings_learn(&row, 1, err) ? form_code_new(row, err) : NULL;
}

struct form_code *encodings_code_any(const struct form_row *row, struct err *err)
{
    return encodings_learn(&row, 1, err) ? form_code_any(row, err) : NULL;
}
