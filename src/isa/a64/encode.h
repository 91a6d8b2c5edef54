/* Encodes AArch64 form templates. Derives encodings from an assembler. It assembles an instance,
 * and variants with one bit of a register number changed or with other displacements. The bits that
 * differ locate the fields. One run covers many forms; afterwards encoding takes nanoseconds.
 * Internal to isa/. */
#ifndef PORTOLAN_ISA_A64_ENCODE_H
#define PORTOLAN_ISA_A64_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "isa/a64/access.h"
#include "isa/forms.h"

#define A64_SLOTS 8
#define A64_STEPS 11     /* displacements assembled: the access size times 1, 2, 4 to 1024 */

/* A64_PLACE_STEP: the register after [x] of a post-indexed access. */
enum a64_place { A64_PLACE_OPERAND, A64_PLACE_BASE, A64_PLACE_INDEX, A64_PLACE_STEP };

/* A placeholder of a register, or of a list of consecutive registers. */
struct a64_slot {
    char letter;           /* kind of register: X W B H S D Q V Z P */
    uint8_t access;        /* enum operand_access */
    uint8_t place;         /* enum a64_place */
    uint8_t operand;       /* number of the operand in the text, from 0 */
    uint8_t count;         /* number of registers in a list, else 1 */
    uint8_t base;          /* register number in a64_code.word */
    uint8_t known;         /* bits of the register number whose fields are known */
    uint32_t bits[5];      /* per bit of the number: bits of the word that change with it */
};

struct a64_code {
    uint32_t word;
    struct a64_slot slots[A64_SLOTS];
    unsigned slot_count;
    /* number of entries in offset_bits; 0 if the displacement is constant or missing */
    unsigned offsets;
    /* least displacement, in accesses: 1 if an instruction without a displacement is another
     * form */
    unsigned lowest;
    uint32_t offset_zero;          /* XOR mask for displacement 0 */
    uint32_t offset_bits[A64_STEPS];
    unsigned bytes;                /* size of the access; 0 if unknown or none */
    bool writeback;
    int64_t step;                  /* bytes added to the base; 0 if in a register */
    uint32_t backwards;            /* XOR mask for an equally large step downwards; 0: impossible */
    struct a64_access access;
    char mnemonic[32];
};

/* Derives the unknown encodings of @rows in a few assembler runs, and caches them. Skips rows of
 * other instruction sets. a64_code_find reports rejected rows. False with err if the assembler
 * cannot run. */
bool a64_codes_learn(const struct form_row *const *rows, size_t count,
                     const struct isa_assembler *assembler, struct err *err);
/* Returns the code of @row. NULL with err if the template cannot be assembled, or its encoding was
 * not derived yet. Borrowed; valid until the program ends. */
const struct a64_code *a64_code_find(const struct form_row *row, struct err *err);
/* Fills what follows from the template: slots, access and step, but no words. Returns false with
 * the reason in @reason if it is not an AArch64 template. */
bool a64_code_draft(const struct form_row *row, struct a64_code *out, char *reason, size_t size);
/* Appends the assembler lines that determine @draft's encoding. *@lines gets their number. */
void a64_code_ask(const struct form_row *row, const struct a64_code *draft, struct str *out,
                  size_t *lines);
/* Parses the text of @row's instance without an assembler, and derives its reads and writes.
 * Returns false if it is not AArch64 text. */
bool a64_code_text(const struct form_row *row, struct a64_text *text, struct a64_access *access);

/* Sets register @number in slot @slot of *@word. Returns false if the form cannot encode that
 * number. */
bool a64_slot_set(const struct a64_slot *slot, unsigned number, uint32_t *word);
/* Sets a displacement of @steps accesses in *@word. Returns false if it is out of range. */
bool a64_offset_set(const struct a64_code *code, unsigned steps, uint32_t *word);

#endif
