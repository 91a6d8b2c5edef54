/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/guided.h"

#include "cmd/key.h"

void guided_notice(struct frame *f, int key, const char *command)
{
    guide_notice(&f->guide, f->session, views[f->current]->name, key, command);
}

bool guided_key(struct frame *f, int key)
{
    const char *command;

    if (f->demo.on) {
        demo_stop(&f->demo, f->session);
        return true;
    }
    if (key == KEYCODE_ESCAPE && frame_is_page(f->current))   /* it closes what lies over the place */
        return false;
    if (!guide_key(&f->guide, f->session, views[f->current]->name, key, &command))
        return false;
    if (command)
        frame_run(f, command);
    return true;
}

bool guided_play(struct frame *f)
{
    const char *command = demo_next(&f->demo, f->session, &f->guide);

    if (command)
        frame_run(f, command);
    return f->demo.on;
}
