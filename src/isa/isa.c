/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "isa/a64/ops.h"
#include "isa/x86/ops.h"

static const struct isa_ops *const sets[ISA_COUNT] = {&x86_ops, &a64_ops};

const struct isa_ops *isa_ops(enum isa isa)
{
    return sets[isa];
}

const char *isa_name(enum isa isa)
{
    return sets[isa]->name;
}

bool isa_parse(const char *name, enum isa *out)
{
    for (int i = 0; i < ISA_COUNT; i++)
        if (strcmp(name, sets[i]->name) == 0) {
            *out = (enum isa)i;
            return true;
        }
    return false;
}

size_t isa_step(enum isa isa)
{
    return sets[isa]->step;
}

static bool on_path(const char *program)
{
    const char *path = getenv("PATH");
    bool found = false;

    for (const char *at = path ? path : ""; *at && !found; at += strcspn(at, ":"), at += *at == ':') {
        struct str file = {0};
        str_addf(&file, "%.*s/%s", (int)strcspn(at, ":"), at, program);
        found = access(str_text(&file), X_OK) == 0;
        str_done(&file);
    }
    return found;
}

const char *isa_tool(enum isa isa, const char *name, char *buffer, size_t size)
{
    bool native = isa == isa_host();

    snprintf(buffer, size, "%s-%s", sets[isa]->tool_prefix, name);
    if (native && (sets[isa]->plain_tools || !on_path(buffer)))
        snprintf(buffer, size, "%s", name);
    return buffer;
}
