/* The order of an experiment's forms in a body. Internal to isa/. */
#ifndef PORTOLAN_ISA_BODY_ORDER_H
#define PORTOLAN_ISA_BODY_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* The terms of one execution spread evenly, each time the one that is most behind: @order gets @total indices below @n. */
void body_order(const uint32_t *counts, size_t n, uint64_t total, uint32_t *order);

#endif
