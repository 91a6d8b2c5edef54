/* Run time of a program by functions and loops, from samples. Immutable after profile_new. */
#ifndef PORTOLAN_PROFILE_PROFILE_H
#define PORTOLAN_PROFILE_PROFILE_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "profile/sampling.h"

struct profile_function {
    char *name;                /* symbol in the file; "": the file has no symbols */
    char *shown;               /* demangled name without parameters */
    /* path of the program or library; "" for code outside of files */
    char *file;
    size_t samples;
};

struct profile_loop {
    /* counted reference to the code of the function, or around a loop without symbols */
    const struct kernel *kernel;
    size_t loop;               /* index into the kernel's loops */
    /* function and offset ("main+0x40"); without a symbol, base name of the file and address
     * ("gzip+0x4308") */
    char *name;
    char *file;
    size_t samples;            /* number of samples in the loop without its inner loops */
    /* measured cycles per iteration of the loop in isolation; NaN: none */
    double measured;
    /* cycles per iteration; NaN: unknown. @bound: lower bound of the analysis. @predicted:
     * simulated, but at least @bound */
    double bound, predicted;
    char *bottleneck;          /* name of the largest bound, such as "dependencies"; NULL if bound
                                * is NaN */
    /* sentence that names the limit of the loop in isolation, with assumptions; NULL if bound is
     * NaN */
    char *why;
    /* predicted cycles per iteration over arrays of the size of the program's memory; NaN:
     * unknown */
    double over_memory;
    bool costs_measured;       /* whether over_memory is from costs measured on this CPU */
    /* whether the time depends on data, because of mispredicted branches, misses or forwarded
     * stores; the time in the program then differs from both the measurement in isolation and the
     * prediction */
    bool by_data;
    const char *level;         /* cache level of arrays of that size ("L2"), a static string */
};

struct run_profile {
    /* number that no other profile has; unlike an address, it is not reused */
    uint64_t serial;
    char *program;             /* path of the program */
    VEC(char *) argv;          /* program and arguments; empty: the process was running already */
    char *input;               /* path of the program's input file; NULL: none */
    /* path of the program's output file; NULL: none, or the file is empty */
    char *output;
    char *machine;             /* id of the machine for bounds; NULL: no machine matches */
    enum sampling_method method;
    double rate, seconds, user, system, memory;   /* @rate: samples per CPU second. The others are
                                                   * those of struct sampled (sampling.h). */
    size_t samples;            /* number of all samples */
    size_t lost, processes, threads;
    bool running;              /* whether the program is still running; there are no predictions
                                * yet */
    bool cut_off;              /* whether profiling was cancelled or failed; there are then no
                                * predictions */
    VEC(struct profile_function) functions;   /* functions, most samples first */
    VEC(struct profile_loop) loops;
};

/* Finds the functions and loops of the samples @s. Omits loops with less than @least of all
 * samples. If @goes_on is not NULL, adds source lines to hot loops, which child processes read.
 * @goes_on receives the completed fraction, and returns false to cancel. Returns NULL with err if
 * @goes_on or the thread's watch cancels. Any thread. Takes seconds for large libraries. */
struct run_profile *profile_new(const struct sampled *s, double rate, double least,
                                bool (*goes_on)(void *state, double share), void *state,
                                struct err *err);
void profile_free(struct run_profile *p);
/* Returns the fraction of @samples among all samples, and its uncertainty *@off (1.96 standard
 * deviations). */
double profile_share(const struct run_profile *p, size_t samples, double *off);
/* Returns the function's name, or the reason why it has none. */
const char *profile_function_name(const struct profile_function *f);
/* Appends @name. If it is longer than @columns bytes, omits its middle. */
void profile_name_short(const char *name, size_t columns, struct str *out);
/* Returns the cycles per iteration of the loop, measured in isolation or otherwise predicted. NaN
 * if neither is known. */
double profile_loop_now(const struct profile_loop *l);
/* Appends a note that the true time is between profile_loop_now and over_memory. If the time may be
 * outside of this range, appends the reason. */
void profile_memory_range(const struct profile_loop *l, struct str *out);
/* Returns the CPU seconds of the whole run, with system time, if loop @at needed @cycles instead of
 * @now cycles per iteration. Returns NaN if the loop's time depends on data, because @now is then
 * not its time in the program. */
double profile_time_with(const struct run_profile *p, size_t at, double now, double cycles);

/* Internal, in places.c: adds to @p the functions and loops of image @image that have samples in
 * @s. Adds source lines if @lines is true. An unreadable image has one function without a name. Any
 * thread. Polls watch_steps and ends early if cancelled. */
void places_find(struct run_profile *p, const struct samples *s, uint32_t image, bool lines);

#endif
