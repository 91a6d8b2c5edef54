/* CPUs that measure concurrently, each with a sandbox and a thread. Interference is tested first,
 * since two virtual CPUs may be one core of the host. Until then, and if CPUs interfere, for little
 * work, or if the caller names a CPU, there is one lane. */
#ifndef PORTOLAN_MEASURE_LANES_H
#define PORTOLAN_MEASURE_LANES_H

#include "measure/cores.h"
#include "measure/lane.h"

struct lanes;

/* @threads (borrowed) NULL: one lane. @cpu -1: any allowed CPU. NULL with err as sandbox_new.
 * Belongs to the calling thread, which does the first lane's work. */
struct lanes *lanes_new(int cpu, const struct source_threads *threads, struct err *err);
void lanes_free(struct lanes *l);
/* Sandbox of the first lane, for other uses between calls of lanes_measure. */
struct sandbox *lanes_sandbox(struct lanes *l);
/* Call it after the first sandbox was calibrated, on its CPU. */
void lanes_begin(struct lanes *l);
/* Measures experiments 0 to @n - 1 of @t. Calls its cancelled on this thread only, at least before
 * each piece. If another lane fails the first does everything. False with err as lane_measure. */
bool lanes_measure(struct lanes *l, const struct lane_task *t, size_t n, struct err *err);
/* Calls seek_learn between measurements, where a lane's CPU exceeded the baseline. False with err
 * as there. */
bool lanes_learn(struct lanes *l, struct calibration *c, struct err *err);
/* Sum of sandbox_children over all lanes. */
unsigned lanes_children(const struct lanes *l);
/* Number of lanes used by the last non-trivial work. */
unsigned lanes_used(const struct lanes *l);

enum lanes_verdict { LANES_UNKNOWN, LANES_APART, LANES_DISTURB };

/* Number of SEEK_LOOKS probes that found each lane's CPU idle: while probed alone, and while all
 * were probed, alternating. */
struct lanes_looks {
    unsigned alone[CORES_LANES], together[CORES_LANES];
};
/* Judges @count rounds of such probes of @lanes lanes. Threads of one core slow each other in every
 * round, so that they are never idle together; neighbours vary. Pure. */
enum lanes_verdict lanes_judge(const struct lanes_looks *rounds, unsigned count, unsigned lanes);
/* Experiments, 1 to @left, that a lane takes next: few, so that all lanes end together, and one
 * alone for a lane with a low recent success rate @quiet (0 to 1). Pure. */
size_t lanes_piece(size_t left, double quiet);

#endif
