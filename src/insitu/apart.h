/* Watches a process from a process of its own: should we be killed, that one still takes all out of
 * the program that was put there. */
#ifndef PORTOLAN_INSITU_APART_H
#define PORTOLAN_INSITU_APART_H

#include "insitu/insitu.h"

/* Calls @run in a copy of this process, with progress reported here, and copies its results back,
 * except copies. False with err as @run, or when there can be no such process. */
bool insitu_apart(bool (*run)(const struct insitu_options *o, struct insitu *out, struct err *err),
                  const struct insitu_options *o, struct insitu *out, struct err *err);

#endif
