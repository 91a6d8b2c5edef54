/* Port mapping: ports, and usage and latency of each instruction form (three-level model, PMEvo
 * Definition 4). */
#ifndef PORTOLAN_MODEL_MAPPING_H
#define PORTOLAN_MODEL_MAPPING_H

#include "base/index.h"
#include "model/usage.h"

struct mapping_entry {
    char *form;         /* canonical name */
    struct usage usage;
    double latency;     /* cycles; NaN: unknown */
    /* number of issued µops in the fused domain of the source; 0: unknown, and the number of the
     * usage's µops is used */
    unsigned micro_ops;
    char *source;       /* source of the data; "": the source of the mapping */
};

struct mapping;

/* A row of a mapping in read-only memory (io/machine_image.h). Its members are offsets and indices
 * in the arrays of mapping_rows. */
struct mapping_row {
    uint32_t form, source;   /* offsets in the table of strings */
    uint32_t uops;           /* index of the first µop */
    uint16_t uop_count;
    uint16_t latency;        /* index of the latency in latencies */
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
    const struct index_slot *slots;   /* hash slots of the forms (hash_fixed) */
    size_t slot_count;
};

struct mapping *mapping_new(const struct ports *ports);
void mapping_free(struct mapping *m);
/* Makes a mapping whose entries are borrowed from @rows until they are replaced. Returns NULL if
 * memory is exhausted. */
struct mapping *mapping_of_rows(const struct ports *ports, const struct mapping_rows *rows);
/* Fills the empty @out with the stored hash slots of the forms. index_done frees @out. */
void mapping_index_rows(const struct mapping *m, struct index *out);
/* Returns whether @a and @b borrow entry @index from the same read-only rows. The entry is then
 * equal in both. Entries that are not shared may also be equal. */
bool mapping_shares(const struct mapping *a, const struct mapping *b, size_t index);
struct mapping *mapping_copy(const struct mapping *m);
const struct ports *mapping_ports(const struct mapping *m);
size_t mapping_count(const struct mapping *m);
/* Returns the issue slots per cycle for the forms' micro_ops. In an inferred mapping, an experiment
 * takes at least the sum of its micro_ops / width cycles. 0 (the default): no such bound. */
double mapping_issue_width(const struct mapping *m);
void mapping_set_issue_width(struct mapping *m, double width);
/* Returns entry @index in order of insertion, which is valid until the mapping changes. */
const struct mapping_entry *mapping_at(const struct mapping *m, size_t index);
/* Returns the entry of @form; NULL: none. Any thread, while no thread changes the mapping. */
const struct mapping_entry *mapping_find(const struct mapping *m, const char *form);
/* Appends usage and latency of an entry, such as "1*p0156, latency 1". An empty usage is "no
 * port". */
void mapping_entry_print(const struct mapping *m, const struct mapping_entry *entry,
                         struct str *out);
/* Returns the confidence of the usage, 0 to 1, from its source. Returns NaN if it was not
 * inferred. */
double mapping_entry_confidence(const struct mapping_entry *entry);
/* Returns whether @source denotes an estimate: it begins with "estimate", or is the source of a
 * charted usage with unexplained experiments. */
bool source_is_estimate(const char *source);
/* Returns the index of @form; SIZE_MAX: none. */
size_t mapping_index(const struct mapping *m, const char *form);
/* Adds or replaces an entry with a copy of @entry. If memory is exhausted, the entry is omitted and
 * the thread's command fails (base/shortage.h). */
void mapping_set(struct mapping *m, const struct mapping_entry *entry);
/* Returns the block of memory that a caller derived from all entries and passed to
 * mapping_keep_derived, borrowed. Returns NULL if no block was stored since the last change of an
 * entry. Any thread, while no thread changes the mapping. */
const void *mapping_derived(const struct mapping *m);
/* Stores @take_block (allocated with malloc), unless another thread has already stored a block.
 * Returns the stored block. */
const void *mapping_keep_derived(const struct mapping *m, void *take_block);
/* Drops the derived block. Call it after changes, outside of the mapping, of data on which the
 * block depends. */
void mapping_drop_derived(struct mapping *m);
/* Returns whether both mappings have the same ports, issue width, forms (any order), usages and
 * latencies. */
bool mapping_equal(const struct mapping *a, const struct mapping *b);
/* Returns the number of distinct port sets in all usages. */
size_t mapping_distinct_uops(const struct mapping *m);
uint64_t mapping_volume(const struct mapping *m);
/* Returns false with err for more than PORTSETS_MAX distinct port sets. Readers reject such a
 * mapping, because the throughput engine does not support it. */
bool mapping_check(const struct mapping *m, struct err *err);

#endif
