/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/islands.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "work/pool.h"

#define POPULATION_LEAST 2         /* minimum number of individuals per island, for recombination */
#define INTERVAL_SHARE (1 / 30.)   /* fraction of the run's time between two migrations */
#define INTERVAL_LEAST 0.5         /* minimum seconds between two migrations */
#define INTERVAL_MOST 30
/* number of unsent messages to an island from which on migrants to it are dropped */
#define WAITING_MOST 2
#define WAIT 0.05                  /* seconds between polls for messages */

/* Factors of the prices on the islands after rank 0, used cyclically. The same usage therefore has
 * a lower price on some islands than on others. */
static const double factors[] = {0.8, 1.25, 1, 0.64, 1.56};

/* Settings that rank 0 sends to the other islands */
struct island_control {
    bool paused, stopped;
    double seconds, volume_weight;
    unsigned generations;
    struct anneal_prices prices;
};

struct islands {
    /* number of the run, which distinguishes late messages of other runs */
    uint64_t run;
    enum evolve_migration migration;
    /* @interval: seconds between migrations. @sent: clock_wall() at the last migration. */
    double interval, sent;
    double factor;                 /* factor of the prices on this island */
    bool announced;                /* rank 0: whether the number of ports was announced */
    struct island_control control; /* rank 0: last sent settings */
    unsigned finished;             /* rank 0: number of islands that have ended */
    struct rng rng;
};

static double interval_of(const struct evolve_options *o)
{
    if (o->migration_seconds > 0)
        return o->migration_seconds;
    return fmin(fmax(o->seconds * INTERVAL_SHARE, INTERVAL_LEAST), INTERVAL_MOST);
}

bool islands_reserve(struct evolve_options *o)
{
    if (o->algorithm != EVOLVE_MEMETIC || !ranks_claim())
        return false;
    if (o->population_each)
        return true;
    unsigned population = o->population ? o->population : EVOLVE_POPULATION;
    population = (population + ranks_count() - 1) / ranks_count();
    o->population = population > POPULATION_LEAST ? population : POPULATION_LEAST;
    return true;
}

static struct islands *islands_new(uint64_t run, const struct evolve_options *o)
{
    struct islands *is = mem_zero(1, sizeof *is);
    unsigned rank = ranks_index();

    is->run = run;
    is->migration = o->migration;
    is->interval = interval_of(o);
    is->sent = clock_wall();
    is->factor = rank ? factors[(rank - 1) % (sizeof factors / sizeof *factors)] : 1;
    rng_seed(&is->rng, o->seed ^ run ^ (uint64_t)rank << 32);
    return is;
}

static void send_to_others(enum rank_kind kind, const struct str *bytes)
{
    for (unsigned rank = 1; rank < ranks_count(); rank++)
        ranks_send(rank, kind, bytes);
}

static struct island_control control_of(struct evolve *e, bool stopped)
{
    struct evolve_options o;
    struct evolve_status status;

    evolve_get_options(e, &o);
    evolve_get_status(e, &status);
    return (struct island_control){.paused = status.state == EVOLVE_PAUSED,
                                   .stopped = stopped,
                                   .seconds = o.seconds,
                                   .volume_weight = o.volume_weight,
                                   .generations = o.generations,
                                   .prices = o.prices};
}

static bool same_control(const struct island_control *a, const struct island_control *b)
{
    return a->paused == b->paused && a->stopped == b->stopped && a->seconds == b->seconds &&
           a->volume_weight == b->volume_weight && a->generations == b->generations &&
           a->prices.uop == b->prices.uop && a->prices.volume == b->prices.volume &&
           a->prices.usage == b->prices.usage;
}

static void tell(struct islands *is, const struct island_control *control)
{
    struct str bytes = {0};

    if (same_control(control, &is->control))
        return;
    is->control = *control;
    pack_count(&bytes, is->run);
    pack_array(&bytes, control, 1, sizeof *control);
    send_to_others(RANK_CONTROL, &bytes);
    str_done(&bytes);
}

static void obey(const struct islands *is, struct evolve *e, struct unpacking *from)
{
    struct island_control c;
    struct err err = {0};

    unpack_array(from, &c, 1, sizeof c);
    if (from->broken)
        return;
    const struct { const char *name; double value;
    } values[] = {
        {"seconds", c.seconds},
        {"generations", c.generations},
        {"volume-weight", c.volume_weight},
        {"uop-price", is->factor * c.prices.uop},
        {"volume-price", is->factor * c.prices.volume},
        {"usage-price", is->factor * c.prices.usage},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        evolve_set(e, values[i].name, values[i].value, &err);
    evolve_pause(e, c.paused);
    if (c.stopped)
        evolve_stop(e);
}

struct islands *islands_start(const struct problem *p, const struct evolve_options *o,
                              struct genome *const *from, size_t count)
{
    static uint64_t runs;
    struct islands *is = islands_new(++runs, o);
    struct str bytes = {0};

    is->control = (struct island_control){.seconds = o->seconds,
                                          .volume_weight = o->volume_weight,
                                          .generations = o->generations,
                                          .prices = o->prices};
    pack_count(&bytes, is->run);
    pack_array(&bytes, o, 1, sizeof *o);
    pack_number(&bytes, isnan(o->begun) ? 0 : clock_seconds() - o->begun);
    problem_pack(p, &bytes);
    pack_count(&bytes, count);
    for (size_t i = 0; i < count; i++)
        genome_pack(from[i], &bytes);
    send_to_others(RANK_EVOLVE, &bytes);
    str_done(&bytes);
    return is;
}

/* Handles a message of another island. Ignores messages of other runs. */
static void take(struct islands *is, struct evolve *e, const struct rank_message *m)
{
    struct unpacking from = {m->bytes.data, m->bytes.length, false};
    struct problem *p = evolve_problem(e);
    size_t forms = p->forms;
    struct anneal_stats stats;
    struct genome *g = NULL;

    problem_free(p);
    if (unpack_count(&from) != is->run)
        return;
    switch (m->kind) {
    case RANK_CONTROL:
        obey(is, e, &from);
        break;
    case RANK_MIGRANT:
    case RANK_PORTS:
        if ((g = genome_unpack(&from, forms)))
            (m->kind == RANK_PORTS ? evolve_settle(e, g) : (void)evolve_immigrate(e, g));
        break;
    case RANK_FINISHED:
        is->finished++;
        unpack_array(&from, &stats, 1, sizeof stats);
        evolve_credit(e, &stats);
        if (unpack_count(&from) && (g = genome_unpack(&from, forms)))
            evolve_immigrate(e, g);
        break;
    default:
        break;
    }
    genome_free(g);
}

static void take_all(struct islands *is, struct evolve *e, double seconds)
{
    struct rank_message m = {0};

    for (; ranks_receive(seconds, &m); seconds = 0)
        take(is, e, &m);
    rank_message_done(&m);
}

/* Sends the best mapping, if there is one, in a message of @kind to rank @to. If @to is this rank,
 * sends the message to all other ranks. */
static void send_best(const struct islands *is, struct evolve *e, enum rank_kind kind, unsigned to)
{
    struct genome *best = evolve_best(e, NULL);
    struct str bytes = {0};

    if (!best)
        return;
    pack_count(&bytes, is->run);
    genome_pack(best, &bytes);
    if (to == ranks_index())
        send_to_others(kind, &bytes);
    else
        ranks_send(to, kind, &bytes);
    str_done(&bytes);
    genome_free(best);
}

static void migrate(struct islands *is, struct evolve *e)
{
    unsigned ranks = ranks_count(), own = ranks_index(), to = (own + 1) % ranks;
    double now = clock_wall();

    if (is->migration == MIGRATION_NONE || now - is->sent < is->interval)
        return;
    is->sent = now;
    if (is->migration == MIGRATION_RANDOM)
        to = (own + 1 + (unsigned)rng_below(&is->rng, ranks - 1)) % ranks;
    if (ranks_unsent(to) < WAITING_MOST)
        send_best(is, e, RANK_MIGRANT, to);
}

void islands_poll(struct islands *is, struct evolve *e)
{
    take_all(is, e, 0);
    if (ranks_index() == 0) {
        struct evolve_status status;
        struct island_control control = control_of(e, false);
        evolve_get_status(e, &status);
        if (status.ports && !is->announced) {
            is->announced = true;
            send_best(is, e, RANK_PORTS, 0);
        }
        tell(is, &control);
    }
    migrate(is, e);
}

void islands_gather(struct islands *is, struct evolve *e, bool (*over)(const void *),
                    const void *state)
{
    while (is->finished + 1 < ranks_count()) {
        struct island_control control = control_of(e, !over || over(state));
        tell(is, &control);
        take_all(is, e, WAIT);
    }
    free(is);
    ranks_release();
}

/* State of an island on a rank other than rank 0 */
struct shore {
    struct islands *is;
    struct evolve *e;
};

static void poll_shore(void *state)
{
    struct shore *shore = state;
    islands_poll(shore->is, shore->e);
}

static void work(void *state, unsigned worker)
{
    struct shore *shore = state;
    evolve_worker(shore->e, worker, poll_shore, shore);
}

/* Reports the end to rank 0, even if no run was started, because rank 0 waits for each island. */
static void finish(const struct islands *is, struct evolve *e)
{
    struct evolve_status status = {0};
    struct genome *best = e ? evolve_best(e, NULL) : NULL;
    struct str bytes = {0};

    if (e)
        evolve_get_status(e, &status);
    pack_count(&bytes, is->run);
    pack_array(&bytes, &status.stats, 1, sizeof status.stats);
    pack_count(&bytes, best != NULL);
    if (best)
        genome_pack(best, &bytes);
    ranks_send(0, RANK_FINISHED, &bytes);
    str_done(&bytes);
    genome_free(best);
}

static void run_island(struct islands *is, struct problem *p, const struct evolve_options *o,
                       struct genome *const *from, size_t count, struct err *err)
{
    struct shore shore = {is, evolve_new(p, o, from, count, err)};

    if (shore.e && !team_run(o->threads, work, &shore, err))
        evolve_abandon(shore.e);
    finish(is, shore.e);
    evolve_free(shore.e);
}

void islands_serve(const struct rank_message *start)
{
    struct unpacking from = {start->bytes.data, start->bytes.length, false};
    struct evolve_options o;
    struct err err = {0};
    uint64_t run = unpack_count(&from);
    char text[1024];
    size_t known = 0;

    unpack_array(&from, &o, 1, sizeof o);
    o.begun = clock_seconds() - unpack_number(&from);
    o.seed += ranks_index() * 0xd1342543de82ef95u;
    struct problem *p = problem_unpack(&from, &err);
    uint64_t count = unpack_count(&from);
    count = unpack_holds(&from, count, 1) ? count : 0;
    struct genome **genomes = mem_zero(count + 1, sizeof *genomes);
    while (p && known < count && (genomes[known] = genome_unpack(&from, p->forms)))
        known++;
    struct islands *is = islands_new(run, &o);
    o.prices.uop *= is->factor;
    o.prices.volume *= is->factor;
    o.prices.usage *= is->factor;
    if (p && known == count)
        run_island(is, p, &o, genomes, known, &err);
    else
        finish(is, NULL);
    if (err.code != ERR_NONE)
        log_add(LOG_ERROR, "rank %u: %s", ranks_index(), err_text(&err, text, sizeof text));
    while (known > 0)
        genome_free(genomes[--known]);
    free(genomes);
    problem_free(p);
    free(is);
}
