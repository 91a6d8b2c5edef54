/* Validates a child's answers: each field is checked against its range. Internal to measure/. */
#ifndef PORTOLAN_MEASURE_SANDBOX_ANSWER_H
#define PORTOLAN_MEASURE_SANDBOX_ANSWER_H

#include "measure/sandbox.h"

/* Marks @item as unanswered. */
void sandbox_answer_clear(struct sandbox_item *item);
/* Records @fault (enum sandbox_fault) as the reason for no answer. */
void sandbox_answer_fault(struct sandbox_item *item, unsigned fault);
/* Copies the result of @item from @answer, ignoring everything else; FAULT_ANSWER when a count,
 * order or range is wrong. The writer may still change @answer. */
void sandbox_answer_take(struct sandbox_item *item, const struct sandbox_item *answer);

#endif
