/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of ELF files and archives. Sections and symbols must be within the
 * code, or an error must be set. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "toolchain/archive.h"
#include "toolchain/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_parts(const char *path, unsigned parts)
{
    struct object o;
    struct err err = {0};

    bool ok = object_read(path, parts, &o, &err);
    if (!ok && !err.what[0])
        abort();
    for (size_t i = 0; ok && i < o.sections.count; i++)
        if (o.together && o.sections.items[i].offset + o.sections.items[i].size > o.length)
            abort();
    for (size_t i = 0; ok && i < o.symbols.count; i++)
        if (o.symbols.items[i].offset > o.symbols.items[i].limit ||
            o.symbols.items[i].size > o.symbols.items[i].limit - o.symbols.items[i].offset)
            abort();
    object_done(&o);
}

/* Checks that members are within the archive, and reads each. */
static void read_members(const char *path)
{
    struct archive a;
    struct err err = {0};
    struct stat status;

    if (stat(path, &status) != 0)
        abort();
    const bool ok = archive_read(path, &a, &err);
    if (!ok && !err.what[0])
        abort();
    for (size_t i = 0; ok && i < a.members.count; i++) {
        const struct archive_member *m = &a.members.items[i];
        struct object o;
        struct err fault = {0};
        if (m->offset > (uint64_t)status.st_size || m->size > (uint64_t)status.st_size - m->offset)
            abort();
        if (i < 16)
            object_read_member(m, OBJECT_FUNCTIONS, &o, &fault), object_done(&o);
        if (archive_find(&a, m->spec, &fault) != m)
            abort();
    }
    archive_done(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("object", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (archive_is(path))
        read_members(path);
    read_parts(path, OBJECT_LINES);
    read_parts(path, OBJECT_FUNCTIONS);
    kernel_free(kernel_load(path, NULL, NULL));   /* Loading the kernel also runs libdw in a child
                                                   * process. */
    close(fd);
    return 0;
}
