/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cmd/session.h"
#include "table/result.h"

/* Returns the machines selected for @isa, and the displayed instruction set. */
static struct undo_choice choice_now(const struct document *d, enum isa isa)
{
    struct undo_choice c = {.shown = d->isa};

    for (size_t i = 0; i < d->kept[isa].count; i++)
        vec_push(&c.ids, mem_strdup(d->kept[isa].ids[i]));
    return c;
}

static bool same_choice(const struct undo_choice *a, const struct undo_choice *b)
{
    bool same = a->shown == b->shown && a->ids.count == b->ids.count;

    for (size_t i = 0; same && i < a->ids.count; i++)
        same = strcmp(a->ids.items[i], b->ids.items[i]) == 0;
    return same;
}

/* Returns a step that restores the selection of @s and its machine @id. @take_what is the step's
 * description. */
static struct undo_step arrival_step(const struct session *s, const char *id, enum isa isa,
                                     unsigned group, char *take_what)
{
    const struct document *d = &s->document;
    struct undo_step step = {.what = take_what,
                             .id = mem_strdup(id),
                             .isa = isa,
                             .before = choice_now(d, isa),
                             .group = group};

    for (size_t i = 0; i < d->machine_count; i++)
        if (strcmp(d->machines[i]->id, id) == 0)
            step.machine = machine_hold(d->machines[i]);
    return step;
}

void undo_note_result(struct session *s, const struct machine *m, const char *what, bool with_last)
{
    struct undo *u = &s->document.undo;
    struct str text = {0};
    enum isa isa;

    u->groups += with_last ? 0 : 1;
    if (!isa_parse(m->isa, &isa))
        return;
    str_addf(&text, "%s (%s)", what, m->id);
    undo_steps_done(&u->undone);
    undo_push(&u->done, arrival_step(s, m->id, isa, u->groups, str_take(&text)));
}

void undo_note_arrived(struct session *s, const char *id)
{
    const struct undo *u = &s->document.undo;
    struct undo_step *last =
        u->done.list.count ? &u->done.list.items[u->done.list.count - 1] : NULL;

    if (!last || !last->id || strcmp(last->id, id) != 0)
        return;
    vec_free_texts(&last->after.ids);
    last->after = choice_now(&s->document, last->isa);
}

/* Exchanges the step's machine with @now, the session's current machine of the same id. */
static void swap_machine(struct session *s, struct undo_step *step, struct machine *now)
{
    now = machine_hold(now);
    document_drop_analyses(&s->document);
    session_add_machine(s, step->machine);
    step->machine = now;
}

static void drop_machine(struct document *d, const char *id)
{
    for (size_t i = 0; i < d->machine_count; i++)
        if (strcmp(d->machines[i]->id, id) == 0) {
            document_retire(d, d->machines[i]);
            memmove(d->machines + i, d->machines + i + 1,
                    (--d->machine_count - i) * sizeof *d->machines);
            return;
        }
}

/* Removes @id from the selection. Returns false if the selection would then be empty. */
static bool deselect(struct session *s, enum isa isa, const char *id)
{
    const enum isa shown = s->document.isa;
    struct undo_choice left = choice_now(&s->document, isa);

    for (size_t i = left.ids.count; i-- > 0;)
        if (strcmp(left.ids.items[i], id) == 0) {
            free(left.ids.items[i]);
            memmove(left.ids.items + i, left.ids.items + i + 1,
                    (--left.ids.count - i) * sizeof *left.ids.items);
        }
    bool some = left.ids.count > 0;
    if (some)
        session_show(s, isa, (const char *const *)left.ids.items, left.ids.count);
    document_show_isa(&s->document, shown);
    vec_free_texts(&left.ids);
    return some;
}

/* Removes or restores the added machine. Restores the selection if the user has not changed it, or
 * if it would become empty. Otherwise only a removed machine is no longer selected. Afterwards,
 * @step is the opposite step. */
static void swap_arrival(struct session *s, struct undo_step *step)
{
    struct undo_step back =
        arrival_step(s, step->id, step->isa, step->group, mem_strdup(step->what));
    bool chosen = !same_choice(&back.before, &step->after);

    document_drop_analyses(&s->document);
    if (step->machine)
        session_add_machine(s, machine_hold(step->machine));
    else
        drop_machine(&s->document, step->id);
    if (!chosen || (!step->machine && !deselect(s, step->isa, step->id))) {
        session_show(s, step->isa, (const char *const *)step->before.ids.items,
                     step->before.ids.count);
        document_show_isa(&s->document, step->before.shown);
    }
    back.after = choice_now(&s->document, step->isa);
    undo_step_done(step);
    *step = back;
}

/* Exchanges step->now, a kernel of the shelf, for step->kernel. If step->now was dropped, adds
 * step->kernel in place of a kernel with the same origin. */
static void swap_kernel(struct session *s, struct undo_step *step)
{
    struct shelf *shelf = &s->document.shelf;
    const struct kernel *back = step->kernel;
    const size_t loop = step->loop;
    struct shelved before = {0};
    size_t at = 0;

    session_keep_loop(s);
    while (at < shelf->list.count && shelf->list.items[at].kernel != step->now)
        at++;
    if (at == shelf->list.count) {
        before = shelf_put(shelf, back, loop);
        at = shelf->at;
    } else {
        before = shelf->list.items[at];
        shelf->list.items[at] = (struct shelved){kernel_hold(back), loop};
    }
    if (before.kernel) {
        kernel_free(step->now);
        step->now = before.kernel;
        step->loop = before.loop;
    }
    step->kernel = step->now;
    step->now = back;
    session_use_shelved(s, at, loop);
    shelf->list.items[at].loop = loop;
}

/* Returns whether @step replaces a machine. Such a step is a group of its own. */
static bool replaces_machine(const struct undo_step *step)
{
    return step->machine && !step->id;
}

bool undo_run(struct session *s, bool again, struct result *result, struct err *err)
{
    struct undo *u = &s->document.undo;
    struct undo_steps *from = again ? &u->undone : &u->done, *to = again ? &u->done : &u->undone;
    struct str what = {0};
    struct machine *now = NULL;
    unsigned group = 0;
    size_t steps = 0;

    if (!from->list.count)
        return err_set(err, ERR_USAGE, NULL, again ? "nothing to redo" : "nothing to undo");
    const struct undo_step *first = &from->list.items[from->list.count - 1];
    if (replaces_machine(first) && !(now = session_machine(s, first->machine->id, err)))
        return false;
    do {
        struct undo_step *step = &from->list.items[from->list.count - 1];
        if (replaces_machine(step))
            swap_machine(s, step, now);
        else if (step->id)
            swap_arrival(s, step);
        else
            swap_kernel(s, step);
        str_addf(&what, "%s%s", steps++ ? ", " : "", step->what);
        group = step->group;
        undo_push(to, *step);
        from->list.count--;
    } while (group && from->list.count && from->list.items[from->list.count - 1].group == group);
    result_text(result, again ? "redone" : "undone", str_text(&what));
    shelf_tell_dropped(&s->document.shelf, &what);
    result_confirm(result, "%s: %s", again ? "redone" : "undone", str_text(&what));
    str_done(&what);
    return true;
}
