/* Shared by tests of screens: a session in a frame, keys, and golden screens (GENERATE=1 rewrites
 * them). Included after cmocka.h. */
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
/* The rows that the frame adds above and below the place: test_frame holds them to goldens of their
 * own. */
#define FRAME_ROWS 2
/* The view that keys go to, drawn alone on a screen of that size without these rows, its colours,
 * and what it says of its position. */
void view_text(struct frame *f, unsigned width, unsigned height, bool ascii, bool mono,
               struct str *out);
/* Whether @text equals the file @path of the source tree, which GENERATE=1 rewrites; prints it if
 * it differs. */
bool golden_matches(const char *path, const char *text);
/* The screen compared with tests/screen/NAME-COLUMNSxROWS.txt, at all sizes. */
void compare(struct frame *f, const char *name, unsigned width, unsigned height);
void compare_sizes(const char *name);
/* At 120 by 40. */
bool screen_holds(const char *text);
bool screen_lacks(const char *text);
/* A machine and a kernel of the test's own: goldens change only with the view. */
void load(void);
/* Runs @line and all jobs that it starts; a fault ends the test. */
void run_to_end(const char *line);

#endif
