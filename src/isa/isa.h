/* The instruction sets, and what differs between them that is not decoding. */
#ifndef PORTOLAN_ISA_ISA_H
#define PORTOLAN_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>

enum isa { ISA_X86_64, ISA_AARCH64, ISA_COUNT };

/* "x86-64", "aarch64": as in data/isa/<name>.csv, machine.csv's fact isa and --isa. */
const char *isa_name(enum isa isa);
/* False when no set has this name. */
bool isa_parse(const char *name, enum isa *out);
/* The set of the processor that this program was compiled for. */
enum isa isa_host(void);
/* Bytes from one place where an instruction may begin to the next: 1 or 4. */
size_t isa_step(enum isa isa);

/* What binutils' program @name ("as", "objdump") for @isa is called here: by its plain name for the processor that this is (AArch64: if the one with its full name
 * is not installed), else with the name of the target before it. Into @buffer; returns @buffer. Any thread. */
const char *isa_tool(enum isa isa, const char *name, char *buffer, size_t size);

#endif
