/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/osaca_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compare.h"
#include "base/shortage.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/watch.h"

/* Limits far above the needs of a machine file. They are necessary, because aliases can expand a
 * small file without limit. */
#define ENTRY_LIMIT ((size_t)200000)
#define NAME_LIMIT ((size_t)1000000)
#define KEY_LIMIT 64
#define ENTRY_STEPS 16   /* steps (base/steps.h) per entry */
#define LIST_LIMIT 256
#define SKIP_LIMIT ((size_t)10000)
#define PORT_SHOWN 40    /* maximum number of bytes of an unknown port's name in messages */

const struct osaca_fact osaca_facts[] = {
    {.key = "ROB_size", .fact = "reorder_buffer"},
    {.key = "scheduler_size", .fact = "scheduler"},
    {.key = "retired_uOps_per_cycle", .fact = "retire_width"},
    {.key = "dispatched_uops_per_cycle", .fact = "issue_width"},
    {.key = "store_to_load_forward_latency", .fact = "store_forward", .added = true},
    {.key = "load_buffer_size", .fact = "load_buffer", .ours = true},
    {.key = "store_buffer_size", .fact = "store_buffer", .ours = true},
    {0},
};

static bool fault(struct osaca_file *r, const yaml_node_t *node, const char *todo, const char *what)
{
    return yaml_tree_fault(&r->tree, node, r->err, todo, "%s", what);
}

bool osaca_number(const yaml_node_t *node, double *out)
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

/* Returns whether the mapping has few keys. A search in such a mapping is cheap, even if aliases
 * repeat it. */
static bool small_mapping(const yaml_node_t *node)
{
    return node->type == YAML_MAPPING_NODE &&
           node->data.mapping.pairs.top - node->data.mapping.pairs.start <= KEY_LIMIT;
}

/* Parses a set of ports. '0156' has one port per character, [2D, 3D] one port per item. '0DV' is a
 * single port. Stores the set in *@set. Returns false with r->err if invalid. */
static bool read_port_set(struct osaca_file *r, const yaml_node_t *node, portset *set)
{
    const char *text = yaml_tree_text(node);

    *set = 0;
    if (!text && !(node && node->type == YAML_SEQUENCE_NODE))
        return fault(r, node, "write '01' or ['0', '1']", "expected a list of ports");
    for (size_t i = 0; text && text[i]; i++) {
        if (i == LIST_LIMIT)
            return fault(r, node, "use each port once", "the list of ports is too long");
        int port = ports_find(&r->ports, text + i, 1);
        int whole = port < 0 ? ports_find(&r->ports, text, strlen(text)) : -1;
        if (whole >= 0) {
            *set = (portset)1 << whole;
            return true;
        }
        if (port < 0)
            return yaml_tree_fault(
                &r->tree, node, r->err,
                "add the port to the list ports, or write names of several characters as a list",
                "unknown port \"%c\"", isprint((unsigned char)text[i]) ? text[i] : '?');
        *set |= (portset)1 << port;
    }
    const yaml_node_t *item;
    for (size_t i = 0; !text && (item = yaml_tree_item(&r->tree, node, i)); i++) {
        if (i == LIST_LIMIT)
            return fault(r, item, "use each port once", "the list of ports is too long");
        const char *name = yaml_tree_text(item);
        int port = name ? ports_find(&r->ports, name, strlen(name)) : -1;
        if (port < 0) {
            char shown[PORT_SHOWN + 1];
            utf8_copy(shown, sizeof shown, name ? name : "");
            return yaml_tree_fault(&r->tree, item, r->err, "add the port to the list ports",
                                   "unknown port \"%s\"", shown);
        }
        *set |= (portset)1 << port;
    }
    return *set || fault(r, node, "give at least one port", "the list of ports is empty");
}

struct pressure_item { portset set; double cycles; };

static bool read_pressure_item(struct osaca_file *r, const yaml_node_t *pair,
                               struct pressure_item *out)
{
    const yaml_node_t *first = yaml_tree_item(&r->tree, pair, 0),
                      *second = yaml_tree_item(&r->tree, pair, 1);

    if (!first || !second || yaml_tree_item(&r->tree, pair, 2))
        return fault(r, pair, "write [cycles, ports]", "an item of port_pressure is not a pair");
    if (!osaca_number(first, &out->cycles) || isnan(out->cycles) || out->cycles > 1e6)
        return fault(r, first, "give cycles from 0 to 1000000", "invalid cycles in port_pressure");
    return read_port_set(r, second, &out->set);
}

/* Returns the cycles of the busiest port if each item is distributed evenly over its ports, as in
 * OSACA. */
static double fullest_port(const struct pressure_item *items, size_t count)
{
    double load[PORTS_MAX] = {0}, most = 0;

    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < PORTS_MAX; j++)
            if (items[i].set >> j & 1) {
                load[j] += items[i].cycles / portset_size(items[i].set);
                most = fmax(most, load[j]);
            }
    return most;
}

/* Returns the cycles of @item as an integer of at least 1, or 0 if the item has none. @has_others:
 * another item has at least one cycle. A fraction that would become the bottleneck if rounded up is
 * then also 0. For example, [1, '23'], [0.5, ['11']] permit two per cycle. */
static double whole_cycles(const struct pressure_item *item, double most, bool has_others)
{
    double whole = fmax(1, round(item->cycles));
    return item->cycles == 0 ||
                   (has_others && item->cycles < 1 && whole > most * portset_size(item->set))
               ? 0
               : whole;
}

/* Parses a pressure [[1, '01'], [4, ['DV']]]. Rounds fractional cycles, and sets *@rounded if a
 * number changed. Of the alternatives {0: [[1, '0']], 1: [[1, '1']]}, uses number 0, which OSACA
 * tries first. Returns false with r->err if invalid. */
static bool read_pressure(struct osaca_file *r, const yaml_node_t *node, struct usage *out,
                          bool *rounded)
{
    struct pressure_item items[LIST_LIMIT];
    size_t count = 0;
    bool whole = false;
    const yaml_node_t *first = small_mapping(node) ? yaml_tree_get(&r->tree, node, "0") : NULL,
                      *pair;

    node = first ? first : node;
    if (node->type != YAML_SEQUENCE_NODE)
        return fault(r, node, "write [[1, '01'], [4, ['DV']]]", "port_pressure is not a list");
    for (; (pair = yaml_tree_item(&r->tree, node, count)); count++) {
        if (count == LIST_LIMIT)
            return fault(r, pair, "merge entries with the same ports",
                         "the list port_pressure is too long");
        if (!read_pressure_item(r, pair, &items[count]))
            return false;
        whole |= items[count].cycles >= 1;
    }
    double most = fullest_port(items, count);
    for (size_t i = 0; i < count; i++) {
        double cycles = whole_cycles(&items[i], most, whole);
        *rounded |= cycles != items[i].cycles;
        if (cycles > 0)
            usage_add(out, items[i].set, (uint32_t)cycles);
    }
    return true;
}

/* Parses a mark of the address: true, false, or "*" for either. A missing or other mark is false.
 * The key may have either of two spellings. */
static enum osaca_part read_mark(const struct osaca_file *r, const yaml_node_t *map,
                                 const char *key, const char *other)
{
    const yaml_node_t *node = yaml_tree_get(&r->tree, map, key);
    const char *text = yaml_tree_text(node ? node : yaml_tree_get(&r->tree, map, other));
    if (!text)
        return PART_NO;
    return strcmp(text, "*") == 0 ? PART_ANY : strcasecmp(text, "true") == 0 ? PART_YES : PART_NO;
}

static enum osaca_part read_part(const struct osaca_file *r, const yaml_node_t *map,
                                 const char *key)
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

static void read_address(const struct osaca_file *r, const yaml_node_t *map,
                         struct osaca_pattern *out)
{
    out->class = SPELLED_MEMORY;
    out->base = read_part(r, map, "base");
    out->index = read_part(r, map, "index");
    out->scale = read_part(r, map, "scale");
    out->offset = read_part(r, map, "offset");
    out->pre = read_mark(r, map, "pre_indexed", "pre-indexed");
    out->post = read_mark(r, map, "post_indexed", "post-indexed");
    copy_name(out->name, yaml_tree_text(yaml_tree_get(&r->tree, map, "index")));
    copy_name(out->base_name, yaml_tree_text(yaml_tree_get(&r->tree, map, "base")));
}

static bool read_operand(struct osaca_file *r, const yaml_node_t *node, struct osaca_pattern *out)
{
    if (!small_mapping(node))
        return fault(r, node, "write - class: register",
                     "an operand is not a YAML mapping, or has too many keys");
    const char *class = yaml_tree_text(yaml_tree_get(&r->tree, node, "class"));

    const char *mask = yaml_tree_text(yaml_tree_get(&r->tree, node, "mask"));

    *out = (struct osaca_pattern){.mask = mask &&
                                          (strcmp(mask, "true") == 0 || strcmp(mask, "True") == 0)};
    if (!class)
        return fault(r, node, "write - class: register", "an operand has no class");
    if (strcmp(class, "register") == 0) {
        out->class = SPELLED_REGISTER;
        copy_name(out->name, yaml_tree_text(yaml_tree_get(&r->tree, node,
                                                          isa_ops(r->isa)->osaca->register_key)));
        copy_name(out->shape, yaml_tree_text(yaml_tree_get(&r->tree, node, "shape")));
        out->never = !out->name[0];
        r->masks |= out->mask || strcmp(out->name, "zmm") == 0 || strcmp(out->name, "k") == 0;
    } else if (strcmp(class, "memory") == 0) {
        read_address(r, node, out);
    } else {
        static const char *const classes[] = {[SPELLED_IMMEDIATE] = "immediate",
                                              [SPELLED_LABEL] = "identifier",
                                              [SPELLED_CONDITION] = "condition",
                                              [SPELLED_PREFETCH] = "prfop"};
        out->never = true;
        for (size_t i = SPELLED_IMMEDIATE; i < sizeof classes / sizeof *classes; i++)
            if (strcmp(class, classes[i]) == 0) {
                out->class = (enum spelled_class)i;
                out->never = false;
            }
    }
    return true;
}

static bool add_name(struct osaca_file *r, const yaml_node_t *node, size_t entry, bool listed)
{
    const char *text = yaml_tree_text(node);
    if (!text)
        return fault(r, node, "give the mnemonic", "an instruction form has no name");
    if (shortage_met())
        return err_memory(r->err, r->tree.name, r->names.count * sizeof *r->names.items);
    if (r->names_read >= NAME_LIMIT)
        return fault(r, node, "split the file", "the file has more than a million names");
    r->names_read++;
    struct osaca_name ref = {mem_strdup(text), entry, listed};
    for (char *p = ref.name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    vec_push(&r->names, ref);
    return true;
}

/* Converts an AVX-512 mask to a mark on the destination. In files made from uops.info, the mask is
 * a general register before the destination. No vector instruction has a general register there.
 * @name is in lower case. */
static void take_guard(struct osaca_file *r, const char *name, struct osaca_entry *e)
{
    const struct osaca_pattern *guard =
        e->count > 2 && e->count <= SPELLING_OPERANDS ? &e->operands[e->count - 2] : NULL;

    if (!guard || isa_ops(r->isa)->osaca->shaped || name[0] != 'v' ||
        guard->class != SPELLED_REGISTER ||
        (strcmp(guard->name, "gpr") != 0 && strcmp(guard->name, "k") != 0))
        return;
    e->operands[e->count - 2] = e->operands[e->count - 1];
    e->operands[e->count - 2].mask = true;
    e->count--;
    r->masks = true;
}

/* Fills @e except its names, which begin at index @names. Returns false with r->err if invalid. */
static bool read_form(struct osaca_file *r, const yaml_node_t *node, size_t names,
                      struct osaca_entry *e)
{
    double uops;
    const yaml_node_t *operands = yaml_tree_get(&r->tree, node, "operands"),
                      *pressure = yaml_tree_get(&r->tree, node, "port_pressure"), *item;
    const yaml_node_t *throughput = yaml_tree_get(&r->tree, node, "throughput");

    if (!yaml_tree_null(operands) && operands->type != YAML_SEQUENCE_NODE)
        return fault(r, operands, "write a list", "operands is not a list");
    for (size_t i = 0; (item = yaml_tree_item(&r->tree, operands, i)); i++) {
        struct osaca_pattern p;
        if (i == LIST_LIMIT || !read_operand(r, item, &p))
            return i < LIST_LIMIT ? false
                                  : fault(r, item, "give only the operands of the instruction",
                                          "an instruction form has too many operands");
        if (i < SPELLING_OPERANDS)
            e->operands[i] = p;
        /* Gives an entry with too many operands a number of operands that no form has. */
        e->count = (unsigned)(i < SPELLING_OPERANDS ? i + 1 : SPELLING_OPERANDS + 1);
    }
    if (r->names.count > names)
        take_guard(r, r->names.items[names].name, e);
    if (!osaca_number(yaml_tree_get(&r->tree, node, "latency"), &e->latency))
        return fault(r, yaml_tree_get(&r->tree, node, "latency"), "give cycles, or ~",
                     "invalid latency");
    if (!osaca_number(yaml_tree_get(&r->tree, node, "uops"), &uops))
        return fault(r, yaml_tree_get(&r->tree, node, "uops"), "give a number, or ~",
                     "invalid uops");
    e->micro_ops = isnan(uops) || uops > 10000 || uops != floor(uops) ? 0 : (unsigned)uops;
    /* An empty pressure means no port, unless the throughput is marked as unknown. */
    const yaml_node_t *first = !yaml_tree_null(pressure) && small_mapping(pressure)
                                   ? yaml_tree_get(&r->tree, pressure, "0")
                                   : NULL,
                      *list = first ? first : pressure;
    bool unmeasured = throughput && yaml_tree_null(throughput) && !yaml_tree_null(list) &&
                      list->type == YAML_SEQUENCE_NODE && !yaml_tree_item(&r->tree, list, 0);
    e->known = !yaml_tree_null(pressure) && !unmeasured;
    return !e->known || read_pressure(r, pressure, &e->usage, &e->rounded);
}

static bool read_names(struct osaca_file *r, const yaml_node_t *node)
{
    const yaml_node_t *name = yaml_tree_get(&r->tree, node, "name"), *item;

    if (!name || name->type != YAML_SEQUENCE_NODE)
        return add_name(r, name ? name : node, r->entries.count, false);
    for (size_t i = 0; (item = yaml_tree_item(&r->tree, name, i)); i++)
        if (!add_name(r, item, r->entries.count, true))
            return false;
    return true;
}

/* Reads an entry. If the entry is invalid, returns false without any effect. */
static bool read_entry(struct osaca_file *r, const yaml_node_t *node)
{
    struct osaca_entry e = {.node = node, .latency = NAN};
    size_t names = r->names.count;

    if (!small_mapping(node))
        return fault(r, node, "write - name: add",
                     "an instruction form is not a YAML mapping, or has too many keys");
    if (!read_names(r, node) || !read_form(r, node, names, &e)) {
        while (r->names.count > names)
            free(r->names.items[--r->names.count].name);
        usage_done(&e.usage);
        return false;
    }
    vec_push(&r->entries, e);
    return true;
}

void osaca_first_name(const struct osaca_file *r, const yaml_node_t *node, char to[OSACA_NAME])
{
    const yaml_node_t *name = small_mapping(node) ? yaml_tree_get(&r->tree, node, "name") : NULL;
    const char *text = yaml_tree_text(
        name && name->type == YAML_SEQUENCE_NODE ? yaml_tree_item(&r->tree, name, 0) : name);
    utf8_copy(to, OSACA_NAME, text ? text : "");
}

/* Lists @node as skipped because of @why. Returns false with err if reading must end. */
static bool skip(struct osaca_file *r, const yaml_node_t *node, const struct err *why,
                 struct err *outer)
{
    struct osaca_skip s = {.line = why->line};

    r->err = outer;
    if (why->code != ERR_DATA || r->skipped.count == SKIP_LIMIT) {
        if (outer)
            *outer = *why;
        return false;
    }
    osaca_first_name(r, node, s.name);
    utf8_copy(s.why, sizeof s.why, why->what);
    vec_push(&r->skipped, s);
    return true;
}

/* Reads all entries, and lists the invalid entries. Returns false with r->err if reading must
 * end. */
static bool read_entries(struct osaca_file *r, const yaml_node_t *list)
{
    struct err *outer = r->err;
    const yaml_node_t *item;

    for (size_t i = 0; (item = yaml_tree_item(&r->tree, list, i)); i++) {
        struct err why = {0};
        if (watch_steps(ENTRY_STEPS))
            return watch_goes_on(r->err);
        if (i >= ENTRY_LIMIT)
            return fault(r, item, "split the file",
                         "the file has more than 200,000 instruction forms");
        r->err = &why;
        if (!read_entry(r, item) && !skip(r, item, &why, outer))
            return false;
        r->err = outer;
    }
    return true;
}

/* Reads a rule of a list, or the list's default if @item is NULL. */
static bool read_rule(struct osaca_file *r, const yaml_node_t *item, const yaml_node_t *pressure,
                      const char *class_key, struct osaca_rule *rule)
{
    *rule = (struct osaca_rule){.last = !item};
    if (item) {
        read_address(r, item, &rule->address);
        copy_name(rule->class, yaml_tree_text(yaml_tree_get(&r->tree, item, class_key)));
    }
    return read_pressure(r, pressure, &rule->usage, &rule->rounded);
}

static bool read_rules(struct osaca_file *r, const char *key, const char *class_key, bool loads)
{
    const yaml_node_t *root = yaml_tree_root(&r->tree), *list = yaml_tree_get(&r->tree, root, key),
                      *item;
    struct err *outer = r->err;
    char fallback[32];

    snprintf(fallback, sizeof fallback, "%s_default", key);
    const yaml_node_t *last = yaml_tree_get(&r->tree, root, fallback);
    for (size_t i = 0; (item = yaml_tree_item(&r->tree, list, i)) || !yaml_tree_null(last); i++) {
        struct osaca_rule rule;
        struct err why = {0};
        if (i == LIST_LIMIT)
            return fault(r, item, "join rules with *",
                         "the file has too many rules for loads or stores");
        const yaml_node_t *pressure = item ? yaml_tree_get(&r->tree, item, "port_pressure") : last;
        if (!item)
            last = NULL;
        if (yaml_tree_null(pressure))
            continue;
        r->err = &why;
        bool ok = read_rule(r, item, pressure, class_key, &rule);
        r->err = outer;
        if (!ok) {
            usage_done(&rule.usage);
            if (!skip(r, item ? item : pressure, &why, outer))
                return false;
            continue;
        }
        if (loads)
            vec_push(&r->loads, rule);
        else
            vec_push(&r->stores, rule);
    }
    return true;
}

/* Reads the numbers of @key. @what is the error message for a value that is not a number. */
static bool read_numbers(struct osaca_file *r, const char *key, const char *what,
                         struct osaca_numbers *out)
{
    const yaml_node_t *map = yaml_tree_get(&r->tree, yaml_tree_root(&r->tree), key);

    for (const struct osaca_load *load = isa_ops(r->isa)->osaca->loads; load->class; load++) {
        const yaml_node_t *node = yaml_tree_get(&r->tree, map, load->class);
        double value;
        if (!osaca_number(node, &value))
            return fault(r, node, "give a number, or ~", what);
        if (isnan(value))
            continue;
        copy_name(out->items[out->count].class, load->class);
        out->items[out->count++].value = value;
    }
    return true;
}

double osaca_number_of(const struct osaca_numbers *list, const char *class, double fallback)
{
    for (unsigned i = 0; i < list->count; i++)
        if (strcmp(list->items[i].class, class) == 0)
            return list->items[i].value;
    return fallback;
}

/* Reads the ports. A port with the name of a divider is a divider. In a file of Portolan, only the
 * listed dividers are dividers. Returns false with r->err if invalid. */
static bool read_ports(struct osaca_file *r)
{
    const yaml_node_t *root = yaml_tree_root(&r->tree),
                      *list = yaml_tree_get(&r->tree, root, "ports"), *item;
    const yaml_node_t *own = yaml_tree_get(&r->tree, root, "portolan"),
                      *pipes = yaml_tree_get(&r->tree, own, "pipes");

    for (size_t i = 0; (item = yaml_tree_item(&r->tree, list, i)); i++) {
        const char *name = yaml_tree_text(item);
        struct err why = {0};
        if (!ports_add(&r->ports, name ? name : "", &why))
            return yaml_tree_fault(&r->tree, item, r->err, why.todo, "%s", why.what);
        if (!own && port_name_divides(name))
            r->ports.pipes |= (portset)1 << (r->ports.count - 1);
    }
    if (!r->ports.count)
        return fault(
            r, list ? list : root,
            "use ports: ['0', '1']; OSACA's isa/x86.yml and isa/aarch64.yml describe no machine",
            "the list of ports is missing");
    portset set = 0;
    if (yaml_tree_item(&r->tree, pipes, 0) && !read_port_set(r, pipes, &set))
        return false;
    r->ports.pipes |= set;
    return true;
}

ORDER_BY(order_names, struct osaca_name,
         TEXTUAL(name) ?: ASCENDING(listed) ?: ASCENDING(entry))

/* Finds the instruction set that OSACA calls @name. Returns false if there is none. */
static bool set_named(const char *name, enum isa *out)
{
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct isa_osaca *osaca = isa_ops(isa)->osaca;
        *out = isa;
        if (osaca && strcasecmp(name, osaca->name) == 0)
            return true;
    }
    return false;
}

bool osaca_file_read(struct osaca_file *r, const char *name, const char *text, size_t length,
                     struct err *err)
{
    *r = (struct osaca_file){.err = err};
    if (!yaml_tree_parse(name, text, length, &r->tree, r->err))
        return false;
    const yaml_node_t *root = yaml_tree_root(&r->tree),
                      *list = yaml_tree_get(&r->tree, root, "instruction_forms");
    if (!root || root->type != YAML_MAPPING_NODE || !list || list->type != YAML_SEQUENCE_NODE)
        return fault(r, list ? list : root, "give an OSACA machine file",
                     "the list instruction_forms is missing");
    const char *isa = yaml_tree_text(yaml_tree_get(&r->tree, root, "isa"));
    if (!isa || !set_named(isa, &r->isa))
        return fault(r, yaml_tree_get(&r->tree, root, "isa"),
                     "give a file with isa: x86 or isa: AArch64",
                     "the instruction set is neither x86 nor AArch64");
    if (!read_ports(r) ||
        !read_numbers(r, "load_latency", "invalid load latency", &r->load_latency) ||
        !read_numbers(r, "load_throughput_multiplier", "invalid multiplier of loads",
                      &r->load_times) ||
        !read_numbers(r, "store_throughput_multiplier", "invalid multiplier of stores",
                      &r->store_times))
        return false;
    if (!read_rules(r, "load_throughput", "dst", true) ||
        !read_rules(r, "store_throughput", "src", false))
        return false;
    if (!read_entries(r, list))
        return false;
    if (r->names.count)
        qsort(r->names.items, r->names.count, sizeof *r->names.items, order_names);
    return true;
}

void osaca_file_done(struct osaca_file *r)
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
    vec_done(&r->skipped);
    yaml_tree_done(&r->tree);
}
