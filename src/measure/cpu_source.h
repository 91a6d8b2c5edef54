/* This CPU as a source of measurements, through the sandbox. */
#ifndef PORTOLAN_MEASURE_CPU_SOURCE_H
#define PORTOLAN_MEASURE_CPU_SOURCE_H

#include "isa/forms.h"
#include "measure/calibrate.h"
#include "measure/source.h"

/* Creates a source that measures in sandboxes on this CPU, and calibrates it. Borrows @forms and
 * @threads. Uses a single CPU if @threads is NULL or @cpu is not -1. Returns NULL with err. */
struct source *source_cpu(const struct forms *forms, int cpu, unsigned instructions,
                          const struct source_threads *threads, bool (*cancelled)(void *state),
                          void *state, struct err *err);
const struct calibration *source_cpu_calibration(const struct source *s);
/* Sets the record of measurements on this CPU (borrowed), and begins a new series in it. */
void source_cpu_record(struct source *s, struct record *record);
struct sandbox *source_cpu_sandbox(struct source *s);
/* Returns the number of child processes created so far: one per CPU unless a process died. */
unsigned source_cpu_children(const struct source *s);

/* Generates the body that source_cpu would run for @e on a processor of the forms' instruction set.
 * Returns false with err if @e has no body. */
bool source_code(const struct forms *forms, const struct experiment *e,
                 const struct body_shape *shape, struct body *out, struct err *err);

#endif
