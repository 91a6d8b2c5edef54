/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/machine_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* size in bytes of the buffer on the stack; it is small, because a page fault costs more than a
 * read */
#define BLOCK ((size_t)16 << 10)
#define STRIPE (8 * sizeof(uint64_t))
#define FACTOR 0x9e3779b97f4a7c15u

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * FACTOR;
    return sum ^ sum >> 29;
}

static uint64_t mix_two(uint64_t sum, uint64_t first, uint64_t second)
{
    unsigned __int128 product = (unsigned __int128)(first ^ FACTOR) * (second ^ sum);
    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ sum << 1;
}

/* Updates four independent sums, whose multiplications overlap. @length is a multiple of STRIPE. */
static void sum_bytes(uint64_t sums[4], const unsigned char *bytes, size_t length)
{
    for (size_t at = 0; at < length; at += STRIPE) {
        uint64_t words[8];
        memcpy(words, bytes + at, STRIPE);
        for (int i = 0; i < 4; i++)
            sums[i] = mix_two(sums[i], words[2 * i], words[2 * i + 1]);
    }
}

/* Reads up to @size bytes. Returns -1 on an error. */
static ssize_t read_block(int file, unsigned char *out, size_t size)
{
    size_t length = 0;

    while (length < size) {
        ssize_t n = read(file, out + length, size - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    return (ssize_t)length;
}

static bool sum_file(int file, uint64_t sums[4])
{
    unsigned char block[BLOCK];
    uint64_t total = 0;
    ssize_t length;

    do {
        length = read_block(file, block, BLOCK);
        if (length < 0)
            return false;
        size_t whole = ((size_t)length + STRIPE - 1) / STRIPE * STRIPE;
        memset(block + length, 0, whole - (size_t)length);
        sum_bytes(sums, block, whole);
        total += (uint64_t)length;
    } while ((size_t)length == BLOCK);
    sums[0] = mix(sums[0], total);
    return true;
}

bool machine_image_sum(const char *dir, uint64_t sum[2])
{
    static const char *const names[] = {"machine.csv",   "facts.csv",     "mapping.csv",
                                        "overrides.csv", "latencies.csv", "advances.csv"};
    uint64_t sums[4] = {1, 2, 3, 4};
    struct str path = {0};
    bool ok = true;

    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        str_clear(&path);
        str_addf(&path, "%s/%s", dir, names[i]);
        int file = open(str_text(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        sums[1] = mix(sums[1], file >= 0);
        ok = file >= 0 ? sum_file(file, sums) : errno == ENOENT;
        if (file >= 0)
            close(file);
    }
    sum[0] = mix(sums[0], sums[1]);
    sum[1] = mix(sums[2], sums[3]);
    str_done(&path);
    return ok;
}

void machine_image_sum_text(const char *text, size_t length, uint64_t sum[2])
{
    uint64_t sums[4] = {1, 2, 3, 4};
    unsigned char last[STRIPE] = {0};
    size_t whole = length / STRIPE * STRIPE;

    sum_bytes(sums, (const unsigned char *)text, whole);
    if (length > whole)
        memcpy(last, text + whole, length - whole);
    sum_bytes(sums, last, STRIPE);
    sums[0] = mix(sums[0], length);
    sum[0] = mix(sums[0], sums[1]);
    sum[1] = mix(sums[2], sums[3]);
}

size_t machine_image_cpus(const char *text, size_t length, const uint32_t **cells,
                          const char **texts)
{
    const struct image_header *image = (const void *)machine_images;
    uint64_t sum[2];

    if (machine_images_size < sizeof *image)
        return 0;
    machine_image_sum_text(text, length, sum);
    *cells = (const void *)(machine_images + image->cpus);
    *texts = (const char *)machine_images + image->texts;
    return sum[0] == image->cpus_sum[0] && sum[1] == image->cpus_sum[1] ? image->cpu_count : 0;
}

static const struct image_machine *find(const struct image_header *image, const uint64_t sum[2])
{
    const struct image_machine *machines = (const void *)(machine_images + image->machines);

    for (uint32_t i = 0; i < image->machine_count; i++)
        if (machines[i].sum[0] == sum[0] && machines[i].sum[1] == sum[1])
            return &machines[i];
    return NULL;
}

static struct machine *build(const char *id, const struct image_header *image,
                             const struct image_machine *from)
{
    const unsigned char *start = machine_images;
    const char *texts = (const char *)start + image->texts;
    const struct image_fact *facts = (const void *)(start + from->facts);
    const struct image_rule *rules = (const void *)(start + from->rules);
    const struct mapping_rows rows = {
        (const void *)(start + from->rows),
        from->row_count,
        texts,
        image->texts_size,
        (const void *)(start + image->uops),
        image->uop_count,
        (const void *)(start + image->latencies),
        (const void *)(start + from->slots),
        from->slot_count,
    };
    struct mapping *mapping = mapping_of_rows(&from->ports, &rows);

    if (!mapping)
        return NULL;
    struct machine *m = mem_zero(1, sizeof *m);
    m->id = mem_strdup(id);
    m->title = mem_strdup(texts + from->title);
    m->isa = mem_strdup(texts + from->isa);
    m->mapping = mapping;
    mapping_set_issue_width(m->mapping, from->issue_width);
    for (uint32_t i = 0; i < from->fact_count; i++)
        machine_set_fact(m, texts + facts[i].key, texts + facts[i].value, texts + facts[i].unit,
                         texts + facts[i].source);
    m->latencies = mem_alloc(from->rule_count * sizeof *m->latencies);
    m->latency_count = from->rule_count;
    for (uint32_t i = 0; i < from->rule_count; i++)
        m->latencies[i] =
            (struct latency_rule){texts + rules[i].form, rules[i].from,           rules[i].to,
                                  rules[i].cycles,       texts + rules[i].source, .lent = true};
    return m;
}

bool machine_image_load(const char *id, const char *dir, struct machine **out, struct err *err)
{
    const struct image_header *image = (const void *)machine_images;
    uint64_t sum[2];

    *out = NULL;
    if (machine_images_size < sizeof *image || !machine_image_sum(dir, sum))
        return true;
    const struct image_machine *from = find(image, sum);
    if (from && !(*out = build(id, image, from)))
        return err_memory_for(err, id, from->row_count * sizeof(struct mapping_entry));
    return true;
}
