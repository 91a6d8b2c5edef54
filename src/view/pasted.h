/* Detects pasted text if the terminal does not mark it: as keys each letter would act. No
 * curses. */
#ifndef PORTOLAN_VIEW_PASTED_H
#define PORTOLAN_VIEW_PASTED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether @length bytes that arrived together are pasted text: two lines of words, or an
 * instruction with operands. Typed-ahead command lines (":view why") are keys, and so is text with
 * control characters other than blanks and line ends. */
bool pasted_text(const char *bytes, size_t length);

#endif
