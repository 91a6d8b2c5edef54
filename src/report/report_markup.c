/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_markup.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "table/result_parts.h"

#define SHOWN_LEAST 0.005   /* smallest value that is not printed as 0.00 */
#define ROOMY 12            /* maximum number of port columns with letters of full size */

/* Appends text with each sequence of blanks as one blank, and control characters as '?'. */
static void tidy(const char *text, struct str *out)
{
    bool blank = true;
    for (; *text; text++) {
        bool is_blank = *text == ' ' || *text == '\t';
        if (!is_blank)
            str_add_char(out, (unsigned char)*text < 32 || *text == 127 ? '?' : *text);
        else if (!blank)
            str_add_char(out, ' ');
        blank = is_blank;
    }
}

static void html_text(const char *text, struct str *out)
{
    struct str clean = {0};
    tidy(text, &clean);
    const char *end = str_text(&clean) + clean.length;
    for (const char *at = str_text(&clean); at < end;) {
        /* Replaces invalid bytes, because a kernel's text may contain them, but HTML must be
         * UTF-8. */
        size_t length = utf8_next(at, (size_t)(end - at), NULL);
        if (!length)
            str_add(out, "&#xfffd;");
        else if (*at == '<' || *at == '>' || *at == '&' || *at == '"' || *at == '\'')
            str_addf(out, "&#%d;", *at);
        else
            str_add_bytes(out, at, length);
        at += length ? length : 1;
    }
    str_done(&clean);
}

/* Escapes characters of a Markdown table cell or paragraph that could be markup. */
static void markdown_text(const char *text, struct str *out)
{
    struct str clean = {0};
    tidy(text, &clean);
    for (const char *at = str_text(&clean); *at; at++) {
        if (strchr("\\`*_{}[]<>#|~&", *at))
            str_add_char(out, '\\');
        str_add_char(out, *at);
    }
    str_done(&clean);
}

/* Appends code for a Markdown table. The fence is longer than any sequence of backticks in the
 * code, and bars are escaped. */
static void markdown_code(const char *text, struct str *out)
{
    struct str clean = {0};
    size_t longest = 0, run = 0;

    tidy(text, &clean);
    for (const char *at = str_text(&clean); *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        str_add_char(out, '`');
    str_add(out, longest ? " " : "");
    for (const char *at = str_text(&clean); *at; at++)
        str_addf(out, *at == '|' ? "\\%c" : "%c", *at);
    str_add(out, longest ? " " : clean.length ? "" : " ");
    for (size_t i = 0; i <= longest; i++)
        str_add_char(out, '`');
    str_done(&clean);
}

static void notes_text(const struct analysis_row *row, struct str *out)
{
    for (uint32_t rest = row->flags, first = 1; rest; rest &= rest - 1, first = 0)
        str_addf(out, "%s%s", first ? "" : ", ", row_flag_name(rest & -rest));
}

/* Returns the source text of the instruction's line if it differs from the previous row's,
 * otherwise NULL. Sets *@line to the line's number. */
static const char *new_source(const struct kernel *k, const struct analysis *a, size_t row,
                              uint32_t *line)
{
    uint32_t before = row ? kernel_source_line(k, a->rows[row - 1].insn, NULL) : 0;
    const char *text;
    *line = kernel_source_line(k, a->rows[row].insn, &text);
    return *line && *line != before ? text : NULL;
}

static void cycles_text(double value, struct str *out)
{
    if (isnan(value))
        str_add(out, "-");
    else
        str_addf(out, "%.2f", value);
}

/* Ports that an iteration uses. A report has no columns for other ports. */
struct busy_ports {
    unsigned count;
    unsigned ports[PORTS_MAX];
    struct str idle;   /* names of the unused ports */
};

/* Finds the ports that @a uses. Free the result with str_done(&busy->idle). */
static void busy_ports_find(const struct analysis *a, struct busy_ports *busy)
{
    const struct ports *ports = &a->ports;

    *busy = (struct busy_ports){0};
    for (unsigned j = 0; j < ports->count; j++)
        if (a->totals[j] < SHOWN_LEAST)
            str_addf(&busy->idle, "%s%s", busy->idle.length ? ", " : "", ports->names[j]);
        else
            busy->ports[busy->count++] = j;
}

static void markdown_cells(const struct busy_ports *busy, const double *pressure, struct str *out)
{
    for (unsigned j = 0; j < busy->count; j++)
        if (pressure[busy->ports[j]] < SHOWN_LEAST)
            str_add(out, " |");
        else
            str_addf(out, " %.2f |", pressure[busy->ports[j]]);
}

/* Returns the trimmed cell at @at of a Markdown table row. *@next is the text after the cell's bar;
 * NULL at the end of the row. *@length receives the cell's bytes. */
static const char *markdown_cell(const char *at, size_t *length, const char **next)
{
    const char *end = at;

    while (*end && *end != '\n' && !(*end == '|' && (end == at || end[-1] != '\\')))
        end++;
    *next = *end == '|' ? end + 1 : NULL;
    at += *at == ' ';
    *length = (size_t)(end - at) - (end > at && end[-1] == ' ');
    return at;
}

static size_t characters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t at = 0, step; at < length; at += step ? step : 1, count++)
        step = utf8_next(text + at, length - at, NULL);
    return count;
}

/* Appends the Markdown table @table, of at most AT_MOST columns, with aligned columns, which makes
 * it readable as text. Cells longer than CELL_WIDEST do not widen a column. The second line of
 * @table marks numeric columns. */
static void markdown_aligned(const char *table, struct str *out)
{
    enum { AT_MOST = PORTS_MAX + 3, CELL_WIDEST = 48 };
    size_t widths[AT_MOST] = {0}, length, row = 0;
    bool right[AT_MOST] = {false};
    const char *next;

    for (const char *line = table; *line; line += strcspn(line, "\n") + 1, row++)
        for (size_t c = 0, at_most = AT_MOST; c < at_most; c++) {
            const char *cell = markdown_cell(c ? next : line + 1, &length, &next);
            if (!next)
                break;
            const size_t wide = characters(cell, length);
            if (row == 1)
                right[c] = length && cell[length - 1] == ':';
            else if (wide > widths[c] && wide <= CELL_WIDEST)
                widths[c] = wide;
        }
    row = 0;
    for (const char *line = table; *line; line += strcspn(line, "\n") + 1, row++) {
        str_add_char(out, '|');
        for (size_t c = 0; c < AT_MOST; c++) {
            const char *cell = markdown_cell(c ? next : line + 1, &length, &next);
            if (!next)
                break;
            const size_t wide = characters(cell, length),
                         pad = wide < widths[c] ? widths[c] - wide : 0;
            if (row == 1)
                for (size_t i = 0; i < widths[c] + 2; i++)
                    str_add_char(out, right[c] && i == widths[c] + 1 ? ':' : '-');
            else
                str_addf(out, " %*s%.*s%*s ", right[c] ? (int)pad : 0, "", (int)length, cell,
                         right[c] ? 0 : (int)pad, "");
            str_add_char(out, '|');
        }
        str_add_char(out, '\n');
    }
}

static void markdown_comparison(struct analysis *const *a, size_t n, struct str *out)
{
    struct str table = {0};

    str_add(&table, "| machine | cycles |");
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        str_addf(&table, " %s |", bound_name((enum bound_kind)kind));
    str_add(&table, " bound by |\n|---|---:|");
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        str_add(&table, "---:|");
    str_add(&table, "---|\n");
    for (size_t i = 0; i < n; i++) {
        str_add(&table, "| ");
        markdown_text(a[i]->machine->title, &table);
        str_addf(&table, " | %s%.2f |",
                 a[i]->lower_bound ? "≥ "
                 : a[i]->estimate  ? "≈ "
                                   : "",
                 a[i]->cycles);
        for (int kind = 0; kind < BOUND_COUNT; kind++) {
            str_add_char(&table, ' ');
            cycles_text(a[i]->bounds[kind], &table);
            str_add(&table, " |");
        }
        str_addf(&table, " %s |\n", bound_name(a[i]->bottleneck));
    }
    markdown_aligned(str_text(&table), out);
    str_add_char(out, '\n');
    str_done(&table);
}

static void markdown_table(const struct kernel *k, const struct analysis *a, struct str *out)
{
    const struct ports *ports = &a->ports;
    struct busy_ports busy;
    struct str table = {0};

    busy_ports_find(a, &busy);
    str_addf(&table, "| %s | instruction |", a->count ? insn_place_title(a->rows[0].insn) : "line");
    for (unsigned j = 0; j < busy.count; j++)
        str_addf(&table, " %s |", ports->names[busy.ports[j]]);
    str_add(&table, " notes |\n|---:|---|");
    for (unsigned j = 0; j < busy.count; j++)
        str_add(&table, "---:|");
    str_add(&table, "---|\n");
    for (size_t i = 0; i < a->count; i++) {
        char number[PLACE_TEXT];
        uint32_t line;
        const char *source = new_source(k, a, i, &line);
        if (source) {
            str_addf(&table, "| *%u* | *", line);
            markdown_text(source, &table);
            str_add(&table, "* |");
            for (unsigned j = 0; j <= busy.count; j++)
                str_add(&table, " |");
            str_add_char(&table, '\n');
        }
        str_addf(&table, "| %s | ", insn_place_text(a->rows[i].insn, number));
        markdown_code(a->rows[i].insn->text ? a->rows[i].insn->text : a->rows[i].insn->mnemonic,
                      &table);
        str_add(&table, " |");
        markdown_cells(&busy, a->rows[i].pressure, &table);
        str_add_char(&table, ' ');
        notes_text(&a->rows[i], &table);
        str_add(&table, " |\n");
    }
    str_add(&table, "| | **total** |");
    markdown_cells(&busy, a->totals, &table);
    str_add(&table, " |\n");
    markdown_aligned(str_text(&table), out);
    if (busy.idle.length) {
        str_add(out, "\nIdle: ");
        markdown_text(str_text(&busy.idle), out);
        str_add(out, ".\n");
    }
    str_done(&table);
    str_done(&busy.idle);
}

void report_markdown_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                          unsigned level, struct str *out)
{
    static const char marks[] = "######";

    str_addf(out, "%.*s ", (int)level, marks);
    markdown_text(k->name, out);
    str_add(out, "\n\n");
    markdown_text(k->loops[loop].why, out);
    str_add(out, "\n\n");
    if (n > 1)
        markdown_comparison(a, n, out);
    for (size_t i = 0; i < n; i++) {
        str_addf(out, "%.*s ", (int)level + 1, marks);
        markdown_text(a[i]->machine->title, out);
        str_addf(out, ": %s%.2f cycles per iteration\n\n",
                 cycles_words(a[i]->lower_bound, a[i]->estimate), a[i]->cycles);
        markdown_text(a[i]->sentence, out);
        str_add(out, "\n\n");
        for (int kind = 0; kind < BOUND_COUNT; kind++)
            if (isnan(a[i]->bounds[kind]))
                str_addf(out, "- %s: not modelled\n", bound_name((enum bound_kind)kind));
            else
                str_addf(
                    out, "- %s: %.2f%s\n", bound_name((enum bound_kind)kind), a[i]->bounds[kind],
                    (int)a[i]->bottleneck == kind && a[i]->cycles > 0 ? " (the bottleneck)" : "");
        if (!isnan(a[i]->critical_path))
            str_addf(out, "- longest path through one iteration: %.2f\n", a[i]->critical_path);
        if (machine_fact(a[i]->machine, "source")) {
            str_add(out, "- mapping: ");
            markdown_text(machine_fact(a[i]->machine, "source"), out);
            str_add_char(out, '\n');
        }
        str_add_char(out, '\n');
        markdown_table(k, a[i], out);
        str_add_char(out, '\n');
    }
}

void report_markdown(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                     struct str *out)
{
    report_markdown_part(k, loop, a, n, 1, out);
}

/* Adds a cell whose background becomes red as @value approaches @full. The cell is empty if @value
 * is less than SHOWN_LEAST. */
static void html_cell(double value, double full, struct str *out)
{
    if (value < SHOWN_LEAST) {
        str_add(out, "<td></td>");
        return;
    }
    str_add(out, "<td");
    heat_html(full > 0 ? value / full : 0, out);
    str_addf(out, ">%.2f</td>", value);
}

static void html_table(const struct kernel *k, const struct analysis *a, struct str *out)
{
    const struct ports *ports = &a->ports;
    struct busy_ports busy;

    busy_ports_find(a, &busy);
    str_addf(out,
             "<table class=\"ports%s\">\n<caption>Cycles per iteration on each "
             "port%s%s</caption>\n<thead><tr><th>%s</th><th class=\"t\">instruction</th>",
             busy.count > ROOMY ? " many" : "", busy.idle.length ? "; idle: " : "",
             str_text(&busy.idle), a->count ? insn_place_title(a->rows[0].insn) : "line");
    for (unsigned j = 0; j < busy.count; j++)
        str_addf(out, "<th>%s</th>", ports->names[busy.ports[j]]);
    str_add(out, "<th>latency</th><th class=\"t\">notes</th><th "
                 "class=\"t\">usage</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < a->count; i++) {
        const struct analysis_row *row = &a->rows[i];
        char number[PLACE_TEXT];
        uint32_t line;
        const char *source = new_source(k, a, i, &line);
        if (source) {
            str_addf(out, "<tr class=\"s\"><td>%u</td><td class=\"t\" colspan=\"%u\"><code>", line,
                     busy.count + 4);
            html_text(source, out);
            str_add(out, "</code></td></tr>\n");
        }
        str_addf(out, "<tr%s><td>%s</td><td class=\"t\" title=\"",
                 row->flags & ROW_CHAIN     ? " class=\"c\""
                 : row->flags & ROW_UNKNOWN ? " class=\"u\""
                                            : "",
                 insn_place_text(row->insn, number));
        html_text(row->insn->form, out);
        str_add(out, "\"><code>");
        html_text(row->insn->text ? row->insn->text : row->insn->mnemonic, out);
        str_add(out, "</code></td>");
        for (unsigned j = 0; j < busy.count; j++)
            html_cell(row->pressure[busy.ports[j]], a->cycles, out);
        str_add(out, "<td>");
        if (!isnan(row->latency))
            str_addf(out, "%g", row->latency);
        str_add(out, "</td><td class=\"t\">");
        notes_text(row, out);
        str_add(out, "</td><td class=\"t\">");
        usage_print(&row->usage, ports, out);
        str_add(out, "</td></tr>\n");
    }
    str_add(out, "</tbody>\n<tfoot><tr><td></td><td class=\"t\">total</td>");
    for (unsigned j = 0; j < busy.count; j++)
        html_cell(a->totals[busy.ports[j]], a->cycles, out);
    str_add(out, "<td></td><td></td><td></td></tr></tfoot>\n</table>\n");
    str_done(&busy.idle);
}

static void html_bounds(const struct analysis *a, struct str *out)
{
    str_add(out, "<table>\n<caption>Bounds, cycles per iteration</caption>\n");
    for (int kind = 0; kind < BOUND_COUNT; kind++) {
        double value = a->bounds[kind];
        bool binds = (int)a->bottleneck == kind && a->cycles > 0;
        str_addf(out, "<tr%s><td class=\"t\">%s</td>", binds ? " class=\"b\"" : "",
                 bound_name((enum bound_kind)kind));
        if (isnan(value))
            str_add(out, "<td>-</td><td class=\"t\">not modelled</td></tr>\n");
        else
            str_addf(out,
                     "<td>%.2f</td><td class=\"t\"><span class=\"bar\" "
                     "style=\"width:%.1fem\"></span></td></tr>\n",
                     value, a->cycles > 0 ? 16 * value / a->cycles : 0);
    }
    str_add(out, "</table>\n");
}

static void html_comparison(struct analysis *const *a, size_t n, struct str *out)
{
    str_add(out, "<table>\n<caption>Machines</caption>\n<thead><tr><th "
                 "class=\"t\">machine</th><th>cycles</th>");
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        str_addf(out, "<th>%s</th>", bound_name((enum bound_kind)kind));
    str_add(out, "<th class=\"t\">bound by</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < n; i++) {
        str_addf(out, "<tr><td class=\"t\"><a href=\"#m%zu\">", i + 1);
        html_text(a[i]->machine->title, out);
        str_addf(out, "</a></td><td>%s%.2f</td>",
                 a[i]->lower_bound ? "&#8805; "
                 : a[i]->estimate  ? "&#8776; "
                                   : "",
                 a[i]->cycles);
        for (int kind = 0; kind < BOUND_COUNT; kind++) {
            str_add(out, "<td>");
            cycles_text(a[i]->bounds[kind], out);
            str_add(out, "</td>");
        }
        str_addf(out, "<td class=\"t\">%s</td></tr>\n", bound_name(a[i]->bottleneck));
    }
    str_add(out, "</tbody>\n</table>\n");
}

void report_html_begin(const char *title, struct str *out)
{
    str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    html_text(title, out);
    str_add(out, "</title>\n<style>\n"
                 "body { font: 15px/1.45 system-ui, sans-serif; margin: 2em; color: #222; "
                 "background: #fff } p, ul { max-width: 60em }\n"
                 "table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1em "
                 "0; font-variant-numeric: tabular-nums }\n"
                 "caption { text-align: left; color: #555; padding-bottom: .3em }\n"
                 "tr { background: #fff } th, td { text-align: right; padding: .15em .5em; "
                 "border-bottom: 1px solid #ddd; white-space: nowrap }\n"
                 "th.t, td.t { text-align: left }\n"
                 "tr.s { background: #eef2f7; color: #345 } tr.c td.t:nth-child(2) { border-left: "
                 "4px solid #2e6bc6 } tr.u code { color: #b00 } tr.b td { font-weight: bold } "
                 "tfoot td { border-top: 2px solid #888; font-weight: bold }\n"
                 ".ports th, .ports td { padding: .15em .35em } .many { font-size: 12px }\n"
                 "@media (min-width: 50em) { .ports th:nth-child(2), .ports td:nth-child(2) { "
                 "position: sticky; left: 0; background: inherit } }\n"
                 ".bar { display: inline-block; height: .8em; background: #c65a2e }\n"
                 ".plain th, .plain td { text-align: left; white-space: normal } svg { max-width: "
                 "100%; height: auto }\n"
                 "@page { size: landscape } @media print { body { margin: 0 } table { overflow: "
                 "visible } .ports { font-size: 11px } .ports.many { font-size: 8px } h2, h3 { "
                 "break-after: avoid } }\n"
                 "</style>\n</head>\n<body>\n");
}

void report_html_end(struct str *out)
{
    str_add(out, "</body>\n</html>\n");
}

void report_html_part(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                      unsigned level, struct str *out)
{
    str_addf(out, "<h%u>", level);
    html_text(k->name, out);
    str_addf(out, "</h%u>\n<p>", level);
    html_text(k->loops[loop].why, out);
    str_add(out, "</p>\n");
    if (n > 1)
        html_comparison(a, n, out);
    for (size_t i = 0; i < n; i++) {
        str_addf(out, "<h%u id=\"m%zu\">", level + 1, i + 1);
        html_text(a[i]->machine->title, out);
        str_addf(out, ": %s%.2f cycles per iteration</h%u>\n<p>",
                 cycles_words(a[i]->lower_bound, a[i]->estimate), a[i]->cycles, level + 1);
        html_text(a[i]->sentence, out);
        str_add(out, "</p>\n");
        html_bounds(a[i], out);
        if (!isnan(a[i]->critical_path))
            str_addf(out, "<p>Longest path through one iteration: %.2f cycles.</p>\n",
                     a[i]->critical_path);
        html_table(k, a[i], out);
        if (machine_fact(a[i]->machine, "source")) {
            str_add(out, "<p>Mapping: ");
            html_text(machine_fact(a[i]->machine, "source"), out);
            str_add(out, ".</p>\n");
        }
    }
}

void report_html(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                 struct str *out)
{
    report_html_begin(k->name, out);
    report_html_part(k, loop, a, n, 1, out);
    report_html_end(out);
}
