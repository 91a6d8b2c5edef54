/* Checks whether a program can be instrumented. Refuses it before any change if its behaviour could
 * change. */
#ifndef PORTOLAN_INSITU_ADMISSION_H
#define PORTOLAN_INSITU_ADMISSION_H

#include "insitu/maps.h"
#include "insitu/process.h"
#include "insitu/region.h"

/* Returns whether the program at @path may be started under ptrace. False with err, for example if
 * it runs with other privileges. */
bool admit_file(const char *path, struct err *err);
/* Returns whether process @pid may be traced and patched: no other tracer (@traced: we are the
 * tracer), no seccomp filter, no shadow stack, equal privileges. False with err. */
bool admit_process(pid_t pid, bool traced, struct err *err);
/* Finds the executable mapping of @address of @file. Sets *@bias to the difference between
 * addresses of the process and of the file. False with err if it is not mapped, writable by the
 * program, or without a file. Sets *@missing if the file may be mapped later. */
bool admit_mapping(const struct maps *maps, const char *file, uint64_t address, uint64_t *bias,
                   bool *missing, struct err *err);
/* Returns whether the instructions of @r have equal bytes in the memory of @p and in the file.
 * False with err. */
bool admit_bytes(const struct process *p, const struct region *r, uint64_t bias, struct err *err);
/* Returns whether no restartable sequence of @file overlaps the region. False with err. */
bool admit_sequences(const struct process *p, const char *file, const struct region *r,
                     uint64_t bias, struct err *err);

#endif
