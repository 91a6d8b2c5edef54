/* Reads source files named by debug information, if permitted: a name alone does not authorise
 * reading. */
#ifndef PORTOLAN_TOOLCHAIN_SOURCE_FILE_H
#define PORTOLAN_TOOLCHAIN_SOURCE_FILE_H

#include "base/err.h"
#include "base/str.h"

#define SOURCE_PATH_MOST 4096   /* length of a list of directories */

/* Appends the source called @named in debug information of @object to @out. Links are resolved. The
 * file must be in or below the directory of the object, the working directory or one of @path
 * ("DIR:DIR"; NULL: none), and not in a hidden one; / does not count. Its last path components are
 * also searched in those directories. False with err when not found, ERR_USAGE when elsewhere. */
bool source_file_read(const char *named, const char *object, const char *path, struct str *out,
                      struct err *err);

#endif
