/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the machines and the processor table of a data directory as an image (io/machine_image.h)
 * in C.
 *
 *     compile-tables DIRECTORY > machine_images.c
 *
 * A machine that does not load without warnings is omitted. Its text is parsed at run time, which
 * prints the message. A machine with a base is also omitted, because the files of the base would
 * also have to be unchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/names.h"
#include "base/vec.h"
#include "io/cpus.h"
#include "io/machine_file.h"
#include "io/machine_image.h"

/* This program itself contains no image. */
const unsigned char machine_images[1];
const size_t machine_images_size;

/* A set of distinct byte sequences, with indexes into @bytes. */
struct pool {
    struct str bytes;
    struct names keys;         /* printed keys of the items in @bytes */
    VEC(uint32_t) places;      /* position of each item by key number */
};

static struct pool texts, usages, latencies;
static struct str image;

/* Returns the position in @bytes of @p of the item with key @key. Adds a new item. */
static uint32_t pool_add(struct pool *p, const char *key, const void *bytes, size_t length)
{
    uint32_t number = names_add(&p->keys, key);

    if (number == p->places.count) {
        vec_push(&p->places, (uint32_t)p->bytes.length);
        str_add_bytes(&p->bytes, bytes, length);
    }
    return p->places.items[number];
}

static void pool_done(struct pool *p)
{
    str_done(&p->bytes);
    names_done(&p->keys);
    vec_done(&p->places);
}

static uint32_t text_at(const char *text)
{
    return pool_add(&texts, text, text, strlen(text) + 1);
}

static uint32_t usage_at(const struct usage *usage, const struct ports *all)
{
    struct str key = {0};
    usage_print(usage, all, &key);
    uint32_t at =
        pool_add(&usages, str_text(&key), usage->uops, usage->count * sizeof *usage->uops);
    str_done(&key);
    return at / (uint32_t)sizeof(struct uop);
}

static uint16_t latency_at(double cycles)
{
    char key[64];
    snprintf(key, sizeof key, "%a", cycles);
    uint32_t at = pool_add(&latencies, key, &cycles, sizeof cycles) / (uint32_t)sizeof cycles;
    if (at > UINT16_MAX)
        die("more different latencies than an image can hold");
    return (uint16_t)at;
}

/* Appends the bytes to the image at a multiple of 64 and returns their position. */
static uint32_t place(const void *bytes, size_t length)
{
    while (image.length % 64)
        str_add_char(&image, '\0');
    uint32_t at = (uint32_t)image.length;
    str_add_bytes(&image, bytes, length);
    return at;
}

static uint32_t place_rows(const struct mapping *mapping, const struct ports *all)
{
    size_t count = mapping_count(mapping);
    struct mapping_row *rows = mem_zero(count + 1, sizeof *rows);

    for (size_t i = 0; i < count; i++) {
        const struct mapping_entry *entry = mapping_at(mapping, i);
        rows[i] = (struct mapping_row){text_at(entry->form),         text_at(entry->source),
                                       usage_at(&entry->usage, all), (uint16_t)entry->usage.count,
                                       latency_at(entry->latency),   entry->micro_ops};
    }
    uint32_t at = place(rows, count * sizeof *rows);
    free(rows);
    return at;
}

static uint32_t place_facts(const struct machine *m)
{
    struct image_fact *facts = mem_zero(m->fact_count + 1, sizeof *facts);

    for (size_t i = 0; i < m->fact_count; i++) {
        const struct machine_fact *fact = &m->facts[i];
        facts[i] = (struct image_fact){text_at(fact->key), text_at(fact->value),
                                       text_at(fact->unit), text_at(fact->source)};
    }
    uint32_t at = place(facts, m->fact_count * sizeof *facts);
    free(facts);
    return at;
}

static uint32_t place_rules(const struct machine *m)
{
    struct image_rule *rules = mem_zero(m->latency_count + 1, sizeof *rules);

    for (size_t i = 0; i < m->latency_count; i++) {
        const struct latency_rule *rule = &m->latencies[i];
        rules[i] = (struct image_rule){rule->cycles, text_at(rule->form), text_at(rule->source),
                                       rule->from, rule->to};
    }
    uint32_t at = place(rules, m->latency_count * sizeof *rules);
    free(rules);
    return at;
}

/* Adds a machine. Returns false if it is omitted. */
static bool add_machine(const char *dir, struct image_machine *out)
{
    struct err err = {0};
    char text[2048];
    struct ports all;   /* Keys of usages use port bits, regardless of the machine's port names. */
    struct index slots = {0};
    size_t warnings = log_count();
    struct machine *m = machine_load(dir, &err);

    if (!m || log_count() != warnings || !machine_image_sum(dir, out->sum)) {
        fprintf(stderr, "compile-tables: %s is left out: %s\n", dir,
                m ? "it loads with warnings" : err_text(&err, text, sizeof text));
        machine_free(m);
        return false;
    }
    if (machine_fact(m, "base")) {
        machine_free(m);
        return false;
    }
    ports_number(&all, PORTS_MAX);
    out->ports = *mapping_ports(m->mapping);
    out->issue_width = mapping_issue_width(m->mapping);
    out->title = text_at(m->title);
    out->isa = text_at(m->isa);
    out->rows = place_rows(m->mapping, &all);
    out->row_count = (uint32_t)mapping_count(m->mapping);
    mapping_index_rows(m->mapping, &slots);
    out->slots = place(slots.slots, slots.slot_count * sizeof *slots.slots);
    out->slot_count = (uint32_t)slots.slot_count;
    index_done(&slots);
    out->facts = place_facts(m);
    out->fact_count = (uint32_t)m->fact_count;
    out->rules = place_rules(m);
    out->rule_count = (uint32_t)m->latency_count;
    machine_free(m);
    return true;
}

/* Adds the table of processors. Omits it if it cannot be read. */
static void add_cpus(const char *dir, struct image_header *header)
{
    struct err err = {0};
    struct str path = {0}, bytes = {0};
    VEC(uint32_t) cells = {0};

    str_addf(&path, "%s/cpus.csv", dir);
    struct cpus *cpus =
        file_read(str_text(&path), CPUS_LIMIT, &bytes, &err) ? cpus_load(&err) : NULL;
    if (!cpus)
        fprintf(stderr, "compile-tables: %s is left out: %s\n", str_text(&path), err.what);
    for (size_t i = 0; cpus && i < cpus->count; i++)
        for (int k = 0; k < CPUS_COLUMNS; k++)
            vec_push(&cells, text_at(cpus->rows[i][k]));
    header->cpu_count = cpus ? (uint32_t)cpus->count : 0;
    header->cpus = place(cells.items, cells.count * sizeof *cells.items);
    machine_image_sum_text(bytes.data, bytes.length, header->cpus_sum);
    cpus_free(cpus);
    vec_done(&cells);
    str_done(&bytes);
    str_done(&path);
}

/* Prints the image as one string literal, which compilers read much faster than lists of numbers.
 * Octal escapes have three digits, because a following digit would otherwise be part of them. */
static void print(void)
{
    puts("/* Made by tools/compile-tables from data/machines and data/cpus.csv. */\n#include "
         "\"io/machine_image.h\"\n");
    puts("_Alignas(64) const unsigned char machine_images[] =");
    for (size_t i = 0; i < image.length; i++) {
        unsigned char byte = (unsigned char)image.data[i];
        if (i % 64 == 0)
            fputs(i ? "\"\n\"" : "\"", stdout);
        if (byte >= ' ' && byte < 127 && byte != '"' && byte != '\\' && byte != '?')
            putchar(byte);
        else
            printf("\\%03o", byte);
    }
    printf("\";\nconst size_t machine_images_size = %zu;\n", image.length);
}

int main(int argc, char **argv)
{
    VEC(struct image_machine) machines = {0};
    struct image_header header = {0};
    struct str dir = {0};

    if (argc != 2) {
        fputs("usage: compile-tables DIRECTORY > machine_images.c\n", stderr);
        return 2;
    }
    setenv("PORTOLAN_DATA", argv[1], 1);
    char **ids = machine_ids();
    place(&header, sizeof header);
    for (size_t i = 0; ids[i]; i++) {
        struct image_machine machine;
        memset(&machine, 0, sizeof machine);
        str_clear(&dir);
        str_addf(&dir, "%s/machines/%s", argv[1], ids[i]);
        if (add_machine(str_text(&dir), &machine))
            vec_push(&machines, machine);
        free(ids[i]);
    }
    free(ids);
    add_cpus(argv[1], &header);
    header.machine_count = (uint32_t)machines.count;
    header.machines = place(machines.items, machines.count * sizeof *machines.items);
    header.texts_size = (uint32_t)texts.bytes.length;
    header.texts = place(texts.bytes.data, texts.bytes.length);
    header.uop_count = (uint32_t)(usages.bytes.length / sizeof(struct uop));
    header.uops = place(usages.bytes.data, usages.bytes.length);
    header.latency_count = (uint32_t)(latencies.bytes.length / sizeof(double));
    header.latencies = place(latencies.bytes.data, latencies.bytes.length);
    memcpy(image.data, &header, sizeof header);
    print();
    vec_done(&machines);
    pool_done(&texts);
    pool_done(&usages);
    pool_done(&latencies);
    str_done(&image);
    str_done(&dir);
    return fflush(stdout) != 0 || ferror(stdout);
}
