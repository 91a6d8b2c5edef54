/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/build_match.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/machine_set.h"
#include "cmd/task.h"
#include "profile/profile.h"
#include "work/job.h"
#include "work/pool.h"

#define NAME_COLUMNS 34     /* width of a loop's name in text */
#define SAMPLING_RATE 1000
#define LEAST_CHANGE 0.005  /* smallest relative change that is shown */

struct diff_row {
    const struct loop_match *match;
    uint32_t machine;
    double a, b;            /* cycles per iteration of the source loop; NaN: the build lacks it */
    double change;          /* relative change from a to b; NaN: unknown */
    /* share of the run time of build A, or of B if only B has the loop; NaN: no profile */
    double share;
    double effect;          /* product of share and change; NaN: unknown */
};

struct program_diff_values {
    const char *a, *b, *input;
    struct word_list arguments, machines;
    size_t top;
    double fail_above;
    bool run;
};

struct builds_diff {
    const struct program_diff_values *given;
    const char *paths[2];
    bool run;               /* whether the programs are run and sampled, to weight the loops */
    struct machine_set machines;
    struct binary *builds[2];
    struct run_profile *profiles[2];
    struct loop_matches matches;
    VEC(struct diff_row) rows;
    size_t next;            /* index of the next work item of both builds */
};

/* Returns the next work item. The loops of both builds form one list, with the loops of build A
 * first. Stores the work item in *@out. Returns false at the end or when cancelled. */
static bool next_piece(struct builds_diff *w, size_t *out)
{
    const size_t all = build_pieces(w->builds[0]) + build_pieces(w->builds[1]);

    if (w->next >= all || job_cancelled(NULL))
        return false;
    if (w->next % 64 == 0)
        job_progress((double)w->next, (double)all, "functions");
    *out = w->next++;
    return true;
}

struct diff_pool {
    struct builds_diff *diff;
    size_t *pieces;         /* per worker: index of its current work item */
    struct build_worker **workers;
};

static bool pool_next(void *state, unsigned worker)
{
    struct diff_pool *p = state;
    return next_piece(p->diff, &p->pieces[worker]);
}

static void pool_work(void *state, unsigned worker)
{
    struct diff_pool *p = state;
    const struct builds_diff *w = p->diff;
    const size_t first = build_pieces(w->builds[0]), piece = p->pieces[worker];
    const bool second = piece >= first;
    const struct watch before = watch_begin(job_cancelled, NULL);

    build_work(w->builds[second], second ? piece - first : piece, p->workers[worker]);
    watch_restore(before);
}

static bool goes_on(void *state, double seconds, size_t samples)
{
    job_progress(seconds, 0, "%zu sample%s in %.1f s", samples, plural(samples), seconds);
    return !job_cancelled(NULL);
}

static bool looks_up(void *state, double share)
{
    return !job_cancelled(NULL);
}

static bool profile_one(struct builds_diff *w, int side, struct err *err)
{
    VEC(const char *) argv = {0};
    struct sampled sampled;
    /* Makes the path absolute, because otherwise a program of this name in PATH would run. */
    char *path = path_argument(w->paths[side]);

    vec_push(&argv, path);
    for (size_t i = 0; i < w->given->arguments.count; i++)
        vec_push(&argv, w->given->arguments.items[i]);
    vec_push(&argv, NULL);
    const struct sampling options = {.argv = argv.items,
                                     .output = "/dev/null",
                                     .input = w->given->input,
                                     .seconds = INFINITY,
                                     .rate = SAMPLING_RATE,
                                     .method = SAMPLING_ANY,
                                     .goes_on = goes_on,
                                     .state = w};
    bool ok = sampling_run(&options, &sampled, err);
    ok = ok && watch_goes_on(err);
    if (ok && !sampled.samples.count)
        ok = err_set(err, ERR_DATA, "use a larger input",
                     "%s used too little CPU time for a sample", w->paths[side]);
    w->profiles[side] = ok ? profile_new(&sampled, SAMPLING_RATE, 0, looks_up, w, err) : NULL;
    sampled_done(&sampled);
    vec_done(&argv);
    free(path);
    return w->profiles[side] != NULL;
}

/* Returns the share of the samples of @side's program in loop @l; NaN without a profile. */
static double share_of(const struct builds_diff *w, int side, const struct build_loop *l)
{
    const struct run_profile *p = w->profiles[side];
    size_t samples = 0;

    if (!p)
        return NAN;
    for (size_t i = 0; i < p->loops.count; i++) {
        const struct profile_loop *loop = &p->loops.items[i];
        size_t count;
        if (strcmp(path_base(loop->file), path_base(w->paths[side])) == 0 &&
            kernel_insns(loop->kernel, loop->loop, &count)->offset == l->position)
            samples += loop->samples;
    }
    return profile_share(p, samples, NULL);
}

static void add_rows(struct builds_diff *w)
{
    for (size_t i = 0; i < w->matches.list.count && !watch_steps(1); i++) {
        const struct loop_match *match = &w->matches.list.items[i];
        const struct build_loop *p = match->a != MATCH_NONE ? build_loop(w->builds[0], match->a)
                                                            : NULL,
                                *q = match->b != MATCH_NONE ? build_loop(w->builds[1], match->b)
                                                            : NULL;
        const double share = p ? share_of(w, 0, p) : share_of(w, 1, q);
        for (uint32_t m = 0; m < w->machines.list.count; m++) {
            struct diff_row row = {match,
                                   m,
                                   p ? p->costs[m].cycles / match->times_a : NAN,
                                   q ? q->costs[m].cycles / match->times_b : NAN,
                                   NAN,
                                   share,
                                   NAN};
            if (p && q && match->known != MATCH_TIMES_UNKNOWN && !p->costs[m].lower_bound &&
                !q->costs[m].lower_bound && row.a > 0)
                row.change = row.b / row.a - 1;
            row.effect = row.change * row.share;
            vec_add(&w->rows, row);
        }
    }
}

/* Returns the sort key: the effect on the program with a profile, otherwise the change of the loop;
 * -1: unknown. */
static double weight(const struct diff_row *r)
{
    const double value = isnan(r->share) ? r->change : r->effect;

    return isnan(value) ? -1 : fabs(value);
}

static int most_first(const void *a, const void *b)
{
    const struct diff_row *x = a, *y = b;
    const double u = weight(x), v = weight(y);

    if (u != v)
        return u > v ? -1 : 1;
    if (!isnan(x->share) && x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->match != y->match ? (x->match > y->match) - (x->match < y->match)
                                : (x->machine > y->machine) - (x->machine < y->machine);
}

/* Returns the relative change of build A's run time due to the loops that both builds have. */
static double program_change(const struct builds_diff *w, size_t machine)
{
    double sum = 0;

    for (size_t i = 0; i < w->rows.count; i++)
        if (w->rows.items[i].machine == machine && !isnan(w->rows.items[i].effect))
            sum += w->rows.items[i].effect;
    return sum;
}

/* Returns the number of loops, counted per machine, that are more than @percent slower. With a
 * profile, returns the number of machines on which the whole program is more than @percent
 * slower. */
static size_t count_above(const struct builds_diff *w, double percent)
{
    size_t count = 0;

    for (size_t m = 0; w->profiles[0] && m < w->machines.list.count; m++)
        count += program_change(w, m) > percent / 100;
    for (size_t i = 0; !w->profiles[0] && i < w->rows.count; i++)
        count += w->rows.items[i].change > percent / 100;
    return count;
}

static bool fails(const struct builds_diff *w, struct err *err)
{
    const size_t above = isnan(w->given->fail_above) ? 0 : count_above(w, w->given->fail_above);

    if (!above)
        return false;
    if (w->profiles[0])
        err_set(err, ERR_DATA, NULL,
                "the program takes more than %g %% longer on %zu of %zu machines",
                w->given->fail_above, above, w->machines.list.count);
    else
        err_set(err, ERR_DATA, NULL, "%zu loop%s more than %g %% longer", above,
                above == 1 ? " takes" : "s take", w->given->fail_above);
    return true;
}

static void add_name(const struct binary *b, const struct build_loop *l, struct str *out)
{
    const struct build_function *f = build_function(b, l->function);
    char *readable = build_function_readable(f);

    profile_name_short(readable, NAME_COLUMNS, out);
    if (l->file)
        str_addf(out, " %s:%u", path_base(l->file), l->first_line);
    free(readable);
}

static const char *note_of(const struct builds_diff *w, const struct diff_row *r)
{
    const struct loop_match *m = r->match;
    const struct build_loop *p = m->a != MATCH_NONE ? build_loop(w->builds[0], m->a) : NULL,
                            *q = m->b != MATCH_NONE ? build_loop(w->builds[1], m->b) : NULL;

    if (!p || !q)
        return (p ? p : q)->remainder ? "remainder of another loop" : "";
    if (m->within)
        return "loops within differ";
    if (m->known == MATCH_TIMES_UNKNOWN)
        return "work per iteration may differ";
    if (p->costs[r->machine].lower_bound || q->costs[r->machine].lower_bound)
        return "lower bound: some effects are not modelled";
    if (m->known == MATCH_TIMES_ASSUMED)
        return "assumed: equal work per iteration";
    return m->way == MATCH_FUNCTION ? ""
           : m->way == MATCH_LINES  ? "matched by lines"
                                    : "matched by shape";
}

static void cell_percent(struct result_table *t, double fraction)
{
    char text[32];

    if (isnan(fraction)) {
        cell_missing(t);
        return;
    }
    snprintf(text, sizeof text, "%+.1f %%",
             100 * (fabs(fraction) < LEAST_CHANGE / 10 ? 0 : fraction));
    cell_text(t, text);
}

/* Adds the loops that both builds have and whose change is large enough or unknown, in the order of
 * the rows, for text; at most as many as --top. */
static void add_changed(const struct builds_diff *w, struct result *result)
{
    struct result_column columns[8] = {{.key = "change", .kind = CELL_TEXT, .width = 9}};
    size_t count = 1, shown = 0, more = 0;
    const bool profiled = w->profiles[0] != NULL, several = w->machines.list.count > 1;

    if (profiled) {
        columns[count++] = (struct result_column){.key = "share", .title = "share of A's run",
                                                  .kind = CELL_NUMBER, .unit = "%",
                                                  .decimals = 1};
        columns[count++] = (struct result_column){
            .key = "effect", .title = "program", .kind = CELL_TEXT, .width = 9};
    }
    columns[count++] = (struct result_column){
        .key = "a", .title = "A", .kind = CELL_NUMBER, .decimals = 2, .width = 8};
    columns[count++] = (struct result_column){
        .key = "b", .title = "B", .kind = CELL_NUMBER, .decimals = 2, .width = 8};
    if (several)
        columns[count++] = (struct result_column){.key = "machine", .kind = CELL_TEXT};
    columns[count++] = (struct result_column){.key = "loop", .kind = CELL_TEXT, .width = 40};
    columns[count++] = (struct result_column){.key = "note", .title = "", .kind = CELL_TEXT};
    struct result_table *t = result_table(result, "changed", columns, count);
    t->hide = NOT_CSV | NOT_JSON;
    for (size_t i = 0; i < w->rows.count; i++) {
        const struct diff_row *r = &w->rows.items[i];
        struct str name = {0};
        if (isnan(r->a) || isnan(r->b) || (!isnan(r->change) && fabs(r->change) < LEAST_CHANGE) ||
            (shown >= w->given->top && ++more))
            continue;
        shown++;
        add_name(w->builds[1], build_loop(w->builds[1], r->match->b), &name);
        cell_percent(t, r->change);
        if (profiled) {
            cell_number(t, 100 * r->share);
            cell_percent(t, r->effect);
        }
        cell_number(t, r->a);
        cell_number(t, r->b);
        if (several)
            cell_text(t, w->machines.list.items[r->machine]->id);
        cell_text(t, str_text(&name));
        cell_text(t, note_of(w, r));
        str_done(&name);
    }
    if (more)
        result_line(result, "rows not shown: %zu; --top N shows more", more);
}

/* Adds the loops that only build @side has, with the cycles on the first machine, for text; at most
 * as many as --top. */
static void add_only(const struct builds_diff *w, int side, struct result *result)
{
    const struct result_column columns[] = {
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2, .width = 9},
        {.key = "instructions", .title = "insns", .kind = CELL_COUNT},
        {.key = "share", .hide = w->profiles[side] ? 0 : NOT_TEXT | NOT_DOCUMENT,
         .title = "share of the run", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "loop", .kind = CELL_TEXT, .width = 40},
        {.key = "note", .title = "", .kind = CELL_TEXT}};
    struct result_table *t = NULL;
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < w->rows.count; i++) {
        const struct diff_row *r = &w->rows.items[i];
        struct str name = {0};
        if (r->machine || (side ? r->match->a : r->match->b) != MATCH_NONE ||
            (shown >= w->given->top && ++more))
            continue;
        if (!shown++) {
            result_line(result, "\nin %c only, cycles on %s", 'A' + side,
                        w->machines.list.items[0]->id);
            t = RESULT_TABLE(result, side ? "only_b" : "only_a", columns);
            t->hide = NOT_CSV | NOT_JSON;
        }
        const struct build_loop *l = build_loop(w->builds[side], side ? r->match->b : r->match->a);
        add_name(w->builds[side], l, &name);
        cell_number(t, side ? r->b : r->a);
        cell_count(t, l->instructions);
        cell_number(t, 100 * r->share);
        cell_text(t, str_text(&name));
        cell_text(t, note_of(w, r));
        str_done(&name);
    }
    if (more)
        result_line(result, "rows not shown: %zu; --top N shows more", more);
}

static void cell_side(struct result_table *t, const struct builds_diff *w, int side, uint32_t at,
                      uint32_t machine, double times)
{
    const struct build_loop *l = at == MATCH_NONE ? NULL : build_loop(w->builds[side], at);
    const struct build_function *f = l ? build_function(w->builds[side], l->function) : NULL;
    char *readable = f ? build_function_readable(f) : NULL, address[24];

    cell_text(t, readable);
    cell_text(t, f ? f->member : NULL);
    snprintf(address, sizeof address, "0x%llx", l ? (unsigned long long)l->address : 0);
    cell_text(t, l ? address : NULL);
    cell_text(t, l ? l->file : NULL);
    cell_count_if(t, l && l->line, l ? l->line : 0);
    cell_count_if(t, l, l ? l->instructions : 0);
    cell_number(t, l ? l->costs[machine].cycles : NAN);
    cell_text(t, l ? bound_name(l->costs[machine].bottleneck) : NULL);
    cell_number(t, l ? times : NAN);
    if (l)
        cell_switch(t, l->costs[machine].lower_bound);
    else
        cell_missing(t);
    free(readable);
}

static void add_all(const struct builds_diff *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},
        {.key = "matched", .kind = CELL_TEXT},
        {.key = "per_iteration", .kind = CELL_TEXT},
        {.key = "percent_change", .unit = "%", .kind = CELL_NUMBER},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER},
        {.key = "effect", .unit = "%", .kind = CELL_NUMBER},
        {.key = "function_a", .kind = CELL_TEXT},
        {.key = "member_a", .kind = CELL_TEXT},
        {.key = "address_a", .kind = CELL_TEXT},
        {.key = "file_a", .kind = CELL_TEXT},
        {.key = "line_a", .kind = CELL_COUNT},
        {.key = "instructions_a", .kind = CELL_COUNT},
        {.key = "cycles_a", .kind = CELL_NUMBER},
        {.key = "bottleneck_a", .kind = CELL_TEXT},
        {.key = "times_a", .kind = CELL_NUMBER},
        {.key = "lower_bound_a", .kind = CELL_SWITCH},
        {.key = "function_b", .kind = CELL_TEXT},
        {.key = "member_b", .kind = CELL_TEXT},
        {.key = "address_b", .kind = CELL_TEXT},
        {.key = "file_b", .kind = CELL_TEXT},
        {.key = "line_b", .kind = CELL_COUNT},
        {.key = "instructions_b", .kind = CELL_COUNT},
        {.key = "cycles_b", .kind = CELL_NUMBER},
        {.key = "bottleneck_b", .kind = CELL_TEXT},
        {.key = "times_b", .kind = CELL_NUMBER},
        {.key = "lower_bound_b", .kind = CELL_SWITCH},
        {.key = "note", .kind = CELL_TEXT},
    };
    static const char *const known[] = {[MATCH_TIMES_KNOWN] = "known",
                                        [MATCH_TIMES_ASSUMED] = "assumed",
                                        [MATCH_TIMES_UNKNOWN] = "unknown"};
    struct result_table *t = RESULT_TABLE(result, "loops", columns);

    t->hide = NOT_TEXT | NOT_DOCUMENT;
    for (size_t i = 0; i < w->rows.count; i++) {
        const struct diff_row *r = &w->rows.items[i];
        const struct loop_match *m = r->match;
        const bool both = m->a != MATCH_NONE && m->b != MATCH_NONE;
        cell_text(t, w->machines.list.items[r->machine]->id);
        cell_text(t, both ? match_way_name(m->way) : m->a != MATCH_NONE ? "only A" : "only B");
        cell_text(t, both ? known[m->known] : NULL);
        cell_number(t, 100 * r->change);
        cell_number(t, 100 * r->share);
        cell_number(t, 100 * r->effect);
        cell_side(t, w, 0, m->a, r->machine, m->times_a);
        cell_side(t, w, 1, m->b, r->machine, m->times_b);
        cell_text(t, note_of(w, r));
    }
}

/* Adds the number of loops of each kind, the number of undecoded functions, and the reason why a
 * build has no source lines. */
static void say_sums(const struct builds_diff *w, struct result *result)
{
    size_t both = 0, only[2] = {0, 0}, slower = 0, faster = 0, not_compared = 0;

    for (size_t i = 0; i < w->matches.list.count; i++) {
        const struct loop_match *m = &w->matches.list.items[i];
        both += m->a != MATCH_NONE && m->b != MATCH_NONE;
        only[0] += m->b == MATCH_NONE;
        only[1] += m->a == MATCH_NONE;
    }
    for (size_t i = 0; i < w->rows.count; i++) {
        const struct diff_row *r = &w->rows.items[i];
        slower += r->change >= LEAST_CHANGE;
        faster += r->change <= -LEAST_CHANGE;
        not_compared += r->match->a != MATCH_NONE && r->match->b != MATCH_NONE && isnan(r->change);
    }
    result_line(result, "%zu loop%s matched, %zu in A only, %zu in B only", both, plural(both),
                only[0], only[1]);
    result_line(result,
                "%sloops: %zu slower in B, %zu faster, %zu not comparable; cycles are the largest "
                "bound per iteration, with data in the first-level cache",
                w->machines.list.count > 1 ? "sum over all machines, " : "", slower, faster,
                not_compared);
    result_count(result, "matched", (int64_t)both);
    result_count(result, "only_in_a", (int64_t)only[0]);
    result_count(result, "only_in_b", (int64_t)only[1]);
    result_count(result, "longer", (int64_t)slower);
    result_count(result, "shorter", (int64_t)faster);
    result_count(result, "not_compared", (int64_t)not_compared);
    for (int side = 0; side < 2; side++) {
        const size_t undecoded = build_undecoded(w->builds[side]);
        const char *fault = build_lines_fault(w->builds[side]);
        if (undecoded)
            result_line(result, "%c: %zu function%s could not be decoded and %s omitted",
                        'A' + side, undecoded, plural(undecoded), undecoded == 1 ? "is" : "are");
        if (fault)
            result_line(result, "%c: no source lines (%s)", 'A' + side, fault);
    }
}

static void say_program(const struct builds_diff *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT, .width = 16},
        {.key = "program_change", .title = "program", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1},
        {.key = "covered", .title = "compared share of A's run", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1}};

    if (!w->profiles[0])
        return;
    result_line(result,
                "\n"
                "predicted change of the run time if only these loops change and stalls per "
                "iteration stay equal (measured CPU time: A %.2f s, B %.2f s)",
                w->profiles[0]->user, w->profiles[1]->user);
    struct result_table *t = RESULT_TABLE(result, "runs", columns);
    t->hide = NOT_CSV;   /* CSV omits this table, because it has another table with all loops. */
    for (size_t m = 0; m < w->machines.list.count; m++) {
        double covered = 0;
        for (size_t i = 0; i < w->rows.count; i++)
            covered += w->rows.items[i].machine == m && !isnan(w->rows.items[i].effect)
                           ? w->rows.items[i].share
                           : 0;
        cell_text(t, w->machines.list.items[m]->id);
        cell_number(t, 100 * program_change(w, m));
        cell_number(t, 100 * covered);
    }
}

static void show(const struct builds_diff *w, struct result *result)
{
    for (int side = 0; side < 2; side++) {
        result_line(result, "%c  %s, %zu loop%s", 'A' + side, w->paths[side],
                    build_loop_count(w->builds[side]), plural(build_loop_count(w->builds[side])));
        result_text(result, side ? "b" : "a", w->paths[side]);
    }
    say_sums(w, result);
    result_line(result, "%s", "");
    add_changed(w, result);
    add_only(w, 0, result);
    add_only(w, 1, result);
    say_program(w, result);
    add_all(w, result);
}

static bool diff_work(void *state, struct result *result, struct err *err)
{
    struct builds_diff *w = state;
    const unsigned workers = pool_processors();
    static const struct pool_ops ops = {.next = pool_next, .work = pool_work};

    for (int side = 0; side < 2; side++) {
        w->builds[side] = build_open(w->paths[side], err);
        if (!w->builds[side] || (w->run && !profile_one(w, side, err)))
            return false;
    }
    struct diff_pool pool = {w, mem_zero(workers, sizeof *pool.pieces),
                             mem_zero(workers, sizeof *pool.workers)};
    for (unsigned i = 0; i < workers; i++)
        pool.workers[i] = build_worker_new(w->machines.list.items, w->machines.list.count);
    pool_run(workers, &ops, &pool);
    for (unsigned i = 0; i < workers; i++)
        build_worker_free(pool.workers[i]);
    free(pool.workers);
    free(pool.pieces);
    for (int side = 0; side < 2; side++)
        build_finish(w->builds[side]);
    if (!watch_goes_on(err) || !build_match(w->builds[0], w->builds[1], &w->matches, err))
        return false;
    add_rows(w);
    if (w->rows.count)
        qsort(w->rows.items, w->rows.count, sizeof *w->rows.items, most_first);
    if (!watch_goes_on(err) || fails(w, err))
        return false;
    show(w, result);
    return true;
}

/* Shows the results of a command that failed because a change exceeds the limit of --fail-above. */
static void diff_failed(struct session *s, void *state, struct result *result,
                        const struct err *err)
{
    const struct builds_diff *w = state;

    if (err && w->rows.count)
        show(w, result);
}

static void diff_free(void *state)
{
    struct builds_diff *w = state;

    for (int side = 0; side < 2; side++) {
        build_free(w->builds[side]);
        profile_free(w->profiles[side]);
    }
    vec_done(&w->matches.list);
    vec_done(&w->rows);
    machine_set_done(&w->machines);
    free(w);
}

/* Determines the instruction set, which both builds must share. Returns false with err if they do
 * not, or if one cannot be read. */
static bool choose_isa(const struct program_diff_values *v, enum isa *out, struct err *err)
{
    enum isa other;

    if (!build_isa(v->a, out, err) || !build_isa(v->b, &other, err))
        return false;
    return *out == other || err_set(err, ERR_USAGE, "give two builds for one instruction set",
                                    "%s has %s code, but %s has %s code", v->a, isa_name(*out),
                                    v->b, isa_name(other));
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"compares", diff_work, NULL, diff_free,
                                        .failed = diff_failed, .listed = TASK_LISTED_IF_LONG};
    const struct program_diff_values *v = values;
    enum isa isa;

    if (!choose_isa(v, &isa, err))
        return false;
    if (v->input && !v->run && !v->arguments.count)
        return err_set(err, ERR_USAGE, "add --run",
                       "--input needs --run or arguments of the programs");
    struct builds_diff *w = mem_zero(1, sizeof *w);
    *w = (struct builds_diff){
        .given = v, .paths = {v->a, v->b}, .run = v->run || v->arguments.count};
    task->measures = w->run;
    return task_give(task, &ops, w) && machine_set_find(s, &v->machines, isa, &w->machines, err);
}

const struct command command_program_diff = {
    .name = "program diff",
    .help = "compare all loops of two builds of a program (compilers, options or versions)",
    .description =
        "Loops are matched by function, then by source line if both builds have debug information. "
        "Functions that were renamed or have no symbol are matched by their instructions. Cycles "
        "are per source iteration. If a build combines several iterations, as the strides of its "
        "accesses show, the cycles are divided by the number of combined iterations. Loops with "
        "the largest change come first. With arguments or --run both programs are run and sampled. "
        "Loops with the largest effect on the run then come first. Stalls for caches or branches "
        "are not included.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "A", struct program_diff_values, a), .required = true,
         .complete = COMPLETE_FILE,
         .help = "program, library, object file, or archive of object files (ELF)"},
        {PARAMETER(TEXT, "B", struct program_diff_values, b), .required = true,
         .complete = COMPLETE_FILE, .help = "another build of A"},
        {PARAMETER(WORDS, "ARGS", struct program_diff_values, arguments),
         .help = "arguments of both programs, which are then run and sampled; write -- before the "
                 "arguments"}),
    .options = PARAMETERS(
        MACHINES_OPTION(program_diff_values, "the selected machines",
                        "machine to predict for; all: all machines"),
        {PARAMETER(NUMBER, "--fail-above", struct program_diff_values, fail_above),
         .value = "PERCENT", .least = 0, .most = 1e6, .fallback = "never",
         .help = "fail if a loop of B, or the whole program if it is run, is slower by more than "
                 "PERCENT"},
        {PARAMETER(FLAG, "--run", struct program_diff_values, run),
         .help = "run both programs, even without arguments, to weight loops by their share of A's "
                 "time"},
        {PARAMETER(TEXT, "--input", struct program_diff_values, input), .value = "FILE",
         .fallback = "no input", .complete = COMPLETE_FILE,
         .help = "file for standard input of the programs"},
        {PARAMETER(COUNT, "--top", struct program_diff_values, top), .value = "N", .least = 1,
         .most = 1e9, .initial = "40",
         .help = "number of rows of each table as text; CSV and JSON have all rows"}),
    .examples = EXAMPLES("program diff old/app new/app --machine skylake --fail-above 5",
                         "program diff gcc/libz.a clang/libz.a --machine all",
                         "program diff ./before ./after -- --steps 100 input.dat"),
    .values_size = sizeof(struct program_diff_values),
    .flags = COMMAND_JOB,
    .prepare = prepare,
};
