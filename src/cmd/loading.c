/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/loading.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/watch.h"
#include "toolchain/margins.h"
#include "toolchain/plain.h"
#include "work/pool.h"

/* maximum number of bytes of rejected text that the user can correct */
#define EDIT_LIMIT ((size_t)1 << 20)

/* State of a job that loads a kernel: from a file by a recipe, or from text */
struct kernel_loading {
    struct recipe *recipe;          /* recipe to load; NULL: @text is loaded, or the recipe was
                                     * used */
    struct kernel_options options;  /* options for text; no symbol */
    struct str text;
    bool source;                    /* whether the file is a source to compile */
    size_t loop;                    /* index of the requested loop, from 1 */
    struct str printed;             /* messages of the compiler if it rejected the source */
    double begun;
    struct kernel *kernel;
};

static void loading_free(void *state)
{
    struct kernel_loading *l = state;
    recipe_free(l->recipe);
    str_done(&l->text);
    str_done(&l->printed);
    kernel_free(l->kernel);
    free(l);
}

static bool cancelled(void *state)
{
    const struct kernel_loading *l = state;
    job_progress(clock_seconds() - l->begun, 0, "%s has been running for %.1f s",
                 l->source ? "the compiler" : "the assembler", clock_seconds() - l->begun);
    return watch_over();
}

static bool load(void *state, struct result *result, struct err *err)
{
    struct kernel_loading *l = state;
    struct recipe *recipe = l->recipe;

    l->recipe = NULL;
    l->begun = clock_seconds();
    /* Without a job, Ctrl-C ends the process, so the child needs no predicate. */
    child_watch(thread_job ? cancelled : NULL, l);
    l->kernel =
        recipe ? recipe_make(recipe, &l->printed, err)
               : kernel_from_text("pasted", str_text(&l->text), l->text.length, &l->options, err);
    child_watch(NULL, NULL);
    /* If the job was cancelled, the watch's error replaces the reader's error. */
    return watch_goes_on(err) && l->kernel;
}

/* Adds a row for each rejected line. Text has only the lines that --skip-bad skipped. */
static void add_left_out(struct result *result, const struct kernel *k)
{
    static const struct result_column columns[] = {{.key = "line", .kind = CELL_COUNT},
                                                   {.key = "text", .kind = CELL_TEXT},
                                                   {.key = "reason", .kind = CELL_TEXT}};
    struct result_table *t = RESULT_TABLE(result, "left_out", columns);

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < k->refused_count + k->left_out_count; i++) {
        bool refused = i < k->refused_count;
        const struct diagnostic *d = refused ? &k->refused[i] : &k->left_out[i - k->refused_count];
        if (refused)
            result_line(result, "skipped line %zu: %s: %s", d->line, d->text, d->reason);
        cell_count(t, (int64_t)d->line);
        cell_text(t, d->text);
        cell_text(t, d->reason);
    }
}

void kernel_tell_left_out(const struct kernel *k, size_t refused, const char *mark, struct str *out)
{
    size_t gaps = 0;

    for (size_t i = 0; i < k->left_out_count; i++)
        gaps += strcmp(k->left_out[i].reason, MARGIN_GAP) == 0;
    const size_t skipped = k->left_out_count - gaps + refused;
    if (skipped)
        str_addf(out, "%s%zu line%s skipped", mark, skipped, plural(skipped));
    if (gaps)
        str_addf(out, "%sinstructions omitted before %zu line%s", mark, gaps, plural(gaps));
}

void kernel_tell_loaded(struct session *s, struct result *result)
{
    const struct kernel *k = s->document.kernel;
    size_t count;

    kernel_insns(k, s->document.loop, &count);
    struct str rest = {0}, made = {0};
    kernel_tell_left_out(k, 0, "; ", &rest);
    str_add(&rest, k->left_out_count ? ", see kernel omitted" : "");
    if (k->recipe && k->recipe->printed)
        str_add(&rest, "; the compiler printed messages, see kernel diagnostics");
    shelf_tell_dropped(&s->document.shelf, &rest);
    if (k->recipe)
        recipe_print(k->recipe, k->isa, &made);
    if (k->refused_count + k->left_out_count)
        add_left_out(result, k);
    if (!k->refused_count)
        result_set_confirmation(result);
    result_line(result, "%s%s: %s, %zu instruction%s%s%s%s", k->name, str_text(&made),
                k->loops[s->document.loop].why, count, plural(count),
                k->loop_count > 1 ? "; kernel list shows the other loops" : "",
                k->of_many ? "; --symbol selects another function" : "", str_text(&rest));
    str_done(&rest);
    struct err other = {0};
    if (!session_shown_fit(s, &other)) {
        result_line(result, "%s: the loop is shown on %s%s", other.what, s->document.selected[0],
                    s->document.selected_count > 1 ? " and more" : "");
        result_text(result, "machines_not_chosen", other.what);
    }
    result_text(result, "kernel", k->name);
    if (k->recipe && k->recipe->source)
        result_text(result, "compiled", str_text(&made) + (made.length > 0));
    str_done(&made);
    result_count(result, "instructions", (int64_t)count);
    result_count(result, "loops", (int64_t)k->loop_count);
    result_text(result, "loop", k->loops[s->document.loop].why);
}

char *loading_plain(const char *text, size_t length)
{
    struct str plain = {0};

    return plain_text(text, length, &plain) ? str_take(&plain) : mem_strndup(text, length);
}

static bool publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct kernel_loading *l = state;

    session_set_kernel(s, l->kernel, l->loop);
    l->kernel = NULL;
    kernel_tell_loaded(s, result);
    return true;
}

/* Makes the screen of the workbench show rejected pasted text of at most EDIT_LIMIT bytes again,
 * for correction. */
static void give_back(struct session *s, const struct kernel_loading *l, const struct err *err)
{
    struct str plain = {0};

    if (!s->interactive || !l->text.length || l->text.length > EDIT_LIMIT)
        return;
    str_clear(&s->refused);
    if (plain_text(str_text(&l->text), l->text.length, &plain))
        str_add_bytes(&s->refused, str_text(&plain), plain.length);
    else
        str_add_bytes(&s->refused, str_text(&l->text), l->text.length);
    s->refused_line = err->line;
    str_done(&plain);
}

/* Shows the compiler's messages if it rejected the source. Shows rejected pasted text again, for
 * correction. Does nothing after a cancellation. */
static void failed(struct session *s, void *state, struct result *result, const struct err *err)
{
    const struct kernel_loading *l = state;

    if (!err)
        return;
    if (l->printed.length)
        result_block(result, str_text(&l->printed));
    give_back(s, l, err);
}

void loading_goes_on(struct session *s, unsigned number)
{
    s->loading = number;
}

bool loading_give(struct session *s, struct task *task, const struct task_ops *ops,
                  void *take_state)
{
    if (job_cancel(s->loading))
        queue_drop(&s->queue);
    s->loading = 0;
    return task_give(task, ops, take_state);
}

static bool start(struct session *s, struct kernel_loading *take_l, struct task *task)
{
    static const struct task_ops assembles = {"assembles", load, publish, loading_free,
                                              .failed = failed, .goes_on = loading_goes_on};
    static const struct task_ops compiles = {"compiles", load, publish, loading_free,
                                             .title = "kernel load (compiles)", .failed = failed,
                                             .goes_on = loading_goes_on};

    return loading_give(s, task, take_l->source ? &compiles : &assembles, take_l);
}

bool loading_start(struct session *s, struct recipe *take_recipe, struct task *task)
{
    struct kernel_loading *l = mem_zero(1, sizeof *l);

    free((char *)take_recipe->options.source_path);
    take_recipe->options.source_path =
        *s->settings.source_path ? mem_strdup(s->settings.source_path) : NULL;
    l->recipe = take_recipe;
    l->source = take_recipe->source;
    l->loop = kernel_loop_requested(&take_recipe->options);
    return start(s, l, task);
}

bool loading_start_text(struct session *s, struct str *take_text,
                        const struct kernel_options *options, struct task *task)
{
    struct kernel_loading *l = mem_zero(1, sizeof *l);

    l->text = *take_text;
    *take_text = (struct str){0};
    l->options = *options;
    l->loop = kernel_loop_requested(options);
    return start(s, l, task);
}
