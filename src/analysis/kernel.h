/* Kernel: code with its loops and source lines, from text, an object file or hex. The loader may
 * complete it; then it never changes, so any number of threads read it at once. An index into its
 * loops, kept next to it, selects the loop. */
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
    unsigned depth;             /* nesting, 1 = outermost; 0: no loop, all of the code */
    bool marked;                /* by IACA, LLVM-MCA or OSACA markers */
    /* "innermost loop .L10", "LLVM-MCA-BEGIN triad", "whole text (no loop)" */
    char *why;
};

struct kernel {
    char *name;                 /* file name, "pasted", "hex" */
    enum isa isa;
    /* the user's text in plain characters (toolchain/plain.h); NULL for objects and hex */
    char *source;
    struct insn *insns;         /* of the whole unit */
    size_t insn_count;
    struct kernel_loop *loops;  /* best first; at least one */
    size_t loop_count;
    /* tuned: iterations of the loop that it was made of in one of its own; else 0 */
    unsigned times;
    /* loops of one function of a large program, chosen without --symbol */
    bool of_many;
    struct diagnostic *refused; /* lines left out with --skip-bad */
    size_t refused_count;
    struct diagnostic *left_out; /* lines of the text that are no assembler text */
    size_t left_out_count;
    /* per line of @source, of machine code per instruction: its share of a profile's samples, NaN:
     * none; NULL: no profile */
    float *percents;
    size_t percent_count;
    /* compiled here: per line of @source its line in the C file, 0: none; NULL otherwise */
    uint32_t *origin_lines;
    size_t origin_line_count;
    /* of machine code with debug information: where each instruction comes from; NULL: none */
    struct debug_lines *debug;
    char *origin;               /* the C file, its line ends replaced by 0 */
    const char **origin_texts;  /* its lines, in it: the first million */
    size_t origin_text_count;
    /* of the places that it refers to (analysis/kernel_names.h); NULL: none are known */
    struct kernel_names *names;
    /* how it was made of a file (analysis/recipe.h); NULL: of text or hex */
    struct recipe *recipe;
    _Atomic unsigned holders;   /* besides the creator */
};

struct kernel_options {
    /* else the ELF machine or the registers in the text decide; hex is x86-64 */
    bool isa_given;
    enum isa isa;
    enum syntax syntax;
    bool skip_bad;
    /* function, address or place in a function (f+0x40) or, in text, label to take; NULL: all, or
     * of a large ELF the function with the hottest-looking loop */
    const char *symbol;
    /* directories whose files debug information may name, besides the usual
     * (toolchain/source_file.h); NULL: none */
    const char *source_path;
    /* of text, or of the C file; 1-based; 0: all. An ELF file has none */
    size_t first_line, last_line;
    /* 1-based, refused when there is none such; 0: the best, which is the first */
    size_t loop;
};

/* kernel_read.c: kernels from files, text and hex, and their end. Recognises ELF and archives of it
 * by their magic, hex blocks by `hex` calls, anything else as text. NULL on failure. */
struct kernel *kernel_load(const char *path, const struct kernel_options *options, struct err *err);
struct kernel *kernel_from_text(const char *name, const char *text, size_t length,
                                const struct kernel_options *options, struct err *err);
/* The @length bytes of code from @start on, of an object: a function, or the surroundings of a
 * place. NULL on failure. */
struct object;
struct kernel *kernel_from_code(const struct object *o, const char *name, size_t start,
                                size_t length, struct err *err);
/* Instructions decoded in full: a whole file beyond this is narrowed to its functions first. */
extern const size_t kernel_unit_most;
/* @k, or NULL with err, and @k freed, if it lacks the loop that @options select. */
struct kernel *kernel_with_loop(struct kernel *take_k, const struct kernel_options *options,
                                struct err *err);
struct kernel *kernel_from_hex(enum isa isa, const char *hex, struct err *err);
/* The loop that @options select, as an index into the loops of a kernel loaded with them. */
size_t kernel_loop_requested(const struct kernel_options *options);
/* The last holder's call frees it. */
void kernel_free(const struct kernel *k);
/* One more may use it, on any thread, and is to kernel_free it. */
const struct kernel *kernel_hold(const struct kernel *k);

/* kernel.c: queries of a kernel. */
/* Sets the place of @k, from kernel_from_hex, in its file: instructions from @address on, its loop
 * called @why. Once, before others hold @k. False with err. */
bool kernel_place(struct kernel *k, uint64_t address, const char *why, struct err *err);
/* Source of compiled text: per line of it the line of the C file (0: none), and that file; NULL:
 * none. Once, before others hold @k. */
void kernel_set_origin(struct kernel *k, uint32_t *take_lines, size_t line_count, char *take_text);
/* The same of machine code: where its bytes come from, by their offsets, and the source file, NULL:
 * it is not there; of that the lines from the first to the last that the code comes from are kept.
 * *@take is moved. */
void kernel_set_debug(struct kernel *k, struct debug_lines *take, char *take_text);
/* Line of the C file that @insn was compiled from, 0 when it is not known; *@text (may be NULL)
 * gets that line, borrowed, or NULL. */
uint32_t kernel_source_line(const struct kernel *k, const struct insn *insn, const char **text);
/* Appends "12: s += a[i];" of @insn's source, and the function inlined there. False, nothing
 * appended, if @before (NULL: none), the row above, has the same, or if nothing is known. */
bool kernel_source_note(const struct kernel *k, const struct insn *insn, const struct insn *before,
                        struct str *out);
/* The function that @insn was inlined from, borrowed; NULL: none, or it is not known. Any
 * thread. */
const char *kernel_inlined(const struct kernel *k, const struct insn *insn);
/* Whether source lines are known of the instructions. Any thread. */
bool kernel_has_source(const struct kernel *k);
/* Share of a profile's samples of @insn, one of @k's, in percent; NaN if unknown. Any thread. */
double kernel_percent(const struct kernel *k, const struct insn *insn);
/* The shares of a kernel of machine code, one for each of its instructions. Once, before others
 * hold @k. */
void kernel_set_percents(struct kernel *k, float *take);
/* The instructions of loop @loop (from 0, below loop_count), borrowed. Any thread. */
const struct insn *kernel_insns(const struct kernel *k, size_t loop, size_t *count);

/* kernel_profile.c: kernels of a program by a perf profile, read by the installed perf. */

/* The function of @path with most samples in @profile ("perf.data"), or the one in @options, with
 * each instruction's share; the loop with most samples comes first. NULL with err (ERR_MISSING:
 * perf is not installed). Any thread. */
struct kernel *kernel_from_profile(const char *path, const char *profile,
                                   const struct kernel_options *options, struct err *err);

/* kernel_source.c: kernels from C, C++ and Fortran: compiled here, with the source line of each
 * instruction. */

struct recipe;

/* Compiles the file of @r, whose target becomes the one it was compiled for, and takes the
 * hottest-looking loop of the assembler text; with a symbol only that function is searched.
 * *@printed (may be NULL) gets the compiler's messages when there is no kernel. NULL on failure. */
struct kernel *kernel_from_source(struct recipe *r, struct str *printed, struct err *err);

#endif
