/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/session_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/file_set.h"
#include "base/names.h"
#include "base/utf8.h"
#include "base/utf8_text.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/session_parts.h"
#include "io/experiments_file.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "toolchain/assemble.h"
#include "work/job.h"

#define VERSION "1"

/* File that lists the session's files, one per row. A save replaces or removes only files that were
 * listed. */
#define MANIFEST "manifest.csv"

const char *session_path(struct str *path, const char *dir, const char *name)
{
    str_clear(path);
    str_addf(path, "%s/%s", dir, name);
    return str_text(path);
}

struct session_saving {
    struct file_set *files;
    struct names names;
};

bool session_write(struct session_saving *w, const char *name, const struct str *text,
                   struct err *err)
{
    names_add(&w->names, name);
    return watch_goes_on(err) && file_set_write(w->files, name, str_text(text), text->length, err);
}

void session_field(struct str *out, const char *text, bool last)
{
    struct str readable = {0};

    if (!utf8_valid(text, strlen(text), NULL))
        utf8_escape(text, strlen(text), &readable);
    csv_add_field(out, readable.length ? str_text(&readable) : text, last);
    str_done(&readable);
}

void session_row(struct str *out, const char *key, const char *value)
{
    session_field(out, key, false);
    session_field(out, value, true);
}

void session_row_number(struct str *out, const char *key, uint64_t value)
{
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)value);
    session_row(out, key, number);
}

/* Returns whether a machine's id is usable as a file name. */
static bool plain_id(const char *id)
{
    return *id && id[0] != '.' && !strchr(id, '/');
}

static bool same_entry(const struct mapping_entry *a, const struct mapping_entry *b)
{
    return usage_equal(&a->usage, &b->usage) && a->micro_ops == b->micro_ops &&
           (a->latency == b->latency || (isnan(a->latency) && isnan(b->latency)));
}

/* Writes the entries of @m that differ from its shipped machine as an overrides file. Returns false
 * if there is no shipped machine, or if the file cannot express a difference. */
static bool overrides_of(const struct machine *m, struct str *out)
{
    struct err ignored = {0};
    struct machine *base = machine_load_shipped(m->id, &ignored), *changed = NULL;
    bool ok = base && ports_equal(mapping_ports(base->mapping), mapping_ports(m->mapping)) &&
              base->fact_count == m->fact_count &&
              mapping_count(base->mapping) <= mapping_count(m->mapping);
    for (size_t i = 0; ok && i < m->fact_count; i++) {
        const char *value = machine_fact(base, m->facts[i].key);
        ok = value && strcmp(value, m->facts[i].value) == 0;
    }
    for (size_t i = 0; ok && i < mapping_count(base->mapping) && !watch_steps(1); i++)
        ok = mapping_shares(m->mapping, base->mapping, i) ||
             mapping_find(m->mapping, mapping_at(base->mapping, i)->form) != NULL;
    if (ok)
        changed = machine_new(m->id, mapping_ports(m->mapping));
    for (size_t i = 0; ok && i < mapping_count(m->mapping) && !watch_steps(1); i++) {
        if (mapping_shares(m->mapping, base->mapping, i))
            continue;
        const struct mapping_entry *entry = mapping_at(m->mapping, i),
                                   *old = mapping_find(base->mapping, entry->form);
        if (old && same_entry(entry, old))
            continue;
        /* Two differences cannot be expressed. An empty field means unchanged, so a number cannot
         * be removed. A pattern would also match other forms. */
        ok = !strpbrk(entry->form, "*?{") &&
             !(old && ((isnan(entry->latency) && !isnan(old->latency)) ||
                       (!entry->micro_ops && old->micro_ops)));
        mapping_set(changed->mapping, entry);
    }
    if (ok && mapping_count(changed->mapping))
        machine_mapping_csv(changed, out);
    machine_free(changed);
    machine_free(base);
    return ok;
}

static bool save_machine(struct session_saving *w, const struct machine *m, struct err *err)
{
    static const struct {
        const char *name;
        void (*print)(const struct machine *m, struct str *out);
    } files[3] = {{"machine.csv", machine_facts_csv},
                  {"mapping.csv", machine_mapping_csv},
                  {"latencies.csv", machine_latencies_csv}};
    struct str rows = {0}, name = {0};
    bool ok = true;

    if (!plain_id(m->id))
        return err_set(err, ERR_DATA, "save the machine under another name with mapping save",
                       "a session cannot save a machine with the name \"%s\"", m->id);
    if (overrides_of(m, &rows)) {
        str_addf(&name, "overrides/%s.csv", m->id);
        ok = !rows.length || session_write(w, str_text(&name), &rows, err);
    } else {
        for (size_t i = 0; ok && i < (m->latency_count ? 3 : 2); i++) {
            str_clear(&name);
            str_clear(&rows);
            str_addf(&name, "machines/%s/%s", m->id, files[i].name);
            files[i].print(m, &rows);
            ok = session_write(w, str_text(&name), &rows, err);
        }
    }
    str_done(&rows);
    str_done(&name);
    return ok;
}

static bool save_forms(struct session_saving *w, const char *name, const struct forms *forms,
                       struct err *err)
{
    size_t count = 0;
    const struct form_row *rows = forms ? forms_added(forms, &count) : NULL;
    struct str text = {0};

    if (!count)
        return true;
    str_add(&text, "form,template,extension\n");
    for (size_t i = 0; i < count && !watch_steps(1); i++) {
        csv_add_field(&text, rows[i].form, false);
        csv_add_field(&text, rows[i].template, false);
        csv_add_field(&text, rows[i].extension, true);
    }
    bool ok = session_write(w, name, &text, err);
    str_done(&text);
    return ok;
}

static bool save_all(struct session *s, struct session_saving *w, struct err *err)
{
    struct str settings = {0}, value = {0};
    bool ok = true;

    str_add(&settings, "key,value\n");
    session_row(&settings, "version", VERSION);
    for (const struct setting *setting = settings_table; setting->name; setting++)
        if (setting->saved) {
            str_clear(&value);
            setting_print(&s->settings, setting, &value);
            session_row(&settings, setting->name, str_text(&value));
        }
    str_done(&value);
    /* The displayed instruction set is written last, because the last in the file is displayed. */
    for (int k = 1; k <= ISA_COUNT; k++) {
        const struct selection *shown = &s->document.kept[(s->document.isa + k) % ISA_COUNT];
        for (size_t i = 0; i < shown->count; i++)
            session_row(&settings, "machine", shown->ids[i]);
    }
    for (size_t i = 0; i < s->document.form_pattern_count; i++)
        session_row(&settings, "forms-select", s->document.form_patterns[i]);
    for (size_t i = 0; ok && i < s->document.machine_count; i++)
        ok = watch_goes_on(err) && save_machine(w, s->document.machines[i], err);
    for (int isa = 0; ok && isa < ISA_COUNT; isa++)
        ok = save_forms(w, isa_ops((enum isa)isa)->forms_file, s->document.forms[isa], err);
    if (s->document.kernel)
        session_row(&settings, "kernel-isa", isa_name(s->document.kernel->isa));
    if (ok && s->document.experiments && s->document.experiments->rows.count) {
        struct str table = {0};
        experiments_csv(s->document.experiments, &table);
        ok = session_write(w, "experiments.csv", &table, err);
        str_done(&table);
    }
    ok = ok &&
         (!s->document.kernel ||
          session_kernel_save(w, s->document.kernel, s->document.loop, "kernel", &settings, err)) &&
         session_shelf_save(&s->document.shelf, w, err) &&
         session_sweep_save(&s->document.sweep, w, err) &&
         session_run_save(&s->document.unfinished, w, err) &&
         session_write(w, "session.csv", &settings, err);
    str_done(&settings);
    return ok;
}

bool session_is_directory(const char *dir)
{
    struct str path = {0};
    struct stat status;
    bool is = stat(dir, &status) == 0 && S_ISDIR(status.st_mode) &&
              (access(session_path(&path, dir, "session.csv"), F_OK) == 0 ||
               access(session_path(&path, dir, FILE_SET_RECORD), F_OK) == 0);
    str_done(&path);
    return is;
}

void session_refuse(const char *dir, const char *todo, struct err *err)
{
    struct str path = {0};

    if (access(session_path(&path, dir, "session.csv"), F_OK) != 0 && errno != ENOENT &&
        errno != ENOTDIR) {
        file_fault(err, dir, "read", NULL);
    } else {
        err_set(err, ERR_MISSING, todo, "no saved session");
        err_at(err, dir, 0, 0);
    }
    str_done(&path);
}

/* Reads the manifest of @dir. Adds its files and the manifest itself to the list; without a
 * manifest, nothing. file_set_remove checks that names are relative. */
static bool read_manifest(const char *dir, struct names *out, struct err *err)
{
    struct str path = {0};
    bool ok = access(session_path(&path, dir, MANIFEST), F_OK) != 0;

    if (!ok) {
        struct csv_table *t = csv_table_read(str_text(&path), err);
        int column = t ? csv_table_column(t, "file") : -1;
        ok = column >= 0;
        if (t && !ok) {
            err_set(err, ERR_DATA, "choose another directory", "the column file is missing");
            err_at(err, str_text(&path), 1, 1);
        }
        for (size_t i = 0; ok && i < t->count; i++)
            names_add(out, t->rows[i][column]);
        names_add(out, MANIFEST);
        csv_table_free(t);
    }
    str_done(&path);
    return ok;
}

/* Returns whether @dir has only files of its manifest. Otherwise sets err. */
static bool only_ours(const char *dir, const struct names *manifest, struct err *err)
{
    const char **known = mem_zero(manifest->count + 1, sizeof *known);
    for (size_t i = 0; i < manifest->count; i++)
        known[i] = manifest->items[i];
    char *stranger = file_set_stranger(dir, known);
    free(known);
    if (!stranger)
        return true;
    if (manifest->count)
        err_set(err, ERR_DATA, "choose another directory, or move this file to another directory",
                "the directory contains %s, which is not part of a session", stranger);
    else
        err_set(err, ERR_DATA, "choose another directory",
                "not a Portolan session: the directory has %s and no " MANIFEST, stranger);
    free(stranger);
    return err_at(err, dir, 0, 0);
}

static bool write_manifest(struct session_saving *w, struct err *err)
{
    struct str text = {0};

    str_add(&text, "file\n");
    for (size_t i = 0; i < w->names.count; i++)
        csv_add_field(&text, w->names.items[i], true);
    bool ok = file_set_write(w->files, MANIFEST, text.data, text.length, err);
    str_done(&text);
    return ok;
}

/* Removes the files of the previous session that the new session lacks. */
static bool remove_stale(struct session_saving *w, const struct names *before, struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < before->count; i++)
        if (strcmp(before->items[i], MANIFEST) != 0 &&
            names_find(&w->names, before->items[i]) == UINT32_MAX)
            ok = file_set_remove(w->files, before->items[i], err);
    return ok;
}

bool session_save(struct session *s, const char *dir, struct err *err)
{
    struct session_saving w = {.files = file_set_new(dir, true, err)};
    struct names before = {0};
    bool pipes = file_only_files(true);

    bool ok = w.files && read_manifest(dir, &before, err) && only_ours(dir, &before, err) &&
              save_all(s, &w, err) && remove_stale(&w, &before, err) && write_manifest(&w, err) &&
              watch_goes_on(err) && file_set_commit(w.files, err);
    file_only_files(pipes);
    file_set_free(w.files);
    names_done(&w.names);
    names_done(&before);
    return ok;
}

bool session_remove(const char *dir, struct err *err)
{
    struct session_saving w = {.files = file_set_new(dir, true, err)};
    struct names files = {0};
    bool ok = w.files && read_manifest(dir, &files, err) && only_ours(dir, &files, err);

    for (size_t i = 0; ok && i < files.count; i++)
        ok = file_set_remove(w.files, files.items[i], err);
    ok = ok && file_set_commit(w.files, err);
    file_set_free(w.files);
    names_done(&files);
    return ok && (rmdir(dir) == 0 || file_fault(err, dir, "remove", NULL));
}

/* Rows of session.csv that are applied after the machines are loaded */
struct session_plan {
    struct session *into;
    VEC(char *) machines, patterns;
    struct kernel_record kernel;
    bool version;
};

bool session_row_fault(struct err *err, const char *path, size_t line, int column, const char *key,
                       const char *value)
{
    err_set(err, ERR_DATA, "correct the row", "invalid %.40s \"%.100s\"", key, value);
    return err_at(err, path, line, (size_t)column + 1);
}

bool session_columns(const struct csv_table *t, const char *path, const char *const *names,
                     size_t count, int *at, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if ((at[i] = csv_table_column(t, names[i])) < 0) {
            err_set(err, ERR_DATA, "use a copy of the file, or another session",
                    "the column %s is missing", names[i]);
            return err_at(err, path, 1, 1);
        }
    return true;
}

/* Calls @take for each row of @t. @path: the table's file, for errors. */
static bool take_rows(const char *path, const struct csv_table *t,
                      bool (*take)(void *to, const char *key, const char *value), void *to,
                      struct err *err)
{
    int key = csv_table_column(t, "key"), value = csv_table_column(t, "value");

    if (key < 0 || value < 0) {
        err_set(err, ERR_DATA, "the first line must be key,value", "the column %s is missing",
                key < 0 ? "key" : "value");
        return err_at(err, path, 1, 1);
    }
    for (size_t i = 0; i < t->count; i++)
        if (!take(to, t->rows[i][key], t->rows[i][value]))
            return session_row_fault(err, path, t->lines[i], value, t->rows[i][key],
                                     t->rows[i][value]);
    return true;
}

bool session_read_rows(const char *path, bool (*take)(void *to, const char *key, const char *value),
                       void *to, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    bool ok = t && take_rows(path, t, take, to, err);

    csv_table_free(t);
    return ok;
}

static bool take_setting(void *to, const char *key, const char *value)
{
    struct session_plan *plan = to;
    const struct setting *setting = setting_find(key);
    bool valid = false;

    if (setting)
        return setting_set(&plan->into->settings, setting, value, NULL);
    if (kernel_record_take(&plan->kernel, key, value, &valid))
        return valid;
    if (strcmp(key, "version") == 0)
        return plan->version = strcmp(value, VERSION) == 0;
    if (strcmp(key, "machine") == 0) {
        vec_push(&plan->machines, (char *)value);
        return plain_id(value);
    }
    if (strcmp(key, "forms-select") != 0)
        return false;
    vec_push(&plan->patterns, (char *)value);
    return *value;
}

static bool read_settings(const char *path, const struct csv_table *t, struct session_plan *plan,
                          struct err *err)
{
    if (!take_rows(path, t, take_setting, plan, err))
        return false;
    if (!plan->version || !plan->machines.count) {
        err_set(err, ERR_DATA, "restore the file from a copy, or load another session",
                "the row %s is missing", plan->version ? "machine" : "version");
        return err_at(err, path, 0, 0);
    }
    return true;
}

static struct machine *load_machine(const char *dir, const char *id, struct err *err)
{
    struct str path = {0}, name = {0};
    struct machine *m;

    str_addf(&name, "machines/%s", id);
    if (access(session_path(&path, dir, str_text(&name)), F_OK) == 0)
        m = machine_load(str_text(&path), err);
    else
        m = machine_load(id, err);
    str_clear(&name);
    str_addf(&name, "overrides/%s.csv", id);
    if (m && access(session_path(&path, dir, str_text(&name)), F_OK) == 0 &&
        !machine_override(m, str_text(&path), err)) {
        machine_free(m);
        m = NULL;
    }
    str_done(&path);
    str_done(&name);
    return m;
}

/* Loads the machines of directory @dir/@part that are not loaded yet. Their ids are the file names
 * without @ending. */
static bool load_listed(struct session *s, const char *dir, const char *part, const char *ending,
                        struct err *err)
{
    struct str path = {0};
    DIR *stream = file_open_directory(session_path(&path, dir, part));
    bool ok = stream || errno == ENOENT || file_fault(err, str_text(&path), "read", NULL);

    for (struct dirent *entry; ok && stream && (entry = readdir(stream));) {
        size_t length = strlen(entry->d_name), cut = strlen(ending);
        if (entry->d_name[0] == '.' || length <= cut ||
            strcmp(entry->d_name + length - cut, ending) != 0)
            continue;
        char *id = mem_strndup(entry->d_name, length - cut);
        bool there = false;
        for (size_t i = 0; i < s->document.machine_count; i++)
            there |= strcmp(s->document.machines[i]->id, id) == 0;
        struct machine *m = there ? NULL : load_machine(dir, id, err);
        if (m)
            session_add_machine(s, m);
        ok = there || m;
        free(id);
    }
    if (stream)
        closedir(stream);
    str_done(&path);
    return ok;
}

static bool load_forms(const char *dir, struct session *s, struct err *err)
{
    struct str path = {0};
    size_t added;
    bool ok = true;

    for (int isa = 0; ok && isa < ISA_COUNT; isa++) {
        if (access(session_path(&path, dir, isa_ops((enum isa)isa)->forms_file), F_OK) != 0)
            continue;
        struct forms *base = session_forms(s, (enum isa)isa, err),
                     *made = base ? forms_add(base, str_text(&path), &added, err) : NULL;
        ok = made != NULL;
        if (ok)
            session_set_forms(s, made);
    }
    str_done(&path);
    return ok;
}

/* Selects the machines of each instruction set. The last set in the file is displayed. */
static bool select_all(struct session *s, const struct session_plan *plan, struct err *err)
{
    char **ids = mem_alloc((plan->machines.count + 1) * sizeof *ids);
    bool ok = true;

    for (size_t from = 0, to; ok && from < plan->machines.count; from = to) {
        const char *isa = session_machine(s, plan->machines.items[from], err)->isa;
        size_t count = 0;
        for (to = from; to < plan->machines.count &&
                        strcmp(session_machine(s, plan->machines.items[to], err)->isa, isa) == 0;
             to++)
            ids[count++] = plan->machines.items[to];
        ok = session_select(s, ids, count, err);
    }
    free(ids);
    return ok;
}

static bool load_kernels(const char *dir, const struct session_plan *plan, struct session *s,
                         struct err *err)
{
    const struct kernel *current = NULL;
    size_t loop = 0;

    if (plan->kernel.name &&
        !(current = session_kernel_load(dir, "kernel", &plan->kernel, &loop, err)))
        return false;
    return session_shelf_load(dir, s, current, loop, err);
}

static bool load_experiments(const char *dir, struct session *s, struct err *err)
{
    struct str path = {0};
    bool there = access(session_path(&path, dir, "experiments.csv"), F_OK) == 0;

    if (there)
        s->document.experiments = experiments_load(str_text(&path), err);
    str_done(&path);
    return !there || s->document.experiments;
}

bool session_idle(struct err *err)
{
    struct job_info info;
    return !job_working(&info) ||
           err_set(err, ERR_USAGE, "use job wait or job cancel", "%s is still running", info.title);
}

/* Reads the session in @dir into @fresh, which is initialised. Returns false with err on
 * failure. */
static bool read_session(const char *dir, struct session *fresh, struct err *err)
{
    struct session_plan plan = {.into = fresh};
    struct str path = {0};
    bool ok = false;

    int held = file_set_open(dir, err);
    if (held < 0)
        return false;
    struct csv_table *t = csv_table_read(session_path(&path, dir, "session.csv"), err);
    if (!t || !read_settings(str_text(&path), t, &plan, err))
        goto out;
    for (size_t i = 0; i < plan.machines.count; i++) {
        struct machine *m =
            watch_goes_on(err) ? load_machine(dir, plan.machines.items[i], err) : NULL;
        if (!m)
            goto out;
        session_add_machine(fresh, m);
    }
    if (!load_listed(fresh, dir, "machines", "", err) ||
        !load_listed(fresh, dir, "overrides", ".csv", err) || !select_all(fresh, &plan, err) ||
        !load_forms(dir, fresh, err) || !load_experiments(dir, fresh, err) ||
        !load_kernels(dir, &plan, fresh, err) ||
        !session_sweep_load(dir, &fresh->document.sweep, err) ||
        !session_run_load(dir, &fresh->document.unfinished, err))
        goto out;
    session_select_forms(fresh, plan.patterns.items, plan.patterns.count);
    ok = watch_goes_on(err);
out:
    close(held);
    csv_table_free(t);
    vec_done(&plan.machines);
    vec_done(&plan.patterns);
    kernel_record_done(&plan.kernel);
    str_done(&path);
    return ok;
}

struct session *session_read(const char *dir, struct err *err)
{
    if (!session_is_directory(dir)) {
        session_refuse(dir, "session save DIRECTORY creates a session", err);
        return NULL;
    }
    struct session *fresh = mem_alloc(sizeof *fresh);
    session_init(fresh);
    bool before = file_only_files(true), ok = read_session(dir, fresh, err);
    file_only_files(before);
    if (ok)
        return fresh;
    session_forget(fresh);
    return NULL;
}

void session_forget(struct session *read)
{
    if (read)
        session_release(read);
    free(read);
}

bool session_take(struct session *s, struct session *read, struct err *err)
{
    if (!session_idle(err))
        return false;
    document_exchange(&s->document, &read->document);
    for (const struct setting *setting = settings_table; setting->name; setting++)
        if (setting->saved)
            setting_take(&s->settings, &read->settings, setting);
    return true;
}

bool session_load(struct session *s, const char *dir, struct err *err)
{
    struct session *read = session_idle(err) ? session_read(dir, err) : NULL;
    bool ok = read && session_take(s, read, err);

    session_forget(read);
    return ok;
}

struct session *session_snapshot(struct session *s)
{
    struct session *copy = mem_alloc(sizeof *copy);
    struct document *d = &copy->document;

    session_init(copy);
    copy->settings = s->settings;
    d->kernel = s->document.kernel ? kernel_hold(s->document.kernel) : NULL;
    d->loop = s->document.loop;
    shelf_copy(&s->document.shelf, &d->shelf);
    sweep_copy(&s->document.sweep, &d->sweep);
    d->unfinished = session_unfinished_run(s);
    d->experiments = s->document.experiments ? experiments_hold(s->document.experiments) : NULL;
    for (size_t i = 0; i < s->document.machine_count; i++)
        session_add_machine(copy, machine_hold(s->document.machines[i]));
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const struct selection *shown = &s->document.kept[isa];
        d->forms[isa] = s->document.forms[isa] ? forms_hold(s->document.forms[isa]) : NULL;
        session_show(copy, (enum isa)isa, (const char *const *)shown->ids, shown->count);
    }
    document_show_isa(d, s->document.isa);
    d->in_view = s->document.in_view;
    session_select_forms(copy, s->document.form_patterns, s->document.form_pattern_count);
    return copy;
}
