/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/venn.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "chart/joining.h"
#include "chart/saturate.h"
#include "chart/venn_rows.h"
#include "throughput/throughput.h"

#define SECOND_SETS 256      /* maximum number of candidate port sets of a second µop */
#define KEPT 32              /* maximum number of states kept after each joined form */
/* maximum number of ports; the widest known core has 18 that loops distinguish (Neoverse V2) */
#define PORTS_LIMIT 20
#define REPEATS_MOST 3       /* maximum number of µops on one set */
/* Number of ports by which a new set may exceed the issue width. Only other forms on the ports of
 * such a set reveal its size. */
#define ABOVE_WIDTH 1
#define DEVIATION_MOST 60.0
/* Mean squared deviation above which times scatter by more than noise. Prices are then multiplied
 * by the allowed deviation, because many small deviations must not justify a port. */
#define SCATTERED 1.0
#define PRICES_MOST 3.0
#define PORTS_ALLOWED 4      /* usual maximum number of new ports of a form (ports_allowed), to
                              * limit its price */
#define PORT_PRICE 6.0
#define SECOND_PRICE 4.0     /* price of a second port set of a form */
#define REPEAT_PRICE 1.0
/* Price of a µop without a slot, for a form that does not access memory. Such µops are rare, but
 * wide vectors use some execution units twice. */
#define DOUBLE_PRICE 6.0
/* Price of a port set that no other form has. Legacy and VEX vectors are never measured together,
 * so only this price makes them share ports. */
#define SET_PRICE 3.0
/* Price of a port that forms of another kind use, higher than that of a new port. With this price,
 * forms of two kinds share a port only if times show this. Without it, they would share ports
 * wherever the issue width hides a new port. */
#define SHARE_PRICE 7.0
#define PASSES 3
#define ASKED_EVERY 2048
/* maximum number of rounds of each kind: failed forms are tried before others, or all forms join
 * again */
#define ROUNDS 3
/* smallest reduction of the total cost for which a form's new usage is accepted */
#define ANEW_GAIN 3.0

struct venn_use {
    portset set[2];
    uint8_t count[2];
    uint8_t n;
    uint8_t slots;
    double price;                /* price of the usage without the cost of its times; rounded */
};

struct venn_state {
    unsigned ports;
    double cost;
    /* order of equal costs: index of the previous state, then serial number of the candidate */
    size_t order[2];
    struct venn_use use[VENN_FORMS_MOST];
};

struct venn {
    const struct venn_options *o;
    struct throughput *throughput;
    struct venn_rows known;
    bool placed[VENN_FORMS_MOST];
    struct venn_state *states;
    size_t state_count;
    size_t form;
    double prices;               /* factor on all prices */
    bool pairs;                  /* whether usages with two µops of different sets are tried */
    double bar;                  /* cost above which all threads drop a candidate */
    size_t done, total;          /* progress reported to @goes_on: steps done, and steps in total */
    struct venn_worker *workers;
    unsigned worker_count;
    atomic_bool over;
};

/* Working storage of one thread. It evaluates a batch of states and stores the best results in
 * @next. */
struct venn_worker {
    struct venn *v;
    unsigned number;
    struct joiner *joining;
    struct venn_state *next;
    size_t next_count;
    /* cost above which this thread drops a candidate: v->bar, or the largest cost in @next if that
     * is full */
    double bar;
    /* Whether costs are only recorded in @costs, which has the @cost_count lowest ones, sorted. A
     * full list lowers the bar. */
    bool sounding;
    double costs[KEPT];
    size_t cost_count;
    /* number of candidates that this thread evaluated, and number of calls of is_over */
    size_t offers, asked;
};

static double row_cycles(const struct venn *v, const struct venn_state *s,
                         const struct venn_row *row)
{
    struct mass masses[2 * VENN_TERMS_MOST];
    double slots = 0;
    size_t n = 0;

    for (unsigned i = 0; i < row->n; i++) {
        const struct venn_use *u = &s->use[row->terms[i].place];
        slots += (double)u->slots * row->terms[i].count;
        for (unsigned k = 0; k < u->n; k++)
            masses[n++] = (struct mass){u->set[k], u->count[k] * row->terms[i].count};
    }
    return fmax(slots / v->o->width, throughput_of_masses(v->throughput, masses, n));
}

static bool known_row(const struct venn *v, const struct venn_row *row)
{
    for (unsigned i = 0; i < row->n; i++)
        if (row->terms[i].place != v->form && !v->placed[row->terms[i].place])
            return false;
    return true;
}

static double row_price(const struct venn *v, const struct venn_state *s,
                        const struct venn_row *row)
{
    return joining_price(row_cycles(v, s, row), row->cycles, DEVIATION_MOST, row->limits);
}

static int by_cost(const void *a, const void *b)
{
    const struct venn_state *x = a, *y = b;

    if (x->cost != y->cost)
        return (x->cost > y->cost) - (x->cost < y->cost);
    unsigned at = x->order[0] == y->order[0];
    return (x->order[at] > y->order[at]) - (x->order[at] < y->order[at]);
}

/* Reduces w->next to the KEPT cheapest states. If the list is then full, lowers the bar to its
 * largest cost. */
static void keep_best(struct venn_worker *w)
{
    qsort(w->next, w->next_count, sizeof *w->next, by_cost);
    if (w->next_count > KEPT)
        w->next_count = KEPT;
    if (w->next_count == KEPT)
        w->bar = fmin(w->bar, w->next[KEPT - 1].cost);
}

/* Returns whether the search must end. Worker 0 polls the caller once in ASKED_EVERY calls. */
static bool is_over(struct venn_worker *w)
{
    struct venn *v = w->v;

    if (++w->asked % ASKED_EVERY == 0 && w->number == 0 &&
        !v->o->goes_on(v->o->state, v->done, v->total))
        v->over = true;
    return v->over;
}

/* Records the cost of a candidate if it is one of the KEPT lowest costs, and lowers the bar to
 * their largest. */
static void record_cost(struct venn_worker *w, double cost)
{
    size_t at = w->cost_count < KEPT ? w->cost_count++ : KEPT - 1;

    for (; at && w->costs[at - 1] > cost; at--)
        w->costs[at] = w->costs[at - 1];
    w->costs[at] = cost;
    if (w->cost_count == KEPT)
        w->bar = fmin(w->bar, w->costs[KEPT - 1]);
}

/* Returns the price of a usage with @ports new ports and the other prices @price, rounded like the
 * costs of times. Sums of prices and costs are then exact, so no bound excludes an equal cost. */
static double use_price(const struct venn *v, double price, unsigned ports)
{
    return residual_rounded(v->prices * (price + PORT_PRICE * ports));
}

/* Assumes usage @use for the joining form in state @at of v->states. Adds the resulting state, or
 * only records its cost while sounding. Does nothing if the cost exceeds the bar, or if the search
 * must end. @second: index of the second set. @ports: number of ports of the resulting state. */
static void offer(struct venn_worker *w, size_t at, struct venn_use use, size_t second,
                  unsigned ports, double price)
{
    struct venn *v = w->v;
    const struct venn_state *from = &v->states[at];

    w->offers++;
    if (is_over(w))
        return;
    use.price = use_price(v, price, ports - from->ports);
    double before = from->cost + use.price,
           cost = before + joining_cost(w->joining, second, use.slots, w->bar - before);
    if (cost > w->bar || cost == INFINITY)
        return;
    if (w->sounding) {
        record_cost(w, cost);
    } else {
        struct venn_state *to = &w->next[w->next_count++];
        *to = *from;
        to->use[v->form] = use;
        to->cost = cost;
        to->ports = ports;
        to->order[0] = at;
        to->order[1] = w->offers;
        if (w->next_count == 2 * KEPT)
            keep_best(w);
    }
}

/* Splits the ports of @s into regions of interchangeable ports in @out. Returns the number of
 * regions. */
static size_t regions_of(const struct venn *v, const struct venn_state *s, portset out[PORTS_LIMIT])
{
    size_t n = 0;

    for (unsigned p = 0; p < s->ports; p++) {
        size_t r = 0;
        for (; r < n; r++) {
            portset one = out[r] & -out[r], two = (portset)1 << p;
            bool alike = true;
            for (size_t f = 0; f < v->known.n && alike; f++)
                for (unsigned k = 0; v->placed[f] && k < s->use[f].n && alike; k++)
                    alike = !(s->use[f].set[k] & one) == !(s->use[f].set[k] & two);
            if (alike)
                break;
        }
        if (r == n)
            out[n++] = 0;
        out[r] |= (portset)1 << p;
    }
    return n;
}

static portset lowest(portset of, unsigned count)
{
    portset out = 0;
    for (; count; count--, of &= of - 1)
        out |= of & -of;
    return out;
}

static size_t add_set(portset set, portset *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (out[i] == set)
            return n;
    if (n < SECOND_SETS)
        out[n++] = set;
    return n;
}

/* Collects candidate sets of a second µop: the sets of placed forms (their number is *@own), unions
 * of two single ports, and sets of placed forms less one port. The last kind is for a load and an
 * operation that share a scheduler. The operation then uses only the ports of this scheduler (three
 * of four on Zen). Returns the number of sets. */
static size_t sets_of(const struct venn *v, const struct venn_state *s, const portset *regions,
                      size_t region_count, portset *out, size_t *own)
{
    size_t n = 0;

    for (size_t f = 0; f < v->known.n; f++)
        for (unsigned k = 0; v->placed[f] && k < s->use[f].n; k++)
            n = add_set(s->use[f].set[k], out, n);
    size_t known = *own = n;
    for (size_t i = 0; i < known; i++)
        for (size_t k = 0; k < i; k++)
            if (portset_size(out[i]) == 1 && portset_size(out[k]) == 1)
                n = add_set(out[i] | out[k], out, n);
    for (size_t i = 0; i < known; i++)
        for (size_t r = 0; r < region_count; r++) {
            portset without = regions[r] & -regions[r];
            if ((out[i] & without) && out[i] != without)
                n = add_set(out[i] & ~without, out, n);
        }
    return n;
}

/* Returns the ports of placed forms of other kinds that have a single µop set. */
static portset foreign_ports(const struct venn *v, const struct venn_state *s)
{
    portset out = 0;

    for (size_t f = 0; f < v->known.n; f++)
        if (v->placed[f] && s->use[f].n == 1 && v->known.kind[f] != v->known.kind[v->form])
            out |= s->use[f].set[0];
    return out;
}

/* A usage with which the form joins a state: @count µops on a new set composed from regions, and
 * possibly one µop on a known set */
struct venn_joining {
    struct venn_worker *w;
    struct venn *v;
    const struct venn_state *s;
    size_t at;               /* index of the state in v->states */
    portset regions[PORTS_LIMIT], sets[SECOND_SETS];
    size_t region_count, set_count, own_sets;
    portset foreign;         /* result of foreign_ports */
    unsigned count;
};

static double set_price(const struct venn_joining *j, portset set)
{
    for (size_t i = 0; i < j->own_sets; i++)
        if (j->sets[i] == set)
            return 0;
    return SET_PRICE;
}

/* Returns the slots of the joining form with usage @u. If experiments do not determine the number,
 * and the ports explain the time in isolation, returns one slot per µop. */
static uint8_t slots_of(const struct venn *v, const struct venn_use *u)
{
    double t = v->known.alone[v->form], most = 0;
    unsigned uops = 0;

    for (unsigned k = 0; k < u->n; k++) {
        most = fmax(most, (double)u->count[k] / portset_size(u->set[k]));
        uops += u->count[k];
    }
    most = fmax(most, (double)uops / portset_size(u->set[0] | u->set[1]));
    if (v->known.slots_known[v->form] || uops >= v->known.slots[v->form] ||
        t - most > 4 * sight_noise(SIGHT_NOISE, t))
        return v->known.slots[v->form];
    return (uint8_t)uops;
}

/* Returns the price of those of @uops µops that exceed the slots of the joining form; 0 for a form
 * that accesses memory. */
static double double_price(const struct venn *v, unsigned uops)
{
    unsigned slots = v->known.slots[v->form];
    return v->known.kind[v->form] == VENN_MEMORY || uops <= slots ? 0
                                                                  : DOUBLE_PRICE * (uops - slots);
}

static void join(struct venn_joining *j, portset set, unsigned ports)
{
    struct venn_use use = {.set = {set}, .count = {(uint8_t)j->count}, .n = 1};
    double price = REPEAT_PRICE * (j->count - 1) + set_price(j, set),
           t = j->v->known.alone[j->v->form], most = t + 4 * sight_noise(SIGHT_NOISE, t);
    const double least = j->s->cost + use_price(j->v, price, ports - j->s->ports),
                 most_bound = j->w->bar - least;

    if (is_over(j->w) || joining_first(j->w->joining, set, j->count, most_bound) > most_bound)
        return;
    use.slots = slots_of(j->v, &use);
    offer(j->w, j->at, use, JOINING_NONE, ports,
          price + double_price(j->v, j->count) + SHARE_PRICE * portset_size(set & j->foreign));
    use.n = 2;
    use.count[1] = 1;
    for (size_t i = 0; j->v->pairs && i < j->set_count; i++) {
        use.set[1] = j->sets[i];
        if (least + joining_bound(j->w->joining, i) > j->w->bar || use.set[1] == set ||
            1.0 / portset_size(use.set[1]) > most ||
            (j->count + 1.0) / portset_size(use.set[1] | set) > most)
            continue;
        use.slots = slots_of(j->v, &use);
        offer(j->w, j->at, use, i, ports,
              price + double_price(j->v, j->count + 1) + SECOND_PRICE +
                  (i < j->own_sets ? 0 : SET_PRICE));
    }
}

static void choose(struct venn_joining *j, size_t region, portset set, unsigned left)
{
    if (region == j->region_count) {
        unsigned ports = j->s->ports + left;
        if (ports <= PORTS_LIMIT && (set || left))
            join(j, set | (((portset)1 << left) - 1) << j->s->ports, ports);
        return;
    }
    unsigned size = portset_size(j->regions[region]);
    for (unsigned k = 0; k <= size && k <= left && !j->v->over; k++)
        choose(j, region + 1, set | lowest(j->regions[region], k), left - k);
}

/* Returns the number of rows that contain the joining form and otherwise only placed forms. */
static size_t known_rows(const struct venn *v)
{
    size_t known = 0;

    for (size_t i = 0; i < v->known.rows[v->form].count; i++)
        known += known_row(v, &v->known.rows[v->form].items[i]);
    return known;
}

/* Adds the rows with the joining form to @j, without the µops of that form. */
static void tell_rows(const struct venn *v, const struct venn_state *s, struct joiner *j)
{
    joining_begin(j, DEVIATION_MOST);
    for (size_t i = 0; i < v->known.rows[v->form].count; i++) {
        const struct venn_row *row = &v->known.rows[v->form].items[i];
        struct mass masses[2 * VENN_TERMS_MOST];
        struct joining_row known = {.others = masses,
                                    .slot = 1 / v->o->width,
                                    .cycles = row->cycles,
                                    .limits = row->limits};
        if (!known_row(v, row))
            continue;
        for (unsigned k = 0; k < row->n; k++) {
            const struct venn_use *u = &s->use[row->terms[k].place];
            if (row->terms[k].place == v->form) {
                known.own += row->terms[k].count;
                continue;
            }
            known.slots += (double)u->slots * row->terms[k].count / v->o->width;
            for (unsigned n = 0; n < u->n; n++)
                masses[known.n++] = (struct mass){u->set[n], u->count[n] * row->terms[k].count};
        }
        joining_add(j, &known);
    }
}

/* Returns whether @count µops on @size ports or the issue slots can explain the joining form's
 * time in isolation. */
static bool explains_alone(const struct venn *v, unsigned count, unsigned size)
{
    const double own = (double)count / size, t = v->known.alone[v->form];

    return fabs(own - t) <= 4 * sight_noise(SIGHT_NOISE, t) ||
           (own < t && v->known.slots[v->form] / v->o->width > t * 0.97);
}

/* Lowers the bar according to the costs of usages on known sets. All usages include these, so the
 * results are the same. */
static void lower_bar(struct venn_joining *j)
{
    const size_t all = j->set_count;

    j->w->sounding = true;
    j->set_count = j->own_sets;
    for (j->count = 1; j->count <= REPEATS_MOST; j->count++)
        for (size_t i = 0; i < j->own_sets; i++) {
            const unsigned size = portset_size(j->sets[i]);
            if (size <= j->v->o->width + ABOVE_WIDTH && explains_alone(j->v, j->count, size))
                join(j, j->sets[i], j->s->ports);
        }
    j->set_count = all;
    j->w->sounding = false;
}

/* Evaluates all usages with which the form can join state @at. */
static void join_all(struct venn_worker *w, size_t at)
{
    struct venn *v = w->v;
    const struct venn_state *s = &v->states[at];
    struct venn_joining j = {.w = w, .v = v, .s = s, .at = at};
    const double width = fmin(v->o->width + ABOVE_WIDTH, PORTS_LIMIT);

    j.foreign = foreign_ports(v, s);
    j.region_count = regions_of(v, s, j.regions);
    j.set_count = sets_of(v, s, j.regions, j.region_count, j.sets, &j.own_sets);
    tell_rows(v, s, w->joining);
    if (v->pairs)
        joining_seconds(w->joining, j.sets, j.set_count, w->bar - s->cost);
    if (v->known.slots[v->form]) {
        joining_first(w->joining, 0, 0, INFINITY);
        offer(w, at, (struct venn_use){.slots = v->known.slots[v->form]}, JOINING_NONE, s->ports,
              0);
    }
    lower_bar(&j);
    for (j.count = 1; j.count <= REPEATS_MOST; j.count++)
        for (unsigned size = 1; size <= width; size++)
            if (explains_alone(v, j.count, size))
                choose(&j, 0, 0, size);
}

static void join_share(void *state, unsigned worker)
{
    struct venn *v = state;

    if (worker >= v->worker_count)
        return;
    struct venn_worker *w = &v->workers[worker];
    w->next_count = w->offers = w->cost_count = 0;
    w->bar = v->bar;
    for (size_t i = worker; i < v->state_count; i += v->worker_count)
        join_all(w, i);
}

/* Evaluates all usages of the joining form with all states. Stores the best results in the first
 * worker's @next, sorted by cost. */
static void try_all(struct venn *v)
{
    const struct chart_hooks *hooks = v->o->hooks;
    struct venn_worker *first = &v->workers[0];

    v->worker_count = hooks && hooks->team && v->pairs && v->state_count > 1 ? hooks->threads : 1;
    if (v->worker_count == 1 || !hooks->team(hooks->state, join_share, v)) {
        v->worker_count = 1;
        join_share(v, 0);
    }
    keep_best(first);
    for (unsigned i = 1; i < v->worker_count; i++) {
        keep_best(&v->workers[i]);
        memcpy(first->next + first->next_count, v->workers[i].next,
               v->workers[i].next_count * sizeof *first->next);
        first->next_count += v->workers[i].next_count;
        keep_best(first);
    }
}

/* Returns the maximum number of new ports of a form: PORTS_ALLOWED, or one more if its time in
 * isolation requires more ports. A form as fast as the issue width gets at most PORTS_ALLOWED. */
static double ports_allowed(const struct venn *v)
{
    double own = rint(1 / v->known.alone[v->form]);

    return own > PORTS_ALLOWED && own < v->o->width ? own + 1 : PORTS_ALLOWED;
}

static bool join_form(struct venn *v, bool pairs)
{
    double known = (double)known_rows(v), least = INFINITY;
    struct venn_worker *first = &v->workers[0];

    for (size_t i = 0; i < v->state_count; i++)
        least = fmin(least, v->states[i].cost);
    v->bar = residual_rounded(least + v->o->fits * known +
                              2 * ports_allowed(v) * v->prices * PORT_PRICE);
    v->pairs = pairs;
    try_all(v);
    if (v->over || !first->next_count ||
        first->next[0].cost - v->states[0].cost >
            v->o->fits * known + ports_allowed(v) * v->prices * PORT_PRICE)
        return false;
    struct venn_state *swap = v->states;
    v->states = first->next;
    first->next = swap;
    v->state_count = first->next_count;
    v->placed[v->form] = true;
    return true;
}

static double total_cost(const struct venn *v, const struct venn_state *s)
{
    double cost = 0;

    for (size_t f = 0; f < v->known.n; f++) {
        cost += v->placed[f] ? s->use[f].price : 0;
        for (size_t r = 0; v->placed[f] && r < v->known.rows[f].count; r++) {
            const struct venn_row *row = &v->known.rows[f].items[r];
            /* A row counts only for the form of its first term, so it counts once. */
            bool counts = row->terms[0].place == f;
            for (unsigned k = 0; k < row->n && counts; k++)
                counts = v->placed[row->terms[k].place];
            cost += counts ? row_price(v, s, row) : 0;
        }
    }
    return cost;
}

/* Renumbers the ports of @set to their positions in @used. */
static portset squeeze(portset set, portset used)
{
    portset out = 0;

    for (unsigned to = 0; used; used &= used - 1, to++)
        out |= set & used & -used ? (portset)1 << to : 0;
    return out;
}

/* Keeps only the best state. Removes form @f from it, with the ports that no other form uses. */
static void take_out(struct venn *v, size_t f)
{
    struct venn_state *s = &v->states[0];
    portset used = 0;

    v->placed[f] = false;
    s->use[f] = (struct venn_use){0};
    for (size_t i = 0; i < v->known.n; i++)
        for (unsigned k = 0; k < s->use[i].n; k++)
            used |= s->use[i].set[k];
    for (size_t i = 0; i < v->known.n; i++)
        for (unsigned k = 0; k < s->use[i].n; k++)
            s->use[i].set[k] = squeeze(s->use[i].set[k], used);
    s->ports = portset_size(used);
    s->cost = total_cost(v, s);
    v->state_count = 1;
}

/* Removes the placed form @second, joins @first, then joins @second again. Restores the states and
 * returns false unless both join. */
static bool join_before(struct venn *v, size_t first, size_t second)
{
    struct venn_state *before = mem_alloc(v->state_count * sizeof *before);
    size_t count = v->state_count;

    memcpy(before, v->states, count * sizeof *before);
    take_out(v, second);
    v->form = first;
    bool joined = join_form(v, true);
    v->form = second;
    joined = joined && join_form(v, true);
    if (!joined) {
        memcpy(v->states, before, count * sizeof *before);
        v->state_count = count;
        v->placed[first] = false;
        v->placed[second] = true;
    }
    free(before);
    return joined;
}

/* Returns whether form @b may prevent form @a from joining. Both must be of one kind, and @b must
 * be placed and have a single operation. Excludes memory accesses, whose times depend on more than
 * ports. */
static bool may_hinder(const struct venn *v, size_t a, size_t b)
{
    return v->known.alone[a] > 0 && v->known.kind[a] != VENN_MEMORY &&
           v->known.kind[a] == v->known.kind[b] && !v->known.several[b] &&
           v->states[0].use[b].n > 0;
}

/* Retries each form that failed to join, before each of the placed forms. Only experiments with
 * both forms show contention for ports that no third form uses. */
static void join_left_out(struct venn *v)
{
    bool better = true;

    for (unsigned round = 0; better && round < ROUNDS && !v->over; round++) {
        better = false;
        for (size_t a = 0; a < v->known.n; a++)
            for (size_t b = 0; b < v->known.n && !v->placed[a] && !v->over; b++)
                if (v->placed[b] && may_hinder(v, a, b))
                    better |= join_before(v, a, b);
    }
}

/* Joins form @f again after all others. Restores the former state and returns false unless the
 * total cost falls by more than ANEW_GAIN. */
static bool join_anew(struct venn *v, size_t f)
{
    struct venn_state before = v->states[0];
    double cost = total_cost(v, &before);

    take_out(v, f);
    v->form = f;
    bool better = join_form(v, true) && total_cost(v, &v->states[0]) < cost - ANEW_GAIN;
    if (!better) {
        v->states[0] = before;
        v->state_count = 1;
        v->placed[f] = true;
    }
    return better;
}

/* Joins each placed form again, because the first forms joined when few others were placed. Also
 * retries forms that failed to join. For example, only experiments with additions show that a store
 * also uses an addition port. */
static void join_all_anew(struct venn *v)
{
    bool better = true;

    for (unsigned round = 0; better && round < ROUNDS && !v->over; round++) {
        better = false;
        for (v->form = 0; v->form < v->known.n && !v->over; v->form++)
            if (v->placed[v->form])
                better |= join_anew(v, v->form);
            else
                better |= v->known.alone[v->form] > 0 && join_form(v, true);
    }
}

static struct mapping *write_mapping(const struct venn *v)
{
    const struct venn_state *s = &v->states[0];
    struct ports ports = {0};

    ports_number(&ports, s->ports ? s->ports : 1);
    struct mapping *m = mapping_new(&ports);
    mapping_set_issue_width(m, v->o->width);
    for (size_t i = 0; i < v->known.n; i++) {
        struct mapping_entry entry = {.form = v->known.table->forms.items[v->known.forms[i]],
                                      .latency = NAN,
                                      .micro_ops = s->use[i].slots,
                                      .source = ""};
        if (!v->placed[i])
            continue;
        for (unsigned k = 0; k < s->use[i].n; k++)
            usage_add(&entry.usage, s->use[i].set[k], s->use[i].count[k]);
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

/* Passes the mapping so far to v->o->show if it is due. */
static void show(const struct venn *v)
{
    if (!v->o->show_due || !v->states[0].ports || !v->o->show_due(v->o->state))
        return;
    struct mapping *m = write_mapping(v);
    v->o->show(v->o->state, m);
    mapping_free(m);
}

static unsigned make_workers(struct venn *v)
{
    const struct chart_hooks *hooks = v->o->hooks;
    unsigned count = hooks && hooks->team && hooks->threads > 1 ? hooks->threads : 1;
    size_t rows = 0;

    for (size_t i = 0; i < v->known.n; i++)
        rows = v->known.rows[i].count > rows ? v->known.rows[i].count : rows;
    v->workers = mem_zero(count, sizeof *v->workers);
    for (unsigned i = 0; i < count; i++)
        v->workers[i] = (struct venn_worker){.v = v,
                                             .number = i,
                                             .joining = joining_new(rows, SECOND_SETS),
                                             .next = mem_zero(2 * KEPT + 1, sizeof *v->states)};
    return count;
}

struct mapping *venn_find(const struct experiments *t, const uint32_t *forms, size_t n,
                          const struct venn_options *o)
{
    struct venn *v = mem_zero(1, sizeof *v);
    struct mapping *m = NULL;

    v->o = o;
    v->prices = fmin(fmax(o->fits / SCATTERED, 1), PRICES_MOST);
    venn_rows_make(&v->known, t, forms, n, o->width, o->fits > SCATTERED);
    v->throughput = throughput_new(PORTS_LIMIT);
    v->states = mem_zero(2 * KEPT + 1, sizeof *v->states);
    v->state_count = 1;
    unsigned workers = make_workers(v);
    /* Forms with one µop join first. In later passes, forms may use two known sets. Forms with
     * several operations join after the loads. Otherwise a load with an operation might look like
     * the operation alone, and no load could join. */
    v->total = PASSES * v->known.n;
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (v->form = 0; v->form < v->known.n && !v->over; v->form++) {
            v->done = pass * v->known.n + v->form;
            v->over = !o->goes_on(o->state, v->done, v->total);
            if (!v->over && !v->placed[v->form] && v->known.alone[v->form] > 0 &&
                (pass > 0 || !v->known.several[v->form]))
                join_form(v, pass > 0);
            show(v);
        }
    join_left_out(v);
    join_all_anew(v);
    for (size_t i = 0; i < v->known.n && !m; i++)
        m = v->placed[i] ? write_mapping(v) : NULL;
    venn_rows_done(&v->known);
    throughput_free(v->throughput);
    for (unsigned i = 0; i < workers; i++) {
        joining_free(v->workers[i].joining);
        free(v->workers[i].next);
    }
    free(v->workers);
    free(v->states);
    free(v);
    return m;
}
