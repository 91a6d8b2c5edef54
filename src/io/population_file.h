/* Several mappings over the same ports and forms in one JSON file: the population of a run of
 * inference, so that it can be resumed. */
#ifndef PORTOLAN_IO_POPULATION_FILE_H
#define PORTOLAN_IO_POPULATION_FILE_H

#include "model/mapping.h"

struct population {
    struct mapping **mappings;   /* best first */
    size_t count;
    uint64_t fingerprint;        /* of the experiments they were made for */
    double seconds;              /* the run has used so far */
    double best_so_far;          /* least mean error of the run so far; NaN: not known */
    /* fingerprint of the experiments that it is over: those the run began with */
    uint64_t best_so_far_of;
    double limit;                /* seconds it was given in all; 0: not known, or no limit */
    bool live;                   /* measurements made meanwhile joined it */
    /* the number of ports was assumed, since the time, or the measurements, did not determine it */
    bool ports_no_time, ports_unexplained;
    /* the number of ports was the user's, not found; the issue width is the most forms per cycle
     * that were measured */
    bool ports_given, width_measured;
};

void population_done(struct population *p);
/* Whole or untouched. */
bool population_save(const struct population *p, const char *path, struct err *err);
/* False with err, and @out empty, on failure. The caller calls population_done. */
bool population_load(const char *path, struct population *out, struct err *err);
bool population_parse(const char *name, const char *bytes, size_t length, struct population *out,
                      struct err *err);

#endif
