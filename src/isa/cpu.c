/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/cpu.h"

/* The one place where the processor that this program is compiled for decides what it does. */
#if defined(__aarch64__)
#include "isa/a64/cpu.h"
#define HOST ISA_AARCH64
#define HOST_CPU a64_cpu
#else
#include "isa/x86/cpu.h"
#define HOST ISA_X86_64
#define HOST_CPU x86_cpu
#endif

enum isa isa_host(void)
{
    return HOST;
}

unsigned cpu_vector_bits(void)
{
    return HOST_CPU.vector_bits();
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
