/* Shared by unit tests. Whatever is unavailable on this machine ends the test with the reason. */
#ifndef PORTOLAN_TESTS_SUPPORT_H
#define PORTOLAN_TESTS_SUPPORT_H

#include "io/machine_file.h"

struct forms;
struct kernel;
struct kernel_options;
struct session;

/* A shipped machine, or one in a directory; the caller frees it. */
struct machine *load_machine(const char *id);
/* Cycles per iteration of the block @hex (x86-64), from its bounds or simulated. */
double predicted_cycles(const struct machine *m, const char *hex, bool simulated);
/* Fails unless the ports of machine @id predict at least @count experiments of @file in the source
 * tree, with a mean relative error of at most @error and at most @worst each. */
void assert_foretold(const char *id, const char *file, size_t count, double error, double worst);
/* All shipped forms of every set, for the life of the process. */
const struct forms *const *shipped_forms(void);
/* Fails unless @m has @form with that usage, in the notation of usage_print, and latency (NaN:
 * none). */
void assert_usage(const struct machine *m, const char *form, const char *usage, double latency);
/* Kernel of assembler text, with default options or @options; the caller frees it. */
struct kernel *kernel_of(const char *text);
struct kernel *kernel_with(const char *text, const struct kernel_options *options);

/* Path of @name in the source tree ("tests/data/triad.s"). Valid for the life of the process. */
const char *source_path(const char *name);

/* Path of @name in a directory of this program, which is removed at exit; "": the directory. Valid
 * for the life of the process. */
const char *work_path(const char *name);
/* Writes @text to a file there. */
void work_put(const char *name, const char *text);
/* Whether the file exists; whether its content equals @text. */
bool work_has(const char *name);
bool work_holds(const char *name, const char *text);
/* Removes a file or directory there, recursively. */
void work_remove(const char *name);

/* Replaces each @ of @pattern by that directory, in @out (cleared first). */
void work_expand(const char *pattern, struct str *out);

/* Fails unless both machines are equal, except for their names and the order of their forms. */
void assert_same_machine(const struct machine *a, const struct machine *b);

/* Runs commands; appends their output to @out, cleared first (NULL: discarded). False with err when
 * one fails. */
bool run_line(struct session *s, const char *line, struct str *out, struct err *err);

/* Compares @run on inputs of @size and twice @size: fails if the counted steps (base/steps.h) grow
 * faster than the input. */
void assert_grows(void (*run)(size_t size), size_t size);

/* Whether RLIMIT_AS limits a process; false, with a message, otherwise: emulators of processors
 * exempt themselves. */
bool address_space_limited(void);
/* Value of the environment variable @name, or @usual: searches run with few seeds, `make torture`
 * sets more. */
unsigned asked_for(const char *name, unsigned usual);
/* Number of files in @directory; -1 when it is unreadable. */
int entries_in(const char *directory);
/* Number of existing children of this process, including zombies; 0 when processes are
 * invisible. */
int children_left(void);
/* Number of open descriptors of process @pid; -1 when invisible. */
int files_of(int pid);

/* Tests wait for events, not for durations. A single limit, 50 times the seconds needed on an idle
 * machine, ends a wait: only a hang reaches it. */
#define HANG_SECONDS 600
struct hang { double begun; const char *what; };
/* Begins a wait for @what (a string that outlives it). */
struct hang hang_begin(const char *what);
/* Called in a waiting loop: sleeps for 1 ms. Fails after HANG_SECONDS, and reports a hang. */
void hang_look(const struct hang *h);

#endif
