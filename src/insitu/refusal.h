/* Finds out why the system does not permit ptrace of a process. Linux. */
#ifndef PORTOLAN_INSITU_REFUSAL_H
#define PORTOLAN_INSITU_REFUSAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct refusal {
    pid_t pid;
    int reason;    /* errno of the refused call */
    bool ours;     /* whether Portolan started the process, or has traced it before */
    bool call;     /* whether the system refuses the call itself, for every process */
    char scope;    /* first character of sysctl kernel.yama.ptrace_scope; 0: none */
    bool capable;  /* whether Portolan has the capability SYS_PTRACE */
    pid_t tracer;  /* process that traces @pid; 0: none */
    /* Ids of Portolan, and real, effective and saved ids of @pid. Tracing needs equal ids. */
    unsigned user, group, users[3], groups[3];
};

/* Reads the state of process @pid and of the system after a call failed with @reason. */
struct refusal refusal_read(pid_t pid, int reason, bool ours);
/* Sets err to the cause and the remedy. Returns false. Pure. */
bool refusal_tell(const struct refusal *r, struct err *err);

#endif
