/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* Returns the effective capabilities of this process as a bit set. */
static unsigned long long capabilities(void)
{
    unsigned long long set = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");

    while (file && fgets(line, sizeof line, file))
        sscanf(line, "CapEff: %llx", &set);
    if (file)
        fclose(file);
    return set;
}

struct refusal refusal_read(pid_t pid, int reason, bool ours)
{
    struct refusal r = {.pid = pid, .reason = reason, .ours = ours};
    char path[64], line[256];

    r.user = getuid();
    r.group = getgid();
    for (int i = 0; i < 3; i++) {
        r.users[i] = r.user;
        r.groups[i] = r.group;
    }
    /* Process 0 does not exist, so only a filter of system calls can return EPERM. */
    r.call = ptrace(PTRACE_SEIZE, 0, NULL, NULL) != 0 && errno == EPERM;
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, &r.scope, 1) != 1)
            r.scope = 0;
        close(fd);
    }
    r.capable = capabilities() >> CAP_SYS_PTRACE & 1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "TracerPid: %d", &r.tracer);
        sscanf(line, "Uid: %u %u %u", &r.users[0], &r.users[1], &r.users[2]);
        sscanf(line, "Gid: %u %u %u", &r.groups[0], &r.groups[1], &r.groups[2]);
    }
    if (file)
        fclose(file);
    if (r.tracer == gettid())
        r.tracer = 0;
    return r;
}

/* Returns the first of the three ids @of that differs from @own; -1: none differs. */
static long other_id(unsigned own, const unsigned of[3])
{
    for (int i = 0; i < 3; i++)
        if (of[i] != own)
            return (long)of[i];
    return -1;
}

bool refusal_tell(const struct refusal *r, struct err *err)
{
    const int pid = (int)r->pid;
    const long user = other_id(r->user, r->users), group = other_id(r->group, r->groups);

    if (r->reason != EPERM && r->reason != EACCES)
        return err_set(err, ERR_IO, NULL, "ptrace of process %d is refused: %s", pid,
                       strerror(r->reason));
    if (r->call)
        return err_set(err, ERR_IO,
                       "start the container with --cap-add=SYS_PTRACE, or with a seccomp profile "
                       "that allows ptrace",
                       "ptrace of process %d is refused: Portolan runs under a seccomp profile, "
                       "as in a container",
                       pid);
    if (r->tracer)
        return err_set(err, ERR_IO,
                       r->ours ? "run Portolan without the debugger" : "end the debugger first",
                       "ptrace of process %d is refused: process %d traces it", pid,
                       (int)r->tracer);
    if (user >= 0 || group >= 0)
        return err_set(err, ERR_IO, "run Portolan as the user of the process, or as root",
                       "ptrace of process %d is refused: it runs with the rights of %s %ld, and "
                       "Portolan with those of %s %u",
                       pid, user >= 0 ? "user" : "group", user >= 0 ? user : group,
                       user >= 0 ? "user" : "group", user >= 0 ? r->user : r->group);
    if (r->scope == '3' || (!r->capable && (r->scope == '2' || (r->scope == '1' && !r->ours))))
        return err_set(
            err, ERR_IO,
            r->scope == '3' ? "restart the system with a smaller value: 3 cannot be changed"
            : r->scope == '2'
                ? "run Portolan as root, or run sysctl kernel.yama.ptrace_scope=1 as root "
                  "and start the program with program explain"
                : "start the program with program explain, or run sysctl "
                  "kernel.yama.ptrace_scope=0 as root",
            "ptrace of process %d is refused: sysctl kernel.yama.ptrace_scope is %c", pid,
            r->scope);
    return r->capable
               ? err_set(err, ERR_IO, "allow ptrace in the system's security module",
                         "ptrace of process %d is refused, although Portolan has the capability "
                         "SYS_PTRACE",
                         pid)
               : err_set(err, ERR_IO, "run Portolan as root, with capability SYS_PTRACE",
                         "ptrace of process %d is refused: it has capabilities that Portolan does "
                         "not have, or forbids access to its memory (PR_SET_DUMPABLE)",
                         pid);
}
#endif
