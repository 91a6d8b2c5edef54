/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "base/similar.h"
#include "base/utf8_text.h"
#include "base/watch.h"
#include "cmd/line.h"
#include "cmd/session_file.h"
#include "cmd/task.h"
#include "io/recognise.h"
#include "work/job.h"

/* all commands, one per line, in the order of help */
#define COMMANDS(COMMAND) \
    COMMAND(kernel_load) \
    COMMAND(kernel_paste) \
    COMMAND(kernel_hex) \
    COMMAND(kernel_compile) \
    COMMAND(kernel_diagnostics) \
    COMMAND(kernel_edit) \
    COMMAND(kernel_reload) \
    COMMAND(kernel_analyze) \
    COMMAND(kernel_simulate) \
    COMMAND(kernel_whatif) \
    COMMAND(kernel_evaluate) \
    COMMAND(kernel_show) \
    COMMAND(kernel_list) \
    COMMAND(kernel_functions) \
    COMMAND(kernel_machines) \
    COMMAND(kernel_omitted) \
    COMMAND(kernel_use) \
    COMMAND(kernel_opened) \
    COMMAND(kernel_switch) \
    COMMAND(kernel_diff) \
    COMMAND(kernel_compare) \
    COMMAND(kernel_tune) \
    COMMAND(kernel_report) \
    COMMAND(kernel_graph) \
    COMMAND(kernel_trace) \
    COMMAND(kernel_mark) \
    COMMAND(kernel_save) \
    COMMAND(kernel_measure) \
    COMMAND(kernel_memory) \
    COMMAND(kernel_learn) \
    COMMAND(program_load) \
    COMMAND(program_run) \
    COMMAND(program_blocks) \
    COMMAND(program_reuse) \
    COMMAND(program_formula) \
    COMMAND(program_misses) \
    COMMAND(program_mix) \
    COMMAND(program_predict) \
    COMMAND(program_sensitivity) \
    COMMAND(program_sweep) \
    COMMAND(program_validate) \
    COMMAND(program_blame) \
    COMMAND(program_show) \
    COMMAND(program_profile) \
    COMMAND(program_stop) \
    COMMAND(program_diff) \
    COMMAND(program_explain) \
    COMMAND(program_open) \
    COMMAND(kernel_blame) \
    COMMAND(mapping_show) \
    COMMAND(mapping_diff) \
    COMMAND(mapping_list) \
    COMMAND(mapping_use) \
    COMMAND(mapping_load) \
    COMMAND(mapping_save) \
    COMMAND(mapping_new) \
    COMMAND(mapping_import) \
    COMMAND(mapping_export) \
    COMMAND(mapping_set) \
    COMMAND(throughput) \
    COMMAND(forms_list) \
    COMMAND(forms_add) \
    COMMAND(forms_select) \
    COMMAND(forms_scan) \
    COMMAND(forms_compare) \
    COMMAND(experiments_generate) \
    COMMAND(experiments_load) \
    COMMAND(experiments_import) \
    COMMAND(experiments_save) \
    COMMAND(experiments_split) \
    COMMAND(experiments_compare) \
    COMMAND(experiments_merge) \
    COMMAND(experiments_measure) \
    COMMAND(experiments_pause) \
    COMMAND(experiments_resume) \
    COMMAND(experiments_settle) \
    COMMAND(experiments_show) \
    COMMAND(latency_measure) \
    COMMAND(machine_atlas) \
    COMMAND(machine_calibrate) \
    COMMAND(machine_chart) \
    COMMAND(machine_check) \
    COMMAND(machine_correct) \
    COMMAND(machine_hunt) \
    COMMAND(machine_list) \
    COMMAND(machine_info) \
    COMMAND(machine_show) \
    COMMAND(experiments_list) \
    COMMAND(experiments_clear) \
    COMMAND(congruence) \
    COMMAND(evaluate) \
    COMMAND(evolve_start) \
    COMMAND(evolve_status) \
    COMMAND(evolve_pause) \
    COMMAND(evolve_resume) \
    COMMAND(evolve_stop) \
    COMMAND(evolve_wait) \
    COMMAND(evolve_set) \
    COMMAND(evolve_adopt) \
    COMMAND(evolve_edit) \
    COMMAND(jobs) \
    COMMAND(job_cancel) \
    COMMAND(job_wait) \
    COMMAND(view) \
    COMMAND(pane) \
    COMMAND(find) \
    COMMAND(jump) \
    COMMAND(sort) \
    COMMAND(filter) \
    COMMAND(do) \
    COMMAND(prompt) \
    COMMAND(keys) \
    COMMAND(bind) \
    COMMAND(unbind) \
    COMMAND(session_save) \
    COMMAND(session_load) \
    COMMAND(session_list) \
    COMMAND(session_diff) \
    COMMAND(undo) \
    COMMAND(redo) \
    COMMAND(set) \
    COMMAND(copy) \
    COMMAND(export) \
    COMMAND(plot) \
    COMMAND(report) \
    COMMAND(source) \
    COMMAND(help) \
    COMMAND(tutorial) \
    COMMAND(demo) \
    COMMAND(quit)

#define DECLARED(name) extern const struct command command_##name;
#define LISTED(name) &command_##name,
COMMANDS(DECLARED)
const struct command *const commands[] = {COMMANDS(LISTED) NULL};

/* Returns the number of leading @words that are prefixes of the words of @command's name; 0 if
 * these words do not name it. Sets *@exact to whether the words are complete. */
static int words_match(const struct command *command, int count, char **words, bool *exact)
{
    const char *name = command->name;
    int used = 0;

    *exact = true;
    while (*name) {
        size_t span = strcspn(name, " ");
        if (used >= count || !*words[used] || strlen(words[used]) > span ||
            strncmp(name, words[used], strlen(words[used])) != 0)
            return 0;
        *exact &= strlen(words[used]) == span;
        name += span + (name[span] == ' ');
        used++;
    }
    return used;
}

static void list_verbs(const char *word, struct str *out)
{
    for (const struct command *const *c = commands; *c; c++) {
        const char *space = strchr((*c)->name, ' ');
        if (space && strlen(word) == (size_t)(space - (*c)->name) &&
            str_has_prefix((*c)->name, word))
            str_addf(out, "%s%s", out->length ? ", " : "", (*c)->name);
    }
}

/* Returns whether the blank-separated list @words (NULL: empty) has @word. */
static bool listed(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; at && length; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

static void list_nouns(const char *word, struct str *out)
{
    for (const struct command *const *c = commands; *c; c++) {
        const char *space = strchr((*c)->name, ' ');
        if (space && strcmp(space + 1, word) == 0)
            str_addf(out, "%s%s", out->length ? ", " : "", (*c)->name);
    }
}

/* Returns the command that unknown words probably mean, NULL if there is none. Tries, in this
 * order, synonyms, similar names, verbs without a noun, commands that begin with @first, and
 * similar verbs. */
static const char *meant_by(const char *first, const char *second)
{
    struct similar whole = {0}, word = {0};
    struct str typed = {0};

    str_addf(&typed, "%s%s%s", first, *second ? " " : "", second);
    whole.word = str_text(&typed);
    word.word = first;
    const char *begun = NULL, *verb = NULL, *meant = NULL;
    for (const struct command *const *c = commands; *c; c++) {
        if (listed((*c)->meant, first) || listed((*c)->meant, second))
            meant = (*c)->name;
        const char *name = (*c)->name, *space = strchr(name, ' ');
        similar_try(&whole, name);
        similar_try(&word, space ? space + 1 : name);
        if (space && str_has_prefix(space + 1, first) && !verb)
            verb = name;
        if (str_has_prefix(name, first) && !begun)
            begun = name;
    }
    /* word.best is a part of a command's name. Replaces it with the whole name. */
    for (const struct command *const *c = commands; *c && word.best && !whole.best; c++)
        if (word.best >= (*c)->name && word.best <= (*c)->name + strlen((*c)->name))
            word.best = (*c)->name;
    str_done(&typed);
    return meant ? meant : whole.best ? whole.best : verb ? verb : begun ? begun : word.best;
}

static void refuse(int count, char **words, struct err *err)
{
    const char *second = count > 1 ? words[1] : "";
    struct str todo = {0}, verbs = {0}, nouns = {0};

    list_verbs(words[0], &verbs);
    if (!verbs.length)
        list_nouns(words[0], &nouns);
    const char *meant = verbs.length && !*second ? NULL : meant_by(words[0], second);
    if (verbs.length && !(meant && str_has_prefix(meant, words[0])))
        str_addf(&todo, "one of: %s", str_text(&verbs));
    else if (strchr(str_text(&nouns), ','))
        str_addf(&todo, "one of: %s", str_text(&nouns));
    else if (nouns.length || meant)
        str_addf(&todo, "did you mean %s?", nouns.length ? str_text(&nouns) : meant);
    else
        str_add(&todo, "help lists the commands");
    err_set(err, ERR_USAGE, str_text(&todo), "\"%s%s%s\" is no command", words[0],
            verbs.length && *second ? " " : "", verbs.length ? second : "");
    str_done(&todo);
    str_done(&verbs);
    str_done(&nouns);
}

void command_usage(const struct command *c, struct str *out)
{
    parameters_usage(c->arguments, c->options, out);
}

static bool takes_nothing(const struct command *c)
{
    return !(c->arguments && c->arguments->name) && !(c->options && c->options->name);
}

static bool needs_nothing(const struct command *c)
{
    return !takes_nothing(c) && !(c->arguments && c->arguments->name && c->arguments->required);
}

static const struct command *by_alias(const char *word)
{
    for (const struct command *const *c = commands; *c; c++)
        if (listed((*c)->aliases, word))
            return *c;
    return NULL;
}

const struct command *command_lookup(int count, char **words, int *used, struct err *err)
{
    const struct command *alias = count ? by_alias(words[0]) : NULL;
    if (alias) {
        *used = 1;
        return alias;
    }
    const struct command *found = NULL;
    struct str names = {0};
    int matches = 0, most = 0;
    bool found_optional = false;

    for (const struct command *const *at = commands; *at; at++) {
        const struct command *c = *at;
        bool exact, optional = needs_nothing(c);
        int n = words_match(c, count, words, &exact);
        /* An abbreviated command must take arguments if there are any: `k l x.s` is kernel load, `k
         * l` is kernel list. */
        if (!n || (!exact && takes_nothing(c) != (n == count) && !optional))
            continue;
        /* A match of more words has precedence: `k a` is kernel analyze, not keys with an
         * argument. */
        if (!exact && n < most)
            continue;
        /* A command that also works without arguments (`kernel learn`) has the lowest
         * precedence. */
        if (!exact && n == most && optional && matches && !found_optional)
            continue;
        if (!exact && (n > most || (!optional && matches && found_optional))) {
            matches = 0;
            str_clear(&names);
        }
        found_optional = optional;
        most = n;
        *used = n;
        if (exact) {
            str_done(&names);
            return c;
        }
        str_addf(&names, "%s%s", matches++ ? ", " : "", c->name);
        found = c;
    }
    if (matches > 1) {
        err_set(err, ERR_USAGE, "type more letters", "\"%s\" is ambiguous: %s", words[0],
                str_text(&names));
        found = NULL;
    } else if (!matches) {
        refuse(count, words, err);
    }
    str_done(&names);
    return found;
}

/* Writes the output of the command and of its jobs in the session's format. Moves a job's prepared
 * text, which may be large. Writes nothing if the result is empty (in JSON:
 * and has no command), or in CSV if it has no data. */
static void write_output(struct session *s, const char *title, struct str *out)
{
    struct result_style style = {.title = title, .color = s->settings.color};
    bool json = s->settings.format == FORMAT_JSON, csv = s->settings.format == FORMAT_CSV;

    if (json ? !result_command(s->result) && result_empty(s->result)
             : result_empty(s->result) || (csv && !result_has_data(s->result)))
        return;
    if (!result_take_prepared(s->result, s->settings.format, &style, out))
        result_write(s->result, s->settings.format, &style, out);
}

/* Stores the result for `export` and creates a new result for the session. */
static void keep_result(struct session *s, char *take_line)
{
    free(s->last_line);
    s->last_line = take_line;
    session_note_failure(s, NULL);
    result_free(s->last);
    s->last = s->result;
    s->result = result_new();
}

/* Records whether `export` has a result. After a failed command it has no result, because the user
 * could mistake an earlier result for the result of the failed command. Silent commands, and
 * commands that use the shown result, are exceptions. The command `view` makes results exportable
 * again. */
static void note_end(struct session *s, const struct command *c, const char *line, bool ok)
{
    if (ok && c == &command_view)
        session_note_failure(s, NULL);
    else if (!ok && !(c->flags & (COMMAND_SHOWN | COMMAND_SILENT)))
        session_note_failure(s, line);
}

void command_job_failed(struct session *s, const char *title)
{
    /* The user may repeat a failed export, so its failure is not recorded. */
    if (strcmp(title, command_export.name) != 0)
        session_note_failure(s, title);
}

/* Returns whether `export` has the result of @c. A confirmation does not replace an earlier
 * result. */
static bool shows(const struct session *s, const struct command *c)
{
    return c != &command_export && c != &command_help && !(c->flags & COMMAND_SILENT) &&
           !result_empty(s->result) && !result_is_confirmation(s->result);
}

char *command_take_job_result(struct session *s, const char *title)
{
    struct str line = {0}, text = {0};

    const char *note = s->views ? result_noted(s->result) : "";
    if (result_empty(s->result) && !*note)
        return NULL;
    write_output(s, title, &text);
    if (!text.length)
        str_add(&text, note);
    if (result_is_confirmation(s->result)) {
        session_clear_output(s);
    } else {
        str_addf(&line, "job: %s", title);
        keep_result(s, str_take(&line));
    }
    return str_take(&text);
}

/* Refuses commands that change the session, read its data or start a job, while a job prepares to
 * replace the session. Their changes and results would be lost. Allows silent commands. */
static bool may_run(const struct session *s, const struct command *c, struct err *err)
{
    return !s->replacing || (!(c->flags & (COMMAND_CHANGES | COMMAND_JOB)) && !c->read) ||
           c->flags & COMMAND_SILENT ||
           err_set(err, ERR_USAGE, "job wait waits for the job, Esc cancels it", "job %u %s",
                   s->replacing, s->replacing_how);
}

static bool interrupted(void *state)
{
    return job_interrupted();
}

/* State of a command with `read`, which the workbench runs in the background on a snapshot of the
 * session */
struct reading {
    const struct command *command;
    const void *values;
    struct session *read;     /* the snapshot, into which the handler may load machines */
};

static bool reading_work(void *state, struct result *result, struct err *err)
{
    struct reading *r = state;
    return r->command->read(r->read, r->values, result, err);
}

/* Adds the machines that the handler loaded to the session, except those that it already has. */
static bool reading_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct reading *r = state;

    for (size_t i = 0; i < r->read->document.machine_count; i++) {
        struct machine *m = r->read->document.machines[i];
        if (!session_has_machine(s, m->id))
            session_add_machine(s, machine_hold(m));
    }
    return true;
}

static void reading_free(void *state)
{
    struct reading *r = state;

    session_forget(r->read);
    free(r);
}

struct given *command_values(const struct command *c, char **words, size_t count, struct err *err)
{
    return given_new(c->name, c->arguments, c->options, c->values_size, words, count, err);
}

static bool prepare_reading(struct session *s, const struct command *c, const void *values,
                            struct task *task)
{
    static const struct task_ops ops = {"runs", reading_work, reading_publish, reading_free,
                                        .listed = TASK_LISTED_IF_LONG};
    struct reading *r = mem_alloc(sizeof *r);

    *r = (struct reading){c, values, session_snapshot(s)};
    task->doing = c->doing;
    return task_give(task, &ops, r);
}

/* Runs the handlers of a record with its words. If the user typed the words (@typed), also releases
 * the machines queued for the command. */
static bool run_record(struct session *s, const struct command *c, char **words, size_t count,
                       bool typed, struct err *err)
{
    struct task task = {0};
    struct given *given = may_run(s, c, err) ? command_values(c, words, count, err) : NULL;
    bool ok = given != NULL;

    if (ok && c->prepare)
        ok = c->prepare(s, given->values, &task, err);
    else if (ok && c->read && s->interactive)
        ok = prepare_reading(s, c, given->values, &task);
    else if (ok)
        ok = (c->read ? c->read : c->run)(s, given->values, s->result, err);
    task.given = given;
    if (ok && task.ops)
        ok = task_start(s, c->name, &task, err);
    else
        task_drop(&task);
    if (typed)
        queue_drop_machines(&s->queue);
    return ok;
}

static void add_error(struct result *result, const struct err *err)
{
    char text[2048];
    result_text(result, "error", err_text(err, text, sizeof text));
}

/* Returns the view that shows all output of a line: the command's view (@own), with the session's
 * result. Returns NULL if the output is printed as text. */
static const char *view_of_all(const struct session *s, const char *own, bool printed, FILE *out)
{
    if (!printed && !s->in_view)
        return own;
    return !out || ftell(out) <= 0 || s->in_view == own ? s->in_view : NULL;
}

/* Runs @c with its own result, because commands can run other commands. Writes the output to @out
 * (NULL: nowhere). @line: typed text; NULL: the result is not stored. */
static bool run_command(struct session *s, const struct command *c, char **words, size_t count,
                        const char *line, FILE *out, struct err *err)
{
    struct result *outer = s->result;
    struct str printed = {0};
    struct shortage shortage = {0}, *before = shortage_begin(&shortage);
    struct err none = {0};

    if (line)   /* No other command is running, so this command was typed or is part of a script. */
        document_let_go(&s->document);
    s->result = result_new();
    result_set_command(s->result, c->name);
    s->out = out;
    const char *own = s->in_view;
    s->in_view = NULL;
    /* Without a screen, a reading command is not a job, so Ctrl-C cancels it through a watch. */
    bool watches = c->read && !s->interactive;
    struct watch watched = watches ? watch_begin(interrupted, NULL) : watch;
    bool ok = run_record(s, c, words, count, line != NULL, err);
    s->revision += c->flags & COMMAND_CHANGES ? 1 : 0;
    if (!ok)
        recognise(err, c->name);
    if (!ok && s->settings.format == FORMAT_JSON)
        add_error(s->result, err);
    write_output(s, line ? line : c->name, &printed);
    if (ok && s->interactive && *result_noted(s->result))
        str_addf(&s->said, "%s%s", s->said.length ? "; " : "", result_noted(s->result));
    s->in_view = view_of_all(s, own, printed.length != 0, out);
    bool cut = watches && !watch_goes_on(ok ? err : &none);
    if (watches)
        watch_restore(watched);
    ok = shortage_end(&shortage, ok && !cut, c->name, err);
    if (out && !shortage.cut && !cut)
        utf8_write(out, str_text(&printed), printed.length);
    if (out && fflush(out) != 0 && ok)
        ok = err_set(err, ERR_IO, "write the output to another file", "cannot write the output: %s",
                     strerror(errno));
    /* A command in the background shows a note, but no result. */
    if (ok && line && shows(s, c) && !(s->queue.now && s->queue.own))
        keep_result(s, mem_strdup(line));
    if (line)
        note_end(s, c, line, ok);
    str_done(&printed);
    result_free(s->result);
    s->result = outer;
    shortage_restore(before);
    if (ok && line && s->views && s->views->ran)
        s->views->ran(s, c->name);
    return ok;
}

/* Prints an object with the error for an invalid command line to @out (NULL: nowhere), in JSON
 * format only. */
static void print_refusal(struct session *s, const char *text, const char *end, FILE *out,
                          const struct err *err)
{
    if (s->settings.format != FORMAT_JSON || !out)
        return;
    struct result *outer = s->result;
    struct str printed = {0};
    char *line = line_rest(text, end, 0);

    s->result = result_new();
    result_set_command(s->result, line);
    add_error(s->result, err);
    write_output(s, line, &printed);
    utf8_write(out, str_text(&printed), printed.length);
    fflush(out);
    result_free(s->result);
    s->result = outer;
    str_done(&printed);
    free(line);
}

/* Sets *@waits to whether @c must wait until a job has loaded its machines and forms. Other
 * problems are reported when @c runs. Returns false with err. */
static bool waits_for_data(struct session *s, const struct command *c, char **words, size_t count,
                           bool *waits, struct err *err)
{
    struct result *outer = s->result;
    struct err none = {0};

    *waits = false;
    if (!s->interactive || c->read || !may_run(s, c, &none))
        return true;
    s->result = result_new();   /* The new result discards the job's note. */
    bool ok = queue_load(s, c, words, count, waits, err);
    result_free(s->result);
    s->result = outer;
    return ok;
}

bool command_execute(struct session *s, const char *text, const char *end, FILE *out, bool *waits,
                     struct err *err)
{
    struct line_words words = {0};
    int used = 0;
    bool ok = false;

    if (!line_split(text, end, &words, err)) {
        print_refusal(s, text, end, out, err);
        goto out;
    }
    ok = words.count == 0;
    const struct command *command =
        words.count ? command_lookup(words.count, words.items, &used, err) : NULL;
    if (!command && !ok) {
        char *refused = line_rest(text, end, 0);
        print_refusal(s, text, end, out, err);
        session_note_failure(s, refused);
        free(refused);
    }
    if (!command)
        goto out;
    char *line = line_rest(text, end, 0), *raw = line_rest(text, end, used);
    bool whole = command->flags & COMMAND_RAW && words.count > used;
    char **given = whole ? &raw : words.items + used;
    const size_t count = whole ? 1 : (size_t)(words.count - used);
    ok = waits_for_data(s, command, given, count, waits, err);
    if (!ok)
        note_end(s, command, line, false);
    ok = ok && (*waits || run_command(s, command, given, count, line, out, err));
    free(raw);
    free(line);
out:
    line_words_done(&words);
    return ok;
}

bool command_call(struct session *s, const struct command *c, char **words, size_t count,
                  struct err *err)
{
    return run_command(s, c, words, count, NULL, NULL, err);
}

bool command_check(const char *line, const struct command **found, struct err *err)
{
    struct line_words words = {0};
    const char *next, *end = line_end(line, &next);
    int used = 0;
    bool ok = line_split(line, end, &words, err) && words.count;

    *found = ok ? command_lookup(words.count, words.items, &used, err) : NULL;
    const struct command *c = *found;
    if (c) {
        char *raw = line_rest(line, end, used);
        bool whole = c->flags & COMMAND_RAW && words.count > used;
        struct given *given = command_values(c, whole ? &raw : words.items + used,
                                             whole ? 1 : (size_t)(words.count - used), err);
        ok = given != NULL;
        given_free(given);
        free(raw);
    }
    line_words_done(&words);
    return ok && c;
}

bool command_write(const char *file, const struct str *text, struct result *result, struct err *err)
{
    if (!file_write(file, str_text(text), text->length, err))
        return false;
    result_confirm(result, "%s: %zu byte%s", file, text->length, plural(text->length));
    result_text(result, "file", file);
    result_count(result, "bytes", (int64_t)text->length);
    return true;
}
