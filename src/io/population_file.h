/* Several mappings over the same ports and forms in a JSON file: the population of a run of
 * inference, for resuming it. */
#ifndef PORTOLAN_IO_POPULATION_FILE_H
#define PORTOLAN_IO_POPULATION_FILE_H

#include "model/mapping.h"

struct population {
    struct mapping **mappings;   /* best first */
    size_t count;
    uint64_t fingerprint;        /* of their experiments */
    double seconds;              /* time used by the run so far */
    double best_so_far;          /* least mean error of the run so far; NaN: unknown */
    /* fingerprint of its experiments: the initial ones */
    uint64_t best_so_far_of;
    double limit;                /* time limit in total; 0: unknown, or none */
    bool live;                   /* new measurements joined it */
    /* the number of ports was assumed, since time or measurements did not determine it */
    bool ports_no_time, ports_unexplained;
    /* the number of ports was given by the user; the issue width is the largest measured rate, in
     * forms per cycle */
    bool ports_given, width_measured;
};

void population_done(struct population *p);
/* Saves atomically. */
bool population_save(const struct population *p, const char *path, struct err *err);
/* Loads a file; false with err, and @out empty. The caller calls population_done. */
bool population_load(const char *path, struct population *out, struct err *err);
bool population_parse(const char *name, const char *bytes, size_t length, struct population *out,
                      struct err *err);

#endif
