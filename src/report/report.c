/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"

/* 256-colour backgrounds of the heat map, cold to hot. */
static const unsigned heat[] = {236, 237, 58, 94, 130, 166, 202, 196};

static void cell(const struct report_style *style, double value, double full, unsigned width, struct str *out)
{
    char text[32];

    snprintf(text, sizeof text, value < 0.005 ? "-" : "%.2f", value);
    if (style->color && value >= 0.005 && full > 0) {
        unsigned level = (unsigned)(value / full * 7.999);
        str_addf(out, " \033[48;5;%um%*s\033[0m", heat[level > 7 ? 7 : level], (int)width, text);
    } else {
        str_addf(out, " %*s", (int)width, text);
    }
}

static const char *mark_of(const struct analysis_row *row)
{
    return row->flags & ROW_UNKNOWN      ? "?"
           : row->flags & ROW_FUSED_INTO ? "^"
           : row->flags & ROW_FUSED      ? "+"
           : row->flags & ROW_ZERO       ? "0"
           : row->flags & ROW_ELIMINATED ? "="
           : row->flags & ROW_APPROXIMATE ? "~"
           : row->flags & ROW_PIPE       ? "/"
                                         : " ";
}

/* Source text without leading blanks and with inner ones folded. */
static void tidy_text(const char *text, struct str *out)
{
    bool blank = true;
    for (; *text; text++) {
        bool is_blank = *text == ' ' || *text == '\t';
        if (!is_blank)
            str_add_char(out, (unsigned char)*text < 32 ? '?' : *text);
        else if (!blank)
            str_add_char(out, ' ');
        blank = is_blank;
    }
}

static unsigned column_width(const struct ports *ports, unsigned port)
{
    size_t length = strlen(ports->names[port]);
    return length > 5 ? (unsigned)length : 5;
}

/* The C line above the first of the instructions that it became. */
static void source_line(const struct kernel *k, const struct analysis *a, size_t row, const struct report_style *style, struct str *out)
{
    const char *text;
    uint32_t line = kernel_source_line(k, a->rows[row].insn, &text);

    if (!text || (row && kernel_source_line(k, a->rows[row - 1].insn, NULL) == line))
        return;
    str_addf(out, "%s%5u: ", style->color ? "\033[2m" : "", line);
    tidy_text(text, out);
    str_addf(out, "%s\n", style->color ? "\033[0m" : "");
}

static void table(const struct kernel *k, const struct analysis *a, const struct report_style *style, struct str *out)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    const char *bold = style->color ? "\033[1m" : "", *plain = style->color ? "\033[0m" : "";

    str_addf(out, "%s line ", bold);
    for (unsigned j = 0; j < ports->count; j++)
        str_addf(out, " %*s", (int)column_width(ports, j), ports->names[j]);
    str_addf(out, "   instruction%s\n", plain);
    for (size_t i = 0; i < a->count; i++) {
        const struct analysis_row *row = &a->rows[i];
        char number[LINE_TEXT];
        source_line(k, a, i, style, out);
        str_addf(out, "%5s ", insn_line_text(row->insn->line, number));
        for (unsigned j = 0; j < ports->count; j++)
            cell(style, row->pressure[j], a->cycles, column_width(ports, j), out);
        str_addf(out, " %s ", mark_of(row));
        tidy_text(row->insn->text ? row->insn->text : row->insn->mnemonic, out);
        str_add_char(out, '\n');
    }
    str_addf(out, "%stotal ", bold);
    for (unsigned j = 0; j < ports->count; j++)
        cell(style, a->totals[j], a->cycles, column_width(ports, j), out);
    str_addf(out, "%s\n", plain);
}

static void legend(const struct analysis *a, struct str *out)
{
    static const struct { uint32_t flag; const char *text; } marks[] = {
        {ROW_UNKNOWN, "? not known to this machine"}, {ROW_FUSED, "+ fused with ^, the next"}, {ROW_ZERO, "0 zero idiom"},
        {ROW_ELIMINATED, "= move done at rename"},    {ROW_PIPE, "/ holds a divider"},
        {ROW_APPROXIMATE, "~ put together from parts that the machine knows"},
    };
    const char *separator = "  ";
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        for (size_t i = 0; i < a->count; i++)
            if (a->rows[i].flags & marks[k].flag) {
                str_addf(out, "%s%s", separator, marks[k].text);
                separator = ", ";
                break;
            }
    if (separator[0] == ',')
        str_add_char(out, '\n');
}

static void bounds(const struct analysis *a, const struct report_style *style, struct str *out)
{
    for (int kind = 0; kind < BOUND_COUNT; kind++) {
        double value = a->bounds[kind];
        if (isnan(value)) {
            str_addf(out, "  %-13s %6s  not modelled\n", bound_name((enum bound_kind)kind), "-");
            continue;
        }
        str_addf(out, "  %-13s %6.2f  ", bound_name((enum bound_kind)kind), value);
        for (int k = 0; k < (a->cycles > 0 ? (int)lround(24 * value / a->cycles) : 0); k++)
            str_add(out, style->ascii ? "#" : "█");
        str_add(out, (int)a->bottleneck == kind && a->cycles > 0 ? " <\n" : "\n");
    }
}

static void one_machine(const struct kernel *k, const struct analysis *a, const struct report_style *style, struct str *out)
{
    str_addf(out, "%s: %s%.2f cycles per iteration, bound by %s\n\n", a->machine->title, a->lower_bound ? "at least " : "", a->cycles,
             bound_name(a->bottleneck));
    table(k, a, style, out);
    legend(a, out);
    str_add_char(out, '\n');
    bounds(a, style, out);
    str_addf(out, "\n%s\n", a->sentence);
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].flags & ROW_UNKNOWN) {
            str_addf(out, "not known: %s", a->rows[i].insn->form);
            if (a->rows[i].insn->line)
                str_addf(out, " (line %u)", a->rows[i].insn->line);
            str_add_char(out, '\n');
        }
}

static void comparison(struct analysis *const *a, size_t n, struct str *out)
{
    str_addf(out, "%-18s %8s", "machine", "cycles");
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        str_addf(out, " %13s", bound_name((enum bound_kind)kind));
    str_add(out, "  bound by\n");
    for (size_t i = 0; i < n; i++) {
        str_addf(out, "%-18s %s%*.2f", a[i]->machine->id, a[i]->lower_bound ? ">=" : "", a[i]->lower_bound ? 6 : 8, a[i]->cycles);
        for (int kind = 0; kind < BOUND_COUNT; kind++)
            if (isnan(a[i]->bounds[kind]))
                str_addf(out, " %13s", "-");
            else
                str_addf(out, " %13.2f", a[i]->bounds[kind]);
        str_addf(out, "  %s\n", bound_name(a[i]->bottleneck));
    }
    str_add_char(out, '\n');
}

void report_text(const struct kernel *k, struct analysis *const *a, size_t n, const struct report_style *style, struct str *out)
{
    str_addf(out, "%s: %s\n", k->name, k->loops[k->current].why);
    if (n > 1)
        comparison(a, n, out);
    for (size_t i = 0; i < n; i++) {
        if (i)
            str_add_char(out, '\n');
        one_machine(k, a[i], style, out);
    }
}

static void flags_text(uint32_t flags, const char *separator, struct str *out)
{
    for (uint32_t rest = flags, first = 1; rest; rest &= rest - 1, first = 0)
        str_addf(out, "%s%s", first ? "" : separator, row_flag_name(rest & -rest));
}

void report_csv(struct analysis *const *a, size_t n, struct str *out)
{
    struct str text = {0};

    str_add(out, "machine,line,text,form,usage,latency,flags,port,cycles\n");
    for (size_t i = 0; i < n; i++) {
        const struct ports *ports = mapping_ports(a[i]->machine->mapping);
        for (size_t r = 0; r < a[i]->count; r++)
            for (unsigned j = 0; j < ports->count; j++) {
                const struct analysis_row *row = &a[i]->rows[r];
                char line[LINE_TEXT];
                csv_add_field(out, a[i]->machine->id, false);
                str_addf(out, "%s,", insn_line_text(row->insn->line, line));
                str_clear(&text);
                tidy_text(row->insn->text ? row->insn->text : "", &text);
                csv_add_field(out, str_text(&text), false);
                csv_add_field(out, row->insn->form, false);
                str_clear(&text);
                usage_print(&row->usage, ports, &text);
                csv_add_field(out, str_text(&text), false);
                if (!isnan(row->latency))
                    str_addf(out, "%.17g", row->latency);
                str_add_char(out, ',');
                str_clear(&text);
                flags_text(row->flags, " ", &text);
                csv_add_field(out, str_text(&text), false);
                csv_add_field(out, ports->names[j], false);
                str_addf(out, "%.17g\n", row->pressure[j]);
            }
    }
    str_done(&text);
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *pressure_json(const struct ports *ports, const double *pressure)
{
    json_t *object = json_object();
    for (unsigned j = 0; j < ports->count; j++)
        json_object_set_new(object, ports->names[j], json_real(pressure[j]));
    return object;
}

static json_t *row_json(const struct analysis_row *row, const struct ports *ports)
{
    json_t *object = json_object(), *flags = json_array();
    struct str text = {0};

    json_object_set_new(object, "line", row->insn->line ? json_integer(row->insn->line) : json_null());
    tidy_text(row->insn->text ? row->insn->text : "", &text);
    json_object_set_new(object, "text", json_string(str_text(&text)));
    json_object_set_new(object, "form", json_string(row->insn->form));
    str_clear(&text);
    usage_print(&row->usage, ports, &text);
    json_object_set_new(object, "usage", json_string(str_text(&text)));
    json_object_set_new(object, "latency", number(row->latency));
    json_object_set_new(object, "pressure", pressure_json(ports, row->pressure));
    for (uint32_t rest = row->flags; rest; rest &= rest - 1)
        json_array_append_new(flags, json_string(row_flag_name(rest & -rest)));
    json_object_set_new(object, "flags", flags);
    str_done(&text);
    return object;
}

/* Lines of the loop-carried cycle; code without lines has the rows' flags. */
static json_t *chain_json(const struct analysis *a)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].flags & ROW_CHAIN && a->rows[i].insn->line)
            json_array_append_new(lines, json_integer(a->rows[i].insn->line));
    return lines;
}

static json_t *frontend_json(const struct frontend *f)
{
    static const char *const sources[] = {"decoders", "uop-cache", "loop-buffer", "unknown"};
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:b}", "predecode", number(f->predecode), "decode", number(f->decode), "uop_cache", number(f->uop_cache),
                     "loop_buffer", number(f->loop_buffer), "source", sources[f->source], "jcc_erratum", (int)f->jcc_erratum);
}

json_t *report_json(const struct analysis *a)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    json_t *object = json_object(), *rows = json_array(), *bound = json_object(), *unknown = json_array();

    json_object_set_new(object, "machine", json_string(a->machine->id));
    for (size_t i = 0; i < a->count; i++) {
        json_array_append_new(rows, row_json(&a->rows[i], ports));
        if (a->rows[i].flags & ROW_UNKNOWN)
            json_array_append_new(unknown, json_string(a->rows[i].insn->form));
    }
    json_object_set_new(object, "instructions", rows);
    json_object_set_new(object, "ports", pressure_json(ports, a->totals));
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        json_object_set_new(bound, bound_name((enum bound_kind)kind), number(a->bounds[kind]));
    json_object_set_new(object, "bounds", bound);
    json_object_set_new(object, "cycles", json_real(a->cycles));
    json_object_set_new(object, "bottleneck", json_string(bound_name(a->bottleneck)));
    json_object_set_new(object, "chain", chain_json(a));
    json_object_set_new(object, "frontend", frontend_json(&a->frontend));
    json_object_set_new(object, "shape", json_string(a->shape == SHAPE_LOOP ? "loop" : "unrolled"));
    json_object_set_new(object, "critical_path", number(a->critical_path));
    json_object_set_new(object, "unknown", unknown);
    json_object_set_new(object, "lower_bound", json_boolean(a->lower_bound));
    json_object_set_new(object, "sentence", json_string(a->sentence));
    return object;
}
