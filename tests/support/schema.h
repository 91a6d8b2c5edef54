/* Validates JSON against the subset of JSON Schema (2020-12) that data/schema.json uses. */
#ifndef PORTOLAN_TESTS_SCHEMA_H
#define PORTOLAN_TESTS_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"

/* Returns whether @value satisfies @rule, a part of the schema @root. Appends each violation with
 * its reason to @fault. An unknown keyword of the schema is also a violation. */
bool schema_holds(const json_t *root, const json_t *rule, const json_t *value, struct str *fault);

#endif
