/* This computer's processor: what CPUID, or the kernel, says it executes. Any thread. */
#ifndef PORTOLAN_ISA_CPU_H
#define PORTOLAN_ISA_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/isa.h"

/* Width of the widest vector registers usable in bits: 128, 256 or 512; with SVE the length that is
 * set. */
unsigned cpu_vector_bits(void);
/* Whether it executes an instruction set as the decoder library names them (AVX512BW_256, BMI2...),
 * on AArch64 as data/isa/aarch64.csv does (sve2, fp16...). Unknown names: false. */
bool cpu_has(const char *set);
/* Brand string without padding into @buffer; returns @buffer. */
const char *cpu_name(char *buffer, size_t size);
/* Family, model and stepping as CPUID packs them; on AArch64 implementer and part. */
unsigned cpu_signature(void);
/* True under a hypervisor. */
bool cpu_virtual(void);

/* Identification of a processor. */
struct cpu_identity {
    enum isa isa;
    char vendor[16];                  /* "GenuineIntel"; AArch64: the implementer, "0x41" */
    unsigned family, model, stepping; /* AArch64: the model is the part, the others 0 */
    /* of a core in a hybrid processor: "core" or "atom" (leaf 1Ah); "" otherwise */
    char kind[8];
    /* substituted ones: the instruction sets, a blank between them */
    char sets[128];
    bool substituted;                 /* taken from the variable below */
};
/* Of the processor that this thread runs on, or, when the environment has PORTOLAN_CPU, what that
 * says: "VENDOR FAMILY MODEL STEPPING [KIND|- [SET]...]", as in "GenuineIntel 6 207 2". False when
 * it says nothing that can be used: PORTOLAN_CPU=none. Any thread. */
bool cpu_identify(struct cpu_identity *out);
/* cpu_has for an identity. */
bool cpu_identity_has(const struct cpu_identity *id, const char *set);

/* The same of one set, each in its folder. */
struct isa_cpu {
    unsigned (*vector_bits)(void);
    bool (*has)(const char *set);
    const char *(*name)(char *buffer, size_t size);
    unsigned (*signature)(void);
    bool (*is_virtual)(void);
    void (*identify)(struct cpu_identity *out);   /* but isa and substituted */
};

#endif
