/* Kernels from programs, libraries, object files and archives. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_OBJECT_H
#define PORTOLAN_ANALYSIS_KERNEL_OBJECT_H

#include "analysis/kernel.h"

/* Makes a kernel of the ELF file at @path, or of the member in lib.a(member.o). Selects the
 * function in @options. Without a function, selects all code of a small file, or in a large file
 * the function with the highest-ranked loop. Returns NULL with err on failure. Any thread. */
struct kernel *kernel_from_object(const char *path, const struct kernel_options *options,
                                  struct err *err);
/* Makes a kernel of the highest-ranked loop in the archive at @path, or of the function in
 * @options. The kernel's name is the name of the member with the code. Returns NULL with err on
 * failure. Any thread. */
struct kernel *kernel_from_archive(const char *path, const struct kernel_options *options,
                                   struct err *err);

/* Adds the source lines to @k, a kernel of code of @o, from debug information. Also searches for
 * source files in @source_path. Returns false with err if the debug information cannot be read; @k
 * remains valid. Call it once, before others share the kernel. Any thread; waits for a child
 * process. */
bool kernel_object_source(struct kernel *k, const struct object *o, const char *source_path,
                          struct err *err);

#endif
