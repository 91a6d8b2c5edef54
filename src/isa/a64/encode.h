/* AArch64 form templates to instruction words. The encodings are derived from the assembler: it
 * assembles the template's instance, the same with each register's number changed in one bit, and
 * with other displacements; the differing bits are their places. One assembler run serves many
 * forms, afterwards a word is made in nanoseconds. Internal to isa/. */
#ifndef PORTOLAN_ISA_A64_ENCODE_H
#define PORTOLAN_ISA_A64_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "isa/a64/access.h"
#include "isa/forms.h"

#define A64_SLOTS 8
#define A64_STEPS 11     /* displacements of the access's size times 1, 2, 4 to 1024 */

/* step: the register behind [x] of a post-indexed access */
enum a64_place { A64_PLACE_OPERAND, A64_PLACE_BASE, A64_PLACE_INDEX, A64_PLACE_STEP };

/* A placeholder that takes a register, or the registers of a list, which follow each other. */
struct a64_slot {
    char letter;           /* X W B H S D Q V Z P */
    uint8_t access;        /* enum operand_access */
    uint8_t place;         /* enum a64_place */
    uint8_t operand;       /* of the text, from 0 */
    uint8_t count;         /* registers of a list, else 1 */
    uint8_t base;          /* the number in a64_code.word */
    uint8_t known;         /* bits of the number that may be changed */
    uint32_t bits[5];      /* what changing one of them changes in the word */
};

struct a64_code {
    uint32_t word;
    struct a64_slot slots[A64_SLOTS];
    unsigned slot_count;
    /* of step_bits: how many there are, 0 when the displacement is fixed or there is none */
    unsigned offsets;
    /* displacement in accesses: 1 where none at all is another form */
    unsigned lowest;
    uint32_t offset_zero;          /* word ^ offset_zero has displacement 0 */
    uint32_t offset_bits[A64_STEPS];
    unsigned bytes;                /* size of the access, 0 when it is not known or there is none */
    bool writeback;
    int64_t step;                  /* what it adds to the base, 0 when a register holds it */
    uint32_t backwards;            /* word ^ backwards steps as far down; 0: it cannot */
    struct a64_access access;
    char mnemonic[32];
};

/* Learns the unknown ones of @rows in a few assembler runs; they are kept until the program ends.
 * Rows of other sets are skipped; a64_code_find reports one that the assembler refuses. False with
 * err when the assembler cannot be run. Any thread. */
bool a64_codes_learn(const struct form_row *const *rows, size_t count,
                     const struct isa_assembler *assembler, struct err *err);
/* The code of @row; NULL with err when the template cannot be assembled, or was not learnt.
 * Borrowed for the program's life. Any thread. */
const struct a64_code *a64_code_find(const struct form_row *row, struct err *err);
/* The template's own information: slots, access, step, everything but words. False with the reason
 * in @reason when it is not an AArch64 template. Any thread. */
bool a64_code_draft(const struct form_row *row, struct a64_code *out, char *reason, size_t size);
/* The lines for the assembler that determine @draft's encoding. */
void a64_code_ask(const struct form_row *row, const struct a64_code *draft, struct str *out,
                  size_t *lines);
/* Text of @row's instance taken apart without the assembler: what it reads and writes. False when
 * it is not in the shape of AArch64 text. */
bool a64_code_text(const struct form_row *row, struct a64_text *text, struct a64_access *access);

/* The word with register @number in slot @slot of @word; false when the form has no room for that
 * number. */
bool a64_slot_set(const struct a64_slot *slot, unsigned number, uint32_t *word);
/* The word with displacement @steps accesses of its size away; false when it does not reach. */
bool a64_offset_set(const struct a64_code *code, unsigned steps, uint32_t *word);

#endif
