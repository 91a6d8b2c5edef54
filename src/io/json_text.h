/* JSON by jansson from memory, which can be ended. */
#ifndef PORTOLAN_IO_JSON_TEXT_H
#define PORTOLAN_IO_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Parses @bytes; no key may stand twice in an object. NULL with *@fault, and when the work of this
 * thread was cancelled (base/watch.h); json_decref frees it. */
json_t *json_text_parse(const char *bytes, size_t length, json_error_t *fault);

#endif
