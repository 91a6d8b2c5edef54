/* UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF). Any thread. */
#ifndef PORTOLAN_BASE_UTF8_H
#define PORTOLAN_BASE_UTF8_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* Returns the length in bytes of the character at @text, of at most @left bytes, or 0 if invalid.
 * Writes the character to @code unless NULL. */
size_t utf8_next(const char *text, size_t left, uint32_t *code);
/* Returns whether all @length bytes are UTF-8. If not, @bad (may be NULL) is the offset of the
 * first invalid byte. */
bool utf8_valid(const char *text, size_t length, size_t *bad);
/* Length in bytes of a byte order mark (U+FEFF) at the beginning of @text, or 0. */
size_t utf8_mark(const char *text, size_t length);
/* Copies whole characters of @text that fit into @room bytes including the NUL. Stops before the
 * first invalid byte. */
void utf8_copy(char *to, size_t room, const char *text);
/* Terminal columns of @code, 1 or 2; 0 for combining marks; -1 for control characters and those
 * that the locale cannot show. */
int utf8_columns(uint32_t code);
/* Returns whether @code controls a terminal or the direction and place of other characters, or is
 * invisible: controls (C0, DEL, C1), line separators, interlinear annotation, noncharacters, blank
 * braille, and Unicode's Default_Ignorable_Code_Point. */
bool utf8_steers(uint32_t code);
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
/* As utf8_say without allocation: to descriptor @fd, at most 8 KiB. */
void utf8_say_now(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void utf8_sayv_now(int fd, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#endif
