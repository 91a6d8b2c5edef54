/* Watches a program from a separate process, which restores the program even if ours is killed. */
#ifndef PORTOLAN_INSITU_APART_H
#define PORTOLAN_INSITU_APART_H

#include "insitu/insitu.h"

/* Calls @run in a fork, with progress reported here, and copies its results back, except copies.
 * False with err as @run, or when forking fails. */
bool insitu_apart(bool (*run)(const struct insitu_options *o, struct insitu *out, struct err *err),
                  const struct insitu_options *o, struct insitu *out, struct err *err);

#endif
