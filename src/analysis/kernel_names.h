/* Names in the code of a kernel: labels, functions, stubs, relocations. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_NAMES_H
#define PORTOLAN_ANALYSIS_KERNEL_NAMES_H

#include "analysis/kernel.h"
#include "base/vec.h"

/* place of the first symbol that a linker is still to place, and how far the next is */
#define SYMBOL_FIRST ((int64_t)1 << 40)
#define SYMBOL_SPAN ((int64_t)1 << 32)

struct object;

/* A place that a jump of the code leads to, or that a loop begins at. */
struct kernel_name {
    uint64_t position;   /* as struct insn.offset */
    char *name;          /* as the file has it: "f+0x28", "puts@plt", ".L3" */
};

struct kernel_names {
    VEC(struct kernel_name) list;             /* by position */
    VEC(struct code_reference) references;    /* by place, which is a position here */
};

/* Gives @k, of @o's code, its names and references, and its instructions their addresses and texts
 * with names in them. Once, before others hold @k. */
void kernel_names_of_object(struct kernel *k, const struct object *o);
/* The same of assembler text: its labels and references; texts stay the user's. */
void kernel_names_of_text(struct kernel *k, const struct assembled *a);
/* Names and references that were kept with the code of @k, whose instructions have their addresses;
 * in any order. Takes @take_names. Once, before others hold @k. */
void kernel_names_take(struct kernel *k, struct kernel_names *take_names);
void kernel_names_free(struct kernel_names *names);

/* The place of the symbol that a memory operand of @displacement names; 0: it names none that a
 * linker is still to place. Pure. */
int64_t symbol_place(int64_t displacement);
/* The name of @position, borrowed; NULL: it has none. Any thread. */
const char *kernel_name_at(const struct kernel *k, uint64_t position);
/* Whether loop @loop needs each of @k's names; the caller frees. Any thread. */
bool *kernel_names_used(const struct kernel *k, size_t loop);
/* The first reference in @insn, of which *@count gets the number; they follow one another. Any
 * thread. */
const struct code_reference *kernel_references(const struct kernel *k, const struct insn *insn,
                                               size_t *count);
/* @text, a disassembly of @insn, with @reference replacing the number that the linker fills in.
 * False, nothing appended, if that place is not found. Any thread. */
bool reference_insert(const struct insn *insn, const char *text,
                      const struct code_reference *reference, bool quoted, struct str *out);
/* Appends @name as a symbol of assembler text: as it is, or in quotes. */
void symbol_print(const char *name, struct str *out);
/* Whether assembler text can express it: no control characters, quotes or backslashes, and
 * UTF-8. */
bool symbol_printable(const char *name);

#endif
