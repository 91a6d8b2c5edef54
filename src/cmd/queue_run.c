/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8_text.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "cmd/line.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "work/job.h"

/* Appends @text to the queue unless it is empty. @script and @lines: see struct queued_commands. */
static void add(struct command_queue *q, const char *script, size_t line, const char *text,
                bool lines)
{
    if (!*text)
        return;
    q->commands = mem_resize(q->commands, (q->count + 1) * sizeof *q->commands);
    q->commands[q->count++] =
        (struct queued_commands){mem_strdup(script), line, mem_strdup(text), lines};
}

/* Returns whether the failure of job @number is unreported. Marks it as reported. */
static bool is_news(struct command_queue *q, unsigned number)
{
    for (size_t i = 0; i < q->reported.count; i++)
        if (q->reported.items[i] == number)
            return false;
    vec_push(&q->reported, number);
    return true;
}

bool queue_wait(struct session *s, unsigned number, struct err *err)
{
    struct job_info info;
    bool ok = true;

    while (number && !s->interactive && !job_wait_for(number, LIVE_SECONDS) &&
           job_find(number, &info)) {
        experiments_publish(s);
        evolve_feed(s);
    }
    if (!job_wait(number))
        return err_set(err, ERR_USAGE, "jobs lists the jobs", "no job %u", number);
    for (size_t i = 0; job_get(i, &info); i++) {
        if (number && info.number != number)
            continue;
        if (info.state == JOB_CANCELLED && number)
            return err_set(err, ERR_LIMIT, NULL, "%s was cancelled", info.title);
        if (info.state == JOB_FAILED && (is_news(&s->queue, info.number) || number) && ok) {
            *err = info.err;
            ok = false;
        }
    }
    return ok;
}

void queue_await(struct session *s, unsigned number, bool own)
{
    queue_drop(&s->queue);
    s->queue.job = number;
    s->queue.now = true;
    s->queue.own = own;
}

bool queue_ended(struct session *s, bool *ended, struct err *err)
{
    struct command_queue *q = &s->queue;
    struct job_info info = {.settled = true, .state = JOB_DONE};

    *ended = q->job == AWAIT_ALL ? job_running() == 0 : !job_find(q->job, &info) || info.settled;
    /* The command must also wait for the job that adds the ended job's results. */
    if (*ended && s->replacing && s->replacing != q->job) {
        q->job = s->replacing;
        *ended = false;
    }
    if (!*ended)
        return true;
    bool ok = q->job == AWAIT_ALL || info.state == JOB_DONE || queue_wait(s, q->job, err);
    if (!ok)
        queue_drop(&s->queue);
    q->job = 0;
    return ok;
}

struct loading {
    struct queued_machines to_load;
    bool load_forms[ISA_COUNT];
    struct forms *forms[ISA_COUNT];
};

static void loading_free(void *state)
{
    struct loading *l = state;

    for (size_t i = 0; i < l->to_load.count; i++) {
        free(l->to_load.items[i].name);
        machine_free(l->to_load.items[i].machine);
    }
    vec_done(&l->to_load);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        forms_free(l->forms[isa]);
    free(l);
}

static bool loading_work(void *state, struct result *result, struct err *err)
{
    struct loading *l = state;
    struct err none = {0};

    for (size_t i = 0; i < l->to_load.count && !watch_over(); i++)
        l->to_load.items[i].machine = machine_load(l->to_load.items[i].name, &none);
    for (int isa = 0; isa < ISA_COUNT && !watch_over(); isa++)
        l->forms[isa] = l->load_forms[isa] ? forms_load((enum isa)isa, NULL, &none) : NULL;
    return watch_goes_on(err);
}

static bool loading_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct loading *l = state;

    for (size_t i = 0; i < l->to_load.count; i++)
        if (l->to_load.items[i].machine) {
            vec_push(&s->queue.machines, l->to_load.items[i]);
            l->to_load.items[i] = (struct queued_machine){0};
        }
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (l->forms[isa] && !s->document.forms[isa]) {
            session_set_forms(s, l->forms[isa]);
            l->forms[isa] = NULL;
        }
    s->queue.loaded = true;
    return true;
}

static void want(struct loading *l, const struct session *s, const char *name)
{
    struct err none = {0};
    const char *id = name ? session_machine_id(s, name, &none) : NULL;

    if (id && !session_has_machine(s, id) && !queue_has_machine(&s->queue, id))
        vec_push(&l->to_load, ((struct queued_machine){mem_strdup(id), NULL}));
}

static void want_named(struct loading *l, const struct session *s, const struct parameter *table,
                       const void *values)
{
    for (; table && table->name; table++) {
        const void *at = (const char *)values + table->at;
        if (table->complete != COMPLETE_MACHINE)
            continue;
        if (table->kind == PARAMETER_TEXT)
            want(l, s, *(const char *const *)at);
        for (size_t i = 0;
             table->kind == PARAMETER_WORDS && i < ((const struct word_list *)at)->count; i++)
            want(l, s, ((const struct word_list *)at)->items[i]);
    }
}

static bool want_forms(struct loading *l, const struct session *s, enum isa isa)
{
    return l->load_forms[isa] = !s->document.forms[isa];
}

bool queue_load(struct session *s, const struct command *c, char **words, size_t count, bool *later,
                struct err *err)
{
    static const struct task_ops ops = {"loads tables", loading_work, loading_publish, loading_free,
                                        .title = "loading of tables",
                                        .listed = TASK_LISTED_IF_LONG};
    *later = false;
    /* Loads data only once, because data that is still missing would be missing again. */
    if (s->queue.loaded) {
        s->queue.loaded = false;
        return true;
    }
    struct loading *l = mem_zero(1, sizeof *l);
    struct err none = {0};
    struct given *given = command_values(c, words, count, &none);

    if (given) {
        want_named(l, s, c->arguments, given->values);
        want_named(l, s, c->options, given->values);
    }
    given_free(given);
    bool forms = false;
    if (c->flags & COMMAND_FORMS) {
        forms = want_forms(l, s, s->document.isa);
        forms |= want_forms(l, s, isa_host());
    }
    if (!l->to_load.count && !forms) {
        loading_free(l);
        return true;
    }
    bool ok = task_start(s, c->name, &(struct task){.ops = &ops, .state = l}, err);
    *later = ok && s->queue.now;
    s->queue.loaded &= *later;
    return ok;
}

/* Adds the position in @script to an error without position. If the setting keep-going is on and no
 * interrupt ended the command, also reports the error, clears @err and returns true. The exit
 * status reports it later. In the workbench this applies only to scripts, because errors of typed
 * commands appear in the error line. */
static bool goes_on(struct session *s, const char *script, size_t number, FILE *out,
                    struct err *err)
{
    char text[2048];

    if (script && !err->file[0])
        err_at(err, script, number, err->column);
    if (!s->settings.keep_going || job_interrupted() || (s->interactive && !script))
        return false;
    s->any_failed = true;
    err_text(err, text, sizeof text);
    if (s->interactive)
        utf8_say(out, "%s\n", text);
    else
        utf8_say(stderr, "portolan: %s\n", text);
    err_clear(err);
    return true;
}

/* Runs line @number of @script. @script NULL: a typed line or an argument. If a
 * command waits for a job, queues the rest of the line. Returns false with err if the script must
 * end. */
static bool run_line(struct session *s, const char *script, size_t number, const char *line,
                     FILE *out, struct err *err)
{
    while (*line && !s->quit) {
        const char *next, *end = line_end(line, &next);
        bool waits = false;
        if (job_interrupted())
            return err_set(err, ERR_LIMIT, NULL, "interrupted");
        if (!command_execute(s, line, end, out, &waits, err) &&
            !goes_on(s, script, number, out, err))
            return false;
        if (!s->interactive)   /* In the workbench, the main loop calls evolve_feed instead, between
                                * two redraws. */
            evolve_feed(s);
        if (!waits)
            line = next;
        if (s->queue.now) {
            add(&s->queue, script, number, line, false);
            return true;
        }
    }
    return true;
}

bool command_run(struct session *s, const char *line, FILE *out, struct err *err)
{
    s->queue.now = false;
    return run_line(s, NULL, 0, line, out, err);
}

static bool run_lines(struct session *s, const char *name, size_t first, const char *text,
                      FILE *out, struct err *err)
{
    size_t number = first - 1;
    FILE *lines = fmemopen((void *)text, strlen(text), "r"), *before = s->input;
    size_t *line_before = s->input_line;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    bool ok = true;

    if (!lines)   /* fmemopen also fails for an empty script. */
        return errno != ENOMEM || err_memory_for(err, name, strlen(text));
    s->input = lines;
    s->input_line = &number;
    while (ok && !s->quit && (length = getline(&line, &capacity, lines)) >= 0) {
        size_t at = ++number;
        if (length && line[length - 1] == '\n')
            line[length - 1] = '\0';
        ok = run_line(s, name, at, line, out, err);
        if (ok && s->queue.now) {
            add(&s->queue, name, number + 1, text + ftell(lines), true);
            break;
        }
    }
    if (length < 0 && !feof(lines))
        ok = err_memory_for(err, name, capacity);
    s->input = before;
    s->input_line = line_before;
    free(line);
    fclose(lines);
    return ok;
}

bool command_script(struct session *s, const char *name, const char *text, FILE *out,
                    struct err *err)
{
    return run_lines(s, name, 1, text, out, err);
}

bool queue_run(struct session *s, FILE *out, struct err *err)
{
    struct queued_commands *kept = s->queue.commands;
    size_t count = s->queue.count, done = 0;
    bool ok = true;

    s->queue.commands = NULL;
    s->queue.count = 0;
    s->queue.now = false;
    for (; ok && done < count && !s->queue.now; done++) {
        const struct queued_commands *r = &kept[done];
        ok = r->lines ? run_lines(s, r->script, r->line, r->text, out, err)
                      : run_line(s, r->script, r->line, r->text, out, err);
    }
    for (size_t i = 0; i < count; i++) {
        if (ok && i >= done)
            add(&s->queue, kept[i].script, kept[i].line, kept[i].text, kept[i].lines);
        free(kept[i].script);
        free(kept[i].text);
    }
    free(kept);
    return ok;
}
