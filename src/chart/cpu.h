/* What a chart may ask of a CPU, a real or a simulated one. */
#ifndef PORTOLAN_CHART_CPU_H
#define PORTOLAN_CHART_CPU_H

#include "measure/source.h"

struct chart_cpu {
    struct source *source;      /* times experiments */
};

#endif
