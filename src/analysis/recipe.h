/* Origin of a kernel: file, options and compiler. With the recipe the kernel can be loaded again
 * after an edit, with other options, or with another compiler. */
#ifndef PORTOLAN_ANALYSIS_RECIPE_H
#define PORTOLAN_ANALYSIS_RECIPE_H

#include "analysis/kernel.h"
#include "base/vec.h"

struct recipe {
    char *path;                 /* path that the user typed */
    bool foreign;               /* whether the recipe is from a session file, not from the user */
    bool source;                /* whether the file is compiled */
    char *profile;              /* perf profile that selects the hot loop; NULL: none */
    char *compiler;             /* compiler; NULL: the first installed one */
    VEC(char *) flags;          /* compiler flags */
    char *target;               /* target processor; NULL: the flags determine it */
    /* static flag that replaces @target for compilers that lack it; NULL: none */
    const char *generic;
    struct kernel_options options;   /* options, whose symbol and source_path are owned */
    char *printed;              /* compiler messages; NULL: none */
};

struct recipe *recipe_new(void);
void recipe_free(struct recipe *r);
/* Returns a copy of all members except @printed. */
struct recipe *recipe_copy(const struct recipe *r);
/* Adds @flag, and removes a flag of the same kind (-O3 replaces -O2, -march=B replaces -march=A).
 * -march= and -mcpu= also replace the target. */
void recipe_add_flag(struct recipe *r, const char *flag);
/* Returns the effective optimisation level with its dash, "-O2", borrowed; NULL: none. */
const char *recipe_level(const struct recipe *r);
/* Returns whether @flag selects a processor: -march=, -mcpu=, -mtune=. */
bool recipe_names_target(const char *flag);
/* Appends the flags, such as " -O2 -march=skylake", after the selected compiler's name, if any.
 * Appends nothing if the file is not compiled. */
void recipe_print(const struct recipe *r, enum isa isa, struct str *out);
/* Makes the kernel and stores @take_r in it. If the compiler rejects the source, sets *@printed
 * (may be NULL) to its messages. On failure, frees @take_r and returns NULL with err. Any
 * thread. */
struct kernel *recipe_make(struct recipe *take_r, struct str *printed, struct err *err);

#endif
