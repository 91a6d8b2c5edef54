/* Lists all loops of one build of a program, library, object file or archive. Each loop has its
 * costs, and features that match it to loops of another build. */
#ifndef PORTOLAN_ANALYSIS_BUILD_LOOPS_H
#define PORTOLAN_ANALYSIS_BUILD_LOOPS_H

#include "analysis/bounds.h"
#include "analysis/functions.h"
#include "analysis/kernel.h"
#include "base/vec.h"
#include "model/machine.h"

/* number of kinds of instructions; mnemonics whose hashes are equal modulo this share a kind */
#define SHAPE_KINDS 64

/* Number of instructions of each kind in a loop, at most 255 */
struct loop_shape { uint8_t counts[SHAPE_KINDS]; };

struct loop_cost {
    double cycles;           /* largest bound in cycles per iteration (analysis.h) */
    enum bound_kind bottleneck;
    bool lower_bound, estimate;
};

struct build_loop {
    uint32_t function;       /* index of the function in the build */
    uint32_t instructions, depth;
    /* whether the loop executes the remaining iterations of a preceding unrolled or vectorised
     * loop */
    bool innermost, remainder;
    uint64_t position, end;  /* range of positions in the code (object_position) */
    /* address of the loop head in the file; in a relocatable file, its offset in the section */
    uint64_t address;
    /* smallest and largest stride of the loop's accesses, in bytes per iteration; 0: unknown */
    uint64_t least, most;
    uint32_t width;          /* size in bytes of the access with the smallest stride */
    uint32_t bytes;          /* total size in bytes of the accesses with known strides */
    uint64_t sequence;       /* hash of the mnemonics in order */
    struct loop_shape shape;
    const char *file;        /* source file with most of the loop's code, borrowed; NULL: unknown */
    /* first and last line of the loop in @file, and line of the loop head */
    uint32_t first_line, last_line, line;
    struct loop_cost *costs; /* cost on each machine */
};

struct build_function {
    char *name;              /* name of the symbol; if there is none, the address */
    /* name without compiler suffixes: f.constprop.0 is f */
    char *base;
    char *member;            /* name of the archive member: "member.o" of "lib.a(member.o)"; NULL:
                              * not in an archive */
    bool nameless;
    size_t first, count;     /* index of the function's first loop in the build, and number of its
                              * loops */
};

struct binary;
struct build_worker;

/* Opens the objects at @path and lists their functions. build_work finds the loops. Returns NULL
 * with err on failure or when cancelled. Any thread. */
struct binary *build_open(const char *path, struct err *err);
void build_free(struct binary *b);
/* Sets *@out to the instruction set of the file at @path, or of its first archive member with code.
 * Returns false with err. Any thread. */
bool build_isa(const char *path, enum isa *out, struct err *err);
/* build_pieces returns the number of work items, and build_work processes one of them. Any thread,
 * concurrently. A cancelled work item may lack loops. */
size_t build_pieces(const struct binary *b);
void build_work(struct binary *b, size_t piece, struct build_worker *w);
/* Creates the working storage of one thread for build_work. Borrows @machines. */
struct build_worker *build_worker_new(struct machine *const *machines, size_t count);
void build_worker_free(struct build_worker *w);
/* Fills the lists of loops and of functions with loops, which are incomplete when cancelled. Call
 * it after all work items. */
void build_finish(struct binary *b);
size_t build_function_count(const struct binary *b);
const struct build_function *build_function(const struct binary *b, size_t at);
size_t build_loop_count(const struct binary *b);
const struct build_loop *build_loop(const struct binary *b, size_t at);
/* Returns the number of functions that could not be decoded. */
size_t build_undecoded(const struct binary *b);
/* Returns the error that occurred while source lines were read; NULL: no error, or no debug
 * information. */
const char *build_lines_fault(const struct binary *b);
/* Returns the function's name, demangled if possible. The caller frees the result. */
char *build_function_readable(const struct build_function *f);
/* Returns the similarity of two shapes: the share of instructions whose kinds are in both, 0 to
 * 1. */
double loop_shape_alike(const struct loop_shape *a, const struct loop_shape *b);

#endif
