/* Finds blocking pipes (dividers) of forms that are slower alone than their µops explain. A form on
 * such a pipe blocks it for the next form. */
#ifndef PORTOLAN_CHART_PIPES_H
#define PORTOLAN_CHART_PIPES_H

#include "chart/lab.h"
#include "chart/saturate.h"

struct pipe_form {
    uint32_t form;          /* index of the form into the lab's table */
    double cycles;          /* cycles for which the form blocks a pipe; 0: none */
    enum vectors vectors;
    int pipe;               /* pipe number; -1: none */
};

/* Finds which of @forms block the same pipe: their times in a pair add up. Numbers the eight pipes
 * with the most forms in the order of discovery. False with err. */
bool pipes_find(struct lab *lab, struct pipe_form *forms, size_t n, unsigned *pipes,
                struct err *err);

#endif
