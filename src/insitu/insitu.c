/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/insitu.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "insitu/admission.h"
#include "insitu/budget.h"
#include "insitu/others.h"
#include "insitu/trial.h"
#include "profile/launch.h"
#include "work/pool.h"

#define TICK 0.05              /* interval between polls of the counters in seconds */
/* seconds until the first moment (timings, recording); the intervals grow by MOMENT_GROWTH */
#define MOMENT_FIRST 0.02
#define MOMENT_GROWTH 1.4
#define MOMENT_MOST 0.5
#define REPLAYS_FAILED 4u /* maximum number of replays tried before the first success */
#define PATCH_FAILED 2u   /* a failure counts as this number of attempts */
#define MOMENTS_MOST 24u
#define RECORD_ITERATIONS 2000u
#define CLOCKED_MOST 3u
#define CLOCKS_TRIED 12u /* maximum number of attempts to measure the clock */
#define REPLAYS_MOST 8u
#define COPY_SECONDS 0.3 /* maximum seconds of a run in a copy of the process */

struct insitu_watch {
    const struct insitu_options *options;
    struct insitu *out;
    struct launched program;
    struct process process;
    struct maps maps;
    /* Whether the program called exec before the copies were placed. Its thread is then stopped
     * before the new program's first instruction. */
    bool executed;
    bool placed;
    bool whole;                /* whether the program was watched until it ended */
    bool over;
    /* at the start: others_seconds, time, and CPU seconds that the process had used */
    double others_begun, begun, cpu_begun;
    struct system_trial trial; /* reasons why features of the system do not work */
    struct counters counters;
    uint64_t ticks_begun;       /* time stamp counter at the start */
    unsigned originals;
    unsigned patches;   /* number of measurements of the patch */
    /* number of clock measurements, and of attempts */
    unsigned clocked, clocks_tried;
    struct watch_budget budget;
};

/* Stores the CPU time of the process, which is unavailable after its end. */
static void note_cpu(struct insitu_watch *w)
{
    struct timespec t;
    clockid_t clock;

    if (clock_getcpuclockid(w->process.pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
        w->out->cpu = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - w->cpu_begun;
}

static void cut(struct insitu_watch *w, const char *why)
{
    if (!w->out->cut)
        w->out->cut = mem_strdup(why);
    w->over = true;
}

static void handle_fork(struct insitu_watch *w, const struct process_event *e)
{
    struct placed *x = &w->out->placed;

    placed_clean_child(x, e);
    /* A child of vfork uses the slot of its parent, which is blocked until the child ends. */
    if (e->shared && !e->suspends && w->placed && !placed_take_stranger(x, e->child))
        cut(w, "more processes share the program's memory than there are counters, or a process "
               "uses segment gs");
    ptrace(PTRACE_DETACH, e->child, NULL, NULL);
}

/* Handles the events that occurred while threads were being stopped. Resumes no thread. */
static void handle_pending(struct insitu_watch *w)
{
    struct process_event e;

    while (process_poll_stop(&w->process, &e))
        if (e.news == PROCESS_FORKED)
            handle_fork(w, &e);
        else if (w->placed) {
            cut(w, "the process executed another program (exec)");
            w->placed = false;
            w->process.call_at = 0;
        } else
            w->executed = true;
}

/* Restores the original code, and moves all threads out of the copies. Resumes no thread. Does
 * nothing without copies, or if the process has ended. Returns false with err on failure. */
static bool remove_copies(struct insitu_watch *w, struct err *err)
{
    struct placed *x = &w->out->placed;
    struct process *p = &w->process;

    if (!w->placed || p->ended)
        return true;
    /* Keeps the copies if a thread does not stop, for example because it waits for a device. */
    x->kept |= !process_stop(p, false, err);
    handle_pending(w);
    if (!w->placed || p->ended)
        return true;
    if (!placed_restore(x, err))
        return false;
    for (size_t i = p->tracees.count; i-- > 0 && i < p->tracees.count;) {
        struct traced *t = &p->tracees.items[i];
        pid_t tid = t->tid;
        bool settled = t->stopped && placed_settle(x, t);
        t = process_tracee(p, tid);
        if (t && settled)
            placed_release(x, t);
        x->kept |= t && !settled;   /* An unsettled thread still needs the copy. */
    }
    if (!p->ended && process_caller(p))
        placed_unmap(x, process_caller(p));
    w->placed = false;
    return true;
}

/* Assigns slots to stopped threads that are new. Releases the slots of threads that have ended.
 * Returns false if a thread cannot get a slot. */
static bool take_threads(struct insitu_watch *w)
{
    bool ok = true;

    for (size_t i = 0; w->placed && ok && i < w->process.tracees.count; i++) {
        struct traced *t = &w->process.tracees.items[i];
        if (t->stopped && t->exiting)
            placed_release(&w->out->placed, t);
        else if (t->stopped && t->slot == SLOT_NONE) {
            ok = placed_take(&w->out->placed, t);
            w->out->threads += ok;
        }
    }
    return ok;
}

static bool leave_for_good(struct insitu_watch *w, const char *why)
{
    struct err err = {0};

    cut(w, why);
    return remove_copies(w, &err);
}

/* Changes the addresses of pending signals of stopped threads from the copies to the original.
 * Removes signals that an int3 of the copies raised. Ends watching if a thread with a pending
 * signal cannot be moved. */
static void settle_signals(struct insitu_watch *w)
{
    struct process *p = &w->process;

    for (size_t i = p->tracees.count; w->placed && i-- > 0 && i < p->tracees.count;)
        if (p->tracees.items[i].stopped && p->tracees.items[i].signal &&
            !placed_settle(&w->out->placed, &p->tracees.items[i]) && !p->ended)
            leave_for_good(w,
                           "the program handles a fault within the first instructions of the loop");
}

/* Handles an event, then lets its thread continue. */
static void handle(struct insitu_watch *w, const struct process_event *e)
{
    struct process *p = &w->process;
    struct traced *t = process_tracee(p, e->tid);

    switch (e->news) {
    case PROCESS_SIGNAL:
        settle_signals(w);
        break;
    case PROCESS_STARTED:
        if (!take_threads(w))
            leave_for_good(w, "there are more threads than counters, or a thread uses segment gs");
        break;
    case PROCESS_FORKED:
        handle_fork(w, e);
        break;
    case PROCESS_EXITING:
        note_cpu(w);
        if (w->placed && t) {
            placed_release(&w->out->placed, t);
            placed_peek(&w->out->placed);
        }
        break;
    case PROCESS_EXEC:
        if (w->placed)
            cut(w, "the process executed another program (exec)");
        w->executed = !w->placed;
        w->placed = false;
        p->call_at = 0;
        break;
    default:
        break;
    }
    if (e->news == PROCESS_EXEC && !w->placed && !w->over && w->options->argv)
        return;   /* The thread remains stopped at the start of the new program. */
    t = process_tracee(p, e->tid);
    if (w->over && !w->placed)
        process_go_all(p);
    else if (t)
        process_go(p, t);
}

static bool goes_on(const struct insitu_watch *w)
{
    const struct insitu_options *o = w->options;
    return !o->goes_on ||
           o->goes_on(o->state, clock_wall() - w->begun,
                      w->placed || w->out->placed.slot_count ? placed_iterations(&w->out->placed)
                                                             : 0);
}

/* Runs the program for @seconds, or until it ends or the caller cancels. Returns false if watching
 * must end. */
static bool run_for(struct insitu_watch *w, double seconds)
{
    double end = clock_wall() + seconds, look = clock_wall();

    while (!w->over && !w->executed && !w->process.ended && clock_wall() < end) {
        double left = end - clock_wall();
        struct process_event e = process_wait(&w->process, left < TICK ? left : TICK);
        handle(w, &e);
        if (clock_wall() - look > TICK) {
            look = clock_wall();
            note_cpu(w);
            if (w->placed)
                placed_peek(&w->out->placed);
            if (clock_wall() - w->begun > w->options->seconds || !goes_on(w))
                w->over = true;
        }
    }
    return !w->over && !w->process.ended;
}

static void keep_least(double *least, double value)
{
    if (!isnan(value) && !(*least <= value))
        *least = value;
}

/* Returns whether stopped thread @t can execute code of the copies. It must not be in a restartable
 * sequence: the region has none. */
static bool can_measure(const struct insitu_watch *w, const struct traced *t)
{
    struct user_regs_struct regs;

    return t->stopped && !t->exiting && !t->listening && !t->within && t->slot != SLOT_NONE &&
           process_registers(t, &regs) && (int64_t)regs.orig_rax < 0 &&
           (region_at(&w->out->region, regs.rip - w->out->placed.bias) != REGION_NONE ||
            !process_restartable(&w->process, t));
}

/* Measures the core's clock and the overhead of timing a visit on the first stopped thread on which
 * this succeeds. Measures at most CLOCKED_MOST times, and tries CLOCKS_TRIED times. Does nothing
 * before iterations were counted. All running threads must be stopped and settled. */
static void measure_clock(struct insitu_watch *w)
{
    struct process *p = &w->process;
    struct insitu *out = w->out;

    if (w->clocked == CLOCKED_MOST || !out->placed.iterations)
        return;
    for (size_t i = 0; i < p->tracees.count && w->clocks_tried < CLOCKS_TRIED; i++) {
        double overhead, visit;
        if (!can_measure(w, &p->tracees.items[i]))
            continue;
        w->clocks_tried++;
        const double clock = placed_clock(&out->placed, &p->tracees.items[i], &overhead, &visit);
        if (isnan(clock))
            continue;
        keep_least(&out->ticks_per_cycle, clock);
        keep_least(&out->ticks_per_chain, overhead);
        keep_least(&out->ticks_per_visit, visit);
        w->clocked++;
        return;
    }
}

/* Replays the next iterations of a thread. All running threads must be stopped and settled. @begun:
 * start of the stop. */
static void replay(struct insitu_watch *w, double begun)
{
    struct insitu *out = w->out;
    struct process *p = &w->process;
    struct user_regs_struct regs;

    out->replays.why = w->trial.state                        ? w->trial.state
                       : !replay_possible(&out->region) && !out->region.dispatch
                           ? "addresses of some accesses are not recorded (gather, string or bit "
                             "instruction)"
                           : out->replays.why;
    size_t count = out->replays.list.count;
    bool again = !w->trial.state && replay_possible(&out->region) && count < REPLAYS_MOST &&
                 out->replays.tried < (count ? 2 * REPLAYS_MOST : REPLAYS_FAILED),
         original = !w->trial.copies && w->originals < REPLAYS_MOST && out->region.anchors.count,
         patch = !w->trial.copies && w->patches < REPLAYS_MOST && out->region.each_away &&
                 !out->region.dispatch;
    if (!(again || original || patch) || !out->placed.timed.count)
        return;
    const double copies_begun = clock_wall(),
                 left = budget_left(&w->budget, copies_begun - w->begun) - (copies_begun - begun);
    if (budget_copies(&w->budget, p->pid) > left) {
        if (again)
            out->replays.why = "replays and the page faults they cause reached the time limit";
        return;
    }
    const unsigned copies = p->copies;
    out->placed.copy_seconds = fmin(COPY_SECONDS, left);
    for (size_t i = 0; i < p->tracees.count; i++) {
        struct traced *t = &p->tracees.items[i];
        if (!t->stopped || t->exiting || t->signal || t->listening || t->slot == SLOT_NONE ||
            !process_registers(t, &regs) || (int64_t)regs.orig_rax >= 0)
            continue;
        uint32_t at = region_at(&out->region, regs.rip - out->placed.bias);
        const bool within = out->region.dispatch ||
                            (at != REGION_NONE && out->region.list.items[at].in_loop);
        pid_t tid = t->tid;
        if (patch) {
            w->patches += replay_patch(&out->placed, t) ? 1 : PATCH_FAILED;
            patch = false;
            t = process_tracee(p, tid);
        }
        if (!t || !within)
            continue;
        if (again)
            replay_moment(&out->placed, t, insitu_clock_overhead(out), &out->replays);
        t = process_tracee(p, tid);
        if (t && original)
            replay_original(&out->placed, t);
        w->originals += original;
        break;
    }
    if (p->copies != copies)
        budget_copy(&w->budget, p->pid, clock_wall() - copies_begun);
}

/* Redirects running threads to the copies of @mode. @moment: whether this is part of a moment.
 * Returns false, with the mode unchanged, if not all threads could be stopped. */
static bool change(struct insitu_watch *w, enum copy_mode mode, bool moment, struct err *err)
{
    struct placed *x = &w->out->placed;
    struct process *p = &w->process;
    const double begun = clock_wall(),
                 rate = (double)(__builtin_ia32_rdtsc() - w->ticks_begun) / (begun - w->begun);
    bool all = process_stop(p, true, err);
    handle_pending(w);
    if (!all || !w->placed || !placed_alone(x)) {
        settle_signals(w);
        if (!take_threads(w))
            return leave_for_good(w, "there are more threads than counters");
        process_go_all(p);
        return false;
    }
    if (!placed_patch(x, mode, err))
        return leave_for_good(w, "the code of the process is no longer writable");
    const uint64_t period = insitu_period(w->out, mode, rate);
    for (size_t i = 0; i < p->tracees.count; i++) {
        pid_t tid = p->tracees.items[i].tid;
        struct traced *t = &p->tracees.items[i];
        if (!t->stopped) {
            placed_choose_waiting(x, t);
            continue;
        }
        bool ok = placed_settle(x, t);
        t = process_tracee(p, tid);
        if (!t)
            continue;
        if (!ok && !p->ended)
            return leave_for_good(w, "a thread could not be moved out of the copy of the loop");
        if (!t->exiting) {
            placed_harvest(x, t);
            placed_choose(x, t, period, RECORD_ITERATIONS, moment);
        }
    }
    if (!take_threads(w))
        return leave_for_good(w, "there are more threads than counters");
    if (mode == (insitu_long(w->out) ? COPY_VISIT : COPY_TIME) || !w->clocked)
        measure_clock(w);
    if (!moment)
        replay(w, begun);
    placed_begin_waits(x);
    process_go_all(p);
    w->budget.stopped += clock_wall() - begun;
    w->out->stops++;
    return true;
}

/* Times the loop, and its visits if useful, then records it. If visits are long, COPY_VISIT also
 * runs outside of timings. An induction register counts the iterations, and the predictor has
 * learned the branches of that copy when a timing begins. */
static bool moment(struct insitu_watch *w, struct err *err)
{
    static const struct {
        enum copy_mode mode;
        double look, most; /* seconds between polls, and maximum seconds */
    } steps[] = {{COPY_TIME, 0.01, 0.1}, {COPY_VISIT, 0.01, 0.1}, {COPY_NEST, 0.01, 0.1},
                 {COPY_RECORD, 0.001, 0.02}};
    const size_t found = w->out->placed.timed.count + w->out->placed.events.count;
    const double stopped = w->budget.stopped;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!insitu_useful(w->out, steps[i].mode))
            continue;
        if (!change(w, steps[i].mode, true, err))
            return !w->over && !w->process.ended;
        double end = clock_wall() + steps[i].most;
        do {
            if (!run_for(w, steps[i].look))
                return !w->over && !w->process.ended;
        } while (clock_wall() < end && !placed_completed(&w->out->placed));
    }
    w->budget.moment = w->budget.stopped - stopped;
    if (!change(w, insitu_long(w->out) ? COPY_VISIT : COPY_COUNT, false, err))
        return !w->over && !w->process.ended;
    /* Before the program executes the loop, a moment has no results, so it is not counted. */
    w->out->moments += w->out->placed.timed.count + w->out->placed.events.count > found;
    return true;
}

static bool read_file(void *state, uint64_t address, void *out, size_t bytes)
{
    const struct insitu_watch *w = state;
    return process_read(&w->process, address + w->out->placed.bias, out, bytes);
}

/* Checks whether the region can be copied and patched. Changes nothing. Returns false with err.
 * Sets *@missing to whether the loop's file may be mapped later. */
static bool prepare(struct insitu_watch *w, bool *missing, struct err *err)
{
    const struct insitu_options *o = w->options;
    struct insitu *out = w->out;
    const uint64_t first = o->kernel->insns[o->kernel->loops[o->loop].first].offset;
    uint64_t bias;

    maps_done(&w->maps);
    *missing = false;
    if (!maps_read(w->process.pid, &w->maps))
        return err_set(err, ERR_MISSING, NULL, "the process has ended");
    if (!admit_mapping(&w->maps, o->file, first, &bias, missing, err))
        return false;
    out->placed.bias = bias;
    const struct map *m = maps_at(&w->maps, first + bias);
    const struct region_memory memory = {read_file, w, bias, m ? m->start - bias : 0,
                                         m ? m->end - bias : 0};
    return region_find(o->kernel, o->loop, &memory, &out->region, err) &&
           admit_bytes(&w->process, &out->region, bias, err) &&
           admit_sequences(&w->process, o->file, &out->region, bias, err);
}

/* Moves threads out of the bytes that patches overwrite. Runs the program briefly while a return
 * address of a thread is in these bytes. All threads are stopped before and after the call. Returns
 * false with err if the program has ended or cannot be stopped. */
static bool clear_way(struct insitu_watch *w, struct err *err)
{
    struct process *p = &w->process;
    struct user_regs_struct regs;

    for (unsigned i = 0; i < 100; i++) {
        bool clear = true;
        for (size_t k = 0; k < p->tracees.count && !p->ended; k++)
            if (process_registers(&p->tracees.items[k], &regs) &&
                placed_inside(&w->out->region, w->out->placed.bias, regs.rip)) {
                clear = false;
                process_step(p, &p->tracees.items[k]);
            }
        if (p->ended)
            return err_set(err, ERR_MISSING, NULL, "the program has ended");
        if (!clear)
            continue;
        if (!placed_returns_inside(p, &w->out->region, w->out->placed.bias))
            return true;
        process_go_all(p);
        if (!run_for(w, 0.001))
            return err_set(err, ERR_MISSING, NULL, "the program has ended or is no longer traced");
        if (!process_stop(p, false, err))
            return false;
        handle_pending(w);
        if (w->executed)
            break;
    }
    return err_set(err, ERR_LIMIT,
                   "run the command again", "a thread does not leave the code to be patched");
}

/* Places the copies and patches the original. All threads must be stopped. Returns false with err
 * on failure. */
static bool place(struct insitu_watch *w, struct err *err)
{
    struct process *p = &w->process;
    struct insitu *out = w->out;
    uint64_t bias = out->placed.bias;
    struct user_regs_struct regs;

    if (!clear_way(w, err))
        return false;
    for (size_t i = 0; i < p->tracees.count; i++)
        if (process_registers(&p->tracees.items[i], &regs) && regs.gs_base)
            return err_set(err, ERR_LIMIT, "kernel measure measures the loop outside its program",
                           "the program uses segment gs, which the counters need");
    copies_make(&out->region, bias, &out->copies);
    bool ok = placed_new(p, &out->region, &out->copies, bias, &w->maps, &out->placed, err);
    w->placed = ok;
    if (ok && !take_threads(w))
        ok = err_set(err, ERR_LIMIT, "use fewer threads", "the program has too many threads");
    ok = ok && placed_patch(&out->placed, COPY_COUNT, err);
    if (!ok && out->placed.code) {
        w->placed = true;
        struct err ignored;
        remove_copies(w, &ignored);
    }
    return ok;
}

/* Waits for an event before the program's first instruction, and handles it. Callback of
 * launch_go. */
static void begin_program(void *state)
{
    struct insitu_watch *w = state;
    struct process_event e = w->executed ? (struct process_event){.news = PROCESS_QUIET}
                                         : process_wait(&w->process, 0.001);

    if (e.news != PROCESS_QUIET)
        handle(w, &e);
}

/* Runs a started program to its entry point, where its libraries are mapped. Returns false with err
 * on failure. */
static bool run_to_entry(struct insitu_watch *w, struct err *err)
{
    struct process *p = &w->process;
    struct user_regs_struct regs;
    const uint8_t trap = 0xcc;
    uint64_t entry = 0;
    uint8_t kept;

    w->executed = false;
    if (!process_reopen(p, err))
        return false;
    if (!process_entry(p, &entry) || !process_read(p, entry, &kept, 1) ||
        !process_write(p, entry, &trap, 1))
        return err_set(err, ERR_IO, NULL, "the program's first instruction cannot be found");
    struct traced *t = process_tracee(p, p->pid);
    process_go(p, t);
    while (!p->ended) {
        struct process_event e = process_wait(p, 1);
        t = process_tracee(p, e.tid);
        if (e.news == PROCESS_SIGNAL && t && t->signal == SIGTRAP && process_registers(t, &regs) &&
            regs.rip == entry + 1) {
            regs.rip = entry;
            t->signal = 0;
            return (process_set_registers(t, &regs) && process_write(p, entry, &kept, 1)) ||
                   err_set(err, ERR_IO, NULL, "the program's first instruction cannot be restored");
        }
        handle(w, &e);
        if (!goes_on(w))
            return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    }
    return err_set(err, ERR_DATA, "run the program in a shell to see its messages",
                   "the program ended before its first instruction");
}

static bool start(struct insitu_watch *w, struct err *err)
{
    const struct insitu_options *o = w->options;

    if (!launch(o->argv, o->output, o->input, &w->program, err) ||
        !admit_file(w->program.path, err))
        return false;
    w->out->refused = !process_seize(w->program.pid, true, &w->process, err);
    if (w->out->refused || !launch_go(&w->program, begin_program, w, err))
        return false;
    while (!w->executed && !w->process.ended)
        begin_program(w);
    return run_to_entry(w, err) && admit_process(w->process.pid, true, err);
}

/* Attaches to a running process, and stops all its threads. Returns false with err on failure. */
static bool attach(struct insitu_watch *w, struct err *err)
{
    w->out->refused = !admit_process(w->options->pid, false, err) ||
                      !process_seize(w->options->pid, false, &w->process, err);
    if (w->out->refused || !process_stop(&w->process, false, err))
        return false;
    handle_pending(w);
    return !w->executed ||
           err_set(err, ERR_DATA, "run the command again",
                   "process %d has just executed another program (exec)", (int)w->options->pid);
}

/* Waits until a started program maps the loop's file, then places the copies. A running process
 * must have mapped it. Returns false with err on failure. */
static bool place_when_mapped(struct insitu_watch *w, struct err *err)
{
    bool missing, missed = false;   /* missed: whether the program ran before the loop was found */
    double begun = clock_wall();

    for (;;) {
        region_done(&w->out->region);
        w->out->region = (struct region){.loop = 0};
        if (prepare(w, &missing, err))
            break;
        if (!missing || !w->options->argv)
            return false;
        process_go_all(&w->process);
        missed = true;
        if (!run_for(w, 0.01))
            return false;
        if (!w->executed && !process_stop(&w->process, false, err))
            return false;
        handle_pending(w);
        if ((w->executed && !run_to_entry(w, err)) || w->process.ended)
            return false;
    }
    w->out->uncounted = missed ? clock_wall() - begun : 0;
    return place(w, err);
}

static bool watch(struct insitu_watch *w, struct err *err)
{
    struct insitu *out = w->out;
    double next = MOMENT_FIRST;
    uint64_t seen = 0;   /* iterations before the last moment */
    bool tried = false;
    bool ok = w->options->argv ? start(w, err) : attach(w, err);

    w->begun = clock_wall();
    w->others_begun = others_seconds();
    w->ticks_begun = __builtin_ia32_rdtsc();
    if (!w->options->argv) {
        note_cpu(w);
        w->cpu_begun = isnan(out->cpu) ? 0 : out->cpu;
    }
    w->process.before_child = placed_clean_child;
    w->process.state = &out->placed;
    ok = ok && place_when_mapped(w, err);
    if (!ok) {
        process_go_all(&w->process);
        return false;
    }
    for (size_t i = 0; i < w->process.tracees.count; i++)
        counters_add(&w->counters, w->process.tracees.items[i].tid);
    process_go_all(&w->process);
    while (run_for(w, next)) {
        if (w->placed)
            placed_peek(&out->placed);
        const uint64_t executed = placed_iterations(&out->placed);
        /* Without new iterations, a moment has no results. Long visits are counted at exits. */
        if ((executed == seen && !insitu_long(out)) || w->options->counts_only ||
            out->placed.shared || out->moments >= MOMENTS_MOST ||
            (tried && !budget_moment(&w->budget, w->process.pid, clock_wall() - w->begun)))
            continue;
        tried = true;
        seen = executed;
        if (!moment(w, err))
            break;
        next = next * MOMENT_GROWTH < MOMENT_MOST ? next * MOMENT_GROWTH : MOMENT_MOST;
    }
    if (w->placed && !w->process.ended)
        ok = remove_copies(w, err);
    w->whole = w->process.ended;
    out->counted = counters_read(&w->counters);
    out->seconds = clock_wall() - w->begun;
    out->stopped = w->budget.stopped;
    out->lost = budget_lost(&w->budget);
    if (!w->whole)
        note_cpu(w);
    out->others = (others_seconds() - w->others_begun - out->cpu - w->process.copies_seconds) /
                  out->seconds;
    return ok;
}

/* Detaches from the program. Waits until a program that was started here ends, or ends it. */
static void let_go(struct insitu_watch *w)
{
    struct process *p = &w->process;
    struct err ignored;

    if (p->ended)
        w->program.pid = 0;   /* Clears the process id, because the system may reuse it. */
    if (p->memory < 0 && !p->tracees.count) {   /* No thread was seized. */
        pid_t pid = w->program.pid;
        launch_end(&w->program);
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return;
    }
    if (!p->ended && !w->options->argv) {
        process_stop(p, false, &ignored);
        handle_pending(w);
        process_detach(p);
    }
    if (!w->out->cut)   /* If watching was cut short, the program runs until it ends. */
        launch_end(&w->program);
    while (!p->ended && w->options->argv) {
        struct process_event e = process_wait(p, TICK);
        handle(w, &e);
        if (w->out->cut && !goes_on(w))
            launch_end(&w->program);
    }
    w->program.pid = 0;
    launch_end(&w->program);
}

static void tell(struct insitu_watch *w)
{
    struct insitu *out = w->out;

    out->ended = w->process.ended;
    out->status = w->process.status;
    out->killed = out->ended && WIFSIGNALED(out->status) && WTERMSIG(out->status) == SIGKILL;
    out->complete = w->options->argv && w->whole && !out->killed && !out->cut && !out->uncounted;
}

/* Tests whether the system permits watching. Returns false with err if not. */
static bool try_system(struct insitu_watch *w, struct err *err)
{
    struct trial_seen seen;

    w->out->refused = true;
    if (!trial_run(&seen, err))
        return false;
    w->trial = trial_judge(&seen);
    w->budget.page = seen.page;
    counters_new(&counters_system, &w->counters);
    w->out->refused = w->trial.tracing != NULL;
    return !w->out->refused ||
           err_set(err, ERR_IO, "run Portolan on a system whose ptrace works",
                   "ptrace does not work correctly on this system: %s", w->trial.tracing);
}

static bool run(const struct insitu_options *o, struct insitu *out, struct err *err)
{
    struct insitu_watch w = {
        .options = o, .out = out, .program = {.go = -1, .fault = -1}, .process = {.memory = -1}};

    bool ok = try_system(&w, err) && watch(&w, err);
    let_go(&w);
    tell(&w);
    maps_done(&w.maps);
    counters_done(&w.counters);
    process_done(&w.process);
    return ok;
}

struct insitu_call {
    const struct insitu_options *options;
    struct insitu *out;
    struct err *err;
    bool ok;
};

static void run_call(void *state)
{
    struct insitu_call *call = state;
    call->ok = run(call->options, call->out, call->err);
}

bool insitu_run(const struct insitu_options *o, struct insitu *out, struct err *err)
{
    struct insitu_call call = {o, out, err, false};

    *out = (struct insitu){.ticks_per_cycle = NAN, .ticks_per_chain = NAN,
                           .ticks_per_visit = NAN, .cpu = NAN, .others = NAN};
    /* An attached process must continue when the caller ends, so another process traces it. */
    if (!o->argv)
        return insitu_apart(run, o, out, err);
    return thread_apart(run_call, &call, err) && call.ok;
}

void insitu_done(struct insitu *x)
{
    replayed_done(&x->replays);
    placed_done(&x->placed);
    copies_done(&x->copies);
    region_done(&x->region);
    free(x->cut);
}
#endif
