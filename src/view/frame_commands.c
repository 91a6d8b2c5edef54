/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the commands for the frame and the focused view. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "view/frame.h"
#include "view/jumps.h"
#include "view/lab_log.h"
#include "work/job.h"

static bool find_in_view(struct frame *f, const char *text, struct err *err)
{
    const size_t at = f->current;
    const struct view_ops *v = views[at];
    int direction = strcmp(text, "--previous") == 0 ? -1 : 1;

    if (!v->find)
        return err_set(err, ERR_USAGE, "select a pane with rows (Tab)",
                       "the %s view cannot be searched", v->name);
    if (strcmp(text, "--next") != 0 && strcmp(text, "--previous") != 0)
        snprintf(f->search, sizeof f->search, "%s", text);
    if (!v->find(f->states[at], f->session, f->search, direction) && f->search[0])
        return err_set(err, ERR_USAGE, NULL, "\"%s\" is not in this view", f->search);
    return true;
}

static void command_ran(struct session *s, const char *name)
{
    struct frame *f = s->view_state;

    frame_notice_loaded(f, job_next());
    guide_notice(&f->guide, f->session, views[f->current]->name, 0, name);
}

static bool view_rows(struct session *s, struct rows_shown *out)
{
    struct frame *f = s->view_state;
    const size_t at = f->current;

    return views[at]->rows && views[at]->rows(f->states[at], s, out);
}

static bool choose_view(struct frame *f, size_t to)
{
    frame_show(f, to);
    f->chosen = f->session->out ? ftell(f->session->out) : -1;
    return true;
}

bool frame_stop_waiting(struct frame *f)
{
    struct session *s = f->session;

    if (!s->queue.job)
        return false;
    bool rest = s->queue.count > 0;
    if (s->queue.own)
        job_cancel(s->queue.job);
    frame_say(f, false,
              s->queue.own ? "cancelled"
              : rest       ? "waiting commands were cancelled; jobs continue"
                           : "no longer waiting; jobs continue");
    queue_drop(&s->queue);
    return true;
}

/* Queues @command after the queued commands. */
static void later(struct frame *f, const char *command)
{
    str_addf(&f->next, "%s%s", f->next.length ? "; " : "", command);
}

static void open_prompt(struct frame *f, const char *text, const char *behind)
{
    str_clear(&f->prefill);
    str_addf(&f->prefill, "%s%s%s", text,
             *text && text[strlen(text) - 1] != ' ' && text[strlen(text) - 1] != '=' ? " " : "",
             behind);
    f->reply = FRAME_PROMPT;
}

/* Stops the chart, check or hunt that LAB shows, or the inference. */
static void stop_run(struct frame *f)
{
    struct job_info info;
    char command[40] = "evolve stop";

    for (size_t i = 0; lab_log_runs(f->session) && job_get(i, &info); i++)
        if (info.state == JOB_RUNNING && (strcmp(info.title, "machine chart") == 0 ||
                                          strcmp(info.title, "machine check") == 0 ||
                                          strcmp(info.title, "machine hunt") == 0))
            snprintf(command, sizeof command, "job cancel %u", info.number);
    later(f, command);
}

/* Performs an action that no view uses. Returns false if the frame does not use it. */
static bool act(struct frame *f, enum action action)
{
    switch (action) {
    case ACTION_BACK: case ACTION_RETURN:
        if (frame_is_page(f->current))
            frame_go(f, f->under);
        else if (!jumps_back(f) && action == ACTION_BACK)
            later(f, "quit");
        return true;
    case ACTION_GENERATE:
        later(f, f->session->document.form_pattern_count || f->session->document.experiments
                     ? "experiments generate; view experiments"
                     : "forms select --top 40; experiments generate; view experiments");
        return true;
    case ACTION_NEXT_MACHINE: view_next_machine(f->session, 1); return true;
    case ACTION_PREVIOUS_MACHINE: view_next_machine(f->session, -1); return true;
    case ACTION_STOP: stop_run(f); return true;
    case ACTION_ZOOM: f->session->settings.panes = !f->session->settings.panes; return true;
    case ACTION_CANCEL:   /* Closes an overlay first. */
        if (frame_is_page(f->current)) {
            frame_go(f, f->under);
            return true;
        }
        if (f->session->profiling) {
            later(f, "program stop");
            return true;
        }
        frame_stop_waiting(f);
        f->search[0] = '\0';
        return true;
    case ACTION_REDRAW: f->reply = FRAME_REDRAW; return true;
    case ACTION_SUSPEND: f->reply = FRAME_SUSPEND; return true;
    default: return false;
    }
}

bool frame_act(struct frame *f, enum action action)
{
    const size_t at = f->current;
    /* A view treats the Enter key's return action like going back. */
    const enum action own = action == ACTION_RETURN ? ACTION_BACK : action;
    struct str command = {0};

    if (!views[at]->act || !views[at]->act(f->states[at], f->session, own, &command)) {
        str_done(&command);
        return act(f, action);
    }
    if (str_text(&command)[0] == ':')
        open_prompt(f, str_text(&command) + 1, "");
    else if (command.length)
        later(f, str_text(&command));
    str_done(&command);
    return true;
}

/* Opens the prompt with @text (may be NULL) for the user to complete. If @text is "filter", also
 * inserts the view's current filter. */
static void prompt_with(struct frame *f, const char *text)
{
    const size_t at = f->current;
    bool filter = text && strcmp(text, "filter") == 0 && views[at]->filtered;

    open_prompt(f, text ? text : "", !text ? "" : filter ? views[at]->filtered(f->states[at]) : "");
}

/* Focuses the next or previous pane of the place, or the pane of view @name. Returns false with err
 * if there is no such view, or if the place has no pane for it. */
static bool turn_pane(struct frame *f, const char *name, struct err *err)
{
    const struct place_table *p = &places[f->place];
    struct place_state *state = &f->places[f->place];
    const unsigned count = place_panes(p);
    const int step = strcmp(name, VIEW_NEXT) == 0       ? 1
                     : strcmp(name, VIEW_PREVIOUS) == 0 ? (int)count - 1
                                                        : 0;
    const size_t to =
        step ? view_index(place_view(p, state, (state->focus + (unsigned)step) % count))
             : view_find(name);
    unsigned place, pane, at;

    if (to == view_count())
        return view_refuse(name, err);
    if (!place_of(views[to], &place, &pane, &at) || place != f->place)
        return err_set(err, ERR_USAGE, "view lists the panes", "%s has no pane \"%s\"", p->name,
                       name);
    frame_go(f, to);
    return true;
}

static bool view_command(struct session *s, const char *verb, const char *argument,
                         struct result *result, struct err *err)
{
    struct frame *f = s->view_state;
    const size_t at = f->current, count = view_count();
    const struct view_ops *v = views[at];

    if (f->reply == FRAME_PROMPT && (strcmp(verb, "do") == 0 || strcmp(verb, "prompt") == 0))
        return err_set(err, ERR_USAGE,
                       "a command that opens the prompt must be the last command of its line",
                       "the prompt is already open for \"%s\"", str_text(&f->prefill));
    if (strcmp(verb, "find") == 0)
        return find_in_view(f, argument, err);
    if (strcmp(verb, "do") == 0)
        return frame_act(f, action_find(argument)) ||
               err_set(err, ERR_USAGE, "keys lists the effects of the action",
                       "the %s view has no action %s now", v->name, argument);
    if (strcmp(verb, "jump") == 0)
        return jumps_go(f, argument, err);
    if (strcmp(verb, "copy") == 0)
        return v->copy ? v->copy(f->states[at], s,
                                 strcmp(argument, "names") == 0   ? COPIED_NAMES
                                 : strcmp(argument, "table") == 0 ? COPIED_TABLE
                                                                  : COPIED_ROWS,
                                 &s->copied, err)
                       : err_set(err, ERR_USAGE, "copy kernel copies the loop's text",
                                 "the %s view has no rows to copy", v->name);
    if (strcmp(verb, "prompt") == 0) {
        prompt_with(f, argument);
        return true;
    }
    if (strcmp(verb, "tutorial") == 0)
        return guide_teach(&f->guide, s, strtoul(argument, NULL, 10), err) &&
               choose_view(f, view_find("kernel"));
    if (strcmp(verb, "demo") == 0) {
        demo_start(&f->demo, s, strtod(argument, NULL));
        return true;
    }
    if (strcmp(verb, "sort") == 0 || strcmp(verb, "filter") == 0) {
        bool (*change)(void *, struct session *, const char *, struct err *) =
            verb[0] == 's' ? v->sort : v->filter;
        if (!change)
            return err_set(err, ERR_USAGE, "select a pane with a table (Tab)",
                           "the %s view cannot %s", v->name, verb);
        return change(f->states[at], s, argument, err);
    }
    if (strcmp(verb, "pane") == 0)
        return turn_pane(f, argument, err);
    if (place_find(argument) < PLACE_COUNT) {
        frame_show_place(f, place_find(argument));
        f->chosen = s->out ? ftell(s->out) : -1;
        return true;
    }
    const int step = strcmp(argument, VIEW_NEXT) == 0       ? 1
                     : strcmp(argument, VIEW_PREVIOUS) == 0 ? PLACE_COUNT - 1
                                                            : 0;
    if (step) {
        frame_show_place(f, (f->place + (unsigned)step) % PLACE_COUNT);
        return true;
    }
    const size_t to = view_find(argument);
    if (to >= count)
        return view_refuse(argument, err);
    return choose_view(f, to);
}

static void command_words(struct session *s, const char *verb,
                          void (*add)(void *to, const char *word), void *to)
{
    struct frame *f = s->view_state;
    const size_t at = f->current;
    const struct view_ops *v = views[at];
    struct table_source source;

    if (strcmp(verb, "view") == 0 || strcmp(verb, "pane") == 0) {
        view_words(add, to);
        for (unsigned i = 0; i < PLACE_COUNT && verb[0] == 'v'; i++)
            add(to, places[i].name);
        return;
    }
    if (!v->source || !v->source(f->states[at], s, &source))
        return;
    int count = strcmp(verb, "filter") == 0 && source.filter_count ? source.filter_count
                                                                   : source.column_count;
    for (int c = 0; c < count; c++)
        add(to, source.columns[c].name);
}

const struct session_views frame_views = {view_command, command_words, view_rows, command_ran};
