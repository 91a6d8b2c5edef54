/* Blocks and a model for tests of the hunt and of a chart's review. */
#ifndef PORTOLAN_TESTS_HUNTS_H
#define PORTOLAN_TESTS_HUNTS_H

#include "hunt/hunt.h"

struct hunt_setup {
    struct forms *forms;
    struct block_form *drawn;
    size_t drawn_count;
    struct block_maker *maker;
    struct machine *machine;
};

/* Creates blocks of the @most most frequent forms that @machine can predict. */
struct hunt_setup *hunt_setup_new(const char *machine, size_t most);
void hunt_setup_free(struct hunt_setup *s);

#endif
