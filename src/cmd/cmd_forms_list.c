/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "isa/body.h"

bool cmd_forms_list(struct session *s, int argc, char **argv, struct err *err)
{
    const char *pattern = NULL, *name = NULL;
    const struct legacy_option options[] = {{"--isa=x86-64|aarch64", OPTION_CHOICE, &name}, {NULL, OPTION_FLAG, NULL}};
    enum isa isa = s->document.isa;
    size_t words;

    if (!options_parse(argc, argv, options, &pattern, 1, &words, err))
        return false;
    if (name)
        isa_parse(name, &isa);
    const struct forms *forms = session_forms(s, isa, err);
    if (!forms)
        return false;
    json_t *rows = s->settings.format == FORMAT_JSON ? json_array() : NULL;
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "form,template,extension,not_measured\n");
    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        if (pattern && !str_match(pattern, row->form))
            continue;
        char buffer[256];
        const char *reason = form_measurable(row, buffer, sizeof buffer);
        if (rows)
            json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:b, s:s}", "form", row->form, "template", row->template, "extension", row->extension,
                                                  "measurable", !reason, "reason", reason ? reason : ""));
        else if (s->settings.format == FORMAT_CSV) {
            csv_add_field(&s->output, row->form, false);
            csv_add_field(&s->output, row->template, false);
            csv_add_field(&s->output, row->extension, false);
            csv_add_field(&s->output, reason ? reason : "", true);
        } else
            str_addf(&s->output, "%-44s %-12s %-44s %s%s\n", row->form, row->extension, row->template, reason ? "not measured: " : "", reason ? reason : "");
    }
    if (rows)
        session_json(s, json_pack("{s:o}", "forms", rows));
    return true;
}
