/* Record of measurements: samples of the latest experiments, and clock and contention over time. It
 * keeps the last RECORD_ROWS rows. The series over time has at most RECORD_POINTS points, whose
 * duration grows. The worker writes, and the UI thread reads copies. Any thread. */
#ifndef PORTOLAN_MEASURE_RECORD_H
#define PORTOLAN_MEASURE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/calibrate.h"
#include "base/str.h"
#include "model/experiment.h"

#define RECORD_ROWS 2048
/* maximum number of samples per experiment; later samples replace earlier ones */
#define RECORD_VALUES 64
#define RECORD_POINTS 1024

/* Samples of one pass of an experiment */
struct record_pass {
    const float *values;      /* cycles per loop iteration, one value per accepted window */
    unsigned count;
    unsigned executions;      /* number of executions of the experiment in an iteration */
    unsigned instructions;    /* requested number of instructions in the body */
    double clock_hz;
    const uint8_t *code;      /* machine code of the body; NULL if the source is simulated */
    size_t length;
};

/* Copy of an experiment's record. The caller frees it with record_samples_done. */
struct record_samples {
    size_t count;
    struct record_sample {
        float cycles;                 /* cycles per execution */
        /* @pass: index of the pass, from 1. @instructions: requested number of instructions in the
         * body. */
        uint16_t pass, instructions;
    } values[RECORD_VALUES];
    /* @passes: number of passes. @executions, @instructions: those of @code, as in struct
     * record_pass. */
    unsigned passes, executions, instructions;
    double clock_hz;          /* core clock during the last pass, in Hz */
    uint8_t *code;            /* code of the longest measured body; NULL: none */
    size_t length;
};

struct record_point {
    double seconds;           /* middle of the interval, in seconds since the source was created */
    double clock_hz;          /* mean over accepted windows, in Hz; NaN if no window was
                               * accepted */
    /* share of contended and of disturbed windows; NaN if there are no windows */
    double contended, disturbed;
};

struct record;
struct record *record_new(void);
void record_free(struct record *r);

/* record_add adds the samples of a pass. record_windows adds the windows of a call at @seconds to
 * the series. Sources of measurements call both. Without memory, record_add does nothing. */
void record_add(struct record *r, const struct experiment *e, const struct record_pass *pass);
void record_windows(struct record *r, double seconds, double clock_hz, unsigned accepted,
                    unsigned contended, unsigned disturbed);
/* Starts a new series of points. @name: the CPU or the simulated machine. */
void record_begin(struct record *r, const char *name, const struct calibration *c);

/* Sets the number of CPUs that measure concurrently. */
void record_cpus(struct record *r, unsigned cpus);

/* Copies the record of the experiment @text. Returns false if there is none. */
bool record_find(struct record *r, const char *text, struct record_samples *out);
void record_samples_done(struct record_samples *s);
/* Copies the current calibration. Returns false if there is none. Sets *@simulated if the source is
 * a simulated machine; @out is then empty. */
bool record_calibration(struct record *r, struct calibration *out, char *name, size_t size,
                        bool *simulated);
/* Returns the number of CPUs that measure concurrently; at least 1. */
unsigned record_cpu_count(struct record *r);
/* Copies the points of the series, at most RECORD_POINTS. Returns their number. */
size_t record_series(struct record *r, struct record_point *out);

#endif
