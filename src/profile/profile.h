/* Run time of a program by functions and the loops within them, from samples. Made once; then it
 * never changes. */
#ifndef PORTOLAN_PROFILE_PROFILE_H
#define PORTOLAN_PROFILE_PROFILE_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "profile/sampling.h"

struct profile_function {
    char *name;                /* as the file has it; "" if it has no symbols there */
    char *shown;               /* as programmers write it, without parameters */
    /* path of the program or library; "" for code that lies in no file */
    char *file;
    size_t samples;
};

struct profile_loop {
    /* held: the function's code, or the surroundings of the loop without symbols */
    const struct kernel *kernel;
    size_t loop;               /* of the kernel's loops */
    char *name;                /* "main+0x40", "0x1136" */
    char *file;
    size_t samples;            /* in it and in no loop within it */
    double measured;           /* cycles per iteration on this CPU, alone; NaN: not measured */
    double bound, predicted;   /* cycles per iteration, by bounds and simulated; NaN: not known */
    char *bottleneck;          /* "dependencies"; NULL: bound is NaN */
    /* the sentence on its limit when run alone, and its assumptions; NULL: bound is NaN */
    char *why;
    /* cycles per iteration were its arrays as large as all of the program's memory; NaN: not
     * known */
    double over_memory;
    const char *level;         /* then: level of its data, "L2", ..., static */
};

struct run_profile {
    /* no other profile has it, also none that comes to lie where this one lay */
    uint64_t serial;
    char *program;             /* path */
    VEC(char *) argv;          /* it and its arguments, without the NULL; none: it ran already */
    char *input;               /* the file that it read; NULL: none */
    /* the file with its output; NULL: none, or it printed nothing */
    char *output;
    char *machine;             /* id of whose tables bounds are; NULL: none fits */
    enum sampling_method method;
    double rate, seconds, user, system, memory;   /* of sampling, as sampled.h has them */
    size_t samples;            /* all */
    size_t lost, processes, threads;
    bool running;              /* the program still ran: there are no predictions yet */
    bool cut_off;              /* profiling was cancelled or failed meanwhile: there will be none */
    VEC(struct profile_function) functions;   /* the hottest first */
    VEC(struct profile_loop) loops;
};

/* With @goes_on the hot loops get their source lines, for which child processes are waited for.
 * Looks up @s, which is taken over except for its samples. Loops with less than @least of all
 * samples are left out. @goes_on (may be NULL) gets the share done and returns whether to continue:
 * NULL with err when not, or when the thread's watch ends it. Any thread; seconds for large
 * libraries. */
struct run_profile *profile_new(const struct sampled *s, double rate, double least,
                                bool (*goes_on)(void *state, double share), void *state,
                                struct err *err);
void profile_free(struct run_profile *p);
/* Share of @samples in all, and by how much it may be off (1.96 standard deviations of such a
 * count). */
double profile_share(const struct run_profile *p, size_t samples, double *off);
/* The function's name, or why it has none. */
const char *profile_function_name(const struct profile_function *f);
/* Appends @name, or of one longer than @columns bytes its beginning and its end. */
void profile_name_short(const char *name, size_t columns, struct str *out);
/* Cycles per iteration that the loop is known to take: measured alone, else predicted; NaN when
 * neither. */
double profile_loop_now(const struct profile_loop *l);
/* CPU seconds the whole run would take if loop @at took @cycles instead of @now per iteration. */
double profile_time_with(const struct run_profile *p, size_t at, double now, double cycles);

#endif
