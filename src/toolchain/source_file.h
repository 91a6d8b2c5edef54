/* Source files in debug information: a file that names a path does not authorise to show its
 * contents. */
#ifndef PORTOLAN_TOOLCHAIN_SOURCE_FILE_H
#define PORTOLAN_TOOLCHAIN_SOURCE_FILE_H

#include "base/err.h"
#include "base/str.h"

#define SOURCE_PATH_MOST 4096   /* bytes of a list of directories */

/* Appends the source that debug information of @object calls @named to @out. Links are followed.
 * The file must lie in or below the directory of the object, the working directory or one of @path
 * ("DIR:DIR"; NULL: none), and not be or lie in a hidden one there; / does not count. Its last
 * parts are looked up in those directories as well. False with err when it is not found, ERR_USAGE
 * when it lies elsewhere. Any thread. */
bool source_file_read(const char *named, const char *object, const char *path, struct str *out,
                      struct err *err);

#endif
