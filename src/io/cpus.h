/* data/cpus.csv lists processors by CPUID or MIDR and by name, with the machine whose tables apply.
 * Columns: name (for --machine; empty: none), product, core, machine (empty: no tables), vendor,
 * family, models ("143;173-174"), steppings (in the same notation), kind (of a hybrid core), needs
 * and lacks (an extension that must be present, or absent), aliases (names in OSACA, uiCA, LLVM and
 * GCC: "SKX;CSX"), source. An empty condition is always true. A row without a vendor is only found
 * by its name. The first matching row applies. */
#ifndef PORTOLAN_IO_CPUS_H
#define PORTOLAN_IO_CPUS_H

#include "base/csv.h"
#include "base/str.h"
#include "isa/cpu.h"

/* Columns that the program reads, which are the first columns of the table */
enum cpu_column {
    CPUS_NAME, CPUS_PRODUCT, CPUS_CORE, CPUS_MACHINE, CPUS_VENDOR, CPUS_FAMILY, CPUS_MODELS,
    CPUS_STEPPINGS, CPUS_KIND, CPUS_NEEDS, CPUS_LACKS, CPUS_ALIASES, CPUS_COLUMNS
};

/* The table, parsed from its text or taken from the built-in image of the same text
 * (io/machine_image.h) */
struct cpus {
    const char *(*rows)[CPUS_COLUMNS];
    size_t count;
    struct csv_table *text;    /* storage of the rows' strings; NULL: they are in the image */
};

#define CPUS_LIMIT ((size_t)16 << 20)   /* maximum size of the file in bytes */

/* A row, with strings borrowed from the table */
struct cpu_product {
    const char *name, *product, *core, *machine;
    size_t row;
};

/* Loads the table. Returns NULL with err if it is missing, unreadable or invalid. cpus_free frees
 * it. */
struct cpus *cpus_load(struct err *err);
void cpus_free(struct cpus *cpus);
size_t cpus_count(const struct cpus *cpus);
struct cpu_product cpus_at(const struct cpus *cpus, size_t index);
/* Finds the first row with the name @name, or otherwise with the alias @name, ignoring the case of
 * aliases. Returns false if there is no such row. */
bool cpus_named(const struct cpus *cpus, const char *name, struct cpu_product *out);
/* Returns whether the row's machine is shipped. */
bool cpu_product_known(const struct cpu_product *p);
/* Appends a title such as "Emerald Rapids (Golden Cove core, sapphirerapids tables)". */
void cpu_product_title(const struct cpu_product *p, struct str *out);

/* This CPU and its machine */
struct cpu_native {
    enum isa isa;
    char *name;       /* name for the option --machine */
    char *machine;    /* id of the machine whose tables apply to this CPU */
    char *title;      /* title as in cpu_product_title */
};
/* Fills @out, which cpu_native_done frees. Returns false with err, and @out empty, if the CPU
 * cannot be identified or the table cannot be loaded. Does the same if no row matches, or if the
 * row's machine is not shipped. The error then names the CPU. */
bool cpu_native_find(struct cpu_native *out, struct err *err);
void cpu_native_done(struct cpu_native *n);

#endif
