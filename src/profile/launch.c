/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "isa/isa.h"

extern char **environ;

bool launch_check(const char *path, const char *name, struct err *err)
{
    struct stat status;
    Elf64_Ehdr header = {.e_type = 0};
    ssize_t length;

    if (stat(path, &status) != 0)
        return errno == ENOENT
                   ? err_set(err, ERR_MISSING, "give the name of a program in PATH, or a path",
                             "no such program: %s", name)
                   : err_set(err, ERR_IO, "check the file's permissions", "cannot read %s: %s",
                             name, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return err_set(err, ERR_DATA, "give a program in that directory", "%s is a directory",
                       name);
    if (access(path, X_OK) != 0)
        return err_set(
            err, ERR_DATA,
            "use chmod +x, or give the interpreter of a script: program profile sh -- SCRIPT",
            "%s is not executable", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, ERR_IO, "check the file's permissions", "cannot read %s: %s", name,
                       strerror(errno));
    length = read(fd, &header, sizeof header);
    close(fd);
    if (length < (ssize_t)SELFMAG || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return true;   /* Permits the file, which may be a script. Otherwise exec reports the
                        * error. */
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        return err_set(err, ERR_DATA, "compile the program for 64 bits", "%s is a 32-bit program",
                       name);
    if (header.e_machine == isa_ops(isa_host())->elf_machine)
        return true;
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_ops((enum isa)isa)->elf_machine == header.e_machine)
            return err_set(err, ERR_DATA,
                           "kernel load shows the program's loops; profile the program on a "
                           "computer whose CPU has its instruction set",
                           "%s is a program for %s, but this CPU executes %s", name,
                           isa_name((enum isa)isa), isa_name(isa_host()));
    return err_set(err, ERR_DATA, "run the program on a computer with that processor",
                   "%s is a program for another processor (ELF machine %u)", name,
                   header.e_machine);
}

/* Executes the program in the child, which must not allocate or lock. */
static _Noreturn void become(const char *path, const char *const *argv, int in, int out, int go,
                             int fault)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    char byte;

    setsid();   /* Creates a process group, and detaches from the terminal. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);   /* Requests a kill by the system when the parent ends. */
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP)
            sigaction(number, &plain, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    while (read(go, &byte, 1) < 0 && errno == EINTR)
        ;
    execve(path, (char *const *)(uintptr_t)argv, environ);
    int reason = errno;
    ssize_t written = write(fault, &reason, sizeof reason);
    _exit(written == sizeof reason ? 127 : 126);
}

/* Opens a file without blocking on a named pipe. Returns -1 with errno. Opening a named pipe for
 * reading fails with ENXIO, because a pipe without a writer would seem empty. */
static int open_now(const char *path, int flags)
{
    struct stat status;
    struct statfs system;
    int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);

    if (fd < 0)
        return -1;
    if (flags == O_RDONLY && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
        fstatfs(fd, &system) == 0 && system.f_type != PIPEFS_MAGIC) {
        close(fd);
        errno = ENXIO;
        return -1;
    }
    fcntl(fd, F_SETFL, flags & O_APPEND);   /* Restores blocking, so that the program's own reads
                                             * and writes block as usual. */
    return fd;
}

bool launch(const char *const *argv, const char *output, const char *input, struct launched *out,
            struct err *err)
{
    int go[2] = {-1, -1}, fault[2] = {-1, -1}, in = -1, to = -1;

    *out = (struct launched){.path = path_find_program(argv[0]), .go = -1, .fault = -1};
    if (!out->path)
        return err_set(err, ERR_MISSING, "give the path of the program, as in ./NAME",
                       "no such program: %s", argv[0]);
    bool ok = launch_check(out->path, out->path, err);
    if (ok && (to = open_now(output, O_WRONLY | O_CREAT | O_APPEND)) < 0)
        ok = err_set(err, ERR_IO, "--output FILE names another file", "cannot write to %s: %s",
                     output, strerror(errno));
    if (ok && (in = open_now(input ? input : "/dev/null", O_RDONLY)) < 0)
        ok = err_set(
            err, ERR_IO,
            errno == ENXIO ? "named pipes are not supported: write the data to a file first" : NULL,
            "cannot read %s: %s", input, strerror(errno));
    if (ok && (pipe2(go, O_CLOEXEC) < 0 || pipe2(fault, O_CLOEXEC) < 0))
        ok = err_set(err, ERR_IO, "end other programs, or raise the limits shown by ulimit -a",
                     "cannot start %s: %s", out->path, strerror(errno));
    if (ok && (out->pid = fork()) == 0)
        become(out->path, argv, in, to, go[0], fault[1]);
    if (ok && out->pid < 0)
        ok = err_set(err, ERR_IO, "end other programs, or raise the limits shown by ulimit -a",
                     "cannot start %s: %s", out->path, strerror(errno));
    const int ours[] = {in, to, go[0], fault[1]};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i] >= 0)
            close(ours[i]);
    out->go = go[1];
    out->fault = fault[0];
    return ok;
}

bool launch_go(struct launched *l, void (*go_on)(void *state), void *state, struct err *err)
{
    struct pollfd began = {l->fault, POLLIN, 0};
    int reason = 0;
    ssize_t length;

    if (write(l->go, "g", 1) != 1)
        return err_set(err, ERR_IO, "run the command again", "%s was killed before it ran",
                       l->path);
    while (go_on && poll(&began, 1, 1) <= 0)
        go_on(state);
    while ((length = read(l->fault, &reason, sizeof reason)) < 0 && errno == EINTR)
        ;
    if (length == 0)
        return true;   /* The file has ended, because exec has closed the pipe. */
    return err_set(err, ERR_DATA,
                   reason == ENOEXEC ? "a script begins with #! and its interpreter"
                   : reason == ENOENT
                       ? "the interpreter is missing: check the first line of a script, or use ldd"
                       : NULL,
                   "%s cannot be run: %s", l->path, strerror(reason));
}

void launch_end(struct launched *l)
{
    if (l->pid > 0) {
        kill(-l->pid, SIGKILL);
        kill(l->pid, SIGKILL);
    }
    if (l->go >= 0)
        close(l->go);
    if (l->fault >= 0)
        close(l->fault);
    free(l->path);
    *l = (struct launched){.go = -1, .fault = -1};
}
