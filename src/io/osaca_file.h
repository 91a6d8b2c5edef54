/* What an OSACA machine file says, before its forms are matched with ours. Internal to the importer. */
#ifndef PORTOLAN_IO_OSACA_FILE_H
#define PORTOLAN_IO_OSACA_FILE_H

#include "base/vec.h"
#include "io/yaml_tree.h"
#include "isa/x86/att_name.h"
#include "model/usage.h"

/* What an entry says of a part of an address. */
enum osaca_part { PART_ANY, PART_NO, PART_YES };

struct osaca_pattern {
    bool never;                  /* a class that x86 forms do not have */
    enum att_class class;
    char name[16];               /* register class, "*" for any; of memory the index's */
    bool mask;
    enum osaca_part base, index, scale, offset;
};

struct osaca_entry {
    const yaml_node_t *node;
    struct osaca_pattern operands[ATT_OPERANDS];
    unsigned count;
    bool known;                  /* it has a port pressure */
    bool rounded, used;
    struct usage usage;
    double latency;
    unsigned micro_ops;
};

/* A line of load_throughput or store_throughput. */
struct osaca_rule {
    struct osaca_pattern address;
    char class[16];              /* dst or src register class, "" for any */
    struct usage usage;
    bool rounded;
};

struct osaca_name { char *name; size_t entry; };

struct osaca_file {
    struct yaml_tree tree;
    struct err *err;
    struct ports ports;
    VEC(struct osaca_entry) entries;
    VEC(struct osaca_name) names;           /* sorted */
    VEC(struct osaca_rule) loads, stores;   /* the default comes last */
    struct { char class[16]; double cycles; } load_latency[8];
    unsigned load_latency_count;
};

/* Where OSACA's machine files keep what we call facts; import and export both go by it. */
struct osaca_fact { const char *map, *key, *fact; };   /* @map: the mapping at the top that holds the key; NULL: the top itself */
extern const struct osaca_fact osaca_facts[];          /* ends with a NULL key */

/* Reads all of it; @name and @text must outlive @out. osaca_file_done frees @out in both cases. False with err at line and column. */
bool osaca_file_read(struct osaca_file *out, const char *name, const char *text, size_t length, struct err *err);
void osaca_file_done(struct osaca_file *f);
/* A number from 0 up, NaN for a null; false for anything else. */
bool osaca_number(const yaml_node_t *node, double *out);

#endif
