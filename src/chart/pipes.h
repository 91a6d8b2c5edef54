/* Finds blocking pipes (dividers), which explain why forms are slower in isolation than their
 * µops. While a form occupies its pipe, the next form on this pipe waits. */
#ifndef PORTOLAN_CHART_PIPES_H
#define PORTOLAN_CHART_PIPES_H

#include "chart/lab.h"
#include "chart/saturate.h"

struct pipe_form {
    uint32_t form;          /* index of the form in the lab's table */
    double cycles;          /* cycles for which the form occupies a pipe; 0: the form uses no
                             * pipe */
    enum vectors vectors;
    int pipe;               /* pipe number; -1: no pipe */
};

/* Finds which of @forms use the same pipe. Together, two such forms take the sum of both times.
 * Keeps the PIPES_MOST pipes with the most forms. Returns false with err on failure. Sets *@pipes
 * to the number of pipes. */
bool pipes_find(struct lab *lab, struct pipe_form *forms, size_t n, unsigned *pipes,
                struct err *err);

#endif
