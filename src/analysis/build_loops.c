/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/build_loops.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/addresses.h"
#include "analysis/analysis.h"
#include "analysis/loop_code.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "base/str.h"
#include "base/watch.h"
#include "toolchain/archive.h"
#include "toolchain/debug_lines.h"
#include "toolchain/demangle.h"
#include "toolchain/object.h"

/* Entries of the store buffer for addresses_link. Its size has no effect, because only strides are
 * used. */
#define STORE_BUFFER 64
#define FACTOR_MOST 256      /* largest factor by which compilers unroll or vectorise */

struct build_object {
    struct object object;
    char *member;                /* name of the archive member; NULL: the object is not in an
                                  * archive */
    struct unit_lines lines;
    struct err fault;            /* error that occurred while the object's source lines were read */
};

struct build_piece {
    uint32_t object, symbol;
    bool undecoded;
    VEC(struct build_loop) loops;
};

struct build_worker {
    struct block_work **works;   /* working storage, one per machine */
    size_t count;
    struct address_work addresses;
};

struct binary {
    VEC(struct build_object) objects;
    /* work items of the functions, numbered after the objects */
    VEC(struct build_piece) pieces;
    VEC(struct build_function) functions;
    VEC(struct build_loop) loops;
};

static bool add_object(struct binary *b, struct object *take_o, const char *member, bool ok,
                       struct err *err)
{
    struct function_ranking ranking = {0};

    ok = ok && functions_rank(take_o, &ranking, err);
    for (size_t i = 0; ok && i < ranking.list.count; i++)
        vec_add(&b->pieces, ((struct build_piece){.object = (uint32_t)b->objects.count,
                                                  .symbol = ranking.list.items[i].symbol}));
    if (ok && vec_room(&b->objects))
        vec_push(&b->objects,
                 ((struct build_object){.object = *take_o,
                                        .member = member ? mem_strdup(member) : NULL}));
    else
        object_done(take_o);
    function_ranking_done(&ranking);
    return ok;
}

/* Adds the members of the archive at @path. Ignores members that have no code or are damaged. Also
 * ignores members whose instruction set differs from that of the first member. Returns false with
 * err if the archive cannot be read, if no member can be used because of an error, or when
 * cancelled. */
static bool add_archive(struct binary *b, const char *path, struct err *err)
{
    struct archive a = {0};
    bool ok = archive_read(path, &a, err), any = false;
    struct err fault = {0};

    for (size_t i = 0; ok && i < a.members.count && !watch_over(); i++) {
        struct object o;
        const bool read = object_read_member(&a.members.items[i], OBJECT_FUNCTIONS, &o, &fault);
        if (read && b->objects.count && o.isa != b->objects.items[0].object.isa)
            object_done(&o);
        else
            any |= add_object(b, &o, a.members.items[i].name, read, &fault);
    }
    archive_done(&a);
    if (ok && !any && fault.code != ERR_NONE) {
        *err = fault;
        ok = false;
    }
    return ok && watch_goes_on(err);
}

struct binary *build_open(const char *path, struct err *err)
{
    struct binary *b = mem_zero(1, sizeof *b);
    struct object o;
    const bool archived = archive_is(path);
    const bool ok =
        archived ? add_archive(b, path, err)
                 : add_object(b, &o, NULL, object_read(path, OBJECT_FUNCTIONS, &o, err), err);

    if (ok && watch_goes_on(err))
        return b;
    if (!err->file[0])
        err_at(err, path, 0, 0);
    build_free(b);
    return NULL;
}

bool build_isa(const char *path, enum isa *out, struct err *err)
{
    struct archive a = {0};
    struct object o = {0};
    bool ok;

    if (archive_is(path)) {
        ok =
            archive_read(path, &a, err) &&
            (a.members.count || err_set(err, ERR_DATA, "give an archive that contains object files",
                                        "the archive contains no object file"));
        for (size_t i = 0; ok && i < a.members.count; i++) {
            ok = object_read_member(&a.members.items[i], 0, &o, err);
            if (ok)
                break;
            object_done(&o);
            ok = i + 1 < a.members.count;
        }
    } else {
        ok = object_read(path, 0, &o, err);
    }
    *out = o.isa;
    object_done(&o);
    archive_done(&a);
    if (!ok && !err->file[0])
        err_at(err, path, 0, 0);
    return ok;
}

void build_free(struct binary *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->pieces.count; i++) {
        for (size_t l = 0; l < b->pieces.items[i].loops.count; l++)
            free(b->pieces.items[i].loops.items[l].costs);
        vec_done(&b->pieces.items[i].loops);
    }
    for (size_t i = 0; i < b->loops.count; i++)
        free(b->loops.items[i].costs);
    for (size_t i = 0; i < b->functions.count; i++) {
        free(b->functions.items[i].name);
        free(b->functions.items[i].base);
        free(b->functions.items[i].member);
    }
    for (size_t i = 0; i < b->objects.count; i++) {
        unit_lines_done(&b->objects.items[i].lines);
        free(b->objects.items[i].member);
        object_done(&b->objects.items[i].object);
    }
    vec_done(&b->pieces);
    vec_done(&b->loops);
    vec_done(&b->functions);
    vec_done(&b->objects);
    free(b);
}

size_t build_pieces(const struct binary *b)
{
    return b->objects.count + b->pieces.count;
}

static void take_steps(const struct insn *insns, size_t count, struct address_work *work,
                       struct build_loop *out)
{
    addresses_link(insns, count, START_DIFFERENT, STORE_BUFFER, work);
    for (size_t i = 0; i < work->accesses.count; i++) {
        const struct access *access = &work->accesses.items[i];
        const uint64_t step = access_step(access);
        if (!step)
            continue;
        out->bytes += access->bytes;
        if (!out->least || step < out->least) {
            out->least = step;
            out->width = access->bytes;
        }
        out->most = step > out->most ? step : out->most;
    }
}

static void take_shape(const struct insn *insns, size_t count, struct build_loop *out)
{
    uint64_t sequence = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = hash_text(insns[i].mnemonic);
        uint8_t *kind = &out->shape.counts[hash % SHAPE_KINDS];
        *kind = (uint8_t)(*kind + (*kind < UINT8_MAX));
        sequence = (sequence ^ hash) * 0x9e3779b97f4a7c15u;
        sequence ^= sequence >> 29;
    }
    out->sequence = sequence;
}

static void take_loop(struct build_piece *piece, const struct kernel *k, size_t at,
                      struct build_worker *w)
{
    const struct kernel_loop *loop = &k->loops[at];
    size_t count;
    const struct insn *insns = kernel_insns(k, at, &count), *last = insns + count - 1;
    struct build_loop out = {.instructions = (uint32_t)count,
                             .depth = loop->depth,
                             .innermost = true,
                             .position = insns->offset,
                             .end = last->offset + last->length,
                             .address = insns->address};

    for (size_t i = 0; i < k->loop_count && out.innermost; i++)
        out.innermost = i == at || k->loops[i].depth <= loop->depth ||
                        k->loops[i].first < loop->first ||
                        k->loops[i].first >= loop->first + loop->count;
    take_steps(insns, count, &w->addresses, &out);
    take_shape(insns, count, &out);
    out.costs = mem_zero(w->count ? w->count : 1, sizeof *out.costs);
    struct insn *taken = loop_code_executed(k, at);
    for (size_t m = 0; m < w->count; m++) {
        struct bounds bounds;
        const bool room = shortage_need(count * BLOCK_BYTES_EACH);
        /* Analyses no instruction if the loop is a computed goto, because an iteration executes
         * only one of its parts. Also analyses none if there is no memory for the copy. The
         * analysis then has no result. */
        const bool all = analysis_bounds(w->works[m], taken ? taken : insns,
                                         room && !loop->dispatch ? count : 0, false, &bounds);
        out.costs[m] = (struct loop_cost){bounds.total, bounds.bottleneck, !all, bounds.estimate};
        if (room)
            shortage_reserve();
    }
    free(taken);
    if (vec_room(&piece->loops))
        vec_push(&piece->loops, out);
    else
        free(out.costs);
}

struct build_worker *build_worker_new(struct machine *const *machines, size_t count)
{
    struct build_worker *w = mem_zero(1, sizeof *w);

    w->works = mem_zero(count ? count : 1, sizeof *w->works);
    w->count = count;
    for (size_t m = 0; m < count; m++)
        w->works[m] = block_work_new(machines[m]);
    return w;
}

void build_worker_free(struct build_worker *w)
{
    for (size_t m = 0; w && m < w->count; m++)
        block_work_free(w->works[m]);
    if (w) {
        free(w->works);
        address_work_done(&w->addresses);
    }
    free(w);
}

void build_work(struct binary *b, size_t at, struct build_worker *w)
{
    if (at < b->objects.count) {
        struct build_object *o = &b->objects.items[at];
        unit_lines_read(&o->object, &o->lines, &o->fault);
        return;
    }
    struct build_piece *piece = &b->pieces.items[at - b->objects.count];
    const struct object *o = &b->objects.items[piece->object].object;
    const struct object_symbol *s = &o->symbols.items[piece->symbol];
    struct err ignored = {0};
    struct kernel *k =
        kernel_from_code(o, s->name, (size_t)s->offset, (size_t)s->size, false, &ignored);

    piece->undecoded = !k;
    for (size_t i = 0; k && i < k->loop_count && !watch_over(); i++)
        if (k->loops[i].depth)
            take_loop(piece, k, i, w);
    kernel_free(k);
}

static int by_position(const void *a, const void *b)
{
    const struct build_loop *x = a, *y = b;

    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

static bool of_the_system(const char *file)
{
    return str_has_prefix(file, "/usr/") || strstr(file, "/include/") != NULL;
}

/* Returns the index of the source file with most of the code of rows @first to @end - 1 of @lines;
 * INDEX_NONE: no row has a line. Prefers the program's files to system files. The last row ends at
 * position @stop. */
static uint32_t main_file(const struct unit_lines *lines, size_t first, size_t end, uint64_t stop)
{
    uint32_t best = INDEX_NONE;
    uint64_t most = 0;

    for (size_t i = first; i < end; i++) {
        const uint32_t file = lines->rows.items[i].file;
        uint64_t bytes = 0;
        if (!lines->rows.items[i].line || file == best)
            continue;
        for (size_t j = i; j < end; j++)
            if (lines->rows.items[j].file == file && lines->rows.items[j].line)
                bytes += (j + 1 < end ? lines->rows.items[j + 1].place : stop) -
                         lines->rows.items[j].place;
        watch_steps(end - i);
        const bool system = of_the_system(lines->files.items[file]),
                   before = best != INDEX_NONE && of_the_system(lines->files.items[best]);
        if (best == INDEX_NONE || (before && !system) || (before == system && bytes > most)) {
            best = file;
            most = bytes;
        }
    }
    return best;
}

static void take_lines(const struct unit_lines *lines, struct build_loop *l)
{
    size_t first = unit_lines_from(lines, l->position), end = unit_lines_from(lines, l->end);

    if (first && (first == lines->rows.count || lines->rows.items[first].place > l->position))
        first--;
    const uint32_t file = main_file(lines, first, end, l->end);
    if (file == INDEX_NONE)
        return;
    l->file = lines->files.items[file];
    for (size_t i = first; i < end; i++) {
        const struct unit_line *row = &lines->rows.items[i];
        if (row->file != file || !row->line)
            continue;
        l->line = l->line ? l->line : row->line;
        l->first_line = !l->first_line || row->line < l->first_line ? row->line : l->first_line;
        l->last_line = row->line > l->last_line ? row->line : l->last_line;
    }
}

/* Returns whether @l is the remainder loop of @main. Both loops must be innermost, have the same
 * depth, and have common source lines if their files are known. The strides of @main must be a
 * multiple of those of @l. */
static bool remains(const struct build_loop *l, const struct build_loop *main)
{
    const bool parts = l->least && main->least > l->least && main->least % l->least == 0 &&
                       main->least / l->least <= FACTOR_MOST &&
                       l->most * (main->least / l->least) == main->most;
    const bool sourced = l->file && main->file;

    return parts && main->depth == l->depth && main->innermost && l->innermost &&
           (!sourced || (l->file == main->file && l->first_line <= main->last_line &&
                         main->first_line <= l->last_line));
}

static void mark_remainders(struct build_loop *loops, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count && !loops[i].remainder && !watch_steps(1); j++)
            loops[i].remainder =
                (loops[j].file || (j < i && i - j <= 3)) && remains(&loops[i], &loops[j]);
}

/* Returns the name without suffixes of compiler-made copies, and without the hash of Rust's legacy
 * mangling. The caller frees the result. */
static char *base_name(const char *name)
{
    static const char *const added[] = {".constprop", ".isra",  ".part",       ".cold",
                                        ".lto_priv",  ".llvm.", ".localalias", ".clone"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        const char *at = strstr(name, added[i]);
        if (at && at > name && (size_t)(at - name) < length)
            length = (size_t)(at - name);
    }
    if (length > 20 && name[length - 1] == 'E' && strncmp(name + length - 20, "17h", 3) == 0)
        length -= 20;
    return mem_strndup(name, length);
}

void build_finish(struct binary *b)
{
    for (size_t i = 0; i < b->pieces.count && !watch_steps(1); i++) {
        struct build_piece *piece = &b->pieces.items[i];
        const struct build_object *o = &b->objects.items[piece->object];
        const struct object_symbol *s = &o->object.symbols.items[piece->symbol];
        if (!piece->loops.count)
            continue;
        qsort(piece->loops.items, piece->loops.count, sizeof *piece->loops.items, by_position);
        for (size_t l = 0; l < piece->loops.count; l++) {
            piece->loops.items[l].function = (uint32_t)b->functions.count;
            take_lines(&o->lines, &piece->loops.items[l]);
        }
        mark_remainders(piece->loops.items, piece->loops.count);
        vec_push(&b->functions,
                 ((struct build_function){mem_strdup(s->name), base_name(s->name),
                                          o->member ? mem_strdup(o->member) : NULL, s->nameless,
                                          b->loops.count, piece->loops.count}));
        for (size_t l = 0; l < piece->loops.count; l++)
            vec_push(&b->loops, piece->loops.items[l]);
        vec_done(&piece->loops);
        piece->loops.count = 0;
    }
}

size_t build_function_count(const struct binary *b)
{
    return b->functions.count;
}

const struct build_function *build_function(const struct binary *b, size_t at)
{
    return &b->functions.items[at];
}

size_t build_loop_count(const struct binary *b)
{
    return b->loops.count;
}

const struct build_loop *build_loop(const struct binary *b, size_t at)
{
    return &b->loops.items[at];
}

size_t build_undecoded(const struct binary *b)
{
    size_t count = 0;

    for (size_t i = 0; i < b->pieces.count; i++)
        count += b->pieces.items[i].undecoded;
    return count;
}

const char *build_lines_fault(const struct binary *b)
{
    for (size_t i = 0; i < b->objects.count; i++)
        if (b->objects.items[i].fault.code != ERR_NONE)
            return b->objects.items[i].fault.what;
    return NULL;
}

char *build_function_readable(const struct build_function *f)
{
    char *readable = demangle(f->name);

    return readable ? readable : mem_strdup(f->name);
}

double loop_shape_alike(const struct loop_shape *a, const struct loop_shape *b)
{
    unsigned same = 0, all = 0;

    for (size_t i = 0; i < SHAPE_KINDS; i++) {
        same += a->counts[i] < b->counts[i] ? a->counts[i] : b->counts[i];
        all += a->counts[i] > b->counts[i] ? a->counts[i] : b->counts[i];
    }
    steps_add(SHAPE_KINDS / 16);
    return all ? (double)same / all : 1;
}
