/* This CPU as a source of measurements, through the sandbox. */
#ifndef PORTOLAN_MEASURE_CPU_SOURCE_H
#define PORTOLAN_MEASURE_CPU_SOURCE_H

#include "isa/forms.h"
#include "measure/calibrate.h"
#include "measure/source.h"

/* Measures on this CPU: loads forms from @forms (borrowed) and calibrates. @threads (borrowed)
 * NULL, or a @cpu other than -1: a single CPU. NULL with err. */
struct source *source_cpu(const struct forms *forms, int cpu, unsigned instructions,
                          const struct source_threads *threads, bool (*cancelled)(void *state),
                          void *state, struct err *err);
const struct calibration *source_cpu_calibration(const struct source *s);
/* Sets the record (borrowed) for measurements of this CPU, as a new series. */
void source_cpu_record(struct source *s, struct record *record);
struct sandbox *source_cpu_sandbox(struct source *s);
/* Number of child processes for it so far; one per CPU when none died. */
unsigned source_cpu_children(const struct source *s);

/* Makes the body that source_cpu would run for @e on a processor of the forms' set, without running
 * it. False with err when there is none. */
bool source_code(const struct forms *forms, const struct experiment *e,
                 const struct body_shape *shape, struct body *out, struct err *err);

#endif
