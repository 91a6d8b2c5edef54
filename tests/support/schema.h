/* JSON held to a schema: as much of JSON Schema (2020-12) as data/schema.json uses. */
#ifndef PORTOLAN_TESTS_SCHEMA_H
#define PORTOLAN_TESTS_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"

/* Whether @value satisfies @rule, a part of the schema @root. Appends each violation and its reason
 * to @fault. An unknown word of the schema is a violation as well. */
bool schema_holds(const json_t *root, const json_t *rule, const json_t *value, struct str *fault);

#endif
