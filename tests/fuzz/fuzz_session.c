/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes as one file of a session directory. The first byte selects the file. The session must
 * load or be rejected with an error, and no other file may change. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_calls.h"
#include "cmd/session_file.h"

#include "common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Selects a kernel of text instead of a hex block. */
#define TEXT_LINES "kernel-lines.csv of a text"

static const char *const files[] = {"session.csv",
                                    "kernel.hex",
                                    "manifest.csv",
                                    "forms.csv",
                                    "experiments.csv",
                                    "overrides/skylake.csv",
                                    "machines/four/machine.csv",
                                    ".portolan-change",
                                    "machines/four/mapping.csv",
                                    "kernel-lines.csv",
                                    TEXT_LINES};
#define FILES (sizeof files / sizeof *files)

static void put(const char *dir, const char *name, const void *bytes, size_t length)
{
    char path[256];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (!(file = fopen(path, "wb")) || fwrite(bytes, 1, length, file) != length ||
        fclose(file) != 0)
        abort();
}

static void make(const char *dir)
{
    static const char *const parts[] = {"", "/overrides", "/machines", "/machines/four"};
    char path[256];

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s%s", dir, parts[i]);
        mkdir(path, 0777);
    }
    const char settings[] = "key,value\nversion,1\nmachine,skylake\nkernel,k\n",
               hex[] = "4801d84829c375f8\n";
    put(dir, "session.csv", settings, sizeof settings - 1);
    put(dir, "kernel.hex", hex, sizeof hex - 1);
    const char facts[] = "key,value,unit,source\nname,Four,,\nisa,x86-64,,\nports,0 1 2 3,,\n",
               mapping[] = "form,usage\n\"ADD (R64, R64)\",1*p01\n";
    put(dir, "machines/four/machine.csv", facts, sizeof facts - 1);
    put(dir, "machines/four/mapping.csv", mapping, sizeof mapping - 1);
}

static void put_one(const char *dir, const char *name, const void *bytes, size_t length)
{
    char hex[256];

    if (strcmp(name, TEXT_LINES) == 0) {
        snprintf(hex, sizeof hex, "%s/kernel.hex", dir);
        if (remove(hex) != 0)
            abort();
        put(dir, "kernel.s", "1: addq %rbx, %rax\njnz 1b\n", 26);
        put(dir, "kernel-source.txt", "loop\n", 5);
        name = "kernel-lines.csv";
    }
    put(dir, name, bytes, length);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)kind;
    (void)at;
    return remove(path);
}

/* Replaces fsync: the files need not survive a power failure. */
static int no_sync(int fd)
{
    (void)fd;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/tmp/fuzz-session-XXXXXX";
    struct session s;
    struct err err = {0};

    file_calls.sync = no_sync;
    use_few_forms();
    if (!size || !mkdtemp(dir))
        return 0;
    make(dir);
    put_one(dir, files[data[0] % FILES], data + 1, size - 1);
    session_init(&s);
    if (!session_load(&s, dir, &err) && !err.what[0])
        abort();
    /* Without a manifest, or with a foreign one, saving is rejected or replaces only the session's
     * files. */
    session_save(&s, dir, NULL);
    session_done(&s);
    return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 ? 0 : (abort(), 1);
}
