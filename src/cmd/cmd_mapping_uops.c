/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "io/import_uops.h"

#define FILES_MAX 64

/* "uops-" and the file's name without directory and ending, or the architecture's, in lower case. */
static char *imported_id(const char *path, const char *architecture)
{
    const char *base = strrchr(path, '/');
    struct str id = {0};

    base = architecture ? architecture : base ? base + 1 : path;
    size_t length = architecture ? strlen(base) : strcspn(base, ".");
    str_add(&id, "uops-");
    for (size_t i = 0; i < length; i++)
        str_add_char(&id, isalnum((unsigned char)base[i]) ? (char)tolower((unsigned char)base[i]) : '-');
    return str_take(&id);
}

bool cmd_mapping_import_uops(struct session *s, int argc, char **argv, struct err *err)
{
    const char *architecture = NULL, *words[FILES_MAX];
    const struct option options[] = {{"--architecture", OPTION_TEXT, &architecture}, {NULL, OPTION_FLAG, NULL}};
    size_t count;

    if (!options_parse(argc, argv, options, words, FILES_MAX, &count, err))
        return false;
    if (count < 2)
        return err_set(err, ERR_USAGE, "mapping import uops-info FILE...", "a file was expected");
    struct forms *forms = forms_load(NULL, err);
    bool ok = forms != NULL;
    for (size_t i = 1; ok && i < count; i++) {   /* the first word is the format */
        char *id = imported_id(words[i], architecture);
        struct machine *m = import_uops(id, words[i], architecture, forms, err);
        ok = m != NULL;
        if (ok) {
            if (s->format == FORMAT_JSON)
                session_json(s, json_pack("{s:s, s:i, s:i}", "machine", m->id, "forms", (int)mapping_count(m->mapping), "ports", (int)mapping_ports(m->mapping)->count));
            else
                str_addf(&s->output, "%s: %zu forms on %u ports\n", m->id, mapping_count(m->mapping), mapping_ports(m->mapping)->count);
            session_add_machine(s, m);
            ok = session_select(s, &id, 1, err);
        }
        free(id);
    }
    forms_free(forms);
    return ok;
}
