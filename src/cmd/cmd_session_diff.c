/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_names.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/saved_state.h"
#include "cmd/session_file.h"

struct session_pair {
    const char *a, *b;
};

static void add(struct result_table *t, const char *part, const char *what, const char *a,
                const char *b)
{
    cell_text(t, part);
    cell_text(t, what);
    cell_text(t, a);
    cell_text(t, b);
}

static void compare_settings(const struct document *a, const struct document *b,
                             const struct settings *sa, const struct settings *sb,
                             struct result_table *t)
{
    struct str left = {0}, right = {0};

    for (const struct setting *setting = settings_table; setting->name; setting++) {
        if (!setting->saved)
            continue;
        str_clear(&left);
        str_clear(&right);
        setting_print(sa, setting, &left);
        setting_print(sb, setting, &right);
        if (strcmp(str_text(&left), str_text(&right)) != 0)
            add(t, "setting", setting->name, str_text(&left), str_text(&right));
    }
    str_clear(&left);
    str_clear(&right);
    for (size_t i = 0; i < a->selected_count; i++)
        str_addf(&left, "%s%s", i ? "," : "", a->selected[i]);
    for (size_t i = 0; i < b->selected_count; i++)
        str_addf(&right, "%s%s", i ? "," : "", b->selected[i]);
    if (strcmp(str_text(&left), str_text(&right)) != 0)
        add(t, "setting", "machine", str_text(&left), str_text(&right));
    str_done(&left);
    str_done(&right);
}

static void kernel_label(const struct shelved *item, struct str *out)
{
    str_clear(out);
    shelf_name(item, out);
}

static const struct shelved *find_kernel(const struct shelf *shelf, const char *label)
{
    const struct shelved *found = NULL;
    struct str other = {0};

    for (size_t i = 0; i < shelf->list.count && !found; i++) {
        kernel_label(&shelf->list.items[i], &other);
        if (strcmp(str_text(&other), label) == 0)
            found = &shelf->list.items[i];
    }
    str_done(&other);
    return found;
}

/* Returns whether the source texts are equal. If one of them has no text, returns whether the bytes
 * of the loops are equal. */
static bool same_kernel(const struct shelved *a, const struct shelved *b)
{
    size_t m, n;
    const struct insn *x = kernel_insns(a->kernel, a->loop, &m),
                      *y = kernel_insns(b->kernel, b->loop, &n);

    if (a->kernel->source && b->kernel->source)
        return strcmp(a->kernel->source, b->kernel->source) == 0;
    for (size_t i = 0; m == n && i < n; i++)
        if (x[i].length != y[i].length || memcmp(x[i].bytes, y[i].bytes, x[i].length) != 0)
            return false;
    return m == n;
}

static void compare_kernels(const struct shelf *a, const struct shelf *b, struct result_table *t)
{
    struct str label = {0};
    char count[32];

    for (size_t i = 0; i < a->list.count; i++) {
        kernel_label(&a->list.items[i], &label);
        const struct shelved *other = find_kernel(b, str_text(&label));
        if (!other)
            add(t, "kernel", str_text(&label), "there", NULL);
        else if (!same_kernel(&a->list.items[i], other)) {
            snprintf(count, sizeof count, "%zu", other->kernel->insn_count);
            struct str left = {0}, right = {0};
            str_addf(&left, "%zu instruction%s", a->list.items[i].kernel->insn_count,
                     plural(a->list.items[i].kernel->insn_count));
            str_addf(&right, "another text, %s instructions", count);
            add(t, "kernel", str_text(&label), str_text(&left), str_text(&right));
            str_done(&left);
            str_done(&right);
        }
    }
    for (size_t i = 0; i < b->list.count; i++) {
        kernel_label(&b->list.items[i], &label);
        if (!find_kernel(a, str_text(&label)))
            add(t, "kernel", str_text(&label), NULL, "there");
    }
    str_done(&label);
}

static void print_usage(const struct ports *shown, const struct mapping_entry *entry,
                        struct str *out)
{
    str_clear(out);
    if (entry && !entry->usage.count)
        str_add(out, "none");
    if (entry)
        usage_print(&entry->usage, shown, out);
}

static bool compare_machine(const struct machine *a, const struct machine *b,
                            struct result_table *t)
{
    struct str left = {0}, right = {0}, what = {0};
    struct ports shown[2];

    ports_shown(a, &shown[0]);
    ports_shown(b, &shown[1]);
    for (int turn = 0; turn < 2; turn++) {
        const struct machine *m = turn ? b : a, *other = turn ? a : b;
        for (size_t i = 0; i < mapping_count(m->mapping) && !watch_steps(1); i++) {
            const struct mapping_entry *entry = mapping_at(m->mapping, i),
                                       *there = mapping_find(other->mapping, entry->form);
            if (turn && there)
                continue;   /* The first pass has compared this machine. */
            print_usage(&shown[turn], entry, turn ? &right : &left);
            print_usage(&shown[!turn], there, turn ? &left : &right);
            if (strcmp(str_text(&left), str_text(&right)) == 0)
                continue;
            str_clear(&what);
            str_addf(&what, "%s %s", m->id, entry->form);
            add(t, "usage", str_text(&what), left.length ? str_text(&left) : NULL,
                right.length ? str_text(&right) : NULL);
        }
    }
    str_done(&left);
    str_done(&right);
    str_done(&what);
    return true;
}

/* Compares each machine that a session loaded. If the other session did not load the machine, uses
 * the installed tables of the machine. */
static bool compare_machines(struct session *a, struct session *b, struct result_table *t,
                             struct err *err)
{
    bool ok = true;

    for (int turn = 0; ok && turn < 2; turn++) {
        const struct document *d = &(turn ? b : a)->document;
        for (size_t i = 0; ok && i < d->machine_count; i++) {
            const char *id = d->machines[i]->id;
            if (turn && document_machine(&a->document, id))
                continue;   /* The first pass has compared this machine or loaded it for the
                             * comparison. */
            const struct machine *x = session_machine(a, id, err),
                                 *y = x ? session_machine(b, id, err) : NULL;
            ok = y && watch_goes_on(err) && (x == y || compare_machine(x, y, t));
        }
    }
    return ok;
}

/* Lists the keys of @t's experiments. If all keys differ, the index of a key is its row. */
static void index_rows(const struct experiments *t, struct names *out)
{
    struct str text = {0};

    for (size_t i = 0; t && i < t->rows.count && !watch_steps(1); i++) {
        str_clear(&text);
        experiments_print(t, i, &text);
        names_add(out, str_text(&text));
    }
    str_done(&text);
}

static void compare_experiments(const struct experiments *a, const struct experiments *b,
                                struct result_table *t, struct result *result)
{
    struct names left = {0}, right = {0};
    size_t only_a = 0, only_b = 0, changed = 0;
    char x[40], y[40];

    index_rows(a, &left);
    index_rows(b, &right);
    for (size_t i = 0; i < left.count && !watch_steps(1); i++) {
        uint32_t at = names_find(&right, left.items[i]);
        only_a += at == UINT32_MAX;
        /* If a key occurs twice, indices are not rows, so only the presence of experiments is
         * compared. */
        if (at == UINT32_MAX || left.count != a->rows.count || right.count != b->rows.count)
            continue;
        double p = a->rows.items[i].cycles, q = b->rows.items[at].cycles;
        if (p == q || (isnan(p) && isnan(q)))
            continue;
        changed++;
        snprintf(x, sizeof x, "%.4g", p);
        snprintf(y, sizeof y, "%.4g", q);
        add(t, "experiment", left.items[i], isnan(p) ? NULL : x, isnan(q) ? NULL : y);
    }
    for (size_t i = 0; i < right.count && !watch_steps(1); i++)
        only_b += names_find(&left, right.items[i]) == UINT32_MAX;
    if (only_a + only_b + changed)
        result_line(result, "experiments: %zu only in A, %zu only in B, %zu with different cycles",
                    only_a, only_b, changed);
    result_count(result, "experiments_only_a", (int64_t)only_a);
    result_count(result, "experiments_only_b", (int64_t)only_b);
    result_count(result, "experiments_changed", (int64_t)changed);
    names_done(&left);
    names_done(&right);
}

/* Compares @sides, whose paths are @paths (the second may be NULL: the current session). Returns
 * false with err if a machine cannot be loaded, or after a cancellation. */
static bool compare(struct session *const sides[2], char *const paths[2], struct result *result,
                    struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "kind", .kind = CELL_TEXT, .width = 10},
        {.key = "what", .kind = CELL_TEXT, .width = 44},
        {.key = "a", .kind = CELL_TEXT, .width = 20},
        {.key = "b", .kind = CELL_TEXT, .width = RAGGED}};
    const struct document *a = &sides[0]->document, *b = &sides[1]->document;

    result_text(result, "a", paths[0]);
    result_text(result, "b", paths[1] ? paths[1] : "");
    result_line(result, "A  %s", paths[0]);
    result_line(result, "B  %s", paths[1] ? paths[1] : "the current session");
    struct result_table *t = RESULT_TABLE(result, "differences", columns);
    compare_settings(a, b, &sides[0]->settings, &sides[1]->settings, t);
    compare_kernels(&a->shelf, &b->shelf, t);
    if (!compare_machines(sides[0], sides[1], t, err))
        return false;
    compare_experiments(a->experiments, b->experiments, t, result);
    if (!t->count)
        result_line(result, "no difference");
    return watch_goes_on(err);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct session_pair *v = values;
    char *paths[2] = {saved_state_find(v->a, err)};
    struct session *read[2] = {0};
    bool ok = paths[0] && (!v->b || (paths[1] = saved_state_find(v->b, err)));

    for (int i = 0; ok && i < 2; i++)
        ok = !paths[i] || (read[i] = session_read(paths[i], err));
    ok = ok && compare((struct session *[]){read[0], read[1] ? read[1] : s}, paths, result, err);
    for (int i = 0; i < 2; i++) {
        session_forget(read[i]);
        free(paths[i]);
    }
    return ok;
}

const struct command command_session_diff = {
    .name = "session diff",
    .help = "compare two sessions: settings, kernels, port usages, experiments",
    .description = "Without B, A is compared with the current session. A usage changed in only one "
                   "session is compared with the shipped usage.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "A", struct session_pair, a), .required = true, .complete = COMPLETE_FILE,
         .help = "session directory, a name from session list, or last"},
        {PARAMETER(TEXT, "B", struct session_pair, b), .fallback = "the current session",
         .complete = COMPLETE_FILE, .help = "another session"}),
    .examples = EXAMPLES("session diff last", "session diff monday tuesday"),
    .values_size = sizeof(struct session_pair),
    .doing = "compares",
    .read = run,
};
