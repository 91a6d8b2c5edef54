/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/recipe.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/mem.h"

struct recipe *recipe_new(void)
{
    return mem_zero(1, sizeof(struct recipe));
}

void recipe_free(struct recipe *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->flags.count; i++)
        free(r->flags.items[i]);
    vec_done(&r->flags);
    free((char *)r->options.symbol);
    free((char *)r->options.source_path);
    free(r->path);
    free(r->profile);
    free(r->compiler);
    free(r->target);
    free(r->printed);
    free(r);
}

static char *copy_of(const char *text)
{
    return text ? mem_strdup(text) : NULL;
}

struct recipe *recipe_copy(const struct recipe *r)
{
    struct recipe *copy = recipe_new();

    copy->path = copy_of(r->path);
    copy->foreign = r->foreign;
    copy->source = r->source;
    copy->profile = copy_of(r->profile);
    copy->compiler = copy_of(r->compiler);
    copy->target = copy_of(r->target);
    copy->generic = r->generic;
    copy->options = r->options;
    copy->options.symbol = copy_of(r->options.symbol);
    copy->options.source_path = copy_of(r->options.source_path);
    for (size_t i = 0; i < r->flags.count; i++)
        vec_push(&copy->flags, mem_strdup(r->flags.items[i]));
    return copy;
}

bool recipe_names_target(const char *flag)
{
    return str_has_prefix(flag, "-march=") || str_has_prefix(flag, "-mcpu=") ||
           str_has_prefix(flag, "-mtune=");
}

/* Returns the number of characters of @flag that identify its setting. If only an equal flag has
 * the same setting, this is the length plus 1, for the NUL. */
static size_t subject(const char *flag)
{
    return str_has_prefix(flag, "-O")                                   ? 2
           : recipe_names_target(flag) || str_has_prefix(flag, "-std=") ? strcspn(flag, "=") + 1
                                                                        : strlen(flag) + 1;
}

void recipe_add_flag(struct recipe *r, const char *flag)
{
    size_t length = subject(flag);

    if (recipe_names_target(flag) && !str_has_prefix(flag, "-mtune=")) {
        free(r->target);
        r->target = NULL;
    }
    for (size_t i = 0; i < r->flags.count; i++) {
        if (strncmp(r->flags.items[i], flag, length) != 0)
            continue;
        free(r->flags.items[i]);
        if (length <= strlen(flag)) {
            r->flags.items[i] = mem_strdup(flag);
            return;
        }
        /* Moves an equal flag to the end, because the last of contradicting flags (-fx, -fno-x) is
         * effective. */
        r->flags.count--;
        memmove(&r->flags.items[i], &r->flags.items[i + 1],
                (r->flags.count - i) * sizeof *r->flags.items);
        break;
    }
    vec_push(&r->flags, mem_strdup(flag));
}

const char *recipe_level(const struct recipe *r)
{
    const char *level = NULL;

    for (size_t i = 0; i < r->flags.count; i++)
        level = str_has_prefix(r->flags.items[i], "-O") ? r->flags.items[i] : level;
    return level;
}

void recipe_print(const struct recipe *r, enum isa isa, struct str *out)
{
    if (!r->source)
        return;
    if (r->compiler)
        str_addf(out, " %s", r->compiler);
    for (size_t i = 0; i < r->flags.count; i++)
        str_addf(out, " %s", r->flags.items[i]);
    if (r->target)
        str_addf(out, " %s%s", isa_ops(isa)->target_option, r->target);
}

struct kernel *recipe_make(struct recipe *take_r, struct str *printed, struct err *err)
{
    struct kernel *k = take_r->source    ? kernel_from_source(take_r, printed, err)
                       : take_r->profile ? kernel_from_profile(take_r->path, take_r->profile,
                                                               &take_r->options, err)
                                         : kernel_load(take_r->path, &take_r->options, err);

    if (k)
        k->recipe = take_r;
    else
        recipe_free(take_r);
    return k;
}
