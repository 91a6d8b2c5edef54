/* UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF). Any thread. */
#ifndef PORTOLAN_BASE_UTF8_H
#define PORTOLAN_BASE_UTF8_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
#define UTF8_SHOWN 13   /* "\udbff\udfff" */
/* Returns the length of the next character of finished output, at least 1. @shown is the
 * replacement of a control or an invalid byte (utf8_printable), and otherwise empty. */
size_t utf8_printable_next(const char *text, size_t left, char shown[UTF8_SHOWN]);
/* Writes a message as utf8_say without allocation: to descriptor @fd, at most 8 KiB. */
void utf8_say_now(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void utf8_sayv_now(int fd, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#endif
