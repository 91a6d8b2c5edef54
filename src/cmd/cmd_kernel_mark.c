/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "cmd/command.h"
#include "isa/isa.h"

/* number of lines, from a loop's first instruction backwards, that are searched for the loop's
 * label */
#define LABEL_LINES 32

struct mark_values {
    const char *file, *kind;
};

/* Prints the markers that precede and follow the loop. Returns false with err if IACA has none for
 * the instruction set. */
static bool markers_of(const char *kind, const struct isa_ops *ops, const char *name,
                       struct str *begin, struct str *end, struct err *err)
{
    static const struct {
        const char *kind, *begin, *end;
    } comments[] = {{"llvm-mca", "LLVM-MCA-BEGIN ", "LLVM-MCA-END "},
                    {"osaca", "OSACA-BEGIN", "OSACA-END"}};

    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++)
        if (strcmp(kind, comments[i].kind) == 0) {
            bool named = i == 0;
            str_addf(begin, "%s %s%s\n", ops->comment, comments[i].begin, named ? name : "");
            str_addf(end, "%s %s%s\n", ops->comment, comments[i].end, named ? name : "");
            return true;
        }
    if (!ops->iaca_markers[0])
        return err_set(err, ERR_USAGE, "use --for osaca, or --for llvm-mca",
                       "IACA has no markers for %s", ops->title);
    str_add(begin, ops->iaca_markers[0]);
    str_add(end, ops->iaca_markers[1]);
    return true;
}

static bool is_label(const char *line, size_t length, const char *label)
{
    while (length && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    size_t n = strlen(label);
    return n && length > n && memcmp(line, label, n) == 0 && line[n] == ':';
}

/* Returns the line (from 1) of the begin marker: the label that the back edge targets, or the
 * loop's first line. */
static size_t begin_line(const struct str *const *lines, size_t count,
                         const struct kernel_loop *loop)
{
    size_t first = loop->first_line;
    for (size_t back = 0; back < LABEL_LINES && back < first && first - back <= count; back++)
        if (is_label(str_text(lines[first - back - 1]), lines[first - back - 1]->length,
                     loop->label))
            return first - back;
    return first;
}

static void add_marked(const char *source, const struct kernel_loop *loop, const char *begin,
                       const char *end, struct str *out)
{
    VEC(struct str *) lines = {0};

    for (const char *at = source; *at;) {
        size_t span = strcspn(at, "\n");
        struct str *line = mem_zero(1, sizeof *line);
        str_add_bytes(line, at, span);
        vec_push(&lines, line);
        at += span + (at[span] == '\n');
    }
    size_t from = begin_line((const struct str *const *)lines.items, lines.count, loop);
    for (size_t i = 0; i < lines.count; i++) {
        if (i + 1 == from)
            str_add(out, begin);
        str_addf(out, "%s\n", str_text(lines.items[i]));
        if (i + 1 == loop->last_line)
            str_add(out, end);
        str_done(lines.items[i]);
        free(lines.items[i]);
    }
    vec_done(&lines);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct mark_values *v = values;
    const struct kernel *k = s->document.kernel;
    struct str begin = {0}, end = {0}, text = {0}, name = {0};

    if (!session_has_kernel(s, err))
        return false;
    const struct kernel_loop *loop = &k->loops[s->document.loop];
    if (!k->source || !loop->first_line || !loop->last_line)
        return err_set(err, ERR_DATA, "load assembler text or C source",
                       "%.100s has no assembler text to mark", k->name);
    if (loop->marked)
        return err_set(err, ERR_USAGE, "kernel use N selects another loop",
                       "this loop has markers already");
    str_addf(&name, "loop%zu", s->document.loop + 1);
    bool ok = markers_of(v->kind ? v->kind : "llvm-mca", isa_ops(k->isa), str_text(&name), &begin,
                         &end, err);
    if (ok) {
        add_marked(k->source, loop, str_text(&begin), str_text(&end), &text);
        ok = command_write(v->file, &text, result, err);
    }
    str_done(&begin);
    str_done(&end);
    str_done(&text);
    str_done(&name);
    return ok;
}

const struct command command_kernel_mark = {
    .name = "kernel mark",
    .help = "write the kernel's text with markers around the current loop",
    .description = "The markers are before the loop's label and after the loop's last line. kernel "
                   "load recognises all three kinds of markers.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct mark_values, file), .required = true,
         .complete = COMPLETE_FILE, .help = "file to write"}),
    .options = PARAMETERS(
        {PARAMETER(CHOICE, "--for", struct mark_values, kind), .choices = "llvm-mca|osaca|iaca",
         .fallback = "llvm-mca",
         .help = "kind of markers: comments for llvm-mca or OSACA, or bytes for IACA in an "
                 "object, which overwrite ebx (x86-64)"}),
    .examples = EXAMPLES("kernel mark marked.s", "kernel mark marked.s --for osaca"),
    .values_size = sizeof(struct mark_values),
    .read = run,
};
