/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/llvm_parts.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "io/llvm_mca.h"
#include "isa/isa.h"

#define CHUNK 1024    /* number of operand pairs per run of llvm-mca */
#define FRESH 8       /* first register number of the second copy */
/* number of the first mask register of the second copy; few forms accept numbers above 7 */
#define FRESH_MASK 4

struct template_place {
    unsigned operand;
    char file;        /* register file: X, V or P */
    bool read, written;
};

struct advance_pair {
    const struct form_row *row;
    unsigned from, to;              /* indices in the list of places */
    unsigned from_operand, to_operand;
};

typedef VEC(struct advance_pair) pair_list;

static char file_of(const char *type)
{
    return strchr("XW", *type) ? 'X' : *type == 'P' ? 'P' : 'V';
}

/* Parses a placeholder at @at, such as "{RW:V}". Returns false for a repeated register, a label and
 * a brace. */
static bool place_at(const char *at, struct template_place *out)
{
    size_t length = strcspn(at, "}");
    const char *colon = memchr(at, ':', length);

    if (!colon)
        return false;
    out->read = memchr(at, 'R', (size_t)(colon - at)) != NULL;
    out->written = memchr(at, 'W', (size_t)(colon - at)) != NULL;
    out->file = file_of(colon + 1);
    return true;
}

/* Lists at most @most registers of @template. Returns 0 for a template with memory, a list of
 * registers or a label. */
static unsigned places_of(const char *template, struct template_place *out, unsigned most)
{
    unsigned count = 0, operand = 0;

    if (strchr(template, '[') && strstr(template, "[{"))
        return 0;
    for (const char *at = template; *at; at++) {
        if (at[0] == '{' && (at[1] == '{' || strncmp(at, "{Rel}", 5) == 0))
            return 0;
        operand += *at == ',';
        if (*at == '{' && count < most && place_at(at, &out[count]))
            out[count++].operand = operand;
    }
    return count;
}

static void list_pairs(const struct form_row *row, pair_list *pairs)
{
    struct template_place places[8];
    unsigned count = places_of(row->template, places, 8);

    for (unsigned to = 0; to < count; to++)
        for (unsigned from = 0; places[to].written && from < count; from++)
            if (places[from].read && places[from].file == places[to].file)
                vec_push(pairs, ((struct advance_pair){row, from, to, places[from].operand,
                                                       places[to].operand}));
}

static unsigned *counter(struct form_registers *in, char file)
{
    return file == 'X' ? &in->general : file == 'P' ? &in->mask : &in->vector;
}

/* Writes an instance of @row with registers numbered from @in. If @chained is not UINT_MAX, place
 * @chained has register @number. Stores the register number at place @to in *@result. */
static void write_instance(const struct form_row *row, struct form_registers in, unsigned chained,
                           unsigned number, unsigned to, unsigned *result, struct str *out)
{
    unsigned place = 0;

    for (const char *at = row->template; *at;) {
        char type[8];
        struct template_place p;
        if (*at != '{') {
            str_add_char(out, *at++);
            continue;
        }
        size_t length = strcspn(at, "}");
        bool own = place_at(at, &p);
        const char *start = own ? strchr(at, ':') + 1 : at + 1;
        snprintf(type, sizeof type, "%.*s", (int)(at + length - start), start);
        unsigned *next = counter(&in, p.file), before = own ? *next : 0;
        if (own && place == chained)
            *next = number;
        if (own && place == to)
            *result = *next;
        isa_ops(row->isa)->placeholder(&in, type, out);
        if (own && place == chained)
            *next = before + 1;
        place += own;
        at += length + 1;
    }
    str_add_char(out, '\n');
}

static void add_region(const struct advance_pair *p, size_t number, struct str *out)
{
    const char *comment = isa_ops(p->row->isa)->comment;
    unsigned written = 0, ignored;

    str_addf(out, "%s LLVM-MCA-BEGIN %zu\n", comment, number);
    write_instance(p->row, (struct form_registers){0}, UINT_MAX, 0, p->to, &written, out);
    struct form_registers fresh = {.general = FRESH, .vector = FRESH, .mask = FRESH_MASK};
    write_instance(p->row, fresh, p->from, written, p->to, &ignored, out);
    str_addf(out, "%s LLVM-MCA-END %zu\n", comment, number);
}

static json_int_t cycle(const json_t *timeline, size_t instruction, const char *event)
{
    return json_integer_value(json_object_get(json_array_get(timeline, instruction), event));
}

/* Reads cycles per pair from the report into @cycles. Leaves the cycles of a pair unchanged if the
 * pair's region does not have two instructions. Returns false with err if the report is not
 * JSON. */
static bool read_report(const struct str *report, double *cycles, size_t count, struct err *err)
{
    json_t *root = json_loadb(report->data, report->length, JSON_ALLOW_NUL, NULL), *region;
    size_t i;

    if (!root)
        return err_set(err, ERR_DATA, "use llvm-mca 22", "llvm-mca printed no JSON timeline");
    json_array_foreach(json_object_get(root, "CodeRegions"), i, region) {
        const char *name = json_string_value(json_object_get(region, "Name"));
        const json_t *timeline =
            json_object_get(json_object_get(region, "TimelineView"), "TimelineInfo");
        size_t number = name ? strtoul(name, NULL, 10) : count;
        if (number < count && json_array_size(timeline) == 2)
            cycles[number] =
                (double)(cycle(timeline, 1, "CycleReady") - cycle(timeline, 0, "CycleIssued"));
    }
    json_decref(root);
    return true;
}

/* Runs pairs @first to @first + @count - 1. Finds a pair that crashes llvm-mca by bisection, and
 * omits it. */
static bool run_pairs(const char *cpu, const pair_list *pairs, size_t first, size_t count,
                      double *cycles, struct err *err)
{
    struct str input = {0}, report = {0};
    enum isa isa = pairs->items[first].row->isa;

    for (size_t i = 0; i < count; i++) {
        cycles[first + i] = NAN;
        add_region(&pairs->items[first + i], i, &input);
    }
    str_addf(&input, "%s LLVM-MCA-BEGIN %zu\n%s\n%s LLVM-MCA-END %zu\n", isa_ops(isa)->comment,
             count, isa_ops(isa)->llvm_marker.text, isa_ops(isa)->comment, count);
    enum llvm_mca_end how = llvm_mca_timeline(isa, cpu, &input, &report, err);
    bool ok = how == LLVM_MCA_DONE && read_report(&report, cycles + first, count, err);
    if (how == LLVM_MCA_DIED) {
        *err = (struct err){0};
        ok = count == 1 ||
             (run_pairs(cpu, pairs, first, count / 2, cycles, err) &&
              run_pairs(cpu, pairs, first + count / 2, count - count / 2, cycles, err));
    }
    str_done(&input);
    str_done(&report);
    return ok;
}

bool llvm_advances(const char *cpu, const struct forms *forms, struct machine *m, struct err *err)
{
    pair_list pairs = {0};
    bool ok = true;

    for (size_t i = 0; i < forms_count(forms); i++)
        if (mapping_find(m->mapping, forms_at(forms, i)->form))
            list_pairs(forms_at(forms, i), &pairs);
    double *cycles = mem_zero(pairs.count + 1, sizeof *cycles);
    for (size_t at = 0; ok && at < pairs.count; at += CHUNK)
        ok = run_pairs(cpu, &pairs, at, pairs.count - at < CHUNK ? pairs.count - at : CHUNK, cycles,
                       err);
    for (size_t i = 0; ok && i < pairs.count; i++) {
        const struct advance_pair *p = &pairs.items[i];
        const struct mapping_entry *entry = mapping_find(m->mapping, p->row->form);
        if (cycles[i] >= 0 && cycles[i] < entry->latency)
            machine_add_latency(m, p->row->form, (int)p->from_operand, (int)p->to_operand,
                                fmax(1, cycles[i]), "LLVM 22 scheduling model: ReadAdvance");
    }
    free(cycles);
    vec_done(&pairs);
    return ok;
}
