/* Record of measurements: samples of the latest experiments, and clock and contention over time.
 * Bounded: the last RECORD_ROWS rows, and RECORD_POINTS points of growing length. The worker
 * writes, the UI thread reads copies: all functions from any thread. */
#ifndef PORTOLAN_MEASURE_RECORD_H
#define PORTOLAN_MEASURE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/calibrate.h"
#include "base/str.h"
#include "model/experiment.h"

#define RECORD_ROWS 2048
#define RECORD_VALUES 64      /* latest samples per experiment */
#define RECORD_POINTS 1024

/* One pass over one experiment. */
struct record_pass {
    const float *values;      /* cycles per loop iteration of the accepted windows */
    unsigned count;
    unsigned executions;      /* executions of the experiment per iteration */
    unsigned instructions;    /* requested length of the body */
    double clock_hz;
    const uint8_t *code;      /* NULL: none, simulated */
    size_t length;
};

/* Copy of an experiment's record; record_samples_done frees it. */
struct record_samples {
    size_t count;
    struct record_sample {
        float cycles;                 /* per execution */
        uint16_t pass, instructions;  /* passes are numbered from 1 */
    } values[RECORD_VALUES];
    /* of the code below */
    unsigned passes, executions, instructions;
    double clock_hz;          /* of the last pass */
    uint8_t *code;            /* of the longest measured body; NULL: none */
    size_t length;
};

struct record_point {
    double seconds;           /* since measuring began; middle of the interval */
    double clock_hz;          /* mean over accepted windows; NaN without any */
    double contended, disturbed;   /* shares of all windows; NaN without any */
};

struct record;
struct record *record_new(void);
void record_free(struct record *r);

/* Called by sources. */
void record_add(struct record *r, const struct experiment *e, const struct record_pass *pass);
void record_windows(struct record *r, double seconds, double clock_hz, unsigned accepted,
                    unsigned contended, unsigned disturbed);
/* Starts a new series over time; @name: of the CPU or simulated machine. */
void record_begin(struct record *r, const char *name, const struct calibration *c);

/* Sets the number of CPUs that measure concurrently. */
void record_cpus(struct record *r, unsigned cpus);

/* Copies the record of the experiment with text @text; false when there is none. */
bool record_find(struct record *r, const char *text, struct record_samples *out);
void record_samples_done(struct record_samples *s);
/* Copies the current calibration; false before there is one. @simulated: of another machine; @out
 * is then empty. */
bool record_calibration(struct record *r, struct calibration *out, char *name, size_t size,
                        bool *simulated);
/* Number of CPUs measuring concurrently of late; at least 1. */
unsigned record_cpu_count(struct record *r);
/* Copies at most RECORD_POINTS points. */
size_t record_series(struct record *r, struct record_point *out);

#endif
