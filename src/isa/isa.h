/* The instruction sets, and what differs between them that is not decoding. */
#ifndef PORTOLAN_ISA_ISA_H
#define PORTOLAN_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa { ISA_X86_64, ISA_AARCH64, ISA_COUNT };

struct insn;

/* An instruction set: its data and what it does differently. One const table per set, in a folder of its own. */
struct isa_ops {
    const char *name;             /* as in data/isa/<name>.csv, machine.csv's fact isa and --isa */
    uint8_t step;                 /* bytes from one place where an instruction may begin to the next */
    /* General registers are numbered from 0, the stack pointer among them. */
    uint8_t generals, stack_pointer, frame_pointer;
    bool load_store;              /* operations work on registers only: what loads or stores computes nothing else but addresses */
    /* Forms whose ports a machine's table has for the pieces of instructions; NULL where the set has no use for one. */
    const char *load_form, *store_form;   /* of a plain load and store of a general register */
    const char *address_form;     /* the addition that steps an address beside an access */
    const char *stack_sync_form;  /* what writes back the stack pointer that was followed in front of the machine */
    const char *compare_form;     /* of a comparison that fuses with a branch */
    /* The class of fact eliminate that @move belongs to; NULL: a renamer does not see it as a move. */
    const char *(*move_class)(const struct insn *move);
};

const struct isa_ops *isa_ops(enum isa isa);

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
