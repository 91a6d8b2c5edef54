/* This computer's processor, from CPUID or the kernel. */
#ifndef PORTOLAN_ISA_CPU_H
#define PORTOLAN_ISA_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/isa.h"

/* Usable width of vector registers in bits: 128, 256 or 512; with SVE the configured length. */
unsigned cpu_vector_bits(void);
/* Returns whether the CPU has an instruction set extension, named as by the decoder library
 * (AVX512BW_256, BMI2...), on AArch64 as in data/isa/aarch64.csv (sve2, fp16...). False for unknown
 * names. */
bool cpu_has(const char *set);
/* Writes the brand string without padding to @buffer; returns @buffer. */
const char *cpu_name(char *buffer, size_t size);
/* Family, model and stepping in CPUID's packing; on AArch64 implementer and part. */
unsigned cpu_signature(void);
/* Returns whether a hypervisor is present. */
bool cpu_virtual(void);

/* Identification of a processor. */
struct cpu_identity {
    enum isa isa;
    char vendor[16];                  /* "GenuineIntel"; AArch64: the implementer, "0x41" */
    unsigned family, model, stepping; /* AArch64: the model is the part, the others are 0 */
    /* kind of core in a hybrid processor: "core" or "atom" (leaf 1Ah); else "" */
    char kind[8];
    /* for a substituted identity: its extensions, separated by blanks */
    char sets[128];
    bool substituted;                 /* from the environment variable below */
};
/* Identifies the processor of this thread, or the one in the environment variable PORTOLAN_CPU:
 * "VENDOR FAMILY MODEL STEPPING [KIND|- [SET]...]", as "GenuineIntel 6 207 2". False when that is
 * unusable: PORTOLAN_CPU=none. */
bool cpu_identify(struct cpu_identity *out);
/* cpu_has for an identity. */
bool cpu_identity_has(const struct cpu_identity *id, const char *set);

/* Operations of one set, each in its folder. */
struct isa_cpu {
    unsigned (*vector_bits)(void);
    bool (*has)(const char *set);
    const char *(*name)(char *buffer, size_t size);
    unsigned (*signature)(void);
    bool (*is_virtual)(void);
    void (*identify)(struct cpu_identity *out);   /* without isa and substituted */
};
/* Each on such a processor only: by CPUID; by the description of the kernel. */
extern const struct isa_cpu x86_cpu, a64_cpu;

#endif
