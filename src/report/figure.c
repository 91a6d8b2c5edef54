/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/file.h"

#define SECONDS 60
#define FILE_MOST ((size_t)64 << 20)
#define MEMORY_MOST ((size_t)2 << 30)

/* Okabe and Ito's colours, which colour-blind readers can distinguish on white, each with a dash
 * pattern. */
static const struct {
    const char *color;
    int dash;
} looks[FIGURE_SERIES] = {{"#0072b2", 1}, {"#d55e00", 2}, {"#009e73", 4},
                          {"#cc79a7", 5}, {"#56b4e9", 3}, {"#e69f00", 1}};

static const struct child_limits limits = {.cpu_seconds = SECONDS,
                                           .memory = MEMORY_MOST,
                                           .file_size = FILE_MOST,
                                           .wall_seconds = 2 * SECONDS,
                                           .output = 4096};

static const char *missing_todo(void)
{
    return "install gnuplot (Debian: gnuplot-nox)";
}

/* Appends a single-quoted gnuplot string: doubles quotes and replaces control characters with
 * blanks. */
static void add_quoted(struct str *out, const char *text)
{
    str_add_char(out, '\'');
    for (; text && *text; text++) {
        if (*text == '\'')
            str_add_char(out, '\'');
        str_add_char(out, (unsigned char)*text < 32 ? ' ' : *text);
    }
    str_add_char(out, '\'');
}

static void add_label(struct str *out, const char *command, const char *text)
{
    if (!text)
        return;
    str_addf(out, "set %s ", command);
    add_quoted(out, text);
    str_add_char(out, '\n');
}

static bool drawable(const struct figure *f, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!f->log_x || x > 0) && (!f->log_y || y > 0);
}

/* Returns the end of both axes, slightly above the largest value. */
static double farthest(const struct figure *f)
{
    double most = 0;

    for (size_t i = 0; i < f->series_count; i++)
        for (size_t k = 0; k < f->series[i].n; k++)
            if (drawable(f, f->series[i].x[k], f->series[i].y[k]))
                most = fmax(most, fmax(f->series[i].x[k], f->series[i].y[k]));
    return most > 0 ? 1.05 * most : 1;
}

static void add_data(const struct figure *f, struct str *out)
{
    for (size_t i = 0; i < f->series_count; i++) {
        const struct figure_series *s = &f->series[i];
        size_t drawn = 0;
        str_addf(out, "$data%zu << END\n", i);
        for (size_t k = 0; k < s->n; k++) {
            bool fits = drawable(f, s->x[k], s->y[k]);
            if (fits)
                str_addf(out, "%.9g %.9g\n", s->x[k], s->y[k]);
            else if (drawn)
                str_add(out, "\n");   /* An empty line makes a gap in the curve. */
            drawn += fits;
        }
        if (!drawn)
            str_add(out, "NaN NaN\n");
        str_add(out, "END\n");
    }
}

static void add_script(const struct figure *f, enum figure_format format, struct str *out)
{
    static const char *const drawn[] = {"linespoints", "lines"};

    if (format == FIGURE_SVG)
        str_addf(out,
                 "set terminal svg size 800,480 dynamic noenhanced font 'sans-serif,14' name '%s' "
                 "background '#ffffff'\nset output 'figure'\n",
                 f->name);
    else
        str_add(out, "set terminal pngcairo size 1200,720 noenhanced font 'sans-serif,16' "
                     "background '#ffffff'\nset output 'figure'\n");
    add_label(out, "title", f->title);
    add_label(out, "xlabel", f->x_label);
    add_label(out, "ylabel", f->y_label);
    str_addf(
        out,
        "set border 3\nset tics nomirror\nset grid linecolor '#dddddd'\nset key top right\n%s%s",
        f->log_x ? "set logscale x\n" : "", f->log_y ? "set logscale y\n" : "");
    if (f->diagonal)
        str_addf(out,
                 "set xrange [0:%.9g]\nset yrange [0:%.9g]\nset size square\nset key off\nset "
                 "arrow from 0,0 to %.9g,%.9g nohead linecolor '#999999' dashtype 3\n",
                 farthest(f), farthest(f), farthest(f), farthest(f));
    add_data(f, out);
    for (size_t i = 0; i < f->series_count; i++) {
        const struct figure_series *s = &f->series[i];
        str_addf(out, "%s$data%zu using 1:2 with ", i ? ", " : "plot ", i);
        if (s->points)
            str_addf(out, "points pointtype 7 pointsize 0.4 linecolor '%s' title ", looks[i].color);
        else
            str_addf(out,
                     "%s linewidth 2 dashtype %d pointtype 7 pointsize 0.4 linecolor '%s' title ",
                     drawn[s->n > 40], looks[i].dash, looks[i].color);
        add_quoted(out, s->label);
    }
    str_add(out, "\n");
}

/* Sets err to the first line of gnuplot's output, or reports that gnuplot did not end in time.
 * Returns false. */
static bool refused(const struct child_result *result, struct err *err)
{
    const char *text = str_text(&result->output);

    text += strspn(text, " \t\r\n");
    return err_set(err, ERR_IO, NULL, "gnuplot failed: %.*s",
                   result->timed_out ? 17 : (int)strcspn(text, "\n"),
                   result->timed_out ? "gnuplot did not end in time" : text);
}

bool figure_draw(const struct figure *f, enum figure_format format, struct str *out,
                 struct err *err)
{
    static const char *const argv[] = {"gnuplot", "--default-settings", "-", NULL};
    struct child_result result = {0};
    struct str script = {0}, path = {0};
    char *directory = child_directory_new(err);
    bool ok = directory != NULL;

    str_clear(out);
    if (ok) {
        struct err fault = {0};
        add_script(f, format, &script);
        ok = child_run(argv, directory, str_text(&script), script.length, &limits, &result, &fault);
        if (!ok && fault.code == ERR_MISSING)
            err_set(err, ERR_MISSING, missing_todo(),
                    "pictures need gnuplot, which is not installed");
        else if (!ok && err)
            *err = fault;
    }
    if (ok && !(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0))
        ok = refused(&result, err);
    if (ok) {
        str_addf(&path, "%s/figure", directory);
        ok = file_read(str_text(&path), FILE_MOST, out, err) &&
             (out->length || refused(&result, err));
    }
    child_result_done(&result);
    child_directory_free(directory);
    str_done(&script);
    str_done(&path);
    return ok;
}
