/* Choices in patterns: {A,B}C means AC and BC. */
#ifndef PORTOLAN_BASE_CHOICES_H
#define PORTOLAN_BASE_CHOICES_H

#include <stdbool.h>

#include "base/err.h"

#define CHOICES_MAX 4096   /* patterns that one with braces may mean */

/* Hands each pattern that @pattern means to @use, from the left: itself when it has no braces.
 * Braces do not nest. False with err for a brace that is not closed, for too many patterns, or as
 * soon as @use returns false. Any thread. */
bool choices_each(const char *pattern, bool (*use)(const char *one, void *data, struct err *err),
                  void *data, struct err *err);

#endif
