/* State of the frame, shared by its parts: shown views, messages, prompt and editor. No curses. UI
 * thread. */
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
    char *mark;     /* its cursor (view_ops.mark); NULL: none */
    char *filter;   /* its filter; NULL: none */
};
struct jump_places { VEC(struct jump_place) list; };
/* Stacks of previous views with their cursors, for going back and forward. Zero-initialised is
 * empty and valid. */
struct jumps {
    struct jump_places back, forward;   /* newest last */
};

struct frame {
    struct session *session;
    void *states[FRAME_VIEWS];   /* of views[], opened with the frame, not by drawing */
    /* the focused view; under: the pane's view below an overlay (output, log, help) */
    size_t current, under;
    unsigned place;              /* that is shown */
    struct place_state places[PLACE_COUNT];
    struct jumps jumps;          /* previous views */
    struct panes panes;          /* of the last drawing */
    int panes_y;                 /* first screen row of the panes */
    /* requested by `view` in the running line, after this many bytes of output; -1: none */
    long chosen;
    struct str message;          /* bottom line, until the next key */
    bool failed;                 /* the message is an error */
    char search[128];
    struct str prefill;          /* text that a view puts into the prompt */
    enum frame_reply reply;      /* request of the running command */
    struct str next;             /* commands caused by actions */
    bool collecting;             /* `kernel paste` collects typed text */
    bool offered;                /* the text was pasted unasked, and may not be a loop */
    /* the last drawing showed views, not an editor or a screen that is too small */
    bool views_drawn;
    struct editor editor;        /* for @collecting */
    struct str refusal;          /* why its text was refused; empty: not tried yet */
    struct editing editing;      /* kernel in the user's own editor */
    struct guide guide;          /* rows above the status line for new users */
    struct demo demo;
    VEC(unsigned) running;       /* jobs whose end must be reported */
    char ended[80];              /* title of the last ended job */
    unsigned last_job;           /* number of the newest one recorded */
};

/* frame_commands.c: handles commands as session.views, with the frame as view_state. */
extern const struct session_views frame_views;

/* Text of the prompt; NULL: closed. */
struct frame_prompt {
    const char *text;
    int cursor;                  /* column in the text */
    char *const *matches;        /* completions in a popup */
    size_t match_count;
};

/* Returns whether view @index is an overlay: output, log or help. */
bool frame_is_page(size_t index);
/* Shows view @to in its pane or as overlay, without recording the previous one: see frame_show
 * (view/jumps.h). */
void frame_go(struct frame *f, size_t to);
/* Shows @text on the bottom line. */
void frame_say(struct frame *f, bool failed, const char *text);
/* Appends the view's description of its position. */
void frame_position(struct frame *f, struct str *out);

#endif
