/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bar names only keys that have an effect in the present state. In each state and pane, every
 * key of the bar is pressed. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/function_list.h"
#include "cmd/keymap.h"
#include "isa/cpu.h"
#include "toolchain/compilers.h"
#include "view/bars.h"
#include "work/job.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

#define BAR 400   /* columns of a bar that has room for all keys */

static void load_text(const char *name)
{
    char line[4200];

    snprintf(line, sizeof line, "kernel load %s", source_path(name));
    run_to_end(line);
}

static void nothing(void)
{
}

static void no_kernel_on_one_machine(void)
{
    run_to_end("set machine skylake");
}

static void one_loop(void)
{
    run_to_end("set machine skylake");
    load();
}

static void on_three_machines(void)
{
    load();
    run_to_end("set machine skylake,haswell,znver4");
}

static void two_kernels(void)
{
    run_to_end("set machine skylake");
    load_text("data/kernels/pi-O2.s");
    load_text("data/kernels/pi-O1.s");
    run_to_end("kernel compare");
}

/* Loads code of another instruction set, which cannot run here. */
static void foreign_kernel(void)
{
    run_to_end(isa_host() == ISA_AARCH64 ? "kernel hex 4801d8480fafc3"
                                         : "kernel hex 0000018b21000191 --isa aarch64");
}

static void unknown_forms(void)
{
    run_to_end("set machine haswell; kernel hex 62f1fd4858c1");
}

static void whatif(void)
{
    one_loop();
    run_to_end("kernel whatif issue_width=2");
}

static void sweep(void)
{
    one_loop();
    run_to_end("kernel whatif issue_width=1..6");
}

static void compiled(void)
{
    static const char text[] = "long sum(const long *a, long n) { long s = 0; for (long i = 0; i < "
                               "n; i++) s += a[i]; return s; }\n";
    const char *installed[1];
    char line[4200];
    struct err err;

    run_to_end("set machine skylake");
    if (isa_host() != ISA_X86_64 || !compilers_installed(SOURCE_IN_C, isa_host(), installed, 1))
        return;
    assert_true(file_write(work_path("sum.c"), text, sizeof text - 1, &err));
    snprintf(line, sizeof line, "kernel load %s", work_path("sum.c"));
    run_to_end(line);
}

static void experiments_made(void)
{
    run_to_end("set machine skylake; forms select 'ADD (R64, R64)' 'IMUL (R64, R64)'; experiments "
               "generate");
}

static void experiments_timed(void)
{
    experiments_made();
    run_to_end("experiments measure --simulate skylake");
}

static void inferred(void)
{
    experiments_timed();
    run_to_end("evolve start --algorithm pmevo --ports 3 --population 20 --generations 6 --seed 1 "
               "--threads 1");
}

static void checked(void)
{
    add_check();
}

static void profiled(void)
{
    struct err err = {0};

    session.document.profile = profile_made();
    session.document.profile->loops.items[0].kernel =
        kernel_load(source_path("data/kernels/triad-skl-O3.s"), NULL, &err);
}

static void predicted(void)
{
    session.document.program.study = study_made();
}

static void profiled_and_predicted(void)
{
    profiled();
    predicted();
}

static void functions_listed(void)
{
    struct function_list *list = mem_zero(1, sizeof *list);

    list->path = mem_strdup("/proc/self/exe");
    list->serial = 1;
    vec_push(&list->rows, ((struct listed_function){.name = mem_strdup("relax"),
                                                    .symbol = mem_strdup("main"),
                                                    .address = 0x401000,
                                                    .size = 912,
                                                    .loops = 4}));
    session.document.functions = list;
}

static const struct state {
    const char *name;
    void (*make)(void);
    const char *views; /* views that this state changes; NULL for all */
} states[] = {{"nothing", nothing, NULL},
              {"no kernel on one machine", no_kernel_on_one_machine, NULL},
              {"one loop", one_loop, NULL},
              {"on three machines", on_three_machines, NULL},
              {"two kernels", two_kernels, NULL},
              {"foreign kernel", foreign_kernel, NULL},
              {"unknown forms", unknown_forms, "kernel machines"},
              {"what-if", whatif, "whatif kernel"},
              {"sweep", sweep, "whatif kernel"},
              {"compiled", compiled, "kernel source why faster"},
              {"experiments made", experiments_made, NULL},
              {"experiments measured", experiments_timed, NULL},
              {"inferred", inferred, NULL},
              {"checked", checked, NULL},
              {"profiled", profiled, NULL},
              {"predicted", predicted, NULL},
              {"profiled and predicted", profiled_and_predicted, NULL},
              {"functions listed", functions_listed, NULL}};
#define STATES (sizeof states / sizeof *states)

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static unsigned newest_job(void)
{
    struct job_info info = {0};
    unsigned newest = 0;

    for (size_t i = 0; job_get(i, &info); i++)
        newest = info.number > newest ? info.number : newest;
    return newest;
}

/* Ends all jobs, including those that their results start, such as inference. */
static void end_jobs(void)
{
    struct job_info info;

    while (job_running()) {
        if (session.document.run_count)
            frame_run(&frame, "evolve stop");
        for (size_t i = 0; job_get(i, &info); i++)
            if (info.state == JOB_RUNNING)
                job_cancel(info.number);
        frame_jobs(&frame);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    frame_jobs(&frame);
}

/* Writes the screen after all jobs have ended. */
static void settled_screen(struct str *out, unsigned width, unsigned height)
{
    struct str first = {0};

    str_clear(&frame.message);
    screen_text(&frame, width, height, false, &first);
    str_done(&first);
    job_wait(0);
    frame_jobs(&frame);
    str_clear(&frame.message);
    str_clear(out);
    screen_text(&frame, width, height, false, out);
}

/* Presses @key. Returns whether it had an effect. */
static bool acts(int key, unsigned width, unsigned height)
{
    const unsigned before_jobs = newest_job();
    struct str before = {0}, after = {0};
    const char *prefill;

    screen_text(&frame, width, height, true, &before);
    const enum frame_reply reply = frame_key(&frame, key, &prefill);
    const bool refused = frame.failed || (frame.message.length &&
                                          strstr(str_text(&frame.message), "not available here"));
    bool acted = reply == FRAME_PROMPT || newest_job() > before_jobs || session.quit ||
                 frame_edit(&frame) || session.copied.length > 0;
    if (!acted && !refused) {
        screen_text(&frame, width, height, true, &after);
        acted = strcmp(str_text(&before), str_text(&after)) != 0;
    }
    str_done(&before);
    str_done(&after);
    return acted && !refused;
}

/* Returns whether a bar with room for all keys has key @name of @row. */
static bool in_bar(const struct key_row *row, const char *name)
{
    struct str bar = {0}, key = {0};
    struct grid g;

    grid_init(&g, BAR, 1, false);
    bars_keys(&frame, &g, 0);
    grid_text(&g, false, &bar);
    grid_done(&g);
    str_addf(&key, " %s %s ", name, row->hint);
    const bool found = strstr(str_text(&bar), str_text(&key)) != NULL;
    str_done(&bar);
    str_done(&key);
    return found;
}

/* Presses the keys of @v's bar. Returns the number of those without an effect. */
static unsigned press_all(const struct state *state, const struct view_ops *v, unsigned width,
                          unsigned height)
{
    struct str screen = {0};
    unsigned idle = 0;
    bool settled = false;   /* whether no key has been pressed since the view was shown */
    char line[64], name[KEY_NAME_MOST];

    snprintf(line, sizeof line, "set panes on; view %s", v->name);
    for (const struct key_row *row = key_rows; row->views; row++) {
        if (!row->hint || !row->command ||
            !(key_row_in(row, v->name) || key_row_in(row, KEYMAP_ALL)))
            continue;
        if (!settled) {
            run_to_end(line);
            settled_screen(&screen, width, height);
        }
        settled = true;
        if (!keymap_key(session.keys, v->name, row->command, name) || !in_bar(row, name))
            continue;
        settled = false;
        if (!acts(key_of_name(name), width, height)) {
            print_message("%s, %s at %ux%u: %s (%s) has no effect: %s\n", state->name, v->name,
                          width, height, name, row->hint, str_text(&frame.message));
            idle++;
        }
        session.quit = false;
        str_clear(&session.copied);
        end_jobs();
    }
    str_done(&screen);
    return idle;
}

static void test_bars(void **unused)
{
    static const unsigned sizes[][2] = {{120, 40}, {80, 24}};
    unsigned idle = 0;

    for (size_t s = 0; s < STATES; s++)
        for (size_t v = 0; v < view_count(); v++) {
            if (states[s].views && !has_word(states[s].views, views[v]->name))
                continue;
            setup(NULL);
            session.patience = INFINITY;   /* Commands wait for their jobs. */
            states[s].make();
            session.patience = 0;
            idle += press_all(&states[s], views[v], sizes[v % 2][0], sizes[v % 2][1]);
            teardown(NULL);
        }
    assert_int_equal(idle, 0);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
