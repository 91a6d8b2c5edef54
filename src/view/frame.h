/* The frame around the views: which one is shown, status line, key bar, messages, prompt line. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_FRAME_H
#define PORTOLAN_VIEW_FRAME_H

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


/* @s outlives the frame; its views are the frame's until frame_done. */
void frame_init(struct frame *f, struct session *s);
void frame_done(struct frame *f);
/* Draws everything on @g; *@x, *@y is where the terminal's cursor belongs, *@x < 0 nowhere. */
void frame_draw(struct frame *f, const struct frame_prompt *prompt, struct grid *g, int *x, int *y);
/* FRAME_PROMPT: open the prompt with *@prefill in it, which lasts until the next key or command. */
enum frame_reply frame_key(struct frame *f, int key, const char **prefill);
enum frame_reply frame_click(struct frame *f, int x, int y, unsigned width, unsigned height, const char **prefill);
/* What a command that was run asks for, once. FRAME_PROMPT: open the prompt with *@prefill in it. */
enum frame_reply frame_take_reply(struct frame *f, const char **prefill);
/* The one path of every action: runs @line and shows what it says. */
void frame_run(struct frame *f, const char *line);
/* Text from a bracketed paste becomes the kernel. */
void frame_paste(struct frame *f, const char *text, size_t length);
/* What is to be opened in the user's editor now; NULL: nothing. */
const struct edit_request *frame_edit(struct frame *f);
/* Takes in what was saved in the editor; true when something was. */
bool frame_edited(struct frame *f);
/* Says @text on the bottom line. */
void frame_say(struct frame *f, bool failed, const char *text);
/* Takes in what jobs have posted; true when the screen has changed. */
bool frame_jobs(struct frame *f);
/* The current view changes by itself. */
bool frame_live(struct frame *f);
/* The view that keys go to: the current one, or one in a pane beside it. */
size_t frame_focus(const struct frame *f);
/* Appends what it says of its position. */
void frame_position(struct frame *f, struct str *out);
/* Whether it has work to go on with, a piece with each drawing; not while no view is drawn, since nothing would go on. */
bool frame_busy(struct frame *f);

#endif
