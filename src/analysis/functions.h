/* Functions of an object file and their loops, by estimated run time: deepest loops first, then
 * most vector instructions, then most code */
#ifndef PORTOLAN_ANALYSIS_FUNCTIONS_H
#define PORTOLAN_ANALYSIS_FUNCTIONS_H

#include "base/err.h"
#include "base/vec.h"
#include "toolchain/object.h"

struct ranked_function {
    uint32_t symbol;              /* index of the symbol in the object */
    /* number of backward branches, and their estimated nesting depth */
    uint32_t loops, depth;
    uint32_t vectors;             /* number of vector instructions in the function */
    uint64_t size;                /* size of the code in bytes */
};

struct ranked_loop {
    uint32_t symbol;              /* index of the function's symbol in the object */
    uint32_t depth, vectors; /* nesting depth (1: outermost), and number of vector instructions */
    bool innermost;
    /* position of the loop head in the object's code, and number of bytes to the end of the
     * backward branch */
    uint64_t place, size;
};

/* functions sorted by functions_hotter, and the loops of each function */
struct function_ranking {
    VEC(struct ranked_function) list;
    /* loops; the loops of a function are adjacent and sorted by position */
    VEC(struct ranked_loop) loops;
};

/* Ranks all functions with loops, except very large ones (LARGEST). Scans each from the first to
 * the last byte, without following jumps. Polls watch_steps. Returns false with err when cancelled.
 * The caller always frees the lists with function_ranking_done. Any thread. */
bool functions_rank(const struct object *o, struct function_ranking *out, struct err *err);
void function_ranking_done(struct function_ranking *r);
/* Compares two functions, possibly of different objects. Returns less than 0 if @a ranks higher, 0
 * if both rank equally. */
int functions_hotter(const struct ranked_function *a, const struct ranked_function *b);
/* Compares two loops like functions_hotter. Innermost loops rank highest, then by depth, vector
 * instructions and length, each in descending order. */
int loops_hotter(const struct ranked_loop *a, const struct ranked_loop *b);
/* Finds the function that @sought names: a symbol, a demangled name, an address ("0x4308") or an
 * offset ("f+0x40"). An address may follow the base name of @o's file ("gzip+0x4308") if the
 * function has no symbol, as profiles name loops. Sets *@place to the position in @o's code, or to
 * UINT64_MAX for the whole function. Returns NULL with err if there is no such function, or if
 * there are several; err may suggest similar names. Also returns NULL if the offset is outside the
 * function. */
const struct object_symbol *function_find(const struct object *o, const char *sought,
                                          uint64_t *place, struct err *err);

#endif
