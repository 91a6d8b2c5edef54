/* A run of inference as a background job: its threads, its checkpoints. */
#ifndef PORTOLAN_WORK_EVOLVE_JOB_H
#define PORTOLAN_WORK_EVOLVE_JOB_H

#include "infer/evolve.h"

struct islands;

struct evolve_run {
    unsigned number, job;        /* of the runs, from 1; of the jobs */
    struct problem *problem;
    struct evolve *evolve;
    struct ports names;          /* of the ports, as many as there are */
    char *checkpoint;            /* path; NULL: none */
    double seconds_before;       /* used before it was resumed */
    double last_checkpoint;      /* worker's */
    unsigned ranks;              /* that work on it */
    struct islands *islands;     /* worker's; NULL: this process works alone */
};

/* Starts the threads, and with other ranks theirs (work/islands.h). Takes @take_problem and, on success and on failure, frees it in evolve_run_free. @names NULL: "0", "1", ...
 * @checkpoint NULL: none. UI thread; NULL with err. */
struct evolve_run *evolve_run_start(struct problem *take_problem, const struct evolve_options *o, const struct ports *names, const struct mapping *const *from,
                                    size_t from_count, const char *checkpoint, double seconds_before, struct err *err);
/* Stops it, waits for its threads and frees everything. */
void evolve_run_free(struct evolve_run *run);
/* Blocks until it ended. */
void evolve_run_wait(struct evolve_run *run);
/* The names of @count ports in this run: those given, else 0, 1, ... */
void evolve_run_ports(const struct evolve_run *run, unsigned count, struct ports *out);
/* A copy of the best mapping so far, NULL before there is one. */
struct mapping *evolve_run_best(struct evolve_run *run);
/* Writes the population; any thread. True without a checkpoint path or before there are individuals. */
bool evolve_run_checkpoint(struct evolve_run *run, struct err *err);

#endif
