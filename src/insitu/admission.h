/* Checks whether a program can be instrumented: what could change its behaviour is refused before
 * any change. */
#ifndef PORTOLAN_INSITU_ADMISSION_H
#define PORTOLAN_INSITU_ADMISSION_H

#include "insitu/maps.h"
#include "insitu/process.h"
#include "insitu/region.h"

/* Returns whether the program at @path may be started under ptrace: not with different rights.
 * False with err. */
bool admit_file(const char *path, struct err *err);
/* Returns whether process @pid may be traced and patched: no other tracer (@traced: it is ours
 * already), no seccomp filter, no shadow stack, same rights. False with err. */
bool admit_process(pid_t pid, bool traced, struct err *err);
/* Finds where code of @file at @address (of the file) is mapped executable: *@bias from addresses
 * of the file to those of @pid. False with err: not mapped, writable by the program, or without a
 * file. *@missing: it may be mapped later. */
bool admit_mapping(const struct maps *maps, const char *file, uint64_t address, uint64_t *bias,
                   bool *missing, struct err *err);
/* Returns whether the memory of @p has the bytes of @r's instructions in the file. False with
 * err. */
bool admit_bytes(const struct process *p, const struct region *r, uint64_t bias, struct err *err);
/* Returns whether no restartable sequence of @file overlaps the region. False with err. */
bool admit_sequences(const struct process *p, const char *file, const struct region *r,
                     uint64_t bias, struct err *err);

#endif
