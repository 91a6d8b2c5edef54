/* Kernel: code with its loops and source lines, from text, an object file or hex. A kernel is
 * immutable after loading. Any number of threads may read it. Callers keep the index of the
 * selected loop. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_H
#define PORTOLAN_ANALYSIS_KERNEL_H

#include "toolchain/assemble.h"
#include "isa/insn.h"

struct kernel_names;
struct recipe;

struct kernel_loop {
    size_t first, count;        /* range of instructions in kernel.insns */
    /* index of an instruction that every iteration executes. It is @first, unless several branches
     * lead back to the loop head. */
    size_t head;
    uint32_t first_line, last_line;
    char *label;                /* label of the loop head; "": none */
    unsigned depth;             /* nesting depth, 1: outermost; 0: all code, no loop */
    bool marked;                /* whether IACA, LLVM-MCA or OSACA markers select the loop */
    /* Whether this is a loop of computed gotos (analysis/dispatch.h): each iteration executes one
     * of its parts. @head is then the first instruction, which not every iteration executes. */
    bool dispatch;
    /* description of the loop, such as "innermost loop .L10", "LLVM-MCA-BEGIN triad", "whole text
     * (no loop)" */
    char *why;
};

struct kernel {
    char *name;                 /* file name, "pasted" or "hex" */
    enum isa isa;
    /* the user's text with special characters replaced (toolchain/plain.h); NULL for objects and
     * hex */
    char *source;
    struct insn *insns;         /* instructions of the whole unit */
    size_t insn_count;
    struct kernel_loop *loops;  /* loops, best candidate first; at least one */
    size_t loop_count;
    /* iterations of the original loop per iteration of a tuned kernel; 0: not tuned */
    unsigned times;
    /* whether the function was chosen in a large program without --symbol */
    bool of_many;
    struct diagnostic *refused; /* lines with errors that --skip-bad left out */
    size_t refused_count;
    struct diagnostic *left_out; /* lines that were left out because they are not assembler text */
    size_t left_out_count;
    /* Share of a profile's samples in percent: per line of @source, or for machine code per
     * instruction. NaN: unknown share. NULL: no profile. */
    float *percents;
    size_t percent_count;
    /* C line of each line of @source (0: none); NULL: Portolan did not compile @source */
    uint32_t *origin_lines;
    size_t origin_line_count;
    /* machine code: source line of each instruction; NULL: no debug information */
    struct debug_lines *debug;
    char *origin;               /* text of the source file, with line ends replaced by NULs */
    const char **origin_texts;  /* pointers to the lines of @origin, at most a million */
    size_t origin_text_count;
    /* names of code and data (analysis/kernel_names.h); NULL: unknown */
    struct kernel_names *names;
    /* steps that made the kernel from a file (analysis/recipe.h); NULL: it is from text or hex */
    struct recipe *recipe;
    uint64_t serial;            /* serial number of the kernel, unique in the process */
    _Atomic unsigned holders;   /* number of references in addition to the creator's */
};

struct kernel_options {
    /* whether the user gave @isa. Otherwise, the ELF header or the registers in the text determine
     * the instruction set; hex is x86-64. */
    bool isa_given;
    enum isa isa;
    enum syntax syntax;
    bool skip_bad;
    /* Function, address, offset (f+0x40), or label in text. NULL: all code, or the function with
     * the highest-ranked loop of a large ELF file. */
    const char *symbol;
    /* directories of source files in addition to the default directories (toolchain/source_file.h);
     * NULL: none */
    const char *source_path;
    /* first and last line of the text or C file, from 1; 0: all; not allowed for ELF files */
    size_t first_line, last_line;
    /* number of the loop, from 1, which must exist; 0: the best candidate */
    size_t loop;
};

/* Loads a kernel from a file or text (kernel_read.c). A file that begins with the magic number of
 * ELF or of an archive is machine code. Any other file is text. Returns NULL with err on
 * failure. */
struct kernel *kernel_load(const char *path, const struct kernel_options *options, struct err *err);
struct kernel *kernel_from_text(const char *name, const char *text, size_t length,
                                const struct kernel_options *options, struct err *err);
/* Makes a kernel of @length bytes of an object's code from @start: a function, or code around an
 * address. Adds disassembly text if @texts is true. Returns NULL with err on failure. */
struct object;
struct kernel *kernel_from_code(const struct object *o, const char *name, size_t start,
                                size_t length, bool texts, struct err *err);
/* Largest number of instructions in a kernel. Of a file with more instructions, only a function is
 * decoded. */
extern const size_t kernel_unit_most;
/* Returns @take_k if it has the loop that @options select. Otherwise frees it and returns NULL
 * with err. */
struct kernel *kernel_with_loop(struct kernel *take_k, const struct kernel_options *options,
                                struct err *err);
struct kernel *kernel_from_hex(enum isa isa, const char *hex, struct err *err);
/* Returns the index of the loop that @options select in a kernel that was loaded with these
 * options; 0 if @options is NULL or selects none. */
size_t kernel_loop_requested(const struct kernel_options *options);
/* Releases a reference. The last release frees the kernel. Any thread. */
void kernel_free(const struct kernel *k);
/* Adds a reference, which kernel_free releases. Any thread. */
const struct kernel *kernel_hold(const struct kernel *k);


/* Sets the first address of @k, a kernel from kernel_from_hex, to @address, and the description of
 * its loop to @why. Call it once, before others share the kernel. Returns false with err on
 * failure, but true when cancelled. */
bool kernel_place(struct kernel *k, uint64_t address, const char *why, struct err *err);
/* Sets the source of compiled text: the C line of each text line (0: none), and the text of the C
 * file or NULL. Takes @take_lines and the text. Call it once, before others share the kernel. */
void kernel_set_origin(struct kernel *k, uint32_t *take_lines, size_t line_count, char *take_text);
/* Sets the source lines of machine code by code offset, and the source file's text (NULL: not
 * found). Keeps the text from the first to the last line with code. Takes @take and @take_text.
 * Call it once, before others share the kernel. */
void kernel_set_debug(struct kernel *k, struct debug_lines *take, char *take_text);
/* Returns the source line of @insn; 0: unknown. Sets *@text (may be NULL) to the line's text,
 * borrowed, or to NULL. */
uint32_t kernel_source_line(const struct kernel *k, const struct insn *insn, const char **text);
/* Appends "12: s += a[i];" for @insn, and the inlined function at that place. Appends nothing and
 * returns false if the line's text and the function are unknown. Does the same if line and function
 * equal those of the previous row @before (NULL: none). */
bool kernel_source_note(const struct kernel *k, const struct insn *insn, const struct insn *before,
                        struct str *out);
/* Returns the name of the function whose inlined code contains @insn, borrowed; NULL: none or
 * unknown. Any thread. */
const char *kernel_inlined(const struct kernel *k, const struct insn *insn);
/* Returns whether the instructions have source lines. Any thread. */
bool kernel_has_source(const struct kernel *k);
/* Returns the share of a profile's samples at @insn in percent; NaN: unknown. Any thread. */
double kernel_percent(const struct kernel *k, const struct insn *insn);
/* Sets the shares of a profile's samples, one per instruction of machine code. Takes @take. Call it
 * once, before others share the kernel. */
void kernel_set_percents(struct kernel *k, float *take);
/* Returns the instructions of loop @loop (0 to loop_count - 1), borrowed. Any thread. Sets *@count
 * to the number of instructions. */
const struct insn *kernel_insns(const struct kernel *k, size_t loop, size_t *count);


/* Makes a kernel of the function of @path with the most samples in @profile ("perf.data"), or of
 * the function in @options. The loop with the most samples is first, unless @options name the
 * function by its address. Returns NULL with err on failure (ERR_MISSING: perf is not installed).
 * Any thread. */
struct kernel *kernel_from_profile(const char *path, const char *profile,
                                   const struct kernel_options *options, struct err *err);


struct recipe;

/* Compiles the file of @r, and sets the recipe's target. Selects the highest-ranked loop of all
 * functions, or of the selected symbol. Returns NULL with err on failure; *@printed (may be NULL)
 * then receives the compiler's messages. */
struct kernel *kernel_from_source(struct recipe *r, struct str *printed, struct err *err);

#endif
