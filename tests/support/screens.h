/* Shared by tests of screens: a session in a frame, keys, and golden screens (rewritten by
 * GENERATE=1). Included after cmocka.h. */
#ifndef PORTOLAN_TESTS_SCREENS_H
#define PORTOLAN_TESTS_SCREENS_H

#include "view/frame.h"

#define SCREEN_SIZES 4
extern const unsigned screen_sizes[SCREEN_SIZES][2];   /* columns and rows */
extern struct session session;
extern struct frame frame;

int setup(void **state);
int teardown(void **state);
void press(const char *keys);
void screen_text(struct frame *f, unsigned width, unsigned height, bool roles, struct str *out);
/* Rows that the frame adds above and below the view: test_frame compares them with separate golden
 * screens. */
#define FRAME_ROWS 2
/* The active view, drawn alone on a screen of that size minus these rows, with its colours and its
 * position line. */
void view_text(struct frame *f, unsigned width, unsigned height, bool ascii, bool mono,
               struct str *out);
/* Whether @text equals the file @path of the source tree (GENERATE=1 rewrites it); prints it
 * otherwise. */
bool golden_matches(const char *path, const char *text);
/* Compares the screen with tests/screen/NAME-COLUMNSxROWS.txt, at all sizes. */
void compare(struct frame *f, const char *name, unsigned width, unsigned height);
void compare_sizes(const char *name);
/* Whether the screen of 120 by 40 contains the text. */
bool screen_holds(const char *text);
bool screen_lacks(const char *text);
/* The test's own machine and kernel: golden screens do not depend on the shipped data. */
void load(void);
/* Runs @line and all jobs that it starts; an error ends the test. */
void run_to_end(const char *line);

#endif
