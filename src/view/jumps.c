/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/jumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/lab_log.h"
#include "view/lab_steps.h"

static void place_done(struct jump_place *p)
{
    free(p->mark);
    free(p->filter);
}

static void places_done(struct jump_places *p)
{
    for (size_t i = 0; i < p->list.count; i++)
        place_done(&p->list.items[i]);
    vec_done(&p->list);
}

void jumps_done(struct jumps *j)
{
    places_done(&j->back);
    places_done(&j->forward);
}

static struct jump_place place_now(struct frame *f)
{
    const size_t at = frame_is_page(f->current) ? f->under : f->current;
    const struct view_ops *v = views[at];
    struct jump_place p = {.view = at};
    struct str mark = {0};

    if (v->mark && v->mark(f->states[at], f->session, &mark))
        p.mark = mem_strdup(str_text(&mark));
    if (v->filtered)
        p.filter = mem_strdup(v->filtered(f->states[at]));
    str_done(&mark);
    return p;
}

static void push(struct jump_places *to, struct jump_place place)
{
    vec_push(&to->list, place);
    if (to->list.count > JUMPS_MOST) {
        place_done(&to->list.items[0]);
        memmove(to->list.items, to->list.items + 1, --to->list.count * sizeof *to->list.items);
    }
}

/* Records the current view (below an overlay) before another view is shown. Discards the views to
 * which `jump forward` would lead. */
static void leave(struct frame *f)
{
    places_done(&f->jumps.forward);
    push(&f->jumps.back, place_now(f));
}

/* Shows the last view of @from with its filter and selection, and records the current view in @to.
 * Returns false with err if @from is empty. */
static bool turn(struct frame *f, struct jump_places *from, struct jump_places *to,
                 const char *none, struct err *err)
{
    struct err ignored = {0};

    if (!from->list.count)
        return err_set(err, ERR_USAGE, NULL, "%s", none);
    struct jump_place p = from->list.items[--from->list.count];
    push(to, place_now(f));
    frame_go(f, p.view);
    const struct view_ops *v = views[p.view];
    void *state = f->states[p.view];
    if (p.filter && strcmp(v->filtered(state), p.filter) != 0)
        v->filter(state, f->session, p.filter, &ignored);
    if (p.mark)
        v->recall(state, f->session, p.mark);
    place_done(&p);
    return true;
}

bool jumps_back(struct frame *f)
{
    struct err ignored = {0};

    return turn(f, &f->jumps.back, &f->jumps.forward, "", &ignored);
}

/* Goes back to the last recorded view of place @place. Returns false if there is none. */
static bool unwind(struct frame *f, unsigned place)
{
    size_t count = f->jumps.back.list.count;
    unsigned of, pane, at;

    while (count && !(place_of(views[f->jumps.back.list.items[count - 1].view], &of, &pane, &at) &&
                      of == place))
        count--;
    for (size_t steps = count ? f->jumps.back.list.count - count + 1 : 0; steps; steps--)
        jumps_back(f);
    return count > 0;
}

void frame_show(struct frame *f, size_t to)
{
    if (to != (frame_is_page(f->current) ? f->under : f->current) && !frame_is_page(to))
        leave(f);
    frame_go(f, to);
}

static size_t focus_of(const struct frame *f, unsigned place)
{
    return view_index(place_view(&places[place], &f->places[place], f->places[place].focus));
}

void frame_show_place(struct frame *f, unsigned to)
{
    if (to == f->place && !frame_is_page(f->current))
        return;
    if (to == f->place)
        frame_go(f, f->under);
    else if (!unwind(f, to))
        frame_show(f, focus_of(f, to));
}

/* Selects @form in view @to. Removes a filter that hides it. Returns false if the view does not
 * have it. */
static bool recall_form(struct frame *f, size_t to, const char *form)
{
    const struct view_ops *v = views[to];
    void *state = f->states[to];
    struct err ignored = {0};

    return v->recall(state, f->session, form) ||
           (v->filtered && *v->filtered(state) && v->filter(state, f->session, "", &ignored) &&
            v->recall(state, f->session, form));
}

static bool measured_with(const struct experiments *e, const char *form)
{
    for (size_t i = 0; e && i < e->forms.count; i++)
        if (strcmp(e->forms.items[i], form) == 0)
            return true;
    return false;
}

/* Makes view @to show @form. Returns false with err if the view does not have it. */
static bool show_form(struct frame *f, size_t to, const char *form, struct err *err)
{
    if (views[to] != &experiments_view)
        return recall_form(f, to, form) ||
               err_set(err, ERR_USAGE, NULL, "%s is not in the %s view", form, views[to]->name);
    struct str filter = {0};
    str_addf(&filter, "form~\"%s\"", form);
    bool ok = measured_with(f->session->document.experiments, form)
                  ? views[to]->filter(f->states[to], f->session, str_text(&filter), err)
                  : err_set(err, ERR_USAGE, "experiments generate adds experiments",
                            "no experiment has %s", form);
    str_done(&filter);
    return ok;
}

/* Switches between the inferred mapping and the machine's tables, at the same form. Does not move
 * the focus if neither view is in the focused pane. */
static bool swap_mappings(struct frame *f, struct err *err)
{
    struct place_state *lab = &f->places[PLACE_lab];
    const size_t to = view_index(
        place_view(&places[PLACE_lab], lab, 0) == &matrix_view ? &mapping_view : &matrix_view);
    const struct view_ops *v = views[f->current];
    struct str form = {0};
    unsigned place, pane, at;

    if (!f->session->document.run_count && !lab_log_charts(f->session) && views[to] == &matrix_view)
        return err_set(err, ERR_USAGE, "use evolve start", "no mapping has been inferred yet");
    if (v->form_at)
        v->form_at(f->states[f->current], f->session, &form);
    place_of(views[to], &place, &pane, &at);
    if (f->place == PLACE_lab && f->panes.count > 1 && lab->focus != pane)
        lab->shown[pane] = (unsigned char)at;
    else
        frame_show(f, to);
    if (form.length)
        recall_form(f, to, str_text(&form));
    str_done(&form);
    return true;
}

bool jumps_go(struct frame *f, const char *where, struct err *err)
{
    struct jumps *j = &f->jumps;
    const struct view_ops *v = views[f->current];
    struct str form = {0};

    if (strcmp(where, "back") == 0)
        return turn(f, &j->back, &j->forward, "no earlier place", err);
    if (strcmp(where, "forward") == 0)
        return turn(f, &j->forward, &j->back, "no later place", err);
    if (strcmp(where, "swap") == 0)
        return swap_mappings(f, err);
    const size_t to = view_find(*where ? where : v == &mapping_view ? "experiments" : "mapping");
    bool ok = (v->form_at && v->form_at(f->states[f->current], f->session, &form)) ||
              err_set(err, ERR_USAGE, "select a row or line with a form",
                      "no form is selected in the %s view", v->name);
    struct jump_place from = place_now(f);
    ok = ok && show_form(f, to, str_text(&form), err);
    if (ok) {
        places_done(&j->forward);
        push(&j->back, from);
        frame_go(f, to);
    } else {
        place_done(&from);
    }
    str_done(&form);
    return ok;
}
