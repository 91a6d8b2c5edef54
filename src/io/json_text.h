/* Parses JSON from memory with jansson. The work can be cancelled. */
#ifndef PORTOLAN_IO_JSON_TEXT_H
#define PORTOLAN_IO_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Parses @bytes and rejects duplicate keys. Returns NULL with *@fault on an error or if this
 * thread's work is cancelled (base/watch.h). json_decref frees the result. */
json_t *json_text_parse(const char *bytes, size_t length, json_error_t *fault);

#endif
