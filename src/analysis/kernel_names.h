/* Names in the code of a kernel: labels, functions, PLT stubs, relocations. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_NAMES_H
#define PORTOLAN_ANALYSIS_KERNEL_NAMES_H

#include "analysis/kernel.h"
#include "base/vec.h"

/* address of the first unresolved symbol, and distance between the addresses of such symbols */
#define SYMBOL_FIRST ((int64_t)1 << 40)
#define SYMBOL_SPAN ((int64_t)1 << 32)

struct object;

/* A named position in the code: a jump target, a referenced address or a loop head */
struct kernel_name {
    uint64_t position;   /* offset in the code, as in insn.offset */
    char *name;          /* name in the file, such as "f+0x28", "puts@plt", ".L3" */
};

struct kernel_names {
    VEC(struct kernel_name) list;             /* names, sorted by position */
    VEC(struct code_reference) references;    /* references, sorted by position */
};

/* Sets the names and references of @k, whose code is part of @o. Also sets the instructions'
 * addresses, and inserts names into their text. Stops early when cancelled. Call it once, before
 * others share the kernel. */
void kernel_names_of_object(struct kernel *k, const struct object *o);
/* Sets the labels and references of a kernel from assembler text. Does not change the text. Stops
 * early when cancelled. Call it once, before others share the kernel. */
void kernel_names_of_text(struct kernel *k, const struct assembled *a);
/* Sets names and references that were stored together with the code of @k, in any order. The
 * instructions already have their addresses. Takes @take_names. Call it once, before others share
 * the kernel. */
void kernel_names_take(struct kernel *k, struct kernel_names *take_names);
void kernel_names_free(struct kernel_names *names);

/* Returns the assumed address of the unresolved symbol whose address range contains @displacement;
 * 0: none. Pure. */
int64_t symbol_place(int64_t displacement);
/* Returns the name of @position, borrowed; NULL: none. Any thread. */
const char *kernel_name_at(const struct kernel *k, uint64_t position);
/* Returns, for each name of @k, whether loop @loop uses it. The caller frees the array. Any
 * thread. */
bool *kernel_names_used(const struct kernel *k, size_t loop);
/* Returns the first reference in @insn; NULL: none. Sets *@count to the number of references in
 * @insn, which are adjacent. Any thread. */
const struct code_reference *kernel_references(const struct kernel *k, const struct insn *insn,
                                               size_t *count);
/* Appends @text, the disassembly of @insn, with @reference in place of the number that a linker
 * sets. @quoted: names are quoted if needed. Appends nothing and returns false if @text lacks the
 * number, or if the syntax cannot express the reference. Any thread. */
bool reference_insert(const struct insn *insn, const char *text,
                      const struct code_reference *reference, bool quoted, struct str *out);
/* Appends @name as a symbol of assembler text, quoted if needed. */
void symbol_print(const char *name, struct str *out);
/* Returns whether assembler text can contain the name: UTF-8 of at least one character, without
 * control characters, double quotes or backslashes. */
bool symbol_printable(const char *name);

#endif
