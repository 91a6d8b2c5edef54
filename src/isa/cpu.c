/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In this file, only these macros depend on the host's processor. */
#if defined(__aarch64__)
#define HOST ISA_AARCH64
#define HOST_CPU a64_cpu
#else
#define HOST ISA_X86_64
#define HOST_CPU x86_cpu
#endif

enum isa isa_host(void)
{
    return HOST;
}

/* Caches the width, because a hypervisor traps each CPUID, and a trap takes longer than a
 * measurement. */
unsigned cpu_vector_bits(void)
{
    static _Atomic unsigned known;
    unsigned bits = atomic_load_explicit(&known, memory_order_relaxed);

    if (!bits) {
        bits = HOST_CPU.vector_bits();
        atomic_store_explicit(&known, bits, memory_order_relaxed);
    }
    return bits;
}

bool cpu_has(const char *set)
{
    return HOST_CPU.has(set);
}

const char *cpu_name(char *buffer, size_t size)
{
    return HOST_CPU.name(buffer, size);
}

unsigned cpu_signature(void)
{
    return HOST_CPU.signature();
}

bool cpu_virtual(void)
{
    return HOST_CPU.is_virtual();
}

/* Parses the text of an identity. Returns false if the text is invalid. */
static bool cpu_identity_parse(const char *text, struct cpu_identity *out)
{
    int used = 0;

    *out = (struct cpu_identity){.isa = ISA_X86_64, .substituted = true};
    if (sscanf(text, "%15s %i %i %i%n", out->vendor, (int *)&out->family, (int *)&out->model,
               (int *)&out->stepping, &used) != 4)
        return false;
    /* An identity with 0x names an implementer by number. */
    if (strncmp(out->vendor, "0x", 2) == 0)
        out->isa = ISA_AARCH64;
    int more = 0;
    if (sscanf(text + used, " %7s%n", out->kind, &more) == 1)
        snprintf(out->sets, sizeof out->sets, "%s", text + used + more);
    if (strcmp(out->kind, "-") == 0)
        out->kind[0] = '\0';
    return true;
}

bool cpu_identify(struct cpu_identity *out)
{
    const char *text = getenv("PORTOLAN_CPU");

    if (text && *text)
        return cpu_identity_parse(text, out);
    *out = (struct cpu_identity){.isa = HOST};
    HOST_CPU.identify(out);
    return out->vendor[0] != '\0';
}

bool cpu_identity_has(const struct cpu_identity *id, const char *set)
{
    size_t length = strlen(set);

    if (!id->substituted)
        return cpu_has(set);
    for (const char *at = id->sets; (at = strstr(at, set)); at += length)
        if ((at == id->sets || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}
