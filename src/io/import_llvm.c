/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/import.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"
#include "io/llvm_mca.h"
#include "io/llvm_parts.h"
#include "isa/isa.h"

#define RESOURCES_MAX 256
#define MICROCODE_LATENCY 100   /* latency of unmeasured microcode in LLVM's models */
#define CYCLES_MAX 100000   /* largest number of resource cycles, and largest latency */
struct resource {
    char name[64];
    unsigned units;
    portset set;         /* execution ports of the resource; 0: not an execution resource */
    bool invalid;        /* whether this is the resource of instructions that the model does not
                          * support */
};

struct llvm_import {
    struct resource resources[RESOURCES_MAX];
    unsigned count;
    struct ports ports;
    size_t prefix;       /* length of the common prefix of the names of all single units: SKL, Zn4,
                          * ... */
    struct machine *machine;
    const char *cpu;
    enum isa isa;
};

static int resource_find(const struct llvm_import *r, const char *name, size_t length)
{
    for (unsigned i = 0; i < r->count; i++)
        if (strlen(r->resources[i].name) == length &&
            memcmp(r->resources[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

/* Returns whether the resource is a load or store queue or a similar buffer. A buffer is not a
 * port, because the address units are the tighter limit. */
static bool is_queue(const char *name)
{
    size_t length = strlen(name);
    return (length >= 3 && strcmp(name + length - 3, "LSU") == 0) ||
           (length >= 4 && strcmp(name + length - 4, "Load") == 0);
}

/* Derives the name of a port. SKLPort5 becomes 5, SPRPort10 becomes A, Zn4ALU0 becomes ALU0, and
 * SKLFPDivider becomes FPDV. Several units with one name are numbered. If the name contains digits
 * for the units (SBPort23:2, Zn3FP45:2), these digits number the units. */
static void port_name(const struct llvm_import *r, const struct resource *resource, unsigned unit,
                      char out[PORT_NAME_MAX])
{
    static const char *const shorter[][2] = {
        {"Multiplier", "MUL"}, {"Store", "ST"}, {"FPSt", "FST"}, {"BRU1", "BR1"}};
    const char *name = resource->name + r->prefix, *divider = strstr(name, "Div");
    size_t digits = strcspn(name, "0123456789");
    bool numbered = resource->units > 1 && strlen(name + digits) == resource->units;
    bool port = str_has_prefix(name, "Port");
    unsigned long number = strtoul(name + digits, NULL, 10);

    if (divider) {
        int length = snprintf(out, PORT_NAME_MAX, "%.*sDV",
                              (int)(divider - name > 6 ? 6 : divider - name), name);
        if (resource->units > 1)
            snprintf(out + length, (size_t)(PORT_NAME_MAX - length), "%u", unit % 100);
        return;
    }
    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++)
        if (strcmp(name, shorter[i][0]) == 0)
            name = shorter[i][1];
    if (numbered)
        snprintf(out, PORT_NAME_MAX, "%.*s%c", port ? 0 : (int)(digits > 8 ? 8 : digits), name,
                 name[digits + unit]);
    else if (str_has_prefix(name, "VPort"))   /* LNLPVPort02 becomes V2 */
        snprintf(out, PORT_NAME_MAX, "V%lu", number % 100);
    else if (resource->units > 1)
        snprintf(out, PORT_NAME_MAX, "%.8s%u", name, unit % 100);
    else if (port && name[digits] && number < 36)
        snprintf(out, PORT_NAME_MAX, "%c",
                 number < 10 ? (char)('0' + number) : (char)('A' + number - 10));
    else
        snprintf(out, PORT_NAME_MAX, "%.11s", name);
}

/* Returns the display order: ports by number, then other ports in LLVM's order, dividers last. */
static unsigned port_order(const struct llvm_import *r, unsigned index)
{
    const struct resource *resource = &r->resources[index];
    const char *name = resource->name + r->prefix;

    if (strstr(name, "Div"))
        return 1000 + index;
    if (!str_has_prefix(name, "Port"))
        return 100 + index;
    return resource->units > 1 ? (unsigned)(name[4] - '0') : (unsigned)strtoul(name + 4, NULL, 10);
}

/* Parts of a line such as "[16] - SKLPort23:2 SKLPort2, SKLPort3" */
struct resource_line {
    const char *name, *members;
    size_t length;
    unsigned units;
};

static bool resource_line(const char *line, const char *end, struct resource_line *out)
{
    const char *dash = memchr(line, '-', (size_t)(end - line));
    if (line[0] != '[' || !dash || dash + 2 >= end)
        return false;
    out->name = dash + 2;
    const char *colon = memchr(out->name, ':', (size_t)(end - out->name));
    if (!colon || !isdigit((unsigned char)colon[1]))
        return false;
    char *after;
    out->length = (size_t)(colon - out->name);
    out->units = (unsigned)strtoul(colon + 1, &after, 10);
    while (after < end && *after == ' ')
        after++;
    out->members = after < end ? after : NULL;
    return out->length > 0 && out->length < sizeof((struct resource *)0)->name;
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

/* Makes @name unique by a letter at its end if another port has the same name. */
static void make_unique(const struct llvm_import *r, char name[PORT_NAME_MAX])
{
    size_t length = strlen(name);
    length = length < PORT_NAME_MAX - 1 ? length : PORT_NAME_MAX - 2;
    for (char letter = 'a'; ports_find(&r->ports, name, strlen(name)) >= 0 && letter <= 'z';
         letter++) {
        name[length] = letter;
        name[length + 1] = '\0';
    }
}

/* Adds the units of a resource that is no group, before the groups that refer to them. A divider
 * with several units becomes ports instead of a blocking pipe. Omits queues and invalid resources.
 * Returns false with err on failure. */
static bool add_unit(struct llvm_import *r, struct resource *resource, struct err *err)
{
    char name[PORT_NAME_MAX];

    if (resource->invalid || is_queue(resource->name))
        return true;
    for (unsigned k = 0; k < resource->units; k++) {
        port_name(r, resource, k, name);
        make_unique(r, name);
        if (!ports_add(&r->ports, name, err))
            return false;
        portset bit = (portset)1 << (r->ports.count - 1);
        resource->set |= bit;
        if (strstr(resource->name, "Div") && resource->units == 1)
            r->ports.pipes |= bit;
    }
    return true;
}

static bool add_units(struct llvm_import *r, const bool *is_unit, struct err *err)
{
    bool done[RESOURCES_MAX] = {false};

    for (;;) {
        unsigned next = r->count;
        for (unsigned i = 0; i < r->count; i++)
            if (is_unit[i] && !done[i] &&
                (next == r->count || port_order(r, i) < port_order(r, next)))
                next = i;
        if (next == r->count)
            return true;
        done[next] = true;
        if (!add_unit(r, &r->resources[next], err))
            return false;
    }
}

static void find_prefix(struct llvm_import *r, const bool *is_unit)
{
    const char *first = NULL;
    for (unsigned i = 0; i < r->count; i++) {
        if (!is_unit[i])
            continue;
        if (!first) {
            first = r->resources[i].name;
            r->prefix = strlen(first);
        }
        size_t same = 0;
        while (same < r->prefix && first[same] == r->resources[i].name[same])
            same++;
        r->prefix = same;
    }
    /* The prefix must end where a word ends. For example, SKLPort5 and SKLPort6 may share SKLPort,
     * but Zn4ALU0 and Zn4ALU1 must keep ALU. */
    while (first && r->prefix > 0 && !isupper((unsigned char)first[r->prefix]))
        r->prefix--;
}

static bool read_resources(struct llvm_import *r, const char *text, const char *end,
                           struct err *err)
{
    bool is_unit[RESOURCES_MAX] = {false};
    struct resource_line line;

    for (const char *at = text; at < end; at = line_end(at, end) + 1) {
        if (!resource_line(at, line_end(at, end), &line))
            continue;
        if (r->count == RESOURCES_MAX)
            return err_set(err, ERR_LIMIT, "choose another CPU",
                           "LLVM's model has more than %d resources", RESOURCES_MAX);
        struct resource *resource = &r->resources[r->count];
        memcpy(resource->name, line.name, line.length);
        resource->units = line.units;
        resource->invalid = strstr(resource->name, "Invalid") != NULL;
        is_unit[r->count++] = !line.members;
    }
    find_prefix(r, is_unit);
    size_t ports = 0;
    for (unsigned i = 0; i < r->count; i++)
        ports += is_unit[i] && !r->resources[i].invalid && !is_queue(r->resources[i].name)
                     ? r->resources[i].units
                     : 0;
    if (ports > PORTS_MAX)
        return err_set(err, ERR_LIMIT, "choose another CPU",
                       "LLVM's model of %s has %zu units; the maximum is %d ports", r->cpu, ports,
                       PORTS_MAX);
    if (!add_units(r, is_unit, err))
        return false;
    unsigned index = 0;
    for (const char *at = text; at < end; at = line_end(at, end) + 1) {
        const char *stop = line_end(at, end);
        if (!resource_line(at, stop, &line))
            continue;
        struct resource *group = &r->resources[index++];
        for (const char *member = line.members; member && member < stop;) {
            size_t length = 0;
            while (member + length < stop && member[length] != ',' && member[length] != ' ')
                length++;
            int unit = resource_find(r, member, length);
            if (unit >= 0)
                group->set |= r->resources[unit].set;
            for (member += length; member < stop && (*member == ',' || *member == ' ');)
                member++;
        }
    }
    if (r->ports.count == 0)
        return err_set(err, ERR_DATA, "choose another CPU", "LLVM has no execution ports for %s",
                       r->cpu);
    return true;
}

struct charge {
    portset set;
    int64_t cycles;
};

/* Subtracts each use of a resource from its supersets, small sets first. LLVM counts a use also for
 * every group that contains the resource. */
static void undo_groups(struct charge *charges, size_t n, struct usage *usage)
{
    qsort(charges, n, sizeof *charges, portset_by_size);
    for (size_t i = 0; i < n; i++) {
        if (charges[i].cycles <= 0)
            continue;
        for (size_t k = i + 1; k < n; k++)
            if (charges[k].set != charges[i].set && !(charges[i].set & ~charges[k].set))
                charges[k].cycles -= charges[i].cycles;
        usage_add(usage, charges[i].set, (uint32_t)charges[i].cycles);
    }
}

/* Parses a number up to CYCLES_MAX at *@at, and advances *@at. Returns false if there is no number,
 * or if it is larger. Stores the number in *@out. */
static bool read_cycles(const char **at, const char *end, int64_t *out)
{
    const char *start = *at;

    for (*out = 0; *at < end && isdigit((unsigned char)**at) && *out <= CYCLES_MAX; (*at)++)
        *out = *out * 10 + (**at - '0');
    return *at > start && *out <= CYCLES_MAX;
}

/* Parses "[4]" or "[2,6]" (acquired at 2, released at 6: 4 cycles) at *@at. Without such text, sets
 * *@cycles to 1. Returns false if the text is incomplete. */
static bool read_span(const char **at, const char *end, int64_t *cycles)
{
    int64_t first;

    *cycles = 1;
    if (*at == end || **at != '[')
        return true;
    (*at)++;
    if (!read_cycles(at, end, cycles))
        return false;
    if (*at < end && **at == ',') {
        first = *cycles;
        (*at)++;
        if (!read_cycles(at, end, cycles))
            return false;
        *cycles -= first;
    }
    return *at < end && *(*at)++ == ']';
}

/* Parses "SKLPort04,SKLPort237[2]" into @usage. Returns false if the text is not a list of
 * resources. Sets *@invalid if the list is malformed or has an invalid resource. */
static bool read_charges(const struct llvm_import *r, const char *text, size_t length,
                         struct usage *usage, bool *invalid)
{
    struct charge charges[64];
    size_t n = 0;

    for (const char *at = text, *end = text + length; at < end;) {
        const char *name = at;
        while (at < end && *at != '[' && *at != ',')
            at++;
        int index = resource_find(r, name, (size_t)(at - name));
        if (index < 0 && name == text && at == end)
            return false;
        int64_t cycles;
        if (index < 0 || !read_span(&at, end, &cycles) ||
            (at < end && (*at++ != ',' || at == end))) {
            *invalid = true;
            return true;
        }
        const struct resource *resource = &r->resources[index];
        *invalid |= resource->invalid;
        size_t k = 0;
        while (k < n && charges[k].set != resource->set)
            k++;
        if (resource->set && k < n)
            charges[k].cycles = cycles > charges[k].cycles ? cycles : charges[k].cycles;
        else if (resource->set && n < sizeof charges / sizeof *charges)
            charges[n++] = (struct charge){resource->set, cycles};
        else
            *invalid |= resource->set != 0;
    }
    undo_groups(charges, n, usage);
    return true;
}

struct mca_row {
    unsigned micro_ops;
    double latency;
    struct usage usage;
    bool invalid, marker;
};

static const char *next_token(const char **at, const char *end, size_t *length)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        (*at)++;
    const char *token = *at;
    while (*at < end && **at != ' ' && **at != '\t')
        (*at)++;
    *length = (size_t)(*at - token);
    return token;
}

static bool is_number(const char *token, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)token[i]) && token[i] != '.')
            return false;
    return length > 0;
}

static bool read_row(const struct llvm_import *r, const char *line, const char *end,
                     struct mca_row *row)
{
    const char *at = line, *token;
    size_t length;

    *row = (struct mca_row){0};
    for (int i = 0; i < 3; i++) {
        token = next_token(&at, end, &length);
        if (!is_number(token, length) && !(i == 2 && length == 1 && *token == '-'))
            return false;
        if (i == 0)
            row->micro_ops = (unsigned)strtoul(token, NULL, 10);
        if (i == 1)
            row->latency = strtod(token, NULL);
    }
    do
        token = next_token(&at, end, &length);
    while (length == 1 && (*token == '*' || *token == 'U'));
    if (!is_number(token, length))
        return false;
    token = next_token(&at, end, &length);
    if (read_charges(r, token, length, &row->usage, &row->invalid))
        token = next_token(&at, end, &length);
    if (!length) {
        usage_done(&row->usage);
        return false;
    }
    row->invalid |= row->latency > CYCLES_MAX;
    const char *marker = isa_ops(r->isa)->llvm_marker.opcode;
    row->marker = length == strlen(marker) && memcmp(token, marker, length) == 0;
    return true;
}

/* Adds the entry of @form from @sum, the sum of the rows between two markers. A prefix and its
 * instruction may be two rows. Omits an invalid entry. */
static void add_entry(struct llvm_import *r, const char *form, struct mca_row *sum)
{
    struct mapping_entry entry = {(char *)form, sum->usage,
                                  sum->latency == MICROCODE_LATENCY ? NAN : sum->latency,
                                  sum->micro_ops, ""};
    if (!sum->invalid)
        mapping_set(r->machine->mapping, &entry);
}

/* Reads the rows of @forms. Stores the number of forms reached in *@read. */
static bool read_rows(struct llvm_import *r, const char *text, const char *end,
                      const char *const *forms, size_t count, size_t *read, struct err *err)
{
    struct mca_row sum = {0}, row;
    size_t form = 0;
    unsigned rows = 0;

    for (const char *at = text; at < end && form < count; at = line_end(at, end) + 1) {
        steps_add(1 + (size_t)(line_end(at, end) - at) / 100);
        if (!read_row(r, at, line_end(at, end), &row))
            continue;
        bool own =
            row.marker && rows == 0 && strcmp(forms[form], isa_ops(r->isa)->llvm_marker.form) == 0;
        if (!row.marker || own) {
            for (unsigned i = 0; i < row.usage.count; i++)
                usage_add(&sum.usage, row.usage.uops[i].ports, row.usage.uops[i].count);
            sum.latency = fmax(sum.latency, row.latency);
            sum.micro_ops += row.micro_ops;
            sum.invalid |= row.invalid;
            rows++;
        } else {
            if (rows)
                add_entry(r, forms[form], &sum);
            usage_done(&sum.usage);
            sum = (struct mca_row){0};
            rows = 0;
            form++;
        }
        usage_done(&row.usage);
    }
    usage_done(&sum.usage);
    *read = form;
    if (form < count)
        return err_set(err, ERR_DATA, "use llvm-mca 22",
                       "llvm-mca's table ends after %zu of %zu forms", form, count);
    return true;
}

static struct machine *parse(enum isa isa, const char *cpu, const char *text, size_t length,
                             const char *const *forms, size_t form_count, size_t *read,
                             struct err *err)
{
    const char *end = text + length;
    struct llvm_import *r = mem_zero(1, sizeof *r);
    struct machine *m = NULL;
    const char *resources = strstr(text, "Resources:"),
               *rows = resources ? strstr(resources, "Instruction Info:") : NULL;
    const char *table = rows ? strstr(rows, "Instructions:") : NULL;

    r->cpu = cpu;
    r->isa = isa;
    *read = 0;
    if (!table) {
        err_set(err, ERR_DATA, "use llvm-mca 22; older versions print incomplete tables",
                "llvm-mca printed no instruction table for %s", cpu);
        goto out;
    }
    const char *stop = strstr(table, "\nResources:");
    if (!read_resources(r, resources, rows, err))
        goto out;
    char *id = mem_strndup(cpu, strcspn(cpu, "+"));
    r->machine = machine_new(id, &r->ports);
    free(id);
    struct str title = {0};
    llvm_model_title(r->machine->id, r->resources[0].name, &title);
    free(r->machine->title);
    r->machine->title = str_take(&title);
    if (read_rows(r, table, stop ? stop : end, forms, form_count, read, err))
        m = r->machine;
    else
        machine_free(r->machine);
out:
    free(r);
    return m;
}

struct machine *import_llvm_parse(enum isa isa, const char *cpu, const char *text, size_t length,
                                  const char *const *forms, size_t form_count, struct err *err)
{
    size_t read;
    return parse(isa, cpu, text, length, forms, form_count, &read, err);
}

static void set_facts(struct machine *m, const char *summary)
{
    const char *width = strstr(summary, "Dispatch Width:");
    char number[32];

    if (width) {
        snprintf(number, sizeof number, "%lu",
                 strtoul(width + strlen("Dispatch Width:"), NULL, 10));
        machine_set_fact(m, "issue_width", number, "µops/cycle",
                         "LLVM 22 scheduling model (dispatch width)");
    }
}

/* Sets the fact load_latency of an x86-64 machine. Without this fact, analyses follow no dependence
 * through loads. LLVM's models of Arm cores have an early read of accumulators separate from
 * latencies. */
static void set_load_latency(struct machine *m)
{
    const struct mapping_entry *load = mapping_find(m->mapping, "MOV (R64, M64)");
    char number[32];

    if (load && load->latency > 0) {
        snprintf(number, sizeof number, "%g", load->latency);
        machine_set_fact(m, "load_latency", number, "cycles",
                         "LLVM 22 scheduling model (a load of 64 bits)");
    }
}

/* Appends the form's instance and the marker. LLVM's Intel syntax lacks `.+8`, so branches refer to
 * a symbol. */
static void add_line(const struct form_row *row, struct str *input)
{
    struct str line = {0};

    form_instance(row, &line);
    const char *here = strstr(str_text(&line), ".+");
    str_addf(input, "%.*s%s\n%s\n", (int)(here ? here - line.data : (int)line.length),
             str_text(&line), here ? "elsewhere" : "", isa_ops(row->isa)->llvm_marker.text);
    str_done(&line);
}

#define CHUNK 1024      /* number of forms per run of llvm-mca */
/* maximum number of failed runs; enough for about 25 forms that crash llvm-mca or have no row */
#define RETRIES_MAX 250

struct import {
    const char *cpu;
    const struct forms *forms;
    struct machine *machine;
    unsigned retries;
};

static void take_part(struct import *w, struct machine *part)
{
    if (!w->machine) {
        w->machine = part;
        return;
    }
    for (size_t i = 0; i < mapping_count(part->mapping); i++)
        mapping_set(w->machine->mapping, mapping_at(part->mapping, i));
    machine_free(part);
}

/* Imports forms [first, first + count). llvm-mca crashes on some instructions, rejects others, and
 * omits the rows of others. In each case, imports both halves of the range separately. Omits a
 * single form that fails. Fails if the table is unreadable. */
static bool import_chunk(struct import *w, size_t first, size_t count, struct err *err)
{
    struct str input = {0}, table = {0};
    const char **names = mem_alloc(count * sizeof *names);
    enum isa isa = forms_at(w->forms, first)->isa;
    struct machine *part = NULL;
    size_t read = 0;

    for (size_t i = 0; i < count; i++) {
        names[i] = forms_at(w->forms, first + i)->form;
        add_line(forms_at(w->forms, first + i), &input);
    }
    enum llvm_mca_end how =
        llvm_mca_run(isa, w->cpu, "-instruction-tables=full", &input, &table, err);
    if (how == LLVM_MCA_DONE)
        part = parse(isa, w->cpu, str_text(&table), table.length, names, count, &read, err);
    bool ok = part != NULL;
    if (part)
        take_part(w, part);
    else if ((how == LLVM_MCA_DIED ||
              (how == LLVM_MCA_FAILED && w->machine && err->code == ERR_DATA) || read ||
              (how == LLVM_MCA_DONE && w->retries && err->code == ERR_DATA)) &&
             ++w->retries <= RETRIES_MAX)
        ok = count == 1 || (import_chunk(w, first, count / 2, err) &&
                            import_chunk(w, first + count / 2, count - count / 2, err));
    free(names);
    str_done(&input);
    str_done(&table);
    return ok;
}

struct machine *import_llvm(const char *cpu, const struct forms *forms, struct err *err)
{
    struct str summary = {0}, one = {0};
    struct import work = {.cpu = cpu, .forms = forms};
    struct machine *m = NULL;
    size_t count = forms_count(forms);

    if (!llvm_mca_cpu(cpu, err))
        goto out;
    str_add(&one, "nop\n");
    bool ok = llvm_mca_run(count ? forms_at(forms, 0)->isa : ISA_UNSAID, cpu, "-iterations=1", &one,
                           &summary, err) == LLVM_MCA_DONE;
    for (size_t at = 0; ok && at < count; at += CHUNK)
        ok = import_chunk(&work, at, count - at < CHUNK ? count - at : CHUNK, err);
    m = work.machine;
    if (ok && m && count)
        machine_set_fact(m, "isa", isa_name(forms_at(forms, 0)->isa), "", "");
    if (ok && m) {
        llvm_amd_complete(m, forms);
        set_facts(m, str_text(&summary));
        set_load_latency(m);
        ok = !isa_ops(forms_at(forms, 0)->isa)->load_store || llvm_advances(cpu, forms, m, err);
    }
    if (ok && !m)
        ok = err_set(err, ERR_DATA, "choose another CPU", "llvm-mca printed no resources for %s",
                     cpu);
    if (!ok) {
        machine_free(m);
        m = NULL;
    }
out:
    str_done(&summary);
    str_done(&one);
    return m;
}
