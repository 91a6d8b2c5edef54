/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/utf8_text.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/kernel_analyze.h"
#include "report/report.h"

struct graph_values {
    const char *file, *machine;
};

static bool draw(const struct str *dot, struct str *out, struct err *err)
{
    static const struct child_limits limits = {.cpu_seconds = 60,
                                               .memory = (size_t)2 << 30,
                                               .file_size = 1 << 20,
                                               .wall_seconds = 120,
                                               .output = (size_t)64 << 20};
    const char *const argv[] = {"dot", "-Tsvg", NULL};
    struct child_result result = {0};
    bool ok = child_run(argv, "/", dot->data, dot->length, &limits, &result, err);

    if (!ok && err->code == ERR_MISSING)
        err_set(err, ERR_MISSING, "install the package graphviz, or write FILE.dot",
                "cannot start dot");
    else if (ok && (result.timed_out || result.cut || !WIFEXITED(result.status) ||
                    WEXITSTATUS(result.status) != 0))
        ok = err_set(err, ERR_DATA, "write FILE.dot", "dot failed: %.200s",
                     str_text(&result.output));
    if (ok)
        str_add_bytes(out, result.output.data, result.output.length);
    child_result_done(&result);
    return ok;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct graph_values *v = values;
    const char *ending = strrchr(v->file, '.');
    bool svg = ending && strcmp(ending, ".svg") == 0;
    const struct word_list machines = {(const char **)&v->machine, 1},
                           current = {(const char **)s->document.selected, 1};
    struct str raw = {0}, text = {0}, drawn = {0};
    size_t count;

    if (!svg && !(ending && strcmp(ending, ".dot") == 0))
        return err_set(err, ERR_USAGE, "use kernel graph FILE.dot, or FILE.svg",
                       "the file name must end in .dot or .svg");
    struct analysis **analyses = kernel_analyze(s, v->machine ? &machines : &current, &count, err);
    if (!analyses)
        return false;
    report_dot(analyses[0], &raw);
    kernel_analyses_free(analyses, count);
    utf8_printable(str_text(&raw), raw.length, &text);
    str_done(&raw);
    bool ok = watch_goes_on(err) && (!svg || draw(&text, &drawn, err)) &&
              command_write(v->file, svg ? &drawn : &text, result, err);
    str_done(&text);
    str_done(&drawn);
    return ok;
}

const struct command command_kernel_graph = {
    .name = "kernel graph",
    .help = "write the loop's dependences as a graph",
    .description = "Nodes are instructions; an arrow leads from each writer to its readers. Dashed "
                   "arrows lead to a later iteration. A chain that limits the loop is red.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct graph_values, file), .required = true,
         .complete = COMPLETE_FILE, .help = "file to write: .dot, or .svg (needs Graphviz)"}),
    .options = PARAMETERS(
        MACHINE_OPTION(graph_values, "the current machine", "machine whose latencies are shown")),
    .examples = EXAMPLES("kernel graph loop.dot", "kernel graph loop.svg --machine skylake"),
    .values_size = sizeof(struct graph_values),
    .read = run,
};
