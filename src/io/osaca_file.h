/* Contents of an OSACA machine file before its entries are matched with forms. Internal to the
 * importer. */
#ifndef PORTOLAN_IO_OSACA_FILE_H
#define PORTOLAN_IO_OSACA_FILE_H

#include "base/vec.h"
#include "io/yaml_tree.h"
#include "isa/isa.h"
#include "isa/spelling.h"
#include "model/usage.h"

#define OSACA_NAME 32   /* size in bytes of an entry's stored name, with the final NUL */

/* An invalid entry or rule: its line, first name ("": none), and reason. */
struct osaca_skip { size_t line; char name[OSACA_NAME], why[120]; };

/* An entry that matches no form: its line, first name, and reason (static). */
struct osaca_unused { size_t line; char name[OSACA_NAME]; const char *why; };

struct osaca_notes {
    size_t entries;      /* number of instruction forms in the file */
    size_t direct;       /* number of Portolan's forms that an entry matches */
    /* number of Portolan's forms composed of a register form and load_throughput or
     * store_throughput */
    size_t composed;
    /* number of Portolan's forms with fractional cycles, which were rounded */
    size_t rounded;
    size_t unnamed;      /* number of entries that match no form, or that other entries hide */
    /* number of entries without ports, or with an empty list and no throughput */
    size_t unknown;
    /* invalid entries, and invalid rules of load_throughput and store_throughput */
    struct osaca_skip *skipped;
    size_t skipped_count;
    struct osaca_unused *unused;  /* the unnamed and unknown entries, in file order */
    size_t unused_count;
};

/* An entry's condition on a part of an address */
enum osaca_part { PART_ANY, PART_NO, PART_YES };

struct osaca_pattern {
    bool never;                  /* whether the class is impossible; the entry then matches
                                  * nothing */
    enum spelled_class class;
    char name[16];               /* register class, or index class of memory; "*": any */
    char base_name[16];          /* for memory, the register class of the base */
    char shape[16];              /* AArch64 element shape; "*": any; "": none */
    bool mask;
    enum osaca_part base, index, scale, offset, pre, post;
};

struct osaca_entry {
    const yaml_node_t *node;
    struct osaca_pattern operands[SPELLING_OPERANDS];
    unsigned count;
    bool known;                  /* whether the entry has a port pressure */
    bool rounded;
    bool used;                   /* whether the entry matches a form */
    bool fits;                   /* whether the entry matches a form, or would match one without
                                  * earlier entries */
    struct usage usage;
    double latency;
    unsigned micro_ops;
};

/* A rule of load_throughput or store_throughput */
struct osaca_rule {
    struct osaca_pattern address;
    char class[16];              /* register class of dst or src; "": any */
    struct usage usage;
    bool rounded;
    bool last;                   /* whether the rule is the default, for any address and
                                  * register */
};

/* A name of an entry. If an entry has a list of names, OSACA searches for these names after all
 * other names. */
struct osaca_name { char *name; size_t entry; bool listed; };

/* A number per register class, as in OSACA's {gpr: 4.0, xmm: 5.0} */
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
    VEC(struct osaca_name) names;           /* names of the entries, sorted */
    /* number of names read, including names of invalid entries */
    size_t names_read;
    VEC(struct osaca_rule) loads, stores;   /* rules; the last rule is the default */
    struct osaca_numbers load_latency;
    /* multiplier of a rule's pressure per register class */
    struct osaca_numbers load_times, store_times;
    VEC(struct osaca_skip) skipped;
    bool masks;                             /* whether AVX-512 mask registers occur */
};

/* OSACA's key for one of Portolan's facts, for import and export */
struct osaca_fact {
    const char *key, *fact;
    bool added;      /* whether OSACA adds this number to other numbers; an unknown number is then
                      * written as 0 */
    bool ours;       /* whether the key is Portolan's and not OSACA's; such a key is omitted if the
                      * value is unknown */
};
extern const struct osaca_fact osaca_facts[];          /* OSACA's keys, ended by a NULL key */

/* Reads @text except invalid entries and rules, which @out lists. @name and @text must outlive
 * @out. Returns false with err at line and column. The caller always frees @out with
 * osaca_file_done. */
bool osaca_file_read(struct osaca_file *out, const char *name, const char *text, size_t length,
                     struct err *err);
void osaca_file_done(struct osaca_file *f);
/* Copies the first name of the entry @node. Copies "" if there is no name, or if the entry has too
 * many keys, because aliases could repeat the search often. */
void osaca_first_name(const struct osaca_file *f, const yaml_node_t *node, char to[OSACA_NAME]);
/* Returns the value of @class in @list, or @fallback if @list lacks @class. */
double osaca_number_of(const struct osaca_numbers *list, const char *class, double fallback);
/* Parses a non-negative number. null becomes NaN. Returns false for other nodes. Stores the number
 * in *@out. */
bool osaca_number(const yaml_node_t *node, double *out);

#endif
