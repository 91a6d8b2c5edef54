/* Executions of a block with unknown data-dependent branches: a number, and shares that such
 * branches send one way. The shares cancel where the paths meet. Plain data; pure. */
#ifndef PORTOLAN_PROGRAM_WEIGHT_H
#define PORTOLAN_PROGRAM_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#define WEIGHT_SHARES 4          /* data-dependent branches that a count may depend on */

struct weight {
    double base;
    struct { uint32_t branch; double by; } shares[WEIGHT_SHARES];
    unsigned count;
    bool unknown;                /* entirely unknown */
};

struct weight weight_of(double base);
/* Executions that branch number @branch sends one way. */
struct weight weight_branch(uint32_t branch);
/* Returns whether it is certainly 0. */
bool weight_is_nothing(const struct weight *w);
/* Whether it is a number. */
bool weight_is_exact(const struct weight *w);
/* @w += @by times @other. */
void weight_add(struct weight *w, const struct weight *other, double by);
bool weight_same(const struct weight *a, const struct weight *b);

#endif
