/* data/cpus.csv: processors by what CPUID or MIDR says of them and by name, and the machine whose
 * tables hold for each. Columns: name (what --machine takes; empty: none), product, core, machine
 * (empty: there are no tables), vendor, family, models ("143;173-174"), steppings (the same), kind
 * (of a hybrid part's core), needs and lacks (an instruction set that it must have, must not have),
 * aliases (what OSACA, uiCA, LLVM and GCC call it: "SKX;CSX"), source. An empty condition holds
 * always; a row without vendor is a name alone. The first row that fits counts. */
#ifndef PORTOLAN_IO_CPUS_H
#define PORTOLAN_IO_CPUS_H

#include "base/csv.h"
#include "base/str.h"
#include "isa/cpu.h"

/* Columns of the table that are used, which come first in it. */
enum cpu_column {
    CPUS_NAME, CPUS_PRODUCT, CPUS_CORE, CPUS_MACHINE, CPUS_VENDOR, CPUS_FAMILY, CPUS_MODELS,
    CPUS_STEPPINGS, CPUS_KIND, CPUS_NEEDS, CPUS_LACKS, CPUS_ALIASES, CPUS_COLUMNS
};

/* The table, from the text, or from the built-in image if the text is the same
 * (io/machine_image.h). */
struct cpus {
    const char *(*rows)[CPUS_COLUMNS];
    size_t count;
    struct csv_table *text;    /* that the rows borrow from; NULL: from the program */
};

#define CPUS_LIMIT ((size_t)16 << 20)   /* bytes of the file */

/* One row; borrowed from the table. */
struct cpu_product {
    const char *name, *product, *core, *machine;
    size_t row;
};

/* NULL with err when it cannot be read. cpus_free frees it. Any thread. */
struct cpus *cpus_load(struct err *err);
void cpus_free(struct cpus *cpus);
size_t cpus_count(const struct cpus *cpus);
struct cpu_product cpus_at(const struct cpus *cpus, size_t index);
/* The first row of that name, or that has it among its aliases, where case does not count; false
 * when there is none. */
bool cpus_named(const struct cpus *cpus, const char *name, struct cpu_product *out);
/* Whether its machine is shipped. */
bool cpu_product_known(const struct cpu_product *p);
/* Appends "Emerald Rapids (Golden Cove core, sapphirerapids tables)". */
void cpu_product_title(const struct cpu_product *p, struct str *out);

/* The machine of this CPU. */
struct cpu_native {
    enum isa isa;
    char *name;       /* name for --machine */
    char *machine;    /* whose tables it has */
    char *title;      /* as cpu_product_title */
};
/* Fills @out, which cpu_native_done frees. False with err, which names the CPU, and @out empty,
 * when no row fits or that machine is not shipped. Any thread. */
bool cpu_native_find(struct cpu_native *out, struct err *err);
void cpu_native_done(struct cpu_native *n);

#endif
