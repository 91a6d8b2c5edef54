/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_groups.h"
#include "base/mem.h"
#include "base/watch.h"

void cell_insn_address(struct result_table *t, const struct insn *insn)
{
    char text[PLACE_TEXT + 2];

    cell_text(t, insn_address_text(insn, text));
}

#define BAR_WIDTH 24   /* columns of the bar of the highest bound */

static const char *mark_of(const struct analysis_row *row)
{
    return row->flags & ROW_UNKNOWN      ? "?"
           : row->flags & ROW_SKIPPED    ? "x"
           : row->flags & ROW_FUSED_INTO ? "^"
           : row->flags & ROW_FUSED      ? "+"
           : row->flags & ROW_ZERO       ? "0"
           : row->flags & ROW_ELIMINATED ? "="
           : row->estimate ? "e"
           : row->flags & ROW_APPROXIMATE ? "~"
           : row->flags & ROW_PIPE       ? "/"
           : row->alone                  ? "!"
                                         : "";
}

/* Appends source text without leading blanks; each sequence of blanks becomes one blank, and each
 * control character '?'. */
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

/* Adds a cell of the pressure table; "-" for less than 0.005 cycles. */
static void add_pressure(struct result_table *t, double value, double full)
{
    if (value < 0.005) {
        cell_missing(t);
        return;
    }
    cell_number(t, value);
    cell_heat(t, full > 0 ? value / full : 0);
}

/* Adds the source line of row @row above the row, unless the previous row has the same source
 * line. */
static void add_source(struct result_table *t, const struct kernel *k, const struct analysis *a,
                       size_t row)
{
    struct str tidy = {0};
    struct str note = {0};

    if (kernel_source_note(k, a->rows[row].insn, row ? a->rows[row - 1].insn : NULL, &note)) {
        tidy_text(str_text(&note), &tidy);
        table_note(t, "%*s%s",
                   str_text(&tidy)[0] == 'i' ? 5 : (int)(5 - strcspn(str_text(&tidy), ":")), "",
                   str_text(&tidy));
    }
    str_done(&note);
    str_done(&tidy);
}

static bool has_marks(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (*mark_of(&a->rows[i]))
            return true;
    return false;
}

/* Adds one cell per group of ports with the sum of @cycles; "?" if the ports are unknown. */
static void add_groups(struct result_table *t, const struct analysis *a,
                       const struct port_groups *groups, const double *cycles, bool unplaced)
{
    for (unsigned i = 0; i < groups->count; i++)
        if (unplaced)
            cell_text(t, "?");
        else
            add_pressure(t, port_group_sum(cycles, groups->items[i].ports),
                         a->cycles * portset_size(groups->items[i].ports));
}

/* Adds a line with the purpose of each group, derived from the machine's forms, and the number of
 * idle ports: "12345 ALU, AB load; 2 idle ports". */
static void add_purposes(const struct analysis *a, const struct port_groups *groups,
                         struct result *result)
{
    struct str text = {0};

    for (unsigned i = 0; i < groups->count; i++) {
        if (!*groups->items[i].purpose)
            continue;
        str_add(&text, text.length ? ", " : "  ");
        port_group_name(groups->items[i].ports, &a->ports, &text);
        str_addf(&text, " %s", groups->items[i].purpose);
    }
    if (groups->idle)
        str_addf(&text, "%s%u idle port%s", text.length ? "; " : "  ", portset_size(groups->idle),
                 plural(portset_size(groups->idle)));
    if (text.length)
        result_line(result, "%s", str_text(&text));
    str_done(&text);
}

/* Adds the pressure table for text: a row per instruction, a column per group of ports with equal
 * load. */
static void add_pressure_table(const struct kernel *k, const struct analysis *a,
                               struct result *result)
{
    struct result_column columns[PORTS_MAX + 3] = {
        {.key = a->count ? insn_place_title(a->rows[0].insn) : "line", .kind = CELL_COUNT,
         .width = a->count ? (uint8_t)(insn_place_width(a->rows[0].insn, a->count) + 1) : 5}};
    struct port_groups groups;
    struct str names[PORTS_MAX] = {{0}};
    bool marks = has_marks(a);
    struct str text = {0};
    unsigned count = 1;

    port_groups_of(a, 0, &groups);
    for (unsigned i = 0; i < groups.count; i++) {
        port_group_name(groups.items[i].ports, &a->ports, &names[i]);
        columns[count++] = (struct result_column){
            .key = str_text(&names[i]), .kind = CELL_NUMBER, .decimals = 2, .width = 4};
    }
    if (marks)
        columns[count++] =
            (struct result_column){.key = "mark", .title = "", .kind = CELL_TEXT, .width = 1};
    columns[count++] = (struct result_column){.key = "instruction", .kind = CELL_TEXT};
    struct result_table *t = result_table(result, "pressure", columns, count);
    t->hide = NOT_CSV | NOT_JSON;
    t->totals = true;
    for (size_t i = 0; i < a->count && !watch_steps(groups.count + 1); i++) {
        const struct analysis_row *row = &a->rows[i];
        char number[PLACE_TEXT];
        add_source(t, k, a, i);
        cell_text(t, insn_place_text(row->insn, number));
        add_groups(t, a, &groups, row->pressure, analysis_unplaced(a, i));
        if (marks)
            cell_text(t, mark_of(row));
        str_clear(&text);
        tidy_text(row->insn->text ? row->insn->text : row->insn->mnemonic, &text);
        cell_text(t, str_text(&text));
    }
    cell_text(t, "total");
    add_groups(t, a, &groups, a->totals, false);
    for (int blank = 0; blank < 1 + marks; blank++)
        cell_text(t, "");
    add_purposes(a, &groups, result);
    for (unsigned i = 0; i < groups.count; i++)
        str_done(&names[i]);
    str_done(&text);
}

static void add_legend(const struct analysis *a, struct result *result)
{
    static const char *const marks[] = {
        "? unknown to this machine",
        "+ fused with the next instruction, ^",
        "0 zero idiom",
        "= move eliminated at rename",
        "/ holds a divider",
        "e an estimate",
        "~ composed of known parts",
        "! slower than its ports explain",
    };
    struct str text = {0};

    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        for (size_t i = 0; i < a->count; i++)
            if (*mark_of(&a->rows[i]) == *marks[k]) {
                str_addf(&text, "%s%s", text.length ? ", " : "  ", marks[k]);
                break;
            }
    bool unplaced = false;
    for (size_t i = 0; i < a->count; i++)
        unplaced |= analysis_unplaced(a, i);
    if (unplaced)
        str_addf(&text, "%s? on ports: no usage in the tables, so the bound may be too low",
                 text.length ? ", " : "  ");
    if (text.length)
        result_line(result, "%s", str_text(&text));
    str_done(&text);
}

/* Sets @out to a bar for bound @kind, with a mark if it is the bottleneck: "######## <". If the
 * bound is NaN, sets @out to "not modelled". */
static void print_bar(const struct analysis *a, int kind, bool ascii, struct str *out)
{
    double value = a->bounds[kind];

    str_clear(out);
    if (isnan(value)) {
        str_add(out, "not modelled");
        return;
    }
    for (int k = 0; k < (a->cycles > 0 ? (int)lround(BAR_WIDTH * value / a->cycles) : 0); k++)
        str_add(out, ascii ? "#" : "█");
    if ((int)a->bottleneck == kind && a->cycles > 0)
        str_add(out, " <");
}

static void add_bounds(const struct analysis *a, bool ascii, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "bound", .kind = CELL_TEXT, .width = 13},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2, .width = 6},
        {.key = "bar", .kind = CELL_TEXT, .width = RAGGED, .hide = NOT_DOCUMENT},
        {.key = "note", .kind = CELL_TEXT, .hide = NOT_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "bounds", columns);
    struct str bar = {0};

    t->hide = NOT_CSV | NOT_JSON;
    t->headless = true;
    t->indent = "  ";
    for (int kind = 0; kind < BOUND_COUNT; kind++) {
        cell_text(t, bound_name((enum bound_kind)kind));
        cell_number(t, a->bounds[kind]);
        print_bar(a, kind, ascii, &bar);
        cell_text(t, str_text(&bar));
        cell_text(t, isnan(a->bounds[kind])                        ? "not modelled"
                     : (int)a->bottleneck == kind && a->cycles > 0 ? "the bottleneck"
                                                                   : "");
    }
    str_done(&bar);
}

static bool is_again(const struct analysis *a, size_t row)
{
    for (size_t k = 0; k < row; k++)
        if (strcmp(a->rows[k].insn->form, a->rows[row].insn->form) == 0)
            return true;
    return false;
}

/* Lists, once per form, the instructions whose time was measured in isolation, is an estimate or
 * depends on operands. Also lists instructions with an unknown latency. */
static void add_special(const struct analysis *a, struct result *result)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct analysis_row *row = &a->rows[i];
        if (is_again(a, i))
            continue;
        if (row->alone)
            result_line(result, "%s %.2f cycles each: %s (%s)",
                        source_is_estimate(row->alone->source) ? "about" : "at least",
                        row->alone->cycles, row->insn->form, row->alone->source);
        if (row->estimate && !(row->alone && row->alone->source == row->estimate) &&
            !(row->slowest && row->slowest->source == row->estimate))
            result_line(result, "estimated: %s (%s)", row->insn->form, row->estimate);
        if (row->latency_guessed)
            result_line(result, "latency unknown: %s, counted as 1 cycle in the dependency chains",
                        row->insn->form);
        if (row->slowest)
            result_line(
                result,
                "%s takes %g to %g cycles, depending on its operands; the minimum is used (%s)",
                row->insn->form, row->latency, row->slowest->cycles, row->slowest->source);
    }
}

static void add_machine(const struct kernel *k, const struct analysis *a, bool ascii,
                        struct result *result)
{
    result_line(result, "%s: %s%.2f cycles per iteration, bound by %s\n\n", a->machine->title,
                cycles_words(a->lower_bound, a->estimate), a->cycles, bound_name(a->bottleneck));
    add_pressure_table(k, a, result);
    add_legend(a, result);
    result_line(result, "\n");
    add_bounds(a, ascii, result);
    result_line(result, "\n%s", a->sentence);
    if (a->limit.split)
        result_line(result, "\n%s", a->limit.split);
    for (size_t i = 0; i < a->count; i++) {
        const struct insn *insn = a->rows[i].insn;
        if (a->rows[i].flags & ROW_UNKNOWN && insn->line)
            result_line(result, "not known: %s (line %u)", insn->form, insn->line);
        else if (a->rows[i].flags & ROW_UNKNOWN)
            result_line(result, "not known: %s", insn->form);
    }
    const size_t undecoded = analysis_undecoded(a);
    if (undecoded)
        result_line(result,
                    "not decoded: %zu of %zu instructions, which are unknown to the decoder",
                    undecoded, a->count);
    add_special(a, result);
}

static void add_comparison(struct analysis *const *a, size_t n, struct result *result)
{
    struct result_column columns[BOUND_COUNT + 4] = {
        {.key = "machine", .kind = CELL_TEXT, .width = 18},
        {.key = "least", .title = "", .kind = CELL_TEXT},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2}};
    unsigned count = 3;

    for (int kind = 0; kind < BOUND_COUNT; kind++)
        columns[count++] = (struct result_column){
            .key = bound_name((enum bound_kind)kind), .kind = CELL_NUMBER, .decimals = 2};
    columns[count++] =
        (struct result_column){.key = "bottleneck", .title = "bound by", .kind = CELL_TEXT};
    struct result_table *t = result_table(result, "comparison", columns, count);
    t->hide = NOT_CSV | NOT_JSON;
    for (size_t i = 0; i < n; i++) {
        cell_text(t, a[i]->machine->id);
        cell_text(t, cycles_sign(a[i]->lower_bound, a[i]->estimate));
        cell_number(t, a[i]->cycles);
        for (int kind = 0; kind < BOUND_COUNT; kind++)
            cell_number(t, a[i]->bounds[kind]);
        cell_text(t, bound_name(a[i]->bottleneck));
    }
}

static void flags_text(uint32_t flags, const char *separator, struct str *out)
{
    for (uint32_t rest = flags, first = 1; rest; rest &= rest - 1, first = 0)
        str_addf(out, "%s%s", first ? "" : separator, row_flag_name(rest & -rest));
}

/* Returns the cycles that each row adds to the longest loop-carried dependency; NaN for rows that
 * are not part of it. The caller frees. */
static double *link_cycles(const struct analysis *a)
{
    const struct limit_chain *chain = &a->limit.chain;
    double *cycles = mem_alloc((a->count + 1) * sizeof *cycles);

    for (size_t row = 0; row < a->count; row++)
        cycles[row] = NAN;
    for (size_t i = 0; i < chain->count; i++) {
        double *sum = &cycles[chain->links[i].row];
        *sum = (isnan(*sum) ? 0 : *sum) + chain->links[i].cycles;
    }
    return cycles;
}

/* Returns the cycles that are assumed for an unknown latency in a dependency chain; NaN if the
 * latency is known or in no chain. */
static double guessed_latency(const struct analysis_row *row)
{
    return row->latency_guessed ? 1 : NAN;
}

static void add_rows(struct analysis *const *a, size_t n, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},
        {.key = "line", .kind = CELL_COUNT},
        {.key = "address", .kind = CELL_TEXT},
        {.key = "text", .kind = CELL_TEXT},
        {.key = "form", .kind = CELL_TEXT},
        {.key = "usage", .kind = CELL_TEXT},
        {.key = "latency", .kind = CELL_NUMBER},
        {.key = "latency_guessed", .kind = CELL_NUMBER},
        {.key = "alone", .kind = CELL_NUMBER},
        {.key = "estimate_source", .kind = CELL_TEXT},
        {.key = "chain_cycles", .kind = CELL_NUMBER},
        {.key = "flags", .kind = CELL_TEXT},
        {.key = "port", .kind = CELL_TEXT},
        {.key = "cycles", .kind = CELL_NUMBER},
    };
    struct result_table *t = RESULT_TABLE(result, "rows", columns);
    struct str text = {0}, usage = {0}, flags = {0};

    t->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    for (size_t i = 0; i < n; i++) {
        const struct ports *ports = mapping_ports(a[i]->machine->mapping);
        double *cycles = link_cycles(a[i]);
        for (const struct analysis_row *row = a[i]->rows;
             row < a[i]->rows + a[i]->count && !watch_steps(ports->count); row++) {
            str_clear(&text);
            str_clear(&usage);
            str_clear(&flags);
            tidy_text(row->insn->text ? row->insn->text : "", &text);
            usage_print(&row->usage, ports, &usage);
            flags_text(row->flags, " ", &flags);
            for (unsigned j = 0; j < ports->count; j++) {
                cell_text(t, a[i]->machine->id);
                cell_count_if(t, row->insn->line, row->insn->line);
                cell_insn_address(t, row->insn);
                cell_text(t, str_text(&text));
                cell_text(t, row->insn->form);
                cell_text(t, str_text(&usage));
                cell_number(t, row->latency);
                cell_number(t, guessed_latency(row));
                cell_number(t, row->alone ? row->alone->cycles : NAN);
                cell_text(t, row->estimate ? row->estimate : "");
                cell_number(t, cycles[row - a[i]->rows]);
                cell_text(t, str_text(&flags));
                cell_text(t, ports->names[j]);
                cell_number(t, row->pressure[j]);
            }
        }
        free(cycles);
    }
    str_done(&text);
    str_done(&usage);
    str_done(&flags);
}

/* Adds a row per machine after its instructions, for CSV. */
static void add_summaries(struct analysis *const *a, size_t n, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},         {.key = "cycles", .kind = CELL_NUMBER},
        {.key = "bottleneck", .kind = CELL_TEXT},      {.key = "lower_bound", .kind = CELL_SWITCH},
        {.key = "critical_path", .kind = CELL_NUMBER}, {.key = "shape", .kind = CELL_TEXT},
        {.key = "undecoded", .kind = CELL_COUNT},      {.key = "estimate", .kind = CELL_SWITCH},
        {.key = "sentence", .kind = CELL_TEXT},        {.key = "limit", .kind = CELL_TEXT},
        {.key = "next_limit", .kind = CELL_TEXT},      {.key = "next_cycles", .kind = CELL_NUMBER},
        {.key = "chain_kind", .kind = CELL_TEXT},      {.key = "split_code", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "summaries", columns);

    t->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    for (size_t i = 0; i < n; i++) {
        cell_text(t, a[i]->machine->id);
        cell_number(t, a[i]->cycles);
        cell_text(t, bound_name(a[i]->bottleneck));
        cell_switch(t, a[i]->lower_bound);
        cell_number(t, a[i]->critical_path);
        cell_text(t, a[i]->shape == SHAPE_LOOP ? "loop" : "unrolled");
        cell_count(t, analysis_undecoded(a[i]));
        cell_switch(t, a[i]->estimate);
        cell_text(t, a[i]->sentence);
        cell_text(t, limit_name(a[i]->limit.kind));
        cell_text(t, limit_name(a[i]->limit.next));
        cell_number(t, a[i]->limit.next == LIMIT_NONE ? NAN : a[i]->limit.next_cycles);
        cell_text(t, limit_name(a[i]->limit.chain.kind));
        cell_text(t, a[i]->limit.split);
    }
}

static json_t *pressure_json(const struct ports *ports, const double *pressure)
{
    json_t *object = json_object();
    for (unsigned j = 0; j < ports->count; j++)
        json_object_set_new(object, ports->names[j], json_number(pressure[j]));
    return object;
}

/* Returns the address in objdump's format, "0x1258"; null: unknown. */
static json_t *address_json(const struct insn *insn)
{
    char text[PLACE_TEXT + 2];

    return insn_address_text(insn, text) ? json_string(text) : json_null();
}

static json_t *row_json(const struct analysis *a, size_t number, double link_cycles,
                        const struct ports *ports)
{
    const struct analysis_row *row = &a->rows[number];
    json_t *object = json_object(), *flags = json_array();
    struct str text = {0};

    json_object_set_new(object, "line",
                        row->insn->line ? json_integer(row->insn->line) : json_null());
    json_object_set_new(object, "address", address_json(row->insn));
    tidy_text(row->insn->text ? row->insn->text : "", &text);
    json_object_set_new(object, "text", json_text(str_text(&text)));
    json_object_set_new(object, "form", json_text(row->insn->form));
    str_clear(&text);
    usage_print(&row->usage, ports, &text);
    json_object_set_new(object, "usage", json_text(str_text(&text)));
    json_object_set_new(object, "latency", json_number(row->latency));
    json_object_set_new(object, "latency_guessed", json_number(guessed_latency(row)));
    json_object_set_new(object, "alone", json_number(row->alone ? row->alone->cycles : NAN));
    json_object_set_new(object, "estimate_source",
                        row->estimate ? json_text(row->estimate) : json_null());
    json_object_set_new(object, "chain_cycles", json_number(link_cycles));
    json_object_set_new(object, "pressure", pressure_json(ports, row->pressure));
    for (uint32_t rest = row->flags; rest; rest &= rest - 1)
        json_array_append_new(flags, json_string(row_flag_name(rest & -rest)));
    json_object_set_new(object, "flags", flags);
    str_done(&text);
    return object;
}

/* Returns the lines of the loop-carried cycle. Without lines, only the flags of the rows show this
 * cycle. */
static json_t *chain_json(const struct analysis *a)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].flags & ROW_CHAIN && a->rows[i].insn->line)
            json_array_append_new(lines, json_integer(a->rows[i].insn->line));
    return lines;
}

/* Adds the kind of the limit, the kinds of all tied limits, and the next limit. */
static void add_limit(const struct limit *l, json_t *object)
{
    json_t *kinds = json_array();

    for (unsigned i = 0; i < l->count; i++)
        json_array_append_new(kinds, json_string(limit_name(l->kinds[i])));
    json_object_set_new(object, "limit", json_string(limit_name(l->kind)));
    json_object_set_new(object, "limits", kinds);
    json_object_set_new(object, "next_limit", json_string(limit_name(l->next)));
    json_object_set_new(object, "next_cycles",
                        json_number(l->next == LIMIT_NONE ? NAN : l->next_cycles));
    json_object_set_new(object, "chain_kind", json_string(limit_name(l->chain.kind)));
    json_object_set_new(object, "split_code", l->split ? json_text(l->split) : json_null());
}

static json_t *frontend_json(const struct frontend *f)
{
    static const char *const sources[] = {"decoders", "uop-cache", "loop-buffer", "unknown"};
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:b, s:b}", "predecode", json_number(f->predecode),
                     "decode", json_number(f->decode), "uop_cache", json_number(f->uop_cache),
                     "loop_buffer", json_number(f->loop_buffer), "source", sources[f->source],
                     "jcc_erratum", (int)f->jcc_erratum, "taken_branch", (int)f->by_branch);
}

static json_t *analysis_json(const struct analysis *a)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    json_t *object = json_object(), *rows = json_array(), *bound = json_object(),
           *unknown = json_array(), *unmodelled = json_array();
    double *cycles = link_cycles(a);

    json_object_set_new(object, "machine", json_text(a->machine->id));
    for (size_t i = 0; i < a->count && !watch_steps(ports->count); i++) {
        json_array_append_new(rows, row_json(a, i, cycles[i], ports));
        if (a->rows[i].flags & ROW_UNKNOWN)
            json_array_append_new(unknown, json_text(a->rows[i].insn->form));
    }
    free(cycles);
    json_object_set_new(object, "instructions", rows);
    json_object_set_new(object, "ports", pressure_json(ports, a->totals));
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        json_object_set_new(bound, bound_name((enum bound_kind)kind), json_number(a->bounds[kind]));
    json_object_set_new(object, "bounds", bound);
    json_object_set_new(object, "cycles", json_number(a->cycles));
    json_object_set_new(object, "bottleneck", json_string(bound_name(a->bottleneck)));
    add_limit(&a->limit, object);
    json_object_set_new(object, "chain", chain_json(a));
    json_object_set_new(object, "frontend", frontend_json(&a->frontend));
    json_object_set_new(object, "shape", json_string(a->shape == SHAPE_LOOP ? "loop" : "unrolled"));
    json_object_set_new(object, "critical_path", json_number(a->critical_path));
    json_object_set_new(object, "undecoded", json_integer((json_int_t)analysis_undecoded(a)));
    json_object_set_new(object, "unknown", unknown);
    json_object_set_new(object, "lower_bound", json_boolean(a->lower_bound));
    json_object_set_new(object, "estimate", json_boolean(a->estimate));
    for (int kind = 0; kind < UNMODELLED_COUNT; kind++)
        if (a->not_modelled[kind])
            json_array_append_new(unmodelled, json_text(a->not_modelled[kind]));
    json_object_set_new(object, "not_modelled", unmodelled);
    json_object_set_new(object, "sentence", json_text(a->sentence));
    return object;
}

void report_add(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                bool ascii, struct result *result)
{
    result_line(result, "%s: %s", k->name, k->loops[loop].why);
    if (n > 1) {
        add_comparison(a, n, result);
        result_line(result, "\n");
    }
    for (size_t i = 0; i < n; i++) {
        if (i)
            result_line(result, "\n");
        add_machine(k, a[i], ascii, result);
        result_item(result, "machines", analysis_json(a[i]));
    }
    add_rows(a, n, result);
    add_summaries(a, n, result);
}
