/* Commands that only read the session (COMMAND_READS): on the screen they work beside it, on what it was when they began. */
#ifndef PORTOLAN_CMD_READING_H
#define PORTOLAN_CMD_READING_H

#include "cmd/command_record.h"

/* Runs @c's handler on @words as a job, waiting as task_start does; one that ends in time leaves no trace among the jobs. Its result comes to s->result. False with
 * err when the words are refused, it could not start, or has failed already. UI thread. */
bool reading_start(struct session *s, const struct command *c, char **words, size_t count, struct err *err);

#endif
