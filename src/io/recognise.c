/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/recognise.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "base/utf8.h"

#define BEGINNING 32768
#define END 4096

/* First and last bytes of a file in one text, with blanks in place of NULs */
struct sample {
    char text[BEGINNING + END + 1];
};

static bool has(const struct sample *s, const char *word)
{
    return strstr(s->text, word) != NULL;
}

static bool has_columns(const struct sample *s, const char *a, const char *b)
{
    size_t length = strcspn(s->text, "\r\n");
    char line[512], *rest = line;
    bool found_a = false, found_b = false;

    if (length >= sizeof line)
        return false;
    memcpy(line, s->text, length);
    line[length] = '\0';
    for (char *field; (field = strsep(&rest, ","));) {
        found_a |= strcmp(field, a) == 0;
        found_b |= strcmp(field, b) == 0;
    }
    return found_a && found_b;
}

static bool is_json_kind(const struct sample *s, const char *kind)
{
    return s->text[strspn(s->text, " \t\r\n")] == '{' && has(s, "\"kind\"") && has(s, kind);
}

static bool is_pmevo_experiments(const struct sample *s)
{
    return is_json_kind(s, "\"ExperimentList\"");
}

static bool is_pmevo_mapping(const struct sample *s)
{
    return is_json_kind(s, "\"Mapping3\"") || is_json_kind(s, "\"Mapping2\"") ||
           is_json_kind(s, "\"Mapping\"");
}

static bool is_population(const struct sample *s)
{
    return is_json_kind(s, "\"PortolanPopulation\"");
}

static bool is_uops_xml(const struct sample *s)
{
    return s->text[strspn(s->text, " \t\r\n")] == '<' && has(s, "<extension name=") &&
           has(s, "<instruction ");
}

static bool is_uops_csv(const struct sample *s)
{
    return has_columns(s, "instruction", "uops") && has_columns(s, "ports", "throughput");
}

static bool is_osaca(const struct sample *s)
{
    return has(s, "instruction_forms:") && (has(s, "ports:") || has(s, "osaca_version:"));
}

static bool is_experiments(const struct sample *s)
{
    return has_columns(s, "experiment", "cycles");
}

static bool is_mapping(const struct sample *s)
{
    return has_columns(s, "form", "usage");
}

static bool is_forms(const struct sample *s)
{
    return has_columns(s, "form", "template");
}

/* Returns whether the file has the columns hex and cycles. Also returns true if its first row is
 * hex,cycles without a header, as in BHive. */
static bool is_blocks(const struct sample *s)
{
    size_t digits = strspn(s->text, "0123456789abcdefABCDEF");
    const char *number = s->text + digits + 1;
    char *end;

    if (has_columns(s, "hex", "cycles"))
        return true;
    if (digits < 2 || digits % 2 || s->text[digits] != ',')
        return false;
    return strtod(number, &end) > 0 && end > number && (*end == '\r' || *end == '\n' || !*end);
}

static bool is_elf(const struct sample *s)
{
    return strncmp(s->text, "\177ELF", 4) == 0;
}

static bool is_archive(const struct sample *s)
{
    return strncmp(s->text, "!<arch>\n", 8) == 0 || strncmp(s->text, "!<thin>\n", 8) == 0;
}

static bool is_perf_data(const struct sample *s)
{
    return strncmp(s->text, "PERFILE2", 8) == 0;
}

static bool is_bitcode(const struct sample *s)
{
    return strncmp(s->text, "BC\xc0\xde", 4) == 0;
}

static bool is_windows(const struct sample *s)
{
    return strncmp(s->text, "MZ", 2) == 0 && has(s, "PE");
}

/* Returns whether the file is a Java class. Mach-O files for several processors begin with the same
 * bytes, followed by a small count. In a class, a larger version number follows (as in file(1)). */
static bool is_java(const struct sample *s)
{
    return strncmp(s->text, "\xca\xfe\xba\xbe", 4) == 0 && strlen(s->text) >= 8 &&
           (unsigned char)s->text[7] >= 45;
}

static bool is_macos(const struct sample *s)
{
    return strncmp(s->text, "\xcf\xfa\xed\xfe", 4) == 0 ||
           (strncmp(s->text, "\xca\xfe\xba\xbe", 4) == 0 && !is_java(s));
}

static bool is_compressed(const struct sample *s)
{
    static const char *const magics[] = {"\x1f\x8b", "BZh",
                                         ("\xfd"
                                          "7zXZ"),
                                         "\x28\xb5\x2f\xfd", "PK\x03\x04"};

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (str_has_prefix(s->text, magics[i]))
            return true;
    return false;
}

static bool is_picture(const struct sample *s)
{
    return strncmp(s->text, "\x89PNG", 4) == 0 || strncmp(s->text, "\xff\xd8\xff", 3) == 0 ||
           strncmp(s->text, "%PDF-", 5) == 0;
}

static const struct {
    bool (*is)(const struct sample *s);
    const char *what;       /* end of the message "this is ..." */
    /* suggested command, with FILE for the file, or instructions to convert the file, without
     * FILE */
    const char *remedy;
    const char *takes[5];   /* commands that accept the file, identified by their first words */
} kinds[] = {
    {is_pmevo_experiments,
     "PMEvo JSON of experiments",
     "experiments import FILE",
     {"experiments import", "evaluate"}},
    {is_pmevo_mapping,
     "PMEvo JSON of a mapping",
     "mapping import pmevo FILE",
     {"mapping import pmevo", "mapping load", "evaluate"}},
    {is_population,
     "an evolve start checkpoint file",
     "evolve resume FILE",
     {"evolve resume", "evolve start"}},
    {is_uops_xml,
     "uops.info's XML",
     "mapping import uops-info FILE --architecture A",
     {"mapping import uops-info"}},
    {is_uops_csv,
     "a uops.info table",
     "mapping import uops-info FILE",
     {"mapping import uops-info"}},
    {is_osaca,
     "an OSACA machine file",
     "mapping import osaca FILE",
     {"mapping import osaca", "mapping load"}},
    {is_experiments,
     "a table of experiments",
     "experiments load FILE",
     {"experiments load", "evaluate", "experiments measure", "machine chart"}},
    {is_mapping,
     "a mapping as CSV",
     "mapping import csv FILE",
     {"mapping import csv", "mapping load"}},
    {is_forms, "a table of forms", "forms add FILE", {"forms add", "session load"}},
    {is_blocks,
     "a table of measured blocks",
     "kernel evaluate FILE",
     {"kernel evaluate", "kernel measure"}},
    {is_elf,
     "an ELF program, library or object file",
     "kernel load FILE",
     {"kernel load", "kernel functions", "forms scan", "program profile", "program explain"}},
    {is_archive,
     "an archive of object files",
     "kernel load FILE",
     {"kernel load", "kernel functions", "forms scan"}},
    {is_perf_data, "a perf profile (perf.data)", "kernel load PROGRAM --profile FILE", {0}},
    {is_bitcode, "LLVM bitcode", "llc FILE converts the bitcode to assembler text", {0}},
    {is_windows,
     "a Windows program (PE)",
     "objdump -d prints its code, which kernel load reads",
     {0}},
    {is_java, "a Java class", "give machine code: an ELF program, library or object file", {0}},
    {is_macos,
     "a macOS program (Mach-O)",
     "llvm-objdump -d prints its code, which kernel load reads",
     {0}},
    {is_compressed, "a compressed file", "unpack the file first", {0}},
    {is_picture, "a picture or a document", "give the text itself", {0}},
};

static bool same_command(const char *a, const char *b)
{
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return strncmp(a, b, length) == 0 && strchr(" ", a[length]) && strchr(" ", b[length]);
}

static bool takes(size_t kind, const struct err *err, const char *command)
{
    if (err->profile && kinds[kind].is == is_perf_data)
        return true;
    for (size_t i = 0;
         i < sizeof kinds[kind].takes / sizeof *kinds[kind].takes && kinds[kind].takes[i]; i++)
        if (same_command(kinds[kind].takes[i], command))
            return true;
    return false;
}

/* Reads the sample. Reads regular files only, because a pipe could block. Skips a byte order mark.
 * Returns false if the file cannot be read. */
static bool read_sample(const char *path, struct sample *out)
{
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    size_t length = fread(out->text, 1, BEGINNING, file);
    if (length == BEGINNING && fseek(file, -END, SEEK_END) == 0)
        length += fread(out->text + length, 1, END, file);
    fclose(file);
    out->text[length] = '\0';
    /* Replaces NULs, because a search for text would end at a NUL. */
    for (size_t i = 1; i < length; i++)
        if (!out->text[i])
            out->text[i] = ' ';
    const size_t mark = utf8_mark(out->text, length);
    if (mark)
        memmove(out->text, out->text + mark, length + 1 - mark);
    return true;
}

void recognise(struct err *err, const char *command)
{
    if (!err->file[0] ||
        (err->code != ERR_DATA && err->code != ERR_USAGE && err->code != ERR_LIMIT))
        return;
    struct sample *s = malloc(sizeof *s);
    size_t kind = 0;

    if (s && read_sample(err->file, s)) {
        while (kind < sizeof kinds / sizeof *kinds && !kinds[kind].is(s))
            kind++;
        if (kind < sizeof kinds / sizeof *kinds && !takes(kind, err, command)) {
            struct str remedy = {0};
            char file[sizeof err->file];
            const char *place = strstr(kinds[kind].remedy, "FILE");
            strcpy(file, err->file);
            if (place)
                str_addf(&remedy, "%.*s%s%s", (int)(place - kinds[kind].remedy), kinds[kind].remedy,
                         file, place + 4);
            else
                str_add(&remedy, kinds[kind].remedy);
            err_set(err, ERR_DATA, str_text(&remedy), "this is %s", kinds[kind].what);
            err_at(err, file, 0, 0);
            str_done(&remedy);
        }
    }
    free(s);
}
