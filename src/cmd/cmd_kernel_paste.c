/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "cmd/command.h"
#include "cmd/loading.h"
#include "cmd/task.h"
#include "isa/isa.h"

#define PASTE_LIMIT ((size_t)32 << 20)   /* number of bytes after which no further line is stored;
                                          * the loader rejects longer input */

struct paste_values {
    const char *syntax, *isa;
    bool skip_bad;
};

/* Reads lines up to a line with a single dot, or to the end of the input. Stores no line after
 * PASTE_LIMIT bytes. */
static void read_pasted(struct session *s, struct str *out)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    while ((length = getline(&line, &capacity, s->input)) >= 0) {
        if (s->input_line)
            ++*s->input_line;
        if (strcmp(line, ".\n") == 0 || strcmp(line, ".") == 0)
            break;
        if (out->length <= PASTE_LIMIT)
            str_add_bytes(out, line, (size_t)length);
    }
    if (length < 0 && !feof(s->input))
        shortage_lose(capacity);
    free(line);
}

/* Requests text from the workbench, which repeats the command with the same options. */
static void ask_for_text(struct session *s, const struct paste_values *v)
{
    snprintf(s->paste_command, sizeof s->paste_command, "kernel paste%s%s%s%s%s",
             v->syntax ? " --syntax " : "", v->syntax ? v->syntax : "", v->isa ? " --isa " : "",
             v->isa ? v->isa : "", v->skip_bad ? " --skip-bad" : "");
    s->want_paste = true;
}

static bool prepare_paste(struct session *s, const void *values, struct task *task, struct err *err)
{
    const struct paste_values *v = values;

    if (!s->input && s->interactive) {
        ask_for_text(s, v);
        return true;
    }
    if (!s->input)
        return err_set(err, ERR_USAGE, "paste the text into the workbench, without this command",
                       "the workbench has no standard input");
    struct kernel_options options = {.skip_bad = v->skip_bad};
    struct str text = {0};
    options.isa_given = v->isa && isa_parse(v->isa, &options.isa);
    if (v->syntax)
        options.syntax = v->syntax[0] == 'a' ? SYNTAX_ATT : SYNTAX_INTEL;
    read_pasted(s, &text);
    return loading_start_text(s, &text, &options, task);
}

const struct command command_kernel_paste = {
    .name = "kernel paste",
    .help = "read assembler text from standard input up to a line with a single dot",
    .description = "In the workbench pasted text needs no end mark; typed text ends with Ctrl-D. "
                   "Text may contain bytes, percentages, line numbers, quotation marks or source "
                   "between the instructions. kernel omitted lists the skipped lines. Text with "
                   "errors can be corrected and loaded again.",
    .options = PARAMETERS(
        LOADING_OPTION_SYNTAX(struct paste_values),
        {PARAMETER(CHOICE, "--isa", struct paste_values, isa), .choices = ISA_CHOICES,
         .fallback = "detected from the registers", .help = "the instruction set"},
        LOADING_OPTION_SKIP_BAD(struct paste_values)),
    .examples = EXAMPLES("kernel paste", "kernel paste --syntax intel --skip-bad"),
    .values_size = sizeof(struct paste_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare_paste,
};

struct hex_values {
    const char *bytes, *isa;
};

struct hex_reading {
    char *bytes;
    enum isa isa;
    const struct kernel *kernel;
};

static void hex_free(void *state)
{
    struct hex_reading *h = state;
    kernel_free(h->kernel);
    free(h->bytes);
    free(h);
}

static bool hex_work(void *state, struct result *result, struct err *err)
{
    struct hex_reading *h = state;

    h->kernel = kernel_from_hex(h->isa, h->bytes, err);
    return h->kernel != NULL;
}

static bool hex_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct hex_reading *h = state;

    session_set_kernel(s, h->kernel, 0);
    h->kernel = NULL;
    kernel_tell_loaded(s, result);
    return true;
}

static bool prepare_hex(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"decodes", hex_work, hex_publish, hex_free,
                                        .goes_on = loading_goes_on, .listed = TASK_LISTED_IF_LONG};
    const struct hex_values *v = values;
    struct hex_reading *h = mem_zero(1, sizeof *h);

    h->bytes = mem_try_strndup(v->bytes, strlen(v->bytes));
    if (!h->bytes) {
        hex_free(h);
        return err_memory_for(err, "the hex block", strlen(v->bytes));
    }
    isa_parse(v->isa, &h->isa);
    return loading_give(s, task, &ops, h);
}

const struct command command_kernel_hex = {
    .name = "kernel hex",
    .help = "load a block of machine code",
    .arguments = PARAMETERS(
        {PARAMETER(JOINED, "BYTES", struct hex_values, bytes), .required = true,
         .help = "pairs of hex digits; spaces are allowed"}),
    .options = PARAMETERS(
        {PARAMETER(CHOICE, "--isa", struct hex_values, isa), .choices = ISA_CHOICES,
         .initial = ISA_UNSAID_NAME, .help = "the instruction set"}),
    .examples = EXAMPLES("kernel hex 4801d8", "kernel hex 8b000091 --isa aarch64"),
    .values_size = sizeof(struct hex_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare_hex,
};
