/* Blocking pipes: forms that take longer alone than their µops explain, one of which keeps the next
 * one of its kind waiting (dividers). */
#ifndef PORTOLAN_CHART_PIPES_H
#define PORTOLAN_CHART_PIPES_H

#include "chart/lab.h"
#include "chart/saturate.h"

struct pipe_form {
    uint32_t form;          /* of the lab's table */
    double cycles;          /* for which it holds a pipe; 0: none */
    enum vectors vectors;
    int pipe;               /* which, from 0 on; -1: none */
};

/* Finds which of @forms hold the same pipe: the times of such pairs add up. The eight pipes that
 * most forms hold are numbered in the order of discovery. False with err. */
bool pipes_find(struct lab *lab, struct pipe_form *forms, size_t n, unsigned *pipes,
                struct err *err);

#endif
