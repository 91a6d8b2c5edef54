/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/yaml_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/watch.h"

/* Limits for libyaml, far above the needs of a machine file. A file above a limit is rejected
 * before the tree is built. DEPTH_LIMIT applies to nested brackets, because libyaml examines every
 * open bracket for each token. */
#define DEPTH_LIMIT 64
/* Maximum number of anchors. libyaml compares each anchor with all earlier anchors. */
#define ANCHOR_LIMIT 1000
/* Maximum number of aliases. libyaml compares each alias with every anchor. */
#define ALIAS_LIMIT 10000
/* Maximum number of tag directives. libyaml compares each directive with all earlier directives. */
#define TAG_LIMIT 16

/* Text that is passed to libyaml in pieces, which allows cancellation of the reading */
struct yaml_pieces {
    const char *text;
    size_t at, length;
};

static int next_piece(void *state, unsigned char *buffer, size_t size, size_t *got)
{
    struct yaml_pieces *p = state;

    *got = size < p->length - p->at ? size : p->length - p->at;
    watch_at("bytes", (double)p->at, (double)p->length);
    if (watch_steps(1 + *got / 16))
        return 0;
    memcpy(buffer, p->text + p->at, *got);
    p->at += *got;
    return 1;
}

/* Returns whether there are few directives, because libyaml reads all directives in one call. */
static bool few_directives(const char *name, const char *text, size_t length, struct err *err)
{
    size_t count = 0, line = 1;

    for (const char *at = text, *end = text + length; at && at < end; line++) {
        if (*at == '%' && ++count > TAG_LIMIT) {
            err_set(err, ERR_LIMIT, "give an OSACA machine file",
                    "the file has too many directives");
            return err_at(err, name, line, 1);
        }
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return true;
}

static bool refuse(const yaml_event_t *event, const char *name, const char *what, struct err *err)
{
    err_set(err, ERR_LIMIT, "give an OSACA machine file", "%s", what);
    return err_at(err, name, event->start_mark.line + 1, event->start_mark.column + 1);
}

/* Reads only the events, up to the first event that exceeds a limit. Ignores syntax errors, which
 * are reported when the tree is built. */
static bool within_limits(const char *name, const char *text, size_t length, struct err *err)
{
    yaml_parser_t parser;
    yaml_event_t event;
    struct yaml_pieces pieces = {text, 0, length};
    size_t depth = 0, anchors = 0, aliases = 0;
    bool ok = true;

    if (!yaml_parser_initialize(&parser))
        return err_memory(err, name, length);
    yaml_parser_set_input(&parser, next_piece, &pieces);
    for (bool ended = false; ok && !ended && yaml_parser_parse(&parser, &event);) {
        const unsigned char *anchor =
            event.type == YAML_SCALAR_EVENT           ? event.data.scalar.anchor
            : event.type == YAML_SEQUENCE_START_EVENT ? event.data.sequence_start.anchor
            : event.type == YAML_MAPPING_START_EVENT  ? event.data.mapping_start.anchor
                                                      : NULL;
        anchors += anchor != NULL;
        aliases += event.type == YAML_ALIAS_EVENT;
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        ended = event.type == YAML_STREAM_END_EVENT;
        if (watch_steps(1 + depth))
            ok = watch_goes_on(err);
        else if (depth > DEPTH_LIMIT)
            ok = refuse(&event, name, "lists or mappings are nested too deeply", err);
        else if (anchors > ANCHOR_LIMIT)
            ok = refuse(&event, name, "the file has too many anchors", err);
        else if (aliases > ALIAS_LIMIT)
            ok = refuse(&event, name, "the file has too many aliases", err);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return ok && watch_goes_on(err);
}

bool yaml_tree_parse(const char *name, const char *text, size_t length, struct yaml_tree *out,
                     struct err *err)
{
    yaml_parser_t parser;
    yaml_document_t more;
    struct yaml_pieces pieces = {text, 0, length};
    bool ok = false;

    *out = (struct yaml_tree){.name = name};
    if (!few_directives(name, text, length, err) || !within_limits(name, text, length, err))
        return false;
    if (!yaml_parser_initialize(&parser))
        return err_memory(err, name, length);
    yaml_parser_set_input(&parser, next_piece, &pieces);
    if (!yaml_parser_load(&parser, &out->document))
        goto fault;
    out->loaded = true;
    if (!yaml_parser_load(&parser, &more))
        goto fault;
    ok = !yaml_document_get_root_node(&more);
    if (!ok)
        yaml_tree_fault(out, yaml_document_get_root_node(&more), err, "use one file per document",
                        "a second document starts here");
    yaml_document_delete(&more);
    yaml_parser_delete(&parser);
    return ok;
fault:
    if (!watch_goes_on(err)) {
        yaml_parser_delete(&parser);
        return false;
    }
    /* Reports a lack of memory, for which libyaml has no message. */
    if (parser.error == YAML_MEMORY_ERROR || !parser.problem) {
        yaml_parser_delete(&parser);
        return err_memory(err, name, length);
    }
    err_set(err, ERR_DATA, "correct the YAML", "%s%s%s",
            parser.problem ? parser.problem : "invalid YAML", parser.context ? " " : "",
            parser.context ? parser.context : "");
    err_at(err, name, parser.problem_mark.line + 1, parser.problem_mark.column + 1);
    yaml_parser_delete(&parser);
    return false;
}

void yaml_tree_done(struct yaml_tree *t)
{
    if (t->loaded)
        yaml_document_delete(&t->document);
    t->loaded = false;
}

/* Returns node @index. Removes const, because libyaml's functions take a document without const,
 * although they do not change it. */
static const yaml_node_t *node_at(const struct yaml_tree *t, int index)
{
    return yaml_document_get_node((yaml_document_t *)&t->document, index);
}

const yaml_node_t *yaml_tree_root(const struct yaml_tree *t)
{
    return t->loaded ? yaml_document_get_root_node((yaml_document_t *)&t->document) : NULL;
}

const yaml_node_t *yaml_tree_get(const struct yaml_tree *t, const yaml_node_t *map, const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    size_t length = strlen(key);
    for (const yaml_node_pair_t *pair = map->data.mapping.pairs.start;
         pair < map->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = node_at(t, pair->key);
        if (name && name->type == YAML_SCALAR_NODE && name->data.scalar.length == length &&
            memcmp(name->data.scalar.value, key, length) == 0)
            return node_at(t, pair->value);
    }
    return NULL;
}

const yaml_node_t *yaml_tree_item(const struct yaml_tree *t, const yaml_node_t *sequence,
                                  size_t index)
{
    if (!sequence || sequence->type != YAML_SEQUENCE_NODE)
        return NULL;
    size_t count =
        (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
    return index < count ? node_at(t, sequence->data.sequence.items.start[index]) : NULL;
}

bool yaml_tree_null(const yaml_node_t *node)
{
    if (!node)
        return true;
    if (node->type != YAML_SCALAR_NODE ||
        node->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
        node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        return false;
    const char *text = (const char *)node->data.scalar.value;
    return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 ||
           strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0;
}

const char *yaml_tree_text(const yaml_node_t *node)
{
    if (!node || node->type != YAML_SCALAR_NODE || yaml_tree_null(node) ||
        strlen((const char *)node->data.scalar.value) != node->data.scalar.length)
        return NULL;
    return (const char *)node->data.scalar.value;
}

bool yaml_tree_fault(const struct yaml_tree *t, const yaml_node_t *node, struct err *err,
                     const char *todo, const char *format, ...)
{
    char what[512];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    err_set(err, ERR_DATA, todo, "%s", what);
    return err_at(err, t->name, node ? node->start_mark.line + 1 : 0,
                  node ? node->start_mark.column + 1 : 0);
}
