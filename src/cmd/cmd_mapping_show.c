/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "cmd/command.h"
#include "io/machine_file.h"
#include "io/machine_save.h"

bool cmd_mapping_show(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = session_current(s, err);
    struct str usage = {0};

    if (!m)
        return false;
    json_t *rows = s->settings.format == FORMAT_JSON ? json_array() : NULL;
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "form,usage,latency,micro_ops,source\n");
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *entry = mapping_at(m->mapping, i);
        if (argc > 1 && !str_match(argv[1], entry->form))
            continue;
        str_clear(&usage);
        usage_print(&entry->usage, mapping_ports(m->mapping), &usage);
        if (rows)
            json_array_append_new(rows, json_pack("{s:s, s:s, s:o}", "form", entry->form, "usage", str_text(&usage), "latency",
                                                  isnan(entry->latency) ? json_null() : json_real(entry->latency)));
        else if (s->settings.format == FORMAT_CSV)
            machine_mapping_row(entry, mapping_ports(m->mapping), &s->output);
        else {
            str_addf(&s->output, "%-44s %-32s ", entry->form, usage.length ? str_text(&usage) : "none");
            if (isnan(entry->latency))
                str_add(&s->output, "-\n");
            else
                str_addf(&s->output, "%g\n", entry->latency);
        }
    }
    if (rows)
        session_json(s, json_pack("{s:s, s:o}", "machine", m->id, "forms", rows));
    else if (s->settings.format == FORMAT_TEXT && !s->output.length)
        str_addf(&s->output, "no form of %s fits\n", m->id);
    str_done(&usage);
    return true;
}
