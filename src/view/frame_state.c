/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/frame_state.h"

void *frame_state(struct frame *f, size_t index)
{
    if (!f->states[index])
        f->states[index] = views[index]->open();
    return f->states[index];
}

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

void frame_show(struct frame *f, size_t to)
{
    if (!frame_is_page(f->current))
        f->before = f->current;
    if (views[to] == &help_view && to != f->current)
        help_view_set(frame_state(f, to), f->session, f->current);
    f->panes.focus = 0;
    if (to != f->current)
        f->panes = (struct panes){0};
    f->current = to;
}

size_t frame_focus(const struct frame *f)
{
    return f->panes.focus < f->panes.count ? f->panes.items[f->panes.focus].view : f->current;
}

void frame_position(struct frame *f, struct str *out)
{
    const size_t at = frame_focus(f);

    if (views[at]->status)
        views[at]->status(frame_state(f, at), f->session, out);
}
