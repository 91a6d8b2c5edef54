/* Lanes are CPUs that measure concurrently, each with a sandbox and a thread. Two virtual CPUs may
 * be one core of the host, so their interference is tested first. Only one lane runs before this
 * test, if CPUs interfere, for few experiments, or if the caller names a CPU. */
#ifndef PORTOLAN_MEASURE_LANES_H
#define PORTOLAN_MEASURE_LANES_H

#include "measure/cores.h"
#include "measure/lane.h"

struct lanes;

/* Creates the lanes. The calling thread runs the first one. @threads is borrowed. If it is NULL, or
 * if @cpu is not -1, there is only this lane. @cpu -1 permits any allowed CPU. Returns NULL with
 * err like sandbox_new. */
struct lanes *lanes_new(int cpu, const struct source_threads *threads, struct err *err);
void lanes_free(struct lanes *l);
/* Returns the sandbox of the first lane. The caller may use it between calls of lanes_measure. */
struct sandbox *lanes_sandbox(struct lanes *l);
/* Begins the first lane's selection of CPUs (seek_begin). Call it after the first sandbox was
 * calibrated and is on its final CPU. */
void lanes_begin(struct lanes *l);
/* Measures experiments 0 to @n - 1 of @t. Calls t->cancelled only on this thread, at least before
 * each piece. If another lane fails, the first lane measures all experiments again. Returns false
 * with err like lane_measure. */
bool lanes_measure(struct lanes *l, const struct lane_task *t, size_t n, struct err *err);
/* Calls seek_learn after a probe on any lane was faster than the baseline. Call it between
 * measurements. Returns false with err like seek_learn. */
bool lanes_learn(struct lanes *l, struct calibration *c, struct err *err);
/* Returns the number of child processes of all lanes (sandbox_children). */
unsigned lanes_children(const struct lanes *l);
/* Returns the number of lanes in the last measurement that was large enough for several lanes. */
unsigned lanes_used(const struct lanes *l);

enum lanes_verdict { LANES_UNKNOWN, LANES_APART, LANES_DISTURB };

/* Number of idle probes of each lane's CPU, out of SEEK_LOOKS: when probed alone, and together
 * with all others */
struct lanes_looks {
    unsigned alone[CORES_LANES], together[CORES_LANES];
};
/* Infers from @count rounds of probes of @lanes lanes whether their CPUs interfere. Threads of one
 * core slow each other in every round, so they are never idle together. Interference by other users
 * varies. Pure. */
enum lanes_verdict lanes_judge(const struct lanes_looks *rounds, unsigned count, unsigned lanes);
/* Returns the number of experiments (1 to @left) for a lane's next piece. Pieces are small, so all
 * lanes end at about the same time. A piece has one experiment if the lane's recent success rate
 * @quiet (0 to 1) is low. Pure. */
size_t lanes_piece(size_t left, double quiet);

#endif
