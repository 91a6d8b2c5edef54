/* What the frame is: which view is shown, what is said, what the prompt and the editor hold. Its parts share it. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_FRAME_STATE_H
#define PORTOLAN_VIEW_FRAME_STATE_H

#include "base/vec.h"
#include "cmd/key.h"
#include "view/demo.h"
#include "view/editing.h"
#include "view/editor.h"
#include "view/guide.h"
#include "view/jumps.h"
#include "view/panes.h"
#include "view/view.h"

#define FRAME_VIEWS 24

enum frame_reply { FRAME_DONE, FRAME_PROMPT, FRAME_SUSPEND, FRAME_REDRAW };

struct frame {
    struct session *session;
    void *states[FRAME_VIEWS];   /* of views[], opened when first shown */
    size_t current, before;      /* before: the view that output, log and help give way to */
    struct jumps jumps;          /* places to go back to */
    struct panes panes;          /* as they were drawn last */
    long chosen;                 /* by `view` in the running line, after so many bytes of output; -1: none */
    struct str message;          /* bottom line until the next key */
    bool failed;                 /* the message is an error */
    char search[128];
    struct str prefill;          /* what a view puts into the prompt */
    enum frame_reply reply;      /* what the running command asks of who reads the keys */
    struct str next;             /* the commands that actions lead to */
    bool collecting;             /* `kernel paste` takes what is typed */
    bool views_drawn;            /* the last drawing was of views: not of the editor, nor of a screen too small for them */
    struct editor editor;        /* of it */
    struct str refusal;          /* why that text was refused; empty: it has not been tried */
    struct editing editing;      /* the kernel in the user's own editor */
    struct guide guide;          /* the rows above the status line for who is new */
    struct demo demo;
    VEC(unsigned) running;       /* jobs whose end is to be told */
    char ended[80];              /* title of the job that ended last */
    unsigned last_job;           /* the newest that was put there */
};

/* What the prompt shows; NULL text: it is closed. */
struct frame_prompt {
    const char *text;
    int cursor;                  /* column in the text */
    char *const *matches;        /* completions in a popup */
    size_t match_count;
};

/* The state of view @index, opened if need be. */
void *frame_state(struct frame *f, size_t index);
/* Output, log and help are looked at and left again. */
bool frame_is_page(size_t index);
/* View @to becomes the current one. */
void frame_show(struct frame *f, size_t to);
/* Says @text on the bottom line. */
void frame_say(struct frame *f, bool failed, const char *text);
/* The view that keys go to: the current one, or one in a pane beside it. */
size_t frame_focus(const struct frame *f);
/* Appends what it says of its position. */
void frame_position(struct frame *f, struct str *out);

#endif
