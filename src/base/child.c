/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "base/watch.h"

extern char **environ;

#define PREFIX "portolan-"        /* prefix of temporary directories */
#define TRIES 16                  /* maximum number of names to try for a new directory */
/* minimum seconds until the time limit while the program may be waiting for a CPU */
#define NEXT_LOOK 0.05
/* file in each directory, which the program that created the directory has locked */
#define OWNER ".portolan-owner"

struct directory {
    char *path;
    int lock;
};

/* Directories that exit() must remove */
static pthread_mutex_t directories_lock = PTHREAD_MUTEX_INITIALIZER;
static VEC(struct directory) directories;
static pthread_once_t directories_once = PTHREAD_ONCE_INIT;

/* Removes the files of the directory that is open as @take_fd, closes it, and removes the directory
 * @path. */
static void directory_empty(int take_fd, const char *path)
{
    DIR *dir;

    for (unsigned tries = 0; !(dir = fdopendir(take_fd)) && errno == ENOMEM; tries++)
        mem_again(sizeof(struct dirent), tries);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    else
        close(take_fd);
    rmdir(path);
}

/* Opens a directory without following links, because others may write to its parent directory. */
static int directory_open(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void directory_remove(const char *path)
{
    int fd = directory_open(path);
    if (fd >= 0)
        directory_empty(fd, path);
}

static void directories_remove(void)
{
    lock_take(&directories_lock);
    for (size_t i = 0; i < directories.count; i++) {
        directory_remove(directories.items[i].path);
        if (directories.items[i].lock >= 0)
            close(directories.items[i].lock);
        free(directories.items[i].path);
    }
    vec_done(&directories);
    lock_give(&directories_lock);
}

/* Removes directory @name in @base if a program created it with child_directory_new's prefix and
 * has ended. The directory must belong to this user, and no other user may have access to it. @path
 * is working storage for the name. */
static void collect(const char *base, const char *name, struct str *path)
{
    struct stat status;

    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return;
    str_clear(path);
    str_addf(path, "%s/%s", base, name);
    int dir = directory_open(str_text(path));
    bool ours = dir >= 0 && fstat(dir, &status) == 0 && status.st_uid == geteuid() &&
                (status.st_mode & 077) == 0;
    int fd = ours ? openat(dir, OWNER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        directory_empty(dir, str_text(path));
        dir = -1;
    }
    if (fd >= 0)
        close(fd);
    if (dir >= 0)
        close(dir);
}

static const char *directories_base(void)
{
    const char *base = getenv("TMPDIR");
    return base && base[0] == '/' ? base : "/tmp";
}

/* Removes the directories that killed programs left, and registers the removal of this program's
 * directories at exit. Called once per program. */
static void directories_arm(void)
{
    const char *base = directories_base();
    DIR *dir = file_open_directory(base);
    struct str path = {0};

    atexit(directories_remove);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        collect(base, entry->d_name, &path);
    if (dir)
        closedir(dir);
    str_done(&path);
}

static int directory_lock(const char *path)
{
    struct str name = {0};

    str_addf(&name, "%s/" OWNER, path);
    int fd = open(str_text(&name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    str_done(&name);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

char *child_directory_new(struct err *err)
{
    const char *base = directories_base();
    struct str path = {0};
    char *name = NULL;
    int lock = -1;
    pthread_once(&directories_once, directories_arm);
    /* Renames the directory to its final name after locking, so that a concurrent clean-up never
     * finds it unlocked. */
    for (unsigned tries = 0; !name; tries++) {
        str_addf(&path, "%s/." PREFIX "XXXXXX", base);
        if (tries == TRIES || !mkdtemp(path.data)) {
            err_set(err, ERR_IO, "set TMPDIR to a writable directory",
                    "no temporary directory in %s: %s", base, strerror(errno));
            str_done(&path);
            return NULL;
        }
        lock = directory_lock(str_text(&path));
        name = mem_strdup(str_text(&path));
        char *own = strrchr(name, '/') + 1;
        memmove(own, own + 1, strlen(own));
        if (rename(str_text(&path), name) != 0) {   /* Tries another name, because a directory of
                                                     * that name exists. */
            directory_remove(str_text(&path));
            if (lock >= 0)
                close(lock);
            free(name);
            name = NULL;
        }
        str_clear(&path);
    }
    str_done(&path);
    struct directory made = {mem_strdup(name), lock};
    lock_take(&directories_lock);
    vec_push(&directories, made);
    lock_give(&directories_lock);
    return name;
}

bool child_directory_full(const char *dir, const char *printed, size_t needed, struct err *err)
{
    /* The messages are English, because the child runs with LC_ALL=C. */
    static const char full[] = "No space left on device", quota[] = "Disk quota exceeded";
    const bool over = strstr(printed, quota) != NULL;
    struct statvfs room;

    if (!over &&
        (!strstr(printed, full) || statvfs(dir, &room) != 0 ||
         ((uint64_t)room.f_bavail * room.f_frsize >= needed && (room.f_favail || !room.f_files))))
        return false;
    err_set(err, ERR_IO, "delete files there, or set TMPDIR to another directory",
            "no room for temporary files in %s: %s", directories_base(), over ? quota : full);
    return true;
}

void child_directory_free(char *path)
{
    if (!path)
        return;
    directory_remove(path);
    lock_take(&directories_lock);
    for (size_t i = 0; i < directories.count; i++)
        if (strcmp(directories.items[i].path, path) == 0) {
            if (directories.items[i].lock >= 0)
                close(directories.items[i].lock);
            free(directories.items[i].path);
            directories.items[i] = directories.items[--directories.count];
            break;
        }
    lock_give(&directories_lock);
    free(path);
}

static _Thread_local bool (*asked)(void *state);
static _Thread_local void *asked_state;

void child_watch(bool (*cancelled)(void *state), void *state)
{
    asked = cancelled;
    asked_state = state;
}

/* Returns whether the child must be killed. child_run blocks the signals that end the program, so
 * the pending signals are queried. */
static bool interrupt_waits(void)
{
    sigset_t set;
    if ((asked && asked(asked_state)) || watch_over())
        return true;
    return sigpending(&set) == 0 &&
           (sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1 ||
            sigismember(&set, SIGHUP) == 1);
}

static void limit_set(pid_t pid, int resource, rlim_t value)
{
    struct rlimit limit = {value, value};
    prlimit(pid, (enum __rlimit_resource)resource, &limit, NULL);
}

/* Starts the child. The caller can set limits after the start, because the child first waits for
 * its input. Returns 0, or errno's value on failure. */
static int child_start(const char *const *argv, const char *dir, int input, int output,
                       const struct child_limits *limits, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGXCPU);
    sigaddset(&defaults, SIGXFSZ);
    VEC(char *) env = {0};
    for (char **e = environ; *e; e++)
        if (!str_has_prefix(*e, "LC_") && !str_has_prefix(*e, "LANG"))
            vec_push(&env, *e);
    char locale[] = "LC_ALL=C";
    vec_push(&env, locale);
    vec_push(&env, NULL);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (limits->file > 0)
        posix_spawn_file_actions_adddup2(&actions, limits->file, CHILD_FILE);
    posix_spawn_file_actions_addchdir_np(&actions, dir);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                        POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    /* The address randomisation applies to this thread and its children. If a container refuses the
     * change, addresses remain random. */
    int before = limits->fixed_addresses ? personality(0xffffffff) : -1;
    if (before != -1)
        personality((unsigned long)before | ADDR_NO_RANDOMIZE);
    /* Searches for the program before the fork, because failed execs in the child would take more
     * time. */
    char *program = path_find_program(argv[0]);
    int rc = program ? posix_spawn(pid, program, &actions, &attr, (char *const *)argv, env.items)
                     : ENOENT;
    if (rc)   /* posix_spawnp tries further directories if a file cannot be executed. */
        rc = posix_spawnp(pid, argv[0], &actions, &attr, (char *const *)argv, env.items);
    free(program);
    if (before != -1)
        personality((unsigned long)before);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    vec_done(&env);
    return rc;
}

/* Reads a number from /proc/@process/@file; @format describes its position. Returns 0 if the file
 * cannot be read or has no such number. */
static unsigned long long number_of(const char *process, const char *file, const char *format)
{
    char path[64], text[512];
    unsigned long long number = 0;

    snprintf(path, sizeof path, "/proc/%.20s/%s", process, file);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    /* Searches for the last ')', because the program's name before it may contain any character. */
    const char *from = strrchr(text, ')');
    return sscanf(from ? from + 1 : text, format, &number) == 1 ? number : 0;
}

/* CPU time and waiting time of a process group */
struct share {
    /* @waited: time in seconds that the process which waited longest was on the run queue, without
     * the current wait */
    double waited;
    unsigned long long ran;   /* CPU time of all processes of the group in nanoseconds */
    bool runnable;            /* whether a process is running or waiting for a CPU */
};

static struct share share_of(pid_t group)
{
    struct share share = {0};
    unsigned long long most = 0;
    DIR *all = opendir("/proc");

    for (const struct dirent *d; all && (d = readdir(all));)
        if (d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
            number_of(d->d_name, "stat", " %*c %*u %llu") == (unsigned long long)group) {
            const unsigned long long waited = number_of(d->d_name, "schedstat", "%*u %llu");
            most = waited > most ? waited : most;
            share.ran += number_of(d->d_name, "schedstat", "%llu");
            share.runnable |= number_of(d->d_name, "stat", " R %*u %llu") != 0;
        }
    if (all)
        closedir(all);
    share.waited = 1e-9 * (double)most;
    return share;
}

/* Writes the input, and reads the output until it is closed and the child has ended.
 * Returns false if the time limit has passed, or if the user cancelled (*@interrupted). */
static bool child_talk(pid_t pid, int input, int output, const char *bytes, size_t length,
                       const struct child_limits *limits, struct child_result *out,
                       bool *interrupted)
{
    int pidfd = pidfd_open(pid, 0);
    const double begun = clock_wall();
    double deadline = begun + limits->wall_seconds;
    size_t sent = 0;
    unsigned long long ran = 0;
    bool ended = false, looked = false;
    if (length == 0)
        shutdown(input, SHUT_WR);
    while (!ended || output >= 0) {
        /* Reads the time before the sample, because this process may also wait for a CPU. */
        const double at = clock_wall();
        double left = deadline - at;
        if (left <= 0) {
            const struct share share = share_of(pid);
            deadline = begun + limits->wall_seconds + share.waited;
            /* If a runnable process has not run since the last sample, the system may not yet have
             * counted its current wait. */
            if (share.runnable && (!looked || share.ran == ran))
                deadline = fmax(deadline, at + NEXT_LOOK);
            looked = true;
            ran = share.ran;
            left = deadline - at;
        }
        *interrupted = interrupt_waits();
        if (left <= 0 || *interrupted)
            break;
        struct pollfd fds[3] = {{sent < length ? input : -1, POLLOUT, 0},
                                {output, POLLIN, 0},
                                {ended ? -1 : pidfd, POLLIN, 0}};
        poll(fds, 3,
             (int)(fmin(left, limits->asks > 0 ? limits->asks : 0.1) * 1000) + (left < 0.1));
        if (fds[0].revents) {
            ssize_t n = send(input, bytes + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n > 0)
                sent += (size_t)n;
            else if (n < 0 && errno != EAGAIN && errno != EINTR)
                sent = length;
            if (sent == length)
                shutdown(input, SHUT_WR);
        }
        if (fds[1].revents) {
            char buffer[8192];
            ssize_t n = read(output, buffer, sizeof buffer);
            if (n > 0) {
                size_t room =
                    limits->output > out->output.length ? limits->output - out->output.length : 0;
                out->cut |= (size_t)n > room;
                str_add_bytes(&out->output, buffer, (size_t)n < room ? (size_t)n : room);
            } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                output = -1;
            }
        }
        if (!ended && (fds[2].revents || (pidfd < 0 && output < 0)))
            ended = true;
    }
    if (pidfd >= 0)
        close(pidfd);
    return ended && output < 0;
}

bool child_run(const char *const *argv, const char *dir, const void *input, size_t length,
               const struct child_limits *limits, struct child_result *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    int in[2] = {-1, -1}, printed[2] = {-1, -1};
    bool ok = false;
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0 ||
        pipe2(printed, O_CLOEXEC) < 0) {
        err_set(err, ERR_IO, "end other programs, or raise the limits shown by ulimit -a",
                "cannot start %s: %s", argv[0], strerror(errno));
        goto out;
    }
    pid_t pid;
    int rc = child_start(argv, dir, in[0], printed[1], limits, &pid);
    if (rc != 0) {
        err_set(err, rc == ENOENT ? ERR_MISSING : ERR_IO,
                rc != ENOENT ? NULL
                : str_has_prefix(argv[0], "aarch64-")
                    ? "install the package binutils-aarch64-linux-gnu"
                    : "install the package binutils",
                "cannot start %s: %s", argv[0], strerror(rc));
        goto out;
    }
    limit_set(pid, RLIMIT_CPU, limits->cpu_seconds);
    limit_set(pid, RLIMIT_AS, limits->memory);
    limit_set(pid, RLIMIT_FSIZE, limits->file_size);
    limit_set(pid, RLIMIT_CORE, 0);
    close(in[0]);
    close(printed[1]);
    in[0] = printed[1] = -1;
    bool interrupted = false;
    out->timed_out = !child_talk(pid, in[1], printed[0], input, length, limits, out, &interrupted);
    if (out->timed_out)
        kill(-pid, SIGKILL);
    struct rusage used = {.ru_maxrss = 0};
    while (wait4(pid, &out->status, 0, &used) < 0 && errno == EINTR)
        ;
    out->cpu_seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    out->system_seconds = (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
    out->page_faults = (double)used.ru_minflt;
    out->taken_over = (double)used.ru_nivcsw;
    ok = !interrupted || err_set(err, ERR_INTERRUPTED, NULL, "interrupted while %s ran", argv[0]);
out:
    for (int i = 0; i < 2; i++) {
        if (in[i] >= 0)
            close(in[i]);
        if (printed[i] >= 0)
            close(printed[i]);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

void child_result_done(struct child_result *result)
{
    str_done(&result->output);
}
