/* experiments settle without a machine: open points of the session's own experiments. */
#ifndef PORTOLAN_CMD_SETTLE_TABLE_H
#define PORTOLAN_CMD_SETTLE_TABLE_H

#include "cmd/command.h"

/* Makes @task add to the session's table the pairs of forms that no measured experiment compares,
 * and experiments that show hidden ports of forms of the evolved machine, and measure those without
 * cycles. False with err. */
bool settle_table(struct session *s, const struct measure_choice *choice, struct task *task,
                  struct err *err);

#endif
