/* The order of an experiment's forms in a body. Internal to isa/. */
#ifndef PORTOLAN_ISA_BODY_ORDER_H
#define PORTOLAN_ISA_BODY_ORDER_H

#include "isa/body.h"

/* The terms of @executions executions of the multiset, @counts[i] times i for each i below @n, into
 * @order: as many indices as they have instructions. @apart says of each term whether it takes no
 * last slot of a group (BODY_PAIRED; NULL for others). */
void body_order(const uint32_t *counts, const bool *apart, size_t n, uint64_t executions,
                enum body_order kind, uint32_t *order);

#endif
