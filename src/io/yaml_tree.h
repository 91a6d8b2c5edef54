/* YAML documents by libyaml: reading with the line of every fault. */
#ifndef PORTOLAN_IO_YAML_TREE_H
#define PORTOLAN_IO_YAML_TREE_H

#include <stdbool.h>
#include <yaml.h>

#include "base/err.h"

/* One document of text. Zero-initialised is empty. */
struct yaml_tree {
    yaml_document_t document;
    bool loaded;
    const char *name;      /* for messages; borrowed */
};

/* Parses the first document of @text and refuses more than one. yaml_tree_done frees @out in both
 * cases. */
bool yaml_tree_parse(const char *name, const char *text, size_t length, struct yaml_tree *out,
                     struct err *err);
void yaml_tree_done(struct yaml_tree *t);
/* NULL when the document is empty. */
const yaml_node_t *yaml_tree_root(const struct yaml_tree *t);
/* Value of @key in a mapping, NULL when it is no mapping or has no such key. */
const yaml_node_t *yaml_tree_get(const struct yaml_tree *t, const yaml_node_t *map,
                                 const char *key);
/* Item of a sequence; NULL past its end or when it is none. */
const yaml_node_t *yaml_tree_item(const struct yaml_tree *t, const yaml_node_t *sequence,
                                  size_t index);
/* Text of a scalar, NULL for other nodes, for null and "~" when not quoted, and for scalars with a
 * NUL byte. */
const char *yaml_tree_text(const yaml_node_t *node);
/* True when @node is absent, null or "~". */
bool yaml_tree_null(const yaml_node_t *node);
/* Sets @err with the place of @node (NULL: no line) and returns false. */
bool yaml_tree_fault(const struct yaml_tree *t, const yaml_node_t *node, struct err *err,
                     const char *todo, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
