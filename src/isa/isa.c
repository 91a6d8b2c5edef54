/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"

#define ISA_NAME(value, ops, name) [value] = name,
static const char *const names[ISA_COUNT] = {ISA_SETS(ISA_NAME)};

const struct isa_relocation *isa_relocation(enum isa isa, unsigned type)
{
    const struct isa_relocation *kind = isa_ops(isa)->relocations;

    while (kind->spelling && kind->type != type)
        kind++;
    return kind->spelling ? kind : NULL;
}

const char *isa_name(enum isa isa)
{
    return names[isa];
}

bool isa_parse(const char *name, enum isa *out)
{
    for (int i = 0; i < ISA_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum isa)i;
            return true;
        }
    return false;
}

void isa_list(bool titles, const char *last, struct str *out)
{
    for (int i = 0; i < ISA_COUNT; i++)
        str_addf(out, "%s%s",
                 i == 0              ? ""
                 : i + 1 < ISA_COUNT ? ", "
                                     : last,
                 titles ? isa_ops((enum isa)i)->title : names[i]);
}

bool isa_form_has(enum isa isa, const char *form, enum form_trait trait)
{
    return isa_ops(isa)->form_traits && isa_ops(isa)->form_traits(form) & (unsigned)trait;
}

enum form_kind isa_form_kind(enum isa isa, const char *form)
{
    return isa_ops(isa)->form_kind(form);
}

const struct isa_ops *isa_of_dialects(void)
{
    enum isa isa = 0;
    while (!isa_ops(isa)->dialects)
        isa++;
    return isa_ops(isa);
}

size_t isa_step(enum isa isa)
{
    return isa_ops(isa)->step;
}

const char *isa_tool(enum isa isa, const char *name, char *buffer, size_t size)
{
    bool native = isa == isa_host();

    snprintf(buffer, size, "%s-%s", isa_ops(isa)->tool_prefix, name);
    if (native && (isa_ops(isa)->plain_tools || !path_has_program(buffer)))
        snprintf(buffer, size, "%s", name);
    return buffer;
}
