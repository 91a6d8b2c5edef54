/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reading of ELF files: sections and symbols lie within the code, or there is a reason. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "toolchain/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One reading with @parts. */
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
        if (o.symbols.items[i].offset > o.symbols.items[i].limit || o.symbols.items[i].size > o.symbols.items[i].limit - o.symbols.items[i].offset)
            abort();
    object_done(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("object", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_parts(path, OBJECT_LINES);
    read_parts(path, OBJECT_FUNCTIONS);
    kernel_free(kernel_load(path, NULL, NULL));
    close(fd);
    return 0;
}
