/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/basis.h"
#include "program/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "model/facts.h"
#include "program/sdcm.h"

#define WAYS 8.0               /* associativity of the caches in the curve of misses over cache
                                * size */
/* largest multiple of the runs' largest input on the curve of time */
#define REACH 4.0

struct studying {
    struct study *out;
    const struct program_model *model;
    struct machine *machine;
    enum estimate_model kind;
    model_progress progress;
    void *state;
};

void study_free(struct study *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->blocks.count; i++) {
        free(s->blocks.items[i].name);
        free(s->blocks.items[i].formula);
    }
    vec_done(&s->blocks);
    effects_done(&s->effects);
    estimator_free(s->estimator);
    free(s->program);
    free(s->inputs);
    free(s->machine);
    free(s->title);
    free(s->axis_name);
    free(s);
}

static bool go_on(const struct studying *w, double share, struct err *err)
{
    return !w->progress || w->progress(w->state, share) ||
           err_set(err, ERR_INTERRUPTED, NULL, "the prediction was cancelled");
}

/* Distributes @cycles of @part over its blocks, in proportion to executed instructions. */
static void share_part(const struct code_part *part, const struct code_unit *u, double cycles,
                       const char *limit, double *of_block, double *most, const char **limits)
{
    double all = 0;

    for (size_t i = 0; i < part->insns.count; i++)
        all += part->times.items[i];
    for (size_t i = 0; all > 0 && i < part->insns.count; i++)
        of_block[u->block[part->insns.items[i]]] += cycles * part->times.items[i] / all;
    for (size_t i = 0; i < part->blocks.count; i++)
        if (cycles > most[part->blocks.items[i]]) {
            /* The part with the most cycles determines the block's limit. */
            most[part->blocks.items[i]] = cycles;
            limits[part->blocks.items[i]] = limit;
        }
}

static void add_ways(const struct program *p, const struct program_run *run, const uint32_t *shown,
                     struct study_block *out)
{
    const struct program_block *block = &p->blocks[out->block];

    out->more_ways = block->next_count > 2;
    for (size_t k = 0; k < block->next_count && k < 2; k++) {
        double share = !block->two_way ? 1 / (double)block->next_count
                                       : (k ? run->counts[out->block] - run->taken[out->block]
                                            : run->taken[out->block]) /
                                             run->counts[out->block];
        if (!(share > 0))
            continue;
        out->ways[out->way_count++] = (struct study_way){shown[block->next[k]], share};
    }
}

static int blocks_by_share(const void *a, const void *b)
{
    const struct study_block *x = a, *y = b;
    return x->share != y->share  ? (x->share < y->share) - (x->share > y->share)
           : x->block < y->block ? -1
                                 : 1;
}

/* Returns the path of the source file of function @f if other functions have the same name; NULL:
 * the name is unique. Sets *@same_file to whether two such functions are in files of the same name
 * in different directories. */
static const char *file_of(const struct program *p, uint32_t f, bool *same_file)
{
    const char *own = p->units[p->blocks[p->functions[f].first_block].unit].source, *found = NULL;

    *same_file = false;
    for (uint32_t i = 0; i < p->function_count; i++)
        if (i != f && p->functions[i].block_count &&
            strcmp(p->functions[i].name, p->functions[f].name) == 0) {
            *same_file |=
                strcmp(path_base(p->units[p->blocks[p->functions[i].first_block].unit].source),
                       path_base(own)) == 0;
            found = own;
        }
    return found;
}

static void name_block(const struct program *p, uint32_t b, struct str *out)
{
    const struct program_function *f = &p->functions[p->blocks[b].function];
    bool same_file;
    const char *file = file_of(p, p->blocks[b].function, &same_file);

    if (file)
        str_addf(out, "%s:", same_file ? file : path_base(file));
    str_addf(out, "%s:%u", f->name, b - f->first_block);
}

static void add_block(const struct studying *w, const struct program_run *run, uint32_t b,
                      double cycles, const char *limit)
{
    const struct program *p = w->model->runs->program;
    const struct formula *f = program_model_count(w->model, b);
    struct str name = {0}, formula = {0};
    bool exact = count_basis_of(w->model, b, w->out->at) <= COUNT_CODE;

    uint32_t unit, loop = program_code_block(estimator_code(w->out->estimator), b, &unit);
    name_block(p, b, &name);
    count_print(w->model, b, w->out->at, run->counts[b], &formula);
    vec_push(&w->out->blocks,
             ((struct study_block){.name = str_take(&name),
                                   .block = b,
                                   .unit = unit,
                                   .loop = loop,
                                   .function = p->blocks[b].function,
                                   .line = p->blocks[b].line,
                                   .count = run->counts[b],
                                   .formula = str_take(&formula),
                                   .exact = exact,
                                   .error = exact      ? 0
                                            : f->exact ? NAN
                                                       : f->error,
                                   .cycles = cycles / run->counts[b],
                                   .share = w->out->cycles > 0 ? cycles / w->out->cycles : 0,
                                   .limit = limit ? limit : ""}));
}

static void add_blocks(const struct studying *w, const struct program_time *time)
{
    const struct program *p = w->model->runs->program;
    const struct program_run *run = estimator_run(w->out->estimator);
    const struct program_code *code = estimator_code(w->out->estimator);
    struct code_parts parts;
    double *cycles = mem_zero(p->block_count + 1, sizeof *cycles),
           *most = mem_zero(p->block_count + 1, sizeof *most);
    const char **limits = mem_zero(p->block_count + 1, sizeof *limits);
    uint32_t *shown = mem_alloc((p->block_count + 1) * sizeof *shown);

    code_parts_find(code, run, &parts);
    for (size_t i = 0; i < parts.list.count; i++) {
        const struct part_time *t = program_time_part(time, &parts.list.items[i]);
        if (t)
            share_part(&parts.list.items[i], &code->units[t->unit], t->cycles, part_limit_name(t),
                       cycles, most, limits);
    }
    code_parts_done(&parts);
    for (uint32_t b = 0; b < p->block_count; b++)
        if (run->counts[b] > 0)
            add_block(w, run, b, cycles[b], limits[b]);
    if (w->out->blocks.count)
        qsort(w->out->blocks.items, w->out->blocks.count, sizeof *w->out->blocks.items,
              blocks_by_share);
    memset(shown, 0xff, (p->block_count + 1) * sizeof *shown);
    for (size_t i = 0; i < w->out->blocks.count; i++)
        shown[w->out->blocks.items[i].block] = (uint32_t)i;
    for (size_t i = 0; i < w->out->blocks.count; i++)
        add_ways(p, run, shown, &w->out->blocks.items[i]);
    free(cycles);
    free(most);
    free(limits);
    free(shown);
}

/* Adds the misses of the machine's cache levels. Also adds the curve of misses over cache size, up
 * to the size at which only first uses miss. */
static void add_memory(const struct studying *w, const struct memory *memory)
{
    const struct program *p = w->model->runs->program;
    struct study *s = w->out;
    struct reuse_histogram all = run_distances(p, estimator_run(s->estimator));
    double total = reuse_histogram_total(&all), cold = sdcm_misses_full(1e15, &all), largest = 0;

    octaves_of(p, estimator_run(s->estimator), &s->reuse);
    for (s->level_count = 0; s->level_count < memory->count && total > 0; s->level_count++) {
        const struct cache_shape *shape = &memory->levels[s->level_count].shape;
        s->levels[s->level_count] =
            (struct study_level){shape->lines * MEMORY_LINE, sdcm_misses(shape, &all) / total};
        largest = shape->lines;
    }
    double full = total;
    for (double lines = 16;
         s->size_count < STUDY_SIZES && total > 0 && (full > cold || lines <= 2 * largest);
         lines *= 2) {
        full = sdcm_misses_full(lines, &all);
        s->sizes[s->size_count] = lines * MEMORY_LINE;
        s->full[s->size_count] = full / total;
        s->eight_ways[s->size_count++] =
            sdcm_misses(&(struct cache_shape){lines, WAYS}, &all) / total;
    }
    reuse_histogram_done(&all);
}

static double seconds_at(const struct studying *w, const double *inputs, struct err *err)
{
    struct estimator *e = estimator_new(w->model, inputs, w->kind, err);
    struct program_time time = {.cycles = 0};
    if (e) {
        const struct core_share share = estimator_share(w->out->estimator);
        estimator_set_share(e, &share);
        estimator_set_fault(e, estimator_fault(w->out->estimator));
    }
    double seconds = e && estimator_time(e, w->machine, NULL, &time, err) ? time.seconds : NAN;

    program_time_done(&time);
    estimator_free(e);
    return seconds;
}

/* Adds the curve of time over the input with the widest range in the runs. Consecutive values have
 * equal ratios, from the smallest run to a multiple of the largest. Returns false with err on
 * failure. */
static bool add_scaling(const struct studying *w, struct err *err)
{
    const struct program_runs *runs = w->model->runs;
    struct study *s = w->out;
    double best = 1, low = 0, high = 0, inputs[INPUTS_MAX];

    for (size_t i = 0; i < runs->name_count; i++) {
        double least = INFINITY, most = 0;
        for (size_t r = 0; r < runs->runs.count; r++) {
            least = fmin(least, runs->runs.items[r].inputs[i]);
            most = fmax(most, runs->runs.items[r].inputs[i]);
        }
        if (least > 0 && most / least > best) {
            best = most / least;
            s->axis = i;
            low = least;
            high = REACH * fmax(most, s->at[i]);
        }
    }
    if (best <= 1)
        return true;
    s->axis_name = mem_strdup(runs->names[s->axis]);
    memcpy(inputs, s->at, sizeof inputs);
    for (size_t i = 0; i < STUDY_POINTS; i++) {
        double x = rint(low * pow(high / low, (double)i / (STUDY_POINTS - 1)));
        if (s->point_count && x <= s->x[s->point_count - 1])
            continue;
        inputs[s->axis] = x;
        s->x[s->point_count] = x;
        s->time[s->point_count++] = seconds_at(w, inputs, err);
        if (isnan(s->time[s->point_count - 1]) ||
            !go_on(w, 0.1 + 0.5 * (double)i / STUDY_POINTS, err))
            return false;
    }
    return true;
}

static bool effects_go_on(void *state, double done, double total, const char *what)
{
    const struct studying *w = state;
    (void)what;
    return go_on(w, 0.6 + 0.4 * done / total, NULL);
}

static bool fill(struct studying *w, bool here, struct err *err)
{
    struct study *s = w->out;
    struct program_time time = {.cycles = 0};
    struct system_cost cost;
    struct memory memory;
    size_t idle;

    s->estimator = estimator_new(w->model, s->at, w->kind, err);
    if (!s->estimator)
        return false;
    if (here) {
        if (!native_known(w->machine, false, s->memory_day, err))
            return false;
        estimator_meet_here(s->estimator, w->machine);
        s->fault_share = fact_number(w->machine, "page_fault_user");
        if (!estimator_meet_system(s->estimator, w->machine, &cost, err))
            return false;
    }
    bool ok = memory_of(w->machine, &memory, err) &&
              estimator_time(s->estimator, w->machine, NULL, &time, err);
    s->seconds = time.seconds;
    s->faults = time.faults;
    s->cycles = time.cycles;
    if (ok)
        add_blocks(w, &time);
    if (ok && s->traced)
        add_memory(w, &memory);
    program_time_done(&time);
    ok = ok && go_on(w, 0.1, err) && add_scaling(w, err);
    return ok && (effects_find(s->estimator, w->machine, w->kind, s->seconds, effects_go_on, w,
                               &s->effects, &idle) ||
                  err_set(err, ERR_INTERRUPTED, NULL, "the prediction was cancelled"));
}

struct study *study_new(const struct program_model *model, const double *inputs,
                        const struct machine *m, bool here, model_progress progress, void *state,
                        struct err *err)
{
    static _Atomic uint64_t last;
    struct study *s = mem_zero(1, sizeof *s);
    struct studying w = {.out = s,
                         .model = model,
                         .machine = machine_copy(m),
                         .kind = ESTIMATE_STEADY,
                         .progress = progress,
                         .state = state};
    struct str at = {0};

    program_inputs_print(model->runs->names, inputs, model->runs->name_count, &at);
    s->serial = ++last;
    s->program = mem_strdup(model->runs->program->name);
    s->inputs = str_take(&at);
    s->machine = mem_strdup(m->id);
    s->title = mem_strdup(m->title);
    s->traced = model->traced;
    memcpy(s->at, inputs, model->runs->name_count * sizeof *inputs);
    bool ok = fill(&w, here, err);
    machine_free(w.machine);
    if (ok)
        return s;
    study_free(s);
    return NULL;
}
