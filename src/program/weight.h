/* Executions of a block with unknown data-dependent branches. A weight is the sum of a number and
 * of shares of executions. Each share consists of the executions that such a branch sends in one
 * direction. The shares cancel where the paths join. Pure. */
#ifndef PORTOLAN_PROGRAM_WEIGHT_H
#define PORTOLAN_PROGRAM_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#define WEIGHT_SHARES 4          /* maximum number of data-dependent branches in a weight */

struct weight {
    double base;
    struct { uint32_t branch; double by; } shares[WEIGHT_SHARES];
    unsigned count;
    bool unknown;                /* whether the number of executions is unknown */
};

struct weight weight_of(double base);
/* Returns the weight of the executions that branch number @branch sends in one direction. */
struct weight weight_branch(uint32_t branch);
/* Returns whether the weight is exactly 0. */
bool weight_is_nothing(const struct weight *w);
/* Returns whether the weight is a number without shares. */
bool weight_is_exact(const struct weight *w);
/* Adds @by times @other to @w. */
void weight_add(struct weight *w, const struct weight *other, double by);
bool weight_same(const struct weight *a, const struct weight *b);

#endif
