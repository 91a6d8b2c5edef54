/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_calls.h"
#include "base/file_stream.h"
#include "base/file_temporary.h"
#include "base/path.h"
#include "base/shortage.h"

#define LINKS_MAX 40   /* the kernel's limit on links in a path */

const char *file_remedy(int code, const char *fallback)
{
    switch (code) {
    case ENOSPC:
    case EDQUOT: return "delete files, or write to another disk";
    case EMFILE: return "raise the limit on open files (ulimit -n)";
    case ENFILE: return "raise the system's limit on open files (sysctl fs.file-max)";
    case EFBIG: return "raise the limit on file sizes (ulimit -f), or write to another file system";
    default:
        return fallback;
    }
}

bool file_fault(struct err *err, const char *path, const char *verb, const char *todo)
{
    int code = errno;
    err_set(err, code == ENOENT ? ERR_MISSING : ERR_IO, file_remedy(code, todo), "cannot %s: %s",
            verb, strerror(code));
    return err_at(err, path, 0, 0);
}

/* Sets @out to the directory part of @path; "." if there is none. */
static void directory_of(const char *path, struct str *out)
{
    const char *slash = strrchr(path, '/');

    str_clear(out);
    if (!slash)
        str_add(out, ".");
    else
        str_add_bytes(out, path, slash == path ? 1 : (size_t)(slash - path));
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Follows symbolic links from @path to the name to replace, which may be missing. Returns false
 * with err after more than LINKS_MAX links. */
static bool follow(const char *path, struct str *out, struct err *err)
{
    char link[PATH_MAX];
    struct str next = {0};
    bool ok = true;

    str_add(out, path);
    for (int links = 0; ok; links++) {
        ssize_t length = readlink(str_text(out), link, sizeof link - 1);
        if (length < 0)
            break;
        link[length] = '\0';
        if (links == LINKS_MAX) {
            errno = ELOOP;
            ok = file_fault(err, path, "write", NULL);
        }
        str_clear(&next);
        if (link[0] != '/') {
            directory_of(str_text(out), &next);
            str_add_char(&next, '/');
        }
        str_add(&next, link);
        str_clear(out);
        str_add(out, str_text(&next));
    }
    str_done(&next);
    return ok;
}

/* Returns the descriptor of this process that @path names (/dev/stdout, /dev/fd/N,
 * /proc/self/fd/N); -1: none. */
static int own_descriptor(const char *path)
{
    static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    struct str own = {0};
    int fd = -1;

    for (int i = 0; i < 3; i++)
        if (strcmp(path, standard[i]) == 0)
            return i;
    str_addf(&own, "/proc/%ld/fd/", (long)getpid());
    const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/", str_text(&own)};
    for (int i = 0; i < 3 && fd < 0; i++)
        if (str_has_prefix(path, prefixes[i])) {
            char *end;
            long value = strtol(path + strlen(prefixes[i]), &end, 10);
            fd = *end == '\0' && end > path + strlen(prefixes[i]) && value >= 0 && value <= INT_MAX
                     ? (int)value
                     : -1;
        }
    str_done(&own);
    return fd;
}

/* Writes to a device, pipe or descriptor directly, because a rename cannot replace it. */
static bool write_through(const char *path, int own, const void *bytes, size_t length,
                          struct err *err)
{
    int fd = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0)
                      : file_calls.open(AT_FDCWD, path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);

    if (fd >= 0 && file_stream_refused(path, fd, err)) {
        close(fd);
        return false;
    }
    bool ok = fd >= 0 && file_stream_put(fd, bytes, length);
    if (!ok)
        file_fault(err, path, "write", NULL);
    if (fd >= 0 && file_calls.close(fd) != 0 && ok)
        ok = file_fault(err, path, "write", NULL);
    return ok;
}

/* Replaces @name in @dir with a new file; on failure before the rename, nothing changes. @private:
 * the file gets the mode 0600. @path is for messages. */
static bool replace(int dir, const char *name, bool private, const char *path, const void *bytes,
                    size_t length, struct err *err)
{
    struct file_temporary t = {.fd = -1};

    file_temporary_collect(dir);
    if (!file_temporary_make(dir, name, private, &t))
        return file_fault(err, path, "write", "check the directory and its permissions");
    bool ok = file_temporary_fill(&t, dir, name, bytes, length);
    if (!ok)
        file_fault(err, path, "write", "the old contents are untouched");
    if (ok && file_calls.rename(dir, t.name, dir, name) != 0)
        ok = file_fault(err, path, "rename onto", "the old contents are untouched");
    if (!ok)
        file_calls.unlink(dir, t.name, 0);
    if (!file_temporary_close(&t) && ok)
        ok = file_fault(err, path, "write", "write the file again");
    if (ok && !file_calls_sync_directory(dir))
        ok = file_fault(err, path, "sync its directory", "write the file again");
    return ok;
}

static bool write_regular(const char *path, bool private, const void *bytes, size_t length,
                          struct err *err)
{
    struct str target = {0}, directory = {0};
    bool ok = false;

    if (private)   /* A private file replaces a link instead of following it. */
        str_add(&target, path);
    else if (!follow(path, &target, err))
        goto out;
    directory_of(str_text(&target), &directory);
    int dir =
        file_calls.open(AT_FDCWD, str_text(&directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    /* A directory that is writable but not readable cannot be synced. */
    if (dir < 0 && errno == EACCES)
        dir = file_calls.open(AT_FDCWD, str_text(&directory), O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (dir < 0) {
        file_fault(err, path, "write", "check the directory and its permissions");
        goto out;
    }
    ok = replace(dir, name_of(str_text(&target)), private, path, bytes, length, err);
    close(dir);
out:
    str_done(&target);
    str_done(&directory);
    return ok;
}

bool file_write(const char *path, const void *bytes, size_t length, struct err *err)
{
    const bool private = path_is_state(path);
    struct stat status;
    int own = own_descriptor(path);

    if (shortage_lost())
        return err_memory_write(err, path);
    if (own >= 0)
        return write_through(path, own, bytes, length, err);
    if ((private ? lstat(path, &status) : stat(path, &status)) != 0 || S_ISREG(status.st_mode) ||
        S_ISLNK(status.st_mode))
        return write_regular(path, private, bytes, length, err);
    return !file_stream_refused(path, -1, err) && write_through(path, -1, bytes, length, err);
}
