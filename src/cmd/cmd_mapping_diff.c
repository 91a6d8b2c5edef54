/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "base/csv.h"
#include "model/mapping_diff.h"

/* The rows that the pattern leaves, for all three formats. */
static bool shown(const struct form_diff *f, const char *pattern)
{
    return !pattern || str_match(pattern, f->a->form);
}

static void usages(const struct machine *a, const struct form_diff *f, struct str *left, struct str *right)
{
    str_clear(left);
    str_clear(right);
    usage_print(&f->a->usage, mapping_ports(a->mapping), left);
    usage_print(&f->b_usage, mapping_ports(a->mapping), right);
    if (!left->length)
        str_add(left, "none");
    if (!right->length)
        str_add(right, "none");
}

static void diff_json(struct session *s, const struct machine *a, const struct machine *b, const struct mapping_diff *d, const char *pattern)
{
    const struct ports *pa = mapping_ports(a->mapping), *pb = mapping_ports(b->mapping);
    json_t *ports = json_object(), *kinds = json_object(), *forms = json_array();
    struct str left = {0}, right = {0};

    for (unsigned j = 0; j < pb->count; j++)
        json_object_set_new(ports, pb->names[j], d->to_a[j] < 0 ? json_null() : json_string(pa->names[d->to_a[j]]));
    for (int kind = 1; kind < DIFF_COUNT; kind++)
        json_object_set_new(kinds, diff_kind_name(kind), json_integer((json_int_t)d->kinds[kind]));
    for (size_t i = 0; i < d->count; i++) {
        if (!shown(&d->forms[i], pattern))
            continue;
        usages(a, &d->forms[i], &left, &right);
        json_array_append_new(forms, json_pack("{s:s, s:s, s:s, s:s}", "form", d->forms[i].a->form, "kind", diff_kind_name(d->forms[i].kind),
                                               "a", str_text(&left), "b", str_text(&right)));
    }
    session_json(s, json_pack("{s:s, s:s, s:o, s:b, s:I, s:I, s:I, s:I, s:o, s:o}", "a", a->id, "b", b->id, "ports", ports, "renamed", d->renamed,
                              "shared", (json_int_t)d->shared, "equal", (json_int_t)d->kinds[DIFF_NONE], "only_a", (json_int_t)d->only_a,
                              "only_b", (json_int_t)d->only_b, "kinds", kinds, "forms", forms));
    str_done(&left);
    str_done(&right);
}

static void diff_summary(struct session *s, const struct machine *a, const struct machine *b, const struct mapping_diff *d)
{
    const struct ports *pa = mapping_ports(a->mapping), *pb = mapping_ports(b->mapping);

    str_addf(&s->output, "%s and %s: %zu forms in both, %zu alike (%.1f %%); only in %s %zu, only in %s %zu\n", a->id, b->id, d->shared,
             d->kinds[DIFF_NONE], d->shared ? 100.0 * (double)d->kinds[DIFF_NONE] / (double)d->shared : 0.0, a->id, d->only_a, b->id, d->only_b);
    str_add(&s->output, d->renamed ? "ports by use:" : "ports by name");
    for (unsigned j = 0; j < pb->count; j++)
        if (d->renamed || d->to_a[j] < 0)
            str_addf(&s->output, "%s%s=%s", j ? "  " : " ", d->to_a[j] < 0 ? "-" : pa->names[d->to_a[j]], pb->names[j]);
    str_add(&s->output, "\n");
    for (int kind = 1; kind < DIFF_COUNT; kind++)
        if (d->kinds[kind])
            str_addf(&s->output, "  %-9s %zu\n", diff_kind_name(kind), d->kinds[kind]);
}

static void diff_rows(struct session *s, const struct machine *a, const struct mapping_diff *d, const char *pattern)
{
    struct str left = {0}, right = {0};

    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "form,kind,a,b\n");
    for (size_t i = 0; i < d->count; i++) {
        const struct form_diff *f = &d->forms[i];
        if (!shown(f, pattern))
            continue;
        usages(a, f, &left, &right);
        if (s->settings.format == FORMAT_CSV) {
            csv_add_field(&s->output, f->a->form, false);
            csv_add_field(&s->output, diff_kind_name(f->kind), false);
            csv_add_field(&s->output, str_text(&left), false);
            csv_add_field(&s->output, str_text(&right), true);
        } else {
            str_addf(&s->output, "%-9s %-40s %-32s %s\n", diff_kind_name(f->kind), f->a->form, str_text(&left), str_text(&right));
        }
    }
    str_done(&left);
    str_done(&right);
}

bool cmd_mapping_diff(struct session *s, int argc, char **argv, struct err *err)
{
    const char *words[3] = {NULL};
    bool renamed = false;
    const struct legacy_option options[] = {{"--renamed", OPTION_FLAG, &renamed}, {NULL, OPTION_FLAG, NULL}};
    size_t count;

    if (!options_parse(argc, argv, options, words, 3, &count, err))
        return false;
    if (count < 2)
        return err_set(err, ERR_USAGE, "mapping diff A B [PATTERN] [--renamed]", "two machines were expected");
    struct machine *a = session_machine(s, words[0], err), *b = a ? session_machine(s, words[1], err) : NULL;
    if (!b)
        return false;
    struct mapping_diff *d = mapping_diff_new(a->mapping, b->mapping, !renamed);
    if (s->settings.format == FORMAT_JSON) {
        diff_json(s, a, b, d, words[2]);
    } else {
        if (s->settings.format == FORMAT_TEXT)
            diff_summary(s, a, b, d);
        diff_rows(s, a, d, words[2]);
    }
    mapping_diff_free(d);
    return true;
}
