/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atlas/atlas.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/check.h"
#include "cmd/command.h"
#include "config.h"
#include "io/experiments_file.h"
#include "io/machine_file.h"
#include "isa/cpu.h"
#include "measure/journal.h"

struct atlas_entry {
    char *id;
    struct machine *machine;     /* counted reference; NULL: not loaded yet */
    char *file;                  /* file of the machine's experiments; NULL: none */
    struct experiments *experiments;
};

struct atlas_job {
    char *directory;
    /* whether the user named the machines; each of them must then load */
    bool asked;
    VEC(struct atlas_entry) entries;
    struct forms *forms[ISA_COUNT];
    struct form_uses *uses[ISA_COUNT];
    size_t use_counts[ISA_COUNT];
};

static void atlas_job_free(struct atlas_job *w)
{

    for (size_t i = 0; i < w->entries.count; i++) {
        free(w->entries.items[i].id);
        free(w->entries.items[i].file);
        machine_free(w->entries.items[i].machine);
        experiments_free(w->entries.items[i].experiments);
    }
    vec_done(&w->entries);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        forms_free(w->forms[isa]);
        form_uses_free(w->uses[isa], w->use_counts[isa]);
    }
    free(w->directory);
    free(w);
}

/* Returns the path of this CPU's journal if @m was charted on this CPU and the journal is readable.
 * It then has the chart's experiments. Otherwise returns NULL. The caller frees the path. */
static char *own_journal(const struct machine *m)
{
    const char *measured = machine_fact(m, "measured_cpu");
    char name[64];
    char *path =
        measured && machine_user_has(m->id) && strcmp(measured, cpu_name(name, sizeof name)) == 0
            ? journal_default_path()
            : NULL;

    if (path && access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* Loads machines and their experiments. A machine that cannot be loaded is an error if the user
 * named it; otherwise it is reported and omitted. Experiments that
 * cannot be loaded are an error. */
static bool load(struct atlas_job *w, struct result *result, struct err *err)
{
    size_t kept = 0;
    bool ok = true;

    for (size_t i = 0; i < w->entries.count; i++) {
        struct atlas_entry *e = &w->entries.items[i];
        struct err fault = {0};
        if (ok && !e->machine)
            e->machine = machine_load(e->id, &fault);
        if (ok && !e->machine && w->asked) {
            *err = fault;
            ok = false;
        } else if (ok && !e->machine) {
            result_line(result, "omitted: %s: %s", e->id, fault.what);
        }
        if (ok && e->machine && !e->file)
            e->file = own_journal(e->machine);
        if (ok && e->file)
            ok = (e->experiments = experiments_load(e->file, err)) != NULL;
        ok = ok && watch_goes_on(err);
        if (e->machine) {
            w->entries.items[kept++] = *e;
        } else {
            free(e->id);
            free(e->file);
        }
    }
    w->entries.count = kept;
    return ok;
}

static bool atlas_work(struct atlas_job *w, struct result *result, struct err *err)
{
    struct atlas_set sets[ISA_COUNT] = {0};
    struct atlas_machine *machines = NULL;
    struct atlas_size size = {0};
    bool ok = load(w, result, err);

    for (enum isa isa = 0; ok && isa < ISA_COUNT; isa++) {
        const char **used = mem_zero(w->use_counts[isa] + 1, sizeof *used);
        double *uses = mem_zero(w->use_counts[isa] + 1, sizeof *uses);
        for (size_t i = 0; i < w->use_counts[isa]; i++) {
            used[i] = w->uses[isa][i].form;
            uses[i] = w->uses[isa][i].uses;
        }
        sets[isa] = (struct atlas_set){w->forms[isa], used, uses, w->use_counts[isa]};
    }
    if (ok) {
        machines = mem_zero(w->entries.count + 1, sizeof *machines);
        for (size_t i = 0; i < w->entries.count; i++)
            machines[i] =
                (struct atlas_machine){w->entries.items[i].machine, w->entries.items[i].experiments,
                                       w->entries.items[i].file};
        ok = atlas_write(&(struct atlas_options){machines, w->entries.count, sets, PACKAGE_VERSION},
                         w->directory, &size, err);
    }
    if (ok) {
        result_line(result,
                    "%s/index.html: %zu machine%s, %zu form%s, %zu row%s; %zu file%s, %.1f MB",
                    w->directory, w->entries.count, plural(w->entries.count), size.forms,
                    plural(size.forms), size.rows, plural(size.rows), size.files,
                    plural(size.files), (double)size.bytes / 1e6);
        if (size.left_out)
            result_line(result, "%zu experiment%s omitted, because no machine has their forms",
                        size.left_out, plural(size.left_out));
        result_text(result, "file", w->directory);
        result_count(result, "machine_count", (int64_t)w->entries.count);
        result_count(result, "forms", (int64_t)size.forms);
        result_count(result, "row_count", (int64_t)size.rows);
        result_count(result, "files", (int64_t)size.files);
        result_count(result, "bytes", (int64_t)size.bytes);
    }
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        free((void *)sets[isa].used);
        free((void *)sets[isa].uses);
    }
    free(machines);
    return ok;
}

struct atlas_values {
    const char *directory;
    struct word_list machines, experiments;
};

static struct atlas_entry *find_entry(struct atlas_job *w, const char *id, size_t length)
{
    for (size_t i = 0; i < w->entries.count; i++)
        if (strncmp(w->entries.items[i].id, id, length) == 0 && !w->entries.items[i].id[length])
            return &w->entries.items[i];
    return NULL;
}

/* Adds an entry for @id unless there is one. Uses the session's machine of this id. If the session
 * has none, the machine is loaded later. */
static void add_entry(struct atlas_job *w, struct session *s, const char *id)
{
    if (find_entry(w, id, strlen(id)))
        return;
    struct machine *m = session_has_machine(s, id) ? session_machine(s, id, NULL) : NULL;
    vec_push(&w->entries,
             ((struct atlas_entry){.id = mem_strdup(id), .machine = m ? machine_hold(m) : NULL}));
}

static void add_list(struct atlas_job *w, struct session *s, char **take_ids)
{
    for (char **id = take_ids; *id; id++) {
        add_entry(w, s, *id);
        free(*id);
    }
    free(take_ids);
}

static bool add_machines(struct atlas_job *w, struct session *s, const struct atlas_values *v,
                         struct err *err)
{
    for (size_t i = 0; i < v->machines.count; i++) {
        const char *id = session_machine_id(s, v->machines.items[i], err);
        if (!id)
            return false;
        add_entry(w, s, id);
    }
    w->asked = v->machines.count > 0;
    if (!w->asked) {
        add_list(w, s, machine_ids());
        add_list(w, s, machine_user_ids());
    }
    for (size_t i = 0; i < v->experiments.count; i++) {
        const char *text = v->experiments.items[i], *end = strchr(text, '=');
        struct atlas_entry *e = end && end[1] ? find_entry(w, text, (size_t)(end - text)) : NULL;
        if (!end || !end[1])
            return err_set(err, ERR_USAGE,
                           "use --experiments ID=FILE, such as zen4-charted=measured.csv",
                           "%s does not have the format ID=FILE", text);
        if (!e)
            return err_set(err, ERR_USAGE, "add the machine with --machine",
                           "the atlas has no machine %.*s", (int)(end - text), text);
        free(e->file);
        e->file = mem_strdup(end + 1);
    }
    return true;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct atlas_values *v = values;
    struct atlas_job *w = mem_zero(1, sizeof *w);
    bool ok = add_machines(w, s, v, err);

    w->directory = mem_strdup(v->directory);
    for (enum isa isa = 0; ok && isa < ISA_COUNT; isa++) {
        struct forms *forms = session_forms(s, isa, err);
        ok = forms && (w->uses[isa] = form_uses_load(isa, &w->use_counts[isa], err));
        w->forms[isa] = forms ? forms_hold(forms) : NULL;
    }
    ok = ok && atlas_work(w, result, err);
    atlas_job_free(w);
    return ok;
}

const struct command command_machine_atlas = {
    .name = "machine atlas",
    .help = "write a web site about forms and machines",
    .description =
        "The pages need no server: open DIR/index.html. The site contains a table of forms on "
        "machines, a page per form and a page per machine. The site also shows experiments, ports, "
        "facts, and differences between pairs of machines. docs/atlas.md describes the pages.",
    .arguments = PARAMETERS({PARAMETER(TEXT, "DIR", struct atlas_values, directory),
                             .required = true, .complete = COMPLETE_FILE,
                             .help = "directory to write; an existing atlas in it is replaced"}),
    .options = PARAMETERS(
        MACHINES_OPTION(atlas_values, "all shipped machines and your own",
                        "machine to show; columns have the order of these options"),
        {PARAMETER(WORDS, "--experiments", struct atlas_values, experiments), .value = "ID=FILE",
         .complete = COMPLETE_FILE, .fallback = "this CPU's journal, for charts of this CPU",
         .help = "experiments measured on machine ID"}),
    .examples = EXAMPLES("machine atlas site",
                         "machine atlas zen --machine zen4-charted --machine znver4 --experiments "
                         "zen4-charted=zen4.csv"),
    .values_size = sizeof(struct atlas_values),
    .read = run,
};
