/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/similar.h"
#include "base/str.h"
#include "cmd/command.h"
#include "cmd/loading.h"
#include "cmd/program.h"
#include "profile/profile.h"
#include "program/study.h"

struct program_open_values {
    const char *what;
};

static bool open_loop(struct session *s, size_t number, struct err *err)
{
    const struct run_profile *p = s->document.profile;

    if (!p)
        return err_set(err, ERR_USAGE, "use program profile PROGRAM",
                       "no program has been profiled");
    const struct profile_loop *l = program_profiled_loop(p, number, err);
    if (!l)
        return false;
    session_set_kernel(s, kernel_hold(l->kernel), l->loop);
    s->document.kernel_measured = l->measured;
    return true;
}

/* Returns whether @b's name is a source file, a colon and @name. The file distinguishes functions
 * of the same name. */
static bool is_of_a_file(const struct study_block *b, const char *name)
{
    size_t length = strlen(b->name), name_length = strlen(name);
    return length > name_length + 1 && b->name[length - name_length - 1] == ':' &&
           strcmp(b->name + length - name_length, name) == 0;
}

/* Returns false with err if several files have a function @name, because the name is then
 * ambiguous. */
static bool refuse_shared(const struct study *study, const char *name, struct err *err)
{
    struct str names = {0};
    size_t count = 0;

    for (size_t i = 0; i < study->blocks.count; i++) {
        const struct study_block *b = &study->blocks.items[i];
        if (!is_of_a_file(b, name))
            continue;
        str_addf(&names, "%s%s", count++ ? " or " : "program open ", b->name);
        if (b->line)
            str_addf(&names, " (line %u)", b->line);
    }
    if (count)
        err_set(err, ERR_USAGE, str_text(&names), "several files have a function \"%s\"", name);
    str_done(&names);
    return count == 0;
}

static bool open_block(struct session *s, const char *name, struct err *err)
{
    const struct study *study = s->document.program.study;
    struct similar similar = {.word = name};
    char todo[SIMILAR_TODO];

    if (!study || !study->estimator)
        return err_set(err, ERR_USAGE, "use program show",
                       "the program has not been predicted, so it has no block \"%s\"", name);
    for (size_t i = 0; i < study->blocks.count; i++) {
        const struct study_block *b = &study->blocks.items[i];
        if (strcmp(b->name, name) != 0) {
            similar_try(&similar, b->name);
            continue;
        }
        if (b->loop == UINT32_MAX)
            return err_set(err, ERR_DATA, "open the previous or next block",
                           "block %s has no instructions", name);
        session_set_kernel(s, kernel_hold(estimator_code(study->estimator)->units[b->unit].kernel),
                           b->loop);
        return true;
    }
    if (!refuse_shared(study, name, err))
        return false;
    return err_set(err, ERR_USAGE, similar_todo(&similar, "program show lists all blocks", todo),
                   "no executed block has the name \"%s\"", name);
}

static bool run_open(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct program_open_values *v = values;
    size_t number;

    if (parameter_count(v->what, &number) ? !open_loop(s, number, err)
                                          : !open_block(s, v->what, err))
        return false;
    kernel_tell_loaded(s, result);
    return !s->interactive || !s->views || session_view(s, "view", "kernel", result, err);
}

const struct command command_program_open = {
    .name = "program open",
    .help = "show a hot loop of the last program profile, or a block, in the place LOOP",
    .description = "A block in a loop is shown with its innermost loop, any other block with its "
                   "own instructions. If functions of several files have the same name, put the "
                   "file first: a.c:update:3.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "N|BLOCK", struct program_open_values, what), .required = true,
         .help = "number of a loop in the last program profile, or name of a block in the last "
                 "program show"}),
    .examples = EXAMPLES("program open 1", "program open main:12"),
    .values_size = sizeof(struct program_open_values),
    .flags = COMMAND_CHANGES,
    .run = run_open,
};
