#ifndef PORTOLAN_BASE_DIVISOR_H
#define PORTOLAN_BASE_DIVISOR_H

#include <stddef.h>

/* Returns the greatest common divisor; if one number is 0, returns the other number. */
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
