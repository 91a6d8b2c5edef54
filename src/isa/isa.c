/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/isa.h"

#include <string.h>

static const char *const names[ISA_COUNT] = {"x86-64", "aarch64"};

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

enum isa isa_host(void)
{
#if defined(__aarch64__)
    return ISA_AARCH64;
#else
    return ISA_X86_64;
#endif
}

size_t isa_step(enum isa isa)
{
    return isa == ISA_AARCH64 ? 4 : 1;
}
