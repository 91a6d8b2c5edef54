/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "io/experiments_file.h"
#include "contents.h"
#include "screens.h"
#include "support.h"

void add_study_block(struct study *s, const char *name, uint32_t block, uint32_t line, double count,
                     const char *formula, double error, double cycles, double share,
                     const char *limit)
{
    vec_push(&s->blocks, ((struct study_block){.name = mem_strdup(name),
                                               .block = block,
                                               .line = line,
                                               .count = count,
                                               .formula = mem_strdup(formula),
                                               .exact = error == 0,
                                               .error = error,
                                               .cycles = cycles,
                                               .share = share,
                                               .limit = limit,
                                               .loop = UINT32_MAX}));
}

static void add_way(struct study *s, size_t from, uint32_t to, double share)
{
    struct study_block *b = &s->blocks.items[from];
    b->ways[b->way_count++] = (struct study_way){to, share};
}

static void add_effect(struct study *s, const char *name, double elasticity, double halved,
                       double doubled)
{
    vec_push(&s->effects.list, ((struct effect){mem_strdup(name), 1, elasticity, halved, doubled}));
}

struct study *study_made(void)
{
    struct study *s = mem_zero(1, sizeof *s);

    *s = (struct study){.program = mem_strdup("heat.c"),
                        .inputs = mem_strdup("N=1000 M=2"),
                        .machine = mem_strdup("skylake"),
                        .title = mem_strdup("Intel Skylake (client)"),
                        .seconds = 0.0125,
                        .cycles = 5e7,
                        .traced = true,
                        .axis_name = mem_strdup("N"),
                        .at = {1000, 2},
                        .level_count = 3,
                        .levels = {{32768, 0.125}, {262144, 0.06}, {8388608, 0.01}}};
    add_study_block(s, "main:3", 3, 14, 2e6, "2*N^2", 0, 20, 0.8, "misses");
    add_study_block(s, "main:2", 2, 12, 2000, "2*N", 0, 2000, 0.08, "frontend");
    add_study_block(s, "norm:0", 7, 30, 1000, "0.98*N + 3", 0.031, 1500, 0.03, "calls");
    add_study_block(s, "main:0", 0, 9, 1, "1", 0, 40, 0.0000008, "issue");
    s->blocks.items[2].function = 1;
    add_way(s, 0, 0, 0.999);
    add_way(s, 0, 1, 0.001);
    add_way(s, 1, 0, 1);
    add_way(s, 3, 1, 1);
    s->reuse = (struct octaves){.counts = {[0] = 30,
                                           [1] = 500,
                                           [8] = 200,
                                           [9] = 20,
                                           [14] = 100,
                                           [17] = 50,
                                           [OCTAVE_FIRST_USES] = 100},
                                .all = 1000};
    for (size_t i = 0; i < 20; i++) {
        s->sizes[i] = ldexp(1024, (int)i);
        s->full[i] = i < 5 ? 0.47 : i < 11 ? 0.25 : i < 14 ? 0.15 : 0.1;
        s->eight_ways[i] = s->full[i] + 0.02 / (double)(1 + i % 5);
    }
    s->size_count = 20;
    for (size_t i = 0; i < 10; i++) {
        s->x[i] = 16 * ldexp(1, (int)i);
        s->time[i] = 1.25e-8 * s->x[i] * s->x[i];
    }
    s->point_count = 10;
    add_effect(s, "clock", -0.9, 1.85, 0.6);
    add_effect(s, "l2_bytes", -0.2, 1.3, 0.9);
    add_effect(s, "memory_latency", 0.1, 0.95, 1.1);
    add_effect(s, "issue_width", 0, NAN, 0.99);
    return s;
}

struct run_profile *profile_made(void)
{
    struct run_profile *p = mem_zero(1, sizeof *p);

    *p = (struct run_profile){.program = mem_strdup("./solver"),
                              .method = SAMPLING_CLOCK,
                              .rate = 1000,
                              .seconds = 2,
                              .user = 1.6,
                              .system = 0.1,
                              .samples = 1600};
    vec_push(&p->functions, ((struct profile_function){.name = mem_strdup("relax"),
                                                       .shown = mem_strdup("relax"),
                                                       .file = mem_strdup("/home/me/solver"),
                                                       .samples = 1200}));
    vec_push(&p->functions, ((struct profile_function){.name = mem_strdup("exp"),
                                                       .shown = mem_strdup("exp"),
                                                       .file = mem_strdup("/usr/lib/libm.so.6"),
                                                       .samples = 300}));
    vec_push(&p->functions, ((struct profile_function){.name = mem_strdup(""),
                                                       .shown = mem_strdup(""),
                                                       .file = mem_strdup("/usr/lib/libc.so.6"),
                                                       .samples = 100}));
    vec_push(&p->loops, ((struct profile_loop){.name = mem_strdup("relax+0x40"),
                                               .file = mem_strdup("/home/me/solver"),
                                               .samples = 1100,
                                               .measured = 4.1,
                                               .predicted = 4,
                                               .bound = 2,
                                               .bottleneck = mem_strdup("ports")}));
    vec_push(&p->loops,
             ((struct profile_loop){
                 .name = mem_strdup("a_function_with_a_name_that_is_far_too_long_for_a_row+0x1c"),
                 .file = mem_strdup("/home/me/solver"),
                 .samples = 90,
                 .measured = NAN,
                 .predicted = 3,
                 .bound = 3,
                 .bottleneck = mem_strdup("dependencies")}));
    return p;
}

void add_experiments(void)
{
    static const char text[] = "experiment,cycles,spread,repeats,state\n"
                               "\"ADD (R64, R64)\",0.25,0.002,3,ok\n"
                               "\"IMUL (R64, R64)\",1.0,0.001,3,ok\n"
                               "\"2*ADD (R64, R64) + IMUL (R64, R64)\",1.2,0.004,3,ok\n"
                               "\"4*IMUL (R64, R64)\",4.1,0.004,3,ok\n"
                               "\"DIV (R64)\",,,,SIGFPE\n"
                               "\"FLUMB ()\",3,,,ok\n";
    struct err err = {0};
    session.document.experiments = experiments_parse("test", text, sizeof text - 1, &err);
    assert_non_null(session.document.experiments);
}

void fill_record(void)
{
    static const float passes[][3] = {
        {0.2551F, 0.2553F, 0.2550F}, {0.2514F, 0.2511F, 0.2519F}, {0.2513F, 0.2514F, 0.2512F}};
    /* add rax, r8; add rcx, rbx; imul rax, r10 */
    static const uint8_t code[] = {0x4c, 0x01, 0xc0, 0x48, 0x01, 0xd9, 0x49, 0x0f, 0xaf, 0xc2};
    static const struct calibration c = {.tick_hz = 2.5e9,
                                         .clock_hz = 3.7e9,
                                         .second_ratio = 3,
                                         .probe_rate = 5.99,
                                         .noise = 0.0012,
                                         .contention = 0.02,
                                         .load_window = 64,
                                         .rules.probe_tolerance = 0.012,
                                         .cpu = 1};
    record_begin(session.document.record, "a processor of the test's", &c);
    for (unsigned i = 0; i < 3; i++)
        record_add(
            session.document.record,
            &(struct experiment){(struct experiment_term[]){{(char *)"ADD (R64, R64)", 1}}, 1},
            &(struct record_pass){passes[i], 3, 1, i ? 200 : 50, 3.7e9, code, sizeof code});
    for (unsigned i = 0; i < 600; i++) {
        bool gap = i > 300 && i < 350;
        if (!gap)
            record_windows(session.document.record, 0.1 * i, 3.7e9 * (1 + 1e-3 * sin(0.05 * i)), 30,
                           i % 97 < 12 ? 20 : 0, i % 7 == 0);
    }
}

void add_check_row(struct check *c, const char *form, bool latency, double measured,
                   double predicted, double uses)
{
    struct check_row *row = check_add(c, form, uses);

    row->latency = latency;
    row->chain = (struct chain){.from_name = "op2", .to_name = "op1", .note = ""};
    row->measured = measured;
    row->predicted = predicted;
    row->spread = 0.002;
    snprintf(row->state, sizeof row->state, "%s", isnan(measured) ? "core is contended" : "ok");
}

void add_check(void)
{
    struct err err = {0};
    struct check *c = session.document.check =
        check_new(session_machine(&session, "skylake", &err), "a CPU of the test's", NULL);

    snprintf(c->date, sizeof c->date, "2026-01-31");
    add_check_row(c, "ADD (R64, R64)", false, 0.26, 0.25, 631568);
    add_check_row(c, "IMUL (R64, R64)", true, 4, 3, 200000);
    add_check_row(c, "VADDPD (XMM, XMM, XMM)", false, 1, 0.5, 4375);
    add_check_row(c, "DIV (R64)", false, NAN, 21, 100);
    check_sort(c);
}

static double chart_seconds;

static double chart_clock(void)
{
    return chart_seconds;
}

void chart_clock_begin(void)
{
    chart_seconds = 1000;
    clock_set_source(chart_clock);
}

void chart_runs(struct stage_log *log)
{
    struct chart_form forms[3] = {{.alone = 1, .state = CHART_IN_CORE, .confidence = 1},
                                  {.alone = 2, .state = CHART_PLACED, .confidence = 0.5},
                                  {.alone = NAN}};
    struct chart chart = {.forms = forms, .form_count = 3, .table = session.document.experiments};

    for (enum chart_stage stage = CHART_ALONE; stage <= CHART_CORE; stage++) {
        for (int i = 0; i < 300; i++, chart_seconds += 0.25)
            stage_log_progress(log, stage, i, 300, "pairs of classes");
        stage_log_done(log, stage, &chart);
    }
    stage_log_progress(log, CHART_PORTS, 30, 120, "forms added one by one");
    chart_seconds += 9;
}

void check_runs(struct stage_log *log)
{
    static const struct stage_finding last[] = {{"IMUL (R64, R64)", 1.0, 1.0, "throughput"},
                                                {"VADDPD (YMM, YMM, YMM)", 0.5, 0.5, "throughput"},
                                                {"ADC (R64, R64)", 1.0, 0.5, "throughput"},
                                                {"MOV (R64, M64)", 0.33, 0.5, "throughput"}},
                                      wrong[] = {{"MOV (R64, M64)", 0.33, 0.5, "throughput"},
                                                 {"ADC (R64, R64)", 1.0, 0.5, "throughput"}};

    for (int i = 1; i <= 60; i++, chart_seconds++)
        stage_log_step(log, i, 120, .5 * (1 + sin(i / 9.0)) / 4, "60 throughputs");
    stage_log_list(log, STAGE_WORST, "measured last", last, sizeof last / sizeof *last);
    stage_log_list(log, STAGE_DIFFERENCES, "skylake, differences: 2 of 4", wrong,
                   sizeof wrong / sizeof *wrong);
}

void hunt_runs(struct stage_log *log)
{
    static const struct stage_finding blocks[] = {{"mulps xmm1, xmm2; mulps xmm2, xmm1", 10.0, 8.0,
                                                   ""},
                                                  {"vaddps ymm0, ymm1, ymm2", 1.0, 0.5, ""}},
                                      changes[] = {
                                          {"any MULPS or similar", 5.0, 4.0,
                                           "latency of any MULPS or similar: 5, not 4"},
                                          {"any VADDPS or similar", 1.0, 0.5,
                                           "usage of any VADDPS or similar: 1*p1, not 1*p01"}};

    for (int i = 1; i <= 30; i++, chart_seconds++)
        stage_log_step(log, i, 30, .3 - .2 / i, "2 findings; differences: 154 of 512 blocks");
    stage_log_list(log, STAGE_WORST, "smallest blocks that differ", blocks, 2);
    stage_log_list(log, STAGE_DIFFERENCES, "skylake: 2 findings", changes, 2);
}
