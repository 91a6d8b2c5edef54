/* UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF). Any thread. */
#ifndef PORTOLAN_BASE_UTF8_H
#define PORTOLAN_BASE_UTF8_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* Bytes of the character at @text, of which @left are there, 0 when there is none; the character
 * itself in @code unless that is NULL. */
size_t utf8_next(const char *text, size_t left, uint32_t *code);
/* Whether all @length bytes are UTF-8; where not, @bad (may be NULL) is the offset of the first
 * byte that is not. */
bool utf8_valid(const char *text, size_t length, size_t *bad);
/* Bytes of the mark that some editors put before a text (U+FEFF), 0 when @text begins with none. */
size_t utf8_mark(const char *text, size_t length);
/* As much of @text as fits into @room bytes with its end, in whole characters; it ends before the
 * first byte that is no UTF-8. */
void utf8_copy(char *to, size_t room, const char *text);
/* Columns of @code on a terminal, 1 or 2; 0 for combining marks; -1 for control characters and
 * those that the locale cannot show. */
int utf8_columns(uint32_t code);
/* Whether @code steers a terminal or the direction and place of other characters, or shows nothing:
 * controls (C0, DEL, C1), line separators, interlinear annotation, noncharacters, braille without
 * dots, and all that Unicode calls Default_Ignorable_Code_Point. */
bool utf8_steers(uint32_t code);
/* Appends @text as UTF-8 without effect on a terminal: controls (utf8_steers) and bytes that are
 * not UTF-8 become \t, \n, \r or \xHH, a backslash is doubled. */
void utf8_escape(const char *text, size_t length, struct str *out);
/* Appends finished output, in which a line feed ends a line and a tab is a tab. Other controls and
 * bytes that are not UTF-8 appear as \xHH or \uHHHH, two of these above U+FFFF (which JSON reads as
 * the same character). */
void utf8_printable(const char *text, size_t length, struct str *out);
/* Passes @text as utf8_printable writes it to @put, some lines at a time, so that a large table has
 * no second copy. False when @put returns false. */
bool utf8_pieces(const char *text, size_t length,
                 bool (*put)(void *to, const char *printable, size_t length), void *to);
/* The way of all text to standard output and standard error: utf8_printable, written to @out. False
 * when that fails. */
bool utf8_write(FILE *out, const char *text, size_t length);
/* The same for a short message. */
void utf8_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where nothing may be allocated any more: to descriptor @fd, at most 8 KiB, however few
 * bytes it takes at a time. */
void utf8_say_now(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void utf8_sayv_now(int fd, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#endif
