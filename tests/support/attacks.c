/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "attacks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/kernel_passes.h"
#include "support.h"

#define TRIES_FOR_A_VALUE 16
/* number of correct or equal values that cannot be a coincidence, even on a busy machine */
#define RIGHT_ELSEWHERE 3

struct sandbox *sandbox;
struct calibration calibration;
unsigned cases_run;
static int files_before;
unsigned values_asked, values_had;   /* number of measurements after attacks that were attempted,
                                      * and that had a result */

#define SLOWEST 5
/* the slowest cases, longest first */
static struct slow_case { double seconds; char name[80]; } slowest[SLOWEST];
/* private working and temporary directory, where no other process writes */
static const char *own_directory;

void block_add(struct attack_block *b, const char *hex, uint64_t address)
{
    for (; *hex; hex++) {
        unsigned byte;
        if (*hex == ' ')
            continue;
        if (*hex == '<') {
            memcpy(b->code + b->length, &address, 8);
            b->length += 8;
            continue;
        }
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        b->code[b->length++] = (uint8_t)byte;
        hex++;
    }
    assert_true(b->length < BLOCK_MAX);
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int own_children(void)
{
    return sandbox_pid(sandbox, false) > 0;
}

void nothing_left(const char *what)
{
    int files = entries_in("/proc/self/fd"), children = children_left();
    /* A renewal of the sandbox may have ended the child for foreign code and its link. There is at
     * most one of each. */
    if (files > files_before)
        fail_msg("%s: %d descriptors instead of %d", what, files, files_before);
    /* Orphans become children of this process (PR_SET_CHILD_SUBREAPER). */
    if (children > own_children())
        fail_msg("%s: %d children are left", what, children);
    if (entries_in(own_directory) != 0)
        fail_msg("%s: files are left in %s", what, own_directory);
}

bool measure(const struct attack_block *b, struct kernel_measured *out, struct err *err)
{
    struct insn insns[BLOCK_MAX];
    size_t n = 0;
    *err = (struct err){0};
    for (size_t at = 0; at < b->length; at += insns[n - 1].length)
        if (!insn_decode(ISA_X86_64, b->code + at, b->length - at, at, false, &insns[n++], err))
            return false;
    return kernel_run(sandbox, &calibration, insns, n, out, err);
}

/* Returns the block's time in a fresh sandbox on the same CPU, because the load differs on other
 * CPUs. Returns NaN if there is no value. */
static double measure_fresh(const struct attack_block *b)
{
    struct sandbox *used = sandbox;
    struct kernel_measured m;
    struct err err = {0};

    sandbox = sandbox_new(sandbox_cpu(used), &err);
    if (!sandbox)
        fail_msg("no fresh sandbox: %s", err.what);
    bool ok = measure(b, &m, &err);
    sandbox_free(sandbox);
    sandbox = used;
    return ok ? m.cycles : NAN;
}

/* Measures @hex until its value is within [@least, @most]. Returns false after TRIES_FOR_A_VALUE
 * attempts. Sets *@had if fresh sandboxes returned RIGHT_ELSEWHERE correct values during these
 * attempts. Then other load does not explain the wrong values, because a busy sibling thread would
 * affect both sandboxes. */
static bool value_within(const char *hex, uint64_t address, double least, double most, double *got,
                         bool *had, const char *what)
{
    struct attack_block b = {0};
    struct kernel_measured m;
    struct err err;

    block_add(&b, hex, address);
    unsigned rights = 0;
    *had = false;
    *got = NAN;
    for (unsigned i = 0; i < TRIES_FOR_A_VALUE; i++) {
        double fresh = i >= TRIES_FOR_A_VALUE / 2 ? measure_fresh(&b) : NAN;
        rights += fresh >= least && fresh <= most;
        *had |= !isnan(*got) && rights >= RIGHT_ELSEWHERE;
        if (!measure(&b, &m, &err)) {
            if (err.code != ERR_LIMIT && !strstr(err.what, "stable time") &&
                !strstr(err.what, "a 1-cycle block"))
                fail_msg("%s: %s is not measured: %s", what, hex, err.what);
            continue;
        }
        *got = m.cycles;
        *had |= m.cycles >= least && m.cycles <= most;
        if (m.cycles >= least && m.cycles <= most)
            return true;
    }
    return false;
}

void value_right(const char *hex, uint64_t address, double least, double most, const char *what)
{
    double got;
    bool had;
    if (!value_within(hex, address, least, most, &got, &had, what) && had)
        fail_msg("%s: %s takes %.3f cycles instead of %.2f to %.2f", what, hex, got, least, most);
}

/* Returns the number of @values in the largest group within 1 % of one value, and stores this value
 * in *@middle. Disturbed values scatter. */
static unsigned alike(const double *values, unsigned count, double *middle)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned n = 0;
        for (unsigned k = 0; k < count; k++)
            n += fabs(values[k] / values[i] - 1) <= 0.01;
        if (n > most) {
            most = n;
            *middle = values[i];
        }
    }
    return most;
}

void value_as_fresh(const char *hex, const char *what)
{
    double values[TRIES_FOR_A_VALUE], fresh[TRIES_FOR_A_VALUE];
    unsigned n = 0, others = 0, tripped = 0;
    struct attack_block b = {0};
    struct kernel_measured m;
    struct err err;

    block_add(&b, hex, 0);
    for (unsigned i = 0; i < TRIES_FOR_A_VALUE; i++) {
        if (measure(&b, &m, &err))
            values[n++] = m.cycles;
        else if (strstr(err.what, "a 1-cycle block"))
            tripped++;
        else if (err.code != ERR_LIMIT && !strstr(err.what, "stable time"))
            fail_msg("%s: %s is not measured: %s", what, hex, err.what);
        fresh[others] = measure_fresh(&b);
        others += !isnan(fresh[others]);
        for (unsigned k = 0; k < n * others; k++)
            if (fabs(values[k / others] / fresh[k % others] - 1) <= 0.01) {
                values_had++;
                values_asked++;
                return;
            }
    }
    values_asked++;
    double own, elsewhere;
    unsigned same = alike(values, n, &own), same_fresh = alike(fresh, others, &elsewhere);
    if (same >= RIGHT_ELSEWHERE && same_fresh >= RIGHT_ELSEWHERE)
        fail_msg(
            "%s: %s takes %.3f cycles (%u of %u values), and %.3f in a fresh sandbox (%u of %u)",
            what, hex, own, same, n, elsewhere, same_fresh, others);
    /* Other load may disturb the reference block after the attack. The attack is at fault only if
     * each attempt was disturbed. */
    double got;
    bool had;
    if (tripped == TRIES_FOR_A_VALUE && value_within("4801d8", 0, 0.99, 1.01, &got, &had, what) &&
        had)
        fail_msg("%s: %s disturbs the known block after it each time", what, hex);
}

void next_right(const char *what)
{
    double got;
    bool had, right = value_within("4801d8", 0, 0.99, 1.01, &got, &had, what);
    values_asked++;
    values_had += had;
    if (had && !right)
        fail_msg("%s: the next measurement is %.3f cycles instead of 1", what, got);
}

struct attack_time attack_begins(void)
{
    return (struct attack_time){sandbox_waits(sandbox), now()};
}

void attack_ends(const struct attack_time *time, const char *name)
{
    struct slow_case this = {.seconds = now() - time->begun};
    const unsigned waits = sandbox_waits(sandbox) - time->waits;

    snprintf(this.name, sizeof this.name, "%s", name);
    for (unsigned i = 0; i < SLOWEST; i++)
        if (this.seconds > slowest[i].seconds) {
            const struct slow_case other = slowest[i];
            slowest[i] = this;
            this = other;
        }
    if (waits > WAITS_ALLOWED)
        fail_msg("%s: %.1f s", name, waits / 10.0);
}

void attack(const char *name, const char *hex, uint64_t address, enum ending ending,
            const char *reason)
{
    struct kernel_measured m;
    struct err err;
    struct attack_block b = {0};
    bool ok = false;

    block_add(&b, hex, address);
    for (unsigned i = 0; i < TRIES; i++) {
        const struct attack_time time = attack_begins();
        ok = measure(&b, &m, &err);
        attack_ends(&time, name);
        /* If the processor is contended, the block may end without a reason, or not run. Any other
         * end is the outcome of a block that may have every outcome. */
        const bool over = ending == ANY ? strcmp(err.what, "core is contended") != 0
                                        : ending == REFUSED && err.code != ERR_LIMIT;
        if (ok || over)
            break;
    }
    const bool untold =
        ending == REFUSED && !ok && err.code == ERR_LIMIT && !strstr(err.what, reason);
    if (untold)
        print_message("%s: this host is too busy to tell: %s\n", name, err.what);
    if (ok && !(m.cycles > 0))
        fail_msg("%s: ok, but %g cycles", name, m.cycles);
    if (!ok && !err.what[0])
        fail_msg("%s: no reason", name);
    if (ending == REFUSED && !untold && (ok || !strstr(err.what, reason)))
        fail_msg("%s: %s instead of: %s", name, ok ? "run" : err.what, reason);
    if (ending == VALUE && !ok && err.code == ERR_DATA && !strstr(err.what, "stable time"))
        fail_msg("%s: %s", name, err.what);
    if (ending == ANY && reason && !ok && !strstr(err.what, reason) && err.code != ERR_LIMIT &&
        !strstr(err.what, "stable time"))
        fail_msg("%s: %s instead of: %s", name, err.what, reason);
    cases_run++;
    nothing_left(name);
}

bool attacks_possible(void)
{
    return isa_host() == ISA_X86_64;
}

int attacks_begin(void **state)
{
    struct err err = {0};
    own_directory = work_path("");
    if (chdir(own_directory) != 0 || setenv("TMPDIR", own_directory, 1) != 0 ||
        prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return -1;
    sandbox = sandbox_new(-1, &err);
    bool ok = sandbox && calibrate(sandbox, NULL, NULL, &calibration, &err);
    if (!ok)
        print_message("no measuring here: %s\n", err.what);
    /* Other load slows the reference block and the compared value equally. Loose tolerances avoid
     * waits for an idle machine. */
    calibration.rules.probe_tolerance = 100;
    calibration.rules.chain_tolerance = 0.01;
    calibration.rules.agreement = 0.02;
    calibration.rules.patience *= 0.3;
    files_before = entries_in("/proc/self/fd");
    return ok ? 0 : -1;
}

int attacks_end(void **state)
{
    sandbox_free(sandbox);
    print_message("%u cases; on the clock, which decides nothing, the slowest took", cases_run);
    for (unsigned i = 0; i < SLOWEST && slowest[i].seconds > 0; i++)
        print_message("%s %.2f s (%s)", i ? "," : "", slowest[i].seconds, slowest[i].name);
    print_message("\n");
    if (chdir("/") != 0)
        return -1;
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : -1;
}
