/* This computer's processor: what CPUID says it executes and the system saves. Any thread. */
#ifndef PORTOLAN_ISA_CPU_H
#define PORTOLAN_ISA_CPU_H

#include <stdbool.h>
#include <stddef.h>

/* Width of the widest vector registers usable: 128, 256 or 512 bits. */
unsigned cpu_vector_bits(void);
/* Whether it executes an instruction set as the decoder library names them (AVX512BW_256, BMI2...). Unknown names: false. */
bool cpu_has(const char *set);
/* Brand string without padding into @buffer; returns @buffer. */
const char *cpu_name(char *buffer, size_t size);
/* Family, model and stepping as CPUID packs them. */
unsigned cpu_signature(void);
/* True under a hypervisor. */
bool cpu_virtual(void);

#endif
