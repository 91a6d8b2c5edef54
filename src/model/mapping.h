/* Port mapping: ports, and per instruction form its usage and latency (three-level model, PMEvo
 * Definition 4). */
#ifndef PORTOLAN_MODEL_MAPPING_H
#define PORTOLAN_MODEL_MAPPING_H

#include "base/index.h"
#include "model/usage.h"

struct mapping_entry {
    char *form;         /* canonical name */
    struct usage usage;
    double latency;     /* cycles; NaN: unknown */
    /* µops issued (in the source's fused domain); 0: unknown (the usage's count) */
    unsigned micro_ops;
    char *source;       /* source of the data; "": the mapping's own */
};

struct mapping;

/* A mapping in memory for the whole run (io/machine_image.h): offsets into its parts. */
struct mapping_row {
    uint32_t form, source;   /* into texts */
    uint32_t uops;           /* index of the first */
    uint16_t uop_count;
    uint16_t latency;        /* index */
    uint32_t micro_ops;
};

struct mapping_rows {
    const struct mapping_row *rows;
    size_t count;
    const char *texts;
    size_t texts_size;
    const struct uop *uops;
    size_t uop_count;
    const double *latencies;
    const struct index_slot *slots;   /* of the forms, by hash_fixed */
    size_t slot_count;
};

struct mapping *mapping_new(const struct ports *ports);
void mapping_free(struct mapping *m);
/* Makes a mapping that borrows from @rows until an entry is replaced. NULL when memory runs out. */
struct mapping *mapping_of_rows(const struct ports *ports, const struct mapping_rows *rows);
/* Fills the empty @out with the stored slots of the forms; index_done frees them. */
void mapping_index_rows(const struct mapping *m, struct index *out);
struct mapping *mapping_copy(const struct mapping *m);
const struct ports *mapping_ports(const struct mapping *m);
size_t mapping_count(const struct mapping *m);
/* Slots per cycle for the forms' micro_ops, an additional bound of micro_ops / width cycles, which
 * no port set expresses (for an inferred mapping). 0, the default: none. */
double mapping_issue_width(const struct mapping *m);
void mapping_set_issue_width(struct mapping *m, double width);
/* Returns entries in order of insertion; valid until the mapping changes. */
const struct mapping_entry *mapping_at(const struct mapping *m, size_t index);
/* Returns the entry or NULL. Any thread, while no thread changes the mapping. */
const struct mapping_entry *mapping_find(const struct mapping *m, const char *form);
/* Appends "1*p0156, latency 1" of an entry of @m; "no port" if it has none. */
void mapping_entry_print(const struct mapping *m, const struct mapping_entry *entry,
                         struct str *out);
/* Confidence of the usage by its source, 0 to 1; NaN if not inferred. */
double mapping_entry_confidence(const struct mapping_entry *entry);
/* Returns whether @source marks an estimate: it begins with that word, or is a chart's with
 * unexplained experiments. */
bool source_is_estimate(const char *source);
/* Returns an index for mapping_at, or SIZE_MAX. */
size_t mapping_index(const struct mapping *m, const char *form);
/* Adds or replaces; copies @entry. When memory runs out the entry is omitted, and this thread's
 * work fails (base/shortage.h). */
void mapping_set(struct mapping *m, const struct mapping_entry *entry);
/* Same ports, issue width, forms (any order), usages and latencies. */
bool mapping_equal(const struct mapping *a, const struct mapping *b);
/* Number of distinct port sets over all usages. */
size_t mapping_distinct_uops(const struct mapping *m);
uint64_t mapping_volume(const struct mapping *m);
/* Returns false for more than PORTSETS_MAX distinct sets: readers refuse such a mapping, so that
 * the throughput engine accepts all. */
bool mapping_check(const struct mapping *m, struct err *err);

#endif
