/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/evaluate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/index.h"
#include "base/rng.h"
#include "base/vec.h"

#define SAMPLE_MAX 65536   /* maximum number of pairs stored for median and rank correlation */
#define WORST_MAX 20
#define BLOCK_BYTES 65536

struct evaluation {
    const struct machine *machine;
    enum evaluate_model model;
    enum evaluate_protocol protocol;
    struct block_work *work;
    struct simulator *simulator;   /* simulator; NULL: bounds alone predict */
    VEC(struct insn) insns;
    double (*sample)[2];       /* pairs of predicted and measured cycles */
    size_t sample_count;
    size_t n, untimed, refused, complete;
    double error_sum;
    struct worst_block worst[WORST_MAX + 1];
    size_t worst_count;
    VEC(struct form_error) forms;
    struct index index;        /* index of `forms` by name */
    struct rng rng;
    FILE *rows;                /* file for the blocks; NULL: none */
    uint8_t code[BLOCK_BYTES];
};

struct evaluation *evaluation_new(const struct machine *m, enum evaluate_model model)
{
    struct evaluation *e = mem_zero(1, sizeof *e);
    e->machine = m;
    e->model = model;
    e->work = block_work_new(m);
    e->simulator = model == MODEL_SIMULATE ? simulator_new() : NULL;
    e->sample = mem_alloc(SAMPLE_MAX * sizeof *e->sample);
    rng_seed(&e->rng, 1);
    return e;
}

void evaluation_free(struct evaluation *e)
{
    if (!e)
        return;
    block_work_free(e->work);
    simulator_free(e->simulator);
    vec_done(&e->insns);
    free(e->sample);
    for (size_t i = 0; i < e->worst_count; i++)
        free(e->worst[i].hex);
    for (size_t i = 0; i < e->forms.count; i++)
        free(e->forms.items[i].form);
    vec_done(&e->forms);
    index_done(&e->index);
    free(e);
}

void evaluation_measured_by(struct evaluation *e, enum evaluate_protocol protocol)
{
    e->protocol = protocol;
}

void evaluation_write_blocks(struct evaluation *e, FILE *rows)
{
    e->rows = rows;
}

void evaluation_write_header(FILE *rows)
{
    fputs("hex,measured,predicted,bottleneck", rows);
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        fprintf(rows, ",%s", bound_name((enum bound_kind)kind));
    fputc('\n', rows);
}

static void write_block(FILE *rows, const struct measured_block *block, const struct bounds *b,
                        double predicted)
{
    char line[512];
    size_t used = (size_t)snprintf(line, sizeof line, ",%g,%.4f,%s", block->cycles, predicted,
                                   bound_name(b->bottleneck));

    for (int kind = 0; kind < BOUND_COUNT && used < sizeof line; kind++)
        used += (size_t)(isnan(b->cycles[kind])
                             ? snprintf(line + used, sizeof line - used, ",")
                             : snprintf(line + used, sizeof line - used, ",%.4f", b->cycles[kind]));
    fprintf(rows, "%s%s\n", block->hex, line);
}

static int digit_value(char c)
{
    return c >= '0' && c <= '9'         ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

static bool decode_block(struct evaluation *e, const char *hex)
{
    size_t length = 0;

    for (; *hex; hex += 2) {
        int high = digit_value(hex[0]), low = high < 0 ? -1 : digit_value(hex[1]);
        if (low < 0 || length == sizeof e->code)
            return false;
        e->code[length++] = (uint8_t)(high << 4 | low);
    }
    e->insns.count = 0;
    for (size_t at = 0; at < length;) {
        vec_reserve(&e->insns, e->insns.count + 1);
        struct insn *insn = &e->insns.items[e->insns.count];
        if (!insn_decode(ISA_UNSAID, e->code + at, length - at, at, false, insn, NULL))
            return false;
        at += insn->length;
        e->insns.count++;
    }
    return e->insns.count > 0;
}

static bool is_form(const void *evaluation, uint32_t item, const void *form)
{
    return strcmp(((const struct evaluation *)evaluation)->forms.items[item].form, form) == 0;
}

static struct form_error *form_record(struct evaluation *e, const char *form)
{
    uint64_t hash = hash_text(form);
    uint32_t item = index_find(&e->index, hash, is_form, e, form);

    if (item == INDEX_NONE) {
        item = (uint32_t)e->forms.count;
        vec_push(&e->forms, ((struct form_error){.form = mem_strdup(form)}));
        index_add(&e->index, hash, item);
    }
    return &e->forms.items[item];
}

/* Samples uniformly from all pairs (Vitter's algorithm R). */
static void sample_pair(struct evaluation *e, double predicted, double measured)
{
    size_t at = e->sample_count;
    if (at == SAMPLE_MAX && (at = (size_t)rng_below(&e->rng, e->n)) >= SAMPLE_MAX)
        return;
    e->sample[at][0] = predicted;
    e->sample[at][1] = measured;
    e->sample_count += at == e->sample_count;
}

static double error_of(const struct worst_block *b)
{
    return fabs(b->predicted - b->measured) / b->measured;
}

static void keep_worst(struct evaluation *e, struct worst_block take)
{
    size_t at = e->worst_count;
    while (at > 0 && error_of(&e->worst[at - 1]) < error_of(&take))
        at--;
    memmove(&e->worst[at + 1], &e->worst[at], (e->worst_count - at) * sizeof *e->worst);
    e->worst[at] = take;
    if (++e->worst_count > WORST_MAX)
        free(e->worst[--e->worst_count].hex);
}

static bool has_length_changing_prefix(const struct evaluation *e)
{
    for (size_t i = 0; i < e->insns.count; i++)
        if (e->insns.items[i].traits & INSN_LCP)
            return true;
    return false;
}

/* Reduces the front-end time of unrolled short blocks. They partly remain in the µop cache and
 * then need no decoders (facts copies_cached, copies_cached_bytes). The reduction is smaller for
 * longer code. It does not include length-changing prefixes, whose cycles measurements show in
 * every copy. */
static double less_cached(const struct evaluation *e, const struct bounds *b, size_t length,
                          double predicted)
{
    const struct core *c = e->work->core;
    double other = has_length_changing_prefix(e) ? fmax(0, b->frontend.predecode) : 0;

    if (b->bottleneck != BOUND_FRONTEND || isnan(c->copies_cached) || isnan(c->copies_cached_bytes))
        return predicted;
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        /* fmax ignores an argument that is NaN. */
        other = kind == BOUND_FRONTEND ? other : fmax(other, b->cycles[kind]);
    double share = c->copies_cached * fmin(1, c->copies_cached_bytes / (double)length);
    return predicted - share * fmax(0, predicted - other);
}

static size_t length_of(const struct insn *insns, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += insns[i].length;
    return length;
}

void evaluation_add(struct evaluation *e, const struct measured_block *block)
{
    struct bounds bounds;

    if (!(block->cycles > 0) || !isfinite(block->cycles)) {
        e->untimed++;
        return;
    }
    if (!decode_block(e, block->hex)) {
        e->refused++;
        return;
    }
    struct block_options options = {.shape = shape_of(e->insns.items, e->insns.count),
                                    .start = START_EQUAL};
    if (e->protocol == PROTOCOL_PORTOLAN)
        options = (struct block_options){.shape = SHAPE_CACHED, .start = START_MEASURED};
    bounds_of(e->work, e->insns.items, e->insns.count, &options, false, &bounds);
    double predicted = bounds.total;
    if (e->simulator) {
        struct simulation sim;
        simulate(e->simulator, e->work, e->insns.items, e->insns.count, &options,
                 &(struct simulate_options){0}, &sim);
        if (isfinite(sim.cycles))
            predicted = sim.cycles;
        simulation_done(&sim);
    }
    if (e->protocol == PROTOCOL_BHIVE && options.shape == SHAPE_UNROLLED)
        predicted = less_cached(e, &bounds, length_of(e->insns.items, e->insns.count), predicted);
    double error = fabs(predicted - block->cycles) / block->cycles;
    e->n++;
    e->complete += !bounds.unknown;
    e->error_sum += error;
    if (e->rows)
        write_block(e->rows, block, &bounds, predicted);
    sample_pair(e, predicted, block->cycles);
    if (e->worst_count < WORST_MAX || error > error_of(&e->worst[e->worst_count - 1]))
        keep_worst(e, (struct worst_block){mem_strdup(block->hex), block->cycles, predicted,
                                           bounds.bottleneck});
    for (size_t i = 0; i < e->insns.count; i++) {
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = strcmp(e->insns.items[k].form, e->insns.items[i].form) == 0;
        if (again)
            continue;
        struct form_error *form = form_record(e, e->insns.items[i].form);
        form->sum += error;
        form->signed_sum += (predicted - block->cycles) / block->cycles;
        form->blocks++;
    }
}

void evaluation_merge(struct evaluation *to, struct evaluation *from)
{
    size_t before = to->n, total = to->n + from->n;
    for (size_t i = 0; i < from->sample_count; i++) {
        to->n = before + (i + 1) * from->n / from->sample_count;
        sample_pair(to, from->sample[i][0], from->sample[i][1]);
    }
    to->n = total;
    to->untimed += from->untimed;
    to->refused += from->refused;
    to->complete += from->complete;
    to->error_sum += from->error_sum;
    for (size_t i = 0; i < from->worst_count; i++)
        keep_worst(to, from->worst[i]);
    for (size_t i = 0; i < from->forms.count; i++) {
        struct form_error *form = form_record(to, from->forms.items[i].form);
        form->sum += from->forms.items[i].sum;
        form->signed_sum += from->forms.items[i].signed_sum;
        form->blocks += from->forms.items[i].blocks;
        free(from->forms.items[i].form);
    }
    from->forms.count = from->worst_count = from->sample_count = from->n = from->untimed =
        from->refused = from->complete = 0;
    from->error_sum = 0;
    index_clear(&from->index);
}

void evaluation_pack(const struct evaluation *e, struct str *out)
{
    const uint64_t counts[] = {
        e->n, e->untimed, e->refused, e->complete, e->sample_count, e->worst_count, e->forms.count};

    pack_array(out, counts, sizeof counts / sizeof *counts, sizeof *counts);
    pack_number(out, e->error_sum);
    pack_array(out, e->sample, e->sample_count, sizeof *e->sample);
    for (size_t i = 0; i < e->worst_count; i++) {
        pack_text(out, e->worst[i].hex);
        pack_number(out, e->worst[i].measured);
        pack_number(out, e->worst[i].predicted);
        pack_count(out, e->worst[i].bottleneck);
    }
    for (size_t i = 0; i < e->forms.count; i++) {
        pack_text(out, e->forms.items[i].form);
        pack_number(out, e->forms.items[i].sum);
        pack_number(out, e->forms.items[i].signed_sum);
        pack_count(out, e->forms.items[i].blocks);
    }
}

bool evaluation_take(struct evaluation *to, struct unpacking *from)
{
    struct evaluation *e = evaluation_new(to->machine, MODEL_BOUNDS);
    uint64_t counts[7];

    unpack_array(from, counts, sizeof counts / sizeof *counts, sizeof *counts);
    e->n = counts[0];
    e->untimed = counts[1];
    e->refused = counts[2];
    e->complete = counts[3];
    e->error_sum = unpack_number(from);
    from->broken |= counts[4] > SAMPLE_MAX || counts[5] > WORST_MAX;
    e->sample_count = from->broken ? 0 : counts[4];
    unpack_array(from, e->sample, e->sample_count, sizeof *e->sample);
    while (!from->broken && e->worst_count < counts[5]) {
        struct worst_block *b = &e->worst[e->worst_count++];
        b->hex = mem_strdup(unpack_text(from));
        b->measured = unpack_number(from);
        b->predicted = unpack_number(from);
        b->bottleneck = (enum bound_kind)unpack_count(from);
        from->broken |= b->bottleneck >= BOUND_COUNT;
    }
    for (uint64_t i = 0; !from->broken && i < counts[6]; i++) {
        struct form_error *form = form_record(e, unpack_text(from));
        form->sum = unpack_number(from);
        form->signed_sum = unpack_number(from);
        form->blocks = unpack_count(from);
    }
    if (!from->broken)
        evaluation_merge(to, e);
    evaluation_free(e);
    return !from->broken;
}

static int compare_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static double ties(double count)
{
    return count * (count - 1) / 2;
}

/* Sorts @values by merging. Returns the number of inversions, which are the discordant pairs if the
 * pairs are sorted by the other value. @storage: working storage of equal size. */
static double merge_exchanges(double *values, double *storage, size_t n)
{
    if (n < 2)
        return 0;
    size_t half = n / 2, left = 0, right = half;
    double exchanges =
        merge_exchanges(values, storage, half) + merge_exchanges(values + half, storage, n - half);
    for (size_t i = 0; i < n; i++) {
        bool take_right = left == half || (right < n && values[right] < values[left]);
        exchanges += take_right ? (double)(half - left) : 0;
        storage[i] = values[take_right ? right++ : left++];
    }
    memcpy(values, storage, n * sizeof *values);
    return exchanges;
}

/* Uses Knight's algorithm (1966). */
double kendall_tau(double (*pairs)[2], size_t n)
{
    double tied_first = 0, tied_second = 0, tied_both = 0, run = 1, run_both = 1,
           all = ties((double)n);
    double *values = mem_alloc((2 * n + 1) * sizeof *values);

    qsort(pairs, n, sizeof *pairs, compare_first);
    for (size_t i = 1; i <= n; i++) {
        bool same = i < n && pairs[i][0] == pairs[i - 1][0],
             both = same && pairs[i][1] == pairs[i - 1][1];
        tied_first += same ? 0 : ties(run);
        tied_both += both ? 0 : ties(run_both);
        run = same ? run + 1 : 1;
        run_both = both ? run_both + 1 : 1;
    }
    for (size_t i = 0; i < n; i++)
        values[i] = pairs[i][1];
    double discordant = merge_exchanges(values, values + n, n);
    run = 1;
    for (size_t i = 1; i <= n; i++) {
        bool same = i < n && values[i] == values[i - 1];
        tied_second += same ? 0 : ties(run);
        run = same ? run + 1 : 1;
    }
    free(values);
    double concordant_less_discordant = all - tied_first - tied_second + tied_both - 2 * discordant;
    double scale = sqrt(all - tied_first) * sqrt(all - tied_second);
    return scale > 0 ? concordant_less_discordant / scale : NAN;
}

static double median_error(double (*pairs)[2], size_t n)
{
    double *errors = mem_alloc((n + 1) * sizeof *errors);
    for (size_t i = 0; i < n; i++)
        errors[i] = fabs(pairs[i][0] - pairs[i][1]) / pairs[i][1];
    qsort(errors, n, sizeof *errors, compare_doubles);
    double median = n ? (errors[(n - 1) / 2] + errors[n / 2]) / 2 : NAN;
    free(errors);
    return median;
}

ORDER_BY(compare_forms, struct form_error, DESCENDING(excess) ?: TEXTUAL(form))

void evaluation_finish(struct evaluation *e, struct evaluation_result *out)
{
    double n = (double)e->n;

    *out = (struct evaluation_result){.n = e->n,
                                      .untimed = e->untimed,
                                      .refused = e->refused,
                                      .complete = e->complete,
                                      .sampled = e->n > SAMPLE_MAX};
    out->coverage = e->n + e->refused ? (double)e->complete / (n + (double)e->refused) : NAN;
    out->mape = e->n ? e->error_sum / n : NAN;
    out->median = median_error(e->sample, e->sample_count);
    out->kendall = e->n > 1 ? kendall_tau(e->sample, e->sample_count) : NAN;
    out->worst = mem_alloc((e->worst_count + 1) * sizeof *out->worst);
    memcpy(out->worst, e->worst, e->worst_count * sizeof *out->worst);
    out->worst_count = e->worst_count;
    e->worst_count = 0;
    out->forms = mem_alloc((e->forms.count + 1) * sizeof *out->forms);
    if (e->forms.count)
        memcpy(out->forms, e->forms.items, e->forms.count * sizeof *out->forms);
    out->form_count = e->forms.count;
    e->forms.count = 0;
    index_clear(&e->index);
    for (size_t i = 0; i < out->form_count; i++)
        out->forms[i].excess = out->forms[i].sum - out->mape * (double)out->forms[i].blocks;
    qsort(out->forms, out->form_count, sizeof *out->forms, compare_forms);
}

void evaluation_result_done(struct evaluation_result *r)
{
    for (size_t i = 0; i < r->worst_count; i++)
        free(r->worst[i].hex);
    for (size_t i = 0; i < r->form_count; i++)
        free(r->forms[i].form);
    free(r->worst);
    free(r->forms);
}
