/* Samples a program about a thousand times a second while it runs: by the system's sampling clock,
 * or, if that is refused, by interrupting it. */
#ifndef PORTOLAN_PROFILE_SAMPLING_H
#define PORTOLAN_PROFILE_SAMPLING_H

#include <sys/types.h>

#include "base/err.h"
#include "profile/samples.h"

enum sampling_method { SAMPLING_ANY, SAMPLING_CLOCK, SAMPLING_INTERRUPT };

struct sampling {
    /* the program and its arguments, NULL at the end; NULL: process pid, which runs already */
    const char *const *argv;
    pid_t pid;
    const char *output, *input;      /* paths, of a program that is started; input NULL: nothing */
    double seconds;                  /* at most; INFINITY: until it ends */
    double rate;                     /* samples per second of CPU time */
    enum sampling_method method;
    /* Called some times a second; false: stop and drop everything. May be NULL. */
    bool (*goes_on)(void *state, double seconds, size_t samples);
    /* Called as often; true: the program is ended, or the process detached, and the samples so far
     * are the profile. May be NULL. */
    bool (*enough)(void *state);
    void *state;
};

struct sampled {
    struct samples samples;
    enum sampling_method method;     /* that was used */
    /* why it was not the clock; code 0: it was, or it was not requested */
    struct err refused;
    char *path;                      /* of the program that was started, or of the process's */
    double seconds;                  /* of wall clock */
    double user, system;             /* CPU seconds in and for the program; system NaN: not known */
    /* bytes of its own, anonymous or shared, at most of all looks at it; 0: it ended before one */
    double memory;
    size_t lost;                     /* samples that lay nowhere known */
    size_t processes, threads;       /* started by it */
    bool ended;                      /* it has; else the time was up */
    /* as waitpid gives it, of one that was started here and ended */
    int status;
};

/* False with err; sampled_done frees @out in either case. Any thread; goes_on is called on another
 * one, while this one waits. */
bool sampling_run(const struct sampling *o, struct sampled *out, struct err *err);
void sampled_done(struct sampled *s);

#endif
