/* experiments settle without a machine: ambiguities of the session's own experiments. */
#ifndef PORTOLAN_CMD_SETTLE_TABLE_H
#define PORTOLAN_CMD_SETTLE_TABLE_H

#include "cmd/command.h"

/* Makes @task extend the session's table and measure rows without cycles. It adds pairs of forms
 * that no measured experiment compares, and experiments that show hidden ports of the evolved
 * machine. False with err. */
bool settle_table(struct session *s, const struct measure_choice *choice, struct task *task,
                  struct err *err);

#endif
