/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels in a session's directory. NAME.s or NAME.hex has the code, NAME-names.csv the references
 * of machine code. NAME-source.txt and NAME-lines.csv have the source, if known. NAME-recipe.csv
 * has the recipe of a kernel made from a file. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel_names.h"
#include "analysis/recipe.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/parameter.h"
#include "cmd/session_parts.h"
#include "toolchain/compile.h"
#include "toolchain/debug_lines.h"

#define HEX_KEY "-hex"   /* suffix of the key of a hexadecimal value */

void kernel_record_done(struct kernel_record *r)
{
    free(r->name);
    free(r->place);
    *r = (struct kernel_record){0};
}

static bool read_lines(const char *value, struct kernel_options *options)
{
    struct line_range lines;
    bool ok = parameter_lines(value, &lines);

    options->first_line = lines.first;
    options->last_line = lines.last;
    return ok;
}

static bool read_number(const char *value, size_t *out)
{
    int used = 0;
    return sscanf(value, "%zu%n", out, &used) == 1 && !value[used] && *out > 0;
}

bool kernel_record_take(struct kernel_record *r, const char *key, const char *value, bool *valid)
{
    if (!str_has_prefix(key, "kernel"))
        return false;
    if (strcmp(key, "kernel") == 0) {
        free(r->name);
        r->name = mem_strdup(value);
        *valid = *value;
    } else if (strcmp(key, "kernel-skip-bad") == 0) {
        r->options.skip_bad = strcmp(value, "on") == 0;
        *valid = r->options.skip_bad || strcmp(value, "off") == 0;
    } else if (strcmp(key, "kernel-isa") == 0) {
        *valid = r->options.isa_given = isa_parse(value, &r->options.isa);
    } else if (strcmp(key, "kernel-lines") == 0) {
        *valid = read_lines(value, &r->options);
    } else if (strcmp(key, "kernel-loop") == 0) {
        *valid = read_number(value, &r->options.loop);
    } else if (strcmp(key, "kernel-address") == 0) {
        *valid = read_number(value, &r->address) || strcmp(value, "0") == 0;
    } else if (strcmp(key, "kernel-place") == 0) {
        free(r->place);
        r->place = mem_strdup(value);
        *valid = *value;
    } else {
        return false;
    }
    return true;
}

static bool write_named(struct session_saving *w, const char *prefix, const char *rest,
                        const struct str *text, struct err *err)
{
    struct str name = {0};

    str_addf(&name, "%s%s", prefix, rest);
    bool ok = session_write(w, str_text(&name), text, err);
    str_done(&name);
    return ok;
}

/* Writes a value that must be restored exactly, in hexadecimal under KEY-hex if it is not UTF-8. */
static void exact_row(struct str *text, const char *key, const char *value)
{
    struct str name = {0}, digits = {0};

    if (utf8_valid(value, strlen(value), NULL)) {
        session_row(text, key, value);
        return;
    }
    str_addf(&name, "%s" HEX_KEY, key);
    for (const unsigned char *byte = (const unsigned char *)value; *byte; byte++)
        str_addf(&digits, "%02x", *byte);
    session_row(text, str_text(&name), str_text(&digits));
    str_done(&name);
    str_done(&digits);
}

/* Decodes a row of exact_row into a key and a value, which the caller frees. Returns false, with
 * nothing to free, for invalid hexadecimal digits. */
static bool read_exact(const char *key, const char *value, char **plain_key, char **plain)
{
    const size_t length = strlen(key), digits = strlen(value), suffix = strlen(HEX_KEY);
    const bool hex = length > suffix && strcmp(key + length - suffix, HEX_KEY) == 0;

    if (hex && (digits % 2 || strspn(value, "0123456789abcdef") != digits))
        return false;
    *plain_key = mem_strndup(key, hex ? length - suffix : length);
    *plain = mem_strdup(value);
    for (size_t i = 0; hex && i + 1 < digits; i += 2) {
        const char pair[] = {value[i], value[i + 1], '\0'};
        (*plain)[i / 2] = (char)strtoul(pair, NULL, 16);
        (*plain)[i / 2 + 1] = '\0';
    }
    return true;
}

/* Saves how the kernel was made, for reading or compiling it again. */
static bool save_recipe(struct session_saving *w, const struct recipe *r, const char *prefix,
                        struct err *err)
{
    struct str text = {0};
    char number[48];

    str_add(&text, "key,value\n");
    exact_row(&text, "path", r->path);
    session_row(&text, "source", r->source ? "on" : "off");
    if (r->profile)
        exact_row(&text, "profile", r->profile);
    if (r->compiler)
        exact_row(&text, "compiler", r->compiler);
    for (size_t i = 0; i < r->flags.count; i++)
        exact_row(&text, "flag", r->flags.items[i]);
    if (r->target)
        session_row(&text, "target", r->target);
    if (r->generic)
        session_row(&text, "generic", r->generic);
    if (r->options.symbol)
        exact_row(&text, "symbol", r->options.symbol);
    if (r->options.isa_given)
        session_row(&text, "isa", isa_name(r->options.isa));
    if (r->options.syntax != SYNTAX_AUTO)
        session_row(&text, "syntax", r->options.syntax == SYNTAX_ATT ? "att" : "intel");
    if (r->options.skip_bad)
        session_row(&text, "skip-bad", "on");
    if (r->options.first_line) {
        snprintf(number, sizeof number, "%zu-%zu", r->options.first_line, r->options.last_line);
        session_row(&text, "lines", number);
    }
    if (r->options.loop)
        session_row_number(&text, "loop", r->options.loop);
    bool ok = write_named(w, prefix, "-recipe.csv", &text, err);
    str_done(&text);
    return ok;
}

/* Saves the bytes of loop @loop, for objects and hex blocks. */
static bool save_bytes(struct session_saving *w, const struct kernel *k, size_t loop,
                       const char *prefix, struct err *err)
{
    struct str text = {0};
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);

    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < insns[i].length; j++)
            str_addf(&text, "%02x", insns[i].bytes[j]);
    str_add_char(&text, '\n');
    bool ok = write_named(w, prefix, ".hex", &text, err);
    str_done(&text);
    return ok;
}

static bool in_loop(const struct insn *insns, size_t count, uint64_t position)
{
    return position >= insns[0].offset &&
           position < insns[count - 1].offset + insns[count - 1].length;
}

/* Saves the names and relocations that loop @loop uses. Positions are byte offsets from the loop's
 * first instruction. */
static bool save_names(struct session_saving *w, const struct kernel *k, size_t loop,
                       const char *prefix, struct err *err)
{
    struct str text = {0};
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);
    bool ok = true;

    if (!k->names || !count || !(k->names->list.count + k->names->references.count))
        return true;
    str_add(&text, "byte,name,addend,type\n");
    bool *used = kernel_names_used(k, loop);
    for (size_t i = 0; i < k->names->list.count && !watch_steps(1); i++) {
        const struct kernel_name *name = &k->names->list.items[i];
        if (!used[i])
            continue;
        str_addf(&text, "%lld,", (long long)(name->position - insns[0].offset));
        session_field(&text, name->name, false);
        str_add(&text, ",\n");
    }
    free(used);
    for (size_t i = 0; i < k->names->references.count && !watch_steps(1); i++) {
        const struct code_reference *r = &k->names->references.items[i];
        if (!in_loop(insns, count, r->place))
            continue;
        str_addf(&text, "%lld,", (long long)(r->place - insns[0].offset));
        session_field(&text, r->name, false);
        str_addf(&text, ",%lld,%u\n", (long long)r->addend, r->kind ? r->kind->type : 0);
    }
    ok = write_named(w, prefix, "-names.csv", &text, err);
    str_done(&text);
    return ok;
}

/* Writes the source line of each text line, unless it equals that of the previous text line. */
static void add_text_lines(const struct kernel *k, struct str *out)
{
    str_add(out, "line,source_line\n");
    for (size_t i = 0; i < k->origin_line_count && !watch_steps(1); i++)
        if (i == 0 || k->origin_lines[i] != k->origin_lines[i - 1])
            str_addf(out, "%zu,%u\n", i + 1, k->origin_lines[i]);
}

/* Writes the source line and inlined function of a loop of machine code, at each byte offset where
 * they change. */
static void add_byte_lines(const struct kernel *k, size_t loop, struct str *out)
{
    size_t count, byte = 0;
    const struct insn *insns = kernel_insns(k, loop, &count), *before = NULL;

    str_add(out, "byte,source_line,inlined\n");
    for (size_t i = 0; i < count && !watch_steps(1);
         before = &insns[i], byte += insns[i].length, i++) {
        const char *inlined = kernel_inlined(k, &insns[i]);
        if (before && before->origin == insns[i].origin && kernel_inlined(k, before) == inlined)
            continue;
        str_addf(out, "%zu,%u,", byte, insns[i].origin);
        session_field(out, inlined ? inlined : "", true);
    }
}

/* Sets *@first and *@last to the first and last source line of the loop; to UINT32_MAX and 0 if
 * unknown. */
static void loop_lines(const struct kernel *k, size_t loop, uint32_t *first, uint32_t *last)
{
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);

    *first = UINT32_MAX;
    *last = 0;
    for (size_t i = 0; i < count; i++) {
        *first = insns[i].origin && insns[i].origin < *first ? insns[i].origin : *first;
        *last = insns[i].origin > *last ? insns[i].origin : *last;
    }
}

static bool save_origin(struct session_saving *w, const struct kernel *k, size_t loop,
                        const char *prefix, struct err *err)
{
    struct str text = {0};
    uint32_t first = 0, last = UINT32_MAX;
    bool ok = true;

    if (!kernel_has_source(k))
        return true;
    if (!k->source)
        /* If the source is in another file, stores only the lines of the saved loop. */
        loop_lines(k, loop, &first, &last);
    for (size_t i = 0; i < k->origin_text_count && i < last && !watch_steps(1); i++)
        str_addf(&text, "%s\n", i + 1 >= first ? k->origin_texts[i] : "");
    if (text.length)
        ok = write_named(w, prefix, "-source.txt", &text, err);
    str_clear(&text);
    if (k->source)
        add_text_lines(k, &text);
    else
        add_byte_lines(k, loop, &text);
    ok = ok && write_named(w, prefix, "-lines.csv", &text, err);
    str_done(&text);
    return ok;
}

bool session_kernel_save(struct session_saving *w, const struct kernel *k, size_t loop,
                         const char *prefix, struct str *rows, struct err *err)
{
    struct str text = {0};
    char number[48];
    uint32_t first = UINT32_MAX, last = 0;

    session_row(rows, "kernel", k->name);
    if (k->recipe && strcmp(k->recipe->path, "/dev/stdin") != 0 &&
        !save_recipe(w, k->recipe, prefix, err))
        return false;
    if (!k->source) {
        size_t count;
        const struct insn *insns = kernel_insns(k, loop, &count);
        if (count && (k->recipe || insns->offset)) {
            session_row_number(rows, "kernel-address",
                               insns->placed ? insns->address : insns->offset);
            session_row(rows, "kernel-place", k->loops[loop].why);
        }
        return save_bytes(w, k, loop, prefix, err) && save_names(w, k, loop, prefix, err) &&
               save_origin(w, k, loop, prefix, err);
    }
    for (size_t i = 0; i < k->insn_count && !watch_steps(1); i++) {
        first = k->insns[i].line < first ? k->insns[i].line : first;
        last = k->insns[i].line > last ? k->insns[i].line : last;
    }
    snprintf(number, sizeof number, "%u-%u", first, last);
    session_row(rows, "kernel-lines", number);
    session_row_number(rows, "kernel-loop", loop + 1);
    session_row(rows, "kernel-skip-bad", k->refused_count ? "on" : "off");
    str_add(&text, k->source);
    bool ok = write_named(w, prefix, ".s", &text, err) && save_origin(w, k, loop, prefix, err);
    str_done(&text);
    return ok;
}

bool session_shelf_save(const struct shelf *shelf, struct session_saving *w, struct err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < shelf->list.count; i++) {
        const struct shelved *item = &shelf->list.items[i];
        struct str rows = {0};
        char prefix[40];
        if (i == shelf->at)
            continue;
        snprintf(prefix, sizeof prefix, "kernels/%zu", i + 1);
        str_add(&rows, "key,value\n");
        session_row(&rows, "kernel-isa", isa_name(item->kernel->isa));
        ok = watch_goes_on(err) &&
             session_kernel_save(w, item->kernel, item->loop, prefix, &rows, err) &&
             write_named(w, prefix, ".csv", &rows, err);
        str_done(&rows);
    }
    return ok;
}

static const char *named_path(struct str *path, const char *dir, const char *prefix,
                              const char *rest)
{
    str_clear(path);
    str_addf(path, "%s/%s%s", dir, prefix, rest);
    return str_text(path);
}

static bool take_recipe_value(struct recipe *r, const char *key, const char *value)
{
    struct kernel_options *o = &r->options;
    struct err none = {0};
    bool half = false;

    if (strcmp(key, "path") == 0)
        r->path = r->path ? r->path : mem_strdup(value);
    else if (strcmp(key, "source") == 0)
        r->source = strcmp(value, "on") == 0;
    else if (strcmp(key, "profile") == 0)
        r->profile = r->profile ? r->profile : mem_strdup(value);
    else if (strcmp(key, "compiler") == 0)
        r->compiler = r->compiler ? r->compiler : mem_strdup(value);
    /* Rejects compiler options that are not allowed. */
    else if (strcmp(key, "flag") == 0 && compile_option_allowed(value, &half, &none) && !half)
        vec_push(&r->flags, mem_strdup(value));
    else if (strcmp(key, "target") == 0)
        r->target = r->target ? r->target : mem_strdup(value);
    else if (strcmp(key, "symbol") == 0)
        o->symbol = o->symbol ? o->symbol : mem_strdup(value);
    else if (strcmp(key, "isa") == 0)
        return o->isa_given = isa_parse(value, &o->isa);
    else if (strcmp(key, "syntax") == 0)
        o->syntax = strcmp(value, "att") == 0 ? SYNTAX_ATT : SYNTAX_INTEL;
    else if (strcmp(key, "skip-bad") == 0)
        o->skip_bad = strcmp(value, "on") == 0;
    else if (strcmp(key, "lines") == 0)
        return read_lines(value, o);
    else if (strcmp(key, "loop") == 0)
        return read_number(value, &o->loop);
    else if (strcmp(key, "generic") == 0)
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            const struct isa_ops *ops = isa_ops((enum isa)isa);
            for (size_t i = 0; i < sizeof ops->generic_targets / sizeof *ops->generic_targets &&
                               ops->generic_targets[i].name;
                 i++)
                r->generic = strcmp(ops->generic_targets[i].name, value) == 0
                                 ? ops->generic_targets[i].name
                                 : r->generic;
        }
    else
        return false;
    return true;
}

static bool take_recipe_row(void *to, const char *key, const char *value)
{
    char *plain_key, *plain;

    if (!read_exact(key, value, &plain_key, &plain))
        return false;
    const bool taken = take_recipe_value(to, plain_key, plain);
    free(plain_key);
    free(plain);
    return taken;
}

static bool load_recipe(const char *dir, const char *prefix, struct kernel *k, struct err *err)
{
    struct str path = {0};
    bool ok = true;

    if (access(named_path(&path, dir, prefix, "-recipe.csv"), F_OK) == 0) {
        struct recipe *r = recipe_new();
        r->foreign = true;
        ok = session_read_rows(str_text(&path), take_recipe_row, r, err);
        if (ok && !r->path) {
            err_set(err, ERR_DATA, "restore the file from a copy", "the row path is missing");
            ok = err_at(err, str_text(&path), 0, 0);
        }
        if (ok)
            k->recipe = r;
        else
            recipe_free(r);
    }
    str_done(&path);
    return ok;
}

/* columns of the line table: text line or byte offset, source line, inlined function */
enum { PLACE, SOURCE_LINE, INLINED, LINE_COLUMNS };

/* Parses decimal digits. Returns false for other characters or a value above @most. */
static bool read_whole(const char *text, unsigned long most, unsigned long *out)
{
    *out = strtoul(text, NULL, 10);   /* strtoul returns ULONG_MAX on overflow. */
    return *text && !text[strspn(text, "0123456789")] && *out <= most;
}

/* Parses place and source line of row @i of @t. Returns false with err if a value is no number or
 * too large. Also returns false with err if places do not ascend from @first. Stores the two values
 * in *@at and *@source. */
static bool take_line_row(const struct csv_table *t, size_t i, const char *path, const int *columns,
                          size_t first, size_t *at, uint32_t *source, struct err *err)
{
    unsigned long place, line = 0;
    int bad = -1;

    if (!read_whole(t->rows[i][columns[PLACE]], SESSION_TEXT_LIMIT, &place) ||
        (i ? place <= *at : place != first))
        bad = columns[PLACE];
    else if (!read_whole(t->rows[i][columns[SOURCE_LINE]], UINT32_MAX, &line))
        bad = columns[SOURCE_LINE];
    if (bad >= 0)
        return session_row_fault(err, path, t->lines[i], bad, t->header[bad], t->rows[i][bad]);
    *at = place;
    *source = (uint32_t)line;
    return true;
}

/* Sets err for a failed allocation (@room false) of @rows rows. Returns whether there was no
 * error. */
static bool lines_end(bool ok, bool room, const char *path, size_t rows, size_t size,
                      struct err *err)
{
    if (!room) {
        err_memory_for(err, "the source lines of a kernel", 2 * (rows + 1) * size);
        err_at(err, path, 0, 0);
    }
    return ok && room;
}

static bool load_text_lines(const struct csv_table *t, const char *path, struct kernel *k,
                            char *take_text, struct err *err)
{
    static const char *const names[] = {"line", "source_line"};
    VEC(uint32_t) lines = {0};
    int columns[LINE_COLUMNS];
    uint32_t last = 0;
    size_t line = 0;
    bool ok = session_columns(t, path, names, INLINED, columns, err), room = true;

    for (size_t i = 0; ok && room && i < t->count; i++) {
        uint32_t source = 0;
        ok = take_line_row(t, i, path, columns, 1, &line, &source, err);
        while (ok && room && lines.count + 1 < line)
            vec_try_push(&lines, last, room);
        last = ok ? source : last;
        if (ok)
            vec_try_push(&lines, last, room);
    }
    /* The last entry applies up to the end of the text, because only changes are stored. */
    for (size_t i = 0; ok && lines.count && i < k->insn_count; i++)
        while (room && lines.count < k->insns[i].line)
            vec_try_push(&lines, last, room);
    kernel_set_origin(k, lines.items, lines.count, take_text);
    return lines_end(ok, room, path, lines.count, sizeof *lines.items, err);
}

static bool load_byte_lines(const struct csv_table *t, const char *path, struct kernel *k,
                            char *take_text, struct err *err)
{
    static const char *const names[] = {"byte", "source_line", "inlined"};
    struct debug_lines lines = {0};
    int columns[LINE_COLUMNS];
    size_t byte = 0;
    bool ok = session_columns(t, path, names, LINE_COLUMNS, columns, err), room = true;

    for (size_t i = 0; ok && room && i < t->count; i++) {
        uint32_t source = 0, inlined = 0;
        ok = take_line_row(t, i, path, columns, 0, &byte, &source, err);
        const char *name = ok ? t->rows[i][columns[INLINED]] : "";
        if (*name) {
            /* Consecutive rows of one function share its name, because kernel_source_note compares
             * pointers. */
            if (!lines.inlined.count ||
                strcmp(lines.inlined.items[lines.inlined.count - 1], name) != 0)
                vec_try_push(&lines.inlined, mem_strdup(name), room);
            inlined = (uint32_t)lines.inlined.count;
        }
        if (ok)
            vec_try_push(&lines.rows,
                         ((struct debug_line){k->insns[0].offset + byte, source, inlined}), room);
    }
    const size_t rows = lines.rows.count;
    kernel_set_debug(k, &lines, take_text);
    return lines_end(ok, room, path, rows, sizeof *lines.rows.items, err);
}

static bool load_origin(const char *dir, const char *prefix, struct kernel *k, struct err *err)
{
    struct str path = {0}, text = {0};

    if (access(named_path(&path, dir, prefix, "-lines.csv"), F_OK) != 0) {
        str_done(&path);
        return true;
    }
    struct csv_table *t = csv_table_read(str_text(&path), err);
    /* Machine code may have a line table without a source text. */
    bool has_source = k->source || access(named_path(&path, dir, prefix, "-source.txt"), F_OK) == 0;
    bool ok = t && (!has_source || file_read(named_path(&path, dir, prefix, "-source.txt"),
                                         SESSION_TEXT_LIMIT, &text, err));
    if (ok) {
        named_path(&path, dir, prefix, "-lines.csv");
        ok = (k->source ? load_text_lines : load_byte_lines)(
            t, str_text(&path), k, has_source ? str_take(&text) : NULL, err);
    }
    csv_table_free(t);
    str_done(&path);
    str_done(&text);
    return ok;
}

static bool read_signed(const char *text, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(text, &end, 10);
    return end > text && !*end && !errno && !isspace((unsigned char)*text);
}

static bool load_names(const char *dir, const char *prefix, struct kernel *k, struct err *err)
{
    static const char *const columns[] = {"byte", "name", "addend", "type"};
    enum { BYTE, NAME, ADDEND, TYPE, COLUMN_COUNT };
    struct str path = {0};
    int at[COLUMN_COUNT];

    if (access(named_path(&path, dir, prefix, "-names.csv"), F_OK) != 0) {
        str_done(&path);
        return true;
    }
    struct csv_table *t = csv_table_read(str_text(&path), err);
    struct kernel_names *names = mem_zero(1, sizeof *names);
    bool ok = t && session_columns(t, str_text(&path), columns, COLUMN_COUNT, at, err);
    for (size_t i = 0; ok && i < t->count && !watch_steps(1); i++) {
        char *const *row = t->rows[i];
        int64_t byte = 0, addend = 0, type = 0;
        const bool reference = *row[at[TYPE]];
        const char *const fields[] = {row[at[BYTE]], reference ? row[at[ADDEND]] : "0",
                                      reference ? row[at[TYPE]] : "0"};
        int64_t *const values[] = {&byte, &addend, &type};
        for (int f = 0; ok && f < 3; f++)
            if (!read_signed(fields[f], values[f]))
                ok = session_row_fault(err, str_text(&path), t->lines[i], at[f ? f + 1 : 0],
                                       columns[f ? f + 1 : 0], fields[f]);
        if (ok && !*row[at[NAME]])
            ok = session_row_fault(err, str_text(&path), t->lines[i], at[NAME], columns[NAME], "");
        const uint64_t position = k->insns[0].offset + (uint64_t)byte;
        if (ok && reference)
            vec_add(&names->references,
                    ((struct code_reference){position, mem_strdup(row[at[NAME]]), addend,
                                             isa_relocation(k->isa, (unsigned)type)}));
        else if (ok)
            vec_add(&names->list, ((struct kernel_name){position, mem_strdup(row[at[NAME]])}));
    }
    csv_table_free(t);
    str_done(&path);
    if (ok)
        kernel_names_take(k, names);
    else
        kernel_names_free(names);
    return ok;
}

struct kernel *session_kernel_load(const char *dir, const char *prefix,
                                   const struct kernel_record *r, size_t *loop, struct err *err)
{
    struct str path = {0}, text = {0};
    struct kernel *k = NULL;
    bool hex = access(named_path(&path, dir, prefix, ".hex"), F_OK) == 0;

    if (file_read(named_path(&path, dir, prefix, hex ? ".hex" : ".s"), SESSION_TEXT_LIMIT, &text,
                  err))
        k = hex ? kernel_from_hex(r->options.isa, str_text(&text), err)
                : kernel_from_text(str_text(&path), str_text(&text), text.length, &r->options, err);
    bool placed = !k || !hex || !r->place || kernel_place(k, r->address, r->place, err);
    if (k && (!placed || (hex && !load_names(dir, prefix, k, err)) ||
              !load_origin(dir, prefix, k, err) || !load_recipe(dir, prefix, k, err))) {
        kernel_free(k);
        k = NULL;
    }
    if (k) {
        free(k->name);
        k->name = mem_strdup(r->name);
        *loop = hex ? 0 : kernel_loop_requested(&r->options);
    }
    str_done(&path);
    str_done(&text);
    return k;
}

/* Reads a row of a kernel that is not the current kernel. Returns false if the row is invalid. */
static bool take_kernel_row(void *to, const char *key, const char *value)
{
    bool valid = false;
    return kernel_record_take(to, key, value, &valid) && valid;
}

/* Loads kernel @number of the shelf. Sets *@there to whether it has a file; if not, returns NULL
 * without err. */
static const struct kernel *load_shelved(const char *dir, size_t number, size_t *loop, bool *there,
                                         struct err *err)
{
    struct kernel_record record = {0};
    struct str path = {0};
    const struct kernel *k = NULL;
    char prefix[40];

    snprintf(prefix, sizeof prefix, "kernels/%zu", number);
    *there = access(named_path(&path, dir, prefix, ".csv"), F_OK) == 0;
    if (*there && session_read_rows(str_text(&path), take_kernel_row, &record, err)) {
        if (record.name)
            k = session_kernel_load(dir, prefix, &record, loop, err);
        else
            err_set(err, ERR_DATA, "restore the file from a copy", "the row kernel is missing");
    }
    kernel_record_done(&record);
    str_done(&path);
    return k;
}

bool session_shelf_load(const char *dir, struct session *s, const struct kernel *current,
                        size_t loop, struct err *err)
{
    size_t at = SIZE_MAX;
    bool ok = true;

    for (size_t number = 1; ok && number <= SHELF_MOST; number++) {
        bool there;
        size_t its = 0;
        const struct kernel *k =
            watch_goes_on(err) ? load_shelved(dir, number, &its, &there, err) : NULL;
        if (k) {
            shelf_append(&s->document.shelf, k, its);
            kernel_free(k);
        } else if (err->what[0]) {
            ok = false;
        /* The first missing number is the current kernel's. */
        } else if (current && at == SIZE_MAX) {
            at = s->document.shelf.list.count;
            shelf_append(&s->document.shelf, current, loop);
        } else {
            break;
        }
    }
    if (ok && at != SIZE_MAX)
        session_use_shelved(s, at, loop);
    kernel_free(current);
    return ok;
}
