/* Kernels of programs, libraries, object files and archives of these. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_OBJECT_H
#define PORTOLAN_ANALYSIS_KERNEL_OBJECT_H

#include "analysis/kernel.h"

/* Of the ELF file at @path, or the member that lib.a(member.o) names: the function that @options
 * name, else all of a small file, else the function with the hottest-looking loop. NULL with err.
 * Any thread. */
struct kernel *kernel_from_object(const char *path, const struct kernel_options *options,
                                  struct err *err);
/* The same of all members of the archive at @path: the kernel's name is the member's. */
struct kernel *kernel_from_archive(const char *path, const struct kernel_options *options,
                                   struct err *err);

/* Gives @k, code of @o with a loop, its source lines from debug information; sources are looked for
 * in @source_path as well. False with err when that cannot be read; the code remains valid. Once,
 * before others hold @k. Any thread; waits for a child process. */
bool kernel_object_source(struct kernel *k, const struct object *o, const char *source_path,
                          struct err *err);

#endif
