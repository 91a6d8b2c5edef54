/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "io/import_uops.h"
#include "work/job.h"

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

/* The job: reads all files on the worker; at its end their machines become the session's. The XML of all architectures has 150 MB. */
struct uops_import {
    struct session *session;
    char *architecture, *paths[FILES_MAX];   /* architecture NULL: not given */
    struct machine *machines[FILES_MAX];
    size_t count;
};

static bool import_run(struct job *job, void *state, struct err *err)
{
    struct uops_import *w = state;
    struct forms *forms = forms_load(ISA_UNSAID, NULL, err);
    bool ok = forms != NULL;

    for (size_t i = 0; ok && i < w->count; i++) {
        char *id = imported_id(w->paths[i], w->architecture);
        job_progress(job, (double)i, (double)w->count, "%s", w->paths[i]);
        w->machines[i] = import_uops(id, w->paths[i], w->architecture, forms, err);
        ok = w->machines[i] && (!job_cancelled(job) || err_set(err, ERR_INTERRUPTED, NULL, "the import was ended"));
        free(id);
    }
    forms_free(forms);
    return ok;
}

static void import_finish(void *state, const struct job_info *info)
{
    struct uops_import *w = state;
    struct session *s = w->session;
    struct err none = {0};

    for (size_t i = 0; info->state == JOB_DONE && i < w->count; i++) {
        struct machine *m = w->machines[i];
        if (s->settings.format == FORMAT_JSON)
            session_json(s, json_pack("{s:s, s:i, s:i}", "machine", m->id, "forms", (int)mapping_count(m->mapping), "ports", (int)mapping_ports(m->mapping)->count));
        else
            str_addf(&s->output, "%s: %zu forms on %u ports\n", m->id, mapping_count(m->mapping), mapping_ports(m->mapping)->count);
        w->machines[i] = NULL;
        session_add_machine(s, m);
        session_select(s, &m->id, 1, &none);   /* it is there and stands alone: nothing to refuse */
    }
}

static void import_free(void *state)
{
    struct uops_import *w = state;
    for (size_t i = 0; i < w->count; i++) {
        free(w->paths[i]);
        machine_free(w->machines[i]);
    }
    free(w->architecture);
    free(w);
}

bool cmd_mapping_import_uops(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {import_run, import_finish, import_free};
    const char *architecture = NULL, *words[FILES_MAX];
    const struct legacy_option options[] = {{"--architecture", OPTION_TEXT, &architecture}, {NULL, OPTION_FLAG, NULL}};
    size_t count;

    if (!options_parse(argc, argv, options, words, FILES_MAX, &count, err))
        return false;
    if (count < 2)
        return err_set(err, ERR_USAGE, "mapping import uops-info FILE...", "a file was expected");
    struct uops_import *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->architecture = architecture ? mem_strdup(architecture) : NULL;
    for (size_t i = 1; i < count; i++)   /* the first word is the format */
        w->paths[w->count++] = mem_strdup(words[i]);
    return session_job(s, "mapping import uops-info", "imports", &ops, w, err);
}
