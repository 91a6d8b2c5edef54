/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/sizes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "program/program.h"

struct sized {
    char *defines;
    const struct program *program;
};

struct program_sizes {
    char *name;
    VEC(char *) words;
    pthread_mutex_t lock;
    VEC(struct sized) built;
};

static void sizes_free(struct program_sizes *s)
{
    for (size_t i = 0; i < s->words.count; i++)
        free(s->words.items[i]);
    vec_done(&s->words);
    for (size_t i = 0; i < s->built.count; i++) {
        free(s->built.items[i].defines);
        program_free(s->built.items[i].program);
    }
    vec_done(&s->built);
    pthread_mutex_destroy(&s->lock);
    free(s->name);
    free(s);
}

/* Enables builds of @p for other sizes from the @count arguments @words. */
static void add_sizes(struct program *p, const char *const *words, size_t count, const char *name)
{
    struct program_sizes *s = mem_zero(1, sizeof *s);

    s->name = mem_strdup(name);
    for (size_t i = 0; i < count; i++)
        vec_push(&s->words, mem_strdup(words[i]));
    pthread_mutex_init(&s->lock, NULL);
    p->sizes = s;
    p->sizes_free = sizes_free;
}

/* Returns whether @a and @b have the same blocks, successors and references, so their runs are
 * comparable. */
static bool same_shape(const struct program *a, const struct program *b)
{
    if (a->unit_count != b->unit_count || a->function_count != b->function_count ||
        a->block_count != b->block_count || a->reference_count != b->reference_count)
        return false;
    for (size_t i = 0; i < a->block_count; i++)
        if (a->blocks[i].next_count != b->blocks[i].next_count ||
            a->blocks[i].two_way != b->blocks[i].two_way ||
            memcmp(a->blocks[i].next, b->blocks[i].next,
                   a->blocks[i].next_count * sizeof *a->blocks[i].next) != 0)
            return false;
    for (size_t i = 0; i < a->reference_count; i++)
        if (a->references[i].block != b->references[i].block ||
            a->references[i].write != b->references[i].write)
            return false;
    return true;
}

/* Builds the program with the additional options @defines, separated by blanks. */
static struct program *build(const char *const *words, size_t count, const char *name,
                             const char *defines, struct err *err)
{
    VEC(const char *) all = {0};
    VEC(char *) own = {0};

    for (size_t i = 0; i < count; i++)
        vec_push(&all, words[i]);
    for (const char *at = defines; *at; at += strcspn(at, " ") + 1) {
        vec_push(&own, mem_strndup(at, strcspn(at, " ")));
        vec_push(&all, own.items[own.count - 1]);
    }
    struct program *p = program_build(all.items, all.count, name, err);
    for (size_t i = 0; i < own.count; i++)
        free(own.items[i]);
    vec_done(&own);
    vec_done(&all);
    return p;
}

struct program *program_build_sized(const char *const *words, size_t count, const char *name,
                                    const struct invocation *how, struct err *err)
{
    struct str defines = {0};

    invocation_macros(how, NULL, SIZES_FIRST, &defines);
    struct program *p = build(words, count, name, str_text(&defines), err);
    if (p)
        add_sizes(p, words, count, name);
    str_done(&defines);
    return p;
}

/* Appends an option for each input that is a macro. Returns false if no input is a macro. */
static bool add_defines(const struct program *p, const struct invocation *how, char *const *names,
                        const double *inputs, size_t count, struct str *out)
{
    for (size_t i = 0; p->sizes && i < count; i++)
        invocation_macros(how, names[i], inputs[i], out);
    return out->length > 0;
}

const struct program *program_rebuilt(const struct program *p, const struct invocation *how,
                                      char *const *names, const double *inputs, size_t count,
                                      struct err *err)
{
    struct str defines = {0};
    struct program *built = NULL;

    if (!add_defines(p, how, names, inputs, count, &defines))
        return program_hold(p);
    const struct program_sizes *s = p->sizes;
    const char *const *words = (const char *const *)s->words.items;
    built = build(words, s->words.count, s->name, str_text(&defines), err);
    if (built)
        add_sizes(built, words, s->words.count, s->name);
    str_done(&defines);
    return built;
}

/* Returns @p built for @inputs: a cached build, or @p itself if no input is a macro. Returns NULL
 * with err if the build fails. */
static const struct program *find_build(const struct program *p, const struct invocation *how,
                                        char *const *names, const double *inputs, size_t count,
                                        struct err *err)
{
    struct program_sizes *s = p->sizes;
    const struct program *found = NULL;
    struct str defines = {0};

    if (!add_defines(p, how, names, inputs, count, &defines))
        return p;
    lock_take(&s->lock);
    for (size_t i = 0; i < s->built.count && !found; i++)
        if (strcmp(s->built.items[i].defines, str_text(&defines)) == 0)
            found = s->built.items[i].program;
    if (!found && (found = build((const char *const *)s->words.items, s->words.count, s->name,
                                 str_text(&defines), err)) != NULL)
        vec_push(&s->built, ((struct sized){mem_strdup(str_text(&defines)), found}));
    lock_give(&s->lock);
    str_done(&defines);
    return found;
}

bool program_has_shape(const struct program *p, const struct invocation *how, char *const *names,
                       const double *inputs, size_t count, bool *same, struct err *err)
{
    const struct program *found = find_build(p, how, names, inputs, count, err);

    *same = found && same_shape(found, p);
    return found != NULL;
}

const struct program *program_sized(const struct program *p, const struct invocation *how,
                                    char *const *names, const double *inputs, size_t count,
                                    struct err *err)
{
    const struct program *found = find_build(p, how, names, inputs, count, err);
    struct str defines = {0};

    if (!found || same_shape(found, p))
        return found;
    add_defines(p, how, names, inputs, count, &defines);
    err_set(err, ERR_DATA, SIZES_REMEDY,
            "the compiler generates other blocks for %sthan for the largest size of the runs",
            str_text(&defines));
    str_done(&defines);
    return NULL;
}
