/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define EDITED ", edited"

void undo_step_done(struct undo_step *step)
{
    free(step->what);
    machine_free(step->machine);
    kernel_free(step->kernel);
    kernel_free(step->now);
    free(step->id);
    vec_free_texts(&step->before.ids);
    vec_free_texts(&step->after.ids);
}

void undo_steps_done(struct undo_steps *steps)
{
    for (size_t i = 0; i < steps->list.count; i++)
        undo_step_done(&steps->list.items[i]);
    vec_done(&steps->list);
}

void undo_done(struct undo *u)
{
    undo_steps_done(&u->done);
    undo_steps_done(&u->undone);
}

static void drop_oldest(struct undo_steps *steps)
{
    undo_step_done(&steps->list.items[0]);
    memmove(steps->list.items, steps->list.items + 1,
            --steps->list.count * sizeof *steps->list.items);
}

static size_t forms_held(const struct undo_steps *steps)
{
    size_t forms = 0;

    for (size_t i = 0; i < steps->list.count; i++)
        forms +=
            steps->list.items[i].machine ? mapping_count(steps->list.items[i].machine->mapping) : 0;
    return forms;
}

void undo_push(struct undo_steps *steps, struct undo_step step)
{
    vec_push(&steps->list, step);
    while (steps->list.count > UNDO_MOST ||
           (steps->list.count > 1 && forms_held(steps) > UNDO_FORMS))
        drop_oldest(steps);
}

void undo_note_machine(struct undo *u, struct machine *m, const char *what)
{
    undo_steps_done(&u->undone);
    undo_push(&u->done, (struct undo_step){.what = mem_strdup(what), .machine = machine_hold(m)});
}

void undo_note_kernel(struct undo *u, const struct kernel *before, size_t loop,
                      const struct kernel *now)
{
    struct str what = {0};

    str_addf(&what, "edit of %s", path_base(before->name));
    undo_steps_done(&u->undone);
    undo_push(&u->done, (struct undo_step){.what = str_take(&what),
                                      .kernel = kernel_hold(before),
                                      .now = kernel_hold(now),
                                      .loop = loop});
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
