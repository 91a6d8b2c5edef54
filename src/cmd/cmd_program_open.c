/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop of a profiled program becomes the kernel. */
#include "cmd/command.h"
#include "cmd/kernel_load.h"
#include "profile/profile.h"

struct program_open_values {
    size_t number;
};

static bool run_open(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct program_open_values *v = values;
    const struct run_profile *p = s->document.profile;

    if (!p)
        return err_set(err, ERR_USAGE, "program profile PROGRAM", "no program has been profiled");
    if (v->number > p->loops.count)
        return err_set(err, ERR_USAGE, "program profile lists them", "no loop %zu: %zu loops of %s were seen", v->number, p->loops.count, p->program);
    const struct profile_loop *l = &p->loops.items[v->number - 1];
    session_set_kernel(s, kernel_hold(l->kernel), l->loop);
    s->document.kernel_measured = l->measured;
    kernel_tell_loaded(s, result);
    return !s->views || session_view(s, "view", "kernel", result, err);
}

static const struct parameter arguments[] = {
    {.name = "N", .kind = PARAMETER_COUNT, .at = offsetof(struct program_open_values, number), .required = true, .least = 1, .most = 1e9, .help = "number of the loop in the last program profile"},
    {0},
};

static const char *const examples[] = {"program open 1", NULL};

const struct command command_program_open = {
    .name = "program open",
    .help = "show a hot loop of the last program profile in the Kernel view",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct program_open_values),
    .flags = COMMAND_CHANGES,
    .run = run_open,
};
