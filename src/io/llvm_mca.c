/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/llvm_mca.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "isa/isa.h"

#define OUTPUT_LIMIT ((size_t)512 << 20)
#define ITERATIONS 50     /* value of the option -iterations below */
#define LONGER 3           /* number of copies of a block in its second region */

static const char *program(void)
{
    const char *chosen = getenv("PORTOLAN_LLVM_MCA");
    if (chosen && *chosen)
        return chosen;
    return access("/usr/bin/llvm-mca-22", X_OK) == 0 ? "llvm-mca-22" : "llvm-mca";
}

/* Sets err to the cause of llvm-mca's failure: a known cause with its remedy, otherwise the first
 * line of llvm-mca's message. */
static void explain(const char *program_name, const char *cpu, const char *output, struct err *err)
{
    const char *what = strstr(output, "error:");
    what = what ? what + strlen("error:") : output;
    what += strspn(what, " ");
    if (strstr(output, "is not a recognized processor"))
        err_set(err, ERR_MISSING, "llvm-mca -mcpu=help lists the names",
                "LLVM does not recognise the CPU %s", cpu);
    else if (strstr(output, "is not a recognized feature"))
        err_set(err, ERR_USAGE, "llvm-mca -mattr=help lists the names",
                "LLVM does not recognise all features of %s", cpu);
    else if (strstr(output, "unable to find instruction-level scheduling information"))
        err_set(err, ERR_DATA, "select a related CPU that has a scheduling model",
                "LLVM has no scheduling model for %s", cpu);
    else if (!*what)
        err_set(err, ERR_DATA, "use llvm-mca 22", "%s failed without a message", program_name);
    else
        err_set(err, ERR_DATA, NULL, "%s failed: %.*s", program_name,
                (int)(strcspn(what, "\n") > 300 ? 300 : strcspn(what, "\n")), what);
}

#define EXTRA_MAX 8

/* Runs llvm-mca with at most EXTRA_MAX options @extra, NULL-terminated, on @input. Writes the
 * report to @out. After LLVM_MCA_DIED, @err names the signal. */
static enum llvm_mca_end run(enum isa isa, const char *cpu, const char *const *extra,
                             const struct str *input, struct str *out, struct err *err)
{
    static const struct child_limits limits = {.cpu_seconds = 120,
                                               .memory = (size_t)8 << 30,
                                               .file_size = OUTPUT_LIMIT,
                                               .wall_seconds = 240,
                                               .output = 4096};
    struct str mcpu = {0}, features = {0}, path = {0};
    struct child_result result = {0};
    enum llvm_mca_end how = LLVM_MCA_FAILED;
    char *directory = child_directory_new(err);

    if (!directory)
        return LLVM_MCA_FAILED;
    str_addf(&mcpu, "-mcpu=%.*s", (int)strcspn(cpu, "+"), cpu);
    str_add(&features, "-mattr=");
    for (const char *f = cpu + strcspn(cpu, "+"); *f; f += 1 + strcspn(f + 1, "+"))
        str_addf(&features, "%.*s,", (int)(1 + strcspn(f + 1, "+")), f);
    str_addf(&path, "%s/table", directory);
    /* These options are last, because the list ends before them if llvm_syntax is NULL. */
    const char *last[] = {isa_ops(isa)->llvm_syntax, "-output-asm-variant=1", NULL};
    const char *argv[7 + EXTRA_MAX + 3] = {program(),
                                           isa_ops(isa)->llvm_triple,
                                           str_text(&mcpu),
                                           "-skip-unsupported-instructions=any",
                                           "-o",
                                           str_text(&path),
                                           str_text(&features)};
    size_t count = 7;
    for (size_t i = 0; extra[i]; i++)
        argv[count++] = extra[i];
    for (size_t i = 0; last[i]; i++)
        argv[count++] = last[i];
    if (!child_run(argv, directory, input->data, input->length, &limits, &result, err)) {
        if (err->code == ERR_MISSING)
            err_set(err, ERR_MISSING, "install the package llvm-22", "cannot start %s", argv[0]);
        goto out;
    }
    if (result.timed_out) {
        err_set(err, ERR_LIMIT, "end other programs and repeat the command",
                "%s did not end within %.0f s", argv[0], limits.wall_seconds);
    } else if (WIFSIGNALED(result.status)) {
        err_set(err, ERR_DATA, "use llvm-mca 22", "%s was killed by signal %d", argv[0],
                WTERMSIG(result.status));
        how = LLVM_MCA_DIED;
    } else if (result.status != 0 ||
               strstr(str_text(&result.output),
                      /* Fails, because llvm-mca would ignore the unknown feature. */
                      "is not a recognized feature")) {
        explain(argv[0], cpu, str_text(&result.output), err);
    } else if (file_read(str_text(&path), OUTPUT_LIMIT, out, err)) {
        how = LLVM_MCA_DONE;
    }
out:
    child_result_done(&result);
    child_directory_free(directory);
    str_done(&mcpu);
    str_done(&features);
    str_done(&path);
    return how;
}

enum llvm_mca_end llvm_mca_run(enum isa isa, const char *cpu, const char *extra,
                               const struct str *input, struct str *out, struct err *err)
{
    return run(isa, cpu, (const char *const[]){extra, NULL}, input, out, err);
}

enum llvm_mca_end llvm_mca_timeline(enum isa isa, const char *cpu, const struct str *input,
                                    struct str *out, struct err *err)
{
    static const char *const options[] = {"-timeline",
                                          "-json",
                                          "-iterations=1",
                                          "-instruction-info=false",
                                          "-resource-pressure=false",
                                          "-summary-view=false",
                                          NULL};
    return run(isa, cpu, options, input, out, err);
}

bool llvm_mca_cpu(const char *cpu, struct err *err)
{
    if (cpu[0] &&
        !cpu[strspn(cpu, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+")])
        return true;
    return err_set(err, ERR_USAGE, "llvm-mca -mcpu=help lists the names", "invalid CPU name \"%s\"",
                   cpu);
}

static void add_region(enum isa isa, size_t number, const struct insn *code, size_t count,
                       unsigned copies, struct str *out)
{
    str_addf(out, "%s LLVM-MCA-BEGIN %zu\n", isa_ops(isa)->comment, number);
    for (size_t i = 0; i < copies * count; i++) {
        struct insn in = {0};
        if (insn_decode(isa, code[i % count].bytes, code[i % count].length, 0, true, &in, NULL))
            str_addf(out, "%s\n", in.text);
        insn_done(&in);
    }
    str_addf(out, "%s LLVM-MCA-END %zu\n", isa_ops(isa)->comment, number);
}

/* Returns the number after @key, or NaN if there is none before @end. */
static double read_number(const char *text, const char *end, const char *key)
{
    const char *at = strstr(text, key);
    return at && at < end ? strtod(at + strlen(key), NULL) : NAN;
}

/* Reads the total cycles per region. Leaves values unchanged for regions that the report lacks, or
 * whose number of instructions differs from @expected. Stores the cycles in @total. */
static void read_regions(const char *report, const size_t *expected, size_t regions, double *total)
{
    static const char head[] = "Code Region - ";
    const char *next;

    for (const char *at = strstr(report, head); at; at = next) {
        size_t region = strtoul(at + strlen(head), NULL, 10);
        next = strstr(at + 1, head);
        const char *end = next ? next : at + strlen(at);
        if (region < regions &&
            read_number(at, end, "Instructions:") == (double)(ITERATIONS * expected[region]))
            total[region] = read_number(at, end, "Total Cycles:");
    }
}

typedef const struct insn *(*code_reader)(const void *blocks, size_t i, size_t *count);

/* Times one copy of each block from @first to @first + @n - 1, and LONGER copies in a second
 * region. The difference of both times excludes the start and end of the run. Finds a block that
 * crashes llvm-mca by bisection; such a block has no time. */
static bool times_of(enum isa isa, const char *cpu, code_reader code_of, const void *blocks,
                     size_t first, size_t n, double *cycles, struct err *err)
{
    size_t *expected = mem_alloc((2 * n + 1) * sizeof *expected);
    double *total = mem_alloc((2 * n + 1) * sizeof *total);
    const char *comment = isa_ops(isa)->comment;
    struct str input = {0}, report = {0};

    for (size_t i = 0; i < 2 * n; i++) {
        size_t count;
        const struct insn *code = code_of(blocks, first + i / 2, &count);
        unsigned copies = i % 2 ? LONGER : 1;
        add_region(isa, i, code, count, copies, &input);
        expected[i] = copies * count;
        total[i] = NAN;
    }
    /* Adds a region with a known instruction. llvm-mca fails if all instructions are unknown. */
    str_addf(&input, "%s LLVM-MCA-BEGIN %zu\n%s\n%s LLVM-MCA-END %zu\n", comment, 2 * n,
             isa_ops(isa)->llvm_marker.text, comment, 2 * n);
    enum llvm_mca_end how = llvm_mca_run(isa, cpu, "-iterations=50", &input, &report, err);
    if (how == LLVM_MCA_DONE)
        read_regions(str_text(&report), expected, 2 * n, total);
    for (size_t i = 0; i < n; i++)
        cycles[first + i] = (total[2 * i + 1] - total[2 * i]) / (ITERATIONS * (LONGER - 1));
    str_done(&input);
    str_done(&report);
    free(expected);
    free(total);
    if (how != LLVM_MCA_DIED)
        return how == LLVM_MCA_DONE;
    if (err)
        *err = (struct err){0};
    if (n == 1)
        return true;
    return times_of(isa, cpu, code_of, blocks, first, n / 2, cycles, err) &&
           times_of(isa, cpu, code_of, blocks, first + n / 2, n - n / 2, cycles, err);
}

bool llvm_mca_times(enum isa isa, const char *cpu, code_reader code_of, const void *blocks,
                    size_t n, double *cycles, struct err *err)
{
    return llvm_mca_cpu(cpu, err) && (!n || times_of(isa, cpu, code_of, blocks, 0, n, cycles, err));
}
