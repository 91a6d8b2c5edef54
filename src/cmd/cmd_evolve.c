/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "cmd/task.h"
#include "infer/genome.h"
#include "infer/observable.h"
#include "model/mapping_overlay.h"
#include "work/evolve_job.h"
#include "work/job.h"

#define FRONT_SHOWN 64

static struct evolve_run *current(const struct session *s, struct err *err)
{
    if (s->document.run_count)
        return s->document.runs[s->document.run_count - 1];
    err_set(err, ERR_USAGE, "evolve start starts a run", "no inference run");
    return NULL;
}

/* columns of CSV; add new columns at the end, because scripts may use positions */
static const struct result_column run_columns[] = {
    {.key = "state", .kind = CELL_TEXT},
    {.key = "generation", .kind = CELL_COUNT},
    {.key = "d_avg", .kind = CELL_NUMBER, .decimals = 4},
    {.key = "volume", .kind = CELL_COUNT},
    {.key = "distinct_uops", .kind = CELL_COUNT},
    {.key = "evaluations", .kind = CELL_COUNT},
    {.key = "seconds", .unit = "s", .kind = CELL_NUMBER, .decimals = 1},
    {.key = "best_fitness", .kind = CELL_NUMBER, .decimals = 2},
    {.key = "run", .kind = CELL_COUNT},
    {.key = "ports", .kind = CELL_COUNT},
    {.key = "issue_width", .kind = CELL_NUMBER, .decimals = SHORTEST},
    {.key = "rate", .kind = CELL_NUMBER, .decimals = 0},
    {.key = "price_scale", .kind = CELL_NUMBER, .decimals = 2},
    {.key = "ranks", .kind = CELL_COUNT},
    {.key = "acceptance", .kind = CELL_NESTED},
    {.key = "front", .kind = CELL_NESTED},
    {.key = "rounds", .kind = CELL_NESTED},
    {.key = "best_so_far", .kind = CELL_NUMBER, .decimals = 4},
    {.key = "phase", .kind = CELL_TEXT},
    {.key = "phase_meaning", .kind = CELL_TEXT},
    {.key = "seconds_left", .unit = "s", .kind = CELL_NUMBER, .decimals = 1},
    {.key = "live", .kind = CELL_SWITCH},
    {.key = "experiments", .kind = CELL_COUNT},
    {.key = "forms", .kind = CELL_COUNT},
    {.key = "joined", .kind = CELL_COUNT},
    {.key = "ports_assumed", .kind = CELL_SWITCH},
    {.key = "best_so_far_experiments", .kind = CELL_COUNT},
    {.key = "consensus", .kind = CELL_SWITCH},
    {.key = "least_error", .kind = CELL_NUMBER, .decimals = 4},
    {.key = "least_error_uops", .kind = CELL_COUNT},
    {.key = "unmeasured", .kind = CELL_NUMBER, .decimals = 4},
    {.key = "least_error_unmeasured", .kind = CELL_NUMBER, .decimals = 4},
};

static json_t *acceptance_json(const struct evolve_status *t)
{
    json_t *moves = json_object();

    for (int k = 0; k < MOVE_KINDS; k++)
        if (t->stats.tried[k])
            json_object_set_new(
                moves, anneal_move_names[k],
                json_number((double)t->stats.accepted[k] / (double)t->stats.tried[k]));
    return moves;
}

static json_t *front_json(struct evolve_run *run)
{
    struct evolve_point front[FRONT_SHOWN];
    size_t n = evolve_get_front(run->evolve, front, FRONT_SHOWN);
    json_t *points = json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *point = json_object();
        json_object_set_new(point, "d_avg", json_number(front[i].d_avg));
        json_object_set_new(point, "distinct_uops", json_integer((json_int_t)front[i].distinct));
        json_object_set_new(point, "volume", json_integer((json_int_t)front[i].volume));
        json_array_append_new(points, point);
    }
    return points;
}

static void add_row(const struct session *s, struct evolve_run *run, const struct evolve_status *t,
                    struct result_table *table)
{
    cell_text(table, evolve_state_names[t->state]);
    cell_count(table, t->generation);
    cell_number(table, t->d_avg);
    cell_count(table, (int64_t)t->volume);
    cell_count(table, (int64_t)t->distinct);
    cell_count(table, (int64_t)t->evaluations);
    cell_number(table, t->seconds);
    cell_number(table, t->cost);
    cell_count(table, run->number);
    cell_count_if(table, t->ports, t->ports);
    cell_number(table, t->width);
    cell_number(table, t->rate);
    cell_number(table, t->scale);
    cell_count(table, run->ranks);
    cell_nested(table, acceptance_json(t));
    cell_nested(table, front_json(run));
    cell_nested(table, evolve_active_json(s, run->number));
    cell_number(table, t->d_reached);
    cell_text(table, t->phase);
    cell_text(table, t->meaning);
    cell_number(table, t->seconds_left);
    cell_switch(table, run->arriving != NULL);
    cell_count(table, (int64_t)t->experiments);
    cell_count(table, (int64_t)t->forms);
    cell_count(table, t->joined);
    cell_switch(table, t->ports_known != PORTS_FOUND);
    cell_count(table, (int64_t)t->reached_of);
    cell_switch(table, t->agreed);
    if (t->agreed) {
        cell_number(table, t->d_single);
        cell_count(table, (int64_t)t->distinct_single);
        cell_number(table, t->unseen_agreed);
        cell_number(table, t->unseen_single);
    } else {
        cell_number(table, t->d_avg);
        cell_count(table, (int64_t)t->distinct);
        cell_missing(table);
        cell_missing(table);
    }
}

/* Appends "8 ports", with the reason if this number is uncertain, or the port counts tried so
 * far. */
static void print_ports(struct evolve_run *run, const struct evolve_status *t, struct str *out)
{
    static const char *const why[] = {
        [PORTS_FOUND] = "",
        [PORTS_NO_TIME] =
            " (the largest number tried; more time is needed to determine the number)",
        [PORTS_UNEXPLAINED] =
            " (the largest number tried; the remaining error is too large to determine the number)",
    };
    struct evolve_trial trials[PORTS_MAX];
    size_t n = t->ports ? 0 : evolve_get_trials(run->evolve, trials, PORTS_MAX);

    if (t->ports)
        str_addf(out, "%u port%s%s", t->ports, plural(t->ports), why[t->ports_known]);
    else
        str_add(out, n ? "ports tried:" : "number of ports not determined yet");
    for (size_t i = 0; i < n; i++)
        str_addf(out, "%s %u (%.2f %%)", i ? "," : "", trials[i].ports, 100 * trials[i].d_avg);
}

static void add_lines(struct evolve_run *run, const struct evolve_status *t, struct result *result)
{
    struct str line = {0}, of = {0};

    if (t->joined)
        str_addf(&of, " on the initial %zu experiment%s", t->reached_of, plural(t->reached_of));
    else if (evolve_status_rose(t))
        str_add(&of, " before a usage was changed");
    str_addf(&line, "run %u: %s, %s, %.1f s", run->number, evolve_state_names[t->state], t->phase,
             t->seconds);
    if (!isnan(t->seconds_left))
        str_addf(&line, ", %.0f s left", t->seconds_left);
    str_add(&line, "; ");
    print_ports(run, t, &line);
    str_addf(&line, ", issue width %g", t->width);
    if (!isnan(t->scale))
        str_addf(&line, ", price scale %.2f", t->scale);
    result_line(result, "%s", str_text(&line));
    if (run->arriving)
        result_line(result, "live: %zu experiment%s of %zu forms; results were added %u time%s",
                    t->experiments, plural(t->experiments), t->forms, t->joined, plural(t->joined));
    if (t->state <= EVOLVE_PAUSED)
        result_line(result, "%s: %s", t->phase, t->meaning);
    if (isnan(t->d_avg))
        result_line(result, "no mapping yet; %.1f million evaluations",
                    (double)t->evaluations / 1e6);
    else
        result_line(result,
                    "%s: mean error %.2f %%, %llu distinct µops, volume %llu, cost %.2f; smallest "
                    "error so far %.2f %%%s; %.1f million evaluations, %.1f million/s",
                    t->ports ? "best" : "best of all numbers of ports tried", 100 * t->d_avg,
                    (unsigned long long)t->distinct, (unsigned long long)t->volume, t->cost,
                    100 * t->d_reached, str_text(&of), (double)t->evaluations / 1e6, t->rate / 1e6);
    if (t->agreed)
        result_line(
            result,
            "the best mapping is a consensus: its predictions of unmeasured experiments differ by "
            "%.2f %% on average from the mean prediction of the good mappings. Those of the "
            "mapping with the smallest error (%.2f %%, %llu distinct µops) differ by %.2f %%. "
            "evolve adopt uses the "
            "consensus, evolve adopt --least-error uses the mapping with the smallest error",
            100 * t->unseen_agreed, 100 * t->d_single, (unsigned long long)t->distinct_single,
            100 * t->unseen_single);
    str_done(&line);
    str_done(&of);
}

/* Shows the state of @count runs. JSON has one object per run. The workbench opens @view
 * instead. */
static void show_runs(struct session *s, struct evolve_run *const *runs, size_t count,
                      const char *view, struct result *result)
{
    s->in_view = s->views ? view : NULL;
    struct result_table *table = RESULT_TABLE(result, "runs", run_columns);

    table->shape = TABLE_SPREAD;
    table->hide = NOT_TEXT;
    for (size_t i = 0; i < count; i++) {
        struct evolve_status t;
        evolve_get_status(runs[i]->evolve, &t);
        add_row(s, runs[i], &t, table);
        add_lines(runs[i], &t, result);
    }
}

static bool run_status(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    bool choosing = evolve_active_choosing(s);

    if (!choosing && !current(s, err))
        return false;
    if (choosing) {
        result_text(result, "state", "choosing");
        evolve_active_show(s, result);
    }
    if (s->document.run_count) {
        evolve_catch_up(s);
        show_runs(s, s->document.runs, s->document.run_count, "evolution", result);
    }
    return true;
}

const struct command command_evolve_status = {
    .name = "evolve status",
    .help = "show the progress of the runs",
    .description = "Shows the mean error (d_avg) and the volume of the best mapping. The volume is "
                   "the number of ports that each µop can use, summed over all forms.",
    .examples = EXAMPLES("evolve status"),
    .run = run_status,
};

static bool run_pause(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct evolve_run *run = current(s, err);

    if (!run)
        return false;
    evolve_pause(run->evolve, true);
    result_note(result, "run %u is paused", run->number);
    result_count(result, "run", run->number);
    return true;
}

const struct command command_evolve_pause = {
    .name = "evolve pause",
    .help = "pause the run",
    .description = "evolve resume continues the run.",
    .examples = EXAMPLES("evolve pause"),
    .run = run_pause,
};

static bool run_stop(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct evolve_run *run = current(s, err);

    if (!run)
        return false;
    evolve_catch_up(s);
    evolve_stop(run->evolve);
    evolve_run_wait(run);
    show_runs(s, &run, 1, "matrix", result);
    return true;
}

const struct command command_evolve_stop = {
    .name = "evolve stop",
    .help = "stop the run, keep its best mapping",
    .description = "evolve adopt makes that mapping the current machine.",
    .examples = EXAMPLES("evolve stop"),
    .run = run_stop,
};

static bool run_wait(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct evolve_run *run = current(s, err);
    struct job_info info;

    if (!run)
        return false;
    if (s->interactive && job_find(run->job, &info) && !info.settled) {
        queue_await(s, run->job, false);
        result_confirm(result, "following commands wait for run %u; Esc cancels the wait",
                       run->number);
        return true;
    }
    evolve_catch_up(s);
    while (!job_wait_for(run->job, LIVE_SECONDS) && job_find(run->job, &info))
        evolve_feed(s);
    if (!queue_wait(s, run->job, err))
        return false;
    show_runs(s, &run, 1, "evolution", result);
    return true;
}

const struct command command_evolve_wait = {
    .name = "evolve wait",
    .help = "wait for the run to end; in the workbench only the following commands wait",
    .examples = EXAMPLES("evolve wait"),
    .run = run_wait,
};

struct evolve_set_values {
    const char *name;
    double value;
};

static bool run_set(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct evolve_set_values *v = values;
    struct evolve_run *run = current(s, err);

    if (!run || !evolve_set(run->evolve, v->name, v->value, err))
        return false;
    result_note(result, "%s of run %u: %g", v->name, run->number, v->value);
    result_count(result, "run", run->number);
    result_number(result, v->name, v->value);
    return true;
}

const struct command command_evolve_set = {
    .name = "evolve set",
    .help = "change an option of the running inference",
    .arguments = PARAMETERS(
        {PARAMETER(CHOICE, "NAME", struct evolve_set_values, name), .required = true,
         .choices = "seconds|generations|uop-price|volume-price|usage-price|volume-weight",
         .help = "option of evolve start to change"},
        {PARAMETER(VALUE, "VALUE", struct evolve_set_values, value), .required = true,
         .of = evolve_start_options, .help = "new value of that option"}),
    .examples = EXAMPLES("evolve set seconds 15m", "evolve set uop-price 0.5"),
    .values_size = sizeof(struct evolve_set_values),
    .run = run_set,
};

struct usage_edit_values {
    const char *form, *usage;
};

static bool run_edit(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct usage_edit_values *v = values;
    struct evolve_run *run = current(s, err);
    struct evolve_status before, after;

    if (!run)
        return false;
    evolve_get_status(run->evolve, &before);
    if (!evolve_run_edit(run, v->form, v->usage, err))
        return false;
    evolve_get_status(run->evolve, &after);
    result_note(result, "%s: %s; error %.2f %%, was %.2f %%", v->form, v->usage, 100 * after.d_avg,
                100 * before.d_avg);
    result_count(result, "run", run->number);
    result_text(result, "form", v->form);
    result_text(result, "usage", v->usage);
    result_number(result, "d_avg", after.d_avg);
    return true;
}

const struct command command_evolve_edit = {
    .name = "evolve edit",
    .help = "change a form's usage in the run's best mapping",
    .description = "The mapping with that usage becomes the run's best mapping, whatever its "
                   "error. A running search replaces that mapping only with a mapping whose error "
                   "is not larger.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FORM", struct usage_edit_values, form), .required = true,
         .complete = COMPLETE_FORM, .help = "instruction form of the run, quoted"},
        {PARAMETER(TEXT, "USAGE", struct usage_edit_values, usage), .required = true,
         .help = "µops by ports of the inferred mapping, such as 1*p01+1*p3, or none"}),
    .examples = EXAMPLES("evolve edit 'ADD (R64, R64)' 1*p0123",
                         "evolve edit 'IMUL (R64, R64)' 1*p1"),
    .values_size = sizeof(struct usage_edit_values),
    .run = run_edit,
};

static void set_source(struct mapping *m, const char *form, const char *source)
{
    const struct mapping_entry *known = mapping_find(m, form);
    struct usage usage = {0};

    if (!known)   /* The mapping has no entry for a form of an experiment that was added later. */
        return;
    struct mapping_entry entry = *known;
    usage_copy(&usage, &entry.usage);
    entry.usage = usage;
    entry.source = (char *)source;
    mapping_set(m, &entry);
    usage_done(&usage);
}

struct adopting {
    struct genome **genomes;         /* mappings of the run, best first */
    size_t count;
    struct problem *problem;         /* counted reference to the problem of the run */
    struct ports names;
    struct evolve_status status;
    bool least_error;
    struct experiments *table;       /* counted reference; NULL: none */
    /* base machine (counted reference); NULL: @made has only the inferred forms */
    struct machine *base;
    enum isa isa;
    struct machine *made;
};

static void adopting_free(void *state)
{
    struct adopting *w = state;

    for (size_t i = 0; i < w->count; i++)
        genome_free(w->genomes[i]);
    free(w->genomes);
    problem_free(w->problem);
    experiments_free(w->table);
    machine_free(w->base);
    machine_free(w->made);
    free(w);
}

/* Returns the best mapping. The source of each form states its confidence if known: the agreement
 * of the best mappings on the form (confidence_of). The caller frees the result. */
static struct mapping *best_of(const struct adopting *w)
{
    const struct problem *problem = w->problem;
    double *confidence = mem_alloc((problem->forms + 1) * sizeof *confidence);
    struct mapping *m = genome_mapping(w->genomes[0], problem, &w->names);
    char text[64];

    confidence_of(w->genomes, w->count, confidence);
    for (size_t f = 0; f < problem->forms; f++) {
        if (isnan(confidence[f]))
            continue;
        snprintf(text, sizeof text, "inferred, confidence %.2f", confidence[f]);
        set_source(m, problem->names[f], text);
    }
    free(confidence);
    return m;
}

/* Notes that no experiment shows the ports of @form, because several usages explain the
 * measurements equally well. The best mappings may agree on a usage only because it has the lowest
 * price. Prints the experiment that would decide, if there is one, to @settle. */
static void note_hidden(struct mapping *m, const char *form, const struct observable *o,
                        struct str *settle)
{
    struct str text = {0};
    double share = fmin(1.0 / (1 + o->rivals), mapping_entry_confidence(mapping_find(m, form)));

    if (o->settle.count)
        experiment_print(&o->settle, settle);
    str_addf(&text, "inferred, confidence %.2f, %s", share, observable_reason(m));
    if (settle->length)
        str_addf(&text, "; %s would distinguish the usages", str_text(settle));
    set_source(m, form, str_text(&text));
    str_done(&text);
}

/* Lists the forms whose ports no experiment of the session's table determines, and adds notes about
 * them to @m. */
static void list_hidden(struct mapping *m, const struct experiments *t, struct result *result)
{
    static const struct result_column columns[] = {{.key = "form", .kind = CELL_TEXT},
                                                   {.key = "settle", .kind = CELL_TEXT}};
    struct observable *list = mem_zero(t->forms.count + 1, sizeof *list);
    struct result_table *table = RESULT_TABLE(result, "not_observable", columns);
    size_t hidden = 0, settleable = 0;
    struct str settle = {0};

    table->hide = NOT_TEXT;
    observable_find(m, t, list);
    for (size_t f = 0; f < t->forms.count; f++) {
        if (!list[f].rivals)
            continue;
        hidden++;
        settleable += list[f].settle.count > 0;
        str_clear(&settle);
        note_hidden(m, t->forms.items[f], &list[f], &settle);
        cell_text(table, t->forms.items[f]);
        cell_text(table, str_text(&settle));
    }
    if (hidden)
        result_line(result, "%zu form%s %s; %s", hidden, plural(hidden), observable_reason(m),
                    settleable ? "experiments settle measures the deciding experiments"
                         : "no experiment with these forms distinguishes the usages");
    observable_done(list, t->forms.count);
    free(list);
    str_done(&settle);
}

static struct machine *machine_alone_of(enum isa isa, const char *id, struct mapping *take_best)
{
    struct machine *m = machine_new(id, mapping_ports(take_best));
    char width[32];

    mapping_free(m->mapping);
    m->mapping = take_best;
    free(m->title);
    m->title = mem_strdup("inferred from experiments");
    machine_set_fact(m, "title", m->title, "", "");
    machine_set_fact(m, "isa", isa_name(isa), "", "");
    if (mapping_issue_width(take_best) > 0) {
        snprintf(width, sizeof width, "%g", mapping_issue_width(take_best));
        machine_set_fact(m, "issue_width", width, "µops/cycle", "inferred from experiments");
        machine_set_fact(m, "issue_slots", "inferred", "",
                         "the column micro_ops counts issue slots");
    }
    return m;
}

/* Creates machine @id: a copy of @base with the usages of @best. Returns NULL with err if no port
 * matches, or there are too many ports. The caller frees the result. */
static struct machine *machine_over(const struct machine *base, const char *id,
                                    const struct mapping *best, struct overlay *overlay,
                                    struct err *err)
{
    struct str title = {0};

    if (!overlay_make(base->mapping, best, overlay, err))
        return NULL;
    struct machine *m = machine_copy(base);
    mapping_free(m->mapping);
    m->mapping = overlay->mapping;
    free(m->id);
    m->id = mem_strdup(id);
    str_addf(&title, "%s, %zu form%s inferred", machine_plain_title(base), mapping_count(best),
             plural(mapping_count(best)));
    free(m->title);
    m->title = str_take(&title);
    machine_set_fact(m, "title", m->title, "", "");
    machine_set_fact(m, "base", base->id, "", "");
    return m;
}

/* Returns the machine that the inferred mapping overlays: the current machine, or its base if it is
 * itself such an overlay. Returns NULL with err if there is none. */
static struct machine *base_of(struct session *s, struct err *err)
{
    struct machine *m = session_current(s, err);
    const char *below = m && strcmp(m->id, EVOLVED_MACHINE) == 0 ? machine_fact(m, "base") : NULL;

    return below ? session_machine(s, below, err) : m;
}

struct adopt_values {
    bool alone, least_error;
};

static void show_overlay(const struct machine *base, const struct overlay *o, unsigned ports,
                         struct result *result)
{
    struct str line = {0};

    str_addf(&line, "based on %s: %zu of its forms replaced", base->id, o->replaced);
    if (o->added)
        str_addf(&line, ", %zu added", o->added);
    str_addf(&line, "; inferred ports that match its ports: %u of %u", o->matched, ports);
    str_add(&line, o->matched < ports ? ", the other ports have no counterpart" : "");
    result_line(result, "%s", str_text(&line));
    result_text(result, "base", base->id);
    result_count(result, "replaced", (int64_t)o->replaced);
    result_count(result, "added", (int64_t)o->added);
    result_count(result, "ports_matched", o->matched);
    str_done(&line);
}

static bool make_machine(struct adopting *w, struct mapping *take_best, struct result *result,
                         struct err *err)
{
    const size_t forms = mapping_count(take_best), distinct = mapping_distinct_uops(take_best);
    const uint64_t volume = mapping_volume(take_best);
    const unsigned ports = mapping_ports(take_best)->count;
    struct overlay overlay = {0};

    if (w->base) {
        w->made = machine_over(w->base, EVOLVED_MACHINE, take_best, &overlay, err);
        mapping_free(take_best);
        if (!w->made)
            return false;
    } else {
        w->made = machine_alone_of(w->isa, EVOLVED_MACHINE, take_best);
    }
    result_line(result,
                "%s: %zu form%s, %zu distinct µop%s, volume %llu; mapping save DIRECTORY saves "
                "the machine",
                EVOLVED_MACHINE, forms, plural(forms), distinct, plural(distinct),
                (unsigned long long)volume);
    if (w->base)
        show_overlay(w->base, &overlay, ports, result);
    result_text(result, "machine", EVOLVED_MACHINE);
    result_count(result, "forms", (int64_t)forms);
    result_count(result, "distinct_uops", (int64_t)distinct);
    result_count(result, "volume", (int64_t)volume);
    return true;
}

/* Adds notes if the number of ports is not determined, or if the mapping with the least error was
 * requested. */
static void tell_which(const struct evolve_status *t, bool least_error, struct result *result)
{
    if (!t->ports)
        result_line(result, "the number of ports is not determined yet: this is the best mapping "
                            "of all numbers of ports tried (evolve status)");
    if (least_error && t->agreed)
        result_line(result,
                    "the mapping has the smallest error, %.2f %%; without --least-error evolve "
                    "adopt uses the run's consensus, %.2f %%",
                    100 * t->d_single, 100 * t->d_avg);
    else if (least_error)
        result_line(result, "the run has no consensus; without --least-error evolve adopt uses the "
                            "same mapping");
}

static bool adopt_work(void *state, struct result *result, struct err *err)
{
    struct adopting *w = state;
    struct mapping *best = best_of(w);

    tell_which(&w->status, w->least_error, result);
    if (w->table)
        list_hidden(best, w->table, result);
    return make_machine(w, best, result, err) && watch_goes_on(err);
}

static bool adopt_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct adopting *w = state;
    char id[] = EVOLVED_MACHINE, *ids[] = {id};

    undo_note_result(s, w->made, "evolve adopt", false);
    session_add_machine(s, w->made);
    w->made = NULL;
    bool ok = session_select(s, ids, 1, err);
    undo_note_arrived(s, id);
    if (ok)
        s->in_view = s->views ? "mapping" : NULL;
    return ok;
}

static bool prepare_adopt(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"makes the machine", adopt_work, adopt_publish,
                                        adopting_free, .listed = TASK_LISTED_IF_LONG};
    const struct adopt_values *v = values;
    struct evolve_run *run = current(s, err);
    struct machine *base = run && !v->alone ? base_of(s, err) : NULL;

    if (!run || (!v->alone && !base))
        return false;
    evolve_catch_up(s);
    struct adopting *w = mem_zero(1, sizeof *w);
    w->least_error = v->least_error;
    w->isa = s->document.isa;
    w->base = base ? machine_hold(base) : NULL;
    w->table = s->document.experiments ? experiments_hold(s->document.experiments) : NULL;
    evolve_get_status(run->evolve, &w->status);
    w->genomes = (v->least_error ? evolve_singles : evolve_population)(run->evolve, &w->count,
                                                                       &w->problem);
    if (!w->count) {
        adopting_free(w);
        return err_set(err, ERR_USAGE,
                       "wait until the run has a mapping; if it has ended, start a longer run",
                       "the run has no mapping yet");
    }
    evolve_run_ports(run, w->genomes[0]->ports, &w->names);
    return task_give(task, &ops, w);
}

const struct command command_evolve_adopt = {
    .name = "evolve adopt",
    .help = "apply the best mapping to a copy of the current machine, named evolved",
    .description = "The machine evolved has all tables of the current machine, but inferred usages "
                   "replace the machine's usages. Inferred ports are mapped to ports of the "
                   "machine with the same forms; ports without a counterpart are added. The source "
                   "of each form states a confidence from 0 to 1: the agreement of the best "
                   "mappings. If other ports explain all measurements of a form equally well, its "
                   "ports are not observable. The deciding experiment is then printed.",
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--alone", struct adopt_values, alone),
         .help = "make a machine of only the inferred forms and ports"},
        {PARAMETER(FLAG, "--least-error", struct adopt_values, least_error),
         .help = "if the run has a consensus, use the mapping with the smallest error instead"}),
    .examples = EXAMPLES("evolve adopt", "evolve adopt --alone", "evolve adopt --least-error"),
    .values_size = sizeof(struct adopt_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare_adopt,
};
