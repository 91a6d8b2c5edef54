/* CPUs that measure concurrently, each with a sandbox and a thread. Interference is measured first:
 * two virtual cores may be one core of the host. There is a single one until then, if CPUs disturb
 * each other, for little work, and if the caller names a CPU. */
#ifndef PORTOLAN_MEASURE_LANES_H
#define PORTOLAN_MEASURE_LANES_H

#include "measure/cores.h"
#include "measure/lane.h"

struct lanes;

/* @threads (borrowed) NULL: one lane. @cpu -1: whichever this process may use. NULL with err as
 * sandbox_new. Belongs to the thread that calls this, which does the first lane's work. */
struct lanes *lanes_new(int cpu, const struct source_threads *threads, struct err *err);
void lanes_free(struct lanes *l);
/* The first lane's, for other uses between calls of lanes_measure. */
struct sandbox *lanes_sandbox(struct lanes *l);
/* The first sandbox is calibrated, and on its starting CPU. */
void lanes_begin(struct lanes *l);
/* Measures experiments 0 to @n - 1 of @t, whose cancelled is called on this thread alone, before
 * each piece at least. Where another lane fails, the first does all of it. False with err as
 * lane_measure. */
bool lanes_measure(struct lanes *l, const struct lane_task *t, size_t n, struct err *err);
/* seek_learn, between calls, where any lane's CPU was quicker than is known of such. False with err
 * as there. */
bool lanes_learn(struct lanes *l, struct calibration *c, struct err *err);
/* sandbox_children of all lanes. */
unsigned lanes_children(const struct lanes *l);
/* How many did the last work that was not little. */
unsigned lanes_used(const struct lanes *l);

enum lanes_verdict { LANES_UNKNOWN, LANES_APART, LANES_DISTURB };

/* How many of SEEK_LOOKS looks at each lane's CPU found it quiet: while it was looked at alone, and
 * a moment later or before while all were. */
struct lanes_looks {
    unsigned alone[CORES_LANES], together[CORES_LANES];
};
/* Summary of @count rounds of such looks for @lanes lanes. Threads of one core slow each other in
 * every look, so that none is ever idle together; neighbours come and go. Pure. */
enum lanes_verdict lanes_judge(const struct lanes_looks *rounds, unsigned count, unsigned lanes);
/* How many of @left experiments that nobody has taken a lane takes next, of which lately @quiet (0
 * to 1) of its experiments came to something: few, so that all lanes end at the same time, and one
 * that hears nothing but neighbours keeps nobody waiting. 1 to @left. Pure. */
size_t lanes_piece(size_t left, double quiet);

#endif
