/* Kernels from programs, libraries, object files and archives. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_OBJECT_H
#define PORTOLAN_ANALYSIS_KERNEL_OBJECT_H

#include "analysis/kernel.h"

/* Makes a kernel of the ELF file at @path, or of the member in lib.a(member.o): the function in
 * @options, else all of a small file, else the function with the hottest-looking loop. NULL with
 * err. Any thread. */
struct kernel *kernel_from_object(const char *path, const struct kernel_options *options,
                                  struct err *err);
/* As kernel_from_object for all members of the archive at @path; the kernel is named after its
 * member. */
struct kernel *kernel_from_archive(const char *path, const struct kernel_options *options,
                                   struct err *err);

/* Gives @k, a loop in @o's code, its source lines from debug information; searches sources in
 * @source_path as well. False with err when they cannot be read; the code remains valid. Once,
 * before others hold @k. Any thread; waits for a child process. */
bool kernel_object_source(struct kernel *k, const struct object *o, const char *source_path,
                          struct err *err);

#endif
