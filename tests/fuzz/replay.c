/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target on each named file, on each file of a named directory, and on about a hundred
 * mutations of each file. Does not use libFuzzer, so that every build can test the inputs that
 * libFuzzer found. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"

#define LIMIT ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *at_work = "";

static void on_abort(int number)
{
    (void)number;
    fprintf(stderr, "replay: %s\n", at_work);
}

/* Changes, deletes or duplicates a byte, or truncates the text. The copy has its exact size, so a
 * sanitizer detects reads past the end. */
static void damage(struct rng *rng, const struct str *from, struct str *to)
{
    size_t at = from->length ? rng_below(rng, (uint32_t)from->length) : 0;
    size_t length =
        from->length > at
            ? 1 + rng_below(rng, (uint32_t)(from->length - at < 16 ? from->length - at : 16))
            : 0;

    str_clear(to);
    str_add_bytes(to, str_text(from), at);
    switch (rng_below(rng, 4)) {
    case 0:
        str_add_char(to, (char)rng_below(rng, 256));
        break;
    case 1:
        break;
    case 2:
        str_add_bytes(to, str_text(from) + at, length);
        str_add_bytes(to, str_text(from) + at, length);
        break;
    default:
        return;   /* Truncates the text. */
    }
    str_add_bytes(to, str_text(from) + at + length, from->length - at - length);
}

static void give(const struct str *bytes)
{
    uint8_t *exact = mem_alloc(bytes->length + 1);
    memcpy(exact, str_text(bytes), bytes->length);
    uint8_t *sized = mem_resize(exact, bytes->length ? bytes->length : 1);
    LLVMFuzzerTestOneInput(sized, bytes->length);
    free(sized);
}

static bool replay(const char *path, unsigned rounds)
{
    struct str bytes = {0}, damaged = {0};
    struct err err = {0};
    struct rng rng;

    at_work = path;
    rng_seed(&rng, 1);
    if (!file_read(path, LIMIT, &bytes, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.what);
        return false;
    }
    give(&bytes);
    for (unsigned i = 0; i < rounds; i++) {
        damage(&rng, &bytes, &damaged);
        give(&damaged);
    }
    str_done(&bytes);
    str_done(&damaged);
    return true;
}

int main(int argc, char **argv)
{
    const char *text = getenv("REPLAY_ROUNDS");
    unsigned rounds = text ? (unsigned)strtoul(text, NULL, 10) : 100, files = 0;

    signal(SIGABRT, on_abort);
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        if (!dir && !replay(argv[i], rounds))
            return 1;
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (!replay(path, rounds))
                return 1;
            files++;
        }
        if (dir)
            closedir(dir);
    }
    printf("%u files, %u damaged versions of each\n", files, rounds);
    return files ? 0 : 1;
}
