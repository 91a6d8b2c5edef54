/* The frame around the views: which one is shown, status line, key bar, messages, prompt line. No
 * curses. UI thread. */
#ifndef PORTOLAN_VIEW_FRAME_H
#define PORTOLAN_VIEW_FRAME_H

#include "cmd/action.h"
#include "view/frame_state.h"

/* @s outlives the frame; its views are the frame's until frame_done. */
void frame_init(struct frame *f, struct session *s);
void frame_done(struct frame *f);
/* Draws everything on @g; *@x, *@y is where the terminal's cursor belongs, *@x < 0 nowhere. */
void frame_draw(struct frame *f, const struct frame_prompt *prompt, struct grid *g, int *x, int *y);
/* FRAME_PROMPT: open the prompt with *@prefill in it, which lasts until the next key or command. */
enum frame_reply frame_key(struct frame *f, int key, const char **prefill);
enum frame_reply frame_click(struct frame *f, int x, int y, unsigned width, unsigned height,
                             const char **prefill);
/* One-time request of a command. FRAME_PROMPT: open the prompt with *@prefill in it. */
enum frame_reply frame_take_reply(struct frame *f, const char **prefill);
/* The one path of every action: runs @line and shows what it says. */
void frame_run(struct frame *f, const char *line);
/* Text from a bracketed paste becomes the kernel. */
void frame_paste(struct frame *f, const char *text, size_t length);
/* Text that the terminal did not mark as pasted, and that is no keys (view/pasted.h): it is shown,
 * and loaded once the user confirms. */
void frame_offer_paste(struct frame *f, const char *text, size_t length);
/* Request to open the user's editor; NULL: none. */
const struct edit_request *frame_edit(struct frame *f);
/* Loads text saved in the editor; true when there was some. */
bool frame_edited(struct frame *f);
/* Takes in what jobs have posted; true when the screen has changed. */
bool frame_jobs(struct frame *f);
/* The current view changes by itself. */
bool frame_live(struct frame *f);
/* Esc and Ctrl-C: what a command began for itself ends with the wait for it. False when nothing is
 * waited for. */
bool frame_stop_waiting(struct frame *f);
/* Has the view that has the focus, or the frame, do @action; false when neither has a use for it
 * now. */
bool frame_act(struct frame *f, enum action action);
/* Whether it has work to continue, a piece with each drawing; not while no view is drawn, since
 * nothing would progress. */
bool frame_busy(struct frame *f);

#endif
