/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/program_output.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

bool program_output_choose(struct program_output *o, const char *given, struct err *err)
{
    const char *base = getenv("TMPDIR");
    struct str path = {0};

    if (given) {
        o->path = mem_strdup(given);
        return true;
    }
    str_addf(&path, "%s/portolan-output-XXXXXX", base && *base == '/' ? base : "/tmp");
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
