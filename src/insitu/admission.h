/* Checks whether a program can be instrumented. Rejects a program before the first modification if
 * its behaviour could change. */
#ifndef PORTOLAN_INSITU_ADMISSION_H
#define PORTOLAN_INSITU_ADMISSION_H

#include "insitu/maps.h"
#include "insitu/process.h"
#include "insitu/region.h"

/* Returns whether the program at @path may be started under ptrace. Returns false with err if
 * tracing would remove its privileges (set-user-ID, set-group-ID, file capabilities). */
bool admit_file(const char *path, struct err *err);
/* Returns whether process @pid may be traced and patched: it has no other tracer (@traced: this
 * process traces it), no seccomp filter, no shadow stack, and equal privileges. Returns false with
 * err. */
bool admit_process(pid_t pid, bool traced, struct err *err);
/* Finds the executable mapping of @address in @file. Sets *@bias to addresses of the process minus
 * addresses of the file. Returns false with err if the address is not mapped, or if the mapping is
 * writable. Sets *@missing to whether the file may be mapped later. */
bool admit_mapping(const struct maps *maps, const char *file, uint64_t address, uint64_t *bias,
                   bool *missing, struct err *err);
/* Returns whether the instructions of @r have the same bytes in the memory of @p and in the file.
 * Returns false with err. */
bool admit_bytes(const struct process *p, const struct region *r, uint64_t bias, struct err *err);
/* Returns whether no restartable sequence of @file overlaps @r. If @file has no
 * readable sections, its code must not contain the signature of such sequences. Returns false with
 * err. */
bool admit_sequences(const struct process *p, const char *file, const struct region *r,
                     uint64_t bias, struct err *err);

#endif
