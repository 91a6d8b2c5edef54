/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/import.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/watch.h"
#include "io/uops_table.h"

#define CSV_LIMIT ((size_t)256 << 20)
#define DIVIDER "DV"
#define ROW_STEPS 8   /* steps (base/steps.h) per row */

/* A group in a column of ports: "2*p23A" or, for AMD's units, "1*FP01" */
struct uop_group {
    unsigned count;
    const char *unit;    /* prefix of the port names: "p" or "FP" */
    size_t unit_length;
    const char *ports;   /* names of ports as single characters, or separated by commas */
    size_t port_count;
    /* whether the names are a list in brackets, p[V0,DV], which only export_uops_info writes, for
     * long names */
    bool list;
};

static bool read_list(const char **at, struct uop_group *g)
{
    g->list = true;
    g->ports = g->unit + 2;
    g->port_count = 1;
    const char *end = g->ports;
    for (; isalnum((unsigned char)*end) || *end == '_' || *end == ','; end++)
        g->port_count += *end == ',';
    if (*end != ']' || g->port_count > PORTS_MAX)
        return false;
    *at = end + 1;
    return **at != '+' || *++*at;
}

/* Parses a group at *@at and skips the plus sign after it. Returns false if invalid. */
static bool read_group(const char **at, struct uop_group *g)
{
    char *end;
    unsigned long count = strtoul(*at, &end, 10);

    if (!isdigit((unsigned char)**at) || *end != '*' || !count || count > 100000000)
        return false;
    g->count = (unsigned)count;
    g->unit = end + 1;
    g->list = false;
    if (str_has_prefix(g->unit, "p["))
        return read_list(at, g);
    g->unit_length = *g->unit == 'p' ? 1 : strspn(g->unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    g->ports = g->unit + g->unit_length;
    g->port_count = strcspn(g->ports, "+");
    if (!g->unit_length || g->unit_length > 8 || !g->port_count || g->port_count > PORTS_MAX)
        return false;
    for (size_t i = 0; i < g->port_count; i++)
        if (!isalnum((unsigned char)g->ports[i]))
            return false;
    *at = g->ports + g->port_count;
    return **at != '+' || *++*at;
}

static void port_name(const struct uop_group *g, size_t i, char name[PORT_NAME_MAX])
{
    const char *at = g->ports;
    for (; g->list && i; i--)
        at += strcspn(at, ",") + 1;
    if (g->list)
        snprintf(name, PORT_NAME_MAX, "%.*s", (int)strcspn(at, ",]"), at);
    else if (*g->unit == 'p')
        snprintf(name, PORT_NAME_MAX, "%c", g->ports[i]);
    else
        snprintf(name, PORT_NAME_MAX, "%.*s%c", (int)g->unit_length, g->unit, g->ports[i]);
}

static bool row_fault(const char *name, const struct uops_row *row, struct err *err)
{
    err_set(err, ERR_DATA, "write 1*p0156+1*p23", "invalid ports of %.80s: \"%.80s\"", row->name,
            row->ports);
    return err_at(err, name, row->line, 0);
}

static int compare_ports(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Collects the ports that occur. Sorts them by name, with the divider last. */
static bool find_ports(const struct uops_table *t, const char *name, struct ports *ports,
                       struct err *err)
{
    bool divider = false;

    for (size_t i = 0; i < t->count; i++) {
        struct uop_group g;
        divider |= t->rows[i].divider > 0;
        for (const char *at = t->rows[i].ports; *at;) {
            char port[PORT_NAME_MAX];
            if (!read_group(&at, &g))
                return row_fault(name, &t->rows[i], err);
            for (size_t k = 0; k < g.port_count; k++) {
                port_name(&g, k, port);
                if (ports_find(ports, port, strlen(port)) < 0 && !ports_add(ports, port, err))
                    return err_at(err, name, t->rows[i].line, 0);
            }
        }
    }
    if (!ports->count) {
        err_set(err, ERR_DATA, "give a uops.info table", "no instruction has a port usage");
        return err_at(err, name, 0, 0);
    }
    qsort(ports->names, ports->count, sizeof *ports->names, compare_ports);
    /* If the table names the dividers, no heuristic is needed. */
    for (unsigned j = 0; j < ports->count; j++)
        if (port_name_divides(ports->names[j]))
            ports->pipes |= (portset)1 << j;
    if (divider && !ports->pipes && ports_find(ports, DIVIDER, strlen(DIVIDER)) < 0) {
        if (!ports_add(ports, DIVIDER, err))
            return err_at(err, name, 0, 0);
        ports->pipes = (portset)1 << (ports->count - 1);
    }
    return true;
}

static void usage_of(const struct uops_row *row, const struct ports *ports, struct usage *usage)
{
    struct uop_group g;
    bool named = false;

    for (const char *at = row->ports; *at && read_group(&at, &g);) {
        portset set = 0;
        for (size_t k = 0; k < g.port_count; k++) {
            char port[PORT_NAME_MAX];
            port_name(&g, k, port);
            set |= (portset)1 << ports_find(ports, port, strlen(port));
        }
        usage_add(usage, set, g.count);
        named |= (set & ports->pipes) != 0;
    }
    if (row->divider && ports->pipes && !named)
        usage_add(usage, ports->pipes, row->divider);
}

/* Removes "_" and 2 or 4 hexadecimal digits of an opcode from @mnemonic: ADD_01, MOVSD_XMM_0F10,
 * VPEXTRW_C5_EVEX. */
static void strip_opcode(char *mnemonic)
{
    for (char *at = mnemonic; (at = strchr(at, '_')); at++) {
        size_t digits = strspn(at + 1, "0123456789ABCDEF");
        char after = at[1 + digits];
        if ((digits == 2 || digits == 4) && (after == '\0' || after == '_')) {
            memmove(at, at + 1 + digits, strlen(at + 1 + digits) + 1);
            return;
        }
    }
}

static void strip(char *mnemonic, const char *part)
{
    char *at = strstr(mnemonic, part);
    if (at && (at[strlen(part)] == '\0' || at[strlen(part)] == '_'))
        memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

/* Writes an instruction's name from uops.info's table without encoding suffixes, and with our REP
 * prefixes. */
static void plain_name(const char *mnemonic, const char *operands, struct str *out)
{
    static const char *const parts[] = {"_R0", "_R4",  "_IMMB", "_IMMZ",
                                        "_CL", "_XMM", "_SSE4", "_VEX"};
    static const char *const repeats[][2] = {{"_REPNE", "REPNE_"}, {"_REPE", "REPE_"}};
    char *name = mem_strdup(mnemonic);
    const char *prefix = "";

    if (!str_has_prefix(name, "LEA") && !str_has_prefix(name, "BND"))
        strip_opcode(name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        strip(name, parts[i]);
    for (size_t i = 0; i < 2; i++)
        if (strstr(name, repeats[i][0])) {
            strip(name, repeats[i][0]);
            /* REPE and REPNE differ only for compares and scans, because other string instructions
             * ignore the flag. */
            prefix = i == 1 && !str_has_prefix(name, "CMPS") && !str_has_prefix(name, "SCAS")
                         ? "REP_"
                         : repeats[i][1];
        }
    str_addf(out, "%s%s%s", prefix, name, str_has_prefix(name, "PREFETCH") ? " (M8)" : operands);
    free(name);
}

/* Writes the row's name if @forms has it or is NULL, otherwise the row's plain name. Sets *@exact
 * to whether it wrote the row's name. */
static void form_of(const struct uops_row *row, const struct forms *forms, struct str *out,
                    bool *exact)
{
    const char *list = strstr(row->name, " (");
    char *mnemonic =
        list ? mem_strndup(row->name, (size_t)(list - row->name)) : mem_strdup(row->name);

    if (!list)
        list = " ()";
    str_clear(out);
    str_addf(out, "%s%s", mnemonic, list);
    *exact = !forms || forms_find(forms, str_text(out));
    if (!*exact) {
        str_clear(out);
        plain_name(mnemonic, list, out);
    }
    free(mnemonic);
}

/* Returns whether the row is for a special case, such as "ADC (R64, 0)", which the form's own row
 * does not include. */
static bool is_special_case(const char *name)
{
    size_t length = strlen(name);
    return (length > 4 && strcmp(name + length - 4, ", 0)") == 0) || strstr(name, "(0,") ||
           strstr(name, "(0)");
}

static struct machine *machine_from(const char *id, const char *name, const struct uops_table *t,
                                    const struct forms *forms, struct err *err)
{
    struct ports ports = {0};
    struct str form = {0};

    if (!find_ports(t, name, &ports, err))
        return NULL;
    struct machine *m = machine_new(id, &ports);
    /* A row with the form's own name takes precedence over a row of another encoding. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < t->count; i++) {
            const struct uops_row *row = &t->rows[i];
            bool exact;
            if (watch_steps(ROW_STEPS))
                break;
            if (is_special_case(row->name))
                continue;
            form_of(row, forms, &form, &exact);
            if (exact != (pass == 0) || (pass == 1 && mapping_find(m->mapping, str_text(&form))))
                continue;
            struct mapping_entry entry = {
                .form = form.data,
                .latency = row->latency,
                .micro_ops = row->micro_ops,
                .source = row->upper_bound ? "uops.info (latency: upper bound)" : ""};
            usage_of(row, &ports, &entry.usage);
            mapping_set(m->mapping, &entry);
            usage_done(&entry.usage);
        }
    str_done(&form);
    if (!watch_goes_on(err)) {
        machine_free(m);
        return NULL;
    }
    machine_set_fact(m, "isa", "x86-64", "", "");
    machine_set_fact(m, "source", "uops.info", "", name);
    return m;
}

static bool is_xml(const char *text, size_t length)
{
    size_t at = utf8_mark(text, length);
    while (at < length && isspace((unsigned char)text[at]))
        at++;
    return at < length && text[at] == '<';
}

struct machine *import_uops_parse(const char *id, const char *name, const char *text, size_t length,
                                  const char *architecture, const struct forms *forms,
                                  struct err *err)
{
    struct uops_table t = {0};
    struct machine *m = NULL;
    bool ok;

    if (is_xml(text, length)) {
        struct uops_xml *x = uops_xml_new(&t, name, architecture);
        ok = uops_xml_feed(x, text, length, true, err);
        uops_xml_free(x);
    } else {
        ok = uops_table_csv(&t, name, text, length, err);
    }
    if (ok)
        m = machine_from(id, name, &t, forms, err);
    uops_table_done(&t);
    return m;
}

static bool stream_xml(FILE *file, const char *path, const char *architecture, struct uops_table *t,
                       struct err *err)
{
    struct uops_xml *x = uops_xml_new(t, path, architecture);
    char *buffer = mem_alloc(1 << 16);
    bool ok = true, last = false;
    struct stat status;
    double done = 0, total = fstat(fileno(file), &status) == 0 ? (double)status.st_size : 0;

    while (ok && !last) {
        size_t n = fread(buffer, 1, 1 << 16, file);
        watch_at("bytes", done += (double)n, total);
        last = n < 1 << 16;
        if (ferror(file)) {
            err_set(err, ERR_IO, "check the file", "cannot read: %s", strerror(errno));
            ok = err_at(err, path, 0, 0);
        } else {
            ok = uops_xml_feed(x, buffer, n, last, err);
        }
    }
    free(buffer);
    uops_xml_free(x);
    return ok;
}

struct machine *import_uops(const char *id, const char *path, const char *architecture,
                            const struct forms *forms, struct err *err)
{
    struct machine *m = NULL;
    struct uops_table t = {0};
    struct str text = {0};
    char start[64];
    FILE *file = file_open(path, err);

    if (!file)
        return NULL;
    size_t n = fread(start, 1, sizeof start, file);
    if (is_xml(start, n)) {
        rewind(file);
        if (stream_xml(file, path, architecture, &t, err))
            m = machine_from(id, path, &t, forms, err);
    } else if (file_read(path, CSV_LIMIT, &text, err)) {
        m = import_uops_parse(id, path, str_text(&text), text.length, architecture, forms, err);
    }
    fclose(file);
    uops_table_done(&t);
    str_done(&text);
    return m;
}

struct mapping *import_uops_alone(const char *path, const struct forms *forms, struct err *err)
{
    struct uops_table t = {0};
    struct str text = {0}, form = {0};
    struct mapping *m = NULL;
    bool exact;

    if (file_read(path, CSV_LIMIT, &text, err) &&
        uops_table_csv(&t, path, str_text(&text), text.length, err))
        m = mapping_new(&(struct ports){0});
    for (size_t i = 0; m && i < t.count; i++) {
        const struct uops_row *row = &t.rows[i];
        if (isnan(row->cycles) || is_special_case(row->name))
            continue;
        form_of(row, forms, &form, &exact);
        const struct mapping_entry *old = mapping_find(m, str_text(&form));
        mapping_set(m, &(struct mapping_entry){.form = form.data,
                                               .latency = old ? fmin(old->latency, row->cycles)
                                                              : row->cycles,
                                               .source = ""});
    }
    uops_table_done(&t);
    str_done(&text);
    str_done(&form);
    return m;
}
