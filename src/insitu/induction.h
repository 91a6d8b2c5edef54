/* Finds a register whose change gives the number of iterations. A copy of the loop then needs no
 * code that counts. Pure. */
#ifndef PORTOLAN_INSITU_INDUCTION_H
#define PORTOLAN_INSITU_INDUCTION_H

#include "insitu/region.h"

struct induction {
    uint32_t at;  /* first instruction of the loop that changes the register; REGION_NONE: none */
    uint8_t reg;  /* number of the general register */
    int64_t step; /* change of the register per iteration */
    /* @changes: per instruction of the region, whether it changes the register. @ahead: whether it
     * is executed after the pivot and before the change. */
    VEC(bool) changes, ahead;
};

/* Returns the induction register of the loop. Each iteration changes it once, by the same
 * value. The caller frees the result with induction_done. */
struct induction induction_find(const struct region *r);
void induction_done(struct induction *x);

#endif
