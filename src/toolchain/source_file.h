/* Reads source files that debug information names, from permitted directories only. */
#ifndef PORTOLAN_TOOLCHAIN_SOURCE_FILE_H
#define PORTOLAN_TOOLCHAIN_SOURCE_FILE_H

#include "base/err.h"
#include "base/str.h"

#define SOURCE_PATH_MOST 4096   /* maximum length of the list of directories in bytes */

/* Appends to @out the source file that the debug information of @object names @named. Resolves
 * links. The file must be below the directory of the object, the working directory or a directory
 * of @path ("DIR:DIR"; may be NULL). It must not be in a hidden directory. The directory / permits
 * no file. Also searches for the last components of the file's path in those directories. Returns
 * false with err if the file is not found. err is ERR_USAGE if the file exists outside of these
 * directories. */
bool source_file_read(const char *named, const char *object, const char *path, struct str *out,
                      struct err *err);

#endif
