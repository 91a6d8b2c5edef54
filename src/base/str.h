/* A growable, always NUL-terminated byte string. Zero-initialised is empty and valid. */
#ifndef PORTOLAN_BASE_STR_H
#define PORTOLAN_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
    char *data;   /* NULL while empty and never written */
    size_t length;
    size_t capacity;
};

void str_done(struct str *s);
/* Reserves room for @more bytes, for texts that grow with the input. False when memory runs out;
 * nothing has changed then. */
bool str_try_reserve(struct str *s, size_t more);
void str_clear(struct str *s);                       /* keeps the storage */
/* The added text must not lie in @s itself. */
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t length);
void str_add_char(struct str *s, char c);
void str_addf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *s, const char *format, va_list args);
/* The text, "" when empty; valid until the next change. */
const char *str_text(const struct str *s);
/* Returns the storage, never NULL; the caller frees it and @s is empty again. */
char *str_take(struct str *s);

bool str_has_prefix(const char *text, const char *prefix);
/* Compares the first characters inline, in which most texts differ. */
static inline bool str_same(const char *a, const char *b)
{
    return a[0] == b[0] && (!a[0] || (a[1] == b[1] && strcmp(a, b) == 0));
}
bool str_equal_nocase(const char *a, const char *b);
/* Glob match (* and ?), ASCII case ignored. */
bool str_match(const char *pattern, const char *text);
/* Returns whether one of the NULL-terminated @patterns matches. */
bool str_match_any(const char *const *patterns, const char *text);

/* Returns whether @text is bytes in hexadecimal, at least one. Any thread. */
bool text_is_hex(const char *text);

#endif
