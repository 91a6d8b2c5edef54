/* Source files that debug information names: a name in a file says nothing of whether its user
 * wants to show what it leads to. */
#ifndef PORTOLAN_TOOLCHAIN_SOURCE_FILE_H
#define PORTOLAN_TOOLCHAIN_SOURCE_FILE_H

#include "base/err.h"
#include "base/str.h"

#define SOURCE_PATH_MOST 4096   /* bytes of a list of directories */

/* Appends the source that debug information of @object calls @named to @out. It is read only where
 * it lies, links followed, in the directory of the object, in the one worked in or in one of
 * @path ("DIR:DIR"; NULL: none), or below these, and not in or as a hidden one there; / is none of
 * them. In those directories its last parts are looked for, too. False with err
 * when it is nowhere there, ERR_USAGE when it is elsewhere. Any thread. */
bool source_file_read(const char *named, const char *object, const char *path, struct str *out,
                      struct err *err);

#endif
