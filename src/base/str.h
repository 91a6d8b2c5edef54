/* A growable string of bytes that is always NUL-terminated. Empty and valid if initialised to
 * zero. */
#ifndef PORTOLAN_BASE_STR_H
#define PORTOLAN_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    char *data;   /* bytes; NULL: no memory is allocated */
    size_t length;
    size_t capacity;
};

void str_done(struct str *s);
/* Makes room for @more bytes, for text whose length depends on the input. Returns false, with
 * nothing changed, if memory is exhausted. */
bool str_try_reserve(struct str *s, size_t more);
/* Makes the string empty but preserves its memory. */
void str_clear(struct str *s);
/* Append text, which must not be a part of @s itself. */
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t length);
void str_add_char(struct str *s, char c);
void str_addf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *s, const char *format, va_list args);
/* Returns the text, valid until the next change; "" if the string is empty. */
const char *str_text(const struct str *s);
/* Returns the memory of the text, which the caller frees. Never returns NULL. @s is then empty. */
char *str_take(struct str *s);

bool str_has_prefix(const char *text, const char *prefix);
/* Returns whether two strings are equal. Compares the first characters inline, because most
 * different strings differ there. */
static inline bool str_same(const char *a, const char *b)
{
    return a[0] == b[0] && (!a[0] || (a[1] == b[1] && strcmp(a, b) == 0));
}
bool str_equal_nocase(const char *a, const char *b);
/* Returns whether @text matches a pattern with * and ?, ignoring the case of ASCII letters. */
bool str_match(const char *pattern, const char *text);
/* Returns whether @text matches one of the NULL-terminated @patterns. */
bool str_match_any(const char *const *patterns, const char *text);

/* Returns the ending of a regular noun after the number @n: "" or "s". */
static inline const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Returns whether @text consists of one or more bytes in hexadecimal. Any thread. */
bool text_is_hex(const char *text);

#endif
