/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cmd/command.h"

/* Number of bytes whose escape sequence (OSC 52, in base64) has 100,000 characters, the most that
 * terminals accept. */
#define COPY_MOST 74994

struct copy_values {
    const char *what, *file;
};

/* Copies the loop's lines of the user's source, or without a source, the disassembled instructions.
 * Returns false with err if there is no kernel, or if the loop has no text. */
static bool copy_kernel(const struct session *s, struct str *out, struct err *err)
{
    size_t count, line = 1;

    if (!session_has_kernel(s, err))
        return false;
    const struct kernel *k = s->document.kernel;
    const struct insn *insns = kernel_insns(k, s->document.loop, &count);
    for (size_t i = 0; !k->source && i < count; i++)
        str_addf(out, "%s\n", insns[i].text);
    for (const char *at = k->source; at && *at && count && line <= insns[count - 1].line; line++) {
        const size_t length = strcspn(at, "\n");
        if (line >= insns[0].line)
            str_addf(out, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    return out->length ||
           err_set(err, ERR_DATA, "kernel use N selects another loop", "the loop has no text");
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct copy_values *v = values;
    bool kernel = strcmp(v->what, "kernel") == 0;
    struct str text = {0};

    str_clear(&s->copied);
    bool ok = kernel ? copy_kernel(s, &text, err) : session_view(s, "copy", v->what, result, err);
    if (!kernel) {   /* The view has already stored its own text in s->copied. */
        str_add_bytes(&text, str_text(&s->copied), s->copied.length);
        str_clear(&s->copied);
    }
    if (ok && v->file) {
        ok = command_write(v->file, &text, result, err);
    } else if (ok && !s->interactive) {
        result_block(result, str_text(&text));
    } else if (ok && text.length > COPY_MOST) {
        ok = err_set(err, ERR_LIMIT, "copy --file FILE writes the text to a file",
                     "%zu bytes are too many for the clipboard: terminals accept at most %d bytes",
                     text.length, COPY_MOST);
    } else if (ok) {
        size_t lines = 0;
        for (const char *at = str_text(&text); *at; at++)
            lines += *at == '\n';
        result_confirm(
            result,
            "copied %zu line%s, %zu byte%s, to the clipboard, if the terminal allows it (OSC 52)",
            lines, plural(lines), text.length, plural(text.length));
        str_add_bytes(&s->copied, str_text(&text), text.length);
    }
    str_done(&text);
    return ok;
}

const struct command command_copy = {
    .name = "copy",
    .help = "copy rows, names or the loop's text to the terminal's clipboard",
    .arguments = PARAMETERS(
        {PARAMETER(CHOICE, "WHAT", struct copy_values, what), .choices = "rows|names|table|kernel",
         .initial = "rows",
         .help = "rows: tagged rows of the view, or the selected row, with tabs between columns; "
                 "names: first column of these rows; table: all rows, as export writes them; "
                 "kernel: text of the loop. In the view output, rows, names and table copy the "
                 "view's text"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--file", struct copy_values, file), .value = "FILE",
         .fallback = "the terminal's clipboard; without a screen, standard output",
         .complete = COMPLETE_FILE, .help = "file to write"}),
    .examples = EXAMPLES("copy", "copy names", "copy table", "copy kernel",
                         "copy kernel --file loop.s"),
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct copy_values),
    .run = run,
};
