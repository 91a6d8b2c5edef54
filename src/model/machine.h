/* A microarchitecture: ports, mapping, and facts by name, with unit and source. */
#ifndef PORTOLAN_MODEL_MACHINE_H
#define PORTOLAN_MODEL_MACHINE_H

#include "model/mapping.h"

struct machine_fact {
    char *key, *value, *unit, *source;
    uint64_t hash;   /* hash of @key */
};

/* Latency between two operands of the matching forms that differs from the form's latency
 * (latencies.csv). LATENCY_ADDRESS stands for base and index. LATENCY_SLOWEST as both ends is the
 * latency with the slowest operand values; other latencies are for fast values. LATENCY_ALONE as
 * both ends is the least cycles per copy of microcoded, serialising and waiting instructions, on
 * any ports. */
enum latency_end { /* values from 0 to 99: operand number minus one */
                   LATENCY_ANY = -1,
                   LATENCY_ADDRESS = 100,
                   LATENCY_MEMORY,
                   LATENCY_FLAGS,
                   LATENCY_FENCE,
                   LATENCY_COMMIT,
                   LATENCY_BASE,
                   LATENCY_INDEX,
                   LATENCY_ALONE,
                   LATENCY_SLOWEST
};
struct latency_rule {
    const char *form; /* name, or pattern with * and ? */
    int from, to;     /* operands (enum latency_end) */
    double cycles;    /* cycles without the preceding load or forwarded store */
    const char *source;
    bool lent;        /* whether the strings are static and must not be freed */
};

/* prefix of the title of this computer's machine in a session */
#define MACHINE_HERE "this CPU: "

struct machine {
    char *id;       /* directory name under data/machines, such as "skylake" */
    char *title;    /* title, such as "Intel Skylake (client)" */
    char *isa;      /* value of fact isa: "x86-64" or "aarch64" */
    struct mapping *mapping;
    struct machine_fact *facts;
    size_t fact_count;
    struct latency_rule *latencies;
    size_t latency_count;
    _Atomic unsigned holders;   /* number of holders in addition to the creator */
};

struct machine *machine_new(const char *id, const struct ports *ports);
/* Releases a holder. The last release frees the machine. Any thread. */
void machine_free(struct machine *m);
/* Adds a holder, which must call machine_free. The machine must not change while others hold it.
 * Any thread. */
struct machine *machine_hold(struct machine *m);
bool machine_held(const struct machine *m);
/* Returns a copy of @m without other holders. The caller frees it with machine_free. */
struct machine *machine_copy(const struct machine *m);
/* Returns the title without MACHINE_HERE, for files. */
const char *machine_plain_title(const struct machine *m);
/* Returns the processor's name for compilers and LLVM. */
const char *machine_compiler_name(const struct machine *m);
/* Returns the text of a fact; NULL if it is missing. */
const char *machine_fact(const struct machine *m, const char *key);
/* Returns the source of fact @key, borrowed, if the fact is an estimate (source_is_estimate);
 * otherwise NULL. */
const char *machine_fact_estimate(const struct machine *m, const char *key);
/* Returns the number of a fact; NaN if the fact is missing or not a number. */
double machine_number(const struct machine *m, const char *key);
/* Returns whether fact @key, a list separated by commas or blanks, contains @word. */
bool machine_has(const struct machine *m, const char *key, const char *word);
/* Returns whether the machine has a list of its CPU's extensions (fact extensions) without
 * @extension. */
bool machine_lacks(const struct machine *m, const char *extension);
void machine_set_fact(struct machine *m, const char *key, const char *value, const char *unit,
                      const char *source);
/* Removes a fact. Does nothing if the machine lacks the fact. */
void machine_drop_fact(struct machine *m, const char *key);
/* Sets err to the message that @m lacks form @form, with a similar form if there is one, otherwise
 * with @fallback. Returns false. */
bool machine_refuse_form(const struct machine *m, const char *form, const char *fallback,
                         struct err *err);
/* Appends a rule. The first matching rule applies. */
void machine_add_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source);
/* Inserts a rule before all other rules. */
void machine_put_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source);
/* Removes the first rule, which must exist. */
void machine_drop_latency(struct machine *m);
/* Returns the first rule that gives the least cycles per copy of @form on any ports
 * (LATENCY_ALONE), borrowed; NULL: none. */
const struct latency_rule *machine_alone(const struct machine *m, const char *form);
/* Returns whether the rule applies from operand @from to operand @to (enum latency_end). */
bool latency_rule_fits(const struct latency_rule *rule, int from, int to);
/* Returns whether a rule from @end applies to the whole form instead of operands. */
static inline bool latency_end_whole(int end)
{
    return end == LATENCY_ALONE || end == LATENCY_SLOWEST;
}
/* Parses "2", "base", "index", "address", "memory", "flags", "alone", "slowest" or "any", as in
 * latencies.csv. Returns false if invalid. Stores the end in *@out. */
bool latency_end_parse(const char *text, int *out);
void latency_end_print(int end, struct str *out);

#endif
