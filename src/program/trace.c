/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads traces of the runtime. Verifies every value, because the program may have overwritten the
 * runtime's memory. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/watch.h"
#include "program/runs.h"
#include "program/runtime/bins.h"

#define TRACE_LIMIT ((size_t)1 << 30)
/* Smallest share of votes for a load's store. A read of another store subtracts a vote, so at least
 * four fifths of the references read the same store. */
#define FORWARDED_VOTES 0.6
/* Maximum number of executions of the store before the load. Older stores have left the store
 * buffer. */
#define FORWARDED_AGE 64
/* maximum number of leads (first references of walks, see find_leads) with which a reference is
 * compared */
#define LEADS_MOST 64
#define ALLOCATIONS_MOST 32768 /* maximum number of allocations that the runtime records */

/* Last address of a reference, and the sum of the differences of all its addresses from it, modulo
 * 2^64 */
struct trace_place {
    double last;
    uint64_t sum;
};

struct trace {
    const struct program *program;
    const struct program_unit *unit;      /* current unit; NULL: none yet */
    struct program_run *run;
    VEC(const struct program_unit *) units; /* units in the order of the trace */
    /* core cycles per tick of the clock that times calls, and ticks of an empty call */
    double cycles_per_tick, nothing;
    struct trace_place *places; /* one element per reference of the program */
    bool ended;
};

/* Parses the next number of a line. Returns false if there is none. Moves *@at after it and stores
 * it in *@out. */
static bool number(const char **at, double *out)
{
    char *end;
    *at += strspn(*at, " ");
    unsigned long long value = strtoull(*at, &end, 10);
    if (end == *at || **at == '-' || **at == '+')
        return false;
    *at = end;
    *out = (double)value;
    return true;
}

static bool read_unit(struct trace *t, const char *at)
{
    char key[256];
    size_t length = strcspn(at, " ");
    double blocks, references;

    if (length >= sizeof key)
        return false;
    memcpy(key, at, length);
    key[length] = '\0';
    at += length;
    t->unit = program_unit_find(t->program, key);
    vec_push(&t->units, t->unit);
    return t->unit && number(&at, &blocks) && number(&at, &references) &&
           blocks == t->unit->block_count && references == t->unit->reference_count;
}

static bool read_block(struct trace *t, const char *at)
{
    double index, count, taken;

    if (!t->unit || !number(&at, &index) || !number(&at, &count) || !number(&at, &taken) ||
        /* The branch may have one more execution than the block, because the process may have
         * forked within the block. */
        index >= t->unit->block_count || taken > count + 1)
        return false;
    t->run->counts[t->unit->first_block + (size_t)index] = count;
    t->run->taken[t->unit->first_block + (size_t)index] = fmin(taken, count);
    return true;
}

static bool read_mispredicted(struct trace *t, const char *at)
{
    double index, count;

    if (!t->unit || !number(&at, &index) || !number(&at, &count) ||
        index >= t->unit->block_count ||
        count > t->run->counts[t->unit->first_block + (size_t)index] + 1)
        return false;
    t->run->mispredicted[t->unit->first_block + (size_t)index] =
        fmin(count, t->run->counts[t->unit->first_block + (size_t)index]);
    return true;
}

static bool read_clock(struct trace *t, const char *at)
{
    double cycles, ticks;

    if (!number(&at, &cycles) || !number(&at, &ticks) || !number(&at, &t->nothing) ||
        !(cycles > 0) || !(ticks > 0))
        return false;
    t->cycles_per_tick = cycles / ticks;
    return true;
}

static bool read_calls(struct trace *t, const char *at)
{
    double index, count, kept, ticks, callbacks;

    if (!t->unit || !number(&at, &index) || !number(&at, &count) || !number(&at, &kept) ||
        !number(&at, &ticks) || !number(&at, &callbacks) || index >= t->unit->block_count ||
        kept > count)
        return false;
    size_t block = t->unit->first_block + (size_t)index;
    t->run->callbacks[block] = callbacks;
    if (kept > 0 && t->run->counts[block] > 0)
        t->run->calls[block] =
            fmax(0, ticks / kept - t->nothing) * t->cycles_per_tick * count / t->run->counts[block];
    return true;
}

static bool read_level(struct trace *t, const char *at)
{
    double level, misses;

    if (!number(&at, &level) || !number(&at, &misses) || level >= MEMORY_LEVELS)
        return false;
    t->run->missed[(size_t)level] = misses;
    return true;
}

/* Parses a bin: "17:count:sum:regular:steps". Moves *@at after it. Returns false if invalid. */
static bool read_bin(const char **at, double out[5])
{
    for (int i = 0; i < 5; i++) {
        if ((i && *(*at)++ != ':') || !number(at, &out[i]))
            return false;
    }
    return out[0] < REUSE_BINS && out[1] > 0 && out[3] <= out[1];
}

static bool read_reference(struct trace *t, const char *at)
{
    double index, references, bin[5], total = 0;
    VEC(struct run_bin) bins = {0};

    if (!t->unit || !number(&at, &index) || !number(&at, &references) ||
        index >= t->unit->reference_count)
        return false;
    struct run_reference *r = &t->run->references[t->unit->first_reference + (size_t)index];
    bool ok = !r->bins;
    for (double last = -1; ok && *at == ' ' && (ok = read_bin(&at, bin) && bin[0] > last);
         last = bin[0]) {
        vec_push(&bins, ((struct run_bin){bin[0] == REUSE_BIN_COLD ? INFINITY : bin[2] / bin[1],
                                          bin[1], bin[3], bin[3] > 0 ? bin[4] / bin[3] : 0}));
        total += bin[1];
    }
    /* Scales the counts of sampled references to the exact number of references. */
    for (size_t i = 0; i < bins.count; i++) {
        bins.items[i].count *= references / total;
        bins.items[i].regular *= references / total;
    }
    r->references = references;
    free(r->bins);
    r->bins = bins.items;
    r->bin_count = bins.count;
    return ok && !*at;
}

/* Parses the store that wrote most of a load's values. Ignores the store unless it wrote at least
 * four fifths of them. Also ignores a store more than FORWARDED_AGE executions before the load.
 * Returns false if invalid. */
static bool read_forward(struct trace *t, const char *at)
{
    double load, store, age, votes;

    if (!t->unit || !number(&at, &load) || !number(&at, &store) || !number(&at, &age) ||
        !number(&at, &votes) || load >= t->unit->reference_count ||
        store >= t->unit->reference_count)
        return false;
    struct run_reference *r = &t->run->references[t->unit->first_reference + (size_t)load];
    if (votes > FORWARDED_VOTES * r->references && age <= FORWARDED_AGE) {
        r->from = t->unit->first_reference + (uint32_t)store + 1;
        r->from_age = (uint32_t)age;
    }
    return true;
}

static bool read_place(struct trace *t, const char *at)
{
    double index, address;
    char *end;

    if (!t->unit || !number(&at, &index) || !number(&at, &address) ||
        index >= t->unit->reference_count)
        return false;
    t->places[t->unit->first_reference + (size_t)index] =
        (struct trace_place){address, strtoull(at, &end, 10)};
    return end != at && !*end;
}

/* Sets the leads of references of a block that walk with equal strides at a constant distance:
 * those of an unrolled loop, equal columns of several arrays, and a load and a store of one place.
 * Also sets their rows. */
static void find_leads(const struct trace *t)
{
    const struct program_reference *of = t->program->references;
    VEC(uint32_t) leads = {0}; /* first references of the walks in the current block */

    for (uint32_t i = 0; i < t->program->reference_count; i++) {
        struct run_reference *r = &t->run->references[i];
        const double step = run_step(r);
        if (i && of[i].block != of[i - 1].block)
            leads.count = 0;
        if (!(step > 0))
            continue;
        for (size_t k = 0; k < leads.count && k < LEADS_MOST && !r->lead; k++) {
            const uint32_t lead = leads.items[k];
            if (run_step(&t->run->references[lead]) != step)
                continue;
            if (!r->rows && fabs((double)(t->places[i].last - t->places[lead].last)) < step)
                r->rows = lead + 1;
            if (t->places[lead].sum != t->places[i].sum)
                continue;
            r->lead = lead + 1;
            r->apart = (t->places[i].last - t->places[lead].last) / step;
        }
        if (!r->lead)
            vec_push(&leads, i);
    }
    vec_done(&leads);
}

static bool read_allocation(struct trace *t, const char *at)
{
    double unit, block, size, of;
    struct program_run *run = t->run;

    if (!number(&at, &unit) || !number(&at, &block) || !number(&at, &size) || !number(&at, &of) ||
        of > (double)run->allocation_count || run->allocation_count == ALLOCATIONS_MOST)
        return false;
    const struct program_unit *in =
        unit < (double)t->units.count ? t->units.items[(size_t)unit] : NULL;
    if (in && block >= in->block_count)
        return false;
    if (!run->allocations)
        run->allocations = mem_zero(ALLOCATIONS_MOST, sizeof *run->allocations);
    run->allocations[run->allocation_count++] =
        (struct heap_event){.size = size,
                            .of = of > 0 ? (uint32_t)of - 1 : HEAP_NONE,
                            .block = in ? in->first_block + (uint32_t)block : HEAP_NONE};
    return true;
}

static bool read_line(struct trace *t, char *line)
{
    static const struct {
        const char *word;
        bool (*read)(struct trace *t, const char *at);
    } kinds[] = {{"unit ", read_unit},        {"block ", read_block},
                 {"access ", read_reference}, {"clock ", read_clock},
                 {"calls ", read_calls},      {"forward ", read_forward},
                 {"level ", read_level},      {"allocation ", read_allocation},
                 {"place ", read_place},      {"mispredicted ", read_mispredicted}};

    if (strcmp(line, "end") == 0) {
        t->ended = true;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(line, kinds[i].word, strlen(kinds[i].word)) == 0)
            return kinds[i].read(t, line + strlen(kinds[i].word));
    return strncmp(line, "portolan-trace 3 ", 17) == 0;
}

/* Allocates the counts of blocks and references. Returns false if out of memory. */
static bool make_room(const struct program *p, struct program_run *out)
{
    out->counts = mem_try_zero(p->block_count + 1, sizeof *out->counts);
    out->taken = mem_try_zero(p->block_count + 1, sizeof *out->taken);
    out->mispredicted = mem_try_zero(p->block_count + 1, sizeof *out->mispredicted);
    out->calls = mem_try_alloc((p->block_count + 1) * sizeof *out->calls);
    out->callbacks = mem_try_zero(p->block_count + 1, sizeof *out->callbacks);
    out->references = mem_try_zero(p->reference_count + 1, sizeof *out->references);
    for (size_t b = 0; out->calls && b <= p->block_count; b++)
        out->calls[b] = NAN;
    return out->counts && out->taken && out->mispredicted && out->calls && out->callbacks &&
           out->references;
}

bool program_trace_parse(const struct program *p, const char *name, struct str *text,
                         struct program_run *out, struct err *err)
{
    struct trace t = {.program = p,
                      .run = out,
                      .places = mem_try_zero(p->reference_count + 1, sizeof *t.places)};
    size_t number_of_line = 0;
    bool ok = true;

    if (!t.places || !make_room(p, out)) {
        free(t.places);
        return err_memory(err, name,
                          p->block_count *
                                  (sizeof *out->counts + sizeof *out->taken +
                                   sizeof *out->mispredicted + sizeof *out->calls +
                                   sizeof *out->callbacks) +
                              p->reference_count * sizeof *out->references);
    }
    for (char *at = text->data, *next; ok && at && *at; at = next) {
        size_t length = strcspn(at, "\n");
        next = at + length + (at[length] == '\n');
        at[length] = '\0';
        number_of_line++;
        if (watch_steps(1 + length / 64))
            ok = watch_goes_on(err) && err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
        if (ok && !read_line(&t, at)) {
            ok = err_set(err, ERR_DATA,
                         "the program may overwrite its counters; compile the program again if its "
                         "source was changed",
                         "the trace is damaged");
            err_at(err, name, number_of_line, 0);
        }
    }
    if (ok)
        find_leads(&t);
    vec_done(&t.units);
    free(t.places);
    if (out->allocation_count) /* Shrinks the array, because most programs have few allocations. */
        out->allocations =
            mem_resize(out->allocations, out->allocation_count * sizeof *out->allocations);
    return ok && (t.ended || err_set(err, ERR_LIMIT, "use smaller inputs, or --mode sampled",
                                     "incomplete trace: memory or disk space ran out"));
}

/* Adds the traces of forked processes, whose files are in the directory of @path, with its name, a
 * dot and a suffix. */
static bool read_forked(const struct program *p, const char *path, struct program_run *out,
                        struct err *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct str directory = {0}, file = {0}, text = {0};
    bool ok = true;

    str_addf(&directory, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    DIR *d = file_open_directory(str_text(&directory));
    for (struct dirent *entry; d && ok && (entry = readdir(d));) {
        struct program_run run = {.mode = out->mode, .faults = NAN};
        if (strncmp(entry->d_name, name, strlen(name)) != 0 || entry->d_name[strlen(name)] != '.')
            continue;
        str_clear(&file);
        str_clear(&text);
        str_addf(&file, "%s/%s", str_text(&directory), entry->d_name);
        ok = file_read(str_text(&file), TRACE_LIMIT, &text, err) &&
             program_trace_parse(p, str_text(&file), &text, &run, err);
        if (ok)
            run_add(p, out, &run);
        program_run_done(p, &run);
    }
    if (d)
        closedir(d);
    else
        ok = file_fault(err, str_text(&directory), "read", NULL);
    str_done(&directory);
    str_done(&file);
    str_done(&text);
    return ok;
}

bool program_trace_read(const struct program *p, const char *path, struct program_run *out,
                        struct err *err)
{
    struct str text = {0};

    if (access(path, F_OK) != 0 && errno == ENOENT)
        return err_set(err, ERR_DATA, "let the program return from main or call exit",
                       "the program wrote no trace: it called exec, or the system killed the "
                       "program");
    bool ok =
        file_read(path, TRACE_LIMIT, &text, err) && program_trace_parse(p, path, &text, out, err);
    str_done(&text);
    return ok && read_forked(p, path, out, err);
}
