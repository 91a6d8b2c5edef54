/* Files that were given to the wrong command: what they are, by their beginning, and which command
 * takes them. */
#ifndef PORTOLAN_IO_RECOGNISE_H
#define PORTOLAN_IO_RECOGNISE_H

#include "base/err.h"

/* @err is why @command, by its name with perhaps some of its words ("mapping import osaca"), failed
 * on err->file. When that file is one that another command
 * takes, and not this one, @err says so instead: "this is PMEvo JSON of experiments; experiments
 * import FILE". Otherwise nothing changes. Any thread. */
void recognise(struct err *err, const char *command);

#endif
