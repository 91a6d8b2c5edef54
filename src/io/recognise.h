/* Recognises a file by its first bytes after it was passed to the wrong command, and suggests the
 * right command. */
#ifndef PORTOLAN_IO_RECOGNISE_H
#define PORTOLAN_IO_RECOGNISE_H

#include "base/err.h"

/* Changes @err, the failure of @command on err->file, if the file has a known format that @command
 * does not accept. Example: "this is PMEvo JSON of experiments; experiments import FILE".
 * @command is a name, perhaps with arguments: "mapping import osaca". */
void recognise(struct err *err, const char *command);

#endif
