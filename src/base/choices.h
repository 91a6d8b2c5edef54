/* Expands alternatives in patterns: {A,B}C means AC and BC. */
#ifndef PORTOLAN_BASE_CHOICES_H
#define PORTOLAN_BASE_CHOICES_H

#include <stdbool.h>

#include "base/err.h"

/* maximum number of patterns of an expansion, including those that still have braces */
#define CHOICES_MAX 4096

/* Expands @pattern from left to right and calls @use with each result. A pattern without braces is
 * not changed. Braces cannot be nested. Returns false with err for an unclosed brace, for too many
 * patterns, or when @use returns false. Any thread. */
bool choices_each(const char *pattern, bool (*use)(const char *one, void *data, struct err *err),
                  void *data, struct err *err);

#endif
