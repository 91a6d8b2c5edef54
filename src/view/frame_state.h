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

#define FRAME_VIEWS 32

enum frame_reply { FRAME_DONE, FRAME_PROMPT, FRAME_SUSPEND, FRAME_REDRAW };

struct frame {
    struct session *session;
    void *states[FRAME_VIEWS];   /* of views[], opened with the frame: drawing makes none */
    size_t current, under;       /* the view that keys go to; under: of the place's panes, the one that an overlay (output, log, help) gives way to */
    unsigned place;              /* that is shown */
    struct place_state places[PLACE_COUNT];
    struct jumps jumps;          /* where one was, to go back to */
    struct panes panes;          /* as they were drawn last */
    int panes_y;                 /* row of the screen that they begin on */
    long chosen;                 /* by `view` in the running line, after so many bytes of output; -1: none */
    struct str message;          /* bottom line until the next key */
    bool failed;                 /* the message is an error */
    char search[128];
    struct str prefill;          /* what a view puts into the prompt */
    enum frame_reply reply;      /* what the running command asks of who reads the keys */
    struct str next;             /* the commands that actions lead to */
    bool collecting;             /* `kernel paste` takes what is typed */
    bool offered;                /* what it begins with came unasked: it may be no loop at all */
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

/* Whether view @index is an overlay: output, log and help lie over the place. */
bool frame_is_page(size_t index);
/* Shows view @to in its pane, or over the place; the one that was shown before is one to go back to. */
void frame_show(struct frame *f, size_t to);
/* The same without that: back to where one was, and along the panes of a place. */
void frame_go(struct frame *f, size_t to);
/* Shows place @to with the pane that had the focus there last: back to it, where one came from it. */
void frame_show_place(struct frame *f, unsigned to);
/* Says @text on the bottom line. */
void frame_say(struct frame *f, bool failed, const char *text);
/* Appends what it says of its position. */
void frame_position(struct frame *f, struct str *out);

#endif
