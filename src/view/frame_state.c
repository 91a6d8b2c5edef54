/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/frame_state.h"

#include "cmd/function_list.h"

void frame_say(struct frame *f, bool failed, const char *text)
{
    str_clear(&f->message);
    str_add(&f->message, text);
    f->failed = failed;
}

bool frame_is_page(size_t index)
{
    return views[index] == &output_view || views[index] == &log_view || views[index] == &help_view;
}

void frame_go(struct frame *f, size_t to)
{
    unsigned place, pane, at;

    if (!frame_is_page(f->current))
        f->under = f->current;
    if (views[to] == &help_view && to != f->current)
        help_view_set(f->states[to], f->session, f->current);
    f->current = to;
    if (!place_of(views[to], &place, &pane, &at))
        return;
    f->under = to;
    f->place = place;
    f->places[place].focus = pane;
    f->places[place].shown[pane] = (unsigned char)at;
}

void frame_notice_loaded(struct frame *f, unsigned request)
{
    const struct document *d = &f->session->document;
    const struct loaded before = f->loaded,
                        now = {d->kernel ? d->kernel->serial : 0, d->loop,
                               d->functions ? d->functions->serial : 0};

    const struct view_ops *view =
        now.kernel && (now.kernel != before.kernel || now.loop != before.loop) ? &kernel_view
        : now.functions && now.functions != before.functions                   ? &functions_view
                                                                               : NULL;

    f->loaded = now;
    if (view && request >= f->fresh_request) {
        f->fresh = view;
        f->fresh_request = request;
    }
}

void frame_position(struct frame *f, struct str *out)
{
    if (views[f->current]->status)
        views[f->current]->status(f->states[f->current], f->session, out);
}
