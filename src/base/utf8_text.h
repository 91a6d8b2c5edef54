/* Texts for terminals and files: nothing in them acts on a terminal. Any thread. */
#ifndef PORTOLAN_BASE_UTF8_TEXT_H
#define PORTOLAN_BASE_UTF8_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"

/* Appends @text as UTF-8 without effect on a terminal: controls (utf8_steers) and bytes that are
 * not UTF-8 become \t, \n, \r or \xHH, a backslash is doubled. */
void utf8_escape(const char *text, size_t length, struct str *out);
/* Appends finished output; line feeds and tabs stay. Other controls and invalid bytes become \xHH
 * or \uHHHH, two of these above U+FFFF (a JSON surrogate pair). */
void utf8_printable(const char *text, size_t length, struct str *out);
/* Passes @text as utf8_printable writes it to @put, some lines per call, so that a large table has
 * no second copy. False when @put returns false. */
bool utf8_pieces(const char *text, size_t length,
                 bool (*put)(void *to, const char *printable, size_t length), void *to);
/* Writes @text by utf8_printable to @out: used for all text on standard output and standard error.
 * False on failure. */
bool utf8_write(FILE *out, const char *text, size_t length);
/* As utf8_write, for a short message. */
void utf8_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
