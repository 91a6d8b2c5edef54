/* Finds blocking pipes: forms slower alone than their µops explain, which block the next one of
 * their kind (dividers). */
#ifndef PORTOLAN_CHART_PIPES_H
#define PORTOLAN_CHART_PIPES_H

#include "chart/lab.h"
#include "chart/saturate.h"

struct pipe_form {
    uint32_t form;          /* index into the lab's table */
    double cycles;          /* cycles for which it blocks a pipe; 0: none */
    enum vectors vectors;
    int pipe;               /* number of the pipe; -1: none */
};

/* Finds which of @forms block the same pipe: times of such pairs add up. The eight pipes with most
 * forms are numbered in the order of discovery. False with err. */
bool pipes_find(struct lab *lab, struct pipe_form *forms, size_t n, unsigned *pipes,
                struct err *err);

#endif
