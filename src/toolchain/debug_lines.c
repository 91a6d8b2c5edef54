/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/debug_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/watch.h"
#include "toolchain/demangle.h"
#include "toolchain/dwarf.h"

#define CPU_SECONDS 20
#define MEMORY ((rlim_t)16 << 30)        /* bytes of address space, for what is mapped too */
#define OUTPUT_MOST ((size_t)64 << 20)
#define POLL_MILLISECONDS 50

/* A file of its own with the bytes of a member of an archive. */
static int member_file(const struct object *o, int fd)
{
    int out = memfd_create("member", MFD_CLOEXEC);
    off_t at = (off_t)o->begin;

    for (uint64_t left = o->bytes; out >= 0 && left;) {
        char block[65536];
        const ssize_t got = pread(fd, block, left < sizeof block ? left : sizeof block, at);
        if (got <= 0 || write(out, block, (size_t)got) != got)
            return -1;
        at += got;
        left -= (uint64_t)got;
    }
    return out;
}

/* The child: only what is safe after fork() beside other threads, and libdw, which is loaded here. */
static void child_main(const struct object *o, struct dwarf_wish wish, int out)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGTERM, SIGINT, SIGPIPE};
    const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, core = {0, 0};
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
#ifndef __SANITIZE_ADDRESS__
    const struct rlimit memory = {MEMORY, MEMORY};
    setrlimit(RLIMIT_AS, &memory);
#endif
    int fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    wish.fd = fd >= 0 && o->begin ? member_file(o, fd) : fd;
    _exit(wish.fd < 0 ? 0 : dwarf_print(&wish, out));
}

/* What the child writes, until it ends; false with err when the work is to end, or it is too much. */
static bool collect(int in, struct str *out, struct err *err)
{
    char block[65536];

    for (;;) {
        struct pollfd ready = {.fd = in, .events = POLLIN};
        if (!watch_goes_on(err))
            return false;
        if (poll(&ready, 1, POLL_MILLISECONDS) <= 0)
            continue;
        const ssize_t got = read(in, block, sizeof block);
        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return err_set(err, ERR_IO, NULL, "cannot read debug information: %s", strerror(errno));
        if (got > 0 && out->length + (size_t)got > OUTPUT_MOST)
            return err_set(err, ERR_LIMIT, "build the file again", "the debug information has too many lines");
        if (got > 0)
            str_add_bytes(out, block, (size_t)got);
    }
}

static uint32_t name_number(struct debug_lines *d, const char *mangled, size_t length)
{
    char *text = mem_strndup(mangled, length), *name = demangle_name(text, true);

    free(text);
    for (size_t i = d->inlined.count; i-- > 0;)
        if (strcmp(d->inlined.items[i], name) == 0) {
            free(name);
            return (uint32_t)i + 1;
        }
    vec_push(&d->inlined, name);
    return (uint32_t)d->inlined.count;
}

/* Lines as dwarf_print writes them; @base is where the section begins in object.code. */
static void parse(const char *text, uint64_t base, struct debug_lines *d)
{
    for (const char *line = text, *next; *line && !watch_steps(1); line = next) {
        const size_t length = strcspn(line, "\n");
        unsigned long long place;
        unsigned number = 0;
        int used = 0;
        next = line + length + (line[length] == '\n');
        if (line[0] == 'F' && length > 2 && !d->file)
            d->file = mem_strndup(line + 2, length - 2);
        else if (line[0] == 'E' && sscanf(line, "E %llx", &place) == 1)
            vec_add(&d->rows, ((struct debug_line){base + place, 0, 0}));
        else if (line[0] == 'R' && sscanf(line, "R %llx %u%n", &place, &number, &used) == 2 && used > 0) {
            const size_t from = (size_t)used + 1;
            vec_add(&d->rows, ((struct debug_line){base + place, number, from < length ? name_number(d, line + from, length - from) : 0}));
        }
    }
}

bool debug_lines_read(const struct object *o, uint64_t start, uint64_t end, uint64_t at, struct debug_lines *out, struct err *err)
{
    const struct object_section *s = NULL;
    struct str text = {0};
    int link[2], status = 0;

    *out = (struct debug_lines){0};
    for (size_t i = 0; i < o->sections.count && !s; i++)
        if (at >= o->sections.items[i].offset && at - o->sections.items[i].offset < o->sections.items[i].size)
            s = &o->sections.items[i];
    if (!s || !o->path)
        return true;
    if (pipe2(link, O_CLOEXEC) != 0)
        return err_set(err, ERR_IO, NULL, "cannot read debug information: %s", strerror(errno));
    const uint64_t limit = s->offset + s->size;
    const struct dwarf_wish wish = {.section = s->index, .address = s->address, .at = at - s->offset, .start = start > s->offset ? start - s->offset : 0, .end = (end < limit ? end : limit) - s->offset};
    const pid_t pid = fork();
    if (pid == 0)
        child_main(o, wish, link[1]);
    close(link[1]);
    bool ok = pid > 0 ? collect(link[0], &text, err) : err_set(err, ERR_IO, NULL, "cannot read debug information: %s", strerror(errno));
    close(link[0]);
    if (pid > 0) {
        if (!ok)
            kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (ok && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
            ok = err_set(err, ERR_DATA, "build the file again with -g", WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? "its debug information takes more than %d s to read" : "its debug information is damaged", CPU_SECONDS);
    }
    if (ok)
        parse(str_text(&text), s->offset, out);
    str_done(&text);
    return ok && watch_goes_on(err);
}

void debug_lines_done(struct debug_lines *d)
{
    free(d->file);
    vec_done(&d->rows);
    for (size_t i = 0; i < d->inlined.count; i++)
        free(d->inlined.items[i]);
    vec_done(&d->inlined);
}

const struct debug_line *debug_line_at(const struct debug_lines *d, uint64_t place)
{
    size_t low = 0, high = d->rows.count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->rows.items[middle].place <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &d->rows.items[low - 1] : NULL;
}
