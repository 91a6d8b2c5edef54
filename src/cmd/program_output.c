/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/program_output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define PREFIX "portolan-output-"
/* Minimum age of a removed file. The user may read a file that a result names after this program
 * has ended. */
#define KEPT_SECONDS (24.0 * 3600)

/* Removes the user's output files in @base that were last written more than KEPT_SECONDS ago. */
static void collect(const char *base)
{
    DIR *dir = file_open_directory(base);
    struct stat about;

    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (str_has_prefix(entry->d_name, PREFIX) &&
            fstatat(dirfd(dir), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
            difftime(time(NULL), about.st_mtime) > KEPT_SECONDS)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
}

bool program_output_choose(struct program_output *o, const char *given, struct err *err)
{
    const char *base = getenv("TMPDIR");
    struct str path = {0};

    if (given) {
        o->path = mem_strdup(given);
        return true;
    }
    if (!base || *base != '/')
        base = "/tmp";
    collect(base);
    str_addf(&path, "%s/" PREFIX "XXXXXX", base);
    o->path = str_take(&path);
    int fd = mkstemp(o->path);
    if (fd < 0)
        return file_fault(err, o->path, "make",
                          "set TMPDIR to a writable directory, or use --output FILE");
    close(fd);
    o->own = true;
    return true;
}

bool program_output_any(const struct program_output *o)
{
    struct stat status;
    return o->path && stat(o->path, &status) == 0 && status.st_size > 0;
}

void program_output_drop(struct program_output *o)
{
    if (o->own)
        unlink(o->path);
    o->own = false;
}

void program_output_done(struct program_output *o)
{
    program_output_drop(o);
    free(o->path);
    o->path = NULL;
}
