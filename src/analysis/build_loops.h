/* All loops of one build of a program, library, object file or archive, with what identifies a loop
 * in another build, and the cost of each. */
#ifndef PORTOLAN_ANALYSIS_BUILD_LOOPS_H
#define PORTOLAN_ANALYSIS_BUILD_LOOPS_H

#include "analysis/bounds.h"
#include "analysis/functions.h"
#include "analysis/kernel.h"
#include "base/vec.h"
#include "model/machine.h"

#define SHAPE_KINDS 64   /* of instructions, by their mnemonics */

/* How often each kind of instruction is in a loop; counts beyond 255 stay there. */
struct loop_shape { uint8_t counts[SHAPE_KINDS]; };

struct loop_cost {
    double cycles;           /* per iteration, the largest bound (analysis.h) */
    enum bound_kind bottleneck;
    bool lower_bound, estimate;
};

struct build_loop {
    uint32_t function;       /* of the build */
    uint32_t instructions, depth;
    /* remainder: iterations left over by an unrolled or vectorised loop before it */
    bool innermost, remainder;
    uint64_t position, end;  /* of its code (object_position) */
    /* of its head, as the file has it; of a relocatable file its place in the section */
    uint64_t address;
    uint64_t least, most;    /* bytes by which its accesses advance per iteration, 0: not known */
    uint32_t width;          /* bytes of the access that advances least */
    uint64_t sequence;       /* a hash of its mnemonics in their order */
    struct loop_shape shape;
    const char *file;        /* the source with most of its code, borrowed; NULL: not known */
    uint32_t first_line, last_line, line;   /* of that file; line: of its head */
    struct loop_cost *costs; /* by machine */
};

struct build_function {
    char *name;              /* of the symbol; a function without one has its address */
    /* the same without a compiler's suffixes: f.constprop.0 is f */
    char *base;
    char *member;            /* of an archive: lib.a(member.o); NULL */
    bool nameless;
    size_t first, count;     /* of its loops */
};

struct binary;

/* The objects at @path, read, and their functions with loops listed; no loop is known yet. NULL
 * with err. Any thread. */
struct binary *build_open(const char *path, struct err *err);
void build_free(struct binary *b);
/* The instruction set of the file at @path, of an archive that of its first member with code. False
 * with err. Any thread. */
bool build_isa(const char *path, enum isa *out, struct err *err);
/* Pieces of work for build_work: on any thread, concurrently with others. A piece that the thread's
 * watch ends leaves loops out. */
size_t build_pieces(const struct binary *b);
void build_work(struct binary *b, size_t piece, struct machine *const *machines, size_t count);
/* When all pieces are done: the lists are whole. */
void build_finish(struct binary *b);
size_t build_function_count(const struct binary *b);
const struct build_function *build_function(const struct binary *b, size_t at);
size_t build_loop_count(const struct binary *b);
const struct build_loop *build_loop(const struct binary *b, size_t at);
/* Functions whose code could not be decoded, and objects whose source lines could not be read. */
size_t build_undecoded(const struct binary *b);
/* Why source lines are missing; NULL: they are not, or there is no debug information. */
const char *build_lines_fault(const struct binary *b);
/* The function as people write it, to be freed. */
char *build_function_readable(const struct build_function *f);
/* How alike two shapes are, from 0 to 1: instructions of the same kinds, as a share of those of
 * either. */
double loop_shape_alike(const struct loop_shape *a, const struct loop_shape *b);

#endif
