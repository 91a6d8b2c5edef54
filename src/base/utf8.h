/* UTF-8 (RFC 3629): no overlong forms, no surrogates, no characters above U+10FFFF. Any thread. */
#ifndef PORTOLAN_BASE_UTF8_H
#define PORTOLAN_BASE_UTF8_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length in bytes of the character at @text, which has @left bytes; 0: invalid. Stores
 * the character in *@code (may be NULL). */
size_t utf8_next(const char *text, size_t left, uint32_t *code);
/* Returns whether all @length bytes are UTF-8. If not, *@bad (may be NULL) is the offset of the
 * first invalid byte. */
bool utf8_valid(const char *text, size_t length, size_t *bad);
/* Returns the length in bytes of a byte order mark (U+FEFF) at the start of @text; 0: none. */
size_t utf8_mark(const char *text, size_t length);
/* Copies as many whole characters of @text as fit into @room bytes with the NUL. Stops before the
 * first invalid byte. */
void utf8_copy(char *to, size_t room, const char *text);
/* Returns the terminal columns of @code: 1 or 2; 0 for combining marks; -1 for control characters
 * and for characters that the locale cannot show. */
int utf8_columns(uint32_t code);
/* Returns whether @code controls a terminal, changes the direction or place of other characters, or
 * is invisible. These are controls (C0, DEL, C1), line separators, interlinear annotation,
 * noncharacters, blank braille, and Unicode's Default_Ignorable_Code_Point. */
bool utf8_steers(uint32_t code);
#define UTF8_SHOWN 13   /* size of the longest escape, "\udbff\udfff" */
/* Returns the length of the next character of finished output, at least 1. Writes to @shown the
 * escape of a control or of an invalid byte (utf8_printable), or "" for other characters, tabs and
 * line ends. */
size_t utf8_printable_next(const char *text, size_t left, char shown[UTF8_SHOWN]);
/* Write a message of at most 8 KiB to descriptor @fd in the form of utf8_say, without
 * allocation. */
void utf8_say_now(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void utf8_sayv_now(int fd, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#endif
