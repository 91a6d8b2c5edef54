/* Integer arithmetic. */
#ifndef PORTOLAN_BASE_DIVISOR_H
#define PORTOLAN_BASE_DIVISOR_H

#include <stddef.h>

/* Greatest common divisor; the other number where one is 0. */
static inline size_t greatest_divisor(size_t a, size_t b)
{
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
