/* Several mappings over the same ports and forms in a JSON file: the population of an inference
 * run, from which it can be resumed. */
#ifndef PORTOLAN_IO_POPULATION_FILE_H
#define PORTOLAN_IO_POPULATION_FILE_H

#include "model/mapping.h"

struct population {
    struct mapping **mappings;   /* mappings, best first */
    size_t count;
    uint64_t fingerprint;        /* fingerprint of the experiments of the run */
    double seconds;              /* seconds that the run has used */
    double best_so_far;          /* smallest mean error that the run has reached; NaN: unknown */
    /* fingerprint of the initial experiments, to which best_so_far applies */
    uint64_t best_so_far_of;
    double limit;                /* total time limit in seconds; 0: none, or unknown */
    bool live;                   /* whether measurements were added during the run */
    /* whether the number of ports was assumed because the time was too short, or because the
     * measurements do not determine it */
    bool ports_no_time, ports_unexplained;
    /* @ports_given: whether the user set the number of ports. @width_measured: whether the issue
     * width was measured (evolve_measured_width). */
    bool ports_given, width_measured;
};

void population_done(struct population *p);
/* Saves the population atomically. Returns false with err on failure. */
bool population_save(const struct population *p, const char *path, struct err *err);
/* Loads a file. On failure, returns false with err and leaves @out empty. population_done frees
 * @out. */
bool population_load(const char *path, struct population *out, struct err *err);
bool population_parse(const char *name, const char *bytes, size_t length, struct population *out,
                      struct err *err);

#endif
