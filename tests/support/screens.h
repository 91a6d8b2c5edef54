/* Shared by tests of screens: a session in a frame, keys, and golden screens (rewritten if
 * GENERATE=1). */
#ifndef PORTOLAN_TESTS_SCREENS_H
#define PORTOLAN_TESTS_SCREENS_H

#include "view/frame.h"

#define SCREEN_SIZES 4
extern const unsigned screen_sizes[SCREEN_SIZES][2];   /* columns and rows of each screen size */
extern struct session session;
extern struct frame frame;

int setup(void **state);
int teardown(void **state);
void press(const char *keys);
void screen_text(struct frame *f, unsigned width, unsigned height, bool roles, struct str *out);
/* Rows that the frame adds above and below the view. test_frame compares them with separate golden
 * screens. */
#define FRAME_ROWS 2
/* Draws only the active view on a screen of @width by @height minus these rows. Appends its text,
 * its colours and its position line to @out. */
void view_text(struct frame *f, unsigned width, unsigned height, bool ascii, bool mono,
               struct str *out);
/* Returns whether @text equals the file @path of the source tree. Otherwise prints the text.
 * GENERATE=1 rewrites the file. */
bool golden_matches(const char *path, const char *text);
/* Compares the screen with tests/screen/NAME-COLUMNSxROWS.txt. compare uses one size, compare_sizes
 * all sizes. */
void compare(struct frame *f, const char *name, unsigned width, unsigned height);
void compare_sizes(const char *name);
/* Returns whether the screen of 120 by 40 cells contains the text, or lacks it. */
bool screen_holds(const char *text);
bool screen_lacks(const char *text);
/* Loads the kernel of the golden screens under a name that does not depend on the source
 * directory. */
void load(void);
/* Runs @line and all jobs that it starts. An error ends the test. */
void run_to_end(const char *line);

#endif
