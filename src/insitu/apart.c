/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/insitu.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* Pipe ends of the process that traces the program. @tell: writes to the parent process. @hear:
 * reads from it. */
struct apart_lines {
    /* file descriptors */
    int tell, hear;
};

struct message {
    bool result;               /* whether a result follows; otherwise a progress message */
    double seconds;
    uint64_t iterations;
};

static bool put(int fd, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool take(int fd, void *data, size_t size)
{
    for (char *at = data; size;) {
        ssize_t n = read(fd, at, size);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool put_items(int fd, const void *items, size_t count, size_t size)
{
    return put(fd, &count, sizeof count) && (!count || put(fd, items, count * size));
}

/* Reads an array that put_items wrote. Returns false if it is incomplete. Sets *@items to NULL and
 * *@count to 0 if the array is empty. */
static bool take_items(int fd, void **items, size_t *count, size_t size)
{
    size_t n;

    *items = NULL;
    *count = 0;
    if (!take(fd, &n, sizeof n))
        return false;
    if (!n)
        return true;
    *items = mem_alloc(n * size);
    *count = n;
    return take(fd, *items, n * size);
}
#define PUT(fd, v) put_items((fd), (v)->items, (v)->count, sizeof *(v)->items)
#define TAKE(fd, v)                                                                                \
    ((v)->capacity = 0, take_items((fd), (void **)&(v)->items, &(v)->count, sizeof *(v)->items) && \
                            ((v)->capacity = (v)->count, true))

/* Sends the result to the parent. Pointers to data from before the fork are valid in both
 * processes. */
static bool put_result(int fd, bool ok, const struct err *err, const struct insitu *x)
{
    const struct message m = {.result = true};

    return put(fd, &m, sizeof m) && put(fd, &ok, sizeof ok) && put(fd, err, sizeof *err) &&
           put(fd, x, sizeof *x) && PUT(fd, &x->region.list) && PUT(fd, &x->region.resumed) &&
           PUT(fd, &x->region.tabled) && PUT(fd, &x->placed.timed) && PUT(fd, &x->placed.events) &&
           PUT(fd, &x->placed.stretches) && PUT(fd, &x->placed.patches) &&
           PUT(fd, &x->placed.parts) && PUT(fd, &x->replays.list) &&
           put_items(fd, x->placed.peeked, x->placed.peeked ? SLOTS_MOST : 0,
                     sizeof *x->placed.peeked) &&
           put_items(fd, x->cut, x->cut ? strlen(x->cut) + 1 : 0, 1);
}

static bool take_result(int fd, bool *ok, struct err *err, struct insitu *x)
{
    struct insitu had;
    size_t count;

    if (!take(fd, ok, sizeof *ok) || !take(fd, err, sizeof *err) || !take(fd, &had, sizeof had))
        return false;
    *x = (struct insitu){.region = {.kernel = had.region.kernel,
                                    .loop = had.region.loop,
                                    .pivot = had.region.pivot,
                                    .flags_free = had.region.flags_free,
                                    .unresumed = had.region.unresumed,
                                    .calls = had.region.calls,
                                    .calls_always = had.region.calls_always,
                                    .indirect = had.region.indirect,
                                    .jumps_indirect = had.region.jumps_indirect,
                                    .each_away = had.region.each_away,
                                    .dispatch = had.region.dispatch},
                         .placed = {.region = had.placed.region ? &x->region : NULL,
                                    .bias = had.placed.bias,
                                    .slot_count = had.placed.slot_count,
                                    .huge = had.placed.huge,
                                    .iterations = had.placed.iterations},
                         .ticks_per_cycle = had.ticks_per_cycle,
                         .ticks_per_chain = had.ticks_per_chain,
                         .ticks_per_visit = had.ticks_per_visit,
                         .seconds = had.seconds,
                         .stopped = had.stopped,
                         .lost = had.lost,
                         .stops = had.stops,
                         .cpu = had.cpu,
                         .others = had.others,
                         .uncounted = had.uncounted,
                         .threads = had.threads,
                         .moments = had.moments,
                         .replays = {.tried = had.replays.tried,
                                     .why = had.replays.why},
                         .counted = had.counted,
                         .ended = had.ended,
                         .killed = had.killed,
                         .status = had.status,
                         .complete = had.complete,
                         .refused = had.refused};
    return TAKE(fd, &x->region.list) && TAKE(fd, &x->region.resumed) &&
           TAKE(fd, &x->region.tabled) && TAKE(fd, &x->placed.timed) &&
           TAKE(fd, &x->placed.events) && TAKE(fd, &x->placed.stretches) &&
           TAKE(fd, &x->placed.patches) && TAKE(fd, &x->placed.parts) &&
           TAKE(fd, &x->replays.list) &&
           take_items(fd, (void **)&x->placed.peeked, &count, sizeof *x->placed.peeked) &&
           take_items(fd, (void **)&x->cut, &count, 1);
}

/* Reports progress to the parent. Returns false if the parent cancelled or has ended. */
static bool goes_on(void *state, double seconds, uint64_t iterations)
{
    const struct apart_lines *w = state;
    const struct message m = {.seconds = seconds, .iterations = iterations};
    struct pollfd up = {.fd = w->tell, .events = POLLOUT}, down = {.fd = w->hear, .events = POLLIN};

    /* Omits the report if the pipe is full, for example because the parent is stopped. */
    if (poll(&up, 1, 0) == 1 && up.revents == POLLOUT)
        put(w->tell, &m, sizeof m);
    return poll(&down, 1, 0) == 0;
}

/* Closes all descriptors except @a and @b, so that other processes detect the end of a pipe whose
 * writer has ended. Opens /dev/null as descriptors 0 to 2. */
static void close_others(int a, int b)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; nothing >= 0 && fd < 3; fd++)
        dup2(nothing, fd);
    unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

    if (low > 3)
        syscall(SYS_close_range, 3u, low - 1, 0u);
    if (high > low + 1)
        syscall(SYS_close_range, low + 1, high - 1, 0u);
    syscall(SYS_close_range, high + 1, UINT_MAX, 0u);
}

bool insitu_apart(bool (*run)(const struct insitu_options *o, struct insitu *out, struct err *err),
                  const struct insitu_options *o, struct insitu *out, struct err *err)
{
    int up[2] = {-1, -1}, down[2] = {-1, -1};
    struct message m;
    bool ok = false, received = false;

    pid_t pid = pipe2(up, O_CLOEXEC) == 0 && pipe2(down, O_CLOEXEC) == 0 ? fork() : -1;
    if (pid == 0) {
        struct apart_lines w = {up[1], down[0]};
        struct insitu_options apart = *o;
        struct err why = {0};
        signal(SIGPIPE, SIG_IGN);
        /* Leaves the terminal's session, because the end of that session would kill this
         * process. */
        setsid();
        close_others(up[1], down[0]);
        apart.goes_on = goes_on;
        apart.state = &w;
        ok = run(&apart, out, &why);
        _exit(put_result(w.tell, ok, &why, out) ? 0 : 1);
    }
    if (pid < 0)
        err_set(err, ERR_IO, "end other programs, or raise the limit on processes (ulimit -u)",
                "cannot create the tracing process: %s", strerror(errno));
    if (up[1] >= 0)
        close(up[1]);
    if (down[0] >= 0)
        close(down[0]);
    while (pid > 0 && !received && take(up[0], &m, sizeof m)) {
        received = m.result && take_result(up[0], &ok, err, out);
        if (m.result)
            break;
        if (o->goes_on && down[1] >= 0 && !o->goes_on(o->state, m.seconds, m.iterations)) {
            close(down[1]);
            down[1] = -1;
        }
    }
    if (up[0] >= 0)
        close(up[0]);
    if (down[1] >= 0)
        close(down[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && !received)
        err_set(err, ERR_IO, "run the command again", "the tracing process has ended");
    return received && ok;
}
#endif
