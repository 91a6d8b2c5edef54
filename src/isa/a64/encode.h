/* Encodes templates of AArch64 forms. An assembler encodes an instance of the form, and variants
 * that differ from it in one bit of a register number or displacement. The differences between the
 * encoded words reveal the fields. One run of the assembler covers many forms. Encoding with the
 * derived fields takes nanoseconds. Internal to isa/. */
#ifndef PORTOLAN_ISA_A64_ENCODE_H
#define PORTOLAN_ISA_A64_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "isa/a64/access.h"
#include "isa/forms.h"

#define A64_SLOTS 8
#define A64_STEPS 11     /* number of displacements in the assembled variants: the access size times
                          * 1, 2, 4, ... 1024 */

/* A64_PLACE_STEP: the register after [x] in a post-indexed access */
enum a64_place { A64_PLACE_OPERAND, A64_PLACE_BASE, A64_PLACE_INDEX, A64_PLACE_STEP };

/* A placeholder for a register, or for a list of consecutive registers */
struct a64_slot {
    char letter;           /* kind of register: X W B H S D Q V Z P */
    uint8_t access;        /* set of enum operand_access */
    uint8_t place;         /* enum a64_place */
    uint8_t operand;       /* index of the operand in the text */
    uint8_t count;         /* number of registers in the list; 1: a single register */
    uint8_t base;          /* register number in a64_code.word */
    uint8_t known;         /* number of bits of the register number whose place is known */
    uint32_t bits[5];      /* per bit of the number, the bits of the word that change with it */
};

struct a64_code {
    uint32_t word;
    struct a64_slot slots[A64_SLOTS];
    unsigned slot_count;
    /* number of used entries of @offset_bits; 0 if the displacement is constant or missing */
    unsigned offsets;
    /* minimum displacement, in units of the access size; 1 if the instruction without a
     * displacement is another form */
    unsigned lowest;
    uint32_t offset_zero;          /* bits of @word to invert for displacement 0 */
    uint32_t offset_bits[A64_STEPS];
    unsigned bytes;                /* size in bytes of the access; 0: unknown, or no access */
    bool writeback;
    /* bytes that the access adds to the base; 0: the step is in a register */
    int64_t step;
    uint32_t backwards;            /* bits of @word to invert for the opposite step; 0: there is
                                    * none */
    struct a64_access access;
    char mnemonic[32];
};

/* Derives in a few runs of the assembler the encodings of @rows that are not cached, and caches
 * them. Skips rows of other instruction sets. a64_code_find returns the errors of rejected rows.
 * Returns false with err if the assembler cannot run. */
bool a64_codes_learn(const struct form_row *const *rows, size_t count,
                     const struct isa_assembler *assembler, struct err *err);
/* Returns the code of @row, borrowed and valid until the program ends. Returns NULL with err if the
 * assembler rejects the template or its encoding was not derived. */
const struct a64_code *a64_code_find(const struct form_row *row, struct err *err);
/* Fills only the members that follow from the template: slots, access and step. Fills no words.
 * Returns false with the reason in @reason if the template is not a valid AArch64 template. */
bool a64_code_draft(const struct form_row *row, struct a64_code *out, char *reason, size_t size);
/* Appends the assembler lines from which the encoding of @draft is derived, and sets *@lines to
 * their number. */
void a64_code_ask(const struct form_row *row, const struct a64_code *draft, struct str *out,
                  size_t *lines);
/* Parses the text of @row's instance without an assembler, and derives the instance's reads and
 * writes. Returns false if the text is not AArch64 text. */
bool a64_code_text(const struct form_row *row, struct a64_text *text, struct a64_access *access);

/* Sets slot @slot of *@word to register @number. Returns false if the form cannot encode that
 * number. */
bool a64_slot_set(const struct a64_slot *slot, unsigned number, uint32_t *word);
/* Sets the displacement in *@word to @steps times the access size. Returns false if it is out of
 * range. */
bool a64_offset_set(const struct a64_code *code, unsigned steps, uint32_t *word);

#endif
