/* The frame around the views: selection of views, status line, key bar, messages, prompt line. No
 * curses. UI thread. */
#ifndef PORTOLAN_VIEW_FRAME_H
#define PORTOLAN_VIEW_FRAME_H

#include "cmd/action.h"
#include "view/frame_state.h"

/* Initialises the frame for @s, which outlives it; it is the handler of the session's views until
 * frame_done. */
void frame_init(struct frame *f, struct session *s);
void frame_done(struct frame *f);
/* Draws everything on @g; *@x, *@y is the terminal's cursor, *@x < 0: hidden. */
void frame_draw(struct frame *f, const struct frame_prompt *prompt, struct grid *g, int *x, int *y);
/* Handles a key. FRAME_PROMPT: open the prompt with *@prefill, valid until the next key or
 * command. */
enum frame_reply frame_key(struct frame *f, int key, const char **prefill);
enum frame_reply frame_click(struct frame *f, int x, int y, unsigned width, unsigned height,
                             const char **prefill);
/* Returns a request of the last command, once. FRAME_PROMPT: open the prompt with *@prefill. */
enum frame_reply frame_take_reply(struct frame *f, const char **prefill);
/* Runs @line, the only way of all actions, and shows its output. */
void frame_run(struct frame *f, const char *line);
/* Makes text from a bracketed paste the kernel. */
void frame_paste(struct frame *f, const char *text, size_t length);
/* Text that the terminal did not mark as pasted, and that is no keys (view/clipboard.h): it is
 * shown, and loaded once the user confirms. */
void frame_offer_paste(struct frame *f, const char *text, size_t length);
/* Returns a request to open the user's editor, or NULL. */
const struct edit_request *frame_edit(struct frame *f);
/* Loads text saved in the editor; true when there was some. */
bool frame_edited(struct frame *f);
/* Handles messages of jobs; true when the screen has changed. */
bool frame_jobs(struct frame *f);
/* Returns whether the current view changes by itself. */
bool frame_live(struct frame *f);
/* Esc and Ctrl-C: cancels a waiting command's own job together with the wait. False when nothing
 * waits. */
bool frame_stop_waiting(struct frame *f);
/* Makes the focused view, or else the frame, perform @action; false when both ignore it. */
bool frame_act(struct frame *f, enum action action);
/* Returns whether the shown views have work to continue, one part per drawing. */
bool frame_busy(struct frame *f);

#endif
