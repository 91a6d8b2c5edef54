/* Measurers are CPUs that measure concurrently, each with a sandbox and a thread. Two virtual CPUs
 * may be one core of the host, so their interference is tested first. Only one measurer runs before
 * this test, if CPUs interfere, for few experiments, or if the caller names a CPU. */
#ifndef PORTOLAN_MEASURE_MEASURERS_H
#define PORTOLAN_MEASURE_MEASURERS_H

#include "measure/cores.h"
#include "measure/measurer.h"

struct measurers;

/* Creates the measurers. The calling thread runs the first one. @threads is borrowed. If it is
 * NULL, or if @cpu is not -1, there is only this measurer. @cpu -1 permits any allowed CPU. Returns
 * NULL with err like sandbox_new. */
struct measurers *measurers_new(int cpu, const struct source_threads *threads, struct err *err);
void measurers_free(struct measurers *l);
/* Returns the sandbox of the first measurer. The caller may use it between calls of
 * measurers_measure. */
struct sandbox *measurers_sandbox(struct measurers *l);
/* Begins the first measurer's selection of CPUs (seek_begin). Call it after the first sandbox was
 * calibrated and is on its final CPU. */
void measurers_begin(struct measurers *l);
/* Measures experiments 0 to @n - 1 of @t. Calls t->cancelled only on this thread, at least before
 * each piece. If another measurer fails, the first measurer measures all experiments again. Returns
 * false with err like measurer_measure. */
bool measurers_measure(struct measurers *l, const struct measurer_task *t, size_t n,
                       struct err *err);
/* Calls seek_learn after a probe on any measurer was faster than the baseline. Call it between
 * measurements. Returns false with err like seek_learn. */
bool measurers_learn(struct measurers *l, struct calibration *c, struct err *err);
/* Returns the number of child processes of all measurers (sandbox_children). */
unsigned measurers_children(const struct measurers *l);
/* Returns the number of measurers in the last measurement that was large enough for several
 * measurers. */
unsigned measurers_used(const struct measurers *l);

enum measurers_verdict { MEASURERS_UNKNOWN, MEASURERS_APART, MEASURERS_DISTURB };

/* Number of idle probes of each measurer's CPU, out of SEEK_LOOKS: when probed alone, and together
 * with all others */
struct measurers_looks {
    unsigned alone[CORES_MEASURERS], together[CORES_MEASURERS];
};
/* Infers from @count rounds of probes of @measurers measurers whether their CPUs interfere. Threads
 * of one core slow each other in every round, so they are never idle together. Interference by
 * other users varies. Pure. */
enum measurers_verdict measurers_judge(const struct measurers_looks *rounds, unsigned count,
                                       unsigned measurers);
/* Returns the number of experiments (1 to @left) for a measurer's next piece. Pieces are small, so
 * all measurers end at about the same time. A piece has one experiment if the measurer's recent
 * success rate @quiet (0 to 1) is low. Pure. */
size_t measurers_piece(size_t left, double quiet);

#endif
