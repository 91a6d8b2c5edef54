/* Samples a running program about a thousand times per second: with the system's sampling clock, or
 * by interrupting the program if the clock is unavailable. */
#ifndef PORTOLAN_PROFILE_SAMPLING_H
#define PORTOLAN_PROFILE_SAMPLING_H

#include <sys/types.h>

#include "base/err.h"
#include "profile/samples.h"

enum sampling_method { SAMPLING_ANY, SAMPLING_CLOCK, SAMPLING_INTERRUPT };

struct sampling {
    /* program and arguments, NULL-terminated; NULL: process @pid is running already */
    const char *const *argv;
    pid_t pid;
    const char *output, *input;      /* paths for a program to start; @input may be NULL */
    double seconds;                  /* time limit in seconds; INFINITY: the whole run */
    double rate;                     /* samples per second of CPU time */
    enum sampling_method method;
    /* Called several times per second. If it returns false, sampling stops and all samples are
     * discarded. May be NULL. */
    bool (*goes_on)(void *state, double seconds, size_t samples);
    /* Called several times per second. If it returns true, the program ends or the process is
     * detached, and the samples remain. May be NULL. */
    bool (*enough)(void *state);
    void *state;
};

struct sampled {
    struct samples samples;
    enum sampling_method method;     /* method used */
    /* reason why the clock was not used; code 0: it was used, or not requested */
    struct err refused;
    char *path;                      /* executable of the program or process */
    double seconds;                  /* wall-clock seconds */
    double user, system;             /* CPU seconds in user and system mode; system may be NaN */
    /* largest observed anonymous and shared memory in bytes; 0: the program ended before the first
     * observation */
    double memory;
    size_t lost;                     /* number of samples outside of known code */
    size_t processes, threads;       /* numbers of processes and threads that the program started */
    bool ended;                      /* whether the program ended; if not, the time limit or a
                                      * callback ended sampling */
    /* status from waitpid, if this process started the program and it ended */
    int status;
};

/* Samples the program. Returns false with err. The caller always calls sampled_done. Any thread,
 * which waits while another thread samples and calls goes_on. */
bool sampling_run(const struct sampling *o, struct sampled *out, struct err *err);
void sampled_done(struct sampled *s);

#endif
