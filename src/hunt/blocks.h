/* Random blocks of code for `machine hunt`: forms weighted by use in programs, registers from small
 * pools so that blocks have dependences, and nearby addresses, also on the stack, so that loads
 * read stores. Each form's code is assembled once; blocks change its registers and addresses
 * (isa/vary.h). One thread per maker. */
#ifndef PORTOLAN_HUNT_BLOCKS_H
#define PORTOLAN_HUNT_BLOCKS_H

#include "base/rng.h"
#include "isa/forms.h"
#include "isa/insn.h"

#define BLOCK_INSNS 8      /* instructions of the longest block */

/* A form used in blocks. */
struct block_form {
    const struct form_row *row;   /* borrowed */
    double uses;                  /* occurrences in programs; positive */
};

struct random_block {
    size_t count;
    uint32_t forms[BLOCK_INSNS];          /* number of the maker's forms */
    struct insn insns[BLOCK_INSNS];       /* without text */
};

struct block_maker;
/* Assembles the forms (@isa's) that may run and neither branch nor fix an address; @usable (may be
 * NULL) can exclude forms. NULL with err when none is left, or the assembler cannot run. */
struct block_maker *block_maker_new(enum isa isa, const struct block_form *forms, size_t count,
                                    bool (*usable)(void *state, const struct insn *in), void *state,
                                    struct err *err);
void block_maker_free(struct block_maker *m);
size_t block_maker_forms(const struct block_maker *m);
/* Instruction of form @form as assembled; borrowed. */
const struct insn *block_maker_insn(const struct block_maker *m, uint32_t form);
/* Draws a form weighted by the square root of its uses, so that rare ones also occur. */
uint32_t block_maker_draw(const struct block_maker *m, struct rng *rng);

/* A place of an instruction with a replaceable register. */
enum slot_role { SLOT_DATA, SLOT_BASE, SLOT_INDEX };
struct slot {
    uint8_t insn, operand;   /* indices in the block and the instruction */
    uint8_t role;            /* enum slot_role */
    uint8_t file, reg;       /* enum register_file, root register */
};
#define BLOCK_SLOTS (BLOCK_INSNS * 8)
/* Lists all such places of @b, at most BLOCK_SLOTS; returns their number. */
size_t block_slots(const struct random_block *b, struct slot *out);
/* Draws one of the few registers of the slot's pool. */
uint8_t block_register(enum isa isa, const struct slot *slot, struct rng *rng);
/* Register @n of the pool, for places that must differ; wraps around. */
uint8_t block_register_at(enum isa isa, const struct slot *slot, unsigned n);
/* Puts @reg into @slot of @b; false, with @b unchanged, when impossible. */
bool block_set_register(struct random_block *b, const struct slot *slot, uint8_t reg);
/* Gives the address of instruction @at the index and displacement of @like's, if its form
 * permits. */
void block_copy_address(struct random_block *b, size_t at, const struct insn *like);
/* Shifts the address of instruction @at by @bytes (0 or more); false when impossible. */
bool block_move_address(struct random_block *b, size_t at, int64_t bytes);

/* Returns whether it mixes legacy vector instructions with VEX or EVEX, whose transition costs do
 * not occur in programs. */
bool block_mixed(const struct random_block *b);
/* Makes a block of @count instructions with random forms, registers and addresses, not mixed.
 * Pushes are popped in the same block. */
void block_random(const struct block_maker *m, size_t count, struct rng *rng,
                  struct random_block *out);
/* Inserts instruction @from of @of at @at; @b must have room. */
void block_insert(struct random_block *b, size_t at, const struct random_block *of, size_t from);
/* Removes instruction @at. */
void block_without(struct random_block *b, size_t at);
/* Appends the disassembly, one line per instruction. */
void block_print(const struct random_block *b, const char *separator, struct str *out);
/* Appends the code as hexadecimal digits. */
void block_hex(const struct random_block *b, struct str *out);

/* mutate.c: mutates blocks by a change or two, to search the neighbourhood of an error. One thread
 * per maker. */

/* @from with one or two of: an instruction replaced by one that does the same, another register,
 * another offset, an instruction put in, taken out, two exchanged.
 * @from must be of @m. */
void block_mutate(const struct block_maker *m, const struct random_block *from, struct rng *rng,
                  struct random_block *out);

#endif
