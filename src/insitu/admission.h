/* Whether a program can be treated: what would change its behaviour is refused before anything is
 * changed. */
#ifndef PORTOLAN_INSITU_ADMISSION_H
#define PORTOLAN_INSITU_ADMISSION_H

#include "insitu/maps.h"
#include "insitu/process.h"
#include "insitu/region.h"

/* Whether the program at @path may be started under ptrace: not one with other rights than ours.
 * False with err. Any thread. */
bool admit_file(const char *path, struct err *err);
/* Whether process @pid may be traced and changed: no other tracer (@traced: it is ours already), no
 * seccomp filter, no shadow stack, rights like ours. False with err. Any thread. */
bool admit_process(pid_t pid, bool traced, struct err *err);
/* Where code of @file at @address (of the file) is mapped to be executed: *@bias from addresses of
 * the file to those of @pid. False with err: it is nowhere, can be written by the program, or is no
 * file's. *@missing: it is nowhere, and may be mapped later. */
bool admit_mapping(const struct maps *maps, const char *file, uint64_t address, uint64_t *bias,
                   bool *missing, struct err *err);
/* Whether the memory of @p holds the bytes of @r's instructions as the file has them. False with
 * err. */
bool admit_bytes(const struct process *p, const struct region *r, uint64_t bias, struct err *err);
/* Whether no restartable sequence of @file overlaps the region. False with err. */
bool admit_sequences(const struct process *p, const char *file, const struct region *r,
                     uint64_t bias, struct err *err);

#endif
