/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/archive.h"

#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/similar.h"
#include "base/str.h"
#include "base/watch.h"

#define MAGIC 8            /* size in bytes of the magic number */
/* size of a member's header in bytes; it limits the number of members in a file */
#define HEADER 60
#define HEADER_NAME 16     /* size in bytes of the name field, at the start of the header */
#define HEADER_SIZE 48     /* offset in bytes of the field with the member's length */
#define HEADER_SIZE_LENGTH 10
/* maximum number of bytes of all member names of a thin archive */
#define NAMES_MOST ((size_t)64 << 20)

enum archive_kind { ARCHIVE_NONE, ARCHIVE_WHOLE, ARCHIVE_THIN };

/* Determines the kind of archive from the first bytes of the file open as @fd. */
static enum archive_kind kind_of(int fd)
{
    char magic[MAGIC];

    if (pread(fd, magic, MAGIC, 0) != MAGIC)
        return ARCHIVE_NONE;
    return memcmp(magic, "!<arch>\n", MAGIC) == 0   ? ARCHIVE_WHOLE
           : memcmp(magic, "!<thin>\n", MAGIC) == 0 ? ARCHIVE_THIN
                                                    : ARCHIVE_NONE;
}

bool archive_is(const char *path)
{
    int fd = file_open_regular(path);
    bool is = fd >= 0 && kind_of(fd) != ARCHIVE_NONE;

    if (fd >= 0)
        close(fd);
    return is;
}

static void add(struct archive *out, const char *name, const char *file, uint64_t offset,
                uint64_t size)
{
    vec_add(&out->members,
            ((struct archive_member){NULL, mem_strdup(name), mem_strdup(file), offset, size}));
}

static bool same_name(const void *items, uint32_t item, const void *key)
{
    return strcmp(((const struct archive_member *)items)[item].name, key) == 0;
}

/* Gives each member a unique name: lib.a(member.o), with a number if the name repeats. */
static void set_specs(struct archive *out, const char *path)
{
    struct index index = {0};
    /* number of further members with the same name, by the index of the first of these members */
    uint32_t *again = mem_zero(out->members.count + 1, sizeof *again);

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

static bool read_whole(const char *path, Elf *ar, size_t length, struct archive *out,
                       struct err *err)
{
    size_t left = length / HEADER + 1;
    Elf_Cmd next = ELF_C_READ_MMAP;

    for (Elf *member; next != ELF_C_NULL && !watch_steps(1) &&
                      (member = elf_begin(-1, ELF_C_READ_MMAP, ar)) != NULL;) {
        const Elf_Arhdr *header = elf_getarhdr(member);
        const int64_t offset = elf_getbase(member);
        if (header && header->ar_name && elf_kind(member) == ELF_K_ELF && offset >= 0 &&
            header->ar_size > 0 && (uint64_t)offset <= length &&
            (uint64_t)header->ar_size <= length - (uint64_t)offset)
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
    bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic &&
              memcmp(magic, "\177ELF", sizeof magic) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

/* A thin archive has headers and a table of names, but not the members' bytes. libelf cannot read
 * it. */
struct thin {
    const char *bytes;
    /* @length: number of bytes of the archive. @directory: length of the directory part of @from,
     * to which members' names are relative. */
    size_t length, directory;
    const char *from;
    const char *names;          /* table of names that are too long for a header */
    size_t names_length, left;  /* @left: number of bytes that further member names may use */
};

static bool damaged(struct err *err)
{
    return err_set(err, ERR_DATA, "create the archive again", "the archive is damaged");
}

/* Finds the name of the member that @header describes. Sets *@name to NULL for a member of a nested
 * archive. Returns false if the name is missing. */
static bool thin_name(const struct thin *t, const char *header, const char **name, size_t *length)
{
    char field[HEADER_NAME + 1] = "", *end;

    memcpy(field, header, HEADER_NAME);
    *name = header;
    *length = strcspn(field, "/");
    if (*length)
        return true;
    const unsigned long place = strtoul(field + 1, &end, 10);
    *name = *end == ':' || place >= t->names_length ? NULL : t->names + place;
    if (!*name)
        return *end == ':';
    const size_t room = t->names_length - place;
    const char *line = memchr(*name, '\n', room < PATH_MAX ? room : PATH_MAX);
    *length = line ? (size_t)(line - *name) : 0;
    *length -= *length && line[-1] == '/';
    return line;
}

/* Adds the member of @header if it is an ELF file. Opens the file and tests its type, because the
 * name may be any path. */
static bool thin_member(struct thin *t, const char *header, struct archive *out, struct err *err)
{
    const char *name;
    size_t length;
    struct str file = {0};

    if (!thin_name(t, header, &name, &length))
        return damaged(err);
    if (!name || !length)
        return true;
    if (*name != '/')
        str_add_bytes(&file, t->from, t->directory);
    str_add_bytes(&file, name, length);
    watch_steps(100 + file.length);
    bool ok = file.length <= t->left ||
              err_set(err, ERR_LIMIT, "give an archive with fewer members",
                      "the names of the members have more than %zu bytes in total", NAMES_MOST);
    t->left -= ok ? file.length : 0;
    if (ok && access(str_text(&file), F_OK) != 0)
        ok = errno == ENOENT ? err_set(err, ERR_MISSING, "create the archive again",
                                       "the archive lacks its member %s", str_text(&file))
                             : file_fault(err, str_text(&file), "read", NULL);
    else if (ok && is_elf_file(str_text(&file)))
        add(out, path_base(str_text(&file)), str_text(&file), 0, 0);
    str_done(&file);
    return ok;
}

/* Parses the decimal size in @header. Returns false if the header is invalid. Stores the size in
 * *@size. */
static bool header_size(const char *header, uint64_t *size)
{
    char field[HEADER_SIZE_LENGTH + 1] = "", *end;

    memcpy(field, header + HEADER_SIZE, HEADER_SIZE_LENGTH);
    *size = strtoull(field, &end, 10);
    return isdigit((unsigned char)field[0]) && !end[strspn(end, " ")] &&
           memcmp(header + HEADER - 2, "`\n", 2) == 0;
}

/* Reads a thin archive, whose names are relative to its directory. `ar` could list the members, but
 * it opens each file, and blocks on a pipe. */
static bool read_thin(const char *path, const struct mapped *file, struct archive *out,
                      struct err *err)
{
    char *whole = realpath(path, NULL);
    struct thin t = {.bytes = file->bytes,
                     .length = file->length,
                     .from = whole ? whole : path,
                     .left = NAMES_MOST};
    bool ok = true;

    t.directory = (size_t)(path_base(t.from) - t.from);
    for (size_t at = MAGIC; ok && at < t.length && !watch_steps(1);) {
        const char *header = t.bytes + at;
        uint64_t size = 0;
        ok = (t.length - at >= HEADER && header_size(header, &size)) || damaged(err);
        at += HEADER;
        /* In a thin archive, bytes follow only the headers of tables. */
        if (ok && header[0] == '/' && !isdigit((unsigned char)header[1])) {
            ok = size <= t.length - at || damaged(err);
            if (ok && header[1] == '/') {
                t.names = header + HEADER;
                t.names_length = size;
            }
            at += ok ? size + size % 2 : 0;
        } else if (ok) {
            ok = thin_member(&t, header, out, err);
        }
    }
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
        err_set(err, ERR_IO, "check the file's name and permissions", "cannot open %s: %s", path,
                strerror(errno));
    } else if (kind == ARCHIVE_NONE) {
        err_set(err, ERR_DATA, "give an archive made by ar", "not an archive");
    } else if (fstat(fd, &status) != 0 || !mapped_open(&file, fd, (size_t)status.st_size)) {
        err_set(err, ERR_IO, NULL, "cannot map the archive: %s", strerror(errno));
    } else {
        Elf *ar =
            kind == ARCHIVE_WHOLE ? elf_memory((char *)(uintptr_t)file.bytes, file.length) : NULL;
        if (kind == ARCHIVE_THIN)
            ok = read_thin(path, &file, out, err);
        else
            ok = ar && elf_kind(ar) == ELF_K_AR ? read_whole(path, ar, file.length, out, err)
                                                : damaged(err);
        elf_end(ar);
        mapped_check(&file, fd);
        /* Fails, because the file became shorter during the read, so the members may be wrong. */
        if (mapped_cut(&file))
            ok = err_set(err, ERR_IO,
                         "run the command again", "the archive was truncated while it was read");
        mapped_close(&file);
    }
    if (fd >= 0)
        close(fd);
    if (ok && !out->members.count)
        ok = err_set(err, ERR_DATA, "give an archive that contains object files (ELF)",
                     "no object files in this archive");
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

    /* A file with this name exists, so the text does not denote a member. */
    if (!open || open == spec || access(spec, F_OK) == 0)
        return false;
    char *file = mem_strndup(spec, (size_t)(open - spec));
    const bool is = archive_is(file);
    if (is && path)
        *path = file;
    else
        free(file);
    return is;
}

const struct archive_member *archive_find(const struct archive *a, const char *spec,
                                          struct err *err)
{
    struct similar near = {.word = strrchr(spec, '(')};
    char todo[SIMILAR_TODO];

    for (size_t i = 0; i < a->members.count && !watch_steps(1); i++) {
        if (strcmp(a->members.items[i].spec, spec) == 0)
            return &a->members.items[i];
        similar_try(&near, strrchr(a->members.items[i].spec, '('));
    }
    err_set(err, ERR_DATA,
            similar_todo(&near, "kernel functions FILE lists the members of an archive", todo),
            "no object file %s in this archive", near.word);
    return NULL;
}
