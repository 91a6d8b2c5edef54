/* State of the frame: the shown view, messages, prompt and editor. Its parts share it. No curses.
 * UI thread. */
#ifndef PORTOLAN_VIEW_FRAME_STATE_H
#define PORTOLAN_VIEW_FRAME_STATE_H

#include "base/vec.h"
#include "cmd/key.h"
#include "view/demo.h"
#include "view/editing.h"
#include "view/editor.h"
#include "view/guide.h"
#include "view/panes.h"
#include "view/view.h"

#define FRAME_VIEWS 32

enum frame_reply { FRAME_DONE, FRAME_PROMPT, FRAME_SUSPEND, FRAME_REDRAW };

struct jump_place {
    size_t view;
    char *mark;     /* of its cursor (view_ops.mark); NULL: it has none */
    char *filter;   /* that its rows were under; NULL: it has none */
};
struct jump_places { VEC(struct jump_place) list; };
/* Where one was: one stack of the views that others took the place of, with their cursors, to go
 * back to and forward again. Zero-initialised is empty and valid. */
struct jumps {
    struct jump_places back, forward;   /* newest last */
};

struct frame {
    struct session *session;
    void *states[FRAME_VIEWS];   /* of views[], opened with the frame: drawing makes none */
    /* the view that gets keys; under: of the place's panes, the one below an overlay (output, log,
     * help) */
    size_t current, under;
    unsigned place;              /* that is shown */
    struct place_state places[PLACE_COUNT];
    struct jumps jumps;          /* where one was, to go back to */
    struct panes panes;          /* as they were drawn last */
    int panes_y;                 /* row of the screen that they begin on */
    /* by `view` in the running line, after this many bytes of output; -1: none */
    long chosen;
    struct str message;          /* bottom line until the next key */
    bool failed;                 /* the message is an error */
    char search[128];
    struct str prefill;          /* what a view puts into the prompt */
    enum frame_reply reply;      /* request of the running command to the reader of keys */
    struct str next;             /* the commands that actions lead to */
    bool collecting;             /* `kernel paste` takes what is typed */
    bool offered;                /* what it begins with came unasked: it may be no loop at all */
    /* the last drawing was of views: not of the editor, nor of a screen too small for them */
    bool views_drawn;
    struct editor editor;        /* of it */
    struct str refusal;          /* why that text was refused; empty: it has not been tried */
    struct editing editing;      /* the kernel in the user's own editor */
    struct guide guide;          /* the rows above the status line for who is new */
    struct demo demo;
    VEC(unsigned) running;       /* jobs whose end is to be reported */
    char ended[80];              /* title of the job that ended last */
    unsigned last_job;           /* the newest that was put there */
};

/* frame_commands.c: requests of commands, which is session.views, with the frame as view_state. */
extern const struct session_views frame_views;

/* Text of the prompt; NULL: it is closed. */
struct frame_prompt {
    const char *text;
    int cursor;                  /* column in the text */
    char *const *matches;        /* completions in a popup */
    size_t match_count;
};

/* Whether view @index is an overlay: output, log and help lie over the place. */
bool frame_is_page(size_t index);
/* Shows view @to in its pane, or over the place. It leaves nothing to go back to: see frame_show
 * (view/jumps.h). */
void frame_go(struct frame *f, size_t to);
/* Says @text on the bottom line. */
void frame_say(struct frame *f, bool failed, const char *text);
/* Appends what it says of its position. */
void frame_position(struct frame *f, struct str *out);

#endif
