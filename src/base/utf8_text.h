/* Writes text without effects on a terminal, such as control sequences. Any thread. */
#ifndef PORTOLAN_BASE_UTF8_TEXT_H
#define PORTOLAN_BASE_UTF8_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"

/* Appends @text as UTF-8 without control characters. Controls (utf8_steers) and bytes that are not
 * UTF-8 become \t, \n, \r or \xHH; a backslash is doubled. */
void utf8_escape(const char *text, size_t length, struct str *out);
/* Appends finished output, with its tabs and its line ends (LF or CR LF). Other controls and
 * invalid bytes become \xHH or \uHHHH; a character above U+FFFF becomes two \uHHHH (a JSON
 * surrogate pair). */
void utf8_printable(const char *text, size_t length, struct str *out);
/* Calls @put with the text that utf8_printable would append, some lines per call, which avoids a
 * second copy of a large table. Returns false if @put returns false. */
bool utf8_pieces(const char *text, size_t length,
                 bool (*put)(void *to, const char *printable, size_t length), void *to);
/* Writes @text to @out in the form of utf8_printable. Returns false on failure. */
bool utf8_write(FILE *out, const char *text, size_t length);
/* Writes a short message like utf8_write. */
void utf8_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
