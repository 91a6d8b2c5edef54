/* A program built by portolan-cc: its blocks with successors, operations and references, and its
 * uninstrumented machine code. All data come from the executable. Immutable. Any thread. */
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
    uint32_t unit, function;       /* indices of unit and function in the program */
    uint32_t line;                 /* source line; 0: unknown */
    struct graphlet_op *ops;
    size_t op_count;
    uint32_t *next;                /* successors, in the order of the branch's operands */
    size_t next_count;
    bool two_way;                  /* whether the block ends in a conditional branch */
    /* number of the block's selects that are branches in the machine code */
    uint32_t selects;
    /* names of called functions that are not inlined; "(pointer)": an indirect call */
    char **calls;
    size_t call_count;
};

/* A load or store of the compiled code */
struct program_reference {
    uint32_t block;
    uint32_t bytes;                /* size in bytes of the access; 0: a range of variable length */
    bool write;
    /* whether the address is constant, that is, of a frame or global variable */
    bool fixed;
};

struct program_function {
    char *name;
    struct control *control;
    uint32_t first_block, block_count;
};

/* A compiled source file */
struct program_unit {
    char *key, *source, *language, *level;
    /* assembler text, in which .loc lines are 1 + block number within the unit */
    char *assembly;
    uint32_t first_block, block_count, first_reference, reference_count, first_function,
        function_count;
    struct control_symbols *symbols;
};

struct program_sizes;

struct program {
    char *path;                    /* path of the executable */
    /* uninstrumented executable for measurement; NULL: none */
    char *untraced;
    char *name;                    /* display name */
    char *directory;               /* build directory, which program_free removes; NULL: none */
    struct program_unit *units;
    size_t unit_count;
    struct index by_key;           /* index that finds units by key */
    struct program_function *functions;
    size_t function_count;
    struct program_block *blocks;
    size_t block_count;
    struct program_reference *references;
    size_t reference_count;
    /* builds for other sizes (program/sizes.h), and the function that frees them; NULL: none */
    struct program_sizes *sizes;
    void (*sizes_free)(struct program_sizes *s);
    _Atomic unsigned holders;      /* number of references in addition to the creator's */
};

/* Returns whether portolan-cc linked the executable @path. */
bool program_is_built(const char *path);
/* Creates a program from consecutive descriptions in @bytes. @name: the program's name. Returns
 * NULL with err. */
struct program *program_read(const char *name, const struct str *bytes, struct err *err);
/* Appends the descriptions in the executable of @p, in the form that program_read parses. Returns
 * false with err. */
bool program_descriptions(const struct program *p, struct str *out, struct err *err);
/* Opens the executable @path. Takes @take_directory (from child_directory_new, or NULL) even on
 * failure. Returns NULL with err on failure. */
struct program *program_open(const char *path, const char *name, char *take_directory,
                             struct err *err);
/* Opens an executable like program_open, together with the executable for measurements, @untraced
 * (may be NULL). Returns NULL with err on failure. */
struct program *program_open_both(const char *path, const char *untraced, struct err *err);
/* Sets the executable for measurements. Resolves links in @path, because samples of perf have the
 * resolved path. */
void program_set_untraced(struct program *p, const char *path);
/* Releases a reference. The last release frees the program. Any thread. */
void program_free(const struct program *p);
/* Adds a reference, which program_free releases. Any thread. */
const struct program *program_hold(const struct program *p);
/* Returns whether the program defines function @name. */
bool program_has(const struct program *p, const char *name);
/* Returns the unit with key @key; NULL: none. */
const struct program_unit *program_unit_find(const struct program *p, const char *key);


/* Compiles and links with @count words of a command line: sources and compiler options. Opens the
 * result. Messages contain @name. Returns NULL with the compiler's first error in err. */
struct program *program_build(const char *const *words, size_t count, const char *name,
                              struct err *err);

#endif
