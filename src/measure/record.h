/* What measuring saw: the samples of the experiments measured last, and clock and contention over
 * time. Bounded: of the rows the last RECORD_ROWS, of time RECORD_POINTS points, which stand for
 * longer and longer stretches. The worker writes, the UI thread reads copies: all functions from
 * any thread. */
#ifndef PORTOLAN_MEASURE_RECORD_H
#define PORTOLAN_MEASURE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/calibrate.h"
#include "base/str.h"
#include "model/experiment.h"

#define RECORD_ROWS 2048
#define RECORD_VALUES 64      /* samples kept of one experiment, the newest */
#define RECORD_POINTS 1024

/* One pass over one experiment, as its source saw it. */
struct record_pass {
    const float *values;      /* cycles per loop iteration of the accepted windows */
    unsigned count;
    unsigned executions;      /* of the experiment in one iteration */
    unsigned instructions;    /* asked of the body */
    double clock_hz;
    const uint8_t *code;      /* of the body; NULL: none, simulated */
    size_t length;
};

/* A copy of what is kept of one experiment; record_samples_done frees it. */
struct record_samples {
    size_t count;
    struct record_sample {
        float cycles;                 /* per execution */
        uint16_t pass, instructions;  /* passes are numbered from 1 */
    } values[RECORD_VALUES];
    /* executions and instructions: of the code below */
    unsigned passes, executions, instructions;
    double clock_hz;          /* of the last pass */
    uint8_t *code;            /* of the longest body that was run; NULL: none */
    size_t length;
};

struct record_point {
    double seconds;           /* since measuring began; the middle of the stretch */
    double clock_hz;          /* mean of the accepted windows; NaN without one */
    double contended, disturbed;   /* fractions of all windows; NaN without any */
};

struct record;
struct record *record_new(void);
void record_free(struct record *r);

/* A source's side. */
void record_add(struct record *r, const struct experiment *e, const struct record_pass *pass);
void record_windows(struct record *r, double seconds, double clock_hz, unsigned accepted,
                    unsigned contended, unsigned disturbed);
/* @name: of the CPU, or of the simulated machine. A new series over time begins. */
void record_begin(struct record *r, const char *name, const struct calibration *c);

/* Sets the number of CPUs that measure concurrently from now on. */
void record_cpus(struct record *r, unsigned cpus);

/* False when nothing is kept of the experiment whose text is @text. */
bool record_find(struct record *r, const char *text, struct record_samples *out);
void record_samples_done(struct record_samples *s);
/* The calibration in use; false before there is one. @simulated: of a machine that is not this
 * computer; @out is then empty. */
bool record_calibration(struct record *r, struct calibration *out, char *name, size_t size,
                        bool *simulated);
/* How many CPUs measured at the same time of late; 1 where nothing did. */
unsigned record_cpu_count(struct record *r);
/* At most RECORD_POINTS. */
size_t record_series(struct record *r, struct record_point *out);

#endif
