/* The functions of an object file, and loops in them, by how hot they look: those with the deepest
 * loops, the most vector work and the most code first. */
#ifndef PORTOLAN_ANALYSIS_FUNCTIONS_H
#define PORTOLAN_ANALYSIS_FUNCTIONS_H

#include "base/err.h"
#include "base/vec.h"
#include "toolchain/object.h"

struct ranked_function {
    uint32_t symbol;              /* of the object */
    /* backward branches, and an estimate of their nesting depth */
    uint32_t loops, depth;
    uint32_t vectors;             /* instructions on vectors */
    uint64_t size;                /* bytes */
};

struct ranked_loop {
    uint32_t symbol;              /* of the object: whose code it is in */
    uint32_t depth, vectors;      /* nesting, 1: outermost; instructions on vectors */
    bool innermost;
    /* of its head in the object's code; bytes to the end of the jump back */
    uint64_t place, size;
};

/* In the order of functions_hotter, and within a function in that of the code. */
struct function_ranking {
    VEC(struct ranked_function) list;
    VEC(struct ranked_loop) loops;   /* those of a function stand together */
};


/* All functions with a loop, hottest-looking first, and their loops, estimated without following
 * jumps. Polls watch_steps; false with err when that ends it. function_ranking_done frees the lists
 * in both cases. Any thread. */
bool functions_rank(const struct object *o, struct function_ranking *out, struct err *err);
void function_ranking_done(struct function_ranking *r);
/* Below 0: @a looks hotter than @b, of any objects; 0: no difference. */
int functions_hotter(const struct ranked_function *a, const struct ranked_function *b);
/* The same of loops: innermost ones first, then the deepest, those with the most vector work, the
 * longest. */
int loops_hotter(const struct ranked_loop *a, const struct ranked_loop *b);
/* The function that @wanted names: a symbol, a demangled name, an address within one ("0x4308"), or
 * a place in one ("f+0x40"). *@place gets the byte of @o's code that was meant, or UINT64_MAX for
 * all of the function. NULL with err when there is none (near names are offered), or there are
 * several. */
const struct object_symbol *function_find(const struct object *o, const char *wanted,
                                          uint64_t *place, struct err *err);

#endif
