/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/utf8_text.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/kernel_analyze.h"
#include "report/report_markup.h"

struct report_values {
    const char *file;
    struct word_list machines;
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct report_values *v = values;
    const char *dot = strrchr(v->file, '.');
    bool html = dot && strcmp(dot, ".html") == 0;
    struct str raw = {0}, text = {0};
    size_t count;

    if (!html && !(dot && strcmp(dot, ".md") == 0))
        return err_set(err, ERR_USAGE, "use kernel report FILE.html, or FILE.md",
                       "the file name must end in .html or .md");
    struct analysis **analyses = kernel_analyze(s, &v->machines, &count, err);
    if (!analyses)
        return false;
    (html ? report_html : report_markdown)(s->document.kernel, s->document.loop, analyses, count,
                                           &raw);
    utf8_printable(str_text(&raw), raw.length, &text);
    str_done(&raw);
    kernel_analyses_free(analyses, count);
    bool ok = watch_goes_on(err) && command_write(v->file, &text, result, err);
    str_done(&text);
    return ok;
}

const struct command command_kernel_report = {
    .name = "kernel report",
    .help = "write the analysis as a self-contained document",
    .description = "For each machine: the bottleneck, the bounds and the pressure table (a heat "
                   "map in HTML). The document loads nothing from the network.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct report_values, file), .required = true,
         .complete = COMPLETE_FILE, .help = "file to write: .html or .md"}),
    .options = PARAMETERS(
        MACHINES_OPTION(report_values, "the selected machines", "machine to report on")),
    .examples = EXAMPLES("kernel report triad.html", "kernel report triad.md --machine znver4"),
    .values_size = sizeof(struct report_values),
    .read = run,
};
