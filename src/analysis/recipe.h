/* How a kernel was made of a file, so that it can be made again: after an edit, with other options,
 * by another compiler. */
#ifndef PORTOLAN_ANALYSIS_RECIPE_H
#define PORTOLAN_ANALYSIS_RECIPE_H

#include "analysis/kernel.h"
#include "base/vec.h"

struct recipe {
    char *path;                 /* as it was given */
    bool foreign;               /* a session's file named it, not the user */
    bool source;                /* it is to be compiled */
    char *profile;              /* a perf profile, whose samples select the hot loop; NULL: none */
    char *compiler;             /* NULL: the first installed */
    VEC(char *) flags;          /* for it */
    char *target;               /* the target processor; NULL: by the flags */
    /* an alternative flag for compilers that lack it, static; NULL: nothing */
    const char *generic;
    struct kernel_options options;   /* its symbol and source_path are owned */
    char *printed;              /* messages of the compiler; NULL: none */
};

struct recipe *recipe_new(void);
void recipe_free(struct recipe *r);
/* All of it except printed. */
struct recipe *recipe_copy(const struct recipe *r);
/* Replaces a flag of the same kind by @flag (-O3 for -O2, -march=B for -march=A), else appends it;
 * a processor replaces target. */
void recipe_add_flag(struct recipe *r, const char *flag);
/* The optimisation level that holds, with its dash: "-O2", NULL when none is given. Borrowed. */
const char *recipe_level(const struct recipe *r);
/* Whether @flag names a processor: -march=, -mcpu=, -mtune=. */
bool recipe_names_target(const char *flag);
/* Appends " -O2 -march=skylake", a compiler that was named before it; nothing where nothing is
 * compiled. */
void recipe_print(const struct recipe *r, enum isa isa, struct str *out);
/* Makes the kernel, which keeps @take_r; *@printed (may be NULL) gets the compiler's messages when
 * it refused the source. NULL on failure. Any thread. */
struct kernel *recipe_make(struct recipe *take_r, struct str *printed, struct err *err);

#endif
