/* The frame around the views. It selects views, and draws the status line, key bar, messages and
 * prompt. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_FRAME_H
#define PORTOLAN_VIEW_FRAME_H

#include "cmd/action.h"
#include "view/frame_state.h"

/* Initialises the frame for @s, which must outlive it. Until frame_done, the frame handles the
 * session's views. */
void frame_init(struct frame *f, struct session *s);
void frame_done(struct frame *f);
/* Draws the whole screen on @g. Sets *@x, *@y to the position of the terminal's cursor; *@x below
 * 0: the cursor is hidden. On a screen that is too small, draws only the minimum size. */
void frame_draw(struct frame *f, const struct frame_prompt *prompt, struct grid *g, int *x, int *y);
/* Handles a key. FRAME_PROMPT: the caller opens the prompt with *@prefill, which is valid until the
 * next key or command. */
enum frame_reply frame_key(struct frame *f, int key, const char **prefill);
enum frame_reply frame_click(struct frame *f, int x, int y, unsigned width, unsigned height,
                             const char **prefill);
/* Returns the request of the last command and clears it. FRAME_PROMPT: the caller opens the prompt
 * with *@prefill. */
enum frame_reply frame_take_reply(struct frame *f, const char **prefill);
/* Runs command line @line and shows its output. All actions that run commands use it. */
void frame_run(struct frame *f, const char *line);
/* Loads text from a bracketed paste as the kernel. During the demo, ends the demo instead. Shows an
 * error if the text is empty. */
void frame_paste(struct frame *f, const char *text, size_t length);
/* Shows text that looks pasted although the terminal did not mark it (view/clipboard.h). Loads the
 * text if the user confirms. */
void frame_offer_paste(struct frame *f, const char *text, size_t length);
/* Returns a request to open the user's editor; NULL: none. */
const struct edit_request *frame_edit(struct frame *f);
/* Loads text that the user saved in the editor. Returns whether any was saved. */
bool frame_edited(struct frame *f);
/* Handles messages of jobs. Returns whether the screen has changed. */
bool frame_jobs(struct frame *f);
/* Returns whether the current view changes without input. */
bool frame_live(struct frame *f);
/* Ends the wait for a job after Esc or Ctrl-C. Drops the queued commands. Also cancels the job if a
 * command waits for its own work. Returns false if nothing waits. */
bool frame_stop_waiting(struct frame *f);
/* Performs @action in the focused view, or if the view does not use it, in the frame. Returns false
 * if neither uses it. */
bool frame_act(struct frame *f, enum action action);
/* Returns whether displayed views have work left. Each drawing does part of it. */
bool frame_busy(struct frame *f);

#endif
