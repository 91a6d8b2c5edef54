/* Run time of a program by functions and their loops, from samples. Immutable. */
#ifndef PORTOLAN_PROFILE_PROFILE_H
#define PORTOLAN_PROFILE_PROFILE_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "profile/sampling.h"

struct profile_function {
    char *name;                /* symbol in the file; "" without symbols */
    char *shown;               /* demangled, without parameters */
    /* path of the program or library; "" outside files */
    char *file;
    size_t samples;
};

struct profile_loop {
    /* held: the function's code, or the surroundings of a loop without symbols */
    const struct kernel *kernel;
    size_t loop;               /* of the kernel's loops */
    char *name;                /* "main+0x40", "0x1136" */
    char *file;
    size_t samples;            /* in it, without inner loops */
    double measured;           /* cycles per iteration on this CPU, alone; NaN: not measured */
    double bound, predicted;   /* cycles per iteration, by bounds and by simulation; NaN: unknown */
    char *bottleneck;          /* "dependencies"; NULL: bound is NaN */
    /* sentence on its limit when run alone, with assumptions; NULL: bound is NaN */
    char *why;
    /* cycles per iteration if its arrays had the program's whole memory; NaN: unknown */
    double over_memory;
    const char *level;         /* level of that data, "L2", ..., static */
};

struct run_profile {
    /* unique, even if a profile's address is reused */
    uint64_t serial;
    char *program;             /* path */
    VEC(char *) argv;          /* program and arguments, without the NULL; empty: it was running
                                * already */
    char *input;               /* its input file; NULL: none */
    /* its output file; NULL: none, or empty */
    char *output;
    char *machine;             /* id of the machine for bounds; NULL: none fits */
    enum sampling_method method;
    double rate, seconds, user, system, memory;   /* as in sampling.h */
    size_t samples;            /* all */
    size_t lost, processes, threads;
    bool running;              /* the program was still running: no predictions yet */
    bool cut_off;              /* profiling was cancelled or failed: no predictions follow */
    VEC(struct profile_function) functions;   /* hottest first */
    VEC(struct profile_loop) loops;
};

/* Looks up @s, which is moved except for its samples. Loops with less than @least of all samples
 * are omitted. With @goes_on hot loops get source lines, by child processes; it gets the completed
 * share and returns false to cancel: then NULL with err, as when the thread's watch ends it. Any
 * thread; takes seconds for large libraries. */
struct run_profile *profile_new(const struct sampled *s, double rate, double least,
                                bool (*goes_on)(void *state, double share), void *state,
                                struct err *err);
void profile_free(struct run_profile *p);
/* Share of @samples in all, and its uncertainty (1.96 standard deviations). */
double profile_share(const struct run_profile *p, size_t samples, double *off);
/* The function's name, or why it has none. */
const char *profile_function_name(const struct profile_function *f);
/* Appends @name, shortened in the middle if longer than @columns bytes. */
void profile_name_short(const char *name, size_t columns, struct str *out);
/* Known cycles per iteration of the loop: measured alone, else predicted; NaN if neither. */
double profile_loop_now(const struct profile_loop *l);
/* CPU seconds of the whole run if loop @at took @cycles instead of @now per iteration. */
double profile_time_with(const struct run_profile *p, size_t at, double now, double cycles);

/* Internal, places.c: adds to @p the functions and loops of image @image with samples in @s, with
 * source lines if @lines. An unreadable image has a function without a name. Any thread; polls
 * watch_steps, and ends early with it. */
void places_find(struct run_profile *p, const struct samples *s, uint32_t image, bool lines);

#endif
