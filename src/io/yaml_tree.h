/* YAML documents parsed with libyaml. Each error contains its line. */
#ifndef PORTOLAN_IO_YAML_TREE_H
#define PORTOLAN_IO_YAML_TREE_H

#include <stdbool.h>
#include <yaml.h>

#include "base/err.h"

/* A document; empty if initialised to zero */
struct yaml_tree {
    yaml_document_t document;
    bool loaded;
    const char *name;      /* name for messages; borrowed */
};

/* Parses the first document of @text, and rejects further documents. The caller always frees @out
 * with yaml_tree_done. Returns false with err. */
bool yaml_tree_parse(const char *name, const char *text, size_t length, struct yaml_tree *out,
                     struct err *err);
void yaml_tree_done(struct yaml_tree *t);
/* Returns the root node; NULL for an empty document. */
const yaml_node_t *yaml_tree_root(const struct yaml_tree *t);
/* Returns the value of @key in a mapping, or NULL if the key is missing or the node is not a
 * mapping. */
const yaml_node_t *yaml_tree_get(const struct yaml_tree *t, const yaml_node_t *map,
                                 const char *key);
/* Returns an item of a sequence; NULL past the end of the sequence, or for other nodes. */
const yaml_node_t *yaml_tree_item(const struct yaml_tree *t, const yaml_node_t *sequence,
                                  size_t index);
/* Returns the text of a scalar, or NULL for other nodes, for unquoted null and "~", and for scalars
 * with a NUL byte. */
const char *yaml_tree_text(const yaml_node_t *node);
/* Returns whether @node is absent, null or "~". */
bool yaml_tree_null(const yaml_node_t *node);
/* Sets @err with the position of @node (may be NULL) and returns false. */
bool yaml_tree_fault(const struct yaml_tree *t, const yaml_node_t *node, struct err *err,
                     const char *todo, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
