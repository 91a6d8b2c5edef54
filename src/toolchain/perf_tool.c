/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/perf_tool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/compare.h"
#include "base/path.h"
#include "base/watch.h"

#define SECONDS 120
/* maximum number of bytes of perf's output, enough for a few million samples */
#define SCRIPT_MOST ((size_t)256 << 20)
#define MAPPED "PERF_RECORD_MMAP"

bool perf_tool_ask(const char *const *argv, size_t most, struct str *out, struct err *err)
{
    const struct child_limits limits = {.cpu_seconds = SECONDS,
                                        .memory = (size_t)8 << 30,
                                        .file_size = 1 << 20,
                                        .wall_seconds = SECONDS,
                                        .output = most};
    struct child_result result = {0};
    struct err fault = {0};
    bool ok = child_run(argv, ".", NULL, 0, &limits, &result, &fault);
    const char *said = str_text(&result.output) + strspn(str_text(&result.output), " \t\r\n");

    if (!ok && fault.code == ERR_MISSING)
        err_set(err, ERR_MISSING,
                "install perf (Debian: linux-perf), or paste the output of perf annotate",
                "--profile needs perf, which is not installed");
    else if (!ok && err)
        *err = fault;
    else if (ok && (result.timed_out || result.cut))
        ok = err_set(err, ERR_LIMIT, "record fewer samples, or give a function with --symbol",
                     result.cut ? "perf %s printed more than %zu MiB"
                                : "perf %s exceeded its time limit",
                     argv[1], most >> 20);
    else if (ok && !(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0))
        ok = err_set(err, ERR_DATA, NULL, "perf %s failed: %.*s", argv[1],
                     (int)strcspn(said, "\r\n"), said);
    if (ok)
        str_add(out, str_text(&result.output));
    child_result_done(&result);
    return ok;
}

/* A mapping of the program's code in a process */
struct mapped_code {
    unsigned long process;
    uint64_t address, size, file_offset;
};

struct mapped_list { VEC(struct mapped_code) list; };

/* Returns whether the path from @path to @end is a file named @program. */
static bool names(const char *path, const char *end, const char *program)
{
    const size_t length = strlen(program);

    return (size_t)(end - path) >= length && memcmp(end - length, program, length) == 0 &&
           ((size_t)(end - path) == length || end[-(ptrdiff_t)length - 1] == '/');
}

/* Parses the hexadecimal number at *@p and skips @mark after it. Returns false if there is none.
 * Stores the number in *@out. */
static bool take_hex(const char **p, const char *mark, uint64_t *out)
{
    char *end;

    *out = strtoull(*p, &end, 16);
    if (end == *p || strncmp(end, mark, strlen(mark)) != 0)
        return false;
    *p = end + strlen(mark);
    return true;
}

/* Parses "PERF_RECORD_MMAP2 7/7: [0x55cf4df01000(0x1000) @ 0x1000 fe:00 11379352 50017631]: r-xp
 * /tmp/hot" up to @end. Ignores mappings of other files. */
static void take_mapping(const char *line, const char *end, const char *program,
                         unsigned long process, struct mapped_list *list)
{
    struct mapped_code m = {.process = process};
    const char *p = line + strcspn(line, "[\n"), *path;

    p += *p == '[';
    if (!take_hex(&p, "(", &m.address) || !take_hex(&p, ") @ ", &m.size) ||
        !take_hex(&p, " ", &m.file_offset) || p >= end)
        return;
    path = memmem(p, (size_t)(end - p), "]: ", 3);
    path = path ? memchr(path + 3, ' ', (size_t)(end - path - 3)) : NULL;
    if (path && names(path + 1, end, program))
        vec_add(&list->list, m);
}

/* Returns the file offset of @address according to the last mapping of @process. If the process has
 * no mapping, uses that of another process, which may be its parent. Returns UINT64_MAX if
 * unknown. */
static uint64_t place_of(const struct mapped_list *list, unsigned long process, uint64_t address)
{
    uint64_t found = UINT64_MAX;

    for (size_t i = list->list.count; i-- > 0 && !watch_steps(1);) {
        const struct mapped_code *m = &list->list.items[i];
        if (address < m->address || address - m->address >= m->size ||
            (found != UINT64_MAX && m->process != process))
            continue;
        found = address - m->address + m->file_offset;
        if (m->process == process)
            break;
    }
    return found;
}

/* Parses "19049 55cf4df011a5 (/tmp/hot)", from the end of the process id to @end. Ignores samples
 * of other files. */
static void take_sample(const char *p, const char *end, const char *program, unsigned long process,
                        const struct mapped_list *list, struct perf_samples *out)
{
    uint64_t address;

    if (end[-1] != ')' || !take_hex(&p, " (", &address) || p >= end || !names(p, end - 1, program))
        return;
    const uint64_t place = place_of(list, process, address);
    if (place != UINT64_MAX)
        vec_add(&out->places, place);
}

void perf_samples_parse(const char *text, const char *program, struct perf_samples *out)
{
    struct mapped_list mapped = {0};

    for (const char *line = text, *next; *line && !watch_steps(4); line = next) {
        const char *end = line + strcspn(line, "\n");
        char *p;
        next = end + (*end == '\n');
        const unsigned long process = strtoul(line, &p, 10);
        if (p == line || p >= end || *p != ' ')
            continue;
        const char *mark = p + strspn(p, " ");
        if (str_has_prefix(mark, MAPPED))
            take_mapping(mark, end, program, process, &mapped);
        else
            take_sample(mark, end, program, process, &mapped, out);
    }
    if (out->places.count)
        qsort(out->places.items, out->places.count, sizeof *out->places.items, compare_uint64);
    vec_done(&mapped.list);
}

void perf_tool_failed(struct err *err, const char *profile)
{
    err_at(err, profile, 0, 0);
    if (err)
        err->profile = true;
}

bool perf_samples_read(const char *profile, const char *program, struct perf_samples *out,
                       struct err *err)
{
    char *file = path_argument(profile);
    const char *const argv[] = {"perf", "script", "--show-mmap-events", "-G", "-i",
                                file,   "-F",     "pid,ip,dso",         NULL};
    struct str text = {0};

    *out = (struct perf_samples){0};
    bool ok = perf_tool_ask(argv, SCRIPT_MOST, &text, err);
    if (ok)
        perf_samples_parse(str_text(&text), path_base(program), out);
    if (ok && !out->places.count)
        ok = err_set(err, ERR_DATA,
                     "record the profile while this program runs; perf report shows its content",
                     "no samples in functions of %s in this profile", path_base(program));
    if (!ok)
        perf_tool_failed(err, profile);
    str_done(&text);
    free(file);
    return ok && watch_goes_on(err);
}

void perf_samples_done(struct perf_samples *s)
{
    vec_done(&s->places);
}

/* Returns the number of samples below file offset @place. */
static size_t below(const struct perf_samples *s, uint64_t place)
{
    return first_from(s->places.items, s->places.count, sizeof(uint64_t), 0, place);
}

size_t perf_samples_within(const struct perf_samples *s, uint64_t first, uint64_t size)
{
    return below(s, first + size) - below(s, first);
}
