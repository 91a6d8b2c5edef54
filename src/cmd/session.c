/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/keymap.h"
#include "cmd/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/path.h"
#include "analysis/recipe.h"
#include "io/machine_file.h"
#include "work/job.h"
#include "ranks/ranks.h"
#include "work/pool.h"

void session_init(struct session *s)
{
    /* json_set_alloc_funcs must be called before the first JSON value is created. */
    json_set_alloc_funcs(mem_lend, free);
    *s = (struct session){.input = stdin,
                          .revision = 1,
                          .patience = INFINITY,
                          .result = result_new(),
                          .keys = keymap_new()};
    document_init(&s->document);
    settings_init(&s->settings);
}

void session_note_failure(struct session *s, const char *line)
{
    free(s->failed_line);
    s->failed_line = mem_strdup(line);
}

void session_clear_output(struct session *s)
{
    result_free(s->result);
    s->result = result_new();
}

bool session_view(struct session *s, const char *verb, const char *argument, struct result *result,
                  struct err *err)
{
    if (!s->views)
        return err_set(err, ERR_USAGE, "open the workbench", "views exist only in the workbench");
    return s->views->command(s, verb, argument ? argument : "", result, err);
}

void edit_request_done(struct edit_request *edit)
{
    child_directory_free(edit->directory);
    free(edit->path);
    *edit = (struct edit_request){0};
}

void session_done(struct session *s)
{
    job_shutdown();
    session_release(s);
}

void session_release(struct session *s)
{
    queue_done(&s->queue);
    document_done(&s->document);
    result_free(s->result);
    result_free(s->last);
    keymap_free(s->keys);
    free(s->last_line);
    free(s->failed_line);
    str_done(&s->refused);
    str_done(&s->copied);
    str_done(&s->said);
    free(s->shown_path);
    edit_request_done(&s->edit);
}

const char *session_machine_id(const struct session *s, const char *id, struct err *err)
{
    if (strcmp(id, HERE_NAME) != 0)
        return id;
    if (!s->document.here.id)
        *err = s->document.here.fault;
    return s->document.here.id;
}

/* Sets the title of this computer's machine unless the machine has other references. In that case
 * it already has the title. */
static void entitle(const struct here *here, struct machine *m)
{
    struct str title = {0};

    if (!here->id || machine_held(m) || strcmp(m->id, here->id) != 0 ||
        str_has_prefix(m->title, MACHINE_HERE))
        return;
    str_addf(&title, MACHINE_HERE "%s", machine_fact(m, "base") ? m->title : here->title);
    free(m->title);
    m->title = str_take(&title);
}

struct machine *session_machine(struct session *s, const char *id, struct err *err)
{
    if (!(id = session_machine_id(s, id, err)))
        return NULL;
    struct machine *m = document_machine(&s->document, id);
    if (m)
        return m;
    char *own = machine_own_id(id);
    m = strcmp(own, id) == 0 ? NULL : document_machine(&s->document, own);
    if (!m) {
        if (!(m = queue_take_machine(&s->queue, own)))
            m = machine_load(own, err);
        if (m)
            session_add_machine(s, m);
    }
    free(own);
    return m;
}

bool session_has_machine(const struct session *s, const char *id)
{
    for (size_t i = 0; i < s->document.machine_count; i++)
        if (strcmp(s->document.machines[i]->id, id) == 0)
            return true;
    return false;
}

void session_add_machine(struct session *s, struct machine *take_machine)
{
    entitle(&s->document.here, take_machine);
    for (size_t i = 0; i < s->document.machine_count; i++)
        if (strcmp(s->document.machines[i]->id, take_machine->id) == 0) {
            document_drop_analyses(&s->document);
            document_retire(&s->document, s->document.machines[i]);
            s->document.machines[i] = take_machine;
            return;
        }
    s->document.machines = mem_resize(s->document.machines, (s->document.machine_count + 1) *
                                                                sizeof *s->document.machines);
    s->document.machines[s->document.machine_count++] = take_machine;
}

bool session_set_experiments(struct session *s, struct experiments **made,
                             const struct experiments *base, struct err *err)
{
    if (base && s->document.experiments != base)
        return err_set(err, ERR_USAGE, "run the command again",
                       "another command changed the experiments meanwhile");
    /* The table is a modified version of @base, so it keeps the serial number. */
    if (base) {
        (*made)->serial = base->serial;
        (*made)->revision += base->revision + 1;
    }
    experiments_free(s->document.experiments);
    s->document.experiments = *made;
    *made = NULL;
    return true;
}

struct machine *session_take_changed(struct session *s, struct machine *m,
                                     struct machine *take_copy, const char *what)
{
    document_drop_analyses(&s->document);
    undo_note_machine(&s->document.undo, m, what);
    undo_mark_edited(take_copy);
    session_add_machine(s, take_copy);
    return take_copy;
}

struct machine *session_change_machine(struct session *s, struct machine *m, const char *what)
{
    return session_take_changed(s, m, machine_copy(m), what);
}

struct experiments *session_change_experiments(struct session *s)
{
    struct experiments *t = s->document.experiments;

    if (t && experiments_held(t)) {
        struct experiments *copy = experiments_copy(t, NULL);
        copy->serial = t->serial;
        /* The copy continues the revision count, so readers of the original detect later changes of
         * the copy. */
        copy->revision = t->revision;
        experiments_free(t);
        s->document.experiments = copy;
    }
    return s->document.experiments;
}

struct machine *session_current(struct session *s, struct err *err)
{
    return session_machine(s, s->document.selected[0], err);
}

static bool refuse_isa(const struct machine *m, struct err *err)
{
    struct str todo = {0};

    str_add(&todo, "valid values of the fact isa: ");
    isa_list(false, " or ", &todo);
    err_set(err, ERR_DATA, str_text(&todo), "%s has the unknown instruction set \"%s\"", m->id,
            m->isa);
    str_done(&todo);
    return false;
}

/* Finds the machines @ids, all of one instruction set. Stores their ids, which the machines own, in
 * @own, and their instruction set in *@first. Returns false with err. */
static bool find_machines(struct session *s, char **ids, size_t count, const char **own,
                          enum isa *first, struct err *err)
{
    enum isa isa = ISA_UNSAID;

    for (size_t i = 0; i < count; i++) {
        struct machine *m = session_machine(s, ids[i], err);
        if (!m)
            return false;
        if (!isa_parse(m->isa, &isa))
            return refuse_isa(m, err);
        *first = i ? *first : isa;
        if (isa != *first)
            return err_set(err, ERR_USAGE, "select machines with the same instruction set",
                           "%s is a machine for %s, but %s is a machine for %s", ids[0],
                           isa_name(*first), ids[i], m->isa);
        /* The id replaces the path of a directory. The machine is then loaded only once, and its
         * changes persist. */
        own[i] = m->id;
    }
    return true;
}

bool session_select(struct session *s, char **ids, size_t count, struct err *err)
{
    enum isa isa = ISA_UNSAID;
    const char **own = mem_alloc((count + 1) * sizeof *own);
    bool ok = find_machines(s, ids, count, own, &isa, err);

    if (ok) {
        session_show(s, isa, own, count);
        session_note_analysed(s, NULL);
    }
    free(own);
    return ok;
}

bool session_choose(struct session *s, char **ids, size_t count, struct err *err)
{
    if (!session_select(s, ids, count, err))
        return false;
    s->document.chosen = true;
    s->document.chosen_isa = s->document.isa;
    return true;
}

void session_show(struct session *s, enum isa isa, const char *const *ids, size_t count)
{
    struct document *d = &s->document;
    struct selection *kept = &d->kept[isa];
    char **fresh = mem_alloc((count + 1) * sizeof *fresh);
    const char *seen = d->isa == isa && d->in_view < kept->count ? kept->ids[d->in_view] : NULL;

    for (size_t i = 0; i < count; i++) {
        fresh[i] = mem_strdup(ids[i]);
        if (seen && strcmp(fresh[i], seen) == 0) {   /* The displayed machine remains displayed if
                                                      * it is selected again. */
            d->in_view = i;
            seen = NULL;
        }
    }
    mem_free_texts(kept->ids, kept->count);
    *kept = (struct selection){fresh, count};
    document_show_isa(d, isa);
}

unsigned session_threads(const struct session *s)
{
    return s->settings.threads ? s->settings.threads : ranks_share(pool_processors());
}

struct forms *session_forms(struct session *s, enum isa isa, struct err *err)
{
    if (!s->document.forms[isa])
        s->document.forms[isa] = forms_load(isa, NULL, err);
    return s->document.forms[isa];
}

void session_set_forms(struct session *s, struct forms *take_forms)
{
    enum isa isa = forms_isa(take_forms);

    forms_free(s->document.forms[isa]);
    s->document.forms[isa] = take_forms;
}

void session_select_forms(struct session *s, char **patterns, size_t count)
{
    char **fresh = count ? mem_alloc(count * sizeof *fresh) : NULL;
    for (size_t i = 0; i < count; i++)
        fresh[i] = mem_strdup(patterns[i]);
    mem_free_texts(s->document.form_patterns, s->document.form_pattern_count);
    s->document.form_patterns = fresh;
    s->document.form_pattern_count = count;
}

bool form_patterns_match(char *const *patterns, size_t count, const char *form)
{
    for (size_t i = 0; i < count; i++)
        if (str_match(patterns[i], form))
            return true;
    return count == 0;
}

bool session_has_kernel(const struct session *s, struct err *err)
{
    return s->document.kernel ||
           err_set(err, ERR_USAGE, "run kernel load FILE, or kernel paste", "no kernel is loaded");
}

bool session_may_open(struct session *s, const struct recipe *r, struct err *err)
{
    struct str path = {0};
    char *file = path_argument(r->path), *profile = r->profile ? path_argument(r->profile) : NULL;

    str_addf(&path, "%s%s%s", file, profile ? ", profile " : "", profile ? profile : "");
    free(file);
    free(profile);
    if (!r->foreign || (s->shown_path && strcmp(s->shown_path, str_text(&path)) == 0)) {
        str_done(&path);
        return true;
    }
    free(s->shown_path);
    s->shown_path = str_take(&path);
    return err_set(
        err, ERR_USAGE, "repeat the command to open the file; kernel load FILE opens another file",
        "the session would open the file %.400s, which was not opened before", s->shown_path);
}

bool session_fits(const struct session *s, const struct machine *m, struct err *err)
{
    const char *isa = s->document.kernel ? isa_name(s->document.kernel->isa) : m->isa;
    return strcmp(isa, m->isa) == 0 ||
           err_set(err, ERR_USAGE,
                   "set machine ID selects another machine, machine list lists all machines",
                   "%s is a machine for %s, but the kernel is %s", m->id, m->isa, isa);
}

bool session_shown_fit(const struct session *s, struct err *err)
{
    const struct document *d = &s->document;
    const struct selection *chosen = &d->kept[d->chosen_isa];

    return !d->chosen || !d->kernel || d->kernel->isa == d->chosen_isa || !chosen->count ||
           err_set(err, ERR_USAGE,
                   "set machine ID selects another machine, machine list lists all machines",
                   "the selected machine %s is for %s, but the kernel is %s", chosen->ids[0],
                   isa_name(d->chosen_isa), isa_name(d->kernel->isa));
}

struct machine *session_kernel_machine(struct session *s, const char *id, struct err *err)
{
    const char *analysed = s->document.analysed;
    struct machine *m;

    if (id)
        m = session_machine(s, id, err);
    else if (analysed && (m = session_machine(s, analysed, err)) &&
             session_fits(s, m, &(struct err){0}))
        return m;
    else
        m = session_shown_fit(s, err) ? session_current(s, err) : NULL;
    return m && session_fits(s, m, err) ? m : NULL;
}

void session_note_analysed(struct session *s, const char *id)
{
    char *copy = mem_strdup(id);
    free(s->document.analysed);
    s->document.analysed = copy;
}

static void use_kernel(struct session *s, const struct kernel *take_kernel, size_t loop)
{
    /* document_use_loop frees the analyses, which point into the old kernel. */
    document_use_loop(&s->document, loop);
    kernel_free(s->document.kernel);
    s->document.kernel = take_kernel;
    if (take_kernel && take_kernel->isa != s->document.isa)
        document_show_isa(&s->document, take_kernel->isa);
}

void session_keep_loop(struct session *s)
{
    struct document *d = &s->document;
    if (d->kernel && d->shelf.at < d->shelf.list.count)
        d->shelf.list.items[d->shelf.at].loop = d->loop;
}

void session_set_kernel(struct session *s, const struct kernel *take_kernel, size_t loop)
{
    struct shelved before = {0};

    session_keep_loop(s);
    if (take_kernel)
        before = shelf_put(&s->document.shelf, take_kernel, loop);
    if (before.kernel && before.kernel != take_kernel)
        undo_note_kernel(&s->document.undo, before.kernel, before.loop, take_kernel);
    kernel_free(before.kernel);
    use_kernel(s, take_kernel, loop);
}

void session_use_shelved(struct session *s, size_t at, size_t loop)
{
    session_keep_loop(s);
    s->document.shelf.at = at;
    use_kernel(s, kernel_hold(s->document.shelf.list.items[at].kernel), loop);
}
