/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/model.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/lock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "program/code.h"
#include "program/derived.h"
#include "program/fit.h"
#include "program/growth.h"
#include "program/modes.h"
#include "program/paper/nalu.h"
#include "program/pages.h"

/* number of parts into which the references are divided if clusters differ between runs */
#define SHARES 16
/* Largest ratio at which one mean distance represents a cluster. The ratio is the mean distance of
 * the farthest tenth over that of the nearest quarter. */
#define SPREAD 2.5
#define SPREAD_LINES 16
/* smallest size of a cluster relative to the corresponding cluster of the largest run */
#define LIKE 0.25
#define ALIKE_RUNS 3       /* minimum number of runs with the same remainder of an input */
#define ALIKE_DIVISORS 8   /* largest divisor that is tried; a line has 8 doubles */
/* smallest error of the formula of all runs at which remainders are tried */
#define ALIKE_WORTH 0.02
/* Largest ratio at which a formula per remainder is used. The ratio is the error with the runs of
 * one remainder over that with all runs. */
#define ALIKE_BETTER 0.25
#define DEGREE_MOST 3      /* largest degree of distance formulas */
#define LINES 0.25         /* largest insignificant difference of distances or lines */
#define SCATTER 0.005
/* Limits the number of counts for which expressions or networks are tried, the largest counts
 * first: BRED_RUNS divided by the number of runs, plus one. */
#define BRED_RUNS 400

/* number of runs, the largest ones, from whose inputs the further inputs of derived counts are
 * chosen */
#define DERIVED_RUNS 3
#define DERIVED_MOST 32      /* maximum number of inputs at which counts are derived */

/* Values of a fitted formula: those of all runs, then those derived from the code at further
 * inputs */
struct fitted { double *values; size_t count; };

struct fitting {
    struct program_model *model;
    const struct program_runs *runs;
    double *inputs, *reciprocals;    /* inputs of all runs, then the further inputs */
    size_t derived_count;            /* number of further inputs */
    double *derived_counts, *derived_taken;   /* derived counts at the further inputs, per block */
    VEC(struct fitted) done;         /* fitted values per formula */
    VEC(struct formula) formulas;
    VEC(struct fit_near *) near;     /* per formula: other formulas that are about as good */
    VEC(struct formula) replaced;    /* regression formulas that another formula replaced */
    VEC(uint32_t) replaced_at;
    struct index index;
};

struct failed { uint32_t formula; double largest; };

struct value_key { const double *values; size_t count; };

static bool same_values(const void *items, uint32_t item, const void *key)
{
    const struct value_key *w = key;
    const struct fitted *one = &((const struct fitted *)items)[item];
    return one->count == w->count &&
           memcmp(one->values, w->values, w->count * sizeof *w->values) == 0;
}

/* Returns the index of the formula of the @n counts @values: those of the runs, then those at the
 * further inputs. Fits equal values only once. */
static uint32_t formula_of(struct fitting *f, const double *values, size_t n)
{
    struct value_key key = {values, n};
    uint64_t hash = hash_bytes(values, n * sizeof *values);
    uint32_t at = index_find(&f->index, hash, same_values, f->done.items, &key);

    if (at != INDEX_NONE)
        return at;
    struct fitted copy = {mem_alloc(n * sizeof *values), n};
    struct formula formula;
    memcpy(copy.values, values, n * sizeof *values);
    struct fit_near *near = mem_alloc(sizeof *near);
    fit_counts_near(&(struct fit_data){f->inputs, f->runs->name_count, n, values}, &formula, near);
    vec_push(&f->near, near);
    vec_push(&f->done, copy);
    vec_push(&f->formulas, formula);
    if (!index_try_reserve(&f->index))
        die("out of memory");
    index_add(&f->index, hash, (uint32_t)f->formulas.count - 1);
    return (uint32_t)f->formulas.count - 1;
}

double model_reciprocal(double input)
{
    return input != 0 ? 1 / input : 2;
}

/* Fits the values of the runs in @use. @from: the inputs of the runs or the reciprocals of
 * these. */
static void fit_some(const struct fitting *f, const double *from, const double *values,
                     const bool *use, const struct growth_limits *limits, struct formula *out)
{
    size_t n = 0, width = f->runs->name_count;
    double *inputs = mem_alloc(f->runs->runs.count * width * sizeof *inputs),
           *used = mem_alloc(f->runs->runs.count * sizeof *used);

    for (size_t r = 0; r < f->runs->runs.count; r++)
        if (use[r]) {
            memcpy(inputs + n * width, from + r * width, width * sizeof *inputs);
            used[n++] = values[r];
        }
    fit_growth(&(struct fit_data){inputs, width, n, used}, limits, out);
    free(inputs);
    free(used);
}

/* Fits the shares @values of the runs in @use for one alignment of rows in cache lines. The
 * alignment determines which copy of an unrolled loop accesses a new line. Odd row lengths
 * therefore differ from even ones. If no formula fits all runs well, fits the runs with the largest
 * run's alignment. The formula is for inputs with this alignment. */
static void fit_alike(const struct fitting *f, const double *values, const double *totals,
                      const bool *use, const struct growth_limits *limits, struct model_mode *out)
{
    size_t n = f->runs->runs.count, width = f->runs->name_count, largest = 0;
    double best = ALIKE_BETTER * out->share.error;
    bool *same = mem_zero(n, sizeof *same);

    for (size_t r = 0; r < n; r++)
        largest = use[r] && (!use[largest] || totals[r] > totals[largest]) ? r : largest;
    for (size_t i = 0; i < width && out->share.error > ALIKE_WORTH; i++)
        for (uint16_t divisor = 2; divisor <= ALIKE_DIVISORS; divisor *= 2) {
            double rest = fmod(f->inputs[largest * width + i], divisor);
            struct formula formula;
            size_t count = 0, others = 0;
            for (size_t r = 0; r < n; r++) {
                same[r] = use[r] && fmod(f->inputs[r * width + i], divisor) == rest;
                count += same[r];
                others += use[r] && !same[r];
            }
            if (count < ALIKE_RUNS || !others || rest != rint(rest))
                continue;
            fit_some(f, f->reciprocals, values, same, limits, &formula);
            if (!(formula.error < best))
                continue;
            best = formula.error;
            out->share_alike = formula;
            out->input = (uint16_t)i;
            out->divisor = divisor;
            out->rest = (uint16_t)rest;
        }
    free(same);
}

/* Fits the shares @shares of references without a steady stride of the runs in @use. A loop's first
 * accesses have no steady stride. If the loop has few iterations in the runs, the number of these
 * references per entry varies less than their share. Fits this number if its formula is much
 * better. @block: block of the references. */
static void fit_irregular(const struct fitting *f, uint32_t block, const double *shares,
                          const bool *use, struct model_mode *out)
{
    const struct growth_limits share = {2, 1e-3, 0.05, 0, 1, 0.5, false},
                               number = {2, 1e-3, 0.05, 0, INFINITY, 0.5, false};
    const size_t n = f->runs->runs.count;
    double *numbers = mem_alloc((n + 1) * sizeof *numbers);
    struct formula formula;

    for (size_t r = 0; r < n; r++)
        numbers[r] =
            shares[r] * program_run_trips(f->runs->program, &f->runs->runs.items[r], block);
    fit_some(f, f->reciprocals, shares, use, &share, &out->irregular);
    fit_some(f, f->reciprocals, numbers, use, &number, &formula);
    out->per_entry = out->irregular.error > ALIKE_WORTH &&
                     formula.error < ALIKE_BETTER * out->irregular.error;
    if (out->per_entry)
        out->irregular = formula;
    free(numbers);
}

/* Fits the formulas of a cluster, or of a part, of the references of @reference. modes[r]: the
 * cluster in run r, for runs in @use. */
static void fit_mode(const struct fitting *f, size_t reference, const struct mode *modes,
                     const double *totals, const bool *use, struct model_mode *out)
{
    const struct growth_limits share = {2, 1e-4, SCATTER, 0, 1, 0.5, false},
                               /* Uses a small tolerance, because with a stride a few bytes off a
                                * power of two, all sets are used. */
               step = {2, 0.5, 1e-3, 0, INFINITY, 2, false};
    const unsigned degree = formula_degree(&f->model->footprint, f->runs->name_count);
    struct growth_limits distance = {
        degree < DEGREE_MOST ? degree : DEGREE_MOST, LINES, SCATTER, 0, INFINITY, 2, true};
    size_t n = f->runs->runs.count;
    double *values = mem_zero(4 * n, sizeof *values);
    bool *steps = mem_zero(n, sizeof *steps);

    for (size_t r = 0; r < n; r++) {
        values[r] = use[r] ? modes[r].count / totals[r] : 0;
        values[n + r] = use[r] && modes[r].count > 0 ? 1 - modes[r].regular / modes[r].count : 0;
        values[2 * n + r] = modes[r].distance;
        values[3 * n + r] = modes[r].step;
        steps[r] = use[r] && modes[r].regular > 0;
        out->cold |= use[r] && isinf(modes[r].distance);
    }
    fit_some(f, f->reciprocals, values, use, &share, &out->share);
    fit_alike(f, values, totals, use, &share, out);
    fit_irregular(f, f->runs->program->references[reference].block, values + n, use, out);
    if (!out->cold)
        fit_some(f, f->inputs, values + 2 * n, use, &distance, &out->distance);
    fit_some(f, f->inputs, values + 3 * n, steps, &step, &out->step);
    free(values);
    free(steps);
}

/* Returns whether @modes, the clusters of @total references, correspond to those of the largest
 * run. They correspond if their numbers are equal, and no cluster is much smaller than its
 * counterpart. Both or neither must include first uses. The number alone is not enough, because a
 * small run may merge two clusters and have an additional one. */
static bool corresponds(const struct mode *modes, size_t count, double total,
                        const struct mode *largest, size_t largest_count, double largest_total)
{
    if (count != largest_count ||
        isinf(modes[count - 1].distance) != isinf(largest[count - 1].distance))
        return false;
    for (size_t k = 0; k < count; k++)
        if (modes[k].count / total < LIKE * largest[k].count / largest_total)
            return false;
    return true;
}

/* Selects the runs whose clusters correspond to those of the largest run. In the other runs,
 * clusters are too close to each other. Returns the number of selected runs. Marks them in @use. */
static size_t alike(const struct fitting *f, struct mode (*modes)[MODES_MOST], const size_t *counts,
                    const double *totals, size_t largest, bool *use)
{
    size_t n = 0;
    for (size_t r = 0; r < f->runs->runs.count; r++) {
        use[r] = counts[r] && corresponds(modes[r], counts[r], totals[r], modes[largest],
                                          counts[largest], totals[largest]);
        n += use[r];
    }
    return n;
}

/* Computes the range of cluster @k, from *@from to *@to, as shares (0 to 1). The shares are of all
 * references with a finite distance, sorted by distance. */
static void place_of(const struct mode *modes, size_t count, size_t k, double *from, double *to)
{
    double finite = 0, below = 0;

    for (size_t i = 0; i < count; i++) {
        finite += isinf(modes[i].distance) ? 0 : modes[i].count;
        below += i < k ? modes[i].count : 0;
    }
    *from = below / finite;
    *to = (below + modes[k].count) / finite;
}

/* Returns whether one mean does not represent the cluster's distances, as in triangular loops,
 * whose distances fill an interval. Returns false for first uses. */
static bool is_spread(const struct run_reference *r, const struct mode *modes, size_t count,
                      size_t k)
{
    double from, to;

    if (isinf(modes[k].distance))
        return false;
    place_of(modes, count, k, &from, &to);
    struct mode low = modes_between(r, from, from + (to - from) / 4),
                high = modes_between(r, to - (to - from) / 10, to);
    return high.distance > SPREAD * low.distance + SPREAD_LINES;
}

/* Fits the formulas of each cluster. Splits a cluster with spread distances into parts with equal
 * numbers of references. */
static void fit_clusters(struct fitting *f, size_t reference, struct mode (*modes)[MODES_MOST],
                         const size_t *counts, size_t largest, const double *totals,
                         const bool *use, struct model_reference *out)
{
    size_t n = f->runs->runs.count, count = counts[largest];
    struct mode *one = mem_zero(n, sizeof *one);

    out->modes = mem_zero(count * SHARES, sizeof *out->modes);
    for (size_t k = 0; k < count; k++) {
        bool spread = is_spread(&f->runs->runs.items[largest].references[reference], modes[largest],
                                count, k);
        double parts = spread ? SHARES : 1;
        for (double part = 0; part < parts; part++) {
            for (size_t r = 0; r < n; r++) {
                double from, to;
                one[r] = modes[r][k];
                if (!spread || !use[r])
                    continue;
                place_of(modes[r], count, k, &from, &to);
                one[r] = modes_between(&f->runs->runs.items[r].references[reference],
                                       from + (to - from) * part / parts,
                                       from + (to - from) * (part + 1) / parts);
            }
            fit_mode(f, reference, one, totals, use, &out->modes[out->mode_count++]);
        }
    }
    free(one);
}

/* Splits the largest run's clusters into parts of at most 1 / SHARES of the references. In the
 * other runs, a part is the same range of shares of the references, sorted by distance. */
static void fit_shares(struct fitting *f, size_t reference, const struct mode *clusters,
                       size_t count, const double *totals, struct model_reference *out)
{
    size_t n = f->runs->runs.count;
    struct mode *one = mem_zero(n, sizeof *one);
    bool *use = mem_zero(n, sizeof *use);
    double finite = 0, from = 0;

    for (size_t k = 0; k < count; k++)
        finite += isinf(clusters[k].distance) ? 0 : clusters[k].count;
    out->modes = mem_zero(count + SHARES + 1, sizeof *out->modes);
    for (size_t k = 0; k < count; k++) {
        bool cold = isinf(clusters[k].distance);
        double share = cold ? 1 : clusters[k].count / finite,
               parts = cold ? 1 : ceil(share * SHARES * 0.999);
        for (double part = 0; part < parts; part++) {
            for (size_t r = 0; r < n; r++) {
                const struct run_reference *all = &f->runs->runs.items[r].references[reference];
                one[r] = cold ? (struct mode){.distance = INFINITY}
                              : modes_between(all, from + share * part / parts,
                                              from + share * (part + 1) / parts);
                for (size_t i = 0; cold && i < all->bin_count; i++)
                    if (isinf(all->bins[i].distance))
                        one[r] = (struct mode){.distance = INFINITY,
                                               .count = all->bins[i].count,
                                               .regular = all->bins[i].regular,
                                               .step = all->bins[i].step};
                use[r] = totals[r] > 0 && (cold || one[r].count > 0);
            }
            fit_mode(f, reference, one, totals, use, &out->modes[out->mode_count++]);
        }
        from += cold ? 0 : share;
    }
    free(one);
    free(use);
}

/* Returns the number of inputs that differ between runs. */
static size_t varying(const struct fitting *f)
{
    size_t width = f->runs->name_count, count = 0;

    for (size_t i = 0; i < width; i++) {
        bool varies = false;
        for (size_t r = 1; r < f->runs->runs.count; r++)
            varies |= f->inputs[r * width + i] != f->inputs[i];
        count += varies;
    }
    return count;
}

static void fit_reference(struct fitting *f, size_t reference, struct model_reference *out)
{
    size_t n = f->runs->runs.count, largest = 0, *counts = mem_zero(n, sizeof *counts);
    struct mode(*modes)[MODES_MOST] = mem_zero(n, sizeof *modes);
    double *totals = mem_zero(n, sizeof *totals);
    bool *use = mem_zero(n, sizeof *use);

    for (size_t r = 0; r < n; r++) {
        totals[r] = f->runs->runs.items[r].references[reference].references;
        counts[r] = modes_find(&f->runs->runs.items[r].references[reference], modes[r]);
        largest = totals[r] > totals[largest] ? r : largest;
    }
    const uint32_t block = f->runs->program->references[reference].block;
    bool same_count = true;
    for (size_t r = 0; r < n; r++)
        same_count &= totals[r] == f->runs->runs.items[r].counts[block];
    out->total = same_count ? f->model->counts[block] : formula_of(f, totals, n);
    if (counts[largest]) {
        size_t same = alike(f, modes, counts, totals, largest, use);
        /* If clusters differ between runs, they are used only if at least two more runs than inputs
         * have corresponding clusters, because with fewer runs, the effect of each input is
         * unknown. */
        if (same >= varying(f) + 2 || same == n)
            fit_clusters(f, reference, modes, counts, largest, totals, use, out);
        else
            fit_shares(f, reference, modes[largest], counts[largest], totals, out);
    }
    free(totals);
    free(counts);
    free(modes);
    free(use);
}

/* Fits the number of distinct lines per run. This number is an upper bound of the distances. The
 * degree of its formula limits the degrees of the distances' formulas. */
static void fit_footprint(struct fitting *f)
{
    const struct growth_limits limits = {DEGREE_MOST, LINES, SCATTER, 0, INFINITY, 2, true};
    size_t n = f->runs->runs.count;
    double *values = mem_zero(n, sizeof *values);

    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < f->runs->program->reference_count; i++) {
            const struct run_reference *one = &f->runs->runs.items[r].references[i];
            values[r] += one->bin_count && isinf(one->bins[one->bin_count - 1].distance)
                             ? one->bins[one->bin_count - 1].count
                             : 0;
        }
    fit_growth(&(struct fit_data){f->inputs, f->runs->name_count, n, values}, &limits,
               &f->model->footprint);
    free(values);
}

/* Chooses inputs beyond the runs: doubles and quadruples the inputs of the largest runs, all inputs
 * together and each input separately. */
static void find_beyond(struct fitting *f)
{
    const size_t n = f->runs->runs.count, width = f->runs->name_count,
                 blocks = f->runs->program->block_count;
    size_t *order = mem_alloc((n + 1) * sizeof *order);

    for (size_t r = 0; r < n; r++) {
        size_t at = r;
        for (; at > 0 &&
               f->runs->runs.items[order[at - 1]].inputs[0] < f->runs->runs.items[r].inputs[0];
             at--)
            order[at] = order[at - 1];
        order[at] = r;
    }
    f->inputs = mem_resize(f->inputs, ((n + DERIVED_MOST) * width + 1) * sizeof *f->inputs);
    for (size_t k = 0; k < n && k < DERIVED_RUNS; k++)
        for (size_t i = width == 1; i <= width; i++)   /* If i is 0, all inputs change together. */
            for (double factor = 2; factor <= 4 && f->derived_count < DERIVED_MOST; factor *= 2) {
                double *at = f->inputs + (n + f->derived_count++) * width;
                memcpy(at, f->runs->runs.items[order[k]].inputs, width * sizeof *at);
                for (size_t j = 0; j < width; j++)
                    at[j] *= i == 0 || j == i - 1 ? factor : 1;
            }
    free(order);
    f->derived_counts = mem_zero(f->derived_count * blocks + 1, sizeof *f->derived_counts);
    f->derived_taken = mem_zero(f->derived_count * blocks + 1, sizeof *f->derived_taken);
    for (size_t k = 0; k < f->derived_count && watch_goes_on(NULL); k++)
        derived_at(f->model->derived, f->inputs + (n + k) * width, f->derived_counts + k * blocks,
                   f->derived_taken + k * blocks);
}

/* Returns the index of a formula of the runs' @values. If all values @derived from the code are
 * known, the formula also fits these. */
static uint32_t formula_of_both(struct fitting *f, double *values, const double *derived,
                                size_t block)
{
    const size_t n = f->runs->runs.count, blocks = f->runs->program->block_count;
    bool known = f->derived_count > 0;

    for (size_t k = 0; k < f->derived_count; k++) {
        values[n + k] = derived[k * blocks + block];
        known &= !isnan(values[n + k]);
    }
    return formula_of(f, values, known ? n + f->derived_count : n);
}

static void fit_blocks(struct fitting *f)
{
    size_t n = f->runs->runs.count;

    find_beyond(f);
    double *values = mem_zero(n + f->derived_count, sizeof *values);
    for (size_t b = 0; b < f->runs->program->block_count; b++) {
        for (size_t r = 0; r < n; r++)
            values[r] = f->runs->runs.items[r].counts[b];
        f->model->counts[b] = formula_of_both(f, values, f->derived_counts, b);
        for (size_t r = 0; r < n; r++)
            values[r] = f->runs->runs.items[r].taken[b];
        f->model->taken[b] = f->runs->program->blocks[b].two_way
                                 ? formula_of_both(f, values, f->derived_taken, b)
                                 : formula_of(f, values, n);
    }
    free(values);
}

/* Returns whether the block allocates or frees memory. Most of its time is then page faults, which
 * are counted separately. */
static bool allocates(const struct program_block *b)
{
    static const char *const names[] = {
        "malloc",   "calloc", "realloc", "free",   "posix_memalign", "aligned_alloc",
        "memalign", "_Znwm",  "_Znam",   "_ZdlPv", "_ZdaPv",         "_FortranAAllocatable"};

    for (size_t k = 0; k < b->call_count; k++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(b->calls[k], names[i], strlen(names[i])) == 0)
                return true;
    return false;
}

/* Replaces the values of the runs in @use with their lower quartile. The minimum of many noisy
 * values would be too low. */
static void level(double *values, const bool *use, size_t n)
{
    double *sorted = mem_zero(n + 1, sizeof *sorted);
    size_t count = 0;

    for (size_t r = 0; r < n; r++)
        if (use[r])
            sorted[count++] = values[r];
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    for (size_t r = 0; r < n && count; r++)
        values[r] = sorted[(count - 1) / 4];
    free(sorted);
}

/* Does nothing unless the external code of @block called the program's functions in a run with
 * timed calls. Divides @values of these runs by the number of callbacks per execution, and removes
 * the other runs from @use. Fits the number of callbacks of all runs, which must be known. A call
 * that did not return has neither time nor callbacks. The time per callback is nearly constant, as
 * in a sort. */
static void fit_callbacks(struct fitting *f, size_t block, bool *use, double *values)
{
    size_t n = f->runs->runs.count;
    double *callbacks = mem_zero(n, sizeof *callbacks);
    bool known = true, some = false;

    for (size_t r = 0; r < n; r++) {
        const struct program_run *run = &f->runs->runs.items[r];
        callbacks[r] = run->callbacks ? run->callbacks[block] : 0;
        known &= use[r] || callbacks[r] > 0 || !(run->counts[block] > 0);
        some |= use[r] && callbacks[r] > 0;
    }
    for (size_t r = 0; known && some && r < n; r++) {
        use[r] &= callbacks[r] > 0;
        values[r] = use[r] ? values[r] * f->runs->runs.items[r].counts[block] / callbacks[r] : NAN;
    }
    f->model->callbacks[block] = known && some ? formula_of(f, callbacks, n) : UINT32_MAX;
    free(callbacks);
}

/* Fits the cycles of external code per execution or callback, which are noisy and usually
 * independent of the inputs. */
static void fit_calls(struct fitting *f)
{
    const struct growth_limits limits = {2, 30, 0.25, 0, INFINITY, 2, false};
    size_t n = f->runs->runs.count;
    double *values = mem_zero(n, sizeof *values);
    bool *use = mem_zero(n, sizeof *use);

    for (size_t b = 0; b < f->runs->program->block_count; b++) {
        bool any = false;
        for (size_t r = 0; r < n; r++) {
            values[r] = f->runs->runs.items[r].calls[b];
            use[r] = !isnan(values[r]);
            any |= use[r];
        }
        f->model->calls[b].error = -1;
        f->model->callbacks[b] = UINT32_MAX;
        if (any)
            fit_callbacks(f, b, use, values);
        /* Without this limit, noise of a few thousand cycles would become growth with the
         * inputs. */
        const struct fit_data seen = {f->inputs, f->runs->name_count, n, values};
        if (any && (allocates(&f->runs->program->blocks[b]) || !growth_seen(&seen, &limits)))
            level(values, use, n);
        if (any)
            fit_some(f, f->inputs, values, use, &limits, &f->model->calls[b]);
    }
    free(values);
    free(use);
}

/* Fits the share of mispredicted executions of each branch. */
static void fit_mispredicted(struct fitting *f)
{
    const struct growth_limits limits = {2, 1e-3, 0.05, 0, 1, 0.5, false};
    size_t n = f->runs->runs.count;
    double *values = mem_zero(n, sizeof *values);
    bool *use = mem_zero(n, sizeof *use);

    for (size_t b = 0; b < f->runs->program->block_count; b++) {
        bool any = false;
        for (size_t r = 0; r < n; r++) {
            const struct program_run *run = &f->runs->runs.items[r];
            use[r] = run->mode != TRACE_COUNTS && run->counts[b] > 0;
            values[r] = use[r] ? run->mispredicted[b] / run->counts[b] : 0;
            any |= values[r] > 0;
        }
        if (any)
            fit_some(f, f->reciprocals, values, use, &limits, &f->model->mispredicted[b]);
    }
    free(values);
    free(use);
}

static int by_largest(const void *a, const void *b)
{
    const struct failed *x = a, *y = b;
    return x->largest != y->largest  ? (x->largest < y->largest) - (x->largest > y->largest)
           : x->formula < y->formula ? -1
                                     : 1;
}

/* Trains a network for @formula, even if its error is small, because the user requested
 * networks. */
static void train_network(struct fitting *f, const struct fit_data *data, struct formula *formula)
{
    struct program_model *m = f->model;
    struct nalu *n = mem_alloc(sizeof *n);

    *formula = (struct formula){.error = nalu_fit(data, n), .network = n, .count = 1};
    m->networks = mem_resize(m->networks, (m->network_count + 1) * sizeof *m->networks);
    m->networks[m->network_count++] = n;
}

/* Tries expressions or networks for counts that regression does not predict. Tries at most
 * BRED_RUNS / n + 1 counts, the largest first. Returns false if @progress cancelled. */
static bool fit_failed(struct fitting *f, enum count_fit fit, model_progress progress, void *state)
{
    size_t n = f->runs->runs.count;
    VEC(struct failed) failed = {0};
    bool ok = true;

    for (uint32_t i = 0; fit != COUNTS_REGRESSION && i < f->formulas.count; i++) {
        const double *values = f->done.items[i].values;
        if (f->done.items[i].count > n)
            /* Skips a count that the code determines, because its formula is not needed. */
            continue;
        struct failed one = {i, 0};
        for (size_t r = 0; r < n; r++)
            one.largest = fmax(one.largest, values[r]);
        if (symbolic_needed(
                &(struct fit_data){f->inputs, f->runs->name_count, f->done.items[i].count, values},
                &f->formulas.items[i]))
            vec_push(&failed, one);
    }
    if (failed.count)
        qsort(failed.items, failed.count, sizeof *failed.items, by_largest);
    for (size_t i = 0; ok && i < failed.count && i <= BRED_RUNS / n; i++) {
        uint32_t at = failed.items[i].formula;
        ok = !progress || progress(state, (double)i / (double)failed.count);
        const struct fit_data data = {f->inputs, f->runs->name_count, f->done.items[at].count,
                                      f->done.items[at].values};
        vec_push(&f->replaced, f->formulas.items[at]);
        vec_push(&f->replaced_at, at);
        if (ok && fit == COUNTS_NETWORK)
            train_network(f, &data, &f->formulas.items[at]);
        else if (ok)
            symbolic_fit(&data, &f->formulas.items[at]);
    }
    vec_done(&failed);
    return ok;
}

struct program_model *program_model_new(const struct program_runs *runs, enum count_fit fit,
                                        model_progress progress, void *state, struct err *err)
{
    const struct program *p = runs->program;
    struct program_model *m = mem_zero(1, sizeof *m);
    struct fitting f = {.model = m, .runs = runs};
    bool ok = true;

    pthread_mutex_init(&m->code_lock, NULL);
    m->runs = program_runs_hold(runs);
    m->counts = mem_zero(p->block_count + 1, sizeof *m->counts);
    m->taken = mem_zero(p->block_count + 1, sizeof *m->taken);
    m->mispredicted = mem_zero(p->block_count + 1, sizeof *m->mispredicted);
    m->calls = mem_zero(p->block_count + 1, sizeof *m->calls);
    m->callbacks = mem_zero(p->block_count + 1, sizeof *m->callbacks);
    m->references = mem_zero(p->reference_count + 1, sizeof *m->references);
    m->traced = true;
    f.inputs = mem_zero(runs->runs.count * runs->name_count + 1, sizeof *f.inputs);
    f.reciprocals = mem_zero(runs->runs.count * runs->name_count + 1, sizeof *f.reciprocals);
    for (size_t r = 0; r < runs->runs.count; r++) {
        memcpy(f.inputs + r * runs->name_count, runs->runs.items[r].inputs,
               runs->name_count * sizeof(double));
        m->traced &= runs->runs.items[r].mode != TRACE_COUNTS;
    }
    for (size_t i = 0; i < runs->runs.count * runs->name_count; i++)
        f.reciprocals[i] = model_reciprocal(f.inputs[i]);
    m->derived = derived_new(runs);
    m->pages = pages_model_new(runs, f.inputs);
    fit_blocks(&f);
    fit_calls(&f);
    fit_mispredicted(&f);
    if (m->traced)
        fit_footprint(&f);
    for (size_t i = 0; ok && m->traced && i < p->reference_count; i++) {
        fit_reference(&f, i, &m->references[i]);
        if (progress && i % 16 == 0)
            ok = progress(state, (double)i / (double)p->reference_count) ||
                 err_set(err, ERR_INTERRUPTED, NULL, "fitting was cancelled");
    }
    ok = ok && (fit_failed(&f, fit, progress, state) ||
                err_set(err, ERR_INTERRUPTED, NULL, "fitting was cancelled"));
    /* Fails after a cancellation, because the fits are incomplete. */
    ok = ok && watch_goes_on(err);
    m->formulas = f.formulas.items;
    m->formula_count = f.formulas.count;
    m->ranges = mem_zero(f.formulas.count + 1, sizeof *m->ranges);
    for (size_t i = 0; ok && i < f.formulas.count; i++)
        range_find(&(struct fit_data){f.inputs, runs->name_count, f.done.items[i].count,
                                      f.done.items[i].values},
                   &m->formulas[i], f.near.items[i], &m->ranges[i]);
    for (size_t i = 0; ok && i < f.replaced.count; i++)
        range_add(&m->ranges[f.replaced_at.items[i]], &f.replaced.items[i]);
    vec_done(&f.replaced);
    vec_done(&f.replaced_at);
    for (size_t i = 0; i < f.done.count; i++) {
        free(f.done.items[i].values);
        free(f.near.items[i]);
    }
    vec_done(&f.near);
    vec_done(&f.done);
    index_done(&f.index);
    free(f.inputs);
    free(f.derived_counts);
    free(f.derived_taken);
    free(f.reciprocals);
    if (ok)
        return m;
    program_model_free(m);
    return NULL;
}

void program_model_free(const struct program_model *held)
{
    struct program_model *m = (struct program_model *)(uintptr_t)held;

    if (!m || atomic_fetch_sub(&m->holders, 1) > 0)
        return;
    for (size_t i = 0; i < m->runs->program->reference_count; i++)
        free(m->references[i].modes);
    free(m->references);
    for (size_t i = 0; i < m->network_count; i++)
        free(m->networks[i]);
    free(m->networks);
    for (size_t i = 0; m->ranges && i < m->formula_count; i++)
        range_done(&m->ranges[i]);
    free(m->ranges);
    free(m->formulas);
    free(m->counts);
    free(m->taken);
    free(m->mispredicted);
    free(m->calls);
    free(m->callbacks);
    program_code_free(m->code);
    derived_free(m->derived);
    pages_model_free(m->pages);
    pthread_mutex_destroy(&m->code_lock);
    program_runs_free(m->runs);
    free(m);
}

const struct program_code *program_model_code(const struct program_model *held, struct err *err)
{
    struct program_model *m = (struct program_model *)(uintptr_t)held;

    lock_take(&m->code_lock);
    if (!m->code)
        m->code = program_code_new(m->runs->program, err);
    lock_give(&m->code_lock);
    return m->code;
}

const struct program_model *program_model_hold(const struct program_model *m)
{
    atomic_fetch_add(&((struct program_model *)(uintptr_t)m)->holders, 1);
    return m;
}

const struct formula *program_model_count(const struct program_model *m, size_t block)
{
    return &m->formulas[m->counts[block]];
}
