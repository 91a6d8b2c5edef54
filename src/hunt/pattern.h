/* A generalised block, as in AnICA (Ritter and Hack, OOPSLA 2022). Each instruction is a form, any
 * form of its mnemonic, or any form of its operation. Registers are shared as in the original
 * block, or arbitrary. Each address is fixed or arbitrary. Random blocks can be drawn from a
 * pattern, and any block can be tested against it. No global state; any thread. */
#ifndef PORTOLAN_HUNT_PATTERN_H
#define PORTOLAN_HUNT_PATTERN_H

#include "hunt/blocks.h"

enum pattern_level { LEVEL_FORM, LEVEL_MNEMONIC, LEVEL_OPERATION };

struct pattern {
    struct random_block block;                  /* the original block */
    uint8_t level[BLOCK_INSNS];          /* per instruction: level, an enum pattern_level */
    bool any_address[BLOCK_INSNS];
    size_t slot_count;
    struct slot slots[BLOCK_SLOTS];      /* slots of @block */
    /* per slot: its class. Slots of one class have the same register. In drawn blocks, it is that
     * of the original block. 0: any register. */
    uint8_t class_of[BLOCK_SLOTS];
    /* number of classes, including those that steps have removed */
    uint8_t classes;
};

/* Sets @out to the most specific pattern, from which only the block itself can be drawn. */
void pattern_of(const struct random_block *b, struct pattern *out);

/* pattern_steps returns the number of generalisations. pattern_relax applies generalisation @step
 * to @p and stores the result in *@changed. It relaxes an instruction's form, a class of registers,
 * or an address. @step is from 0 to pattern_steps - 1. Returns false, with *@changed equal to @p,
 * if the step changes nothing. */
size_t pattern_steps(const struct pattern *p);
bool pattern_relax(const struct pattern *p, size_t step, struct pattern *changed);

/* Returns whether @in matches instruction @at of @p. */
bool pattern_fits(const struct pattern *p, size_t at, const struct insn *in);
/* Appends a description of instruction @at, such as "any IMUL or similar", or the form if only this
 * form matches. */
void pattern_title(const struct pattern *p, size_t at, struct str *out);

/* Draws a block that matches @p. */
void pattern_draw(const struct pattern *p, const struct block_maker *m, struct rng *rng,
                  struct random_block *out);
/* Returns whether instructions of @b match @p in order, possibly across the end of the block. Does
 * not compare addresses. */
bool pattern_within(const struct pattern *p, const struct random_block *b);
bool pattern_equal(const struct pattern *a, const struct pattern *b);
/* Appends a description, such as "any IMUL, then ADD (R64, R64); one register in operand 1 of 1 and
 * operand 2 of 2". */
void pattern_print(const struct pattern *p, struct str *out);

#endif
