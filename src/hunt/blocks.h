/* Random blocks of code for `machine hunt`: instructions drawn by how often programs use their
 * forms, with registers from small pools, so that blocks have dependences, and with addresses near
 * each other, on the stack too, so that loads meet stores. Each form's code is assembled once;
 * blocks are made of it by changing registers and addresses (isa/vary.h). One thread per maker. */
#ifndef PORTOLAN_HUNT_BLOCKS_H
#define PORTOLAN_HUNT_BLOCKS_H

#include "base/rng.h"
#include "isa/forms.h"
#include "isa/insn.h"

#define BLOCK_INSNS 8      /* the longest block */

/* A form that blocks may be made of. */
struct block_form {
    const struct form_row *row;   /* borrowed */
    double uses;                  /* occurrences in programs; above 0 */
};

struct random_block {
    size_t count;
    uint32_t forms[BLOCK_INSNS];          /* of the maker */
    struct insn insns[BLOCK_INSNS];       /* without text */
};

struct block_maker;
/* Assembles the forms (@isa's) that may be run and neither branch nor fix an address; those that
 * @usable (may be NULL) refuses are left out. NULL with err when nothing is left, or the assembler
 * cannot be run. */
struct block_maker *block_maker_new(enum isa isa, const struct block_form *forms, size_t count,
                                    bool (*usable)(void *state, const struct insn *in), void *state,
                                    struct err *err);
void block_maker_free(struct block_maker *m);
size_t block_maker_forms(const struct block_maker *m);
/* The instruction of form @form (below the above) as it was assembled; borrowed. */
const struct insn *block_maker_insn(const struct block_maker *m, uint32_t form);
/* A random form, weighted by the square root of its uses, so that rare ones occur as well. */
uint32_t block_maker_draw(const struct block_maker *m, struct rng *rng);

/* A place of an instruction that names a register of the user's choice. */
enum slot_role { SLOT_DATA, SLOT_BASE, SLOT_INDEX };
struct slot {
    uint8_t insn, operand;   /* of the block, of the instruction */
    uint8_t role;            /* enum slot_role */
    uint8_t file, reg;       /* enum register_file, root register */
};
#define BLOCK_SLOTS (BLOCK_INSNS * 8)
/* All such places of @b, at most BLOCK_SLOTS; returns how many. */
size_t block_slots(const struct random_block *b, struct slot *out);
/* A random register, of the few that such places share. */
uint8_t block_register(enum isa isa, const struct slot *slot, struct rng *rng);
/* Number @n of the pool's registers, for places that are to differ; wraps around. */
uint8_t block_register_at(enum isa isa, const struct slot *slot, unsigned n);
/* Puts @reg into @slot of @b; false, and @b as it was, when there is no such instruction. */
bool block_set_register(struct random_block *b, const struct slot *slot, uint8_t reg);
/* Gives the address of instruction @at the index and displacement of that of @like, if its form
 * allows it. */
void block_copy_address(struct random_block *b, size_t at, const struct insn *like);
/* Moves the address of instruction @at by @bytes (0 and up); false when it cannot be. */
bool block_move_address(struct random_block *b, size_t at, int64_t bytes);

/* Whether it mixes legacy vector instructions with VEX or EVEX, which programs do not: switching
 * has a cost of its own. */
bool block_mixed(const struct random_block *b);
/* @count instructions of random forms, registers and addresses, not mixed. Pushes are popped in the
 * same block. */
void block_random(const struct block_maker *m, size_t count, struct rng *rng,
                  struct random_block *out);
/* Instruction @from of @of put in at @at; @b must have room. */
void block_insert(struct random_block *b, size_t at, const struct random_block *of, size_t from);
/* Instruction @at taken out. */
void block_without(struct random_block *b, size_t at);
/* Appends one line per instruction, as the disassembler writes it. */
void block_print(const struct random_block *b, const char *separator, struct str *out);
/* Appends the code as hexadecimal digits. */
void block_hex(const struct random_block *b, struct str *out);

#endif
