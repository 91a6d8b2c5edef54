/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/chart_paths.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "io/machine_file.h"
#include "measure/journal.h"

/* A file of the state directory named @file, which it takes over: slashes of a directory become dashes. */
static char *state_file(struct str *file)
{
    for (size_t i = 0; i < file->length; i++)
        file->data[i] = file->data[i] == '/' ? '-' : file->data[i];
    char *path = path_state(str_text(file));
    str_done(file);
    return path;
}

char *chart_journal_path(const char *name, const char *simulated, struct err *err)
{
    struct str file = {0};

    if (simulated)
        str_addf(&file, "chart-%s-%s.csv", name, simulated);
    char *path = simulated ? state_file(&file) : journal_default_path();
    if (!path)
        err_set(err, ERR_IO, "set HOME or XDG_STATE_HOME", "no place to keep measurements in");
    return path;
}

char *chart_doubts_path(const char *name)
{
    struct str file = {0};

    str_addf(&file, "chart-%s.doubts.csv", name);
    return state_file(&file);
}

void chart_adopt(struct session *s, const char *directory, const char *name)
{
    struct err err = {0};
    struct machine *m = machine_load(directory, &err);

    if (!m) {
        log_add(LOG_ERROR, "%s", err.what);
        return;
    }
    free(m->id);
    m->id = mem_strdup(name);
    session_add_machine(s, m);
}
