/* The processor of this computer, according to CPUID or the kernel. */
#ifndef PORTOLAN_ISA_CPU_H
#define PORTOLAN_ISA_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/isa.h"

/* Returns the usable width of vector registers in bits: 128, 256 or 512; with SVE, the configured
 * vector length. */
unsigned cpu_vector_bits(void);
/* Returns whether the CPU has an instruction set extension. @set is a name that the decoder library
 * uses (AVX512BW_256, BMI2...), or on AArch64 a name in data/isa/aarch64.csv (sve2, fp16...).
 * Returns false for an unknown name. */
bool cpu_has(const char *set);
/* Writes the brand string to @buffer, without padding. Returns @buffer. */
const char *cpu_name(char *buffer, size_t size);
/* Returns family, model and stepping, packed as by CPUID; on AArch64, implementer and part. */
unsigned cpu_signature(void);
/* Returns whether the CPU reports a hypervisor. Always false on AArch64. */
bool cpu_virtual(void);

/* Identification of a processor */
struct cpu_identity {
    enum isa isa;
    /* vendor, such as "GenuineIntel"; on AArch64, the implementer's number, such as "0x41" */
    char vendor[16];
    unsigned family, model, stepping; /* on AArch64, @model is the part number, and the other two
                                       * members are 0 */
    /* kind of the core in a hybrid processor, "core" or "atom" (CPUID leaf 1Ah); otherwise empty */
    char kind[8];
    /* extensions in a substituted identity, separated by spaces */
    char sets[128];
    bool substituted;                 /* whether the identity is from the environment variable
                                       * PORTOLAN_CPU */
};
/* Identifies the processor that runs this thread, or the processor in the environment variable
 * PORTOLAN_CPU: "VENDOR FAMILY MODEL STEPPING [KIND|- [SET]...]", for example "GenuineIntel 6
 * 207 2". Returns false if the variable is invalid or "none", or if the processor cannot be
 * identified. */
bool cpu_identify(struct cpu_identity *out);
/* Returns whether processor @id has extension @set, like cpu_has. */
bool cpu_identity_has(const struct cpu_identity *id, const char *set);

/* CPU functions of one instruction set, implemented in its folder */
struct isa_cpu {
    unsigned (*vector_bits)(void);
    bool (*has)(const char *set);
    const char *(*name)(char *buffer, size_t size);
    unsigned (*signature)(void);
    bool (*is_virtual)(void);
    void (*identify)(struct cpu_identity *out);   /* sets all members except isa and substituted */
};
/* x86_cpu uses CPUID, a64_cpu the kernel's description. Only the object of the host's processor
 * exists in a build. */
extern const struct isa_cpu x86_cpu, a64_cpu;

#endif
