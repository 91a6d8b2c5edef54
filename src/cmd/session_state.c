/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Further files of a session's directory: the last what-if sweep, and an unfinished inference
 * run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/session_parts.h"
#include "infer/evolve.h"
#include "work/evolve_job.h"

#define SWEEP_FILE "whatif.csv"
#define RUN_FILE "evolution.csv"

static void add_number(struct str *out, double value, bool last)
{
    char number[40] = "";

    if (!isnan(value))
        snprintf(number, sizeof number, "%.17g", value);
    csv_add_field(out, number, last);
}

bool session_sweep_save(const struct sweep *sweep, struct session_saving *w, struct err *err)
{
    struct str text = {0};

    if (!sweep->count)
        return true;
    str_add(&text, "changed,machine,value,bounds,simulated\n");
    for (size_t i = 0; i < sweep->count; i++) {
        csv_add_field(&text, sweep->name, false);
        csv_add_field(&text, sweep->machine, false);
        add_number(&text, sweep->values[i], false);
        add_number(&text, sweep->bounds[i], false);
        add_number(&text, sweep->simulated[i], true);
    }
    bool ok = session_write(w, SWEEP_FILE, &text, err);
    str_done(&text);
    return ok;
}

static bool read_value(const char *text, double *out)
{
    char *end;

    *out = *text ? strtod(text, &end) : NAN;
    return !*text || (!*end && isfinite(*out));
}

static bool take_sweep(const char *path, const struct csv_table *t, struct sweep *out,
                       struct err *err)
{
    static const char *const names[] = {"changed", "machine", "value", "bounds", "simulated"};
    int at[5];

    if (!session_columns(t, path, names, 5, at, err))
        return false;
    if (!t->count)
        return true;
    out->values = mem_alloc(t->count * sizeof *out->values);
    out->bounds = mem_alloc(t->count * sizeof *out->bounds);
    out->simulated = mem_alloc(t->count * sizeof *out->simulated);
    snprintf(out->name, sizeof out->name, "%s", t->rows[0][at[0]]);
    snprintf(out->machine, sizeof out->machine, "%s", t->rows[0][at[1]]);
    for (size_t i = 0; i < t->count; i++) {
        char **row = t->rows[i];
        if (!read_value(row[at[2]], &out->values[i]) || isnan(out->values[i]) ||
            !read_value(row[at[3]], &out->bounds[i]) || !read_value(row[at[4]], &out->simulated[i]))
            return session_row_fault(err, path, t->lines[i], at[2], "value", row[at[2]]);
    }
    out->count = t->count;
    return true;
}

bool session_sweep_load(const char *dir, struct sweep *out, struct err *err)
{
    struct str path = {0};
    bool ok = access(session_path(&path, dir, SWEEP_FILE), F_OK) != 0;

    if (!ok) {
        struct csv_table *t = csv_table_read(str_text(&path), err);
        ok = t && take_sweep(str_text(&path), t, out, err);
        csv_table_free(t);
    }
    str_done(&path);
    return ok;
}

bool session_run_save(const struct unfinished_run *run, struct session_saving *w, struct err *err)
{
    struct str text = {0}, number = {0};

    if (!run->checkpoint)
        return true;
    str_add(&text, "key,value\n");
    session_row(&text, "checkpoint", run->checkpoint);
    str_addf(&number, "%.1f", run->seconds);
    session_row(&text, "seconds", str_text(&number));
    str_clear(&number);
    str_addf(&number, "%g", run->limit);
    session_row(&text, "limit", str_text(&number));
    bool ok = session_write(w, RUN_FILE, &text, err);
    str_done(&text);
    str_done(&number);
    return ok;
}

static bool take_run_row(void *to, const char *key, const char *value)
{
    struct unfinished_run *run = to;

    if (strcmp(key, "checkpoint") == 0) {
        free(run->checkpoint);
        run->checkpoint = mem_strdup(value);
        return *value;
    }
    double *number = strcmp(key, "seconds") == 0 ? &run->seconds
                     : strcmp(key, "limit") == 0 ? &run->limit
                                                 : NULL;
    return number && *value && read_value(value, number) && *number >= 0;
}

bool session_run_load(const char *dir, struct unfinished_run *out, struct err *err)
{
    struct str path = {0};
    bool ok = access(session_path(&path, dir, RUN_FILE), F_OK) != 0 ||
              session_read_rows(str_text(&path), take_run_row, out, err);

    str_done(&path);
    return ok;
}

struct unfinished_run session_unfinished_run(const struct session *s)
{
    const struct document *d = &s->document;
    struct evolve_status status;
    struct evolve_options o;

    if (d->unfinished.checkpoint)   /* The run remains unfinished, because no run was started after
                                     * the session was loaded. */
        return (struct unfinished_run){mem_strdup(d->unfinished.checkpoint), d->unfinished.seconds,
                                       d->unfinished.limit};
    if (!d->run_count)
        return (struct unfinished_run){0};
    const struct evolve_run *last = d->runs[d->run_count - 1];
    evolve_get_status(last->evolve, &status);
    evolve_get_options(last->evolve, &o);
    if (!last->checkpoint || access(last->checkpoint, F_OK) != 0 ||
        (status.state != EVOLVE_RUNNING && status.state != EVOLVE_PAUSED))
        return (struct unfinished_run){0};
    return (struct unfinished_run){mem_strdup(last->checkpoint),
                                   last->seconds_before + status.seconds,
                                   o.seconds > 0 ? last->seconds_before + o.seconds : 0};
}
