/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compare.h"
#include "io/export_mapping.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/watch.h"
#include "io/osaca_file.h"
#include "isa/isa.h"
#include "isa/spelling.h"
#include "model/facts.h"
#include "throughput/throughput.h"

#define FORM_STEPS 8   /* steps (base/steps.h) per form */

struct item {
    const struct mapping_entry *entry;
    struct spelling text;
    bool spelled;
    /* rank in the group; the form with the least rank represents the group */
    unsigned rank;
    size_t order;
    /* Key of the form in OSACA: a name and operand classes. OSACA does not distinguish forms with
     * equal keys. */
    char key[96];
};

struct writer {
    yaml_emitter_t emitter;
    struct throughput *engine;
    const struct machine *machine;
    enum isa isa;
    /* @failed: whether writing failed. @memory: whether it failed because memory was exhausted. */
    bool failed, memory;
};

/* Emits @event, which the function owns. @made: whether @event could be created. After a failure,
 * only frees @event. */
static void emit(struct writer *w, int made, yaml_event_t *event)
{
    if (w->failed && made)
        yaml_event_delete(event);
    if (w->failed)
        return;
    w->failed = !made || !yaml_emitter_emit(&w->emitter, event);
    w->memory = w->failed && (!made || w->emitter.error == YAML_MEMORY_ERROR);
}

static void put_scalar(struct writer *w, const char *text, yaml_scalar_style_t style)
{
    yaml_event_t event;
    bool plain = style == YAML_PLAIN_SCALAR_STYLE;
    emit(w,
         yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
                                      (int)strlen(text), plain, !plain, style),
         &event);
}

static void put(struct writer *w, const char *text)
{
    put_scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

static void put_text(struct writer *w, const char *text)
{
    put_scalar(w, text, YAML_SINGLE_QUOTED_SCALAR_STYLE);
}

static void put_number(struct writer *w, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    for (int digits = 1; digits < 17 && !isnan(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put(w, isnan(value) ? "~" : text);
}

static void open_map(struct writer *w, bool flow)
{
    yaml_event_t event;
    emit(w,
         yaml_mapping_start_event_initialize(
             &event, NULL, NULL, 1, flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE),
         &event);
}

static void open_list(struct writer *w, bool flow)
{
    yaml_event_t event;
    emit(w,
         yaml_sequence_start_event_initialize(
             &event, NULL, NULL, 1, flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE),
         &event);
}

static void close_map(struct writer *w)
{
    yaml_event_t event;
    emit(w, yaml_mapping_end_event_initialize(&event), &event);
}

static void close_list(struct writer *w)
{
    yaml_event_t event;
    emit(w, yaml_sequence_end_event_initialize(&event), &event);
}

static void put_ports(struct writer *w, portset set)
{
    const struct ports *ports = mapping_ports(w->machine->mapping);
    char together[PORTS_MAX + 1];
    size_t length = 0;
    bool list = false;

    for (unsigned j = 0; j < ports->count; j++)
        if (set >> j & 1) {
            list |= ports->names[j][1] != '\0';
            together[length++] = ports->names[j][0];
        }
    together[length] = '\0';
    if (!list) {
        put_text(w, together);
        return;
    }
    open_list(w, true);
    for (unsigned j = 0; j < ports->count; j++)
        if (set >> j & 1)
            put_text(w, ports->names[j]);
    close_list(w);
}

static void put_pressure(struct writer *w, const struct usage *usage)
{
    open_list(w, true);
    for (unsigned i = 0; i < usage->count; i++) {
        open_list(w, true);
        put_number(w, usage->uops[i].count);
        put_ports(w, usage->uops[i].ports);
        close_list(w);
    }
    close_list(w);
}

static double cycles_of(struct writer *w, const struct usage *usage)
{
    struct mass masses[64];
    size_t n = 0;
    for (unsigned i = 0; i < usage->count && n < 64; i++)
        masses[n++] = (struct mass){usage->uops[i].ports, usage->uops[i].count};
    return usage->count > 64 ? NAN : throughput_of_masses(w->engine, masses, n);
}

static void put_part(struct writer *w, const char *key, const char *value)
{
    put(w, key);
    if (strcmp(value, "*") == 0)
        put_text(w, value);
    else
        put(w, value);
}

/* Writes an address of AArch64, with the form's immediate offset and writeback. If @o is NULL,
 * writes any address. */
static void put_address_a64(struct writer *w, const struct spelled_operand *o)
{
    put_part(w, "base", o ? o->base_name : "*");
    put_part(w, "offset", !o || (o->offset && !o->index) ? "*" : "~");
    put_part(w, "index", !o ? "*" : o->index ? o->name : "~");
    put_part(w, "scale", !o ? "*" : o->scale ? "8" : "1");
    put_part(w, "pre_indexed", o ? (o->pre ? "true" : "false") : "*");
    put_part(w, "post_indexed", o ? (o->post ? "true" : "false") : "*");
}

static void put_address(struct writer *w, const struct spelling *f, const struct spelled_operand *o)
{
    bool exact = f && f->address;
    if (isa_ops(w->isa)->osaca->shaped) {
        put_address_a64(w, o);
        return;
    }
    put_part(w, "base", exact ? (o->base ? "gpr" : "~") : "*");
    put_part(w, "offset", exact ? (o->offset ? "imd" : "~") : "*");
    put_part(w, "index", o && o->name[0] ? o->name : exact ? (o->index ? "gpr" : "~") : "*");
    put_part(w, "scale", exact ? (o->scale ? "8" : "1") : "*");
}

static void put_operand(struct writer *w, const struct spelling *f, const struct spelled_operand *o)
{
    open_map(w, true);
    put(w, "class");
    switch (o->class) {
    case SPELLED_REGISTER:
        put(w, "register");
        put(w, isa_ops(w->isa)->osaca->register_key);
        put(w, o->name);
        if (o->shape[0]) {
            put(w, "shape");
            put(w, o->shape);
        }
        break;
    case SPELLED_MEMORY:
        put(w, "memory");
        put_address(w, f, o);
        break;
    case SPELLED_IMMEDIATE:
        put(w, "immediate");
        put(w, "imd");
        put(w, "int");
        break;
    case SPELLED_LABEL:
        put(w, "identifier");
        break;
    case SPELLED_CONDITION:
        put(w, "condition");
        put(w, "ccode");
        put_text(w, "*");
        break;
    case SPELLED_PREFETCH:
        put(w, "prfop");
        put(w, "type");
        put_text(w, "*");
        put(w, "target");
        put_text(w, "*");
        put(w, "policy");
        put_text(w, "*");
    }
    if (o->mask) {
        put(w, "mask");
        put(w, "True");
    }
    close_map(w);
}

static bool same_facts(const struct mapping_entry *a, const struct mapping_entry *b)
{
    bool latency = a->latency == b->latency || (isnan(a->latency) && isnan(b->latency));
    return latency && a->micro_ops == b->micro_ops && usage_equal(&a->usage, &b->usage);
}

/* Writes the names of an entry. For a form with a size suffix, writes the general names if @general
 * is true, otherwise the name with the suffix. For other forms, such as branches, writes all
 * names. */
static void put_names(struct writer *w, const struct item *item, bool general)
{
    const struct spelling *f = &item->text;
    if (!item->spelled) {
        put_text(w, item->entry->form);
        return;
    }
    unsigned from = general && f->suffixed ? 1 : 0,
             to = !general && f->suffixed ? 1 : f->name_count;
    /* The general name of movzbq is movzb, because movzx is the name in Intel syntax. */
    to = general && f->suffixed && str_has_prefix(f->names[0], "mov") ? 2 : to;
    if (to - from == 1 && !f->more) {
        put(w, f->names[from]);
        return;
    }
    open_list(w, true);
    for (unsigned i = from; i < to; i++)
        put(w, f->names[i]);
    for (const char *const *more = f->more; more && *more; more++)
        put(w, *more);
    close_list(w);
}

/* Writes one entry for item @first and the later items of equal cost. Marks them in @written. Marks
 * them in @spoken if the entry has the general name. */
static void put_entry(struct writer *w, const struct item *items, size_t n, size_t first,
                      bool *written, bool *spoken, bool general)
{
    const struct item *item = &items[first];

    open_map(w, false);
    put(w, "name");
    put_names(w, item, general);
    put(w, "operands");
    open_list(w, true);
    for (unsigned i = 0; item->spelled && i < item->text.count; i++)
        put_operand(w, &item->text, &item->text.operands[i]);
    close_list(w);
    put(w, "latency");
    put_number(w, item->entry->latency);
    put(w, "port_pressure");
    put_pressure(w, &item->entry->usage);
    put(w, "throughput");
    put_number(w, cycles_of(w, &item->entry->usage));
    put(w, "uops");
    put_number(w, item->entry->micro_ops ? item->entry->micro_ops : NAN);
    put(w, "portolan_forms");
    open_list(w, true);
    for (size_t i = first; i < n; i++) {
        if (written[i] || !same_facts(item->entry, items[i].entry) ||
            (!general && strcmp(items[i].text.names[0], item->text.names[0]) != 0))
            continue;
        put_text(w, items[i].entry->form);
        written[i] = true;
        if (general)
            spoken[i] = true;
    }
    close_list(w);
    close_map(w);
}

static void put_group(struct writer *w, const struct item *items, size_t n)
{
    bool *written = mem_zero(n, sizeof *written), *spoken = mem_zero(n, sizeof *spoken);
    for (size_t i = 0; i < n; i++) {
        if (written[i])
            continue;
        /* An entry named "addq" before the general entry would hide the general entry from its
         * 64-bit forms. Such an entry is therefore written after the general entry, where OSACA
         * does not use it. */
        bool hides = false;
        for (size_t k = 0; k < i; k++)
            hides |= spoken[k] && strcmp(items[k].text.names[0], items[i].text.names[0]) == 0;
        put_entry(w, items, n, i, written, spoken, i == 0 || hides);
    }
    free(written);
    free(spoken);
}

/* Sets the key of a form in OSACA: name without size suffix, and operand classes. */
static void set_key(struct item *item)
{
    const struct spelling *f = &item->text;
    struct str key = {0};

    if (!item->spelled) {
        snprintf(item->key, sizeof item->key, "~%s", item->entry->form);
        return;
    }
    str_add(&key, f->names[f->suffixed ? 1 : 0]);
    for (unsigned i = 0; i < f->count; i++) {
        const struct spelled_operand *o = &f->operands[i];
        str_addf(&key, " %d%s%s%s", o->class, o->name, o->shape, o->mask ? "k" : "");
        if (f->address && o->class == SPELLED_MEMORY)
            str_addf(&key, "%s%d%d%d%d%d%d", o->base_name, o->base, o->index, o->scale, o->offset,
                     o->pre, o->post);
    }
    snprintf(item->key, sizeof item->key, "%s", str_text(&key));
    str_done(&key);
}

/* Returns the rank within a group. Forms without prefixes and with 64 bits have the least rank. Low
 * bytes are before high bytes, and short immediates before long immediates. On AArch64, forms
 * without a shift are before forms with a shift. */
static unsigned rank_of(enum isa isa, const struct item *item)
{
    unsigned bits = 0;
    if (isa_ops(isa)->osaca->shaped)
        return (unsigned)strlen(item->entry->form);
    for (unsigned i = 0; i < item->text.count; i++)
        bits = item->text.operands[i].bits > bits ? item->text.operands[i].bits : bits;
    return (item->text.plain ? 0 : 1000) +
           (bits == 64   ? 0
            : bits == 32 ? 100
            : bits       ? 200
                         : 50) +
           (strstr(item->entry->form, "R8h") ? 10 : 0) + (strstr(item->entry->form, "I8") ? 0 : 1);
}

ORDER_BY(order_items, struct item, TEXTUAL(key) ?: ASCENDING(rank) ?: ASCENDING(order))

static void put_forms(struct writer *w)
{
    const struct mapping *mapping = w->machine->mapping;
    size_t n = mapping_count(mapping);
    struct item *items = mem_zero(n + 1, sizeof *items);

    for (size_t i = 0; i < n; i++) {
        if (watch_steps(FORM_STEPS)) {
            free(items);
            return;
        }
        items[i].entry = mapping_at(mapping, i);
        items[i].order = i;
        items[i].spelled = isa_ops(w->isa)->spell(items[i].entry->form, &items[i].text);
        set_key(&items[i]);
        items[i].rank = rank_of(w->isa, &items[i]);
    }
    if (n)
        qsort(items, n, sizeof *items, order_items);
    for (size_t from = 0, to; from < n && !watch_steps(FORM_STEPS); from = to) {
        for (to = from + 1;
             to < n && items[from].spelled && strcmp(items[to].key, items[from].key) == 0; to++)
            ;
        put_group(w, items + from, to - from);
    }
    free(items);
}

/* Writes the pressure of @usage. A µop that can use all ports of @indexed uses only these ports.
 * @indexed 0: no restriction. */
static void put_pressure_within(struct writer *w, const struct usage *usage, portset indexed)
{
    open_list(w, true);
    for (unsigned i = 0; i < usage->count; i++) {
        portset set = usage->uops[i].ports, within = (set & indexed) == indexed ? indexed : set;
        open_list(w, true);
        put_number(w, usage->uops[i].count);
        put_ports(w, indexed ? within : set);
        close_list(w);
    }
    close_list(w);
}

/* Writes the rule of stores with an indexed address, which can use only the ports @indexed. */
static void put_indexed(struct writer *w, const struct usage *usage, portset indexed)
{
    open_map(w, true);
    put_part(w, "base", "gpr");
    put_part(w, "offset", "*");
    put_part(w, "index", "gpr");
    put_part(w, "scale", "*");
    put(w, "port_pressure");
    put_pressure_within(w, usage, indexed);
    close_map(w);
}

/* Writes the usage of the simple 64-bit move between memory and register. If a memory form is
 * missing, OSACA adds this usage to the usage of the register form. @indexed is the set of ports
 * for indexed addresses; 0: all ports. */
static void put_access(struct writer *w, const char *key, const char *form, portset indexed)
{
    const struct mapping_entry *move = mapping_find(w->machine->mapping, form);
    char fallback[48];

    put(w, key);
    open_list(w, false);
    if (move && indexed && !isa_ops(w->isa)->osaca->shaped)
        put_indexed(w, &move->usage, indexed);
    if (move) {
        open_map(w, true);
        put_address(w, NULL, NULL);
        put(w, "port_pressure");
        put_pressure(w, &move->usage);
        close_map(w);
    }
    close_list(w);
    snprintf(fallback, sizeof fallback, "%s_default", key);
    put(w, fallback);
    put_pressure_within(w, move ? &move->usage : &(struct usage){0}, 0);
}

/* Returns the value of @fact, or NaN if the machine does not define it. Does not use the fact's
 * default, because OSACA lacks Portolan's defaults. */
static double known_number(const struct machine *m, const char *fact)
{
    return machine_fact(m, fact) ? fact_number(m, fact) : NAN;
}

static void put_facts(struct writer *w)
{
    for (const struct osaca_fact *f = osaca_facts; f->key; f++) {
        double value = known_number(w->machine, f->fact);
        if (f->ours && isnan(value))
            continue;
        put(w, f->key);
        put_number(w, isnan(value) && f->added ? 0 : value);
    }
}

/* Returns the load latency of a register class: the fact or, if there is none, the latency of a
 * simple load; NaN: unknown. */
static double load_latency(const struct machine *m, const struct osaca_load *load)
{
    const struct mapping_entry *entry = mapping_find(m->mapping, load->form);
    double known = load->fact ? known_number(m, load->fact) : NAN;
    return !isnan(known) ? known : entry ? entry->latency : NAN;
}

static void put_load_latency(struct writer *w)
{
    put(w, "load_latency");
    open_map(w, true);
    for (const struct osaca_load *load = isa_ops(w->isa)->osaca->loads; load->class; load++) {
        put(w, load->class);
        put_number(w, load_latency(w->machine, load));
    }
    close_map(w);
}

static void put_head(struct writer *w)
{
    const struct machine *m = w->machine;
    const struct ports *ports = mapping_ports(m->mapping);
    const struct isa_ops *ops = isa_ops(w->isa);
    const char *indexed = machine_fact(m, "indexed_store_ports");
    portset within = 0;
    struct str scheme = {0};

    if (indexed && !portset_parse(&indexed, ports, &within, NULL))
        within = 0;
    put(w, "osaca_version");
    put(w, "0.7.1");
    put(w, "micro_architecture");
    put_text(w, machine_plain_title(m));
    put(w, "arch_code");
    put_text(w, m->id);
    put(w, "isa");
    put(w, ops->osaca->name);
    put_facts(w);
    put(w, "hidden_loads");
    put(w, "false");
    put_load_latency(w);
    put_access(w, "load_throughput", ops->load_form, 0);
    put_access(w, "store_throughput", ops->store_form, within);
    put(w, "ports");
    open_list(w, true);
    for (unsigned j = 0; j < ports->count; j++)
        put_text(w, ports->names[j]);
    close_list(w);
    portset_list(UINT32_MAX, ports, " | ", " | ", &scheme);
    put(w, "port_model_scheme");
    str_add_char(&scheme, '\n');
    put_scalar(w, str_text(&scheme), YAML_LITERAL_SCALAR_STYLE);
    str_done(&scheme);
    put(w, "portolan");
    open_map(w, false);
    put(w, "pipes");
    open_list(w, true);
    for (unsigned j = 0; j < ports->count; j++)
        if (ports->pipes >> j & 1)
            put_text(w, ports->names[j]);
    close_list(w);
    put(w, "facts");
    open_map(w, false);
    for (size_t i = 0; i < m->fact_count; i++)
        if (fact_find(m->facts[i].key)) {
            put(w, m->facts[i].key);
            put_text(w, m->facts[i].value);
        }
    close_map(w);
    close_map(w);
}

static int keep(void *out, unsigned char *bytes, size_t length)
{
    str_add_bytes(out, bytes, length);
    return 1;
}

static void begin(struct writer *w, struct str *out)
{
    yaml_event_t event;
    for (unsigned tries = 0; !yaml_emitter_initialize(&w->emitter); tries++)
        mem_again(sizeof w->emitter, tries);
    yaml_emitter_set_output(&w->emitter, keep, out);
    yaml_emitter_set_unicode(&w->emitter, 1);
    yaml_emitter_set_width(&w->emitter, -1);
    emit(w, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), &event);
    emit(w, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1), &event);
}

static void end(struct writer *w)
{
    yaml_event_t event;
    emit(w, yaml_document_end_event_initialize(&event, 1), &event);
    emit(w, yaml_stream_end_event_initialize(&event), &event);
    yaml_emitter_delete(&w->emitter);
}

bool export_osaca(const struct machine *m, struct str *out, struct err *err)
{
    struct writer w = {.machine = m};

    if (!isa_parse(m->isa, &w.isa) || !isa_ops(w.isa)->spell)
        return err_set(err, ERR_DATA, "export as csv, uops-info or pmevo",
                       "OSACA machine files for %s are not supported", m->isa);
    w.engine =
        throughput_new(mapping_ports(m->mapping)->count ? mapping_ports(m->mapping)->count : 1);
    begin(&w, out);
    open_map(&w, false);
    put_head(&w);
    put(&w, "instruction_forms");
    open_list(&w, false);
    put_forms(&w);
    close_list(&w);
    close_map(&w);
    end(&w);
    throughput_free(w.engine);
    if (w.memory)
        return err_memory_for(err, "the file", out->length);
    return !w.failed ||
           err_set(err, ERR_DATA, "give UTF-8 names to ports and forms",
                   "libyaml cannot write this machine");
}

