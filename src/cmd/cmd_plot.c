/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/drawing.h"
#include "cmd/task.h"

struct plot_values {
    const char *what, *file;
};

struct plotting {
    struct drawing *drawing;
    enum figure_format format;
    const char *file;
};

static void plotting_free(void *state)
{
    struct plotting *p = state;
    drawing_free(p->drawing);
    free(p);
}

static bool plot_work(void *state, struct result *result, struct err *err)
{
    struct plotting *p = state;
    struct str bytes = {0};
    bool ok = drawing_prepare(p->drawing, err) &&
              figure_draw(drawing_figure(p->drawing), p->format, &bytes, err) &&
              watch_goes_on(err) && command_write(p->file, &bytes, result, err);

    str_done(&bytes);
    return ok;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"draws", plot_work, NULL, plotting_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct plot_values *v = values;
    const char *dot = strrchr(v->file, '.');
    const bool svg = dot && strcmp(dot, ".svg") == 0;
    enum drawing_kind kind = 0;

    if (!svg && !(dot && strcmp(dot, ".png") == 0))
        return err_set(err, ERR_USAGE, "name the file FILE.svg or FILE.png",
                       "the file name must end in .svg or .png");
    while (strcmp(drawing_names[kind], v->what) != 0)
        kind++;
    struct drawing *drawing = drawing_new(s, kind, err);
    if (!drawing)
        return false;
    struct plotting *p = mem_alloc(sizeof *p);
    *p = (struct plotting){drawing, svg ? FIGURE_SVG : FIGURE_PNG, v->file};
    return task_give(task, &ops, p);
}

#define DRAWING_SENTENCE(value, word, shows) word ": " shows ". "

const struct command command_plot = {
    .name = "plot",
    .help = "write a plot of the workbench as an SVG or PNG picture",
    .description =
        DRAWINGS(DRAWING_SENTENCE) "Needs gnuplot. The file's extension selects the format.",
    .arguments = PARAMETERS(
        {PARAMETER(CHOICE, "PLOT", struct plot_values, what), .required = true,
         .choices = DRAWING_CHOICES, .help = "plot to draw"},
        {PARAMETER(TEXT, "FILE", struct plot_values, file), .required = true,
         .complete = COMPLETE_FILE, .help = "file to write: .svg or .png"}),
    .examples = EXAMPLES("plot evolution run.svg", "plot accuracy skylake.png"),
    .values_size = sizeof(struct plot_values),
    .prepare = prepare,
};
