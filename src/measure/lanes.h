/* CPUs that measure concurrently, each with a sandbox and a thread. Interference is tested first,
 * because two virtual CPUs may be one core of the host. There is one lane until then, if CPUs
 * interfere, for few experiments, or if the caller names a CPU. */
#ifndef PORTOLAN_MEASURE_LANES_H
#define PORTOLAN_MEASURE_LANES_H

#include "measure/cores.h"
#include "measure/lane.h"

struct lanes;

/* Creates the lanes for the calling thread, which does the first lane's work. @threads (borrowed)
 * NULL: one lane. @cpu -1: any allowed CPU. NULL with err as sandbox_new. */
struct lanes *lanes_new(int cpu, const struct source_threads *threads, struct err *err);
void lanes_free(struct lanes *l);
/* Returns the sandbox of the first lane, for other uses between calls of lanes_measure. */
struct sandbox *lanes_sandbox(struct lanes *l);
/* Determines the shares of CPUs. Call it after the first sandbox was calibrated, on its CPU. */
void lanes_begin(struct lanes *l);
/* Measures experiments 0 to @n - 1 of @t. Calls the sandbox's cancelled only on this thread, at
 * least before each piece. If another lane fails the first lane measures its experiments. False
 * with err as lane_measure. */
bool lanes_measure(struct lanes *l, const struct lane_task *t, size_t n, struct err *err);
/* Calls seek_learn between measurements, if a lane's CPU exceeded the baseline. False with err as
 * seek_learn. */
bool lanes_learn(struct lanes *l, struct calibration *c, struct err *err);
/* Returns the sum of sandbox_children over all lanes. */
unsigned lanes_children(const struct lanes *l);
/* Returns the number of lanes that took part in the last measurement of more than a few
 * experiments. */
unsigned lanes_used(const struct lanes *l);

enum lanes_verdict { LANES_UNKNOWN, LANES_APART, LANES_DISTURB };

/* Number of SEEK_LOOKS probes that found each lane's CPU idle: probed alone, and probed together
 * with all others, alternately. */
struct lanes_looks {
    unsigned alone[CORES_LANES], together[CORES_LANES];
};
/* Judges @count rounds of such probes of @lanes lanes. Threads of one core slow each other in every
 * round, so they are never idle together. Neighbours vary. Pure. */
enum lanes_verdict lanes_judge(const struct lanes_looks *rounds, unsigned count, unsigned lanes);
/* Returns how many experiments, 1 to @left, a lane gets next: few, so that all lanes end at the
 * same time, and one for a lane with a low recent success rate @quiet (0 to 1). Pure. */
size_t lanes_piece(size_t left, double quiet);

#endif
