/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_text.h"
#include "base/file.h"
#include "cmd/command.h"
#include "cmd/loading.h"
#include "report/report.h"

static void cell_line(struct result_table *t, uint32_t line)
{
    cell_count_if(t, line, line);
}

static bool run_show(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct kernel *k = s->document.kernel;
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    const struct insn *insns = kernel_insns(k, s->document.loop, &count);
    const bool code = count && insns[0].placed;
    const struct result_column columns[] = {
        {.key = "line", .kind = CELL_COUNT, .width = 5, .hide = code ? NOT_TEXT | NOT_DOCUMENT : 0},
        {.key = "address", .kind = CELL_TEXT, .width = 5,
         .hide = code ? 0 : NOT_TEXT | NOT_DOCUMENT},
        {.key = "form", .kind = CELL_TEXT, .width = 39},
        {.key = "text", .title = "instruction", .kind = CELL_TEXT},
        {.key = "percent", .title = "samples", .unit = "%", .kind = CELL_NUMBER, .decimals = 2,
         .hide = NOT_TEXT},
        {.key = "source_line", .kind = CELL_COUNT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "source", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT},
    };
    result_text(result, "kernel", k->name);
    struct result_table *t = RESULT_TABLE(result, "instructions", columns);
    t->headless = true;
    for (size_t i = 0; i < count; i++) {
        const char *source;
        uint32_t line = kernel_source_line(k, &insns[i], &source);
        struct str note = {0};
        if (kernel_source_note(k, &insns[i], i ? &insns[i - 1] : NULL, &note))
            table_note(t, "%*s%s", (int)(13 - strcspn(str_text(&note), ":") % 13), "",
                       str_text(&note));
        str_done(&note);
        cell_line(t, insns[i].line);
        cell_insn_address(t, &insns[i]);
        cell_text(t, insns[i].form);
        cell_text(t, insns[i].text ? insns[i].text : "");
        cell_number(t, kernel_percent(k, &insns[i]));
        cell_line(t, line);
        cell_text(t, source);
    }
    return true;
}

const struct command command_kernel_show = {
    .name = "kernel show",
    .help = "show the instructions of the loop with their forms",
    .description = "C or C++ source lines are shown above their instructions.",
    .examples = EXAMPLES("kernel show"),
    .read = run_show,
};

static bool run_list(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct kernel *k = s->document.kernel;

    if (!session_has_kernel(s, err))
        return false;
    const uint8_t of_text = k->insns[0].placed ? NOT_TEXT | NOT_DOCUMENT : 0,
                  of_code = k->insns[0].placed ? 0 : NOT_TEXT | NOT_DOCUMENT;
    const struct result_column columns[] = {
        {.key = "mark", .title = "", .kind = CELL_TEXT, .width = 1, .hide = NOT_CSV | NOT_JSON},
        {.key = "loop", .kind = CELL_COUNT, .width = 4},
        {.key = "current", .kind = CELL_SWITCH, .hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT},
        {.key = "instructions", .kind = CELL_COUNT},
        {.key = "first_line", .title = "first line", .kind = CELL_COUNT, .hide = of_text},
        {.key = "last_line", .title = "last line", .kind = CELL_COUNT, .hide = of_text},
        {.key = "address", .kind = CELL_TEXT, .hide = of_code},
        {.key = "why", .kind = CELL_TEXT},
    };
    result_count(result, "current", (int64_t)s->document.loop + 1);
    struct result_table *t = RESULT_TABLE(result, "loops", columns);
    for (size_t i = 0; i < k->loop_count; i++) {
        const struct kernel_loop *loop = &k->loops[i];
        cell_text(t, i == s->document.loop ? "*" : "");
        cell_count(t, (int64_t)i + 1);
        cell_switch(t, i == s->document.loop);
        cell_count(t, (int64_t)loop->count);
        cell_line(t, loop->first_line);
        cell_line(t, loop->last_line);
        cell_insn_address(t, &k->insns[loop->first]);
        cell_text(t, loop->why);
    }
    return true;
}

const struct command command_kernel_list = {
    .name = "kernel list",
    .help = "list the loops; * marks the current loop",
    .examples = EXAMPLES("kernel list"),
    .read = run_list,
};

static bool run_omitted(struct session *s, const void *values, struct result *result,
                        struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "line", .kind = CELL_COUNT, .width = 5},
        {.key = "reason", .kind = CELL_TEXT, .width = 34},
        {.key = "text", .kind = CELL_TEXT},
    };
    const struct kernel *k = s->document.kernel;

    if (!session_has_kernel(s, err))
        return false;
    if (!k->left_out_count && !k->refused_count) {
        result_line(result, "%s: no line was skipped, no gap found", k->name);
        return true;
    }
    struct result_table *t = RESULT_TABLE(result, "omitted", columns);
    for (size_t i = 0; i < k->left_out_count + k->refused_count; i++) {
        const struct diagnostic *d =
            i < k->left_out_count ? &k->left_out[i] : &k->refused[i - k->left_out_count];
        cell_count(t, (int64_t)d->line);
        cell_text(t, d->reason);
        cell_text(t, d->text + strspn(d->text, " \t"));
    }
    return true;
}

const struct command command_kernel_omitted = {
    .name = "kernel omitted",
    .help = "list skipped lines of the text and lines after omitted instructions",
    .description = "Pasted text may contain lines that are not instructions: sentences, source "
                   "code, text outside a code block. These lines are skipped. Invalid instructions "
                   "are errors unless --skip-bad skips them. Lines of a loop after a gap between "
                   "the addresses are used, but listed.",
    .examples = EXAMPLES("kernel omitted"),
    .read = run_omitted,
};

struct kernel_use_values {
    size_t loop;
};

static bool run_use(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct kernel_use_values *v = values;

    if (!session_has_kernel(s, err))
        return false;
    if (v->loop > s->document.kernel->loop_count)
        return err_set(err, ERR_USAGE, "kernel list shows the loops",
                       "no loop %zu; numbers are 1 to %zu", v->loop,
                       s->document.kernel->loop_count);
    document_use_loop(&s->document, v->loop - 1);
    kernel_tell_loaded(s, result);
    return true;
}

const struct command command_kernel_use = {
    .name = "kernel use",
    .help = "select another loop of the kernel",
    .arguments = PARAMETERS(
        {PARAMETER(COUNT, "N", struct kernel_use_values, loop), .required = true, .least = 1,
         .most = 1e9, .help = "loop number, see kernel list"}),
    .examples = EXAMPLES("kernel use 2", "kernel use 1"),
    .values_size = sizeof(struct kernel_use_values),
    .flags = COMMAND_CHANGES,
    .run = run_use,
};

struct kernel_save_values {
    const char *file;
};

static bool run_save(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct kernel_save_values *v = values;
    struct str text = {0};
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    kernel_insns(s->document.kernel, s->document.loop, &count);
    if (count == 0)
        return err_set(err, ERR_DATA, "kernel use N selects another loop",
                       "the loop has no instructions");
    bool ok = kernel_text(s->document.kernel, s->document.loop, &text, err) &&
              file_write(v->file, text.data, text.length, err);
    if (ok) {
        result_confirm(result, "%s: %zu instruction%s", v->file, count, plural(count));
        result_text(result, "file", v->file);
        result_count(result, "instructions", (int64_t)count);
    }
    str_done(&text);
    return ok;
}

const struct command command_kernel_save = {
    .name = "kernel save",
    .help = "write the current loop as assembler text (x86-64: Intel syntax)",
    .description = "Names of labels and exits are kept. The written text assembles to the same "
                   "bytes. Instructions that the assembler would encode differently are written as "
                   "bytes, with their text in a comment.",
    .arguments =
        PARAMETERS({PARAMETER(TEXT, "FILE", struct kernel_save_values, file), .required = true,
                    .complete = COMPLETE_FILE, .help = "file to write; replaced if it exists"}),
    .examples = EXAMPLES("kernel save loop.s", "kernel save /dev/stdout"),
    .values_size = sizeof(struct kernel_save_values),
    .read = run_save,
};
