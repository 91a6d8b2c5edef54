/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "cmd/session.h"
#include "table/result.h"

#define EDITED ", edited"

static void step_done(struct undo_step *step)
{
    free(step->what);
    machine_free(step->machine);
    kernel_free(step->kernel);
    kernel_free(step->now);
    free(step->id);
    for (size_t i = 0; i < step->selected.count; i++)
        free(step->selected.items[i]);
    vec_done(&step->selected);
}

static void steps_done(struct undo_steps *steps)
{
    for (size_t i = 0; i < steps->list.count; i++)
        step_done(&steps->list.items[i]);
    vec_done(&steps->list);
}

void undo_done(struct undo *u)
{
    steps_done(&u->done);
    steps_done(&u->undone);
}

static void drop_oldest(struct undo_steps *steps)
{
    step_done(&steps->list.items[0]);
    memmove(steps->list.items, steps->list.items + 1, --steps->list.count * sizeof *steps->list.items);
}

static size_t forms_held(const struct undo_steps *steps)
{
    size_t forms = 0;

    for (size_t i = 0; i < steps->list.count; i++)
        forms += steps->list.items[i].machine ? mapping_count(steps->list.items[i].machine->mapping) : 0;
    return forms;
}

static void push(struct undo_steps *steps, struct undo_step step)
{
    vec_push(&steps->list, step);
    while (steps->list.count > UNDO_MOST || (steps->list.count > 1 && forms_held(steps) > UNDO_FORMS))
        drop_oldest(steps);
}

void undo_note_machine(struct undo *u, struct machine *m, const char *what)
{
    steps_done(&u->undone);
    push(&u->done, (struct undo_step){.what = mem_strdup(what), .machine = machine_hold(m)});
}

/* What @s has of the machine named @id and has selected, as a step that leads back to it. Takes @take_what. */
static struct undo_step arrival_step(const struct session *s, const char *id, enum isa isa, char *take_what)
{
    const struct document *d = &s->document;
    struct undo_step step = {.what = take_what, .id = mem_strdup(id), .isa = isa, .shown = d->isa};

    for (size_t i = 0; i < d->machine_count; i++)
        if (strcmp(d->machines[i]->id, id) == 0)
            step.machine = machine_hold(d->machines[i]);
    for (size_t i = 0; i < d->kept[isa].count; i++)
        vec_push(&step.selected, mem_strdup(d->kept[isa].ids[i]));
    return step;
}

void undo_note_arrival(struct session *s, const struct machine *m, const char *what)
{
    struct str text = {0};
    enum isa isa;

    if (!isa_parse(m->isa, &isa))
        return;
    str_addf(&text, "%s (%s)", what, m->id);
    steps_done(&s->document.undo.undone);
    push(&s->document.undo.done, arrival_step(s, m->id, isa, str_take(&text)));
}

void undo_note_kernel(struct undo *u, const struct kernel *before, size_t loop, const struct kernel *now)
{
    struct str what = {0};

    str_addf(&what, "edit of %s", path_base(before->name));
    steps_done(&u->undone);
    push(&u->done, (struct undo_step){.what = str_take(&what), .kernel = kernel_hold(before), .now = kernel_hold(now), .loop = loop});
}

void undo_mark_edited(struct machine *m)
{
    const size_t length = strlen(m->title), mark = strlen(EDITED);
    struct str title = {0};

    if (length >= mark && strcmp(m->title + length - mark, EDITED) == 0)
        return;
    str_addf(&title, "%s%s", m->title, EDITED);
    free(m->title);
    m->title = str_take(&title);
}

/* Puts the step's machine in the place of the one that is there, which the step then holds. */
static bool swap_machine(struct session *s, struct undo_step *step, struct err *err)
{
    struct machine *now = session_machine(s, step->machine->id, err);

    if (!now)
        return false;
    now = machine_hold(now);
    document_drop_analyses(&s->document);
    session_add_machine(s, step->machine);
    step->machine = now;
    return true;
}

static void drop_machine(struct document *d, const char *id)
{
    for (size_t i = 0; i < d->machine_count; i++)
        if (strcmp(d->machines[i]->id, id) == 0) {
            document_retire(d, d->machines[i]);
            memmove(d->machines + i, d->machines + i + 1, (--d->machine_count - i) * sizeof *d->machines);
            return;
        }
}

/* The machine that came goes, or comes again, and with it what is selected. */
static void swap_arrival(struct session *s, struct undo_step *step)
{
    struct undo_step back = arrival_step(s, step->id, step->isa, mem_strdup(step->what));

    document_drop_analyses(&s->document);
    if (step->machine)
        session_add_machine(s, machine_hold(step->machine));
    else
        drop_machine(&s->document, step->id);
    session_show(s, step->isa, (const char *const *)step->selected.items, step->selected.count);
    document_show_isa(&s->document, step->shown);
    step_done(step);
    *step = back;
}

/* The same for a kernel of the list; one that has left the list is put there anew. */
static void swap_kernel(struct session *s, struct undo_step *step)
{
    struct shelf *shelf = &s->document.shelf;
    const struct kernel *back = step->kernel;
    size_t at = 0, loop = step->loop;

    while (at < shelf->list.count && shelf->list.items[at].kernel != step->now)
        at++;
    step->kernel = step->now;
    step->now = back;
    if (at == shelf->list.count) {
        session_set_kernel(s, kernel_hold(back), loop);
        return;
    }
    step->loop = at == shelf->at ? s->document.loop : shelf->list.items[at].loop;
    kernel_free(shelf->list.items[at].kernel);
    shelf->list.items[at] = (struct shelved){kernel_hold(back), loop};
    session_use_shelved(s, at, loop);
    shelf->list.items[at].loop = loop;
}

bool undo_run(struct session *s, bool again, struct result *result, struct err *err)
{
    struct undo *u = &s->document.undo;
    struct undo_steps *from = again ? &u->undone : &u->done, *to = again ? &u->done : &u->undone;

    if (!from->list.count)
        return err_set(err, ERR_USAGE, NULL, again ? "nothing was undone" : "nothing to undo");
    struct undo_step *step = &from->list.items[from->list.count - 1];
    if (step->id)
        swap_arrival(s, step);
    else if (!step->machine)
        swap_kernel(s, step);
    else if (!swap_machine(s, step, err))
        return false;
    result_confirm(result, "%s: %s", again ? "redone" : "undone", step->what);
    result_text(result, again ? "redone" : "undone", step->what);
    push(to, *step);
    from->list.count--;
    return true;
}
