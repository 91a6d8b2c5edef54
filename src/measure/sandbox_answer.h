/* A child's answer is data from outside: each field is checked against its range, or rejected.
 * Internal to measure/. */
#ifndef PORTOLAN_MEASURE_SANDBOX_ANSWER_H
#define PORTOLAN_MEASURE_SANDBOX_ANSWER_H

#include "measure/sandbox.h"

/* Nothing is known of @item yet. */
void sandbox_answer_clear(struct sandbox_item *item);
/* It was not answered; @fault (enum sandbox_fault) is the cause. */
void sandbox_answer_fault(struct sandbox_item *item, unsigned fault);
/* Copies the result of @item from @answer, ignoring everything else; FAULT_ANSWER when a count, the
 * order or a range is wrong. @answer may be memory that its writer can still change. */
void sandbox_answer_take(struct sandbox_item *item, const struct sandbox_item *answer);

#endif
