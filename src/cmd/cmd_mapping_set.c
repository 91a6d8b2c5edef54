/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "cmd/command.h"

bool cmd_mapping_set(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = session_current(s, err);
    struct mapping_entry entry = {.latency = NAN, .source = "set in the session"};

    if (!m)
        return false;
    if (argc != 3)
        return err_set(err, ERR_USAGE, "mapping set 'ADD (R64, R64)' 1*p0156", "a quoted form and a usage were expected");
    if (!usage_parse(argv[2], mapping_ports(m->mapping), &entry.usage, err))
        return false;
    const struct mapping_entry *old = mapping_find(m->mapping, argv[1]);
    struct err none = {0};
    enum isa isa = s->document.isa;
    if (m->isa)
        isa_parse(m->isa, &isa);
    const struct forms *forms = old ? NULL : session_forms(s, isa, &none);
    entry.form = argv[1];
    if (old) {
        entry.latency = old->latency;
        entry.micro_ops = old->micro_ops;
    } else if (s->settings.format == FORMAT_TEXT && forms && !forms_find(forms, argv[1])) {   /* a name of the user's own, or a slip */
        str_addf(&s->output, "no table of forms lists %s; %s has it now\n", argv[1], m->id);
    }
    mapping_set(m->mapping, &entry);
    usage_done(&entry.usage);
    return true;
}
