/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/import.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "base/watch.h"
#include "io/osaca_file.h"
#include "model/facts.h"

#define ENTRY_STEPS 16   /* steps (base/steps.h) per entry during the search for its forms */

#define FORM_SHOWN 100    /* maximum number of bytes of a form's name in messages */
#define FACT_LIMIT 1000   /* maximum number of keys in a file; there are about 160 facts */
#define FILE_LIMIT ((size_t)64 << 20)

/* How closely an entry must match a form. FIT_ADDRESS, like OSACA, accepts any parts of an address
 * unless they distinguish forms, and a mask register for a general register. FIT_LOOSE, like OSACA,
 * also ignores masks if the file has masks, and accepts any shape if the entry has none. */
enum fit { FIT_LOOSE, FIT_ADDRESS, FIT_EXACT };

static bool part_fits(enum osaca_part part, bool there)
{
    return part == PART_ANY || (part == PART_YES) == there;
}

/* Returns whether an entry's address matches. If @strict is true, a simple memory operand must have
 * only a base; otherwise any address matches. In machine code, an index without a base always has
 * an offset, which an entry may omit. */
static bool address_fits(const struct osaca_pattern *p, const struct spelled_operand *o,
                         bool address, bool strict)
{
    bool vector = str_has_prefix(p->name, "xmm") || str_has_prefix(p->name, "ymm") ||
                  str_has_prefix(p->name, "zmm");
    if (o->name[0] || vector)
        return (o->name[0] && strcmp(p->name, o->name) == 0) ||
               (o->name[0] && p->index == PART_ANY);
    if (address)
        return part_fits(p->base, o->base) && part_fits(p->index, o->index) &&
               part_fits(p->scale, o->scale) &&
               (part_fits(p->offset, o->offset) || (!strict && o->index && !o->base));
    return !strict || (p->base != PART_NO && p->index != PART_YES && p->offset != PART_YES);
}

static bool a64_part_fits(enum osaca_part part, const char *class, bool there, const char *name,
                          bool strict)
{
    return part == PART_ANY ||
           ((part == PART_YES) == there && (!there || strcmp(class, name) == 0)) ||
           (!strict && there && !*name);
}

/* Returns whether an entry's address matches in write-back, base and index. If @strict is true,
 * also compares offset and scale. */
static bool a64_address_fits(const struct osaca_pattern *p, const struct spelled_operand *o,
                             bool strict)
{
    return part_fits(p->pre, o->pre) && part_fits(p->post, o->post) &&
           a64_part_fits(p->base, p->base_name, o->base, o->base_name, strict) &&
           a64_part_fits(p->index, p->name, o->index, o->name, strict) &&
           (!strict || (part_fits(p->offset, o->offset) && part_fits(p->scale, o->scale)));
}

/* Returns whether an entry's register matches. AArch64 registers with and without shape differ. A
 * "*" in a form's name matches any register into which a load is possible. */
static bool a64_register_fits(const struct osaca_pattern *p, const struct spelled_operand *o,
                              enum fit fit)
{
    if (fit == FIT_LOOSE && !p->shape[0] && strcmp(p->name, o->name) == 0)
        return true;
    bool named =
        strcmp(p->name, "*") == 0 || strcmp(o->name, "*") == 0 || strcmp(p->name, o->name) == 0;
    return named && (!o->shape[0] || strcmp(p->shape, "*") == 0 || strcmp(p->shape, o->shape) == 0);
}

static bool operand_fits(enum isa isa, const struct osaca_pattern *p,
                         const struct spelled_operand *o, bool address, enum fit fit)
{
    bool shaped = isa_ops(isa)->osaca->shaped, strict = fit == FIT_EXACT;

    if (p->never || (fit != FIT_LOOSE && p->mask != o->mask))
        return false;
    if (p->class != o->class)   /* Older files use the class identifier for a condition. */
        return p->class == SPELLED_LABEL && o->class == SPELLED_CONDITION;
    if (p->class == SPELLED_MEMORY)
        return shaped ? a64_address_fits(p, o, strict) : address_fits(p, o, address, strict);
    if (p->class == SPELLED_REGISTER && shaped)
        return a64_register_fits(p, o, fit);
    if (!strict && strcmp(p->name, "gpr") == 0 && strcmp(o->name, "k") == 0)
        return true;
    return p->class != SPELLED_REGISTER || strcmp(p->name, "*") == 0 ||
           strcmp(p->name, o->name) == 0;
}

static bool entry_fits(enum isa isa, const struct osaca_entry *e, const struct spelling *f,
                       enum fit fit)
{
    if (!e->known || e->count != f->count)
        return false;
    for (unsigned i = 0; i < f->count; i++)
        if (!operand_fits(isa, &e->operands[i], &f->operands[i], f->address, fit))
            return false;
    return true;
}

struct osaca_choice { struct osaca_entry *entry; enum fit fit; };

/* Searches the entries called @name for a better match than *@best. If matches are equal, the first
 * is used. Marks all entries that match at least as closely as @loosest. */
static void look_under(struct osaca_file *r, const char *name, const struct spelling *f,
                       enum fit loosest, struct osaca_choice *best)
{
    size_t low = 0, high = r->names.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(r->names.items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < r->names.count && strcmp(r->names.items[low].name, name) == 0; low++) {
        struct osaca_entry *e = &r->entries.items[r->names.items[low].entry];
        int fit = FIT_EXACT;
        steps_add(1);
        while (fit >= (int)loosest && !entry_fits(r->isa, e, f, (enum fit)fit))
            fit--;
        if (fit < (int)loosest)
            continue;
        e->fits = true;
        if (!best->entry || fit > (int)best->fit)
            *best = (struct osaca_choice){e, (enum fit)fit};
    }
}

struct candidates {
    char names[2 * SPELLING_NAMES + 1][32];
    /* @count: number of names. @proper: number of names before the last resort. */
    unsigned count, proper;
};

static void add_candidate(struct candidates *c, const char *mark, const char *name, size_t length)
{
    char *to = c->names[c->count++];

    snprintf(to, sizeof c->names[0], "%s%.*s", mark, (int)length, name);
    for (; *to; to++)
        *to = (char)tolower((unsigned char)*to);
}

/* Lists the names to search for. Tables made from uops.info mark EVEX encodings by a word. The last
 * resort, as in OSACA, is the mnemonic without size suffix, or on AArch64 without the part after a
 * dot. For a form without operands, the last resort is Intel's name (cdq). */
static void list_candidates(enum isa isa, const struct spelling *f, const char *form,
                            struct candidates *c)
{
    const char *name = f->names[0];
    size_t length = strlen(name);

    c->count = 0;
    for (unsigned i = 0; strstr(form, "_EVEX") && i < f->name_count; i++)
        add_candidate(c, "{evex} ", f->names[i], strlen(f->names[i]));
    for (unsigned i = 0; i < f->name_count; i++)
        add_candidate(c, "", f->names[i], strlen(f->names[i]));
    c->proper = c->count;
    if (isa_ops(isa)->osaca->shaped)
        add_candidate(c, "", name, strcspn(name, "."));
    else if (!f->count)
        add_candidate(c, "", form, strcspn(form, " "));
    else if (length > 1 && !f->suffixed && strchr("bswlqt", name[length - 1]))
        add_candidate(c, "", name, length - 1);
}

static struct osaca_entry *find(struct osaca_file *r, const struct spelling *f, const char *form)
{
    struct candidates c;
    struct osaca_choice best = {0}, last = {0};
    enum fit loosest = isa_ops(r->isa)->osaca->shaped || r->masks ? FIT_LOOSE : FIT_ADDRESS;

    list_candidates(r->isa, f, form, &c);
    for (unsigned i = 0; i < c.proper; i++)
        look_under(r, c.names[i], f, loosest, &best);
    for (const char *const *more = f->more; more && *more; more++)
        look_under(r, *more, f, loosest, &best);
    for (unsigned i = c.proper; i < c.count; i++)
        look_under(r, c.names[i], f, loosest, &last);
    return best.entry ? best.entry : last.entry;
}

/* Returns the class of the register that takes the place of the memory operand in the register
 * form. */
static const char *register_for(enum isa isa, const struct spelling *f,
                                const struct spelled_operand *memory)
{
    bool vector = false;
    if (isa_ops(isa)->osaca->shaped)
        return f->operands[0].name;
    for (unsigned i = 0; i < f->count; i++)
        vector |= f->operands[i].class == SPELLED_REGISTER && strlen(f->operands[i].name) == 3 &&
                  strcmp(f->operands[i].name + 1, "mm") == 0;
    return !vector ? "gpr" : memory->bits == 256 ? "ymm" : memory->bits == 512 ? "zmm" : "xmm";
}

static bool rule_fits(enum isa isa, const struct osaca_rule *rule, const char *class,
                      const struct spelled_operand *memory, bool strict)
{
    if (rule->class[0] && strcmp(rule->class, "*") != 0 && strcmp(rule->class, class) != 0)
        return false;
    return isa_ops(isa)->osaca->shaped ? a64_address_fits(&rule->address, memory, strict)
                                       : address_fits(&rule->address, memory, false, true);
}

/* Returns the first rule that matches exactly, otherwise the first rule that matches loosely. The
 * default rule, which matches any address, is last. NULL: no rule matches. */
static const struct osaca_rule *rule_for(enum isa isa, const struct osaca_rule *rules, size_t count,
                                         const char *class, const struct spelled_operand *memory)
{
    steps_add(count);
    for (int strict = 1; strict >= 0; strict--)
        for (size_t i = 0; i < count; i++)
            if (rules[i].last ? !strict : rule_fits(isa, &rules[i], class, memory, strict))
                return &rules[i];
    return NULL;
}

/* Adds a rule's usage. @times is the load_throughput_multiplier; if @times is 0, adds no µop. Sets
 * *@rounded if cycles were rounded. */
static void add_usage(struct usage *to, const struct usage *from, double times, bool *rounded)
{
    for (unsigned i = 0; times > 0 && i < from->count; i++) {
        double cycles = from->uops[i].count * times, whole = fmax(1, fmin(round(cycles), 1e6));
        *rounded |= whole != cycles;
        usage_add(to, from->uops[i].ports, (uint32_t)whole);
    }
}

/* Determines whether a form reads and writes its memory operand, from its template, or on AArch64
 * from its mnemonic. Sets *@reads and *@writes. */
static void set_access(enum isa isa, const struct spelling *f, const char *template, bool *reads,
                       bool *writes)
{
    *reads = isa_ops(isa)->osaca->shaped ? str_has_prefix(f->names[0], "ld")
                                         : strstr(template, "{R:M") || strstr(template, "{RW:M");
    *writes = isa_ops(isa)->osaca->shaped ? str_has_prefix(f->names[0], "st")
                                          : strstr(template, "{W:M") || strstr(template, "{RW:M");
}

/* Composes a missing memory form from its register form with a load before it or a store after it.
 * Sets *@rounded if cycles were rounded. Returns false if the file lacks one of them, or if the
 * form has no plain memory operand. */
static bool compose(struct osaca_file *r, const struct spelling *f, const struct form_row *row,
                    struct mapping_entry *out, bool *rounded)
{
    static const struct spelled_operand any = {.class = SPELLED_MEMORY, .base = true};
    struct spelling plain = *f;
    bool reads, writes, a64 = isa_ops(r->isa)->osaca->shaped;
    struct spelled_operand *memory = NULL;

    set_access(r->isa, f, row->template, &reads, &writes);

    for (unsigned i = 0; i < plain.count; i++)
        if (plain.operands[i].class == SPELLED_MEMORY)
            memory = &plain.operands[i];
    if (!memory || (!a64 && (memory->name[0] || f->address)) || !(reads || writes))
        return false;
    const char *class = register_for(r->isa, f, memory);
    const struct spelled_operand address = a64 ? *memory : any;
    *memory = (struct spelled_operand){
        .class = SPELLED_REGISTER, .bits = memory->bits, .mask = memory->mask};
    snprintf(memory->name, sizeof memory->name, "%s", a64 ? "*" : class);
    const struct osaca_rule *load =
        rule_for(r->isa, r->loads.items, r->loads.count, class, &address);
    const struct osaca_rule *store =
        rule_for(r->isa, r->stores.items, r->stores.count, class, &address);
    if ((reads && !load) || (writes && !store))
        return false;
    /* Searches for the register form last, because the search marks the entries that it matches. */
    struct osaca_entry *e = find(r, &plain, row->form);
    if (!e)
        return false;
    e->used = true;
    usage_copy(&out->usage, &e->usage);
    out->latency = e->latency;
    *rounded = e->rounded || (reads && load->rounded) || (writes && store->rounded);
    if (reads) {
        add_usage(&out->usage, &load->usage, osaca_number_of(&r->load_times, class, 1), rounded);
        out->latency += osaca_number_of(&r->load_latency, class, NAN);
    }
    if (writes)
        add_usage(&out->usage, &store->usage, osaca_number_of(&r->store_times, class, 1), rounded);
    return true;
}

/* Fills @out from the entry for the spelling @f of @row, or composes it from the register form.
 * Sets *@rounded if cycles were rounded. Returns false if there is no such entry. */
static bool describe(struct osaca_file *r, const struct spelling *f, const struct form_row *row,
                     struct mapping_entry *out, bool *rounded, struct osaca_notes *notes)
{
    struct osaca_entry *e = find(r, f, row->form);

    if (e) {
        e->used = true;
        *rounded = e->rounded;
        out->latency = e->latency;
        out->micro_ops = e->micro_ops;
        usage_copy(&out->usage, &e->usage);
        notes->direct++;
        return true;
    }
    bool composed = compose(r, f, row, out, rounded);
    notes->composed += composed;
    return composed;
}

static void match_form(struct osaca_file *r, const struct form_row *row, struct mapping *m,
                       struct osaca_notes *notes)
{
    const struct isa_osaca *osaca = isa_ops(r->isa)->osaca;
    struct spelling f, again;
    struct mapping_entry entry = {.form = row->form, .latency = NAN, .source = ""};
    char rounded_source[] = "OSACA; fractions of cycles were rounded";
    bool rounded = false;

    if (!isa_ops(r->isa)->spell(row->form, &f))
        return;
    bool found = describe(r, &f, row, &entry, &rounded, notes);
    if (osaca->respell && osaca->respell(&f, &again)) {
        if (found)
            find(r, &again, row->form);   /* Searches again, because the search also marks the
                                           * entries that the found entry hides. */
        else
            found = describe(r, &again, row, &entry, &rounded, notes);
    }
    if (!found)
        return;
    notes->rounded += rounded;
    entry.source = rounded ? rounded_source : entry.source;
    mapping_set(m, &entry);
    usage_done(&entry.usage);
}

/* Assigns the entries to the forms that they name. Only files written by Portolan contain names of
 * forms. Returns false with err. */
static bool take_named(struct osaca_file *r, struct mapping *m, struct osaca_notes *notes)
{
    for (size_t i = 0; i < r->entries.count; i++) {
        if (watch_steps(ENTRY_STEPS))
            return watch_goes_on(r->err);
        struct osaca_entry *e = &r->entries.items[i];
        const yaml_node_t *list = yaml_tree_get(&r->tree, e->node, "portolan_forms"), *item;
        for (size_t k = 0; (item = yaml_tree_item(&r->tree, list, k)); k++) {
            const char *form = yaml_tree_text(item);
            if (!form || !*form)
                return yaml_tree_fault(&r->tree, item, r->err, "give the name of a form",
                                       "an empty form in portolan_forms");
            char shown[FORM_SHOWN + 1];
            utf8_copy(shown, sizeof shown, form);
            if (mapping_find(m, form))
                return yaml_tree_fault(&r->tree, item, r->err, "remove one of the forms",
                                       "duplicate form %s", shown);
            if (!e->known)
                return yaml_tree_fault(&r->tree, e->node, r->err, "give the entry a port_pressure",
                                       "no port_pressure for %s", shown);
            struct mapping_entry entry = {.form = (char *)form,
                                          .usage = e->usage,
                                          .latency = e->latency,
                                          .micro_ops = e->micro_ops,
                                          .source = (char *)""};
            mapping_set(m, &entry);
            e->used = true;
            notes->direct++;
        }
    }
    return true;
}

/* Sets the fact indexed_store_ports if the rule for stores with an index allows only some of the
 * ports. */
static void set_indexed_ports(const struct osaca_file *r, struct machine *m)
{
    static const struct spelled_operand base = {
        .class = SPELLED_MEMORY, .base = true, .base_name = "x", .offset = true};
    const struct osaca_rule *plain = rule_for(r->isa, r->stores.items, r->stores.count,
                                              isa_ops(r->isa)->osaca->loads[0].class, &base),
                            *indexed = NULL;
    struct str text = {0};

    for (size_t i = 0; i < r->stores.count && !indexed; i++)
        if (r->stores.items[i].address.index == PART_YES)
            indexed = &r->stores.items[i];
    for (unsigned i = 0; plain && indexed && i < indexed->usage.count; i++)
        for (unsigned k = 0; k < plain->usage.count; k++) {
            portset some = indexed->usage.uops[i].ports, all = plain->usage.uops[k].ports;
            if (some != all && !(some & ~all) && !text.length)
                portset_print(some, &r->ports, &text);
        }
    if (text.length)
        machine_set_fact(m, "indexed_store_ports", str_text(&text), "", "OSACA store_throughput");
    str_done(&text);
}

/* Sets a fact. 0 and out-of-range values in a file mean unknown. */
static void set_fact(struct machine *m, const char *key, double value, const char *source)
{
    const struct fact *fact = fact_find(key);
    char text[32];

    if (!(value > 0))
        return;
    snprintf(text, sizeof text, "%.17g", value);
    if (fact_check(fact, text, NULL, NULL))
        machine_set_fact(m, key, text, fact->unit, source);
}

/* Sets facts from the additional keys of Portolan's files, which override OSACA's keys. Does
 * nothing if there are more than FACT_LIMIT keys. */
static void set_own_facts(const struct osaca_file *r, struct machine *m)
{
    const yaml_node_t *facts = yaml_tree_get(
        &r->tree, yaml_tree_get(&r->tree, yaml_tree_root(&r->tree), "portolan"), "facts");

    if (!facts || facts->type != YAML_MAPPING_NODE ||
        facts->data.mapping.pairs.top - facts->data.mapping.pairs.start > FACT_LIMIT)
        return;
    for (const struct fact *f = fact_schema; f->key; f++) {
        const char *text = yaml_tree_text(yaml_tree_get(&r->tree, facts, f->key));
        bool said = strcmp(f->key, "isa") == 0 || strcmp(f->key, "base") == 0;
        if (text && !said && fact_check(f, text, &r->ports, NULL))
            machine_set_fact(m, f->key, text, f->unit, "OSACA machine file, portolan: facts");
    }
}

static void set_facts(const struct osaca_file *r, struct machine *m)
{
    const yaml_node_t *root = yaml_tree_root(&r->tree);
    const char *title = yaml_tree_text(yaml_tree_get(&r->tree, root, "micro_architecture"));

    if (title) {
        free(m->title);
        m->title = mem_strdup(title);
        machine_set_fact(m, "title", title, "", "");
    }
    free(m->isa);
    m->isa = mem_strdup(isa_name(r->isa));
    machine_set_fact(m, "isa", m->isa, "", "");
    machine_set_fact(m, "source", "OSACA machine file", "", "");
    for (const struct osaca_fact *f = osaca_facts; f->key; f++) {
        double value;
        if (osaca_number(yaml_tree_get(&r->tree, root, f->key), &value))
            set_fact(m, f->fact, value, f->key);
    }
    for (const struct osaca_load *load = isa_ops(r->isa)->osaca->loads; load->class; load++)
        if (load->fact && !machine_fact(m, load->fact))
            set_fact(m, load->fact, osaca_number_of(&r->load_latency, load->class, NAN),
                     "load_latency");
    set_indexed_ports(r, m);
    set_own_facts(r, m);
}

/* Sets err to the reason why nothing was imported. If entries were skipped, uses the reason of the
 * first one. Returns false. */
static bool nothing_taken(struct osaca_file *r, struct err *err)
{
    const struct osaca_skip *first = r->skipped.items;
    bool pressure = false;

    for (size_t i = 0; i < r->entries.count; i++)
        pressure |= r->entries.items[i].known;
    if (!r->skipped.count && r->entries.count && !pressure)
        return yaml_tree_fault(&r->tree, NULL, err,
                               "give an OSACA machine file, version 0.3.1 or newer",
                               "no entry has a port_pressure");
    if (!r->skipped.count)
        return yaml_tree_fault(&r->tree, NULL, err, "give a machine file for x86 or AArch64",
                               "the file has no known instruction form");
    yaml_tree_fault(&r->tree, NULL, err, "correct the entries",
                    "no entry is usable; first problem: %s", first->why);
    return err_at(err, r->tree.name, first->line, 0);
}

/* Lists the entries that were not used, with the reason. @named: the file lists the forms of its
 * entries. */
static void list_unused(struct osaca_file *r, bool named, struct osaca_notes *notes)
{
    VEC(struct osaca_unused) unused = {0};

    for (size_t i = 0; i < r->entries.count; i++) {
        const struct osaca_entry *e = &r->entries.items[i];
        if (e->known && e->used)
            continue;
        notes->unknown += !e->known;
        notes->unnamed += e->known;
        struct osaca_unused u = {.line = e->node->start_mark.line + 1};
        u.why = !e->known ? "no port pressure"
                : e->fits ? "other entries describe the same forms"
                : named   ? "no key portolan_forms"
                          : "no form matches";
        osaca_first_name(r, e->node, u.name);
        vec_add(&unused, u);
    }
    notes->unused = unused.items;
    notes->unused_count = unused.count;
}

struct machine *import_osaca_parse(const char *id, const char *name, const char *text,
                                   size_t length, const struct forms *const forms[ISA_COUNT],
                                   struct osaca_notes *notes, struct err *err)
{
    struct osaca_file r;
    struct osaca_notes own = {0};
    struct machine *m = NULL;

    if (!osaca_file_read(&r, name, text, length, err))
        goto out;
    m = machine_new(id, &r.ports);
    set_facts(&r, m);
    own.entries = r.entries.count + r.skipped.count;
    bool ok = true;
    bool named = yaml_tree_get(&r.tree, yaml_tree_root(&r.tree), "portolan") != NULL;
    if (named)
        ok = take_named(&r, m->mapping, &own);
    else
        for (size_t i = 0; forms[r.isa] && i < forms_count(forms[r.isa]) && !watch_steps(1); i++)
            match_form(&r, forms_at(forms[r.isa], i), m->mapping, &own);
    ok = ok && watch_goes_on(err);
    if (ok && mapping_count(m->mapping) == 0)
        ok = nothing_taken(&r, err);
    if (!ok) {
        machine_free(m);
        m = NULL;
    }
    if (notes) {
        list_unused(&r, named, &own);
        own.skipped = r.skipped.items;
        own.skipped_count = r.skipped.count;
        r.skipped.items = NULL;
    }
out:
    osaca_file_done(&r);
    if (notes)
        *notes = own;
    return m;
}

void osaca_notes_done(struct osaca_notes *notes)
{
    free(notes->skipped);
    free(notes->unused);
    *notes = (struct osaca_notes){0};
}

struct machine *import_osaca(const char *id, const char *path,
                             const struct forms *const forms[ISA_COUNT], struct osaca_notes *notes,
                             struct err *err)
{
    struct str text = {0};
    struct machine *m = NULL;

    if (file_read(path, FILE_LIMIT, &text, err))
        m = import_osaca_parse(id, path, str_text(&text), text.length, forms, notes, err);
    str_done(&text);
    return m;
}
