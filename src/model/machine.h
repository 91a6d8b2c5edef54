/* A microarchitecture: ports, mapping, and facts by name with unit and source. */
#ifndef PORTOLAN_MODEL_MACHINE_H
#define PORTOLAN_MODEL_MACHINE_H

#include "model/mapping.h"

struct machine_fact {
    char *key, *value, *unit, *source;
};

/* Latency between two operands of the matching forms, if it differs from the form's single number
 * (latencies.csv). An address means its base and index. From slowest to slowest: with the slowest
 * operands; other figures are for quick ones. From alone to alone: the least cycles per copy, on
 * any ports: microcoded, serialising and waiting instructions. */
enum latency_end { /* 0.. are operand numbers minus one */
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
    const char *form; /* name or pattern with * and ? */
    int from, to;     /* enum latency_end */
    double cycles;    /* excluding the load or forwarded store before it */
    const char *source;
    bool lent;        /* its texts are static */
};

/* Prefix of this computer's machine's title in a session. */
#define MACHINE_HERE "this CPU: "

struct machine {
    char *id;       /* "skylake": directory name under data/machines */
    char *title;    /* "Intel Skylake (client)" */
    char *isa;      /* "x86-64", or the fact isa */
    struct mapping *mapping;
    struct machine_fact *facts;
    size_t fact_count;
    struct latency_rule *latencies;
    size_t latency_count;
    _Atomic unsigned holders;   /* besides the creator */
};

struct machine *machine_new(const char *id, const struct ports *ports);
/* Frees the machine when its last holder calls it. */
void machine_free(struct machine *m);
/* Adds a holder, on any thread, which calls machine_free. Nobody changes it while others hold
 * it. */
struct machine *machine_hold(struct machine *m);
bool machine_held(const struct machine *m);
/* Copies @m for changes. */
struct machine *machine_copy(const struct machine *m);
/* Title without MACHINE_HERE, for files. */
const char *machine_plain_title(const struct machine *m);
/* Name of the processor for compilers and LLVM. */
const char *machine_compiler_name(const struct machine *m);
/* Text of a fact, NULL when missing. */
const char *machine_fact(const struct machine *m, const char *key);
/* Source of fact @key if it is an estimate (source_is_estimate), else NULL. Borrowed. */
const char *machine_fact_estimate(const struct machine *m, const char *key);
/* Number of a fact, NaN when missing. */
double machine_number(const struct machine *m, const char *key);
/* Returns whether the comma- or blank-separated fact @key contains @word. */
bool machine_has(const struct machine *m, const char *key, const char *word);
/* Returns whether the machine lists its CPU's extensions (fact extensions) without @extension. */
bool machine_lacks(const struct machine *m, const char *extension);
void machine_set_fact(struct machine *m, const char *key, const char *value, const char *unit,
                      const char *source);
/* Removes a fact, if present. */
void machine_drop_fact(struct machine *m, const char *key);
/* Reports that @m lacks a form: false with err, which names a similar one, else @otherwise. */
bool machine_refuse_form(const struct machine *m, const char *form, const char *otherwise,
                         struct err *err);
/* Appends a rule; the first match counts. */
void machine_add_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source);
/* Inserts a rule before all others. */
void machine_put_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source);
/* Removes the first rule, which must exist. */
void machine_drop_latency(struct machine *m);
/* Returns the rule with the least cycles of @form among copies of itself, on any ports, or NULL.
 * Borrowed. */
const struct latency_rule *machine_alone(const struct machine *m, const char *form);
/* Returns whether the rule applies from operand @from to operand @to, both enum latency_end. */
bool latency_rule_fits(const struct latency_rule *rule, int from, int to);
/* Returns whether a rule from @end concerns the whole form, not operands. */
static inline bool latency_end_whole(int end)
{
    return end == LATENCY_ALONE || end == LATENCY_SLOWEST;
}
/* Parses "2", "base", "index", "address", "memory", "flags", "alone", "slowest" or "any", as in
 * latencies.csv; false if invalid. */
bool latency_end_parse(const char *text, int *out);
void latency_end_print(int end, struct str *out);

#endif
