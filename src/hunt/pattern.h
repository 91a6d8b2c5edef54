/* A generalised block, as in AnICA (Ritter and Hack, OOPSLA 2022): each instruction a form, all
 * forms of its mnemonic, or all with the same operation; each register shared as in the block, or
 * any; each address fixed, or any. Concrete blocks are drawn from it; it tests whether blocks
 * contain it. Pure, any thread. */
#ifndef PORTOLAN_HUNT_PATTERN_H
#define PORTOLAN_HUNT_PATTERN_H

#include "hunt/blocks.h"

enum pattern_level { LEVEL_FORM, LEVEL_MNEMONIC, LEVEL_OPERATION };

struct pattern {
    struct random_block block;                  /* its origin */
    uint8_t level[BLOCK_INSNS];          /* enum pattern_level */
    bool any_address[BLOCK_INSNS];
    size_t slot_count;
    struct slot slots[BLOCK_SLOTS];      /* of block */
    /* per slot: places of one class hold one register, of different ones different registers; 0:
     * any register */
    uint8_t class_of[BLOCK_SLOTS];
    uint8_t classes;                     /* 1 to this; some may be given up */
};

/* As special as it can be: the block itself. */
void pattern_of(const struct random_block *b, struct pattern *out);

/* Generalises one step: one instruction's form, one class of registers, one address. @step counts
 * from 0; false when there is none such, *@changed as @p then. */
size_t pattern_steps(const struct pattern *p);
bool pattern_relax(const struct pattern *p, size_t step, struct pattern *changed);

/* Whether the instruction @in fits instruction @at of @p. */
bool pattern_fits(const struct pattern *p, size_t at, const struct insn *in);
/* Appends the pattern of instruction @at: "any IMUL or the like". */
void pattern_title(const struct pattern *p, size_t at, struct str *out);

/* A block that fits it. */
void pattern_draw(const struct pattern *p, const struct block_maker *m, struct rng *rng,
                  struct random_block *out);
/* Whether some of the instructions of @b, in order, around the end too, fit it. */
bool pattern_within(const struct pattern *p, const struct random_block *b);
bool pattern_equal(const struct pattern *a, const struct pattern *b);
/* Appends "any IMUL, then ADD (R64, R64) reading its result". */
void pattern_print(const struct pattern *p, struct str *out);

#endif
