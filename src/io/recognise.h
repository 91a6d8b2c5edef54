/* Identifies a file given to the wrong command by its beginning, and suggests the right one. */
#ifndef PORTOLAN_IO_RECOGNISE_H
#define PORTOLAN_IO_RECOGNISE_H

#include "base/err.h"

/* @err is the failure of @command (its name, perhaps with arguments: "mapping import osaca") on
 * err->file. If only another command takes that file, @err becomes "this is PMEvo JSON of
 * experiments; experiments import FILE". If not, it is unchanged. */
void recognise(struct err *err, const char *command);

#endif
