/* Executions of a block with unknown branches on data: a number, and parts of the executions that
 * such a branch sends one way. Where its ways meet, the parts cancel. Plain data; pure. */
#ifndef PORTOLAN_PROGRAM_WEIGHT_H
#define PORTOLAN_PROGRAM_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#define WEIGHT_SHARES 4          /* branches on data that a block's executions may depend on */

struct weight {
    double base;
    struct { uint32_t branch; double by; } shares[WEIGHT_SHARES];
    unsigned count;
    bool unknown;                /* nothing is known of it */
};

struct weight weight_of(double base);
/* Executions that branch number @branch sends one way. */
struct weight weight_branch(uint32_t branch);
/* Whether it is certainly 0. */
bool weight_is_nothing(const struct weight *w);
/* Whether it is a number. */
bool weight_is_exact(const struct weight *w);
/* @w += @by times @other. */
void weight_add(struct weight *w, const struct weight *other, double by);
bool weight_same(const struct weight *a, const struct weight *b);

#endif
