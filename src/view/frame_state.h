/* State of the frame, shared by its source files: displayed views, messages, prompt and editor. No
 * curses. UI thread. */
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
    char *mark;     /* the view's cursor (view_ops.mark); NULL: none */
    char *filter;   /* the view's filter; NULL: none */
};
struct jump_places { VEC(struct jump_place) list; };
/* Stacks of earlier views with their cursors, for going back and forward */
struct jumps {
    struct jump_places back, forward;   /* newest view last */
};

/* Identity of the loaded kernel, loop and functions. It changes when a command or job loads one of
 * them. */
struct loaded {
    uint64_t kernel;          /* serial number of the kernel; 0: none */
    size_t loop;
    unsigned long functions;  /* serial number of the list of functions; 0: none */
};

struct frame {
    struct session *session;
    void *states[FRAME_VIEWS];   /* states of views[]; frame_init opens them */
    /* @current: index of the focused view. @under: index of the view in the pane below an overlay
     * (output, log, help). */
    size_t current, under;
    unsigned place;              /* index of the displayed place */
    struct place_state places[PLACE_COUNT];
    struct jumps jumps;          /* earlier views */
    struct panes panes;          /* panes of the last drawing */
    int panes_y;                 /* first screen row of the panes */
    /* number of bytes that the current command line had printed when it requested a view; -1: no
     * request */
    long chosen;
    struct loaded loaded;
    /* view that shows the object that the newest request loaded; NULL: no object was loaded */
    const struct view_ops *fresh;
    unsigned fresh_request;      /* request that loaded the object of @fresh: the number of a job,
                                  * or for a command the number of the next job */
    struct str message;          /* bottom line; cleared by the next key */
    bool failed;                 /* whether the message is an error */
    char search[128];
    struct str prefill;          /* text that a view puts in the prompt */
    enum frame_reply reply;      /* request of the running command to the caller */
    struct str next;             /* commands caused by actions, which have not run yet */
    bool collecting;             /* whether the editor collects text for `kernel paste` */
    bool offered;                /* whether the text was pasted without a command, and may not be a
                                  * loop */
    /* whether the last drawing showed views instead of the editor or a note that the screen is too
     * small */
    bool views_drawn;
    struct editor editor;
    /* reason why the editor's text was rejected; empty: the text was not tried yet */
    struct str refusal;
    struct editing editing;      /* kernel that is open in the user's editor */
    struct guide guide;          /* rows for new users above the status line */
    struct demo demo;
    VEC(unsigned) running;       /* numbers of jobs whose end must be reported */
    char ended[80];              /* title of the job that ended last */
    unsigned last_job;           /* number of the newest job that was recorded */
};

/* frame_commands.c: handlers of session.views, whose view_state is the frame */
extern const struct session_views frame_views;

/* The prompt; text NULL: the prompt is closed */
struct frame_prompt {
    const char *text;
    int cursor;                  /* column within the text */
    char *const *matches;        /* completions, shown in a popup */
    size_t match_count;
};

/* Returns whether view @index is an overlay: output, log or help. */
bool frame_is_page(size_t index);
/* Shows view @to in its pane or as an overlay. Records no previous view (frame_show in view/jumps.h
 * does). */
void frame_go(struct frame *f, size_t to);
/* Shows @text on the bottom line. */
void frame_say(struct frame *f, bool failed, const char *text);
/* Detects whether command or job @request has loaded a kernel, loop or list of functions. Selects
 * its view, unless the view of a later request is selected. */
void frame_notice_loaded(struct frame *f, unsigned request);
/* Appends the view's description of its position. */
void frame_position(struct frame *f, struct str *out);

#endif
