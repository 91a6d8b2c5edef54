/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "measure/sandbox_process.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define LOOK_MILLISECONDS 100
#define START_SECONDS 10.0       /* maximum wall-clock seconds of a child's set-up */

static double processor_seconds(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns whether the process runs or waits for a CPU; false if unknown. */
static bool ready_to_run(pid_t pid)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") R", 3) == 0;
}

/* Reaps the process. Returns the fault that describes how it ended. */
static unsigned death(struct sandbox_process *p)
{
    int status = 0;
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(p->link);
    *p = (struct sandbox_process){.link = -1};
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? FAULT_SYSTEM_CALL : FAULT_KILLED;
}

void sandbox_process_stop(struct sandbox_process *p)
{
    if (!p->pid)
        return;
    kill(p->pid, SIGKILL);
    death(p);
}

/* Stores the memory ranges of the program or shared library that contains this function in
 * @data. */
static int image_take(struct dl_phdr_info *info, size_t size, void *data)
{
    struct sandbox_child *given = data;
    const uint64_t page = given->page_size, here = (uint64_t)(uintptr_t)sandbox_process_image;

    (void)size;
    given->image = (struct sandbox_range){UINT64_MAX, 0};
    given->writable_count = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        uint64_t begin = (info->dlpi_addr + part->p_vaddr) / page * page,
                 end = (info->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) / page * page;
        given->image.begin = begin < given->image.begin ? begin : given->image.begin;
        given->image.end = end > given->image.end ? end : given->image.end;
        if (part->p_flags & PF_W && given->writable_count < SANDBOX_WRITABLE)
            given->writable[given->writable_count++] = (struct sandbox_range){begin, end};
    }
    return here >= given->image.begin && here < given->image.end;
}

void sandbox_process_image(struct sandbox_child *given)
{
    dl_iterate_phdr(image_take, given);
}

static bool stage_failed(const struct sandbox_hello *hello, struct err *err)
{
    static const char *const what[STAGE_COUNT] = {
        [STAGE_ORPHAN] = "parent process ended",
        [STAGE_FILES] = "cannot close inherited files",
        [STAGE_MEMORY] = "cannot map memory",
        [STAGE_SIGNALS] = "cannot set the signal handlers",
        [STAGE_LIMITS] = "cannot set the resource limits",
        [STAGE_FILTER] = "the system kernel has no seccomp filters",
    };
    const char *text =
        hello->stage < STAGE_COUNT && what[hello->stage] ? what[hello->stage] : "unknown reason";
    return err_set(err, ERR_IO,
                   "check the limits with ulimit -a; the system must also allow seccomp filters",
                   "cannot start the sandbox process: %s: %s", text, strerror(hello->error));
}

/* Forks without fork(). Under ThreadSanitizer, fork() starts a thread in the child of a
 * single-threaded process, and the child would unmap that thread's memory. */
static pid_t child_fork(void)
{
#if defined(HAVE__FORK) && defined(__SANITIZE_THREAD__)
    return _Fork();
#else
    return fork();
#endif
}

bool sandbox_process_start(struct sandbox_process *p, struct sandbox_child *given,
                           struct sandbox_hello *hello, bool *early, struct err *err)
{
    int link[2];

    *early = false;
    /* MSG_NOSIGNAL: writing raises no signal if the reader has ended. SOCK_SEQPACKET does not split
     * messages. */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link) < 0)
        return err_set(err, ERR_IO, file_remedy(errno, NULL),
                       "cannot connect to the sandbox process: %s", strerror(errno));
    given->link = link[1];
    given->parent = getpid();
    pid_t pid = child_fork();
    if (pid == 0)
        sandbox_child_main(given);
    int error = errno;
    close(link[1]);
    if (pid < 0) {
        close(link[0]);
        return err_set(err, ERR_LIMIT,
                       "end other programs, or raise the limit on processes (ulimit -u)",
                       "cannot create the sandbox process: %s", strerror(error));
    }
    *p = (struct sandbox_process){pid, link[0]};
    const struct sandbox_watching how = {.patience = START_SECONDS};
    unsigned fault;
    if (sandbox_process_wait(p, &how, hello, sizeof *hello, &fault) != WATCH_DONE) {
        *early = true;
        return err_set(err, ERR_IO, NULL, "cannot start the sandbox process: %s",
                       sandbox_fault_text(fault));
    }
    if (hello->stage == STAGE_READY)
        return true;
    sandbox_process_stop(p);
    return stage_failed(hello, err);
}

void sandbox_process_send(const struct sandbox_process *p, const void *bytes, size_t size)
{
    while (send(p->link, bytes, size, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

void sandbox_process_allow(const struct sandbox_process *p, double seconds)
{
    struct rlimit limit;
    if (prlimit(p->pid, RLIMIT_CPU, NULL, &limit) < 0)
        return;
    rlim_t at = (rlim_t)(processor_seconds(p->pid) + seconds) + 1;
    limit.rlim_cur = at < limit.rlim_max ? at : limit.rlim_max;
    prlimit(p->pid, RLIMIT_CPU, &limit, NULL);
}

/* Reads a message of @size bytes, or detects the end of the link. If the child died or sent another
 * size, sets *@fault and returns WATCH_DIED. */
static enum sandbox_watch message_take(struct sandbox_process *p,
                                       const struct sandbox_watching *how, void *bytes, size_t size,
                                       unsigned *fault)
{
    ssize_t got;
    while ((got = recv(p->link, bytes, size, MSG_TRUNC)) < 0 && errno == EINTR)
        ;
    if (got == (ssize_t)size)
        return how->batch && how->batch->stop ? WATCH_CANCELLED : WATCH_DONE;
    if (got > 0) {
        sandbox_process_stop(p);
        *fault = FAULT_ANSWER;
    } else {
        *fault = death(p);
    }
    return WATCH_DIED;
}

enum sandbox_watch sandbox_process_wait(struct sandbox_process *p,
                                        const struct sandbox_watching *how, void *bytes,
                                        size_t size, unsigned *fault)
{
    struct sandbox_batch *batch = how->batch;
    uint64_t beat = batch ? batch->heartbeat : 0;
    double since = processor_seconds(p->pid), begun = clock_wall(), stopped = 0;
    bool asked = false;

    for (;;) {
        struct pollfd fd = {.fd = p->link, .events = POLLIN};
        if (poll(&fd, 1, LOOK_MILLISECONDS) > 0)
            return message_take(p, how, bytes, size, fault);
        if (how->waits)
            ++*how->waits;
        double now = processor_seconds(p->pid), wall = clock_wall();
        if (how->cancelled && !stopped && how->cancelled(how->state)) {
            stopped = wall;
            if (batch)
                batch->stop = 1;
        }
        /* A cancelled batch has one second to complete its current item, but a cancelled task is
         * killed at once. */
        if (stopped && (!batch || wall - stopped > 1)) {
            sandbox_process_stop(p);
            return WATCH_CANCELLED;
        }
        if (batch && batch->heartbeat != beat) {
            beat = batch->heartbeat;
            since = now;
            begun = wall;
            asked = false;
        } else if (now - since > 2 * SANDBOX_ENDLESS || wall - begun > how->patience) {
            /* A sleeping child of foreign code is endless, because it called sleep itself. A
             * runnable child without CPU time is starved. */
            bool endless = now - since > SANDBOX_ENDLESS || (!batch && !ready_to_run(p->pid));
            *fault = endless ? FAULT_ENDLESS : batch ? FAULT_KILLED : FAULT_STARVED;
            sandbox_process_stop(p);
            return WATCH_DIED;
        } else if (now - since > SANDBOX_ENDLESS && !asked) {
            kill(p->pid, SIGALRM);
            asked = true;
        }
    }
}
