/* Origin of a kernel: file, options and compiler, to load it again after an edit, with other
 * options, or by another compiler. */
#ifndef PORTOLAN_ANALYSIS_RECIPE_H
#define PORTOLAN_ANALYSIS_RECIPE_H

#include "analysis/kernel.h"
#include "base/vec.h"

struct recipe {
    char *path;                 /* as the user gave it */
    bool foreign;               /* from a session file, not from the user */
    bool source;                /* the file is compiled */
    char *profile;              /* perf profile that selects the hot loop; NULL: none */
    char *compiler;             /* NULL: the first installed */
    VEC(char *) flags;          /* of the compiler */
    char *target;               /* target processor; NULL: from the flags */
    /* replacement for a flag that some compilers lack, static; NULL: none */
    const char *generic;
    struct kernel_options options;   /* owns its symbol and source_path */
    char *printed;              /* compiler messages; NULL: none */
};

struct recipe *recipe_new(void);
void recipe_free(struct recipe *r);
/* Copies all of it except @printed. */
struct recipe *recipe_copy(const struct recipe *r);
/* Adds @flag, replacing one of the same kind (-O3 for -O2, -march=B for -march=A); a processor flag
 * also replaces the target. */
void recipe_add_flag(struct recipe *r, const char *flag);
/* The effective optimisation level with its dash: "-O2"; NULL if none is given. Borrowed. */
const char *recipe_level(const struct recipe *r);
/* Returns whether @flag selects a processor: -march=, -mcpu=, -mtune=. */
bool recipe_names_target(const char *flag);
/* Appends " -O2 -march=skylake", preceded by a selected compiler; nothing if nothing is
 * compiled. */
void recipe_print(const struct recipe *r, enum isa isa, struct str *out);
/* Makes the kernel, which keeps @take_r. *@printed (may be NULL) gets the compiler's messages if it
 * rejects the source. NULL with err. Any thread. */
struct kernel *recipe_make(struct recipe *take_r, struct str *printed, struct err *err);

#endif
