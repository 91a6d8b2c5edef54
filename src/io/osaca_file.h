/* Contents of an OSACA machine file, before its forms are matched with ours. Internal to the
 * importer. */
#ifndef PORTOLAN_IO_OSACA_FILE_H
#define PORTOLAN_IO_OSACA_FILE_H

#include "base/vec.h"
#include "io/yaml_tree.h"
#include "isa/isa.h"
#include "isa/spelling.h"
#include "model/usage.h"

#define OSACA_NAME 32   /* kept length of an entry's name */

/* An entry or rule that breaks the format: its line in the file, its first name, "" without one,
 * and the reason. */
struct osaca_skip { size_t line; char name[OSACA_NAME], why[120]; };

/* An entry that describes no form of ours: its line in the file, its first name, and why, which
 * lasts. */
struct osaca_unused { size_t line; char name[OSACA_NAME]; const char *why; };

struct osaca_notes {
    size_t entries;      /* instruction forms in the file */
    size_t direct;       /* our forms that an entry describes */
    /* our forms composed of a register form and load_throughput or store_throughput */
    size_t composed;
    /* our forms with a fraction of a cycle in their pressure, rounded to whole cycles */
    size_t rounded;
    size_t unnamed;      /* entries that no form of ours is, or that others hide */
    /* entries without ports, or with an empty list of them and no throughput */
    size_t unknown;
    /* skipped entries, including rules of load_throughput and store_throughput */
    struct osaca_skip *skipped;
    size_t skipped_count;
    struct osaca_unused *unused;  /* the unnamed and the unknown, in the order of the file */
    size_t unused_count;
};

/* An entry's constraint on a part of an address. */
enum osaca_part { PART_ANY, PART_NO, PART_YES };

struct osaca_pattern {
    bool never;                  /* a class that no form has */
    enum spelled_class class;
    char name[16];               /* register class, "*" for any; of memory the index's */
    char base_name[16];          /* of memory: the base's */
    char shape[16];              /* AArch64: of the elements, "*" for any, "" for none */
    bool mask;
    enum osaca_part base, index, scale, offset, pre, post;
};

struct osaca_entry {
    const yaml_node_t *node;
    struct osaca_pattern operands[SPELLING_OPERANDS];
    unsigned count;
    bool known;                  /* it has its port pressure */
    bool rounded;
    bool used;                   /* it describes a form */
    bool fits;                   /* it describes one, or would if no entry went before it */
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
    bool last;                   /* the default: for any address and register */
};

/* OSACA makes entries of a list of names, placed after all others. */
struct osaca_name { char *name; size_t entry; bool listed; };

/* A number for each register class: OSACA's {gpr: 4.0, xmm: 5.0}. */
struct osaca_numbers {
    struct { char class[16]; double value; } items[16];
    unsigned count;
};

struct osaca_file {
    struct yaml_tree tree;
    struct err *err;
    enum isa isa;
    struct ports ports;
    VEC(struct osaca_entry) entries;
    VEC(struct osaca_name) names;           /* sorted */
    size_t names_read;                      /* those of entries that were left out among them */
    VEC(struct osaca_rule) loads, stores;   /* the default comes last */
    struct osaca_numbers load_latency;
    /* how often a rule's pressure counts for a register class */
    struct osaca_numbers load_times, store_times;
    VEC(struct osaca_skip) skipped;
    bool masks;                             /* registers of AVX-512 occur */
};

/* Keys of OSACA's machine files for our facts; used by import and export. */
struct osaca_fact {
    const char *key, *fact;
    bool added;      /* OSACA adds it to other numbers: 0 if unknown */
    bool ours;       /* a key that OSACA does not know: left out if unknown */
};
extern const struct osaca_fact osaca_facts[];          /* ends with a NULL key */

/* Reads all of it but entries and rules that break the format, which it lists; @name and @text must
 * outlive @out. osaca_file_done frees @out in both cases. False with err at line and column. */
bool osaca_file_read(struct osaca_file *out, const char *name, const char *text, size_t length,
                     struct err *err);
void osaca_file_done(struct osaca_file *f);
/* The first name of the entry @node, "" if it has none, or is a mapping of too many keys: looking
 * for it in each of many aliases would take too long. */
void osaca_first_name(const struct osaca_file *f, const yaml_node_t *node, char to[OSACA_NAME]);
/* Value of @class in @list, or @otherwise. */
double osaca_number_of(const struct osaca_numbers *list, const char *class, double otherwise);
/* A number from 0 up, NaN for a null; false for anything else. */
bool osaca_number(const yaml_node_t *node, double *out);

#endif
