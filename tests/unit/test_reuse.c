/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reuse distances, compared with a linearly searched stack and with a recount of distinct lines.
 * Also their bins, and the memory that they need. */
#include <stdlib.h>

#include "base/rng.h"
#include "program/runtime/bins.h"
#include "program/runtime/reuse.h"
#include "program/runtime/sets.h"
#include "program/runtime/steps.h"
#include "simulate/branch_predictor.h"
#include "../support/support.h"

/* Mattson's stack. The position of a line is its distance, and a use moves it to the top. */
struct stack { uint64_t lines[1 << 14]; size_t count; };

static uint64_t stack_touch(struct stack *s, uint64_t line)
{
    size_t at = 0;
    while (at < s->count && s->lines[s->count - 1 - at] != line)
        at++;
    uint64_t distance = at < s->count ? at : REUSE_COLD;
    if (distance == REUSE_COLD)
        s->count++;
    else
        memmove(&s->lines[s->count - 1 - at], &s->lines[s->count - at], at * sizeof *s->lines);
    s->lines[s->count - 1] = line;
    return distance;
}

/* Returns the distance by definition: the number of distinct lines since the last use. */
static uint64_t count_distinct(const uint64_t *trace, size_t now)
{
    size_t before = now, distinct = 0;
    while (before > 0 && trace[before - 1] != trace[now])
        before--;
    if (!before)
        return REUSE_COLD;
    for (size_t i = before; i < now; i++) {
        bool first = true;
        for (size_t k = before; k < i && first; k++)
            first = trace[k] != trace[i];
        distinct += first;
    }
    return distinct;
}

static void test_by_hand(void **state)
{
    static const uint64_t lines[] = {5, 5, 6, 7, 5, 6, 6, 8, 7},
                          distances[] = {REUSE_COLD, 0, REUSE_COLD, REUSE_COLD, 2,
                                         2,          0, REUSE_COLD, 3};
    struct reuse r = {0};
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(reuse_touch(&r, lines[i]), distances[i]);
    reuse_done(&r);
}

static void test_against_definition(void **state)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint64_t trace[500];
        struct reuse r = {0};
        struct rng rng;
        rng_seed(&rng, seed);
        for (size_t i = 0; i < 500; i++) {
            trace[i] = rng_below(&rng, 10 + 30 * seed);
            assert_int_equal(reuse_touch(&r, trace[i]), count_distinct(trace, i));
        }
        reuse_done(&r);
    }
}

/* Compares the distances of loops, strides and random lines with the stack's. The traces are long
 * enough for many renumberings of stamps. */
static void test_against_stack(void **state)
{
    struct stack *s = calloc(1, sizeof *s);
    struct reuse r = {0};
    struct rng rng;
    rng_seed(&rng, 11);
    for (uint64_t i = 0; i < 400000; i++) {
        uint64_t phase = i / 50000, line = phase % 4 == 0   ? i % 3000
                                           : phase % 4 == 1 ? rng_below(&rng, 1000)
                                           : phase % 4 == 2 ? i * 17 % 4001
                                                            : i % 20;
        line = rng_below(&rng, 50) ? line : rng_below(&rng, 6000);
        uint64_t mine = reuse_touch(&r, line << 20), its = stack_touch(s, line << 20);
        if (mine != its)
            fail_msg("access %llu: %llu instead of %llu", (unsigned long long)i,
                     (unsigned long long)mine, (unsigned long long)its);
    }
    assert_false(r.exhausted);
    reuse_done(&r);
    free(s);
}

/* A jump out of reuse_touch may leave any state. Sums, bitmap and numbers are derived again. This
 * includes a line that is in the short list twice, or is in it and has a stamp. */
static void test_torn(void **state)
{
    struct stack *s = calloc(1, sizeof *s);
    struct reuse r = {0};
    struct rng rng;
    rng_seed(&rng, 12);
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t line = rng_below(&rng, rng_below(&rng, 2) ? 3000 : 30);
        if (i % 100 == 99) {
            r.torn = true;
            r.marked = rng_below(&rng, 5000);
            r.next_stamp += rng_below(&rng, 2);
            r.table_used -= rng_below(&rng, 2);
            r.bits[rng_below(&rng, r.stamps / 64)] ^= (uint64_t)1 << rng_below(&rng, 64);
            r.sums[1 + rng_below(&rng, r.stamps / 64)] -= 7;
            /* This is the shift by a use of the last line, interrupted after some steps. */
            if (i % 200 == 199) {
                line = r.recent[REUSE_RECENT - 1] - 1;
                uint64_t next = r.recent[0], here;
                r.recent[0] = line + 1;
                for (unsigned k = 1; k < 1 + i / 200 % (REUSE_RECENT - 1); k++, next = here) {
                    here = r.recent[k];
                    r.recent[k] = next;
                }
                /* The line at the hole is lost, so its next use is a first one. */
                size_t at = s->count;
                while (s->lines[at - 1] + 1 != next)
                    at--;
                memmove(&s->lines[at - 1], &s->lines[at], (s->count - at) * sizeof *s->lines);
                s->count--;
                stack_touch(s, line);
            }
        }
        /* A hole at the end of the short list counts as a line until it leaves the list. */
        const uint64_t last = r.recent[REUSE_RECENT - 1], hole = !last || last == r.recent[0];
        const uint64_t mine = reuse_touch(&r, line), its = stack_touch(s, line);
        if (mine != its && !(hole && mine == its + 1))
            fail_msg("access %llu: %llu instead of %llu", (unsigned long long)i,
                     (unsigned long long)mine, (unsigned long long)its);
    }
    assert_false(r.exhausted);
    reuse_done(&r);
    free(s);
}

/* Memory depends only on the number of lines. */
static void test_memory_follows_lines(void **state)
{
    struct reuse few = {0}, many = {0};
    struct rng rng;
    rng_seed(&rng, 2);
    for (int i = 0; i < 20000; i++)
        reuse_touch(&few, rng_below(&rng, 3000));
    for (int i = 0; i < 2000000; i++)
        reuse_touch(&many, rng_below(&rng, 3000));
    assert_int_equal(few.table_size, many.table_size);
    assert_int_equal(few.stamps, many.stamps);
    assert_true(many.stamps <= 1 << 16);
    reuse_done(&few);
    reuse_done(&many);
}

/* Samples one line in eight and multiplies its distances by eight. The mean and eight times the
 * number of references agree with those of all lines. */
static void test_sampling(void **state)
{
    struct reuse exact = {0}, some = {.sample_mask = 7};
    double sum[2] = {0}, count[2] = {0};
    struct rng rng;
    rng_seed(&rng, 3);
    for (int i = 0; i < 300000; i++) {
        uint64_t line = rng_below(&rng, 20000),
                 d[2] = {reuse_touch(&exact, line), reuse_touch(&some, line)};
        for (int k = 0; k < 2; k++)
            if (d[k] < REUSE_UNSAMPLED) {
                sum[k] += (double)(k ? 8 * d[k] : d[k]);
                count[k]++;
            }
    }
    assert_true(count[1] * 8 > 0.95 * count[0] && count[1] * 8 < 1.05 * count[0]);
    assert_true(sum[1] / count[1] > 0.95 * sum[0] / count[0] &&
                sum[1] / count[1] < 1.05 * sum[0] / count[0]);
    reuse_done(&exact);
    reuse_done(&some);
}

static void test_bins(void **state)
{
    for (uint64_t d = 0; d < 16; d++)
        assert_int_equal(reuse_bin_of(d), d);
    assert_int_equal(reuse_bin_of(16), 16);
    assert_int_equal(reuse_bin_of(17), 16);
    assert_int_equal(reuse_bin_of(18), 17);
    assert_int_equal(reuse_bin_of(31), 23);
    assert_int_equal(reuse_bin_of(32), 24);
    assert_int_equal(reuse_bin_of(UINT64_MAX), REUSE_BIN_COLD);
    assert_int_equal(reuse_bin_of(UINT64_MAX / 2), REUSE_BIN_COLD - 1);
    for (uint64_t d = 1; d < 100000; d++)
        assert_in_range(reuse_bin_of(d) - reuse_bin_of(d - 1), 0, 1);
}

/* Each set is a separate stack. A reference misses if its line's position is at or beyond the
 * number of ways. Only misses reach the second level. */
static void test_sets(void **state)
{
    static struct stack stacks[2][16];
    static const struct { size_t sets, ways; } shapes[] = {{8, 4}, {16, 6}};
    struct sets s = {.count = 0};
    uint64_t missed[2] = {0, 0};
    struct rng rng;

    assert_false(sets_begin(&s, "") || sets_begin(&s, "8") || sets_begin(&s, "8x") ||
                 sets_begin(&s, "0x4") || sets_begin(&s, "8x4;2x2") ||
                 sets_begin(&s, "8x4,8x4,8x4,8x4"));
    assert_true(sets_begin(&s, "8x4,16x6") && s.count == 2);
    rng_seed(&rng, 3);
    for (int i = 0; i < 20000; i++) {
        uint64_t line = rng_below(&rng, 30) + rng_below(&rng, 90);
        bool reaches = true;
        for (size_t l = 0; l < 2 && reaches; l++) {
            reaches = stack_touch(&stacks[l][line % shapes[l].sets], line) >= shapes[l].ways;
            missed[l] += reaches;
        }
        sets_touch(&s, line, line);
        assert_true(s.levels[0].misses == missed[0] && s.levels[1].misses == missed[1]);
    }
    assert_true(missed[1] > 1000 && missed[1] < missed[0]);
    /* An access across two lines misses at most once. */
    sets_touch(&s, 1000, 1001);
    assert_true(s.levels[0].misses == missed[0] + 1 && s.levels[1].misses == missed[1] + 1);
    sets_touch(&s, 1000, 1001);
    assert_true(s.levels[0].misses == missed[0] + 1);
}

/* By hand: one load reads x[i], x[i + 1], x[i - 1], x[i + n] and x[i - n] in rows of n times 8
 * bytes. Each of the three rows is a stream. From its second line on, all new lines are steps.
 * Random lines of an area of 64 MiB are no steps. */
static void test_streams(void **state)
{
    const int64_t n = 512, around[] = {0, 1, -1, n, -n};
    struct steps s = {0};
    uint64_t first = 0, later = 0;

    for (int64_t i = n; i < 3 * n; i++)
        for (size_t k = 0; k < 5; k++) {
            uint64_t address = 0x100000 + 8 * (uint64_t)(i + around[k]),
                     new_line = (k != 1 && k != 2 && i % 8 == 0) || (k == 1 && i % 8 == 7);
            uint64_t step = steps_next(&s, address);
            if (new_line && step == STEPS_NONE)
                i == n ? first++ : later++;
        }
    assert_int_equal(first, 3);    /* This is the first line of each row. */
    assert_int_equal(later, 0);

    s = (struct steps){0};
    struct rng rng;
    size_t steps = 0;
    rng_seed(&rng, 7);
    for (size_t i = 0; i < 10000; i++)
        steps += steps_next(&s, 64 * (uint64_t)rng_below(&rng, 1 << 20)) != STEPS_NONE;
    /* probability that a line is adjacent to one of eight: 10,000 * 16 / 2^20 = 0.15 */
    assert_true(steps < 10);

    s = (struct steps){0};
    steps_next(&s, 4096);
    assert_int_equal(steps_next(&s, 4096 + 640), STEPS_NONE);
    assert_int_equal(steps_next(&s, 4096 + 1280), 640);     /* This is the same step again. */
    assert_int_equal(steps_next(&s, 4096 + 1280), 0);
    /* This is the line below that of the second access, because a stream may descend. */
    assert_int_equal(steps_next(&s, 4096 + 576), 64);
    for (uint64_t i = 1; i <= STEPS_HEADS; i++)
        steps_next(&s, 4096 + i * i * 100000);
    /* Too many other lines were accessed since then. */
    assert_int_equal(steps_next(&s, 4096 + 512), STEPS_NONE);
}

/* Lines are among the latest ones until as many others have left the short list. Oracle: the list
 * of all uses. Lines that were never used are not. */
static void test_lately(void **state)
{
    enum { USES = 3000, WITHIN = 40 };
    uint64_t uses[USES];
    struct reuse r = {.torn = false};
    struct rng rng;

    assert_false(reuse_lately(&r, 5, WITHIN));
    rng_seed(&rng, 11);
    for (size_t i = 0; i < USES; i++) {
        uses[i] = 100 + rng_below(&rng, 400);
        reuse_touch(&r, uses[i]);
        const uint64_t line = 90 + rng_below(&rng, 420);
        size_t distinct = 0, k = i + 1;
        /* counts the distinct lines since the last use of the line */
        while (k > 0 && uses[k - 1] != line) {
            bool again = false;
            for (size_t j = k; j <= i; j++)
                again |= uses[j] == uses[k - 1];
            distinct += !again;
            k--;
        }
        /* lines that are used again leave the short list twice */
        if (k == 0 || distinct >= REUSE_RECENT + WITHIN)
            assert_false(reuse_lately(&r, line, WITHIN));
        else if (distinct < REUSE_RECENT)
            assert_true(reuse_lately(&r, line, WITHIN));
        else if (i - k < WITHIN)
            assert_true(reuse_lately(&r, line, WITHIN));
    }
    reuse_done(&r);

    /* two arrays, each read by its own instructions in turn */
    r = (struct reuse){.torn = false};
    for (uint64_t line = 1000; line < 1100; line++)
        for (uint64_t array = 0; array < 2; array++) {
            const uint64_t distance = reuse_touch(&r, line + 5000 * array);
            assert_true(distance == REUSE_COLD);
            assert_true(reuse_continues(&r, line + 5000 * array, distance) == (line > 1000));
        }
    assert_false(reuse_continues(&r, 1050, REUSE_APART - 1));
    assert_false(reuse_continues(&r, 1000, REUSE_COLD));   /* line 999 was never used */
    assert_false(reuse_continues(&r, 0, REUSE_COLD));
    reuse_done(&r);
}

/* Returns the share of mispredictions in the last half of @n outcomes. */
static double wrong_share(int (*outcome)(size_t i, struct rng *rng), size_t n)
{
    struct branches *b = calloc(1, sizeof *b);
    struct rng rng;
    size_t wrong = 0;

    assert_non_null(b);
    rng_seed(&rng, 3);
    for (size_t i = 0; i < n; i++)
        wrong += (size_t)branches_mispredicted(b, 77, outcome(i, &rng)) * (i >= n / 2);
    free(b);
    return (double)wrong / (double)(n - n / 2);
}

static int always(size_t i, struct rng *rng) { (void)rng; return i < SIZE_MAX; }
static int of_seven(size_t i, struct rng *rng) { (void)rng; return i % 7 < 3; }
static int of_thirty(size_t i, struct rng *rng) { (void)rng; return i % 30 > 0; }
static int of_thousand(size_t i, struct rng *rng) { (void)rng; return i % 1000 > 0; }
static int half(size_t i, struct rng *rng) { (void)i; return rng_unit(rng) < 0.5; }
static int tenth(size_t i, struct rng *rng) { (void)i; return rng_unit(rng) < 0.1; }

/* Patterns within the history are learnt. Ends of long loops are mispredicted once. Of independent
 * outcomes, at best the more frequent one can be predicted. */
static void test_branches(void **state)
{
    assert_true(wrong_share(always, 1000) == 0);
    assert_true(wrong_share(of_seven, 20000) < 0.001);
    assert_true(wrong_share(of_thirty, 20000) < 0.001);
    assert_float_equal(wrong_share(of_thousand, 100000), 0.001, 0.0002);
    assert_float_equal(wrong_share(half, 100000), 0.5, 0.02);
    assert_float_equal(wrong_share(tenth, 100000), 0.12, 0.03);
}

static void test_targets(void **state)
{
    struct branches *b = calloc(1, sizeof *b);
    struct rng rng;
    size_t wrong = 0, wrong_at_random = 0;

    assert_non_null(b);
    rng_seed(&rng, 5);
    for (size_t i = 0; i < 20000; i++)
        wrong += (size_t)branches_target_mispredicted(b, 7, 0x401000 + 16 * (i * i % 5)) *
                 (i >= 10000);
    assert_int_equal(wrong, 0);
    for (size_t i = 0; i < 20000; i++)
        wrong_at_random +=
            (size_t)branches_target_mispredicted(b, 9, 0x401000 + rng_below(&rng, 4));
    assert_float_equal((double)wrong_at_random / 20000, 0.75, 0.03);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),       cmocka_unit_test(test_branches),
        cmocka_unit_test(test_torn),
        cmocka_unit_test(test_by_hand),       cmocka_unit_test(test_against_definition),
        cmocka_unit_test(test_against_stack), cmocka_unit_test(test_memory_follows_lines),
        cmocka_unit_test(test_sampling),      cmocka_unit_test(test_bins),
        cmocka_unit_test(test_sets),          cmocka_unit_test(test_streams),
        cmocka_unit_test(test_lately),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
