/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/file_calls.h"
#include "base/file_temporary.h"
#include "base/shortage.h"
#include "base/steps.h"
#include "base/str.h"
#include "base/vec.h"

#define RECORD_FIRST "portolan change 1\n"
#define RECORD_LIMIT ((size_t)16 << 20)
#define DEPTH_MAX 3
#define WAITS 50            /* maximum number of attempts while another program has locked the
                             * directory */
#define WAIT_MICROSECONDS 100000

struct change {
    char *name;
    bool removed;
    struct file_temporary temporary;   /* the new contents; its fd is -1 after closing */
};

struct file_set {
    int dir;                /* descriptor of the locked directory */
    char *path;
    VEC(struct change) changes;
    bool private;
    bool made;              /* whether this change created the directory */
    bool recorded;          /* whether the record is in place, which makes the change valid */
};

static bool plain_component(const char *name, size_t length)
{
    if (!length || length > NAME_MAX - 1 || name[0] == '.')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return false;
    return true;
}

/* Returns whether @name is relative, has at most DEPTH_MAX components, and each component is valid:
 * not empty, not too long, without control characters, and without a dot at its start. Such a name
 * cannot denote a file outside of the directory, or a temporary file. */
static bool plain_name(const char *name)
{
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        size_t length = strcspn(name, "/");
        if (!plain_component(name, length))
            return false;
        if (!name[length])
            return true;
        name += length + 1;
    }
    return false;
}

/* Opens the directory part of @name in @dir without following links. *@last is the last component.
 * Returns -1 with errno. The caller closes it. */
static int open_parent(int dir, const char *name, const char **last)
{
    int at = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (const char *slash; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        char part[NAME_MAX + 1];
        snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        int next = file_calls.open(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
        int code = errno;
        close(at);
        errno = code;
        at = next;
    }
    *last = name;
    return at;
}

static bool sync_parent(int dir, const char *name)
{
    const char *last;
    int parent = open_parent(dir, name, &last);
    bool ok = parent < 0 ? errno == ENOENT : file_calls_sync_directory(parent);

    if (parent >= 0)
        close(parent);
    return ok;
}

static void drop_empty(int dir, const char *name)
{
    char *copy = mem_strdup(name);
    for (char *slash; (slash = strrchr(copy, '/'));) {
        *slash = '\0';
        if (unlinkat(dir, copy, AT_REMOVEDIR) != 0)
            break;
    }
    free(copy);
}

/* Creates the parent directories of @name. Returns false with errno. */
static bool make_parents(int dir, const char *name)
{
    char *part = mem_strdup(name);
    struct stat above;
    const mode_t mode = fstat(dir, &above) == 0 ? above.st_mode & 0777 : 0700;
    bool ok = true;

    for (char *slash = strchr(part, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = file_calls.mkdir(dir, part, mode) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(part);
    return ok;
}

static bool apply_one(int dir, const struct change *c)
{
    char temporary[NAME_MAX + 1];
    const char *last;

    if (!c->removed && !make_parents(dir, c->name))
        return false;
    int parent = open_parent(dir, c->name, &last);
    if (parent < 0)
        return c->removed && errno == ENOENT;
    file_temporary_name(last, c->temporary.process, c->temporary.serial, temporary);
    /* ENOENT is no error, because an earlier attempt may have been interrupted after this step. */
    bool ok = (c->removed ? file_calls.unlink(parent, last, 0)
                          : file_calls.rename(dir, temporary, parent, last)) == 0 ||
              errno == ENOENT;
    int code = errno;
    close(parent);
    if (ok && c->removed)
        drop_empty(dir, c->name);
    errno = code;
    return ok;
}

/* Syncs the directory of @name and its parents, which may be new. Returns false with errno. */
static bool sync_parents(int dir, const char *name)
{
    char *part = mem_strdup(name);
    bool ok = sync_parent(dir, name);

    for (char *slash; ok && (slash = strrchr(part, '/'));) {
        *slash = '\0';
        ok = sync_parent(dir, part);
    }
    free(part);
    return ok;
}

/* Makes the changes of a record, and removes the record after the changes are on disk. Returns
 * false with errno. */
static bool apply(int dir, const struct change *changes, size_t count)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = apply_one(dir, &changes[i]);
    for (size_t i = 0; ok && i < count; i++)
        ok = sync_parents(dir, changes[i].name);
    return ok && file_calls.unlink(dir, FILE_SET_RECORD, 0) == 0 && file_calls_sync_directory(dir);
}

static void record_print(const struct change *changes, size_t count, struct str *out)
{
    str_add(out, RECORD_FIRST);
    for (size_t i = 0; i < count; i++)
        if (changes[i].removed)
            str_addf(out, "remove %s\n", changes[i].name);
        else
            str_addf(out, "write %ld-%u %s\n", changes[i].temporary.process,
                     changes[i].temporary.serial, changes[i].name);
    str_addf(out, "end %08x\n", checksum_of(out->data, out->length));
}

static void changes_free(struct change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        file_temporary_close(&changes[i].temporary);
        free(changes[i].name);
    }
    free(changes);
}

static bool record_line(const char *line, struct change *out)
{
    int used = 0;

    *out = (struct change){.temporary.fd = -1};
    if (str_has_prefix(line, "remove ")) {
        out->removed = true;
        used = 7;
    } else if (sscanf(line, "write %ld-%u %n", &out->temporary.process, &out->temporary.serial,
                      &used) != 2 ||
               !used) {
        return false;
    }
    if (!plain_name(line + used))
        return false;
    out->name = mem_strdup(line + used);
    return true;
}

/* Parses a record. Rejects a record that is incomplete or was not written by this module, because a
 * record names files to remove. The caller frees *@changes in both cases. */
static bool record_parse(char *text, size_t length, struct change **changes, size_t *count)
{
    VEC(struct change) found = {0};
    char *end = length > 13 ? text + length - 13 : NULL;
    uint32_t sum = 0;
    bool ok = end && str_has_prefix(text, RECORD_FIRST) && strlen(text) == length &&
              end[-1] == '\n' && sscanf(end, "end %8x\n", &sum) == 1 &&
              sum == checksum_of(text, (size_t)(end - text));

    for (char *line = text + strlen(RECORD_FIRST), *newline; ok && line < end; line = newline + 1) {
        struct change c;
        newline = strchr(line, '\n');
        *newline = '\0';
        ok = record_line(line, &c);
        if (ok)
            vec_push(&found, c);
    }
    *changes = found.items;
    *count = found.count;
    return ok;
}

/* Completes the change recorded in @dir, if @dir has a record. Returns false with err on failure,
 * and if the record is invalid. */
static bool settle(int dir, const char *path, struct err *err)
{
    struct str record = {0}, text = {0};
    struct change *changes = NULL;
    struct stat status;
    size_t count = 0;
    bool ok = false;

    if (fstatat(dir, FILE_SET_RECORD, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || file_fault(err, path, "check the directory", NULL);
    str_addf(&record, "%s/" FILE_SET_RECORD, path);
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
        err_set(err, ERR_DATA, "remove this file", "is not a regular file owned by this user");
        err_at(err, str_text(&record), 0, 0);
    } else if (file_read(str_text(&record), RECORD_LIMIT, &text, err)) {
        ok = record_parse(text.data ? text.data : (char *)"", text.length, &changes, &count);
        if (!ok) {
            err_set(err, ERR_DATA, "remove this file", "is not a journal of a file change");
            err_at(err, str_text(&record), 0, 0);
        } else if (!apply(dir, changes, count)) {
            ok = file_fault(err, path, "complete the interrupted change of files",
                            "check the directory and its permissions");
        }
    }
    changes_free(changes, count);
    str_done(&record);
    str_done(&text);
    return ok;
}

/* Locks the directory. Returns false with err if another program keeps it locked. Continues without
 * a lock if the file system does not support locks. */
static bool lock(int dir, int kind, const char *path, struct err *err)
{
    for (int wait = 0; flock(dir, kind | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
         wait++) {
        if (wait == WAITS) {
            err_set(err, ERR_IO, "wait until the other program has finished saving",
                    "another program is saving files in this directory");
            return err_at(err, path, 0, 0);
        }
        usleep(WAIT_MICROSECONDS);
    }
    return true;
}

static bool exists(int dir, const char *name)
{
    return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int file_set_open(const char *path, struct err *err)
{
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0) {
        file_fault(err, path, "open the directory", errno == ENOENT ? "check the name" : NULL);
        return -1;
    }
    bool ok = lock(dir, LOCK_SH, path, err);
    if (ok && exists(dir, FILE_SET_RECORD))
        ok = lock(dir, LOCK_EX, path, err) && settle(dir, path, err) &&
             lock(dir, LOCK_SH, path, err);
    if (ok)
        return dir;
    close(dir);
    return -1;
}

static bool sync_above(const char *path)
{
    struct str above = {0};
    str_addf(&above, "%s/..", path);
    int fd = open(str_text(&above), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd < 0 || file_calls_sync_directory(fd);
    if (fd >= 0)
        close(fd);
    str_done(&above);
    return ok;
}

struct file_set *file_set_new(const char *path, bool private, struct err *err)
{
    struct file_set *set = mem_zero(1, sizeof *set);

    set->dir = -1;
    set->path = mem_strdup(path);
    set->private = private;
    set->made = file_calls.mkdir(AT_FDCWD, path, private ? 0700 : 0777) == 0;
    if (!set->made && errno != EEXIST) {
        file_fault(err, path, "make the directory",
                   "check the parent directory and its permissions");
    } else if ((set->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        file_fault(err, path, "open the directory", NULL);
    } else if (lock(set->dir, LOCK_EX, path, err) && settle(set->dir, path, err)) {
        file_temporary_collect(set->dir);
        return set;
    }
    file_set_free(set);
    return NULL;
}

static bool refuse_name(const struct file_set *set, const char *name, struct err *err)
{
    err_set(err, ERR_DATA, "choose another name", "invalid file name \"%s\"", name);
    return err_at(err, set->path, 0, 0);
}

/* Returns the change of @name, which is created if necessary. */
static struct change *change_of(struct file_set *set, const char *name)
{
    for (size_t i = 0; i < set->changes.count; i++)
        if (strcmp(set->changes.items[i].name, name) == 0)
            return &set->changes.items[i];
    vec_push(&set->changes,
             ((struct change){.name = mem_strdup(name), .removed = true, .temporary.fd = -1}));
    return &set->changes.items[set->changes.count - 1];
}

/* Returns whether @name is missing or a regular file, without links in its path. */
static bool replaceable(int dir, const char *name)
{
    struct stat status;
    const char *last;
    int parent = open_parent(dir, name, &last);

    if (parent < 0)
        return errno == ENOENT;
    bool ok = fstatat(parent, last, &status, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(status.st_mode);
    close(parent);
    return ok;
}

bool file_set_write(struct file_set *set, const char *name, const void *bytes, size_t length,
                    struct err *err)
{
    struct file_temporary t = {.fd = -1};
    const char *slash = strrchr(name, '/');

    if (!plain_name(name))
        return refuse_name(set, name, err);
    if (!replaceable(set->dir, name)) {
        err_set(err, ERR_IO, "choose another directory",
                "%s is not a regular file in this directory", name);
        return err_at(err, set->path, 0, 0);
    }
    if (!file_temporary_make(set->dir, slash ? slash + 1 : name, set->private, &t))
        return file_fault(err, set->path, "write into the directory",
                          "check the directory and its permissions");
    if (!file_temporary_fill(&t, set->dir, name, bytes, length)) {
        file_fault(err, set->path, "write into the directory", "the old contents are untouched");
        file_calls.unlink(set->dir, t.name, 0);
        file_temporary_close(&t);
        return false;
    }
    struct change *c = change_of(set, name);
    if (!c->removed)
        file_calls.unlink(set->dir, c->temporary.name, 0);
    file_temporary_close(&c->temporary);
    c->removed = false;
    c->temporary = t;
    return true;
}

bool file_set_remove(struct file_set *set, const char *name, struct err *err)
{
    if (!plain_name(name))
        return refuse_name(set, name, err);
    struct change *c = change_of(set, name);
    c->removed = true;
    return true;
}

/* Writes the record and renames it to its place, which makes the change valid. */
static bool record_write(struct file_set *set, struct err *err)
{
    struct file_temporary t = {.fd = -1};
    struct str text = {0};

    bool ok = file_calls_sync_directory(set->dir) && (!set->made || sync_above(set->path));
    record_print(set->changes.items, set->changes.count, &text);
    ok = ok && file_temporary_make(set->dir, "record", set->private, &t) &&
         file_temporary_fill(&t, set->dir, FILE_SET_RECORD, text.data, text.length) &&
         file_calls.rename(set->dir, t.name, set->dir, FILE_SET_RECORD) == 0;
    if (!ok)
        file_fault(err, set->path, "write into the directory", "the old contents are untouched");
    if (!ok && t.fd >= 0)
        file_calls.unlink(set->dir, t.name, 0);
    file_temporary_close(&t);
    str_done(&text);
    return ok;
}

bool file_set_commit(struct file_set *set, struct err *err)
{
    if (shortage_lost())
        return err_memory_write(err, set->path);
    if (set->private)
        fchmod(set->dir, 0700);   /* Ignores an error, because the files are private in any case. */
    set->recorded = record_write(set, err);
    if (!set->recorded)
        return false;
    return (file_calls_sync_directory(set->dir) &&
            apply(set->dir, set->changes.items, set->changes.count)) ||
           file_fault(err, set->path, "complete the change",
                      "the change will be completed when the directory is next opened");
}

/* Removes the temporary files of a change that was not committed, and the directory if the change
 * created it. */
static void undo(struct file_set *set)
{
    for (size_t i = 0; i < set->changes.count; i++)
        if (set->changes.items[i].temporary.name[0])
            unlinkat(set->dir, set->changes.items[i].temporary.name, 0);
    if (set->made)
        rmdir(set->path);
}

void file_set_free(struct file_set *set)
{
    if (!set)
        return;
    if (!set->recorded)
        undo(set);
    changes_free(set->changes.items, set->changes.count);
    if (set->dir >= 0)
        close(set->dir);
    free(set->path);
    free(set);
}

struct known_names {
    const char **items;
    size_t count;
};

/* Returns the first name in the sorted @known that is not before @name in the order; NULL if there
 * is none. */
static const char *not_before(const struct known_names *known, const char *name)
{
    size_t low = 0, high = known->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        steps_add(1);
        if (strcmp(known->items[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < known->count ? known->items[low] : NULL;
}

/* Returns whether @name is in the list, or is a parent directory of a name in the list. */
static bool among(const char *name, const struct known_names *known)
{
    struct str inside = {0};
    const char *at = not_before(known, name);
    bool is = at && strcmp(at, name) == 0;

    str_addf(&inside, "%s/", name);
    if (!is) {
        at = not_before(known, str_text(&inside));
        is = at && str_has_prefix(at, str_text(&inside));
    }
    str_done(&inside);
    return is;
}

static char *stranger_below(int above, const char *part, const char *prefix,
                            const struct known_names *known, int depth)
{
    int fd = openat(above, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    char *found = NULL;

    if (!stream) {
        if (fd >= 0)
            close(fd);
        return mem_strdup(prefix);
    }
    for (struct dirent *entry; !found && (entry = readdir(stream));) {
        struct str name = {0};
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            file_temporary_is(entry->d_name) || strcmp(entry->d_name, FILE_SET_RECORD) == 0)
            continue;
        str_addf(&name, "%s%s%s", prefix, *prefix ? "/" : "", entry->d_name);
        bool directory = fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                         S_ISDIR(status.st_mode);
        if (!among(str_text(&name), known) || (directory && depth == DEPTH_MAX) ||
            (!directory && !S_ISREG(status.st_mode)))
            found = str_take(&name);
        else if (directory)
            found = stranger_below(fd, entry->d_name, str_text(&name), known, depth + 1);
        str_done(&name);
    }
    closedir(stream);
    return found;
}

char *file_set_stranger(const char *dir, const char *const *known)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct known_names sorted = {0};

    while (known[sorted.count])
        sorted.count++;
    sorted.items = mem_alloc((sorted.count + 1) * sizeof *sorted.items);
    memcpy(sorted.items, known, sorted.count * sizeof *sorted.items);
    qsort(sorted.items, sorted.count, sizeof *sorted.items, compare_texts);
    char *found = fd >= 0 ? stranger_below(fd, ".", "", &sorted, 1) : NULL;
    free(sorted.items);
    if (fd >= 0)
        close(fd);
    return found;
}
