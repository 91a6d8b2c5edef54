/* Help on facts of machines, generated from their schema */
#ifndef PORTOLAN_CMD_HELP_FACTS_H
#define PORTOLAN_CMD_HELP_FACTS_H

#include "base/err.h"
#include "table/result.h"

/* Returns whether @topic is about facts: "facts" or "fact KEY". @topic may be NULL. */
bool help_facts_topic(const char *topic);
/* Describes all facts, or one fact. If @man is true, writes the section of portolan-machine(5).
 * Returns false with err for an unknown key. */
bool help_facts(const char *topic, bool man, struct result *result, struct err *err);

#endif
