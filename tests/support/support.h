/* Shared by unit tests. If a requirement is missing on this machine, the test ends with the
 * reason. */
#ifndef PORTOLAN_TESTS_SUPPORT_H
#define PORTOLAN_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>   /* needs the four headers above */

#include "io/machine_file.h"
#include "isa/isa.h"

/* Few tests and callbacks in tests use all their parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct forms;
struct kernel;
struct kernel_options;
struct session;

/* Loads a shipped machine, or one from a directory. The caller frees it. */
struct machine *load_machine(const char *id);
/* Returns the cycles per iteration of the x86-64 block @hex, from its bounds or from the
 * simulation. */
double predicted_cycles(const struct machine *m, const char *hex, bool simulated);
/* Fails unless machine @id predicts at least @count experiments of @file in the source tree. The
 * mean relative error must be at most @error, and the largest at most @worst. */
void assert_predicted(const char *id, const char *file, size_t count, double error, double worst);
/* Return the shipped forms of every instruction set, or of @isa. Valid for the life of the process.
 */
const struct forms *const *shipped_forms(void);
const struct forms *shipped_forms_of(enum isa isa);
/* Fails unless @m has @form with usage @usage, in the notation of usage_print, and latency @latency
 * (may be NaN). */
void assert_usage(const struct machine *m, const char *form, const char *usage, double latency);
/* Creates a kernel from assembler text, with default options or @options. The caller frees it. */
struct kernel *kernel_of(const char *text);
struct kernel *kernel_with(const char *text, const struct kernel_options *options);

/* Returns the path of @name in the source tree ("tests/data/triad.s"). Valid for the life of the
 * process. */
const char *source_path(const char *name);

/* Returns the path of @name in a directory of this program, which is removed at exit, or of the
 * directory itself if @name is "". Valid for the life of the process. */
const char *work_path(const char *name);
/* Writes @text to file @name in the directory of work_path. */
void work_put(const char *name, const char *text);
/* work_has returns whether the file exists. work_holds returns whether its content equals @text. */
bool work_has(const char *name);
bool work_holds(const char *name, const char *text);
/* Removes a file or directory in the directory of work_path, recursively. */
void work_remove(const char *name);

/* Replaces @out by @pattern, in which each @ is replaced by the directory of work_path. */
void work_expand(const char *pattern, struct str *out);

/* Fails unless both machines are equal, except for their names and the order of their forms. */
void assert_same_machine(const struct machine *a, const struct machine *b);

/* Runs commands and replaces @out by their output (NULL discards it). Returns false with err if a
 * command fails. */
bool run_line(struct session *s, const char *line, struct str *out, struct err *err);

/* Fails if the counted steps of @run (base/steps.h) grow faster than the input between @size and
 * twice @size. */
void assert_grows(void (*run)(size_t size), size_t size);

/* Returns whether RLIMIT_AS limits a process. If not, prints a message. Processor emulators do not
 * apply the limit to themselves. */
bool address_space_limited(void);
/* Returns the value of the environment variable @name, or @usual. Searches run with few seeds by
 * default. `make torture` sets more. */
unsigned asked_for(const char *name, unsigned usual);
/* Returns the number of files in @directory, or -1 if it cannot be read. */
int entries_in(const char *directory);
/* Returns the number of child processes, including zombies. Returns 0 if processes are not
 * visible. */
int children_left(void);
/* Returns the number of open descriptors of process @pid, or -1 if not visible. */
int files_of(int pid);

/* Tests wait for events instead of durations. Each wait has this limit, 50 times the seconds needed
 * on an idle machine. Only a hang reaches it. */
#define HANG_SECONDS 600
struct hang { double begun; const char *what; };
/* Begins a wait for @what, a string that must outlive the wait. */
struct hang hang_begin(const char *what);
/* Call this in a waiting loop. It sleeps for 1 ms. After HANG_SECONDS it reports a hang and
 * fails. */
void hang_look(const struct hang *h);

#endif
