/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/rng.h"
#include "isa/foreign.h"
#include "measure/kernel_arrays.h"
#include "measure/kernel_run.h"
#include "measure/recorded_code.h"

/* Maximum size in bytes of the values of a pass, which it reads through the second-level cache.
 * ITERATIONS_CHOSEN iterations with long records need more. */
#define VALUES_MOST ((size_t)512 << 10)
#define ITERATIONS_LEAST 500u
#define BLOCK 250u     /* number of consecutive iterations that are chosen or omitted together */
/* Number of chosen iterations of the longest records. Iterations at the end are omitted until the
 * last one can exit the loop. */
#define ITERATIONS_CHOSEN (ITERATIONS_LEAST + BLOCK)
/* Number of low bits of addresses that are preserved. The upper bits select a region, and the used
 * regions are adjacent in the arena. */
#define REGION_BITS 21
#define REGIONS_MOST 512u
/* Distance from the regions to the word that selects the pass, because accesses may reach beyond
 * the regions. */
#define TURN_AT ((uint64_t)1 << (REGION_BITS - 1))
#define PAGE 4096u
#define LINE 64u
#define ROUNDS_LEAST 4u
#define ROUNDS_MOST 24u
/* Number of branches in random order after which a predictor has replaced the directions of a run.
 * A Zen 5 learns 12,000 random directions that are repeated, but not 30,000. */
#define FORGOTTEN_AFTER 65536u
#define FORGETTING_MOST 16u

/* State of the measurements with one size of pages */
struct recorded_run {
    struct sandbox *sandbox;
    const struct recording *r;
    struct recorded_plan plan;
    VEC(uint32_t) taken; /* indices of the iterations that run; the last one exits */
    size_t last_events;  /* number of events of the last iteration until its exit */
    /* @repeats: number of times that a pass runs these iterations, with accesses moved by another
     * number of lines each time. @places: maximum number of these lines. */
    unsigned repeats, places;
    size_t pass_bytes;       /* size in bytes of the values of a pass */
    VEC(uint64_t) regions;   /* upper bits of the recorded addresses, ascending */
    uint64_t *folded;        /* per event of an access: its offset in the arena */
    uint64_t *near;          /* per instruction: offset of its first access */
    uint32_t values, reader; /* offsets of the values, and of the code that reads them */
    uint8_t *image;          /* values of the next run */
    /* Number of runs in random order before each counted run. Without them the predictor would
     * learn the directions, which the runs repeat. 0: directions do not change. */
    unsigned forgetting;
    uint32_t *mixed;         /* iterations in random order */
    struct rng rng;
    struct arena_state arena;
};

static size_t event_end(const struct recording *r, size_t iteration)
{
    return iteration + 1 < r->iterations.count ? r->iterations.items[iteration + 1]
                                               : r->events.count;
}

/* Returns the number of events of @iteration before it can exit the loop; 0: it cannot. */
static size_t exit_events(const struct recording *r, size_t iteration)
{
    const size_t begin = r->iterations.items[iteration];

    for (size_t i = begin; i < event_end(r, iteration); i++) {
        const struct recorded_insn *in = &r->insns.items[r->events.items[i].at];
        if (recorded_branch(in) &&
            (in->indirect || in->target == RECORDED_OUT || in->next == RECORDED_OUT))
            return i + 1 - begin;
    }
    return 0;
}

/* Chooses blocks of iterations from the whole recording, until their values fill the space. */
static bool take_iterations(struct recorded_run *x, struct err *err)
{
    const size_t all = x->r->iterations.count, room = VALUES_MOST / x->plan.bytes,
                 most = room < ITERATIONS_CHOSEN ? ITERATIONS_CHOSEN : room, blocks = all / BLOCK,
                 needed = most / BLOCK < blocks ? most / BLOCK : blocks;

    for (size_t b = 0, chosen = 0; b < blocks; b++) {
        if ((b + 1) * needed / blocks == chosen)
            continue;
        chosen++;
        for (size_t i = 0; i < BLOCK; i++)
            vec_push(&x->taken, (uint32_t)(b * BLOCK + i));
    }
    while (x->taken.count && !x->last_events) {
        x->last_events = exit_events(x->r, x->taken.items[x->taken.count - 1]);
        x->taken.count -= !x->last_events;
    }
    for (size_t i = 0; i < x->r->insns.count; i++)
        if (x->r->insns.items[i].places > x->places)
            x->places = x->r->insns.items[i].places;
    const size_t times = x->taken.count ? most / x->taken.count : 1;
    x->repeats = times < 1 ? 1 : times < x->places ? (unsigned)times : x->places;
    return x->taken.count >= ITERATIONS_LEAST ||
           err_set(err, ERR_DATA, "run the program longer",
                   "only %zu recorded iteration%s can be repeated", x->taken.count,
                   plural(x->taken.count));
}

/* Returns the offset in the arena of an access to @address. */
static uint64_t fold(const struct recorded_run *x, uint64_t address)
{
    size_t low = 0, high = x->regions.count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (x->regions.items[middle] <= address >> REGION_BITS)
            low = middle;
        else
            high = middle;
    }
    return (uint64_t)low << REGION_BITS | (address & ((UINT64_C(1) << REGION_BITS) - 1));
}

/* Computes the arena offset of each recorded access. Returns false with err if the addresses are in
 * too many regions. */
static bool fold_addresses(struct recorded_run *x, struct err *err)
{
    const struct recording *r = x->r;
    size_t kept = 0;

    for (size_t i = 0; i < r->events.count; i++)
        if (recorded_access(&r->insns.items[r->events.items[i].at]))
            vec_push(&x->regions, r->events.items[i].value >> REGION_BITS);
    if (x->regions.count)
        qsort(x->regions.items, x->regions.count, sizeof *x->regions.items, compare_uint64);
    for (size_t i = 0; i < x->regions.count; i++)
        if (!i || x->regions.items[i] != x->regions.items[kept - 1])
            x->regions.items[kept++] = x->regions.items[i];
    x->regions.count = kept;
    if (kept > REGIONS_MOST)
        return err_set(err, ERR_LIMIT, NULL,
                       "the recorded accesses spread over more than %u MiB, too much for the "
                       "sandbox",
                       REGIONS_MOST << (REGION_BITS - 20));
    x->folded = mem_alloc((r->events.count + 1) * sizeof *x->folded);
    x->near = mem_zero(r->insns.count + 1, sizeof *x->near);
    for (size_t i = r->events.count; i-- > 0;) {
        const uint32_t at = r->events.items[i].at;
        if (recorded_access(&r->insns.items[at]))
            x->near[at] = x->folded[i] = fold(x, r->events.items[i].value);
    }
    return true;
}

/* Makes the arena, with all pages present and all words 0. Returns false with err on failure. */
static bool arena_make(struct recorded_run *x, bool huge, struct err *err)
{
    const size_t bytes = (x->regions.count + 1) << REGION_BITS;

    if (!arena_fits((double)bytes, memory_available(), "end other programs", err) ||
        !sandbox_arena(x->sandbox, bytes, huge, err))
        return false;
    for (size_t at = 0; at < bytes; at += SANDBOX_FILL_PART)
        if (!sandbox_fill(x->sandbox,
                          &(struct sandbox_fill){.kind = SANDBOX_FILL_VALUE,
                                                 .at = at,
                                                 .bytes = bytes - at < SANDBOX_FILL_PART
                                                              ? bytes - at
                                                              : SANDBOX_FILL_PART},
                          err))
            return false;
    return true;
}

struct sorted_iteration {
    uint64_t key;
    uint32_t place; /* index into recorded_run.taken */
};

static int by_key(const void *a, const void *b)
{
    const struct sorted_iteration *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->place > y->place) - (x->place < y->place);
}

/* Returns the iterations in the order of @from (NULL: as recorded), sorted if change @c sorts them.
 * The last iteration remains last. The caller frees the result. */
static uint32_t *order_of(const struct recorded_run *x, struct recorded_change c,
                          const uint32_t *from)
{
    const size_t count = x->taken.count;
    uint32_t *order = mem_alloc(count * sizeof *order);
    struct sorted_iteration *sorted = mem_zero(count, sizeof *sorted);

    for (size_t n = 0; n < count; n++) {
        const uint32_t taken = x->taken.items[from ? from[n] : n];
        sorted[n].place = (uint32_t)n;
        for (size_t i = x->r->iterations.items[taken];
             c.kind == RECORDED_SORTED && i < event_end(x->r, taken); i++)
            if (x->r->events.items[i].at == c.at)
                sorted[n].key = x->r->events.items[i].value + 1;
    }
    qsort(sorted, count - 1, sizeof *sorted, by_key);
    for (size_t n = 0; n < count; n++)
        order[n] = from ? from[sorted[n].place] : sorted[n].place;
    free(sorted);
    return order;
}

/* Returns the number of runs after which the predictor has replaced the directions of the branches
 * that change direction. */
static unsigned forgetting_runs(const struct recorded_run *x)
{
    const struct recording *r = x->r;
    size_t (*directions)[2] = mem_zero(r->insns.count, sizeof *directions), changing = 0;

    for (size_t n = 0; n < x->taken.count; n++)
        for (size_t i = r->iterations.items[x->taken.items[n]];
             i < event_end(r, x->taken.items[n]); i++) {
            const struct recorded_event e = r->events.items[i];
            if (recorded_branch(&r->insns.items[e.at]))
                directions[e.at][e.value != 0]++;
        }
    for (size_t i = 0; i < r->insns.count; i++) {
        const size_t *d = directions[i];
        changing += r->insns.items[i].indirect ? d[0] + d[1] : 2 * (d[0] < d[1] ? d[0] : d[1]);
    }
    free(directions);
    if (!changing)
        return 0;
    const size_t runs = FORGOTTEN_AFTER / (2 * changing * x->repeats);
    return runs < 1 ? 1 : runs < FORGETTING_MOST ? (unsigned)runs : FORGETTING_MOST;
}

/* Gives @mixed a new random order. The last iteration remains last. */
static void mix(struct recorded_run *x)
{
    for (size_t n = x->taken.count - 1; n > 1; n--) {
        const size_t other = rng_below(&x->rng, n);
        const uint32_t moved = x->mixed[n - 1];
        x->mixed[n - 1] = x->mixed[other];
        x->mixed[other] = moved;
    }
}

/* Returns the address of the access of event @i in run @number with change @c. */
static uint64_t address_of(const struct recorded_run *x, size_t i, struct recorded_change c,
                           unsigned number)
{
    const uint32_t at = x->r->events.items[i].at, places = x->r->insns.items[at].places;
    const uint64_t begin = sandbox_arena_at(x->sandbox), shift = number % places * LINE;
    uint64_t offset = x->folded[i];

    if (c.kind == RECORDED_NEAR && (c.at == at || c.at == RECORDED_OUT))
        return begin + (x->near[at] & ~(uint64_t)(LINE - 1)) + offset % LINE;
    offset = (offset & ~(uint64_t)(PAGE - 1)) | ((offset + shift) & (PAGE - 1));
    return begin + offset;
}

/* Writes the values of one iteration to @out. @events: number of its events until it exits; 0: it
 * does not exit. */
static void write_iteration(const struct recorded_run *x, const struct recorded_code *code,
                            struct recorded_change c, size_t iteration, size_t events,
                            unsigned number, uint8_t *out)
{
    const struct recording *r = x->r;
    const size_t begin = r->iterations.items[iteration],
                 end = events ? begin + events : event_end(r, iteration);

    memset(out, 0, x->plan.bytes);
    out[0] = events > 0;
    for (size_t i = begin; i < end; i++) {
        const struct recorded_event e = r->events.items[i];
        const struct recorded_insn *in = &r->insns.items[e.at];
        const bool exits = events && i + 1 == end;
        uint8_t *to = out + x->plan.places[e.at];
        if (x->plan.own[e.at] || x->plan.fixed[e.at])
            continue;
        if (recorded_access(in)) {
            const uint64_t address = address_of(x, i, c, number);
            memcpy(to, &address, sizeof address);
        } else if (in->indirect) {
            const uint32_t target =
                exits || e.value == RECORDED_OUT ? code->exit : code->labels.items[e.value];
            memcpy(to, &target, sizeof target);
        } else {
            const bool taken = exits ? in->target == RECORDED_OUT : e.value != 0;
            const uint32_t load = x->plan.decider[e.at];
            if (load == RECORDED_OUT)
                *to = taken;
            else
                memcpy(out + x->plan.places[load], &x->plan.content[e.at][taken], 8);
        }
    }
}

/* Writes the values of a pass with change @c to @out. Moves its accesses by at least @number lines.
 * Accesses that every iteration executes keep their order if the iterations are sorted. */
static void write_pass(const struct recorded_run *x, const struct recorded_code *code,
                       struct recorded_change c, unsigned number, const uint32_t *order,
                       uint8_t *out)
{
    const size_t count = x->taken.count, all = count * x->repeats, bytes = x->plan.bytes;
    const bool sorted = c.kind == RECORDED_SORTED;

    for (size_t n = 0; n < all; n++)
        write_iteration(x, code, c, x->taken.items[order[sorted ? n / x->repeats : n % count]],
                        n + 1 == all ? x->last_events : 0,
                        number + (unsigned)(sorted ? n % x->repeats : n / count), out + n * bytes);
    for (size_t n = 0; sorted && n + 1 < all; n++) {
        const uint32_t taken = x->taken.items[n % count];
        for (size_t i = x->r->iterations.items[taken]; i < event_end(x->r, taken); i++) {
            const uint32_t at = x->r->events.items[i].at;
            if (!recorded_access(&x->r->insns.items[at]) || !x->plan.always[at] ||
                x->plan.own[at] || x->plan.fixed[at])
                continue;
            const uint64_t address = address_of(x, i, c, number + (unsigned)(n / count));
            memcpy(out + n * bytes + x->plan.places[at], &address, sizeof address);
        }
    }
}

/* Writes the values of both passes of a run, in the orders @first and @second. The first pass fills
 * caches and TLBs. Unless it accesses all lines of the program, the second pass accesses other
 * lines of the same pages. */
static void write_values(struct recorded_run *x, const struct recorded_code *code,
                         struct recorded_change c, unsigned number, const uint32_t *first,
                         const uint32_t *second)
{
    write_pass(x, code, c, number, first, x->image);
    write_pass(x, code, c, number + x->repeats, second, x->image + x->pass_bytes);
    sandbox_set(x->sandbox, x->values, x->image, 2 * x->pass_bytes);
}

/* Adds the values, and the code that reads them into the cache. */
static bool values_add(struct recorded_run *x, struct err *err)
{
    const size_t bytes = 2 * x->taken.count * x->repeats * x->plan.bytes;
    uint8_t code[64];

    x->pass_bytes = bytes / 2;
    x->image = mem_zero(bytes + LINE, 1);
    if (!sandbox_add(x->sandbox, x->image, bytes, 1, COUNTER_MEMORY, &x->values))
        return err_set(err, ERR_LIMIT, NULL, "the recording is too long for the sandbox");
    const size_t length =
        recorded_reader(x->values, sandbox_next_offset(x->sandbox), (uint32_t)(bytes / LINE), code);
    return sandbox_add(x->sandbox, code, length, 1, COUNTER_MEMORY, &x->reader) ||
           err_set(err, ERR_LIMIT, NULL, "the recording is too long for the sandbox");
}

/* Reads the values into the cache, then runs both passes and measures the second one. Sets *@fault
 * to the fault of the code; 0: none. Sets *@ticks to the duration of the second pass. Returns false
 * with err on failure. */
static bool run(struct recorded_run *x, uint32_t offset, double *ticks, unsigned *fault,
                struct err *err)
{
    struct sandbox_item *items = sandbox_items(x->sandbox);

    for (unsigned i = 0; i < 2; i++) {
        items[i] = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                         .code = PULSE_ITEM,
                                         .offset = i ? offset : x->reader,
                                         .kernel = true,
                                         .counter = COUNTER_MEMORY,
                                         .vectors = x->plan.vectors,
                                         .passes = 1,
                                         .plain_values = true,
                                         .warm = i,
                                         .count = 1,
                                         .samples = 1};
        for (uint8_t reg = 0; reg < 16; reg++)
            items[i].general[reg] = recorded_start(x->r, reg);
    }
    if (!sandbox_run(x->sandbox, 2, NULL, NULL, NULL, err))
        return false;
    *fault = items[1].fault ? items[1].fault : items[0].fault;
    *ticks = (double)items[1].ticks[0];
    return *fault != FAULT_STARVED ||
           err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                   "core is contended");
}

/* Runs the iterations with change @c in the order @order, after @forgetting runs that make the
 * predictor forget this order. *@number counts the moves of accesses. Sets *@ticks and *@fault like
 * run. Returns false with err on failure. */
static bool run_order(struct recorded_run *x, const struct recorded_code *code,
                      struct recorded_change c, const uint32_t *order, unsigned forgetting,
                      unsigned *number, double *ticks, unsigned *fault, struct err *err)
{
    bool ok = true;

    *fault = 0;
    for (unsigned i = 0; ok && !*fault && i <= forgetting; i++) {
        const bool last = i == forgetting;
        uint32_t *other = NULL;
        if (forgetting) {
            mix(x);
            other = order_of(x, c, x->mixed);
        }
        write_values(x, code, c, *number, other ? other : order, last ? order : other);
        free(other);
        *number += 2 * x->repeats;
        ok = run(x, code->offset, ticks, fault, err);
    }
    return ok;
}

/* Returns whether the loop can run with change @c. */
static bool recorded_possible(const struct recording *r, const struct recorded_plan *p,
                              struct recorded_change c)
{
    if (c.kind == RECORDED_NEAR)
        return c.at == RECORDED_OUT || !p->own[c.at];
    for (size_t i = 0; c.kind == RECORDED_WITHOUT && i < r->insns.count; i++)
        if (p->decider[i] != RECORDED_OUT && (c.at == p->decider[i] || c.at + 1 == i))
            return false;
    return true;
}

static bool measure(struct recorded_run *x, const struct recorded_code *codes,
                    const struct recorded_change *changes, size_t count, double seconds,
                    struct recorded_time *times, struct err *err)
{
    double *all = mem_alloc(count * ROUNDS_MOST * sizeof *all);
    const double begun = clock_seconds(), until = begun + seconds;
    unsigned rounds = 0, number = 0, fault, forgetting = 0;
    uint32_t **orders = mem_alloc(count * sizeof *orders);
    bool ok = true;

    x->mixed = order_of(x, (struct recorded_change){RECORDED_UNCHANGED, RECORDED_OUT}, NULL);
    x->forgetting = forgetting_runs(x);
    rng_seed(&x->rng, 1);

    for (size_t c = 0; c < count; c++) {
        orders[c] = order_of(x, changes[c], NULL);
        times[c] =
            (struct recorded_time){recorded_possible(x->r, &x->plan, changes[c]) ? 0 : NAN, NAN};
    }
    /* The first round is not counted, because it fills caches. */
    for (unsigned round = 0;
         ok && round <= ROUNDS_MOST && (round <= ROUNDS_LEAST || clock_seconds() < until);
         round++) {
        ok = arena_clock(x->sandbox, &x->arena, err);
        for (size_t c = 0; ok && c < count; c++) {
            double ticks = 0;
            if (isnan(times[c].cycles))
                continue;
            ok = run_order(x, &codes[c], changes[c], orders[c], forgetting, &number, &ticks,
                           &fault, err);
            if (ok && fault)
                times[c].cycles = NAN;
            if (ok && fault && changes[c].kind == RECORDED_UNCHANGED)
                ok = kernel_refuse(NULL, 0, sandbox_fault_text(fault), err);
            if (round)
                all[c * ROUNDS_MOST + round - 1] =
                    ticks * x->arena.clock / (double)(x->taken.count * x->repeats);
        }
        rounds = round;
        if (!round) {   /* Chooses the number of runs that the remaining time permits. */
            const double took = clock_seconds() - begun;
            const double runs = (until - begun) / took / ROUNDS_LEAST - 1;
            forgetting = runs < 1 ? x->forgetting > 0
                         : runs < x->forgetting ? (unsigned)runs : x->forgetting;
        }
    }
    for (size_t c = 0; ok && c < count; c++) {
        if (isnan(times[c].cycles))
            continue;
        qsort(all + c * ROUNDS_MOST, rounds, sizeof *all, compare_doubles);
        times[c].cycles = all[c * ROUNDS_MOST + rounds / 8];
        times[c].spread = all[c * ROUNDS_MOST + rounds / 4] / times[c].cycles - 1;
    }
    for (size_t c = 0; c < count; c++)
        free(orders[c]);
    free(orders);
    free(all);
    return ok;
}

static bool codes_add(struct recorded_run *x, const struct recorded_change *changes, size_t count,
                      struct recorded_code *codes, struct err *err)
{
    uint32_t unused;

    for (size_t c = 0; c < count; c++) {
        codes[c].offset = sandbox_next_offset(x->sandbox);
        const struct recorded_memory memory = {.arena = sandbox_arena_at(x->sandbox),
                                               .near = x->near,
                                               .values = x->values,
                                               .pass_bytes = (uint32_t)x->pass_bytes,
                                               .turn = sandbox_arena_at(x->sandbox) +
                                                       (x->regions.count << REGION_BITS) +
                                                       TURN_AT};
        if (!recorded_emit(x->r, &x->plan, &memory,
                           changes[c].kind == RECORDED_WITHOUT ? changes[c].at : RECORDED_OUT,
                           &codes[c], err))
            return false;
        if (!sandbox_add(x->sandbox, codes[c].bytes.items, codes[c].bytes.count, 1, COUNTER_MEMORY,
                         &unused))
            return err_set(err, ERR_LIMIT, NULL, "the loop is too long for the sandbox");
    }
    return true;
}

bool recorded_measure(struct sandbox *s, const struct recording *r, bool huge,
                      const struct recorded_change *changes, size_t count, double seconds,
                      struct recorded_time *times, double *huge_share, struct err *err)
{
    struct recorded_run x = {.sandbox = s, .r = r, .places = 1};
    struct recorded_code *codes = mem_zero(count + 1, sizeof *codes);

    sandbox_clear(s);
    bool ok = recorded_plan_make(r, &x.plan, err) && take_iterations(&x, err) &&
              fold_addresses(&x, err) && arena_make(&x, huge, err) && values_add(&x, err) &&
              codes_add(&x, changes, count, codes, err) &&
              measure(&x, codes, changes, count, seconds, times, err);
    if (ok)
        *huge_share = sandbox_arena_huge(s);
    struct err ignored;
    sandbox_arena(s, 0, false, &ignored);
    for (size_t c = 0; c < count; c++)
        recorded_code_done(&codes[c]);
    free(codes);
    recorded_plan_done(&x.plan);
    vec_done(&x.taken);
    vec_done(&x.regions);
    free(x.folded);
    free(x.near);
    free(x.image);
    free(x.mixed);
    return ok;
}
