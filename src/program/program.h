/* A whole program built by portolan-cc: its blocks with successors, operations and references, and
 * its uninstrumented machine code. Read from the executable; immutable, so any number of threads
 * may read it. */
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
    uint32_t line;                 /* source line; 0: unknown */
    struct graphlet_op *ops;
    size_t op_count;
    uint32_t *next;                /* successors, in the branch's order */
    size_t next_count;
    bool two_way;                  /* executions of the first direction are counted */
    /* called functions that are not inlined; "(pointer)" for indirect calls */
    char **calls;
    size_t call_count;
};

/* A load or store of the compiled code. */
struct program_reference {
    uint32_t block;
    uint32_t bytes;                /* 0: a range whose length varies */
    bool write;
    bool fixed;                    /* constant place: in the frame, or a global variable */
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
    /* uninstrumented executable for measurement; NULL: none */
    char *untraced;
    char *name;                    /* display name */
    char *directory;               /* build directory, removed with it; NULL: none */
    struct program_unit *units;
    size_t unit_count;
    struct index by_key;           /* index of the units */
    struct program_function *functions;
    size_t function_count;
    struct program_block *blocks;
    size_t block_count;
    struct program_reference *references;
    size_t reference_count;
    /* builds for other sizes (program/sizes.h) and their destructor; NULL: none */
    struct program_sizes *sizes;
    void (*sizes_free)(struct program_sizes *s);
    _Atomic unsigned holders;      /* besides the creator */
};

/* Returns whether portolan-cc linked the executable @path. */
bool program_is_built(const char *path);
/* Reads consecutive descriptions in @bytes; @name is the program's name. NULL with err. */
struct program *program_read(const char *name, const struct str *bytes, struct err *err);
/* Appends the descriptions in the executable of @p, as program_read takes them. False with err. */
bool program_descriptions(const struct program *p, struct str *out, struct err *err);
/* Reads the descriptions in the executable @path; takes @take_directory (of child_directory_new,
 * may be NULL) in either case. NULL with err. */
struct program *program_open(const char *path, const char *name, char *take_directory,
                             struct err *err);
/* As program_open, with @untraced (may be NULL) as the executable to measure. NULL with err. */
struct program *program_open_both(const char *path, const char *untraced, struct err *err);
/* Sets the executable to measure, with links resolved, as perf names it in samples. */
void program_set_untraced(struct program *p, const char *path);
/* Frees the program when its last holder calls it. */
void program_free(const struct program *p);
/* Adds a holder, on any thread, which calls program_free. */
const struct program *program_hold(const struct program *p);
/* Returns whether it has a function @name of its own. */
bool program_has(const struct program *p, const char *name);
/* Returns the unit with key @key, or NULL. */
const struct program_unit *program_unit_find(const struct program *p, const char *key);

/* build.c: programs built from source by portolan-cc. */

/* Compiles and links the @count words, sources and compiler options, and opens the result; @name is
 * for messages. On failure NULL with the compiler's first error in err. */
struct program *program_build(const char *const *words, size_t count, const char *name,
                              struct err *err);

#endif
