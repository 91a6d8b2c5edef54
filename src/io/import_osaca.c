/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/import_osaca.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "io/yaml_tree.h"
#include "isa/att_name.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define ENTRY_LIMIT ((size_t)1000000)

/* What an entry says of a part of an address. */
enum part { PART_ANY, PART_NO, PART_YES };

struct pattern {
    bool never;                  /* a class that x86 forms do not have */
    enum att_class class;
    char name[16];               /* register class, "*" for any; of memory the index's */
    bool mask;
    enum part base, index, scale, offset;
};

struct entry {
    const yaml_node_t *node;
    struct pattern operands[ATT_OPERANDS];
    unsigned count;
    bool known;                  /* it has a port pressure */
    bool rounded, used;
    struct usage usage;
    double latency;
    unsigned micro_ops;
};

/* A line of load_throughput or store_throughput. */
struct access_rule {
    struct pattern address;
    char class[16];              /* dst or src register class, "" for any */
    struct usage usage;
    bool rounded;
};

struct name_ref { char *name; size_t entry; };

struct reader {
    struct yaml_tree tree;
    struct err *err;
    struct ports ports;
    VEC(struct entry) entries;
    VEC(struct name_ref) names;           /* sorted */
    VEC(struct access_rule) loads, stores;   /* the default comes last */
    struct { char class[16]; double cycles; } load_latency[8];
    unsigned load_latency_count;
};

static bool fault(struct reader *r, const yaml_node_t *node, const char *todo, const char *what)
{
    return yaml_tree_fault(&r->tree, node, r->err, todo, "%s", what);
}

static bool read_number(const yaml_node_t *node, double *out)
{
    const char *text = yaml_tree_text(node);
    char *end;

    *out = NAN;
    if (yaml_tree_null(node))
        return true;
    if (!text)
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*out) && *out >= 0;
}

/* '0156' names a port per character, [2D, 3D] one per item. */
static bool read_port_set(struct reader *r, const yaml_node_t *node, portset *set)
{
    const char *text = yaml_tree_text(node);

    *set = 0;
    if (!text && !(node && node->type == YAML_SEQUENCE_NODE))
        return fault(r, node, "write '01' or ['0', '1']", "a list of ports was expected");
    for (size_t i = 0; text && text[i]; i++) {
        int port = ports_find(&r->ports, text + i, 1);
        if (port < 0)
            return yaml_tree_fault(&r->tree, node, r->err, "add it to ports, or write names longer than a character as a list",
                                   "there is no port \"%c\" in ports", isprint((unsigned char)text[i]) ? text[i] : '?');
        *set |= (portset)1 << port;
    }
    const yaml_node_t *item;
    for (size_t i = 0; !text && (item = yaml_tree_item(&r->tree, node, i)); i++) {
        const char *name = yaml_tree_text(item);
        int port = name ? ports_find(&r->ports, name, strlen(name)) : -1;
        if (port < 0)
            return yaml_tree_fault(&r->tree, item, r->err, "add it to ports", "there is no port \"%.40s\" in ports", name ? name : "");
        *set |= (portset)1 << port;
    }
    return *set || fault(r, node, "name at least one port", "the list of ports is empty");
}

/* [[1, '01'], [4, ['DV']]]; cycles that are no whole number are rounded, up to 1 at least, and said to be. */
static bool read_pressure(struct reader *r, const yaml_node_t *node, struct usage *out, bool *rounded)
{
    const yaml_node_t *pair;

    if (node->type != YAML_SEQUENCE_NODE)
        return fault(r, node, "write [[1, '01'], [4, ['DV']]]", "port_pressure is no list");
    for (size_t i = 0; (pair = yaml_tree_item(&r->tree, node, i)); i++) {
        double cycles;
        portset set;
        const yaml_node_t *first = yaml_tree_item(&r->tree, pair, 0), *second = yaml_tree_item(&r->tree, pair, 1);
        if (!first || !second || yaml_tree_item(&r->tree, pair, 2))
            return fault(r, pair, "write [cycles, ports]", "port_pressure has an item that is no pair");
        if (!read_number(first, &cycles) || isnan(cycles) || cycles > 1e6)
            return fault(r, first, "give cycles from 0 to 1000000", "the cycles of a port pressure are no number");
        if (!read_port_set(r, second, &set))
            return false;
        double whole = fmax(1, round(cycles));
        if (cycles == 0)
            continue;
        *rounded |= whole != cycles;
        usage_add(out, set, (uint32_t)whole);
    }
    return true;
}

static enum part read_part(const struct reader *r, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = yaml_tree_get(&r->tree, map, key);
    const char *text = yaml_tree_text(node);
    if (!node || (text && strcmp(text, "*") == 0))
        return PART_ANY;
    if (yaml_tree_null(node) || (strcmp(key, "scale") == 0 && text && strcmp(text, "1") == 0))
        return PART_NO;
    return PART_YES;
}

static void copy_name(char to[16], const char *text)
{
    snprintf(to, 16, "%s", text ? text : "");
    for (; *to; to++)
        *to = (char)tolower((unsigned char)*to);
}

static void read_address(const struct reader *r, const yaml_node_t *map, struct pattern *out)
{
    out->class = ATT_MEMORY;
    out->base = read_part(r, map, "base");
    out->index = read_part(r, map, "index");
    out->scale = read_part(r, map, "scale");
    out->offset = read_part(r, map, "offset");
    copy_name(out->name, yaml_tree_text(yaml_tree_get(&r->tree, map, "index")));
}

static bool read_operand(struct reader *r, const yaml_node_t *node, struct pattern *out)
{
    const char *class = yaml_tree_text(yaml_tree_get(&r->tree, node, "class"));

    const char *mask = yaml_tree_text(yaml_tree_get(&r->tree, node, "mask"));

    *out = (struct pattern){.mask = mask && (strcmp(mask, "true") == 0 || strcmp(mask, "True") == 0)};
    if (!class)
        return fault(r, node, "write - class: register", "an operand without a class");
    if (strcmp(class, "register") == 0) {
        out->class = ATT_REGISTER;
        copy_name(out->name, yaml_tree_text(yaml_tree_get(&r->tree, node, "name")));
        out->never = !out->name[0];
    } else if (strcmp(class, "memory") == 0) {
        read_address(r, node, out);
    } else {
        out->class = strcmp(class, "identifier") == 0 ? ATT_LABEL : ATT_IMMEDIATE;
        out->never = out->class == ATT_IMMEDIATE && strcmp(class, "immediate") != 0;
    }
    return true;
}

static bool add_name(struct reader *r, const yaml_node_t *node, size_t entry)
{
    const char *text = yaml_tree_text(node);
    if (!text)
        return fault(r, node, "give the mnemonic", "an instruction form without a name");
    struct name_ref ref = {mem_strdup(text), entry};
    for (char *p = ref.name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    vec_push(&r->names, ref);
    return true;
}

static bool read_entry(struct reader *r, const yaml_node_t *node)
{
    struct entry e = {.node = node, .latency = NAN};
    double uops;
    const yaml_node_t *name = yaml_tree_get(&r->tree, node, "name"), *operands = yaml_tree_get(&r->tree, node, "operands"), *item;
    const yaml_node_t *pressure = yaml_tree_get(&r->tree, node, "port_pressure");

    if (node->type != YAML_MAPPING_NODE)
        return fault(r, node, "write - name: add", "an instruction form is no mapping");
    for (size_t i = 0; (item = yaml_tree_item(&r->tree, name, i)); i++)
        if (!add_name(r, item, r->entries.count))
            return false;
    if (!(name && name->type == YAML_SEQUENCE_NODE) && !add_name(r, name ? name : node, r->entries.count))
        return false;
    if (!yaml_tree_null(operands) && operands->type != YAML_SEQUENCE_NODE)
        return fault(r, operands, "write a list", "operands is no list");
    for (size_t i = 0; (item = yaml_tree_item(&r->tree, operands, i)); i++) {
        struct pattern p;
        if (!read_operand(r, item, &p))
            return false;
        if (i < ATT_OPERANDS)
            e.operands[i] = p;
        e.count = (unsigned)(i < ATT_OPERANDS ? i + 1 : ATT_OPERANDS + 1);   /* too many: never found */
    }
    if (!read_number(yaml_tree_get(&r->tree, node, "latency"), &e.latency))
        return fault(r, yaml_tree_get(&r->tree, node, "latency"), "give cycles, or ~", "the latency is no number");
    if (!read_number(yaml_tree_get(&r->tree, node, "uops"), &uops))
        return fault(r, yaml_tree_get(&r->tree, node, "uops"), "give a number, or ~", "uops is no number");
    e.micro_ops = isnan(uops) || uops > 10000 || uops != floor(uops) ? 0 : (unsigned)uops;
    e.known = !yaml_tree_null(pressure);
    bool ok = !e.known || read_pressure(r, pressure, &e.usage, &e.rounded);
    vec_push(&r->entries, e);
    return ok;
}

static bool read_rules(struct reader *r, const char *key, const char *class_key, bool loads)
{
    const yaml_node_t *root = yaml_tree_root(&r->tree), *list = yaml_tree_get(&r->tree, root, key), *item;
    struct str fallback = {0};
    bool ok = true;

    str_addf(&fallback, "%s_default", key);
    const yaml_node_t *last = yaml_tree_get(&r->tree, root, str_text(&fallback));
    str_done(&fallback);
    for (size_t i = 0; ok && ((item = yaml_tree_item(&r->tree, list, i)) || !yaml_tree_null(last)); i++) {
        struct access_rule rule = {0};
        const yaml_node_t *pressure = item ? yaml_tree_get(&r->tree, item, "port_pressure") : last;
        if (item)
            read_address(r, item, &rule.address);
        else
            last = NULL;
        copy_name(rule.class, item ? yaml_tree_text(yaml_tree_get(&r->tree, item, class_key)) : "");
        if (yaml_tree_null(pressure))
            continue;
        ok = read_pressure(r, pressure, &rule.usage, &rule.rounded);
        if (loads)
            vec_push(&r->loads, rule);
        else
            vec_push(&r->stores, rule);
    }
    return ok;
}

static bool read_load_latency(struct reader *r)
{
    const yaml_node_t *map = yaml_tree_get(&r->tree, yaml_tree_root(&r->tree), "load_latency");
    static const char *const classes[] = {"gpr", "mm", "xmm", "ymm", "zmm"};

    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
        const yaml_node_t *node = yaml_tree_get(&r->tree, map, classes[i]);
        double cycles;
        if (!read_number(node, &cycles))
            return fault(r, node, "give cycles, or ~", "a load latency is no number");
        if (isnan(cycles))
            continue;
        copy_name(r->load_latency[r->load_latency_count].class, classes[i]);
        r->load_latency[r->load_latency_count++].cycles = cycles;
    }
    return true;
}

/* Dividers are the ports whose names end in DV, unless the file is our own and says so itself. */
static bool read_ports(struct reader *r)
{
    const yaml_node_t *root = yaml_tree_root(&r->tree), *list = yaml_tree_get(&r->tree, root, "ports"), *item;
    const yaml_node_t *own = yaml_tree_get(&r->tree, root, "portolan"), *pipes = yaml_tree_get(&r->tree, own, "pipes");

    for (size_t i = 0; (item = yaml_tree_item(&r->tree, list, i)); i++) {
        const char *name = yaml_tree_text(item);
        struct err why = {0};
        if (!ports_add(&r->ports, name ? name : "", &why))
            return yaml_tree_fault(&r->tree, item, r->err, why.todo, "%s", why.what);
        if (!own && port_name_divides(name))
            r->ports.pipes |= (portset)1 << (r->ports.count - 1);
    }
    if (!r->ports.count)
        return fault(r, list ? list : root, "write ports: ['0', '1']", "the list of ports is missing");
    portset set = 0;
    if (yaml_tree_item(&r->tree, pipes, 0) && !read_port_set(r, pipes, &set))
        return false;
    r->ports.pipes |= set;
    return true;
}

static int order_names(const void *a, const void *b)
{
    const struct name_ref *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

static bool read_file(struct reader *r, const char *name, const char *text, size_t length)
{
    if (!yaml_tree_parse(name, text, length, &r->tree, r->err))
        return false;
    const yaml_node_t *root = yaml_tree_root(&r->tree), *list = yaml_tree_get(&r->tree, root, "instruction_forms"), *item;
    if (!root || root->type != YAML_MAPPING_NODE || !list || list->type != YAML_SEQUENCE_NODE)
        return fault(r, list ? list : root, "give an OSACA machine file", "the list instruction_forms is missing");
    const char *isa = yaml_tree_text(yaml_tree_get(&r->tree, root, "isa"));
    if (!isa || (strcmp(isa, "x86") != 0 && strcmp(isa, "X86") != 0))
        return fault(r, yaml_tree_get(&r->tree, root, "isa"), "give a file with isa: x86", "the instruction set is not x86");
    if (!read_ports(r) || !read_load_latency(r) || !read_rules(r, "load_throughput", "dst", true) || !read_rules(r, "store_throughput", "src", false))
        return false;
    for (size_t i = 0; (item = yaml_tree_item(&r->tree, list, i)); i++)
        if (i >= ENTRY_LIMIT || !read_entry(r, item))
            return i < ENTRY_LIMIT ? false : fault(r, item, "split the file", "more than a million instruction forms");
    if (r->names.count)
        qsort(r->names.items, r->names.count, sizeof *r->names.items, order_names);
    return true;
}

static void reader_done(struct reader *r)
{
    for (size_t i = 0; i < r->entries.count; i++)
        usage_done(&r->entries.items[i].usage);
    for (size_t i = 0; i < r->names.count; i++)
        free(r->names.items[i].name);
    for (size_t i = 0; i < r->loads.count; i++)
        usage_done(&r->loads.items[i].usage);
    for (size_t i = 0; i < r->stores.count; i++)
        usage_done(&r->stores.items[i].usage);
    vec_done(&r->entries);
    vec_done(&r->names);
    vec_done(&r->loads);
    vec_done(&r->stores);
    yaml_tree_done(&r->tree);
}

static bool part_fits(enum part part, bool there)
{
    return part == PART_ANY || (part == PART_YES) == there;
}

/* @strict: a plain memory operand stands for an address with a base alone; otherwise for any. */
static bool address_fits(const struct pattern *p, const struct att_operand *o, bool address, bool strict)
{
    bool vector = str_has_prefix(p->name, "xmm") || str_has_prefix(p->name, "ymm") || str_has_prefix(p->name, "zmm");
    if (o->name[0] || vector)
        return (o->name[0] && strcmp(p->name, o->name) == 0) || (o->name[0] && p->index == PART_ANY);
    if (address)
        return part_fits(p->base, o->base) && part_fits(p->index, o->index) && part_fits(p->offset, o->offset) && part_fits(p->scale, o->scale);
    return !strict || (p->base != PART_NO && p->index != PART_YES && p->offset != PART_YES);
}

static bool operand_fits(const struct pattern *p, const struct att_operand *o, bool address, bool strict)
{
    if (p->never || p->class != o->class || p->mask != o->mask)
        return false;
    if (p->class == ATT_MEMORY)
        return address_fits(p, o, address, strict);
    return p->class != ATT_REGISTER || strcmp(p->name, "*") == 0 || strcmp(p->name, o->name) == 0;
}

static bool entry_fits(const struct entry *e, const struct att_form *f, bool strict)
{
    if (!e->known || e->count != f->count)
        return false;
    for (unsigned i = 0; i < f->count; i++)
        if (!operand_fits(&e->operands[i], &f->operands[i], f->address, strict))
            return false;
    return true;
}

static struct entry *find_named(struct reader *r, const char *name, const struct att_form *f, bool strict)
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
        struct entry *e = &r->entries.items[r->names.items[low].entry];
        if (entry_fits(e, f, strict))
            return e;
    }
    return NULL;
}

static struct entry *find(struct reader *r, const struct att_form *f)
{
    for (int strict = 1; strict >= 0; strict--)
        for (unsigned i = 0; i < f->name_count; i++) {
            struct entry *e = find_named(r, f->names[i], f, strict);
            if (e)
                return e;
        }
    return NULL;
}

/* The register class that a load into the memory operand's place would fill. */
static const char *register_for(const struct att_form *f, const struct att_operand *memory)
{
    bool vector = false;
    for (unsigned i = 0; i < f->count; i++)
        vector |= f->operands[i].class == ATT_REGISTER && strlen(f->operands[i].name) == 3 && strcmp(f->operands[i].name + 1, "mm") == 0;
    return !vector ? "gpr" : memory->bits == 256 ? "ymm" : memory->bits == 512 ? "zmm" : "xmm";
}

static const struct access_rule *rule_for(const struct access_rule *rules, size_t count, const char *class)
{
    static const struct att_operand plain = {.class = ATT_MEMORY, .base = true};
    for (size_t i = 0; i < count; i++)
        if ((!rules[i].class[0] || strcmp(rules[i].class, "*") == 0 || strcmp(rules[i].class, class) == 0) && address_fits(&rules[i].address, &plain, false, true))
            return &rules[i];
    return NULL;
}

static void add_usage(struct usage *to, const struct usage *from)
{
    for (unsigned i = 0; i < from->count; i++)
        usage_add(to, from->uops[i].ports, from->uops[i].count);
}

/* A memory form that the file lacks: its register form with a load before or a store behind. */
static bool compose(struct reader *r, const struct att_form *f, const char *template, struct mapping_entry *out, bool *rounded)
{
    struct att_form plain = *f;
    bool reads = strstr(template, "{R:M") || strstr(template, "{RW:M"), writes = strstr(template, "{W:M") || strstr(template, "{RW:M");
    struct att_operand *memory = NULL;

    for (unsigned i = 0; i < plain.count; i++)
        if (plain.operands[i].class == ATT_MEMORY)
            memory = &plain.operands[i];
    if (!memory || memory->name[0] || f->address || !(reads || writes))
        return false;
    const char *class = register_for(f, memory);
    *memory = (struct att_operand){.class = ATT_REGISTER, .bits = memory->bits, .mask = memory->mask};
    snprintf(memory->name, sizeof memory->name, "%s", class);
    struct entry *e = find(r, &plain);
    const struct access_rule *load = rule_for(r->loads.items, r->loads.count, class), *store = rule_for(r->stores.items, r->stores.count, class);
    if (!e || (reads && !load) || (writes && !store))
        return false;
    usage_copy(&out->usage, &e->usage);
    out->latency = e->latency;
    *rounded = e->rounded || (reads && load->rounded) || (writes && store->rounded);
    if (reads) {
        double cycles = NAN;
        for (unsigned i = 0; i < r->load_latency_count; i++)
            if (strcmp(r->load_latency[i].class, class) == 0)
                cycles = r->load_latency[i].cycles;
        add_usage(&out->usage, &load->usage);
        out->latency += cycles;
    }
    if (writes)
        add_usage(&out->usage, &store->usage);
    return true;
}

static void match_form(struct reader *r, const struct form_row *row, struct mapping *m, struct osaca_notes *notes)
{
    struct att_form f;
    struct mapping_entry entry = {.form = row->form, .latency = NAN, .source = ""};
    char rounded_source[] = "OSACA; fractions of cycles rounded";
    bool rounded = false;

    if (!att_form(row->form, &f))
        return;
    struct entry *e = find(r, &f);
    if (e) {
        e->used = true;
        rounded = e->rounded;
        entry.latency = e->latency;
        entry.micro_ops = e->micro_ops;
        usage_copy(&entry.usage, &e->usage);
        notes->direct++;
    } else if (compose(r, &f, row->template, &entry, &rounded)) {
        notes->composed++;
    } else {
        return;
    }
    notes->rounded += rounded;
    entry.source = rounded ? rounded_source : entry.source;
    mapping_set(m, &entry);
    usage_done(&entry.usage);
}

/* Files of our own name the forms that each entry stands for. */
static bool take_named(struct reader *r, struct mapping *m, struct osaca_notes *notes)
{
    for (size_t i = 0; i < r->entries.count; i++) {
        struct entry *e = &r->entries.items[i];
        const yaml_node_t *list = yaml_tree_get(&r->tree, e->node, "portolan_forms"), *item;
        for (size_t k = 0; (item = yaml_tree_item(&r->tree, list, k)); k++) {
            const char *form = yaml_tree_text(item);
            if (!form || !*form)
                return fault(r, item, "give the name of a form", "an empty form in portolan_forms");
            if (mapping_find(m, form))
                return yaml_tree_fault(&r->tree, item, r->err, "keep one of them", "the form %.100s occurs twice", form);
            if (!e->known)
                return yaml_tree_fault(&r->tree, e->node, r->err, "give it a port_pressure", "%.100s has no port pressure", form);
            struct mapping_entry entry = {.form = (char *)form, .usage = e->usage, .latency = e->latency, .micro_ops = e->micro_ops, .source = (char *)""};
            mapping_set(m, &entry);
            e->used = true;
            notes->direct++;
        }
    }
    return true;
}

/* Where stores with an index may not use a port that others may (Skylake's 7). */
static void set_indexed_ports(const struct reader *r, struct machine *m)
{
    const struct access_rule *plain = rule_for(r->stores.items, r->stores.count, "gpr"), *indexed = NULL;
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

static void set_facts(const struct reader *r, struct machine *m)
{
    static const char *const keys[][2] = {
        {"dispatched_uops_per_cycle", "issue_width"}, {"retired_uOps_per_cycle", "issue_width"}, {"ROB_size", "rob_size"}, {"scheduler_size", "scheduler_size"}};
    const yaml_node_t *root = yaml_tree_root(&r->tree);
    const char *title = yaml_tree_text(yaml_tree_get(&r->tree, root, "micro_architecture"));

    if (title) {
        free(m->title);
        m->title = mem_strdup(title);
        machine_set_fact(m, "title", title, "", "");
    }
    machine_set_fact(m, "isa", "x86-64", "", "");
    machine_set_fact(m, "source", "OSACA machine file", "", "");
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        const yaml_node_t *node = yaml_tree_get(&r->tree, root, keys[i][0]);
        double value;
        if (!machine_fact(m, keys[i][1]) && read_number(node, &value) && !isnan(value) && value > 0)
            machine_set_fact(m, keys[i][1], yaml_tree_text(node), "", keys[i][0]);
    }
    set_indexed_ports(r, m);
}

struct machine *import_osaca_parse(const char *id, const char *name, const char *text, size_t length, const struct forms *forms,
                                   struct osaca_notes *notes, struct err *err)
{
    struct reader r = {.err = err};
    struct osaca_notes own = {0};
    struct machine *m = NULL;

    if (!read_file(&r, name, text, length))
        goto out;
    m = machine_new(id, &r.ports);
    set_facts(&r, m);
    own.entries = r.entries.count;
    bool ok = true;
    if (yaml_tree_get(&r.tree, yaml_tree_root(&r.tree), "portolan"))
        ok = take_named(&r, m->mapping, &own);
    else
        for (size_t i = 0; i < forms_count(forms); i++)
            match_form(&r, forms_at(forms, i), m->mapping, &own);
    if (ok && mapping_count(m->mapping) == 0)
        ok = fault(&r, NULL, "give a machine file for x86", "no instruction form in it is one we know");
    for (size_t i = 0; i < r.entries.count; i++)
        own.unnamed += !r.entries.items[i].used;
    if (!ok) {
        machine_free(m);
        m = NULL;
    }
out:
    reader_done(&r);
    if (notes)
        *notes = own;
    return m;
}

struct machine *import_osaca(const char *id, const char *path, const struct forms *forms, struct osaca_notes *notes, struct err *err)
{
    struct str text = {0};
    struct machine *m = NULL;

    if (file_read(path, FILE_LIMIT, &text, err))
        m = import_osaca_parse(id, path, str_text(&text), text.length, forms, notes, err);
    str_done(&text);
    return m;
}
