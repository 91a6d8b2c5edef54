/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_names.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "hunt/uses.h"
#include "model/mapping_diff.h"

#define COLUMNS_MOST 78   /* maximum width in columns of a line of ports */

struct diff_values {
    const char *a, *b, *pattern;
    bool renamed;
};

static void usages(const struct ports *shown, const struct form_diff *f, struct str *left,
                   struct str *right)
{
    str_clear(left);
    str_clear(right);
    usage_print(&f->a->usage, shown, left);
    usage_print(&f->b_usage, shown, right);
    if (!left->length)
        str_add(left, "none");
    if (!right->length)
        str_add(right, "none");
}

static void summary(const struct machine *a, const struct machine *b, const struct mapping_diff *d,
                    struct result *result)
{
    struct ports shown[2];
    const struct ports *pa = &shown[0], *pb = &shown[1];
    json_t *ports = json_object(), *kinds = json_object(), *agrees = json_object();
    struct str line = {0}, port = {0};

    ports_shown(a, &shown[0]);
    ports_shown(b, &shown[1]);
    result_line(result, "%s and %s: %zu form%s in both", a->id, b->id, d->shared,
                plural(d->shared));
    str_addf(&line, "alike %zu (%.1f %%", d->kinds[DIFF_NONE],
             d->shared ? 100.0 * (double)d->kinds[DIFF_NONE] / (double)d->shared : 0.0);
    if (!isnan(d->equal_uses))
        str_addf(&line, ", %.1f %% weighted by use", 100 * d->equal_uses);
    str_add_char(&line, ')');
    result_line(result, "%s", str_text(&line));
    result_line(result, "only in %s: %zu, only in %s: %zu", a->id, d->only_a, b->id, d->only_b);
    str_clear(&line);
    str_add(&line, d->renamed ? "ports matched by use:" : "ports matched by name");
    for (unsigned j = 0; j < pb->count; j++) {
        str_clear(&port);
        if (d->renamed || d->to_a[j] < 0)
            str_addf(&port, "  %s=%s", d->to_a[j] < 0 ? "-" : pa->names[d->to_a[j]], pb->names[j]);
        if (!isnan(d->agrees[j]))
            str_addf(&port, " %.0f %%", 100 * d->agrees[j]);
        if (line.length + port.length > COLUMNS_MOST) {
            result_line(result, "%s", str_text(&line));
            str_clear(&line);
        }
        str_add(&line, str_text(&port));
        json_object_set_new(ports, pb->names[j],
                            json_text(d->to_a[j] < 0 ? NULL : pa->names[d->to_a[j]]));
        json_object_set_new(agrees, pb->names[j], json_number(d->agrees[j]));
    }
    result_line(result, "%s", str_text(&line));
    for (int kind = 1; kind < DIFF_COUNT; kind++) {
        if (d->kinds[kind])
            result_line(result, "  %-9s %zu", diff_kind_name(kind), d->kinds[kind]);
        json_object_set_new(kinds, diff_kind_name(kind), json_integer((json_int_t)d->kinds[kind]));
    }
    result_text(result, "a", a->id);
    result_text(result, "b", b->id);
    result_nested(result, "ports", ports);
    result_nested(result, "ports_agree", agrees);
    result_switch(result, "renamed", d->renamed);
    result_count(result, "shared", (int64_t)d->shared);
    result_count(result, "equal", (int64_t)d->kinds[DIFF_NONE]);
    result_number(result, "equal_uses", d->equal_uses);
    result_count(result, "only_a", (int64_t)d->only_a);
    result_count(result, "only_b", (int64_t)d->only_b);
    result_nested(result, "kinds", kinds);
    str_done(&line);
    str_done(&port);
}

/* widths of the columns and of a line, in characters */
#define FORM_COLUMNS 30
#define KIND_COLUMNS 8
#define USAGE_COLUMNS 18
#define LAST_COLUMNS 21
#define LINE_COLUMNS 80

/* Adds one difference. If the difference is too long for one line, the usages follow in one or two
 * further lines. */
static void add_text(const char *form, const char *kind, const char *a, const char *b,
                     struct result *result)
{
    if (strlen(form) <= FORM_COLUMNS && strlen(a) <= USAGE_COLUMNS && strlen(b) <= LAST_COLUMNS)
        result_line(result, "%-*s %-*s %-*s %s", FORM_COLUMNS, form, KIND_COLUMNS, kind,
                    USAGE_COLUMNS, a, b);
    else
        result_line(result, "%s %s\n    %s%s%s", form, kind, a,
                    4 + strlen(a) + 3 + strlen(b) <= LINE_COLUMNS ? " | " : "\n  | ", b);
}

static void rows(const struct machine *a, const struct machine *b, const struct mapping_diff *d,
                 const char *pattern, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT},
        {.key = "kind", .kind = CELL_TEXT},
        {.key = "a", .kind = CELL_TEXT},
        {.key = "b", .kind = CELL_TEXT},
    };
    struct str left = {0}, right = {0};
    struct ports shown;
    struct result_table *t = RESULT_TABLE(result, "forms", columns);
    bool headed = false;

    t->hide = NOT_TEXT;
    ports_shown(a, &shown);
    for (size_t i = 0; i < d->count; i++) {
        const struct form_diff *f = &d->forms[i];
        if (pattern && !str_match(pattern, f->a->form))
            continue;
        usages(&shown, f, &left, &right);
        if (!headed)
            add_text("", "", a->id, b->id, result);
        headed = true;
        add_text(f->a->form, diff_kind_name(f->kind), str_text(&left), str_text(&right), result);
        cell_text(t, f->a->form);
        cell_text(t, diff_kind_name(f->kind));
        cell_text(t, str_text(&left));
        cell_text(t, str_text(&right));
    }
    str_done(&left);
    str_done(&right);
}

/* Returns the frequency in programs of each form of @a; NULL without a frequency list. The caller
 * frees the array. */
static double *uses_of(const struct machine *a, struct err *err)
{
    enum isa isa = isa_host();
    size_t count = 0;
    isa_parse(a->isa, &isa);
    struct form_uses *list = form_uses_load(isa, &count, err);
    double *uses = list ? mem_zero(mapping_count(a->mapping) + 1, sizeof *uses) : NULL;

    for (size_t i = 0; uses && i < count; i++) {
        size_t at = mapping_index(a->mapping, list[i].form);
        if (at != SIZE_MAX)
            uses[at] = list[i].uses;
    }
    form_uses_free(list, count);
    return uses;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct diff_values *v = values;
    const struct machine *a = session_machine(s, v->a, err),
                         *b = a ? session_machine(s, v->b, err) : NULL;

    if (!b)
        return false;
    double *uses = uses_of(a, NULL);
    struct mapping_diff *d = mapping_diff_new(a->mapping, b->mapping, !v->renamed, uses);
    summary(a, b, d, result);
    rows(a, b, d, v->pattern, result);
    mapping_diff_free(d);
    free(uses);
    return true;
}

const struct command command_mapping_diff = {
    .name = "mapping diff",
    .help = "list forms that two machines execute differently",
    .description =
        "B's usages are shown with A's ports. Each port of B has the name of the port of A on "
        "which the shared forms have the most similar load. The percentage after a port is the "
        "overlap of the µops of both ports. Kinds of difference: pipes (other divider time), "
        "narrower and wider (same number of µops on fewer or more ports), ports (same number of "
        "µops on other ports), fewer and more (µops).",
    .arguments = PARAMETERS({PARAMETER(TEXT, "A", struct diff_values, a), .required = true,
                             .complete = COMPLETE_MACHINE, .help = "a machine"},
                            {PARAMETER(TEXT, "B", struct diff_values, b), .required = true,
                             .complete = COMPLETE_MACHINE, .help = "machine to compare with"},
                            {PARAMETER(TEXT, "PATTERN", struct diff_values, pattern),
                             .fallback = "all forms", .complete = COMPLETE_FORM,
                             .help = "forms to list, quoted; * and ? are wildcards"}),
    .options = PARAMETERS({PARAMETER(FLAG, "--renamed", struct diff_values, renamed),
                           .help = "match ports by use instead of by name"}),
    .examples =
        EXAMPLES("mapping diff haswell broadwell", "mapping diff skylake znver3 'ADD*' --renamed"),
    .values_size = sizeof(struct diff_values),
    .read = run,
};
