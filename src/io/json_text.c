/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/json_text.h"

#include <string.h>

#include "base/watch.h"

/* Text that is passed to jansson in pieces */
struct json_pieces {
    const char *bytes;
    size_t at, length;
};

static size_t next_piece(void *buffer, size_t size, void *state)
{
    struct json_pieces *p = state;
    size_t piece = size < p->length - p->at ? size : p->length - p->at;

    watch_at("bytes", (double)p->at, (double)p->length);
    if (watch_steps(1 + piece / 16))
        return (size_t)-1;
    memcpy(buffer, p->bytes + p->at, piece);
    p->at += piece;
    return piece;
}

json_t *json_text_parse(const char *bytes, size_t length, json_error_t *fault)
{
    struct json_pieces pieces = {bytes, 0, length};

    return json_load_callback(next_piece, &pieces, JSON_REJECT_DUPLICATES, fault);
}
