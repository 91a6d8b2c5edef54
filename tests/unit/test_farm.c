/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both sides of work over several ranks. A test launcher delivers messages at chosen times.
 * Discarded work ends, a run whose other islands are busy is stopped, and a checkpoint contains the
 * population before the end. tests/tty/test_ranks.sh tests the real launcher. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/vec.h"
#include "cmd/session.h"
#include "io/experiments_file.h"
#include "io/population_file.h"
#include "work/evolve_job.h"
#include "work/farm.h"
#include "work/job.h"
#include "../support/support.h"

/* Number of empty polls of 1 ms each after which the launcher reports a hang and the test fails. */
#define PATIENCE (1000 * HANG_SECONDS)

static struct launcher {
    unsigned index;
    bool busy;
    VEC(struct rank_message) to_come;
    _Atomic unsigned sent[RANK_RESULT + 1];
    struct str last[RANK_RESULT + 1];   /* last message of each kind */
    void (*when_sent)(enum rank_kind kind, const struct str *bytes);
    void (*when_nothing)(void);
    unsigned empty;
} launcher;

static void begin(unsigned index)
{
    for (size_t i = 0; i < launcher.to_come.count; i++)
        str_done(&launcher.to_come.items[i].bytes);
    vec_done(&launcher.to_come);
    for (size_t i = 0; i <= RANK_RESULT; i++)
        str_done(&launcher.last[i]);
    launcher = (struct launcher){.index = index};
}

static void comes(enum rank_kind kind, const struct str *bytes)
{
    struct rank_message m = {.from = 1 - launcher.index, .kind = kind};
    str_add_bytes(&m.bytes, bytes->data, bytes->length);
    vec_push(&launcher.to_come, m);
}

static void comes_empty(enum rank_kind kind)
{
    comes(kind, &(struct str){0});
}

bool ranks_begin(int *argc, char ***argv, struct err *err)
{
    return true;
}

void ranks_end(void)
{
}

bool ranks_launched(void)
{
    return true;
}

unsigned ranks_count(void)
{
    return 2;
}

unsigned ranks_index(void)
{
    return launcher.index;
}

unsigned ranks_share(unsigned processors)
{
    return processors;
}

void ranks_send(unsigned to, enum rank_kind kind, const struct str *bytes)
{
    assert_int_equal(to, 1 - launcher.index);
    str_clear(&launcher.last[kind]);
    str_add_bytes(&launcher.last[kind], bytes->data, bytes->length);
    launcher.sent[kind]++;
    if (launcher.when_sent)
        launcher.when_sent(kind, bytes);
}

size_t ranks_unsent(unsigned to)
{
    return 0;
}

bool ranks_receive(double seconds, struct rank_message *out)
{
    if (!launcher.to_come.count && seconds > 0) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        if (++launcher.empty == PATIENCE && launcher.when_nothing)
            launcher.when_nothing();
    }
    if (!launcher.to_come.count)
        return false;
    str_done(&out->bytes);
    *out = launcher.to_come.items[0];
    memmove(launcher.to_come.items, launcher.to_come.items + 1,
            --launcher.to_come.count * sizeof *out);
    return true;
}

void rank_message_done(struct rank_message *m)
{
    str_done(&m->bytes);
}

bool ranks_claim(void)
{
    return !launcher.busy;
}

void ranks_release(void)
{
}

/* Delivers the other rank's result only after the message that discards it. */
static void result_when_dropped(enum rank_kind kind, const struct str *bytes)
{
    struct str result = {0};

    if (kind != RANK_DROP)
        return;
    pack_count(&result, 0);
    pack_text(&result, "dropped");
    pack_text(&result, "");
    comes(RANK_RESULT, &result);
    str_done(&result);
}

static void result_at_last(void)
{
    struct str result = {0};
    pack_count(&result, 1);
    comes(RANK_RESULT, &result);
    str_done(&result);
}

static bool after_three(void *state)
{
    return ++*(unsigned *)state > 3;
}

static void test_waiting_for_results_is_cancelled(void **state)
{
    unsigned asked = 0;
    struct err err = {0};

    begin(0);
    launcher.when_sent = result_when_dropped;
    launcher.when_nothing = result_at_last;
    struct farm *f = farm_new(RANK_SCAN, 1, &(struct str){0},
                              &(struct farm_taking){.cancelled = after_three, .state = &asked});
    assert_non_null(f);
    assert_false(farm_end(f, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_int_equal(launcher.sent[RANK_DROP], 1);
    assert_true(launcher.empty < PATIENCE);
    /* A regular end discards nothing. */
    begin(0);
    err = (struct err){0};
    f = farm_new(RANK_SCAN, 1, &(struct str){0}, &(struct farm_taking){0});
    result_at_last();
    assert_true(farm_end(f, &err));
    assert_int_equal(launcher.sent[RANK_DROP], 0);
}

/* A rank's part of three pieces. The first one runs until it is discarded. */
static struct {
    struct farmhand *hand;
    unsigned begun;
    bool dropped;
} part;

static void *open_part(struct farmhand *hand, struct unpacking *setup, unsigned workers,
                       struct err *err)
{
    part.hand = hand;
    return &part;
}

static bool long_piece(void *state, unsigned worker, struct unpacking *piece, struct str *answer,
                       struct err *err)
{
    if (part.begun++ || !part.dropped)
        return true;
    comes_empty(RANK_DROP);
    for (unsigned i = 0; i < PATIENCE; i++)
        if (farm_cancelled(part.hand))
            return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    return true;
}

static bool close_part(void *state, struct str *result, struct err *err)
{
    return true;
}

static void free_part(void *state)
{
}

static void serve(bool dropped)
{
    static const struct farm_work work = {open_part, long_piece, close_part, free_part};
    struct rank_message setup = {.kind = RANK_SCAN};

    begin(1);
    part.begun = 0;
    part.dropped = dropped;
    for (int i = 0; i < 3; i++)
        comes_empty(RANK_PIECE);
    comes_empty(RANK_NO_MORE);
    pack_count(&setup.bytes, 1);
    farm_serve(&setup, &work);
    str_done(&setup.bytes);
    assert_int_equal(launcher.sent[RANK_RESULT], 1);
}

static void test_a_rank_drops_its_pieces(void **state)
{
    serve(true);
    assert_int_equal(part.begun, 1);
    serve(false);
    assert_int_equal(part.begun, 3);
    assert_int_equal(launcher.to_come.count, 0);
}

static const char few[] =
    "experiment,cycles\nA,1\nB,0.5\nC,0.5\n2*A + B,2\nA + B,1\nA + C,1\nB + C,1\n";

/* The other island ends without a result. */
static void island_ends(void)
{
    struct unpacking start = {launcher.last[RANK_EVOLVE].data, launcher.last[RANK_EVOLVE].length,
                              false};
    struct anneal_stats none = {0};
    struct str bytes = {0};

    pack_count(&bytes, unpack_count(&start));
    pack_array(&bytes, &none, 1, sizeof none);
    pack_count(&bytes, 0);
    comes(RANK_FINISHED, &bytes);
    str_done(&bytes);
}

static _Atomic bool stopped;

static void island_ends_on_control(enum rank_kind kind, const struct str *bytes)
{
    if (kind == RANK_CONTROL && atomic_load(&stopped))
        island_ends();
}

/* The rank's own part has reached its generations. Then the run is stopped. */
static void test_stop_reaches_islands_that_go_on(void **state)
{
    struct evolve_options o;
    struct evolve_status status;
    struct err err = {0};

    begin(0);
    launcher.when_sent = island_ends_on_control;
    launcher.when_nothing = island_ends;
    work_put("few.csv", few);
    struct experiments *t = experiments_load(work_path("few.csv"), &err);
    assert_non_null(t);
    evolve_defaults(&o);
    o.ports = 3;
    o.threads = 1;
    o.population = 4;
    o.generations = 1;
    o.price_scale = 1;
    struct evolve_run *run = evolve_run_start(
        &(struct evolve_start){.take_problem = problem_new(t, NULL, &err)}, &o, &err);
    assert_non_null(run);
    assert_int_equal(run->ranks, 2);
    const struct hang h = hang_begin("the run does not end");
    do {
        hang_look(&h);
        evolve_get_status(run->evolve, &status);
    } while (status.state != EVOLVE_DONE);
    assert_int_equal(status.state, EVOLVE_DONE);
    atomic_store(&stopped, true);
    evolve_stop(run->evolve);
    evolve_run_wait(run);
    assert_true(launcher.empty < PATIENCE);
    evolve_run_free(run);
    experiments_free(t);
}

static unsigned population_of(const struct session *s)
{
    struct evolve_options o;
    evolve_get_options(s->document.runs[s->document.run_count - 1]->evolve, &o);
    return o.population;
}

static void must(struct session *s, const char *line)
{
    struct str text = {0};
    struct err err = {0};

    work_expand(line, &text);
    if (!run_line(s, str_text(&text), NULL, &err))
        fail_msg("%s: %s", str_text(&text), err.what);
    str_done(&text);
}

/* Ten forms with times that no mapping explains, so individuals converge to different mappings. */
static void put_uneven(const char *file)
{
    struct str text = {0};

    str_add(&text, "experiment,cycles\n");
    for (unsigned i = 0; i < 10; i++) {
        str_addf(&text, "%c,%g\n", 'A' + i, 0.5 + 0.37 * (i * 7 % 10));
        for (unsigned k = 0; k < i; k++)
            str_addf(&text, "%c + %c,%g\n", 'A' + k, 'A' + i, 1 + 0.29 * ((i * 5 + k * 3) % 11));
    }
    work_put(file, str_text(&text));
    str_done(&text);
}

/* A checkpoint contains the rank's island, whether other ranks take part or are busy with other
 * work. */
static void test_a_checkpoint_keeps_its_population(void **state)
{
    struct session s;
    struct population kept;
    struct err err = {0};

    begin(0);
    put_uneven("uneven.csv");
    session_init(&s);
    launcher.busy = true;
    must(&s, "experiments load @/uneven.csv; evolve start --ports 3 --generations 1 --population 6 "
             "--threads 1 --checkpoint @/run.json; evolve wait");
    assert_true(population_load(work_path("run.json"), &kept, &err));
    const unsigned count = (unsigned)kept.count;
    population_done(&kept);
    assert_true(count > 3);   /* individuals left after duplicates were merged */
    struct str text = {0};
    assert_true(file_read(work_path("run.json"), 1 << 20, &text, &err));
    work_put("again.json", str_text(&text));   /* A resumed run writes a new file. */
    str_done(&text);
    must(&s, "evolve resume @/run.json; evolve stop");
    assert_int_equal(population_of(&s), count);
    launcher.busy = false;
    atomic_store(&stopped, true);
    launcher.when_sent = island_ends_on_control;
    launcher.when_nothing = island_ends;
    must(&s, "evolve resume @/again.json; evolve stop");
    assert_int_equal(s.document.runs[s.document.run_count - 1]->ranks, 2);
    assert_int_equal(population_of(&s), count);
    session_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waiting_for_results_is_cancelled),
        cmocka_unit_test(test_a_rank_drops_its_pieces),
        cmocka_unit_test(test_stop_reaches_islands_that_go_on),
        cmocka_unit_test(test_a_checkpoint_keeps_its_population),
    };
    int failed = cmocka_run_group_tests_name("farm", tests, NULL, NULL);
    begin(0);
    job_shutdown();
    return failed;
}
