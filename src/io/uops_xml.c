/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses one element at a time: <instruction string="ADD_01 (R64, R64)"><architecture
 * name="SKL"><measurement ports="1*p0156" uops="1"><latency cycles="1"/>... */
#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/watch.h"
#include "io/uops_table.h"

#define PIECE_BYTES ((size_t)1 << 16)
/* Largest tag or comment in bytes. The limit bounds the work, because an incomplete tag is scanned
 * again with each piece. */
#define TOKEN_BYTES ((XML_Index)1 << 20)
#define DEPTH_LIMIT 64

struct uops_xml {
    XML_Parser parser;
    struct uops_table *table;
    char *name, *architecture;
    bool chosen;
    struct str others;       /* names of other architectures in the file */
    bool rooted;             /* whether an <instruction> was read */
    bool selected;           /* whether the parser is in the element of the selected architecture */
    bool measured;           /* whether the first <measurement> of the architecture was read */
    bool open;               /* whether the parser is in a <measurement> of that architecture */
    char *instruction;
    struct uops_row row;
    struct err *err;         /* where an error in the current piece of text is stored */
    bool failed;
    unsigned depth;
    XML_Index fed;           /* number of bytes parsed so far */
};

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static bool fault(struct uops_xml *x, const char *todo, const char *what)
{
    if (!x->failed) {
        err_set(x->err, ERR_DATA, todo, "%s", what);
        err_at(x->err, x->name, XML_GetCurrentLineNumber(x->parser),
               XML_GetCurrentColumnNumber(x->parser) + 1);
        XML_StopParser(x->parser, XML_FALSE);
    }
    x->failed = true;
    return false;
}

static unsigned whole(const char *text)
{
    unsigned long value = text ? strtoul(text, NULL, 10) : 0;
    return value < 1000000 ? (unsigned)value : 0;
}

static void enter_architecture(struct uops_xml *x, const char *name)
{
    if (!name) {
        fault(x, "add the attribute name", "an <architecture> has no name");
        return;
    }
    if (!x->architecture)
        x->architecture = mem_strdup(name);
    x->selected = strcmp(name, x->architecture) == 0;
    x->measured = false;
    if (!x->selected && x->others.length < 2000) {
        struct str entry = {0};
        str_addf(&entry, " %s ", name);
        if (!x->others.data || !strstr(x->others.data, str_text(&entry)))
            str_add(&x->others, str_text(&entry));
        str_done(&entry);
    }
}

static void enter_measurement(struct uops_xml *x, const XML_Char **attributes)
{
    const char *ports = attribute(attributes, "ports"),
               *divider = attribute(attributes, "div_cycles");
    const char *micro_ops = attribute(attributes, "uops");

    if (!x->instruction) {
        fault(x, "put the <measurement> into an <instruction string=...>",
              "a <measurement> is outside of an <instruction>");
        return;
    }
    /* An architecture was inside another architecture, so the measurement was not closed. Frees its
     * ports. */
    free(x->row.ports);
    x->row = (struct uops_row){.name = x->instruction,
                               .ports = mem_strdup(ports ? ports : ""),
                               .latency = NAN,
                               .cycles = NAN,
                               .micro_ops = whole(micro_ops),
                               .divider = whole(divider),
                               .line = XML_GetCurrentLineNumber(x->parser)};
    x->measured = x->open = true;
}

/* Raises the latency to the largest number in attributes whose names contain "cycles", such as
 * max_cycles and cycles_addr. Ignores those with is_upper_bound or same_reg. */
static void take_latency(struct uops_row *row, const XML_Char **attributes)
{
    for (; attributes[0]; attributes += 2) {
        if (!strstr(attributes[0], "cycles") || strstr(attributes[0], "is_upper_bound") ||
            strstr(attributes[0], "same_reg"))
            continue;
        bool bound;
        double value = uops_latency(attributes[1], &bound);
        if (!isnan(value) && (isnan(row->latency) || value > row->latency))
            row->latency = value;
    }
}

static void XMLCALL on_start(void *data, const XML_Char *element, const XML_Char **attributes)
{
    struct uops_xml *x = data;

    watch_steps(1);
    if (++x->depth > DEPTH_LIMIT) {
        fault(x, "give uops.info's instructions.xml", "elements are nested too deeply");
        return;
    }
    if (strcmp(element, "instruction") == 0) {
        const char *name = attribute(attributes, "string");
        x->rooted = true;
        free(x->instruction);
        x->instruction = mem_strdup(name);
        if (!name)
            fault(x, "add the attribute string", "an <instruction> has no name");
    } else if (strcmp(element, "architecture") == 0) {
        enter_architecture(x, attribute(attributes, "name"));
    } else if (x->selected && !x->measured && strcmp(element, "measurement") == 0) {
        enter_measurement(x, attributes);
    } else if (x->open && strcmp(element, "latency") == 0) {
        take_latency(&x->row, attributes);
    }
}

static void XMLCALL on_end(void *data, const XML_Char *element)
{
    struct uops_xml *x = data;

    if (x->failed)
        return;
    x->depth--;
    if (strcmp(element, "architecture") == 0)
        x->selected = false;
    if (x->open && strcmp(element, "measurement") == 0) {
        x->row.name = x->instruction;
        uops_table_add(x->table, &x->row);
        free(x->row.ports);
        x->row.ports = NULL;
        x->open = false;
    }
}

/* Rejects declarations, because entities can expand exponentially and attribute defaults apply to
 * every element. */
static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal)
{
    (void)name, (void)system, (void)public;
    if (internal)
        fault(data,
              "write the entities' values into the text, and remove all declarations from the "
              "DOCTYPE",
              "the DOCTYPE of the file contains declarations");
}

struct uops_xml *uops_xml_new(struct uops_table *t, const char *name, const char *architecture)
{
    static const XML_Memory_Handling_Suite memory = {mem_lend, mem_lend_resize, free};
    struct uops_xml *x = mem_zero(1, sizeof *x);

    for (unsigned tries = 0; !(x->parser = XML_ParserCreate_MM(NULL, &memory, NULL)); tries++)
        mem_again(sizeof *x, tries);
    x->table = t;
    x->name = mem_strdup(name);
    x->architecture = mem_strdup(architecture);
    x->chosen = architecture != NULL;
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(x->parser, on_doctype);
    return x;
}

static bool at_end(struct uops_xml *x)
{
    if (!x->rooted)
        return fault(x, "give uops.info's instructions.xml", "the file has no <instruction>");
    if (!x->chosen && x->others.length) {
        err_set(x->err, ERR_USAGE, "select an architecture with --architecture",
                "the file has several architectures: %s%.400s", x->architecture,
                str_text(&x->others));
        err_at(x->err, x->name, 0, 0);
        x->failed = true;
    } else if (!x->table->count) {
        err_set(x->err, ERR_DATA, "select one of the file's architectures",
                "no measurements for %s; the file has%.400s",
                x->architecture ? x->architecture : "any architecture", str_text(&x->others));
        err_at(x->err, x->name, 0, 0);
        x->failed = true;
    }
    return !x->failed;
}

bool uops_xml_feed(struct uops_xml *x, const char *bytes, size_t length, bool last, struct err *err)
{
    x->err = err;
    if (x->failed)
        return err_set(err, ERR_DATA, NULL, "parsing already failed");
    do {
        size_t part = length > PIECE_BYTES ? PIECE_BYTES : length;
        if (watch_steps(1 + part / 100))
            return watch_goes_on(err);
        x->fed += (XML_Index)part;
        if (XML_Parse(x->parser, bytes, (int)part, last && part == length) == XML_STATUS_ERROR) {
            if (!x->failed && XML_GetErrorCode(x->parser) == XML_ERROR_NO_MEMORY) {
                x->failed = true;
                return err_memory(err, x->name, (size_t)XML_GetCurrentByteIndex(x->parser));
            }
            fault(x, "the file must be well-formed XML",
                  XML_ErrorString(XML_GetErrorCode(x->parser)));
            return false;
        }
        const XML_Index begun = XML_GetCurrentByteIndex(x->parser);
        if (begun >= 0 && x->fed - begun > TOKEN_BYTES)
            return fault(x, "give uops.info's instructions.xml",
                         "a tag or comment has more than a megabyte");
        bytes += part;
        length -= part;
    } while (length);
    return !last || at_end(x);
}

void uops_xml_free(struct uops_xml *x)
{
    if (!x)
        return;
    XML_ParserFree(x->parser);
    free(x->name);
    free(x->architecture);
    free(x->instruction);
    free(x->row.ports);
    str_done(&x->others);
    free(x);
}
