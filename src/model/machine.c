/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/machine.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/similar.h"
#include "base/mem.h"
#include "base/str.h"

struct machine *machine_new(const char *id, const struct ports *ports)
{
    struct machine *m = mem_zero(1, sizeof *m);
    m->id = mem_strdup(id);
    m->title = mem_strdup(id);
    m->isa = mem_strdup("x86-64");
    m->mapping = mapping_new(ports);
    return m;
}

static void fact_done(struct machine_fact *fact)
{
    free(fact->key);
    free(fact->value);
    free(fact->unit);
    free(fact->source);
}

struct machine *machine_hold(struct machine *m)
{
    atomic_fetch_add(&m->holders, 1);
    return m;
}

bool machine_held(const struct machine *m)
{
    return atomic_load(&m->holders) > 0;
}

static void rule_done(struct latency_rule *rule)
{
    if (rule->lent)
        return;
    free((char *)rule->form);
    free((char *)rule->source);
}

void machine_free(struct machine *m)
{
    if (!m || atomic_fetch_sub(&m->holders, 1) > 0)
        return;
    for (size_t i = 0; i < m->fact_count; i++)
        fact_done(&m->facts[i]);
    free(m->facts);
    for (size_t i = 0; i < m->latency_count; i++) {
        rule_done(&m->latencies[i]);
    }
    free(m->latencies);
    mapping_free(m->mapping);
    free(m->id);
    free(m->title);
    free(m->isa);
    free(m);
}

static struct machine_fact *find(const struct machine *m, const char *key)
{
    const uint64_t hash = hash_text(key);

    for (size_t i = 0; i < m->fact_count; i++)
        if (m->facts[i].hash == hash && strcmp(m->facts[i].key, key) == 0)
            return &m->facts[i];
    return NULL;
}

const char *machine_plain_title(const struct machine *m)
{
    return str_has_prefix(m->title, MACHINE_HERE) ? m->title + strlen(MACHINE_HERE) : m->title;
}

const char *machine_fact(const struct machine *m, const char *key)
{
    const struct machine_fact *fact = find(m, key);
    return fact ? fact->value : NULL;
}

const char *machine_fact_estimate(const struct machine *m, const char *key)
{
    const struct machine_fact *fact = find(m, key);
    return fact && fact->source && source_is_estimate(fact->source) ? fact->source : NULL;
}

const char *machine_compiler_name(const struct machine *m)
{
    const char *name = machine_fact(m, "compiler_name"), *base = machine_fact(m, "base");
    return name ? name : base ? base : m->id;
}

double machine_number(const struct machine *m, const char *key)
{
    const char *text = machine_fact(m, key);
    char *end;

    if (!text || !*text)
        return NAN;
    double value = strtod(text, &end);
    return *end ? NAN : value;
}

bool machine_has(const struct machine *m, const char *key, const char *word)
{
    const char *at = machine_fact(m, key);
    size_t length = strlen(word);

    while (at && *at) {
        size_t span = strcspn(at, ", ");
        if (span == length && memcmp(at, word, length) == 0)
            return true;
        at += span;
        at += strspn(at, ", ");
    }
    return false;
}

bool machine_lacks(const struct machine *m, const char *extension)
{
    return *extension && machine_fact(m, "extensions") && !machine_has(m, "extensions", extension);
}

void machine_set_fact(struct machine *m, const char *key, const char *value, const char *unit,
                      const char *source)
{
    struct machine_fact fresh = {mem_strdup(key), mem_strdup(value), mem_strdup(unit ? unit : ""),
                                 mem_strdup(source ? source : ""), hash_text(key)};
    struct machine_fact *old = find(m, key);

    if (old) {
        fact_done(old);
        *old = fresh;
    } else {
        m->facts = mem_resize(m->facts, (m->fact_count + 1) * sizeof *m->facts);
        m->facts[m->fact_count++] = fresh;
    }
    if (strcmp(fresh.key, "isa") == 0) {
        free(m->isa);
        m->isa = mem_strdup(machine_fact(m, "isa"));
        mapping_drop_derived(m->mapping);
    }
}

void machine_drop_fact(struct machine *m, const char *key)
{
    struct machine_fact *old = find(m, key);

    if (!old)
        return;
    fact_done(old);
    m->fact_count--;
    memmove(old, old + 1, (size_t)(m->facts + m->fact_count - old) * sizeof *old);
}

bool machine_refuse_form(const struct machine *m, const char *form, const char *fallback,
                         struct err *err)
{
    struct similar similar = {.word = form};
    char todo[SIMILAR_TODO];

    for (size_t i = 0; i < mapping_count(m->mapping); i++)
        similar_try(&similar, mapping_at(m->mapping, i)->form);
    return err_set(err, ERR_DATA, similar_todo(&similar, fallback, todo), "%s has no form %s",
                   m->id, form);
}

void machine_add_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source)
{
    m->latencies = mem_resize(m->latencies, (m->latency_count + 1) * sizeof *m->latencies);
    m->latencies[m->latency_count++] = (struct latency_rule){.form = mem_strdup(form),
                                                             .from = from,
                                                             .to = to,
                                                             .cycles = cycles,
                                                             .source = mem_strdup(source)};
}

void machine_put_latency(struct machine *m, const char *form, int from, int to, double cycles,
                         const char *source)
{
    machine_add_latency(m, form, from, to, cycles, source);
    struct latency_rule added = m->latencies[m->latency_count - 1];
    memmove(m->latencies + 1, m->latencies, (m->latency_count - 1) * sizeof *m->latencies);
    m->latencies[0] = added;
}

void machine_drop_latency(struct machine *m)
{
    rule_done(&m->latencies[0]);
    m->latency_count--;
    memmove(m->latencies, m->latencies + 1, m->latency_count * sizeof *m->latencies);
}

const struct latency_rule *machine_alone(const struct machine *m, const char *form)
{
    for (size_t i = 0; i < m->latency_count; i++)
        if (m->latencies[i].from == LATENCY_ALONE && str_match(m->latencies[i].form, form))
            return &m->latencies[i];
    return NULL;
}

bool latency_rule_fits(const struct latency_rule *rule, int from, int to)
{
    bool address = rule->from == LATENCY_ADDRESS && (from == LATENCY_BASE || from == LATENCY_INDEX);

    return (address || rule->from == LATENCY_ANY || rule->from == from) &&
           (rule->to == LATENCY_ANY || rule->to == to);
}

static const struct { const char *name; int end;
} latency_ends[] = {
    {"any", LATENCY_ANY},     {"address", LATENCY_ADDRESS}, {"memory", LATENCY_MEMORY},
    {"flags", LATENCY_FLAGS}, {"base", LATENCY_BASE},       {"index", LATENCY_INDEX},
    {"alone", LATENCY_ALONE}, {"slowest", LATENCY_SLOWEST},
};
#define LATENCY_ENDS (sizeof latency_ends / sizeof *latency_ends)

bool latency_end_parse(const char *text, int *out)
{
    for (size_t i = 0; i < LATENCY_ENDS; i++)
        if (strcmp(text, latency_ends[i].name) == 0) {
            *out = latency_ends[i].end;
            return true;
        }
    *out = text[0] - '1';
    return text[0] >= '1' && text[0] <= '9' && !text[1];
}

void latency_end_print(int end, struct str *out)
{
    for (size_t i = 0; i < LATENCY_ENDS; i++)
        if (latency_ends[i].end == end) {
            str_add(out, latency_ends[i].name);
            return;
        }
    str_addf(out, "%d", end + 1);
}

struct machine *machine_copy(const struct machine *m)
{
    struct machine *copy = machine_new(m->id, mapping_ports(m->mapping));

    free(copy->title);
    free(copy->isa);
    copy->title = mem_strdup(m->title);
    copy->isa = mem_strdup(m->isa);
    mapping_free(copy->mapping);
    copy->mapping = mapping_copy(m->mapping);
    for (size_t i = 0; i < m->fact_count; i++)
        machine_set_fact(copy, m->facts[i].key, m->facts[i].value, m->facts[i].unit,
                         m->facts[i].source);
    for (size_t i = 0; i < m->latency_count; i++) {
        const struct latency_rule *rule = &m->latencies[i];
        machine_add_latency(copy, rule->form, rule->from, rule->to, rule->cycles, rule->source);
    }
    return copy;
}
