/* Kernel: code with its loops and source lines, from text, an object file or hex. The loader may
 * complete it; afterwards it is immutable, so any number of threads may read it. A loop is selected
 * by an index kept with the kernel. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_H
#define PORTOLAN_ANALYSIS_KERNEL_H

#include "toolchain/assemble.h"
#include "isa/insn.h"

struct kernel_names;
struct recipe;

struct kernel_loop {
    size_t first, count;        /* instructions of the unit */
    uint32_t first_line, last_line;
    char *label;                /* of the loop head; "" when none */
    unsigned depth;             /* nesting depth, 1: outermost; 0: all code, no loop */
    bool marked;                /* from markers of IACA, LLVM-MCA or OSACA */
    /* "innermost loop .L10", "LLVM-MCA-BEGIN triad", "whole text (no loop)" */
    char *why;
};

struct kernel {
    char *name;                 /* file name, "pasted", "hex" */
    enum isa isa;
    /* the user's text as plain characters (toolchain/plain.h); NULL for objects and hex */
    char *source;
    struct insn *insns;         /* of the whole unit */
    size_t insn_count;
    struct kernel_loop *loops;  /* best first; at least one */
    size_t loop_count;
    /* tuned: iterations of the original loop per iteration; else 0 */
    unsigned times;
    /* number of loops of one function of a large program, chosen without --symbol */
    bool of_many;
    struct diagnostic *refused; /* number of lines left out with --skip-bad */
    size_t refused_count;
    struct diagnostic *left_out; /* number of lines that are not assembler text and were left out */
    size_t left_out_count;
    /* share of a profile's samples per line of @source, or per instruction of machine code (NaN:
     * none); NULL: no profile */
    float *percents;
    size_t percent_count;
    /* compiled here: C line of each line of @source, 0: none; NULL if not compiled here */
    uint32_t *origin_lines;
    size_t origin_line_count;
    /* machine code with debug information: source of each instruction; NULL: none */
    struct debug_lines *debug;
    char *origin;               /* the C file with line ends replaced by 0 */
    const char **origin_texts;  /* its lines, pointers into it: the first million */
    size_t origin_text_count;
    /* names of the places that the code refers to (analysis/kernel_names.h); NULL: unknown */
    struct kernel_names *names;
    /* how it was made from a file (analysis/recipe.h); NULL: from text or hex */
    struct recipe *recipe;
    _Atomic unsigned holders;   /* besides the creator */
};

struct kernel_options {
    /* NULL: by ELF machine or by the registers in the text; hex is x86-64 */
    bool isa_given;
    enum isa isa;
    enum syntax syntax;
    bool skip_bad;
    /* function, address, offset (f+0x40) or, in text, label; NULL: all, or of a large ELF the
     * function with the hottest-looking loop */
    const char *symbol;
    /* directories with sources that debug information names, besides the usual
     * (toolchain/source_file.h); NULL: none */
    const char *source_path;
    /* lines of the text or C file; 1-based; 0: all. Refused for ELF files */
    size_t first_line, last_line;
    /* 1-based number of the loop, an error if it does not exist; 0: the best, which is the first */
    size_t loop;
};

/* kernel_read.c: loads a kernel from a file, text or hex. Recognises ELF and archives by their
 * magic, `hex` calls as hex blocks, anything else as text. NULL with err. */
struct kernel *kernel_load(const char *path, const struct kernel_options *options, struct err *err);
struct kernel *kernel_from_text(const char *name, const char *text, size_t length,
                                const struct kernel_options *options, struct err *err);
/* Makes a kernel of @length bytes of an object's code from @start on: a function, or the
 * surroundings of an address. NULL with err. */
struct object;
struct kernel *kernel_from_code(const struct object *o, const char *name, size_t start,
                                size_t length, struct err *err);
/* Instructions decoded at most; a larger file is narrowed to functions. */
extern const size_t kernel_unit_most;
/* Returns @k, or frees it and returns NULL with err if it lacks the loop that @options select. */
struct kernel *kernel_with_loop(struct kernel *take_k, const struct kernel_options *options,
                                struct err *err);
struct kernel *kernel_from_hex(enum isa isa, const char *hex, struct err *err);
/* Index of the loop that @options select, in a kernel loaded with them. */
size_t kernel_loop_requested(const struct kernel_options *options);
/* Frees the kernel when its last holder calls it. */
void kernel_free(const struct kernel *k);
/* Adds a holder, on any thread, which calls kernel_free. */
const struct kernel *kernel_hold(const struct kernel *k);

/* kernel.c: queries of a kernel. */
/* Sets the addresses of @k, a kernel from kernel_from_hex: instructions begin at @address, and its
 * loop is named @why. Once, before others hold @k. False with err. */
bool kernel_place(struct kernel *k, uint64_t address, const char *why, struct err *err);
/* Sets the source of compiled text: the C line of each text line (0: none), and that file, or NULL.
 * Once, before others hold @k. */
void kernel_set_origin(struct kernel *k, uint32_t *take_lines, size_t line_count, char *take_text);
/* As kernel_set_origin for machine code: source places by code offset, and the source file (NULL:
 * not found), of which the used lines are kept. Moves *@take. Once, before others hold @k. */
void kernel_set_debug(struct kernel *k, struct debug_lines *take, char *take_text);
/* Returns the source line of @insn, 0 if unknown; *@text (may be NULL) gets its text, borrowed, or
 * NULL. */
uint32_t kernel_source_line(const struct kernel *k, const struct insn *insn, const char **text);
/* Appends "12: s += a[i];" for @insn, and the function inlined there. False, with nothing appended,
 * if @before, the previous row (NULL: none), has the same, or if it is unknown. */
bool kernel_source_note(const struct kernel *k, const struct insn *insn, const struct insn *before,
                        struct str *out);
/* Returns the function that @insn was inlined from, borrowed; NULL if none or unknown. Any
 * thread. */
const char *kernel_inlined(const struct kernel *k, const struct insn *insn);
/* Returns whether the instructions have source lines. Any thread. */
bool kernel_has_source(const struct kernel *k);
/* Share of a profile's samples at @insn, in percent; NaN if unknown. Any thread. */
double kernel_percent(const struct kernel *k, const struct insn *insn);
/* Sets the samples of machine code, one share per instruction. Once, before others hold @k. */
void kernel_set_percents(struct kernel *k, float *take);
/* Instructions of loop @loop (0 to loop_count - 1), borrowed. Any thread. */
const struct insn *kernel_insns(const struct kernel *k, size_t loop, size_t *count);

/* kernel_profile.c: kernels of a program by a perf profile, read by the installed perf. */

/* Returns the function of @path with most samples in @profile ("perf.data"), or the one in
 * @options, with each instruction's share. The loop with most samples comes first. NULL with err
 * (ERR_MISSING: perf is not installed). Any thread. */
struct kernel *kernel_from_profile(const char *path, const char *profile,
                                   const struct kernel_options *options, struct err *err);

/* kernel_source.c: kernels from C, C++ and Fortran, compiled here, with source lines. */

struct recipe;

/* Compiles the file of @r and sets its target. Takes the hottest-looking loop, of all functions or
 * of the selected symbol. *@printed (may be NULL) gets the compiler's messages on failure. NULL
 * with err. */
struct kernel *kernel_from_source(struct recipe *r, struct str *printed, struct err *err);

#endif
