/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "model/facts.h"
#include "program/native_kept.h"

#define COMBINATIONS_MOST 4096
#define TRIES 100                /* maximum mean number of attempts per requested combination */
/* the fixed seed gives equal combinations for equal words */
#define SEED 1

const struct program_model *program_fitted(struct session *s, struct err *err)
{
    if (!s->document.program.program)
        err_set(err, ERR_USAGE, "use program load FILE", "no program is loaded");
    else if (!s->document.program.model)
        err_set(err, ERR_USAGE, "use program run, as in program run N=16,32,64,128",
                "the program has not been run");
    return s->document.program.model;
}

const struct machine *program_machine(struct session *s, const char *id, bool *here,
                                      struct err *err)
{
    const struct machine *m = id ? session_machine(s, id, err) : session_current(s, err);
    const struct here *own = &s->document.here;

    if (!m)
        return NULL;
    *here = (!id || strcmp(id, HERE_NAME) == 0) && ((own->id && strcmp(own->id, m->id) == 0) ||
                                                    (own->base && strcmp(own->base, m->id) == 0));
    if (strcmp(m->isa, isa_name(isa_host())) == 0)
        return m;
    err_set(err, ERR_USAGE, "select a machine with this CPU's instruction set",
            "the program was compiled for %s, but %s is a machine for %s", isa_name(isa_host()),
            m->id, m->isa);
    return NULL;
}

bool program_host_machine(struct session *s, const char *id, struct machine **out, struct err *err)
{
    struct err ignored = {0};
    const struct here *own = &s->document.here;
    const struct machine *m = id ? session_machine(s, id, err)
                              : own->id && own->isa == isa_host()
                                  ? session_machine(s, own->id, &ignored)
                                  : session_current(s, &ignored);
    const bool fits = m && strcmp(m->isa, isa_name(isa_host())) == 0;

    *out = fits ? machine_copy(m) : NULL;
    return !id || fits ||
           (m && err_set(err, ERR_USAGE, "select a machine with this CPU's instruction set",
                         "%s is a machine for %s, but this CPU executes %s", m->id, m->isa,
                         isa_name(isa_host())));
}

const struct profile_loop *program_profiled_loop(const struct run_profile *p, size_t number,
                                                 struct err *err)
{
    if (number && number <= p->loops.count)
        return &p->loops.items[number - 1];
    err_set(err, ERR_USAGE, "program profile lists the loops",
            "no loop %zu: %zu loop%s in the profile of %s", number, p->loops.count,
            plural(p->loops.count), p->program);
    return NULL;
}

void program_say_memory(struct result *result, const char *day)
{
    if (!*day)
        return;
    if (strcmp(day, NATIVE_NEVER) == 0) {
        result_line(
            result,
            "caches and memory of this CPU could not be measured; the values are from the CPU's "
            "table");
        result_missing(result, "memory_measured");
        return;
    }
    const bool fresh = strcmp(day, "today") == 0;
    result_line(result, "caches and memory of this CPU were measured %s%s", fresh ? "" : "on ",
                fresh ? "in this run" : day);
    result_text(result, "memory_measured", day);
}

void program_say_faults(struct result *result, double seconds, double share)
{
    if (seconds > 0)
        result_line(result,
                    "user time includes %.4g s of page faults, because this system counts %.0f %% "
                    "of their time as user time",
                    seconds, 100 * share);
    result_number(result, "faults_user", seconds);
}

void program_say_threads(struct result *result, size_t threads, double common)
{
    if (threads > 1)
        result_line(result,
                    "assumed: %zu threads on as many cores divide all work and share the "
                    "last-level cache; %g %% of the lines are used by all threads",
                    threads, common);
    result_count(result, "threads", (int64_t)threads);
}

static bool read_value(const char *word, const char *text, size_t length, double *out,
                       struct err *err)
{
    char *end, *copy = mem_strndup(text, length);
    *out = strtod(copy, &end);
    bool ok = length && !*end && isfinite(*out);
    free(copy);
    return ok || err_set(err, ERR_USAGE, "use numbers, as in N=16,32,64",
                         "\"%.*s\" in %s is not a number", (int)length, text, word);
}

typedef VEC(double) value_list;

/* Parses a word such as "N=16,32". Stores the name in *@name and the values in @values. Returns
 * false with err. */
static bool read_word(const char *word, char **name, value_list *values, struct err *err)
{
    size_t length = strcspn(word, "=");
    bool ok = length > 0 && word[length] && !isdigit((unsigned char)word[0]);

    for (size_t i = 0; i < length; i++)
        ok &= isalnum((unsigned char)word[i]) || word[i] == '_';
    if (!ok)
        return err_set(err, ERR_USAGE, "write NAME=VALUES, as in N=16,32,64",
                       "invalid input \"%s\"", word);
    *name = mem_strndup(word, length);
    for (const char *at = word + length; ok && *at; at += 1 + strcspn(at + 1, ",")) {
        double value;
        ok = read_value(word, at + 1, strcspn(at + 1, ","), &value, err);
        for (size_t i = 0; ok && i < values->count; i++)
            ok = values->items[i] != value || err_set(err, ERR_USAGE, "give each value once",
                                                      "%g occurs twice in %s", value, word);
        if (ok)
            vec_push(values, value);
    }
    return ok;
}

/* Makes all combinations. The last input varies fastest. Returns false with err if there are more
 * than COMBINATIONS_MOST. */
static bool combine(const value_list *values, struct program_inputs *out, struct err *err)
{
    out->count = 1;
    for (size_t i = 0; i < out->name_count; i++)
        if ((out->count *= values[i].count) > COMBINATIONS_MOST)
            return err_set(err, ERR_LIMIT, "give fewer values",
                           "the values have more than %d combinations", COMBINATIONS_MOST);
    out->values = mem_zero(out->count * out->name_count + 1, sizeof *out->values);
    for (size_t r = 0; r < out->count; r++)
        for (size_t i = out->name_count, rest = r; i-- > 0; rest /= values[i].count)
            out->values[r * out->name_count + i] = values[i].items[rest % values[i].count];
    return true;
}

/* Adds the combination of the values at @places unless it exists. Returns whether it was added. */
static bool add_combination(const value_list *values, const size_t *places,
                            struct program_inputs *out)
{
    size_t n = out->name_count;
    double *at = out->values + out->count * n;

    for (size_t i = 0; i < n; i++)
        at[i] = values[i].items[places[i]];
    for (size_t r = 0; r < out->count; r++)
        if (memcmp(out->values + r * n, at, n * sizeof *at) == 0)
            return false;
    out->count++;
    return true;
}

/* Makes at most @most combinations. First, each input in turn takes all its values, while the
 * others keep their first value. Further combinations are random. Returns false with err if @most
 * is too small for these combinations. */
static bool spread(const value_list *values, size_t most, struct program_inputs *out,
                   struct err *err)
{
    size_t places[INPUTS_MAX] = {0}, least = 1;
    struct rng rng;

    for (size_t i = 0; i < out->name_count; i++)
        least += values[i].count - 1;
    if (least > most)
        return err_set(err, ERR_USAGE, "raise --most, or give fewer values",
                       "varying each input separately needs %zu runs", least);
    out->values = mem_zero((most + 1) * out->name_count + 1, sizeof *out->values);
    add_combination(values, places, out);
    for (size_t i = 0; i < out->name_count; places[i++] = 0)
        for (places[i] = 1; places[i] < values[i].count; places[i]++)
            add_combination(values, places, out);
    rng_seed(&rng, SEED);
    for (size_t tries = TRIES * most; out->count < most && tries; tries--) {
        for (size_t i = 0; i < out->name_count; i++)
            places[i] = (size_t)rng_below(&rng, values[i].count);
        add_combination(values, places, out);
    }
    return true;
}

bool program_inputs_read(const struct word_list *words, size_t most, struct program_inputs *out,
                         struct err *err)
{
    value_list values[INPUTS_MAX] = {{0}};
    double all = 1;
    bool ok = true;

    *out = (struct program_inputs){0};
    if (words->count > INPUTS_MAX)
        return err_set(err, ERR_LIMIT,
                       "set some inputs to fixed values in program load --arguments",
                       "more than %d inputs are given", INPUTS_MAX);
    out->names = mem_zero(words->count + 1, sizeof *out->names);
    for (size_t i = 0; ok && i < words->count; i++, out->name_count++) {
        ok = read_word(words->items[i], &out->names[i], &values[i], err);
        for (size_t k = 0; ok && k < i; k++)
            ok = strcmp(out->names[k], out->names[i]) != 0 ||
                 err_set(err, ERR_USAGE, "give each input once", "input %s is given twice",
                         out->names[i]);
        all *= (double)values[i].count;
    }
    ok = ok &&
         (most && all > (double)most ? spread(values, most, out, err) : combine(values, out, err));
    for (size_t i = 0; i < words->count; i++)
        vec_done(&values[i]);
    return ok;
}

void program_inputs_done(struct program_inputs *inputs)
{
    mem_free_texts(inputs->names, inputs->name_count);
    free(inputs->values);
    *inputs = (struct program_inputs){0};
}

static size_t place_of(const struct program_model *m, const char *name)
{
    size_t at = 0;
    while (at < m->runs->name_count && strcmp(m->runs->names[at], name) != 0)
        at++;
    return at;
}

bool program_input_like_runs(const struct program_runs *runs, size_t input, double value,
                             struct err *err)
{
    bool below = false, fraction = false;

    for (size_t i = 0; i < runs->runs.count; i++) {
        below |= runs->runs.items[i].inputs[input] < 0;
        fraction |= runs->runs.items[i].inputs[input] != rint(runs->runs.items[i].inputs[input]);
    }
    if (value < 0 && !below)
        return err_set(
            err, ERR_USAGE, "give a value of at least 0, or run the program with negative values",
            "%s=%g is negative, but all runs had values of at least 0", runs->names[input], value);
    return fraction || value == rint(value) ||
           err_set(err, ERR_USAGE,
                   "give a whole number, or run the program with fractional values first",
                   "%s=%g is not a whole number, but all runs had whole numbers",
                   runs->names[input], value);
}

bool program_inputs_given(const struct program_model *m, const struct word_list *words,
                          double out[INPUTS_MAX], struct err *err)
{
    const struct program_runs *runs = m->runs;
    const struct program_run *last = &runs->runs.items[runs->runs.count - 1];
    struct program_inputs given = {0};
    bool ok = true;

    memcpy(out, last->inputs, sizeof last->inputs);
    ok = program_inputs_read(words, 0, &given, err);
    if (ok && words->count && given.count > 1)
        ok =
            err_set(err, ERR_USAGE, "give one value for each input", "an input has several values");
    for (size_t i = 0; ok && i < given.name_count; i++) {
        size_t at = place_of(m, given.names[i]);
        ok = at < runs->name_count || err_set(err, ERR_USAGE, "use the inputs of program run",
                                              "program run had no input %s", given.names[i]);
        ok = ok && program_input_like_runs(runs, at, given.values[i], err);
        if (ok)
            out[at] = given.values[i];
    }
    if (ok && words->count && given.name_count < runs->name_count)
        ok = err_set(err, ERR_USAGE, "give a value for every input of program run",
                     "inputs with a value: %zu of %zu", given.name_count, runs->name_count);
    program_inputs_done(&given);
    return ok;
}

bool program_fact_read(const struct fact *f, const char *text, size_t length, double *out,
                       struct err *err)
{
    char *end, *one = mem_strndup(text, length), number[40];

    *out = strtod(one, &end);
    *out *= *end == 'k' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
    const bool ok = end != one && (!*end || (!end[1] && strchr("kM", *end)));
    free(one);
    snprintf(number, sizeof number, "%.12g", *out);
    return ok ? fact_check(f, number, NULL, err)
              : err_set(err, ERR_USAGE, "use numbers; suffixes: k (1,024) and M (1,024 k)",
                        "\"%.*s\" is not a number", (int)length, text);
}

bool program_case_read(struct session *s, const struct word_list *inputs, const char *machine,
                       struct program_case *out, struct err *err)
{
    const struct program_model *m = program_fitted(s, err);
    const struct machine *one = m ? program_machine(s, machine, &out->here, err) : NULL;

    if (!one)
        return false;
    out->model = program_model_hold(m);
    out->machine = machine_copy(one);
    return program_inputs_given(m, inputs, out->inputs, err);
}

void program_case_done(struct program_case *c)
{
    machine_free(c->machine);
    program_model_free(c->model);
}
