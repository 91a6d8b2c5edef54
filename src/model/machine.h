/* Everything known of a microarchitecture: ports, mapping, and facts by name with unit and
 * source. */
#ifndef PORTOLAN_MODEL_MACHINE_H
#define PORTOLAN_MODEL_MACHINE_H

#include "model/mapping.h"

struct machine_fact {
    char *key, *value, *unit, *source;
};

/* Latency between two operands of the forms that match, if it differs from the form's one number
 * (latencies.csv). An address means its base and its index. From slowest to slowest: the time with
 * the slowest operands; other figures are of quick operands. From alone to alone: the least cycles
 * per copy of the form, on any ports: microcoded, serialising and waiting instructions. */
enum latency_end { /* 0.. are operand numbers less one */
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
    double cycles;    /* without the load or the forwarded store before it */
    const char *source;
    bool lent;        /* its texts are the program's and stay */
};

/* Prefix of the title of this computer's machine in a session. */
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
/* The last holder's call frees it. Any thread. */
void machine_free(struct machine *m);
/* Adds a holder, which may read it on any thread, and calls machine_free. Nobody changes it while
 * others hold it. */
struct machine *machine_hold(struct machine *m);
bool machine_held(const struct machine *m);
/* All of @m, to change without touching it. */
struct machine *machine_copy(const struct machine *m);
/* The title without MACHINE_HERE: for files. */
const char *machine_plain_title(const struct machine *m);
/* The processor as compilers and LLVM call it. */
const char *machine_compiler_name(const struct machine *m);
/* Text of a fact, NULL when the machine does not have it. */
const char *machine_fact(const struct machine *m, const char *key);
/* Source of fact @key if it is an estimate, as in source_is_estimate; NULL: it is none, or missing.
 * Borrowed. */
const char *machine_fact_estimate(const struct machine *m, const char *key);
/* Number of a fact, NaN when missing. */
double machine_number(const struct machine *m, const char *key);
/* True when the comma- or blank-separated list fact @key holds @word. */
bool machine_has(const struct machine *m, const char *key, const char *word);
/* True when the machine lists the extensions of its CPU (fact extensions) without @extension. */
bool machine_lacks(const struct machine *m, const char *extension);
void machine_set_fact(struct machine *m, const char *key, const char *value, const char *unit,
                      const char *source);
/* Takes a fact out, if it is there. */
void machine_drop_fact(struct machine *m, const char *key);
/* Refuses a form that @m lacks: false with err, which names a similar one, else @otherwise. */
bool machine_refuse_form(const struct machine *m, const char *form, const char *otherwise,
                         struct err *err);
/* Appends a rule; the first that matches wins. */
void machine_add_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source);
/* The same in front of all others. */
void machine_put_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source);
/* Takes the rule in front of all others out; there must be one. */
void machine_drop_latency(struct machine *m);
/* The rule with the least cycles that each copy of @form takes among copies of it, whatever its
 * ports; NULL: there is none. Borrowed. */
const struct latency_rule *machine_alone(const struct machine *m, const char *form);
/* Whether the rule applies from the operand read as @from to the one written as @to, both enum
 * latency_end. */
bool latency_rule_fits(const struct latency_rule *rule, int from, int to);
/* Whether a rule from @end is of the form as a whole, not between operands. */
static inline bool latency_end_whole(int end)
{
    return end == LATENCY_ALONE || end == LATENCY_SLOWEST;
}
/* "2", "base", "index", "address", "memory", "flags", "alone", "slowest" or "any", as in
 * latencies.csv: false for anything else. */
bool latency_end_parse(const char *text, int *out);
void latency_end_print(int end, struct str *out);

#endif
