/* A whole program as built by portolan-cc: its blocks with successors, operations and references,
 * and its machine code without counters. Read from the executable; it never changes, so any number
 * of threads read it at once. */
#ifndef PORTOLAN_PROGRAM_PROGRAM_H
#define PORTOLAN_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/index.h"
#include "base/str.h"
#include "program/control.h"
#include "program/graphlet.h"

struct program_block {
    uint32_t unit, function;       /* indices */
    uint32_t line;                 /* of the source; 0: not known */
    struct graphlet_op *ops;
    size_t op_count;
    uint32_t *next;                /* blocks it leads to, in the branch's order */
    size_t next_count;
    bool two_way;                  /* the first way's executions are counted */
    /* functions called that are not inlined; "(pointer)" for others */
    char **calls;
    size_t call_count;
};

/* A load or store of the compiled code. */
struct program_reference {
    uint32_t block;
    uint32_t bytes;                /* 0: a range of a length known when it runs */
    bool write;
    bool fixed;                    /* at a fixed place: of the frame, or of a global variable */
};

struct program_function {
    char *name;
    struct control *control;
    uint32_t first_block, block_count;
};

/* A compiled file. */
struct program_unit {
    char *key, *source, *language, *level;
    char *assembly;                /* its .loc lines are block numbers within the unit, from 1 */
    uint32_t first_block, block_count, first_reference, reference_count, first_function,
        function_count;
    struct control_symbols *symbols;
};

struct program_sizes;

struct program {
    char *path;                    /* the executable */
    /* the same without counters, for measuring; NULL: there is none */
    char *untraced;
    char *name;                    /* for people */
    char *directory;               /* it was built in, goes with it; NULL: none */
    struct program_unit *units;
    size_t unit_count;
    struct index by_key;           /* of the units */
    struct program_function *functions;
    size_t function_count;
    struct program_block *blocks;
    size_t block_count;
    struct program_reference *references;
    size_t reference_count;
    /* builds of other sizes (program/sizes.h), and what frees them; NULL: there are none */
    struct program_sizes *sizes;
    void (*sizes_free)(struct program_sizes *s);
    _Atomic unsigned holders;      /* besides the creator */
};

/* Whether @path is an executable that portolan-cc linked. */
bool program_is_built(const char *path);
/* Reads the descriptions in @bytes, in sequence; @name is the program's name. NULL with err. */
struct program *program_read(const char *name, const struct str *bytes, struct err *err);
/* Appends the descriptions in the executable of @p, which program_read takes elsewhere. False with
 * err. */
bool program_descriptions(const struct program *p, struct str *out, struct err *err);
/* Reads the descriptions in the executable @path; takes @take_directory (of child_directory_new,
 * may be NULL) in either case. NULL with err. */
struct program *program_open(const char *path, const char *name, char *take_directory,
                             struct err *err);
/* The same of @path, with @untraced, which may be NULL, as the measured executable. NULL with
 * err. */
struct program *program_open_both(const char *path, const char *untraced, struct err *err);
/* Makes the executable @path the one that is measured for @p: by its place without links, as the
 * system names it when sampling. */
void program_set_untraced(struct program *p, const char *path);
/* The last holder's call frees it. */
void program_free(const struct program *p);
/* One more may use it, on any thread, and is to program_free it. */
const struct program *program_hold(const struct program *p);
/* Whether a function of its own is called @name. */
bool program_has(const struct program *p, const char *name);
/* The unit called @key; NULL when there is none. */
const struct program_unit *program_unit_find(const struct program *p, const char *key);

#endif
