/* All loops of one build of a program, library, object file or archive, with their costs and with
 * features that match them to loops of another build. */
#ifndef PORTOLAN_ANALYSIS_BUILD_LOOPS_H
#define PORTOLAN_ANALYSIS_BUILD_LOOPS_H

#include "analysis/bounds.h"
#include "analysis/functions.h"
#include "analysis/kernel.h"
#include "base/vec.h"
#include "model/machine.h"

#define SHAPE_KINDS 64   /* kinds of instructions, by mnemonic */

/* Number of instructions of each kind in a loop, saturating at 255. */
struct loop_shape { uint8_t counts[SHAPE_KINDS]; };

struct loop_cost {
    double cycles;           /* per iteration, the largest bound (analysis.h) */
    enum bound_kind bottleneck;
    bool lower_bound, estimate;
};

struct build_loop {
    uint32_t function;       /* of the build */
    uint32_t instructions, depth;
    /* remainder loop of an unrolled or vectorised one before it */
    bool innermost, remainder;
    uint64_t position, end;  /* bytes of code (object_position) */
    /* address of its head in the file, or offset in the section of a relocatable file */
    uint64_t address;
    uint64_t least, most;    /* bytes that its accesses advance per iteration; 0: unknown */
    uint32_t width;          /* bytes of the access with the smallest step */
    uint64_t sequence;       /* hash of its mnemonics in order */
    struct loop_shape shape;
    const char *file;        /* source file of most of its code, borrowed; NULL: unknown */
    uint32_t first_line, last_line, line;   /* lines of that file; line: of its head */
    struct loop_cost *costs; /* by machine */
};

struct build_function {
    char *name;              /* symbol name; a function without a symbol has its address */
    /* name without compiler suffixes: f.constprop.0 is f */
    char *base;
    char *member;            /* archive member: lib.a(member.o); NULL: none */
    bool nameless;
    size_t first, count;     /* range of its loops */
};

struct binary;
struct build_worker;

/* Reads the objects at @path and lists their functions with loops; loops are found by build_work.
 * NULL with err. Any thread. */
struct binary *build_open(const char *path, struct err *err);
void build_free(struct binary *b);
/* Instruction set of the file at @path; of an archive that of its first member with code. False
 * with err. Any thread. */
bool build_isa(const char *path, enum isa *out, struct err *err);
/* Number of work items for build_work, which may run concurrently on any thread. A cancelled item
 * omits its loops. */
size_t build_pieces(const struct binary *b);
void build_work(struct binary *b, size_t piece, struct build_worker *w);
/* Creates the storage that one thread needs for build_work on the machines, which are borrowed. */
struct build_worker *build_worker_new(struct machine *const *machines, size_t count);
void build_worker_free(struct build_worker *w);
/* Completes the lists after all work items. */
void build_finish(struct binary *b);
size_t build_function_count(const struct binary *b);
const struct build_function *build_function(const struct binary *b, size_t at);
size_t build_loop_count(const struct binary *b);
const struct build_loop *build_loop(const struct binary *b, size_t at);
/* Number of functions that could not be decoded, and of objects whose source lines could not be
 * read. */
size_t build_undecoded(const struct binary *b);
/* Why source lines are missing; NULL: they are not, or there is no debug information. */
const char *build_lines_fault(const struct binary *b);
/* The function's demangled name; the caller frees. */
char *build_function_readable(const struct build_function *f);
/* Similarity of two shapes, 0 to 1: common instructions by kind as a share of all. */
double loop_shape_alike(const struct loop_shape *a, const struct loop_shape *b);

#endif
