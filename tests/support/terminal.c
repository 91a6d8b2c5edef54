/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support.h"

#define RECENT_MOST ((size_t)1 << 18)
#define LOOK_MS 20   /* milliseconds between checks whether the program stopped or ended */

bool terminal_open(struct terminal *t, char *const argv[], unsigned columns, unsigned rows)
{
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};

    *t = (struct terminal){.fd = -1};
    t->pid = forkpty(&t->fd, NULL, NULL, &size);
    if (t->pid == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    if (t->pid < 0) {
        t->pid = 0;
        return false;
    }
    fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) | O_NONBLOCK);
    fcntl(t->fd, F_SETFD, FD_CLOEXEC);
    return true;
}

void terminal_close(struct terminal *t)
{
    if (t->pid > 0) {
        kill(t->pid, SIGKILL);
        waitpid(t->pid, &t->status, 0);
        t->pid = 0;
    }
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
    str_done(&t->recent);
}

static void keep(struct terminal *t, char *bytes, size_t length)
{
    size_t kept = 0;

    t->printed += length;
    for (size_t i = 0; i < length; i++)
        if (bytes[i])
            bytes[kept++] = bytes[i];
    if (t->recent.length > RECENT_MOST) {
        memmove(t->recent.data, t->recent.data + t->recent.length / 2,
                t->recent.length - t->recent.length / 2 + 1);
        t->recent.length -= t->recent.length / 2;
    }
    str_add_bytes(&t->recent, bytes, kept);
}

/* Reads all pending output. */
static bool drain(struct terminal *t)
{
    char bytes[16384];
    ssize_t n;
    bool any = false;

    while ((n = read(t->fd, bytes, sizeof bytes)) > 0) {
        keep(t, bytes, (size_t)n);
        any = true;
    }
    return any;
}

/* Returns whether the program still runs. Continues it if it stopped itself. */
static bool look(struct terminal *t)
{
    int status;

    if (t->pid && waitpid(t->pid, &status, WNOHANG | WUNTRACED) == t->pid) {
        if (WIFSTOPPED(status)) {
            t->stops++;
            kill(t->pid, SIGCONT);
        } else {
            drain(t);
            t->status = status;
            t->pid = 0;
        }
    }
    return t->pid != 0;
}

bool terminal_read(struct terminal *t, int milliseconds)
{
    const double until = clock_wall() + milliseconds / 1e3;
    bool any;

    do {
        struct pollfd source = {.fd = t->fd, .events = POLLIN};
        double left = (until - clock_wall()) * 1e3;
        if (poll(&source, 1,
                 left < 0         ? 0
                 : left < LOOK_MS ? (int)ceil(left)
                                  : LOOK_MS) > 0 &&
            !(source.revents & POLLIN))
            usleep(1000);   /* The program closed the terminal and is about to end. */
        any = drain(t);
    } while (look(t) && !any && clock_wall() < until);
    return any;
}

/* Reports a hang. Other failures have their own messages. */
static bool hangs(const struct terminal *t, const char *what)
{
    if (t->pid)
        print_message("# a hang: %s for %d s\n", what, HANG_SECONDS);
    return false;
}

bool terminal_type(struct terminal *t, const char *bytes, size_t length)
{
    const double until = clock_wall() + HANG_SECONDS;

    while (length && look(t)) {
        struct pollfd both = {.fd = t->fd, .events = POLLIN | POLLOUT};
        if (clock_wall() > until)
            return hangs(t, "it takes no key");
        if (poll(&both, 1, LOOK_MS) <= 0)
            continue;
        if (both.revents & POLLIN)
            drain(t);
        /* Writes in small parts, because a terminal accepts at most 4 KB of a line and drops the
         * remainder. */
        ssize_t n = both.revents & POLLOUT ? write(t->fd, bytes, length < 256 ? length : 256) : 0;
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
        } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        }
    }
    return !length;
}

void terminal_resize(struct terminal *t, unsigned columns, unsigned rows)
{
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    ioctl(t->fd, TIOCSWINSZ, &size);
}

bool terminal_sees(struct terminal *t, const char *text, double seconds)
{
    const double until = clock_wall() + seconds;

    while (!strstr(str_text(&t->recent), text)) {
        if (clock_wall() > until || !look(t))
            return strstr(str_text(&t->recent), text) != NULL;
        terminal_read(t, 100);
    }
    return true;
}

bool terminal_await(struct terminal *t, const char *text)
{
    return terminal_sees(t, text, HANG_SECONDS) || hangs(t, text);
}

bool terminal_ends(struct terminal *t, double seconds)
{
    const double until = clock_wall() + seconds;

    while (t->pid && clock_wall() < until)
        terminal_read(t, 100);
    return !t->pid;
}

bool terminal_await_end(struct terminal *t)
{
    return terminal_ends(t, HANG_SECONDS) || hangs(t, "it does not end");
}

double terminal_cpu(const struct terminal *t)
{
    clockid_t clock;
    struct timespec spent;

    if (!t->pid || clock_getcpuclockid(t->pid, &clock) != 0 || clock_gettime(clock, &spent) != 0)
        return NAN;
    return (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
}
