/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/archive.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/similar.h"
#include "base/str.h"
#include "base/watch.h"

#define MAGIC 8            /* bytes */
#define HEADER 60          /* bytes of a member's header: no file has more members than that */
#define NAMES_MOST ((size_t)64 << 20)   /* bytes of the names of a thin archive */

enum archive_kind { ARCHIVE_NONE, ARCHIVE_WHOLE, ARCHIVE_THIN };

/* What the file open as @fd begins with. */
static enum archive_kind kind_of(int fd)
{
    char magic[MAGIC];

    if (pread(fd, magic, MAGIC, 0) != MAGIC)
        return ARCHIVE_NONE;
    return memcmp(magic, "!<arch>\n", MAGIC) == 0 ? ARCHIVE_WHOLE : memcmp(magic, "!<thin>\n", MAGIC) == 0 ? ARCHIVE_THIN : ARCHIVE_NONE;
}

bool archive_is(const char *path)
{
    int fd = file_open_regular(path);
    bool is = fd >= 0 && kind_of(fd) != ARCHIVE_NONE;

    if (fd >= 0)
        close(fd);
    return is;
}

static void add(struct archive *out, const char *name, const char *file, uint64_t offset, uint64_t size)
{
    vec_add(&out->members, ((struct archive_member){NULL, mem_strdup(name), mem_strdup(file), offset, size}));
}

static bool same_name(const void *items, uint32_t item, const void *key)
{
    return strcmp(((const struct archive_member *)items)[item].name, key) == 0;
}

/* Gives each member the name that tells it from all others. */
static void set_specs(struct archive *out, const char *path)
{
    struct index index = {0};
    uint32_t *again = mem_zero(out->members.count + 1, sizeof *again);   /* by the first of a name: how many followed it */

    for (size_t i = 0; i < out->members.count; i++) {
        struct archive_member *m = &out->members.items[i];
        const uint64_t hash = hash_text(m->name);
        const uint32_t first = index_find(&index, hash, same_name, out->members.items, m->name);
        struct str spec = {0};
        str_addf(&spec, "%s(%s", path, m->name);
        if (first == INDEX_NONE)
            index_add(&index, hash, (uint32_t)i);
        else
            str_addf(&spec, ":%u", ++again[first] + 1);
        str_add(&spec, ")");
        m->spec = str_take(&spec);
        watch_steps(1 + spec.length / 100);
    }
    index_done(&index);
    free(again);
}

static bool read_whole(const char *path, Elf *ar, size_t length, struct archive *out, struct err *err)
{
    size_t left = length / HEADER + 1;
    Elf_Cmd next = ELF_C_READ_MMAP;

    for (Elf *member; next != ELF_C_NULL && !watch_steps(1) && (member = elf_begin(-1, ELF_C_READ_MMAP, ar)) != NULL;) {
        const Elf_Arhdr *header = elf_getarhdr(member);
        const int64_t offset = elf_getbase(member);
        if (header && header->ar_name && elf_kind(member) == ELF_K_ELF && offset >= 0 && header->ar_size > 0 && (uint64_t)offset <= length && (uint64_t)header->ar_size <= length - (uint64_t)offset)
            add(out, header->ar_name, path, (uint64_t)offset, (uint64_t)header->ar_size);
        next = --left ? elf_next(member) : ELF_C_NULL;
        elf_end(member);
    }
    return watch_goes_on(err);
}

static bool is_elf_file(const char *path)
{
    char magic[4] = "";
    int fd = file_open_regular(path);
    bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

/* A thin archive holds names only, which libelf does not read: ar lists them, each as it is reached from the archive's directory. */
static bool read_thin(const char *path, struct archive *out, struct err *err)
{
    static const struct child_limits limits = {.cpu_seconds = 10, .memory = (size_t)4 << 30, .file_size = 1 << 20, .wall_seconds = 30, .output = NAMES_MOST};
    char *whole = realpath(path, NULL);
    const char *const argv[] = {"ar", "t", whole, NULL};
    struct child_result result = {0};
    bool ok = whole ? child_run(argv, "/", NULL, 0, &limits, &result, err) : err_set(err, ERR_IO, NULL, "cannot open %s: %s", path, strerror(errno));

    if (ok && !(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0))
        ok = err_set(err, ERR_DATA, "build the archive again", "ar cannot list this thin archive: %.*s", (int)strcspn(str_text(&result.output), "\r\n"), str_text(&result.output));
    const size_t directory = whole ? (size_t)(path_base(whole) - whole) : 0;
    for (const char *line = str_text(&result.output), *next; ok && *line && !watch_steps(100); line = next) {
        const size_t length = strcspn(line, "\n");
        struct str file = {0};
        next = line + length + (line[length] == '\n');
        if (length && *line != '/')
            str_add_bytes(&file, whole, directory);
        str_add_bytes(&file, line, length);
        if (length && is_elf_file(str_text(&file)))
            add(out, path_base(str_text(&file)), str_text(&file), 0, 0);
        str_done(&file);
    }
    child_result_done(&result);
    free(whole);
    return ok && watch_goes_on(err);
}

bool archive_read(const char *path, struct archive *out, struct err *err)
{
    struct mapped file = {0};
    struct stat status;
    int fd = file_open_regular(path);
    const enum archive_kind kind = fd >= 0 ? kind_of(fd) : ARCHIVE_NONE;
    bool ok = false;

    *out = (struct archive){0};
    elf_version(EV_CURRENT);
    if (fd < 0) {
        err_set(err, ERR_IO, NULL, "cannot open %s: %s", path, strerror(errno));
    } else if (kind == ARCHIVE_NONE) {
        err_set(err, ERR_DATA, "give an archive that ar made", "not an archive");
    } else if (kind == ARCHIVE_THIN) {
        ok = read_thin(path, out, err);
    } else if (fstat(fd, &status) != 0 || !mapped_open(&file, fd, (size_t)status.st_size)) {
        err_set(err, ERR_IO, NULL, "cannot map the archive: %s", strerror(errno));
    } else {
        Elf *ar = elf_memory((char *)(uintptr_t)file.bytes, file.length);
        ok = ar && elf_kind(ar) == ELF_K_AR ? read_whole(path, ar, file.length, out, err) : err_set(err, ERR_DATA, "build the archive again", "the archive is damaged");
        elf_end(ar);
        mapped_check(&file, fd);
        if (mapped_cut(&file))   /* what seems wrong with it may be that, and what seems right is not */
            ok = err_set(err, ERR_IO, "try again", "the archive became shorter while it was read");
        mapped_close(&file);
    }
    if (fd >= 0)
        close(fd);
    if (ok && !out->members.count)
        ok = err_set(err, ERR_DATA, "give an archive of object files (ELF)", "no object files in this archive");
    if (ok)
        set_specs(out, path);
    ok = ok && watch_goes_on(err);
    return ok || err_at(err, path, 0, 0);
}

void archive_done(struct archive *a)
{
    for (size_t i = 0; i < a->members.count; i++) {
        free(a->members.items[i].spec);
        free(a->members.items[i].name);
        free(a->members.items[i].file);
    }
    vec_done(&a->members);
}

bool archive_names_member(const char *spec, char **path)
{
    const size_t length = strlen(spec);
    const char *open = length && spec[length - 1] == ')' ? strrchr(spec, '(') : NULL;

    if (!open || open == spec || access(spec, F_OK) == 0)   /* a file may be called so */
        return false;
    char *file = mem_strndup(spec, (size_t)(open - spec));
    const bool is = archive_is(file);
    if (is && path)
        *path = file;
    else
        free(file);
    return is;
}

const struct archive_member *archive_find(const struct archive *a, const char *spec, struct err *err)
{
    struct similar near = {.word = strrchr(spec, '(')};
    char todo[SIMILAR_TODO];

    for (size_t i = 0; i < a->members.count && !watch_steps(1); i++) {
        if (strcmp(a->members.items[i].spec, spec) == 0)
            return &a->members.items[i];
        similar_try(&near, strrchr(a->members.items[i].spec, '('));
    }
    err_set(err, ERR_DATA, similar_todo(&near, "kernel functions FILE names the members of an archive", todo), "no object file %s in this archive", near.word);
    return NULL;
}
