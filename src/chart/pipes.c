/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/pipes.h"

#include <stdlib.h>

#include "chart/core.h"

#define PIPES_SOUGHT 16      /* maximum number of pipes that are searched for */
/* maximum number of pipes to return; if there are more, those with the most forms are returned */
#define PIPES_MOST 8
/* Smallest ratio of a pair's time to the sum of both times at which the two forms share a pipe. */
#define PIPE_SUM 0.9
#define BALANCE_MOST 4

/* Measures the first form without a known pipe together with each other form without a known pipe.
 * Sets the pipe of this form, and of the forms that share the pipe, to @pipe. Sets *@found to
 * whether there was a form without a known pipe. */
static bool find_pipe(struct lab *lab, struct pipe_form *forms, size_t n, int pipe, bool *found,
                      struct err *err)
{
    size_t *rows = mem_alloc((n + 1) * sizeof *rows), first = SIZE_MAX;
    uint32_t (*counts)[2] = mem_alloc((n + 1) * sizeof *counts);

    for (size_t i = 0; i < n; i++) {
        struct pipe_form *f = &forms[i];
        rows[i] = SIZE_MAX;
        if (!(f->cycles > 0) || f->pipe >= 0)
            continue;
        if (first == SIZE_MAX) {
            first = i;
            f->pipe = pipe;
            continue;
        }
        if (f->vectors && forms[first].vectors && f->vectors != forms[first].vectors)
            continue;
        core_balance(forms[first].cycles, f->cycles, BALANCE_MOST, counts[i]);
        rows[i] = lab_ask(
            lab, (struct flat_term[]){{forms[first].form, counts[i][0]}, {f->form, counts[i][1]}},
            2);
    }
    *found = first != SIZE_MAX;
    bool ok = !*found || lab_measure(lab, "blocking pipes", err);
    for (size_t i = 0; ok && i < n; i++) {
        if (rows[i] == SIZE_MAX)
            continue;
        double sum = counts[i][0] * forms[first].cycles + counts[i][1] * forms[i].cycles;
        if (lab_cycles(lab, rows[i]) >= PIPE_SUM * sum)
            forms[i].pipe = pipe;
    }
    free(rows);
    free(counts);
    return ok;
}

/* Keeps the pipes with the most forms, and numbers them from 0 in the order in which they were
 * found. @sought: number of pipes found. Returns the number of pipes kept. */
static unsigned keep_pipes(struct pipe_form *list, size_t n, unsigned sought)
{
    size_t forms[PIPES_SOUGHT] = {0};
    int number[PIPES_SOUGHT];
    unsigned kept = 0;

    for (size_t i = 0; i < n; i++)
        if (list[i].pipe >= 0)
            forms[list[i].pipe]++;
    for (unsigned k = 0; k < sought; k++) {
        unsigned larger = 0;
        for (unsigned j = 0; j < sought; j++)
            larger += forms[j] > forms[k] || (forms[j] == forms[k] && j < k);
        number[k] = larger < PIPES_MOST ? (int)kept++ : -1;
    }
    for (size_t i = 0; i < n; i++)
        if (list[i].pipe >= 0)
            list[i].pipe = number[list[i].pipe];
    return kept;
}

bool pipes_find(struct lab *lab, struct pipe_form *forms, size_t n, unsigned *pipes,
                struct err *err)
{
    unsigned sought = 0;
    bool found = true;

    while (sought < PIPES_SOUGHT) {
        if (!find_pipe(lab, forms, n, (int)sought, &found, err))
            return false;
        if (!found)
            break;
        sought++;
    }
    *pipes = keep_pipes(forms, n, sought);
    return true;
}
