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

#include "base/clock.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/watch.h"
#include "toolchain/demangle.h"
#include "toolchain/dwarf.h"

#define CPU_SECONDS 20
/* Wall-clock limit of the child in seconds. libdw may block on a pipe whose name is in the
 * object. */
#define WALL_SECONDS 30
/* limit of the child's address space in bytes, including mapped files */
#define MEMORY ((rlim_t)16 << 30)
/* advice if the debug information is too large */
#define TOO_LONG "compile the file with -g1, or remove the debug information with strip -g"
#define OUTPUT_MOST ((size_t)64 << 20)
#define POLL_MILLISECONDS 50

/* Copies an archive member to a memory file. Returns its descriptor; -1 on failure. */
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

/* Runs in the child process. Uses only functions that are safe after fork() in a threaded program,
 * and libdw, which the child loads. */
static void child_main(const struct object *o, struct dwarf_wish wish, int out)
{
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGABRT,
                                 SIGXCPU, SIGTERM, SIGINT, SIGPIPE};
    const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, core = {0, 0};
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
/* A build with sanitizers has no memory limit, because the shadow memory would exceed the limit. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit memory = {MEMORY, MEMORY};
    setrlimit(RLIMIT_AS, &memory);
#endif
    int fd = file_open_regular(o->path);
    wish.fd = fd >= 0 && o->begin ? member_file(o, fd) : fd;
    _exit(wish.fd < 0 ? 0 : dwarf_print(&wish, out));
}

/* Collects the child's output until the child ends. Returns false with err when cancelled, after
 * WALL_SECONDS, on a read error, or when the output is too large. */
static bool collect(int in, struct str *out, struct err *err)
{
    const double deadline = clock_seconds() + WALL_SECONDS;
    char block[65536];

    for (;;) {
        struct pollfd ready = {.fd = in, .events = POLLIN};
        if (!watch_goes_on(err))
            return false;
        if (clock_seconds() > deadline)
            return err_set(err, ERR_LIMIT, TOO_LONG,
                           "reading the debug information takes more than %d s", WALL_SECONDS);
        if (poll(&ready, 1, POLL_MILLISECONDS) <= 0)
            continue;
        const ssize_t got = read(in, block, sizeof block);
        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return err_set(err, ERR_IO, NULL, "cannot read debug information: %s", strerror(errno));
        if (got > 0 && out->length + (size_t)got > OUTPUT_MOST)
            return err_set(err, ERR_LIMIT, TOO_LONG,
                           "the debug information has too many lines");
        if (got > 0)
            str_add_bytes(out, block, (size_t)got);
    }
}

/* A mangled function name, and its number: 1 + index in debug_lines.inlined. */
struct known_name {
    const char *mangled;   /* the mangled name, borrowed */
    size_t length;
    uint32_t number;
};

struct parser {
    struct debug_lines *out;
    VEC(struct known_name) known;
    /* indexes of @known by mangled name and of out->inlined by demangled name */
    struct index by_mangled, by_name;
};

static bool same_mangled(const void *items, uint32_t item, const void *key)
{
    const struct known_name *a = (const struct known_name *)items + item, *b = key;
    return a->length == b->length && memcmp(a->mangled, b->mangled, a->length) == 0;
}

static bool same_name(const void *items, uint32_t item, const void *key)
{
    return strcmp(((char *const *)items)[item], key) == 0;
}

/* Returns 1 + the index of the name in out->inlined, to which a new name is added. Returns 0 if
 * memory is exhausted, in which case reading fails. */
static uint32_t name_number(struct parser *p, const char *mangled, size_t length)
{
    struct known_name key = {mangled, length, 0};
    const uint64_t hash = hash_bytes(mangled, length);
    const uint32_t at = index_find(&p->by_mangled, hash, same_mangled, p->known.items, &key);

    if (at != INDEX_NONE)
        return p->known.items[at].number;
    if (!vec_room(&p->known) || !vec_room(&p->out->inlined) || !index_try_reserve(&p->by_mangled) ||
        !index_try_reserve(&p->by_name))
        return 0;
    char *text = mem_strndup(mangled, length), *name = demangle_name(text, true);
    uint32_t number =
        index_find(&p->by_name, hash_text(name), same_name, p->out->inlined.items, name);
    if (number == INDEX_NONE) {
        number = (uint32_t)p->out->inlined.count;
        index_add(&p->by_name, hash_text(name), number);
        vec_push(&p->out->inlined, name);
    } else {
        free(name);
    }
    free(text);
    key.number = number + 1;
    index_add(&p->by_mangled, hash, (uint32_t)p->known.count);
    vec_push(&p->known, key);
    return key.number;
}

/* Parses the number at *@at and advances *@at past it. Returns false if there is none before @end,
 * or if it exceeds @most. Stores the number in *@out. */
static bool take_number(const char **at, const char *end, unsigned base, uint64_t most,
                        uint64_t *out)
{
    const char *start = *at;

    for (*out = 0; *at < end; ++*at) {
        const unsigned char c = (unsigned char)**at;
        const unsigned digit = c >= '0' && c <= '9'   ? c - (unsigned)'0'
                               : c >= 'a' && c <= 'f' ? c - 'a' + 10u
                                                      : base;
        if (digit >= base)
            break;
        if (*out > (most - digit) / base)
            return false;
        *out = *out * base + digit;
    }
    return *at > start;
}

/* Parses a row of the child's output: "E place" or "R place number name". */
static void take_row(struct parser *p, const char *line, const char *end, uint64_t base)
{
    const char *at = line + 2;
    uint64_t place, number = 0;

    if (!take_number(&at, end, 16, UINT64_MAX, &place) ||
        (*line == 'R' && (at++ == end || !take_number(&at, end, 10, UINT32_MAX, &number))))
        return;
    const bool named = *line == 'R' && end - at > 1;   /* A name follows only after a blank. */
    vec_add(&p->out->rows,
            ((struct debug_line){base + place, (uint32_t)number,
                                 named ? name_number(p, at + 1, (size_t)(end - at) - 1) : 0}));
}

void debug_lines_parse(const char *text, size_t length, uint64_t base, struct debug_lines *out)
{
    struct parser p = {.out = out};
    const char *stop = text + length;

    *out = (struct debug_lines){0};
    for (const char *line = text, *end; line < stop; line = end + 1) {
        end = memchr(line, '\n', (size_t)(stop - line));
        end = end ? end : stop;
        if (watch_steps(1 + (uint64_t)(end - line) / 100))
            break;
        if (end - line <= 2)
            continue;
        if (*line == 'F' && !out->file)
            out->file = mem_strndup(line + 2, (size_t)(end - line) - 2);
        else if (*line == 'E' || *line == 'R')
            take_row(&p, line, end, base);
    }
    vec_done(&p.known);
    index_done(&p.by_mangled);
    index_done(&p.by_name);
}

/* Runs a child process for @wish and collects its output in @text. */
static bool ask(const struct object *o, struct dwarf_wish wish, struct str *text, struct err *err)
{
    int link[2], status = 0;

    if (pipe2(link, O_CLOEXEC) != 0)
        return err_set(err, ERR_IO, NULL, "cannot read debug information: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid == 0)
        child_main(o, wish, link[1]);
    close(link[1]);
    bool ok =
        pid > 0 ? collect(link[0], text, err)
                : err_set(err, ERR_IO, NULL, "cannot read debug information: %s", strerror(errno));
    close(link[0]);
    if (pid <= 0)
        return ok;
    if (!ok)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    const bool too_long = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    if (ok && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        ok = err_set(err, ERR_DATA, too_long ? TOO_LONG : "compile the file again with -g",
                     too_long ? "reading the debug information takes more than %d s"
                              : "the debug information is damaged",
                     CPU_SECONDS);
    return ok;
}

bool debug_lines_read(const struct object *o, uint64_t start, uint64_t end, uint64_t at,
                      struct debug_lines *out, struct err *err)
{
    const struct object_section *s = NULL;
    struct str text = {0};

    *out = (struct debug_lines){0};
    for (size_t i = 0; i < o->sections.count && !s; i++)
        if (at >= o->sections.items[i].offset &&
            at - o->sections.items[i].offset < o->sections.items[i].size)
            s = &o->sections.items[i];
    if (!s || !o->path)
        return true;
    const uint64_t limit = s->offset + s->size;
    const struct dwarf_wish wish = {.path = o->path,
                                    .section = s->index,
                                    .address = s->address,
                                    .at = at - s->offset,
                                    .start = start > s->offset ? start - s->offset : 0,
                                    .end = (end < limit ? end : limit) - s->offset};
    const bool ok = ask(o, wish, &text, err);
    if (ok)
        debug_lines_parse(str_text(&text), text.length, s->position, out);
    str_done(&text);
    return ok && watch_goes_on(err);
}

void debug_lines_done(struct debug_lines *d)
{
    free(d->file);
    vec_done(&d->rows);
    vec_free_texts(&d->inlined);
}

const struct debug_line *debug_line_at(const struct debug_lines *d, uint64_t place)
{
    const size_t low = first_past(d->rows.items, d->rows.count, sizeof(struct debug_line),
                                  offsetof(struct debug_line, place), place);

    return low ? &d->rows.items[low - 1] : NULL;
}

static int unit_line_order(const void *a, const void *b)
{
    const struct unit_line *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    /* The end of a sequence is sorted before the start of another one at the same place. */
    return (y->line == 0) - (x->line == 0);
}

/* Converts offset @place in ELF section @number to a position. Section 0 denotes an address of a
 * linked file. Returns false if @o has no code there. Stores the position in *@out. */
static bool position_of(const struct object *o, uint64_t number, uint64_t place, uint64_t *out)
{
    for (size_t i = 0; i < o->sections.count; i++) {
        const struct object_section *s = &o->sections.items[i];
        if (number ? s->index != number || place > s->size
                   : place < s->address || place - s->address > s->size)
            continue;
        *out = s->position + (number ? place : place - s->address);
        return true;
    }
    return false;
}

/* Returns the index of file @name, which is added if new. Returns INDEX_NONE if memory is
 * exhausted, in which case reading fails. */
static uint32_t file_number(struct unit_lines *out, struct index *by_name, const char *name,
                            size_t length)
{
    char *text = mem_strndup(name, length);
    uint32_t number = index_find(by_name, hash_text(text), same_name, out->files.items, text);

    if (number == INDEX_NONE && vec_room(&out->files) && index_try_reserve(by_name)) {
        number = (uint32_t)out->files.count;
        index_add(by_name, hash_text(text), number);
        vec_push(&out->files, text);
        return number;
    }
    free(text);
    return number;
}

void unit_lines_parse(const char *text, size_t length, const struct object *o,
                      struct unit_lines *out)
{
    struct index by_name = {0};
    uint32_t file = INDEX_NONE;
    const char *stop = text + length;

    *out = (struct unit_lines){0};
    for (const char *line = text, *end; line < stop; line = end + 1) {
        uint64_t section, place, number, position;
        end = memchr(line, '\n', (size_t)(stop - line));
        end = end ? end : stop;
        if (watch_steps(1 + (uint64_t)(end - line) / 100))
            break;
        const char *at = line + 2;
        if (end - line <= 2)
            continue;
        if (*line == 'F')
            file = file_number(out, &by_name, at, (size_t)(end - at));
        else if (*line == 'S' && file != INDEX_NONE &&
                 take_number(&at, end, 16, UINT32_MAX, &section) && at++ < end &&
                 take_number(&at, end, 16, UINT64_MAX, &place) && at++ < end &&
                 take_number(&at, end, 10, UINT32_MAX, &number) &&
                 position_of(o, section, place, &position))
            vec_add(&out->rows, ((struct unit_line){position, (uint32_t)number, file}));
    }
    index_done(&by_name);
    if (out->rows.count)
        qsort(out->rows.items, out->rows.count, sizeof *out->rows.items, unit_line_order);
}

bool unit_lines_read(const struct object *o, struct unit_lines *out, struct err *err)
{
    struct str text = {0};
    bool linked = false;

    *out = (struct unit_lines){0};
    if (!o->path)
        return true;
    for (size_t i = 0; i < o->sections.count; i++)
        linked |= o->sections.items[i].address != 0;
    const bool ok =
        ask(o, (struct dwarf_wish){.path = o->path, .address = linked, .all = true}, &text, err);
    if (ok)
        unit_lines_parse(str_text(&text), text.length, o, out);
    str_done(&text);
    return ok && watch_goes_on(err);
}

void unit_lines_done(struct unit_lines *d)
{
    vec_done(&d->rows);
    vec_free_texts(&d->files);
}

size_t unit_lines_from(const struct unit_lines *d, uint64_t place)
{
    return first_from(d->rows.items, d->rows.count, sizeof(struct unit_line),
                      offsetof(struct unit_line, place), place);
}
