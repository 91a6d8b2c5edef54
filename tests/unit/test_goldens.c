/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every view with content, at three sizes, in colour, without colours and in ASCII, compared with
 * its golden screen (GENERATE=1 rewrites them). One file has one view at one size: text and
 * colours, the rows and attributes that differ without colours, and the rows that differ in
 * ASCII. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/function_list.h"
#include "work/job.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

static void show_kernel(void)
{
    load();
    press("jjj");
}

/* Shows the selected machines in adjacent columns. */
static void show_columns(void)
{
    load();
    run_to_end("view kernel");
    press("c");
}

static void show_timeline(void)
{
    load();
    run_to_end("view timeline");
}

static void show_chain(void)
{
    show_timeline();
    press("c");
}

static void show_whatif(void)
{
    load();
    run_to_end("set machine skylake; kernel whatif issue_width=1..6");
    run_to_end("view whatif");
}

/* Measures pairs of a dozen forms on a simulated processor. */
static void measure_pairs(void)
{
    run_to_end("set machine haswell,skylake,znver4; forms select 'ADD (R64, R64)' 'IMUL (R64, "
               "R64)' 'SHL (R64, I8)' 'MOV (R64, M64)' 'BSF (R64, R64)' 'ADC (R64, R64)' "
               "'VADDPD (YMM, YMM, YMM)' 'VMULPD (YMM, YMM, YMM)' 'VPADDD (YMM, YMM, YMM)' 'VPERMQ "
               "(YMM, YMM, I8)' 'POPCNT (R64, R64)' 'MOV (M64, R64)'; experiments generate");
    run_to_end("experiments measure --simulate skylake");
}

static void show_experiments(void)
{
    measure_pairs();
    run_to_end("view experiments; sort -error");
}

static void show_accuracy(void)
{
    measure_pairs();
    run_to_end("view accuracy");
}

/* Shows a run of one thread, which is reproducible, over generations, because the clock stands
 * still. */
static void show_evolution(void)
{
    measure_pairs();
    run_to_end("evolve start --algorithm pmevo --ports 5 --population 60 --generations 40 --seed 1 "
               "--threads 1");
    run_to_end("view evolution");
    press("x");
}

static void show_matrix(void)
{
    show_evolution();
    run_to_end("view matrix");
}

static void show_search(void)
{
    show_evolution();
    run_to_end("view search");
}

static void show_tables(void)
{
    show_evolution();
    run_to_end("view tables");
}

/* Shows the Pareto front, which a small screen shows only on request. */
static void show_front(void)
{
    show_evolution();
    press("f");
}

static void show_mapping(void)
{
    run_to_end("set machine skylake; view mapping");
    press("jjj");
}

static void show_study(void)
{
    session.document.program.study = study_made();
    vec_push(&session.document.program.measured.list, ((struct program_point){{500, 2}, 0.003}));
    vec_push(&session.document.program.measured.list, ((struct program_point){{2000, 2}, 0.06}));
    run_to_end("set machine skylake");
    run_to_end("view program");
}

static void show_profile(void)
{
    struct err err = {0};

    session.document.profile = profile_made();
    session.document.profile->loops.items[0].kernel =
        kernel_load(source_path("data/kernels/triad-skl-O3.s"), NULL, &err);
    run_to_end("view program");
}

static void show_hot(const char *view)
{
    struct str drawn = {0};
    char line[64];

    show_profile();
    /* Drawing the list places its cursor on a loop. */
    view_text(&frame, 120, 40, false, false, &drawn);
    str_done(&drawn);
    snprintf(line, sizeof line, "view %s", view);
    run_to_end(line);
}

static void show_code(void) { show_hot("code"); }
static void show_cost(void) { show_hot("cost"); }
static void show_lines(void) { show_hot("lines"); }

static void show_machine(void)
{
    add_experiments();
    fill_record();
    run_to_end("view machine");
}

static void show_chart(void)
{
    show_machine();   /* This scrolls down to clock and contention. */
    chart_clock_begin();
    session.document.chart = stage_log_new("chart of mine", "of the stage");
    chart_runs(session.document.chart);
}

/* Shows the panes of LAB while @runs, a chart, check or hunt, has progressed in part. */
static void show_log_of(const char *title, const char *curve, void (*runs)(struct stage_log *log),
                        const char *view)
{
    char line[64];

    run_to_end("set machine skylake");
    snprintf(line, sizeof line, "view %s", view);
    run_to_end(line);
    chart_clock_begin();
    session.document.chart = stage_log_new(title, curve);
    runs(session.document.chart);
}

static void check_in(const char *view)
{
    show_log_of("check of skylake, Emerald Rapids", "disagree", check_runs, view);
}

static void show_check_step(void) { check_in("search"); }
static void show_check_curve(void) { check_in("evolution"); }
static void show_check_tables(void) { check_in("tables"); }

static void show_hunt(void)
{
    show_log_of("hunt: skylake compared with haswell", "of the blocks differ", hunt_runs,
                "tables");
}

static void show_chart_step(void)
{
    add_experiments();
    show_log_of("chart of mine", "of the stage", chart_runs, "search");
}

static void show_check(void)
{
    add_check();
    run_to_end("view check");
}

/* Shows the functions of a program with samples. One name is too long for any row. */
static void show_functions(void)
{
    static const struct {
        const char *name;
        uint64_t size;
        uint32_t loops, depth, vectors;
        double percent;
    } rows[] = {{"relax", 912, 4, 3, 31, 71.25},
                {"std::vector<std::pair<unsigned long, double>, std::allocator<std::pair<unsigned "
                 "long, double> > >::operator=(std::vector<int> const&)",
                 2048, 3, 2, 0, 14.5},
                {"norm(double const*, unsigned long)", 160, 1, 1, 12, 8.03},
                {"read_input", 480, 2, 1, 0, 0.02},
                {"main", 1290, 5, 2, 0, 0}};
    struct function_list *list = mem_zero(1, sizeof *list);

    list->path = mem_strdup("solver");
    list->serial = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char symbol[32];
        snprintf(symbol, sizeof symbol, "0x%zx", 0x401000 + 0x1000 * i);
        vec_push(&list->rows,
                 ((struct listed_function){mem_strdup(rows[i].name), NULL, mem_strdup(symbol),
                                           0x401000 + 0x1000 * i, rows[i].size, rows[i].loops,
                                           rows[i].depth, rows[i].vectors, rows[i].percent}));
    }
    session.document.functions = list;
    run_to_end("view functions");
}

static void load_named(const char *name)
{
    char line[4200];

    snprintf(line, sizeof line, "kernel load %s", source_path(name));
    run_to_end(line);
}

static void show_compare(void)
{
    run_to_end("set machine skylake");
    load_named("data/kernels/pi-O2.s");
    load_named("data/kernels/pi-O1.s");
    run_to_end("kernel compare");
}

static void show_why(void)
{
    load();
    run_to_end("view why");
}

/* Shows a search that executes no code here, and is therefore the same on each CPU. */
static void show_faster(void)
{
    load();
    run_to_end("set machine skylake; kernel tune --model-only --tries 20");
    run_to_end("view faster");
}

static void show_machines(void)
{
    load();
    run_to_end("view machines");
    press("j");
}

static void show_source(void)
{
    load();
    run_to_end("view source");
    press("jj");
}

static void show_output(void)
{
    load();
    run_to_end("kernel analyze --machine skylake");
}

static void show_log(void)
{
    run_to_end("kernel hex 4801d8480fafc3");
    frame_run(&frame, "flumb");
    run_to_end("set machine skylake");
    run_to_end("view log");
}

static void show_help(void)
{
    load();
    press("?");
}

static const struct content { const char *view, *name; void (*show)(void); } contents[] = {
    {"log", "log", show_log},   /* first, because the log contains the output of all others */
    {"kernel", "kernel", show_kernel},
    {"kernel", "beside", show_columns},
    {"timeline", "timeline", show_timeline},
    {"timeline", "chain", show_chain},
    {"whatif", "whatif", show_whatif},
    {"experiments", "experiments", show_experiments},
    {"evolution", "evolution", show_evolution},
    {"evolution", "front", show_front},
    {"matrix", "matrix", show_matrix},
    {"search", "search", show_search},
    {"tables", "tables", show_tables},
    {"mapping", "mapping", show_mapping},
    {"accuracy", "accuracy", show_accuracy},
    {"program", "program", show_study},
    {"program", "profile", show_profile},
    {"code", "code", show_code},
    {"cost", "cost", show_cost},
    {"lines", "lines", show_lines},
    {"machine", "machine", show_machine},
    {"machine", "chart", show_chart},
    {"check", "check", show_check},
    {"search", "check-step", show_check_step},
    {"evolution", "check-curve", show_check_curve},
    {"tables", "check-tables", show_check_tables},
    {"tables", "hunt-tables", show_hunt},
    {"search", "chart-step", show_chart_step},
    {"functions", "functions", show_functions},
    {"compare", "compare", show_compare},
    {"faster", "faster", show_faster},
    {"machines", "machines", show_machines},
    {"why", "why", show_why},
    {"source", "source", show_source},
    {"output", "output", show_output},
    {"help", "help", show_help},
};
#define CONTENTS (sizeof contents / sizeof *contents)

/* Adds the lines of @text that differ from the line of @before at the same position, each with its
 * number. Both have equally many lines. */
static void add_others(const char *text, const char *before, unsigned lines, struct str *out)
{
    for (unsigned i = 1; i <= lines; i++) {
        const size_t length = strcspn(text, "\n"), had = strcspn(before, "\n");
        if (length != had || memcmp(text, before, length) != 0)
            str_addf(out, "%u| %.*s\n", i, (int)length, text);
        text += length + 1;
        before += had + 1;
    }
}

/* Returns the part of a screen of @height rows after its text: the colours of the cells. */
static const char *colours_of(const char *screen, unsigned height)
{
    while (height--)
        screen += strcspn(screen, "\n") + 1;
    return screen;
}

/* Appends the frame's screen with colours, then the rows that differ without colours and in
 * ASCII. */
static void whole_screen(unsigned width, unsigned height, struct str *out)
{
    struct str colour = {0}, mono = {0}, ascii = {0};

    view_text(&frame, width, height, false, false, &colour);
    view_text(&frame, width, height, false, true, &mono);
    session.settings.ascii = true;
    view_text(&frame, width, height, true, false, &ascii);
    session.settings.ascii = false;
    height -= FRAME_ROWS;
    str_addf(out, "%s==== without colours: rows that read otherwise\n", str_text(&colour));
    add_others(str_text(&mono), str_text(&colour), height, out);
    str_addf(out, "%s==== ASCII: rows that read otherwise\n", colours_of(str_text(&mono), height));
    add_others(str_text(&ascii), str_text(&colour), height, out);
    if (strcmp(colours_of(str_text(&ascii), height), colours_of(str_text(&colour), height)) != 0)
        str_add(out, colours_of(str_text(&ascii), height));
    for (const char *at = str_text(&ascii); at < colours_of(str_text(&ascii), height); at++)
        if ((unsigned char)*at >= 0x80)
            fail_msg("%s at %u columns in ASCII: \"%.20s\"", views[frame.current]->name, width, at);
    str_done(&colour);
    str_done(&mono);
    str_done(&ascii);
}

static void test_all_views(void **state)
{
    static const unsigned sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    unsigned differ = 0;

    for (size_t i = 0; i < CONTENTS; i++) {
        setup(state);
        contents[i].show();
        assert_string_equal(views[frame.current]->name, contents[i].view);
        struct str before = {0};   /* Some views show results of jobs. */
        view_text(&frame, 80, 24, false, false, &before);
        str_done(&before);
        job_wait(0);
        for (size_t k = 0; k < 3; k++) {
            struct str screen = {0};
            char path[256];
            whole_screen(sizes[k][0], sizes[k][1], &screen);
            snprintf(path, sizeof path, "tests/screen/views/%s-%ux%u.txt", contents[i].name,
                     sizes[k][0], sizes[k][1]);
            differ += !golden_matches(path, str_text(&screen));
            str_done(&screen);
        }
        clock_set_source(NULL);
        stage_log_free(session.document.chart);
        session.document.chart = NULL;
        teardown(state);
    }
    assert_int_equal(differ, 0);
}

/* Each view must have content in this test. */
static void test_none_is_left_out(void **state)
{
    for (size_t v = 0; v < view_count(); v++) {
        bool found = false;
        for (size_t i = 0; i < CONTENTS; i++)
            found |= strcmp(contents[i].view, views[v]->name) == 0;
        if (!found)
            fail_msg("the view %s has no goldens: give it a row of contents", views[v]->name);
    }
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_views),
                                       cmocka_unit_test(test_none_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
