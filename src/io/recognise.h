/* Identifies files given to the wrong command by their beginning, and the command that takes
 * them. */
#ifndef PORTOLAN_IO_RECOGNISE_H
#define PORTOLAN_IO_RECOGNISE_H

#include "base/err.h"

/* @err is why @command (its name, perhaps with some of its words: "mapping import osaca") failed on
 * err->file. If another command takes that file, and this one does not, @err becomes "this is PMEvo
 * JSON of experiments; experiments import FILE". Otherwise nothing changes. Any thread. */
void recognise(struct err *err, const char *command);

#endif
