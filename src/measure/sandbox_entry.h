/* In and out of foreign code with all registers set, time stamps, and the one place that makes system calls. Internal to measure/. */
#ifndef PORTOLAN_MEASURE_SANDBOX_ENTRY_H
#define PORTOLAN_MEASURE_SANDBOX_ENTRY_H

#include "measure/sandbox_child.h"

/* Runs frame->target with frame->warm iterations, then again with frame->count, all registers set anew before each, and stamps the second.
 * Returns 0, or what sandbox_escape was called with. */
unsigned sandbox_enter(struct sandbox_frame *frame);
/* Signal handler's way out: leaves the foreign code wherever it stands; sandbox_enter returns @fault. */
void sandbox_escape(unsigned fault) __attribute__((noreturn));
/* A system call without libc; the kernel lets only the address sandbox_syscall_site make them. Negative: -errno. */
long sandbox_syscall(long number, long a, long b, long c, long d, long e, long f);
extern const char sandbox_syscall_site[], sandbox_sigreturn[];

#endif
