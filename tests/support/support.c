/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/names.h"
#include "base/steps.h"
#include "cmd/command.h"
#include "io/experiments_file.h"
#include "simulate/simulate.h"
#include "throughput/throughput.h"

#define GROWTH 2.5   /* largest ratio of steps when the input doubles */

struct machine *load_machine(const char *id)
{
    struct err err = {0};
    struct machine *m = machine_load(id, &err);

    if (!m)
        fail_msg("%s: %s:%zu:%zu %s", id, err.file, err.line, err.column, err.what);
    return m;
}

double predicted_cycles(const struct machine *m, const char *hex, bool simulated)
{
    static const struct block_options as_measured = {.shape = SHAPE_CACHED,
                                                     .start = START_MEASURED};
    struct err err = {0};
    struct kernel *kernel = kernel_from_hex(ISA_X86_64, hex, &err);
    struct bounds bounds;
    struct simulation sim = {.cycles = 0};
    size_t count;

    assert_non_null(kernel);
    const struct insn *insns = kernel_insns(kernel, 0, &count);
    struct block_work *work = block_work_new(m);
    bounds_of(work, insns, count, &as_measured, false, &bounds);
    /* The time of chains without delay on unhurried ports is between the other bounds and the
     * total. */
    assert_true(isnan(bounds.unhurried) || bounds.unhurried <= bounds.total);
    for (int kind = 0; kind < BOUND_COUNT && !isnan(bounds.unhurried); kind++)
        assert_true(kind == BOUND_DEPENDENCIES || !(bounds.unhurried < bounds.cycles[kind]));
    if (simulated) {
        struct simulator *s = simulator_new();
        simulate(s, work, insns, count, &as_measured, &(struct simulate_options){0}, &sim);
        simulator_free(s);
        simulation_done(&sim);
    }
    block_work_free(work);
    kernel_free(kernel);
    return simulated ? sim.cycles : bounds.total;
}

void assert_predicted(const char *id, const char *file, size_t count, double error, double worst)
{
    struct err err = {0};
    struct machine *m = load_machine(id);
    struct experiments *t = experiments_load(source_path(file), &err);
    double sum = 0;

    if (!t)
        fail_msg("%s: %s", err.file, err.what);
    assert_true(t->rows.count >= count);
    for (size_t i = 0; i < t->rows.count; i++) {
        struct experiment e = {0};
        experiments_get(t, i, &e);
        double off = fabs(throughput_of(m->mapping, &e, NULL) / t->rows.items[i].cycles - 1);
        if (!(off <= worst))
            fail_msg("%s, row %zu: off by %.1f %%", file, i + 1, 100 * off);
        sum += off;
        experiment_done(&e);
    }
    if (!(sum <= error * (double)t->rows.count))
        fail_msg("%s: off by %.2f %%", file, 100 * sum / (double)t->rows.count);
    experiments_free(t);
    machine_free(m);
}

static const struct forms *forms[ISA_COUNT];

const struct forms *shipped_forms_of(enum isa isa)
{
    if (!forms[isa])
        forms[isa] = forms_load(isa, NULL, NULL);
    assert_non_null(forms[isa]);
    return forms[isa];
}

const struct forms *const *shipped_forms(void)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        (void)shipped_forms_of((enum isa)isa);
    return forms;
}

void assert_usage(const struct machine *m, const char *form, const char *usage, double latency)
{
    const struct mapping_entry *entry = mapping_find(m->mapping, form);
    struct str text = {0};

    if (!entry)
        fail_msg("%s not found", form);
    usage_print(&entry->usage, mapping_ports(m->mapping), &text);
    assert_string_equal(str_text(&text), usage);
    if (isnan(latency))
        assert_true(isnan(entry->latency));
    else
        assert_true(entry->latency == latency);
    str_done(&text);
}

struct kernel *kernel_with(const char *text, const struct kernel_options *options)
{
    struct err err = {0};
    struct kernel *k = kernel_from_text("test", text, strlen(text), options, &err);

    if (!k)
        fail_msg("%s: %s", text, err.what);
    return k;
}

struct kernel *kernel_of(const char *text)
{
    return kernel_with(text, NULL);
}

/* Joins @directory and @name. The result is never freed, because a test joins few names. */
static const char *join(const char *directory, const char *name)
{
    static struct names answers;
    struct str path = {0};

    str_addf(&path, "%s%s%s", directory, *name ? "/" : "", name);
    uint32_t answer = names_add(&answers, str_text(&path));
    str_done(&path);
    return answers.items[answer];
}

const char *source_path(const char *name)
{
    const char *top = getenv("PORTOLAN_SRC");
    return join(top ? top : ".", name);
}

static char work[] = "/tmp/portolan-test-XXXXXX";
/* process that created the directory and removes it at exit, unlike its child processes; 0 before
 * that */
static pid_t owner;

static void remove_work(void)
{
    if (owner == getpid())
        work_remove("");
}

const char *work_path(const char *name)
{
    if (!owner) {
        assert_non_null(mkdtemp(work));
        owner = getpid();
        atexit(remove_work);
    }
    return join(work, name);
}

void work_put(const char *name, const char *text)
{
    struct err err = {0};

    if (!file_write(work_path(name), text, strlen(text), &err))
        fail_msg("%s: %s", name, err.what);
}

bool work_has(const char *name)
{
    return access(work_path(name), F_OK) == 0;
}

bool work_holds(const char *name, const char *text)
{
    struct str bytes = {0};
    bool same =
        file_read(work_path(name), 1 << 20, &bytes, NULL) && strcmp(str_text(&bytes), text) == 0;

    str_done(&bytes);
    return same;
}

void work_remove(const char *name)
{
    char command[4200];

    snprintf(command, sizeof command, "rm -rf '%s'", work_path(name));
    assert_int_equal(system(command), 0);
}

bool run_line(struct session *s, const char *line, struct str *out, struct err *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    assert_non_null(stream);
    bool ok = command_run(s, line, stream, err);
    fclose(stream);
    if (out) {
        str_clear(out);
        str_add_bytes(out, text, length);
    }
    free(text);
    return ok;
}

void work_expand(const char *pattern, struct str *out)
{
    str_clear(out);
    for (; *pattern; pattern++)
        if (*pattern == '@')
            str_add(out, work_path(""));
        else
            str_add_char(out, *pattern);
}

static void assert_same_number(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

void assert_same_machine(const struct machine *a, const struct machine *b)
{
    assert_true(mapping_equal(a->mapping, b->mapping));
    assert_true(ports_equal(mapping_ports(a->mapping), mapping_ports(b->mapping)));
    assert_same_number(mapping_issue_width(a->mapping), mapping_issue_width(b->mapping));
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->isa, b->isa);
    assert_int_equal(a->fact_count, b->fact_count);
    for (size_t i = 0; i < a->fact_count; i++) {
        assert_string_equal(a->facts[i].key, b->facts[i].key);
        assert_string_equal(a->facts[i].value, b->facts[i].value);
        assert_string_equal(a->facts[i].unit, b->facts[i].unit);
        assert_string_equal(a->facts[i].source, b->facts[i].source);
    }
    assert_int_equal(mapping_count(a->mapping), mapping_count(b->mapping));
    for (size_t i = 0; i < mapping_count(a->mapping); i++) {
        const struct mapping_entry *x = mapping_at(a->mapping, i),
                                   *y = mapping_find(b->mapping, x->form);
        assert_true(y && usage_equal(&x->usage, &y->usage) && x->micro_ops == y->micro_ops);
        assert_same_number(x->latency, y->latency);
        assert_string_equal(x->source, y->source);
    }
    assert_int_equal(a->latency_count, b->latency_count);
    for (size_t i = 0; i < a->latency_count; i++) {
        const struct latency_rule *x = &a->latencies[i], *y = &b->latencies[i];
        assert_true(x->from == y->from && x->to == y->to);
        assert_same_number(x->cycles, y->cycles);
        assert_string_equal(x->form, y->form);
        assert_string_equal(x->source, y->source);
    }
}

bool address_space_limited(void)
{
    const size_t piece = (size_t)16 << 20;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        /* The limit is below the present size, so every allocation must fail. */
        const struct rlimit limit = {piece / 2, piece / 2};
        _exit(setrlimit(RLIMIT_AS, &limit) == 0 &&
                      mmap(NULL, piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                  ? 0
                  : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    bool limited = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!limited)
        print_message("not tried: limits of address space do not hold here\n");
    return limited;
}

int entries_in(const char *directory)
{
    DIR *dir = opendir(directory);
    int n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return dir ? n : -1;
}

int children_left(void)
{
    DIR *dir = opendir("/proc");
    int n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[300], line[512] = "";
        int parent = 0;
        snprintf(path, sizeof path, "/proc/%.20s/stat", e->d_name);
        FILE *f = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (!f)
            continue;
        const char *after = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
        if (after && sscanf(after + 1, " %*c %d", &parent) == 1 && parent == getpid())
            n++;
        fclose(f);
    }
    if (dir)
        closedir(dir);
    return n;
}

int files_of(int pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *dir = opendir(path);
    int n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        n += e->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return dir ? n : -1;
}

/* Returns the number of steps of @run on an input of @size. */
static uint64_t steps_of(void (*run)(size_t size), size_t size)
{
    uint64_t before = steps_taken;
    run(size);
    return steps_taken - before;
}

void assert_grows(void (*run)(size_t size), size_t size)
{
    uint64_t once = steps_of(run, size), twice = steps_of(run, 2 * size);

    if (once < size / 2 || (double)twice > GROWTH * (double)once)
        fail_msg("%zu: %llu steps, %zu: %llu", size, (unsigned long long)once, 2 * size,
                 (unsigned long long)twice);
}

unsigned asked_for(const char *name, unsigned usual)
{
    const char *text = getenv(name);
    return text && atoi(text) > 0 ? (unsigned)atoi(text) : usual;
}

struct hang hang_begin(const char *what)
{
    return (struct hang){clock_wall(), what};
}

void hang_look(const struct hang *h)
{
    if (clock_wall() - h->begun > HANG_SECONDS)
        fail_msg("a hang: %s for %d s", h->what, HANG_SECONDS);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}
