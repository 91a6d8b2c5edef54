/* Recognises a file that was passed to the wrong command by the file's first bytes, and suggests
 * the right command. */
#ifndef PORTOLAN_IO_RECOGNISE_H
#define PORTOLAN_IO_RECOGNISE_H

#include "base/err.h"

/* @err is the failure of @command on err->file. @command is a name, perhaps with arguments:
 * "mapping import osaca". If only another command accepts that file, changes @err to text such as
 * "this is PMEvo JSON of experiments; experiments import FILE". Otherwise leaves @err unchanged. */
void recognise(struct err *err, const char *command);

#endif
