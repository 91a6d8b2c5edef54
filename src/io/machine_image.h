/* The shipped machines as the loader of data/machines/<id>/ leaves them, made at build time
 * (tools/compile-tables.c): parsing the text takes longer than analysing a loop. The text stays the
 * source. A directory's files are summed at each load; the image is used only if the sum is that of
 * the files it was made from, else the text is parsed. The table of processors, which each start
 * reads, is treated alike. */
#ifndef PORTOLAN_IO_MACHINE_IMAGE_H
#define PORTOLAN_IO_MACHINE_IMAGE_H

#include "model/machine.h"

/* Places in an image are bytes from its start, texts are offsets into its texts; all numbers as
 * this host has them. */
struct image_header {
    uint32_t machines, machine_count;   /* struct image_machine */
    uint32_t texts, texts_size;         /* zero-terminated, each once */
    uint32_t uops, uop_count;           /* struct uop; equal usages once */
    uint32_t latencies, latency_count;  /* double, each once */
    uint32_t cpus, cpu_count;           /* rows of data/cpus.csv, CPUS_COLUMNS texts each */
    uint64_t cpus_sum[2];               /* of that file */
};

struct image_machine {
    uint64_t sum[2];                    /* of its files */
    struct ports ports;
    double issue_width;                 /* mapping_issue_width */
    uint32_t title, isa;                /* texts */
    uint32_t rows, row_count;           /* struct mapping_row */
    uint32_t slots, slot_count;         /* struct index_slot */
    uint32_t facts, fact_count;         /* struct image_fact */
    uint32_t rules, rule_count;         /* struct image_rule */
};

struct image_fact {
    uint32_t key, value, unit, source;
};

struct image_rule {
    double cycles;
    uint32_t form, source;
    int32_t from, to;
};

/* The built-in image; size 0 (built for another host): none. */
extern const unsigned char machine_images[];
extern const size_t machine_images_size;

/* Sums the files of machine directory @dir, those that are not there too: equal files, equal sum.
 * False when one cannot be read. */
bool machine_image_sum(const char *dir, uint64_t sum[2]);
/* Sums text as machine_image_sum does a file. */
void machine_image_sum_text(const char *text, size_t length, uint64_t sum[2]);
/* Rows of the table of processors when @text is the image's source, 0 otherwise: *@cells are
 * offsets into *@texts, row by row. */
size_t machine_image_cpus(const char *text, size_t length, const uint32_t **cells,
                          const char **texts);
/* The machine of the directory @dir, called @id, into *@out: NULL when its files are not those of
 * an image. False with err when memory runs out. Any thread. */
bool machine_image_load(const char *id, const char *dir, struct machine **out, struct err *err);

#endif
