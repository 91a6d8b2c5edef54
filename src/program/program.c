/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <jansson.h>
#include <libelf.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "base/watch.h"
#include "program/runtime/layout.h"

#define ABOUT_MOST ((size_t)512 << 20)   /* largest size of all descriptions in bytes */

/* Appends the section with the descriptions to @out (may be NULL). Returns false if the file lacks
 * it, or if the section is too large. */
static bool read_section(const char *path, struct str *out)
{
    /* With O_NONBLOCK, opening a pipe does not block. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    size_t names;
    bool found = false;

    if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0)
        for (Elf_Scn *section = NULL; !found && (section = elf_nextscn(elf, section)) != NULL;) {
            GElf_Shdr header;
            const char *name =
                gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            bool about = name && strcmp(name, PORTOLAN_ABOUT_SECTION) == 0 &&
                         header.sh_type != SHT_NOBITS && header.sh_size &&
                         header.sh_size <= ABOUT_MOST;
            if (!about || !out) {
                found = about;
                continue;
            }
            Elf_Data *data = elf_rawdata(section, NULL);
            found = data && data->d_buf && str_try_reserve(out, data->d_size + 1);
            if (found)
                str_add_bytes(out, data->d_buf, data->d_size);
        }
    elf_end(elf);
    close(fd);
    return found;
}

bool program_is_built(const char *path)
{
    return read_section(path, NULL);
}

static char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return mem_strdup(text ? text : "");
}

/* Parses an operation such as "fadd 0 2". Returns false if it is invalid. If the operation reads
 * too many values, keeps only the latest. */
static bool read_op(const char *text, size_t at, struct graphlet_op *out)
{
    size_t length = text ? strcspn(text, " ") : 0;
    enum op_class class;

    if (!length || !op_class_find(text, length, &class))
        return false;
    *out = (struct graphlet_op){.class = (uint8_t)class};
    for (char *next; text[length] == ' '; length = (size_t)(next - text)) {
        unsigned long from = strtoul(text + length + 1, &next, 10);
        if (from >= at || next == text + length + 1)
            return false;
        if (out->read_count < GRAPHLET_READS)
            out->reads[out->read_count++] = (uint32_t)from;
        else
            for (unsigned k = 0, done = 0; k < GRAPHLET_READS && !done; k++)
                if (out->reads[k] < from) {
                    out->reads[k] = (uint32_t)from;
                    done = 1;
                }
    }
    return !text[length];
}

static bool read_block(json_t *json, const struct program_unit *unit, struct program_block *b)
{
    json_t *ops = json_object_get(json, "ops"), *next = json_object_get(json, "next"),
           *calls = json_object_get(json, "calls");

    b->line = (uint32_t)json_integer_value(json_object_get(json, "line"));
    b->two_way = json_is_true(json_object_get(json, "two_way"));
    const json_int_t selects = json_integer_value(json_object_get(json, "selects"));
    b->selects = selects > 0 && selects <= UINT32_MAX ? (uint32_t)selects : 0;
    b->ops = mem_zero(json_array_size(ops) + 1, sizeof *b->ops);
    b->next = mem_zero(json_array_size(next) + 1, sizeof *b->next);
    b->calls = mem_zero(json_array_size(calls) + 1, sizeof *b->calls);
    for (size_t i = 0; i < json_array_size(ops); i++, b->op_count++)
        if (!read_op(json_string_value(json_array_get(ops, i)), i, &b->ops[i]))
            return false;
    for (size_t i = 0; i < json_array_size(next); i++) {
        json_int_t to = json_integer_value(json_array_get(next, i));
        if (to < 0 || to >= UINT32_MAX / 2)
            return false;
        b->next[b->next_count++] = unit->first_block + (uint32_t)to;
    }
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const char *name = json_string_value(json_array_get(calls, i));
        if (!name)
            return false;
        b->calls[b->call_count++] = mem_strdup(name);
    }
    return true;
}

typedef VEC(struct program_unit) unit_list;
typedef VEC(struct program_function) function_list;
typedef VEC(struct program_block) block_list;
typedef VEC(struct program_reference) reference_list;

struct program_reading {
    unit_list units;
    function_list functions;
    block_list blocks;
    reference_list references;
};

static bool read_functions(json_t *functions, struct program_reading *r, struct program_unit *unit)
{
    size_t i, k;
    json_t *function, *block;

    json_array_foreach(functions, i, function) {
        json_t *blocks = json_object_get(function, "blocks");
        struct program_function f = {text_of(function, "name"), mem_zero(1, sizeof *f.control),
                                     (uint32_t)r->blocks.count, (uint32_t)json_array_size(blocks)};
        vec_push(&r->functions, f);
        if (!f.block_count || !control_read(json_object_get(function, "control"), f.block_count,
                                            unit->symbols->names.count, f.control))
            return false;
        json_array_foreach(blocks, k, block) {
            if (watch_steps(1 + json_array_size(json_object_get(block, "ops")) +
                            json_array_size(json_object_get(block, "next"))))
                return false;
            struct program_block b = {.unit = (uint32_t)r->units.count,
                                      .function = (uint32_t)r->functions.count - 1};
            bool ok = read_block(block, unit, &b);
            /* Adds the block even if it is invalid, because the list's destructor frees its
             * members. */
            vec_push(&r->blocks, b);
            if (!ok)
                return false;
        }
    }
    unit->function_count = (uint32_t)r->functions.count - unit->first_function;
    unit->block_count = (uint32_t)r->blocks.count - unit->first_block;
    return true;
}

static bool read_references(json_t *references, struct program_reading *r,
                            struct program_unit *unit)
{
    size_t i;
    json_t *json;

    json_array_foreach(references, i, json) {
        if (watch_steps(1))
            return false;
        json_int_t block = json_integer_value(json_object_get(json, "block")),
                   bytes = json_integer_value(json_object_get(json, "bytes"));
        if (block < 0 || block >= unit->block_count || bytes < 0 || bytes > UINT32_MAX)
            return false;
        struct program_reference reference = {unit->first_block + (uint32_t)block, (uint32_t)bytes,
                                              json_is_true(json_object_get(json, "write")),
                                              json_is_true(json_object_get(json, "fixed"))};
        vec_push(&r->references, reference);
    }
    unit->reference_count = (uint32_t)r->references.count - unit->first_reference;
    return true;
}

static bool read_unit(const char *text, size_t length, struct program_reading *r)
{
    json_t *json = json_loadb(text, length, 0, NULL);
    struct program_unit unit = {text_of(json, "key"),
                                text_of(json, "source"),
                                text_of(json, "language"),
                                text_of(json, "level"),
                                text_of(json, "assembly"),
                                (uint32_t)r->blocks.count,
                                0,
                                (uint32_t)r->references.count,
                                0,
                                (uint32_t)r->functions.count,
                                0,
                                mem_zero(1, sizeof *unit.symbols)};
    bool ok = json && control_symbols_read(json, unit.symbols) &&
              read_functions(json_object_get(json, "functions"), r, &unit) &&
              read_references(json_object_get(json, "references"), r, &unit);

    for (size_t i = unit.first_block; ok && i < r->blocks.count; i++) {
        const struct program_function *f = &r->functions.items[r->blocks.items[i].function];
        for (size_t k = 0; ok && k < r->blocks.items[i].next_count; k++)
            ok = r->blocks.items[i].next[k] >= f->first_block &&
                 r->blocks.items[i].next[k] - f->first_block < f->block_count;
    }
    vec_push(&r->units, unit);
    json_decref(json);
    return ok;
}

/* Parses consecutive descriptions. Skips the linker's padding of NULs between them. Returns false
 * if a description is invalid. */
static bool read_all(const struct str *bytes, struct program_reading *r)
{
    static const char magic[] = PORTOLAN_ABOUT_MAGIC " ";
    const char *at = str_text(bytes), *end = at + bytes->length;

    while (at < end) {
        if (!*at) {
            at++;
            continue;
        }
        if ((size_t)(end - at) < sizeof magic || strncmp(at, magic, sizeof magic - 1) != 0)
            return false;
        char *text;
        size_t length = strtoul(at + sizeof magic - 1, &text, 10);
        if (*text != '\n' || length >= (size_t)(end - text) || !read_unit(text + 1, length, r))
            return false;
        at = text + 1 + length + (text[1 + length] == '\n');
    }
    return true;
}

static bool same_key(const void *units, uint32_t unit, const void *key)
{
    steps_add(1);
    return strcmp(((const struct program_unit *)units)[unit].key, key) == 0;
}

const struct program_unit *program_unit_find(const struct program *p, const char *key)
{
    uint32_t at = index_find(&p->by_key, hash_text(key), same_key, p->units, key);
    return at == INDEX_NONE ? NULL : &p->units[at];
}

/* Sets the members of @p. Uses the first of two units with the same key. */
static void set(struct program *p, struct program_reading *r)
{
    p->units = r->units.items, p->unit_count = r->units.count;
    p->functions = r->functions.items, p->function_count = r->functions.count;
    p->blocks = r->blocks.items, p->block_count = r->blocks.count;
    p->references = r->references.items, p->reference_count = r->references.count;
    for (size_t i = 0; i < p->unit_count; i++)
        if (!program_unit_find(p, p->units[i].key))
            index_add(&p->by_key, hash_text(p->units[i].key), (uint32_t)i);
}

struct program *program_read(const char *name, const struct str *bytes, struct err *err)
{
    struct program *p = mem_zero(1, sizeof *p);
    struct program_reading r = {{0}, {0}, {0}, {0}};

    p->path = mem_strdup(name);
    p->name = mem_strdup(name);
    bool ok =
        read_all(bytes, &r) ||
        (watch_goes_on(err) &&
         err_set(
             err, ERR_DATA, "build the program again",
             "the program's description is damaged, or another version of portolan-cc wrote it"));
    set(p, &r);
    if (ok)
        return p;
    program_free(p);
    return NULL;
}

static bool described(const char *path, struct str *out, struct err *err)
{
    return read_section(path, out) ||
           err_set(err, ERR_DATA, "compile the program with portolan-cc instead of the compiler",
                   "the executable has no description of a traced program");
}

bool program_descriptions(const struct program *p, struct str *out, struct err *err)
{
    return described(p->path, out, err) || err_at(err, p->path, 0, 0);
}

/* Returns the absolute path of an executable. The system would search for a name without a
 * directory only in PATH. The caller frees it. */
static char *place_of(const char *path)
{
    char place[PATH_MAX];

    return mem_strdup(realpath(path, place) ? place : path);
}

struct program *program_open(const char *path, const char *name, char *take_directory,
                             struct err *err)
{
    struct str bytes = {0};
    struct program *p = described(path, &bytes, err) ? program_read(path, &bytes, err) : NULL;

    str_done(&bytes);
    if (!p) {
        err_at(err, path, 0, 0);
        child_directory_free(take_directory);
        return NULL;
    }
    free(p->name);
    free(p->path);
    p->name = mem_strdup(name);
    p->path = place_of(path);
    p->directory = take_directory;
    return p;
}

struct program *program_open_both(const char *path, const char *untraced, struct err *err)
{
    struct program *p;

    if (untraced && access(untraced, X_OK) != 0) {
        err_set(err, ERR_IO, "compile the program without portolan-cc, and give that executable",
                "%s cannot be run: %s", untraced, strerror(errno));
        return NULL;
    }
    p = program_open(path, path, NULL, err);
    if (p && untraced)
        program_set_untraced(p, untraced);
    return p;
}

void program_set_untraced(struct program *p, const char *path)
{
    free(p->untraced);
    p->untraced = place_of(path);
}

static void block_done(struct program_block *b)
{
    free(b->ops);
    free(b->next);
    for (size_t i = 0; i < b->call_count; i++)
        free(b->calls[i]);
    free(b->calls);
}

void program_free(const struct program *held)
{
    /* The cast removes const, because the reference count changes. */
    struct program *p = (struct program *)(uintptr_t)held;

    if (!p || atomic_fetch_sub(&p->holders, 1) > 0)
        return;
    for (size_t i = 0; i < p->unit_count; i++) {
        struct program_unit *u = &p->units[i];
        char *const texts[] = {u->key, u->source, u->language, u->level, u->assembly};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free(texts[k]);
        control_symbols_done(u->symbols);
        free(u->symbols);
    }
    for (size_t i = 0; i < p->function_count; i++) {
        free(p->functions[i].name);
        control_done(p->functions[i].control);
        free(p->functions[i].control);
    }
    for (size_t i = 0; i < p->block_count; i++)
        block_done(&p->blocks[i]);
    index_done(&p->by_key);
    free(p->units);
    free(p->functions);
    free(p->blocks);
    free(p->references);
    child_directory_free(p->directory);
    if (p->sizes)
        p->sizes_free(p->sizes);
    free(p->path);
    free(p->untraced);
    free(p->name);
    free(p);
}

const struct program *program_hold(const struct program *p)
{
    atomic_fetch_add(&((struct program *)(uintptr_t)p)->holders, 1);
    return p;
}

bool program_has(const struct program *p, const char *name)
{
    for (size_t f = 0; f < p->function_count; f++)
        if (strcmp(p->functions[f].name, name) == 0)
            return true;
    return false;
}
