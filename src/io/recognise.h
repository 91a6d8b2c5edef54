/* Recognises a file that was passed to the wrong command by the file's first bytes, and suggests
 * the right command. */
#ifndef PORTOLAN_IO_RECOGNISE_H
#define PORTOLAN_IO_RECOGNISE_H

#include "base/err.h"

/* Changes @err, the failure of @command on err->file, if the file has a known format that @command
 * does not accept. Example: "this is PMEvo JSON of experiments; experiments import FILE".
 * @command is a name, perhaps with arguments: "mapping import osaca". */
void recognise(struct err *err, const char *command);

#endif
