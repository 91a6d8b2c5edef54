/* The functions of an object file by how hot they look: those with the deepest loops, the most vector work and the most code first. */
#ifndef PORTOLAN_ANALYSIS_FUNCTIONS_H
#define PORTOLAN_ANALYSIS_FUNCTIONS_H

#include "base/err.h"
#include "base/vec.h"
#include "toolchain/object.h"

struct ranked_function {
    uint32_t symbol;              /* of the object */
    uint32_t loops, depth;        /* backward branches; how deep they nest, as far as a light look tells */
    uint32_t vectors;             /* instructions on vectors */
};

struct function_ranking { VEC(struct ranked_function) list; };

/* Bytes of the largest function that is looked at. */
extern const size_t function_largest;

/* All functions with a loop, hottest-looking first. Asks watch_steps; false with err when that ends it. vec_done frees the list in both cases. Any thread. */
bool functions_rank(const struct object *o, struct function_ranking *out, struct err *err);
/* The function that @wanted names: a symbol, a demangled name, or an address within one ("0x4308"). NULL with err when there is none, or there are several. */
const struct object_symbol *function_find(const struct object *o, const char *wanted, struct err *err);

#endif
