/* Random blocks of code for `machine hunt`. Forms are weighted by their use in programs. Registers
 * are from small pools, so blocks have dependences. Addresses are close together, and some are on
 * the stack, so loads read stored values. Each form is assembled once; its registers and addresses
 * are changed for each block (isa/vary.h). One thread per maker. */
#ifndef PORTOLAN_HUNT_BLOCKS_H
#define PORTOLAN_HUNT_BLOCKS_H

#include "base/rng.h"
#include "isa/forms.h"
#include "isa/insn.h"

#define BLOCK_INSNS 8      /* maximum number of instructions of a block */

/* A form that blocks may contain */
struct block_form {
    const struct form_row *row;   /* row of the table of forms, borrowed */
    double uses;                  /* number of occurrences in programs; positive */
};

struct random_block {
    size_t count;
    uint32_t forms[BLOCK_INSNS];          /* per instruction: index of its form in the maker */
    struct insn insns[BLOCK_INSNS];       /* instructions without text */
};

struct block_maker;
/* Creates a maker. Uses the forms in @forms (for @isa) that may run, do not branch and have no
 * fixed address. Their time must be the same with all values. @usable (may be NULL) can exclude
 * forms. Returns NULL with err if no form is left or the assembler cannot run. */
struct block_maker *block_maker_new(enum isa isa, const struct block_form *forms, size_t count,
                                    bool (*usable)(void *state, const struct insn *in), void *state,
                                    struct err *err);
void block_maker_free(struct block_maker *m);
size_t block_maker_forms(const struct block_maker *m);
/* Returns the assembled instruction of form @form; borrowed. */
const struct insn *block_maker_insn(const struct block_maker *m, uint32_t form);
/* Draws a form, weighted by the square root of its uses, so that rare forms also occur. */
uint32_t block_maker_draw(const struct block_maker *m, struct rng *rng);

/* A replaceable register of an instruction: its place in the block, and its role */
enum slot_role { SLOT_DATA, SLOT_BASE, SLOT_INDEX };
struct slot {
    uint8_t insn, operand;   /* index of the instruction in the block, and index of its operand */
    uint8_t role;            /* enum slot_role */
    uint8_t file, reg;       /* register file (enum register_file) of the register, and number of
                              * the whole register */
};
#define BLOCK_SLOTS (BLOCK_INSNS * 8)
/* Lists all replaceable registers of @b, at most BLOCK_SLOTS. Returns their number. */
size_t block_slots(const struct random_block *b, struct slot *out);
/* Draws one of the first registers of the slot's pool. For some addresses, returns the stack
 * pointer or a register that the block may write. */
uint8_t block_register(enum isa isa, const struct slot *slot, struct rng *rng);
/* Returns register @n of the slot's pool (modulo the size of the pool), for slots that must have
 * different registers. */
uint8_t block_register_at(enum isa isa, const struct slot *slot, unsigned n);
/* Sets the register of @slot to @reg. Returns false, with @b unchanged, if that is impossible. */
bool block_set_register(struct random_block *b, const struct slot *slot, uint8_t reg);
/* Copies index and displacement of @like's address to instruction @at, if the form of @at has such
 * an address. */
void block_copy_address(struct random_block *b, size_t at, const struct insn *like);
/* Adds @bytes (0 or more) to the address of instruction @at. Returns false if that is
 * impossible. */
bool block_move_address(struct random_block *b, size_t at, int64_t bytes);

/* Returns whether @b mixes legacy vector instructions with VEX or EVEX instructions. Compiled
 * programs avoid such transitions and their costs. */
bool block_mixed(const struct random_block *b);
/* Draws a block of @count instructions with random forms, registers and addresses. The block is not
 * mixed, and each push has a pop. */
void block_random(const struct block_maker *m, size_t count, struct rng *rng,
                  struct random_block *out);
/* Inserts instruction @from of @of at index @at. @b must have fewer than BLOCK_INSNS
 * instructions. */
void block_insert(struct random_block *b, size_t at, const struct random_block *of, size_t from);
/* Removes instruction @at. */
void block_without(struct random_block *b, size_t at);
/* Appends the disassembly, with @separator between the instructions. */
void block_print(const struct random_block *b, const char *separator, struct str *out);
/* Appends the code as hexadecimal digits. */
void block_hex(const struct random_block *b, struct str *out);


/* Sets @out to @from with one or two changes. A change replaces an instruction with a similar one,
 * replaces a register or an offset, or inserts, removes or exchanges instructions. @from must be a
 * block of @m. Returns false if every attempt mixes SSE and VEX; @out is then unspecified. */
bool block_mutate(const struct block_maker *m, const struct random_block *from, struct rng *rng,
                  struct random_block *out);

#endif
