/* Whether bytes of the terminal are pasted text, if the terminal does not mark pastes: as keys each
 * letter would act. No curses. */
#ifndef PORTOLAN_VIEW_PASTED_H
#define PORTOLAN_VIEW_PASTED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the @length bytes that wait together are no keys: two lines of words, or an instruction
 * with its operands. Command lines typed ahead (":view why") are keys, and so is what has control
 * characters besides blanks and ends of lines. Any thread. */
bool pasted_text(const char *bytes, size_t length);

#endif
