/* Samples a running program about a thousand times per second: by the system's sampling clock, or,
 * if unavailable, by interrupting it. */
#ifndef PORTOLAN_PROFILE_SAMPLING_H
#define PORTOLAN_PROFILE_SAMPLING_H

#include <sys/types.h>

#include "base/err.h"
#include "profile/samples.h"

enum sampling_method { SAMPLING_ANY, SAMPLING_CLOCK, SAMPLING_INTERRUPT };

struct sampling {
    /* program and arguments, NULL-terminated; NULL: the running process pid */
    const char *const *argv;
    pid_t pid;
    const char *output, *input;      /* paths for a started program; input NULL: nothing */
    double seconds;                  /* limit; INFINITY: until it ends */
    double rate;                     /* per second of CPU time */
    enum sampling_method method;
    /* Called several times per second; returns false to stop and discard everything. May be
     * NULL. */
    bool (*goes_on)(void *state, double seconds, size_t samples);
    /* Called as often; returns true to end the program, or detach from the process, and keep the
     * samples. May be NULL. */
    bool (*enough)(void *state);
    void *state;
};

struct sampled {
    struct samples samples;
    enum sampling_method method;     /* that was used */
    /* why the clock was not used; code 0: it was, or was not requested */
    struct err refused;
    char *path;                      /* executable of the program or process */
    double seconds;                  /* wall-clock time */
    double user, system;             /* CPU seconds in user and system mode; system NaN: unknown */
    /* largest anonymous and shared memory seen, bytes; 0: it ended before the first check */
    double memory;
    size_t lost;                     /* samples at unknown places */
    size_t processes, threads;       /* started by it */
    bool ended;                      /* it ended; false: the time limit */
    /* as of waitpid, of a program that was started here and ended */
    int status;
};

/* Samples the program. False with err; sampled_done frees @out in either case. Any thread; goes_on
 * is called on another one, while this one waits. */
bool sampling_run(const struct sampling *o, struct sampled *out, struct err *err);
void sampled_done(struct sampled *s);

#endif
