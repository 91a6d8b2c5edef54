/* What unit tests share. Whatever cannot be had here ends the test with the reason. */
#ifndef PORTOLAN_TESTS_SUPPORT_H
#define PORTOLAN_TESTS_SUPPORT_H

#include "io/machine_file.h"

struct forms;
struct kernel;
struct kernel_options;
struct session;

/* A shipped machine, or one in a directory; the caller frees it. */
struct machine *load_machine(const char *id);
/* Cycles of the block @hex in copies that run again and again (x86-64), by its bounds or
 * simulated. */
double predicted_cycles(const struct machine *m, const char *hex, bool simulated);
/* Fails unless the ports of machine @id foretell the experiments of @file in the source tree, at
 * least @count of them, within @error on average and each within @worst. */
void assert_foretold(const char *id, const char *file, size_t count, double error, double worst);
/* All shipped forms of every set, which last. */
const struct forms *const *shipped_forms(void);
/* Fails unless @m has @form with that usage, as usage_print writes it, and latency (NaN: none). */
void assert_usage(const struct machine *m, const char *form, const char *usage, double latency);
/* The kernel of assembler text, which the caller frees; with default options, or @options. */
struct kernel *kernel_of(const char *text);
struct kernel *kernel_with(const char *text, const struct kernel_options *options);

/* Where @name of the source tree ("tests/data/triad.s") lies. The answer stays valid. */
const char *source_path(const char *name);

/* Where @name lies in a directory of this program's own, which is removed when the program ends;
 * "": the directory. The answer stays valid. */
const char *work_path(const char *name);
/* A file there gets @text as its content. */
void work_put(const char *name, const char *text);
/* Whether there is such a file; whether its content is @text. */
bool work_has(const char *name);
bool work_holds(const char *name, const char *text);
/* Removes a file or directory there, with all that is in it. */
void work_remove(const char *name);

/* @pattern with that directory for each @, in @out, cleared before. */
void work_expand(const char *pattern, struct str *out);

/* Fails unless both are the same, except for their names and the order of their forms. */
void assert_same_machine(const struct machine *a, const struct machine *b);

/* Runs commands; what they print goes to @out, cleared before (NULL: nowhere). False with err when
 * one fails. */
bool run_line(struct session *s, const char *line, struct str *out, struct err *err);

/* @run on an input of @size, and of twice that: the steps that are counted (base/steps.h) grow with
 * the input, not with its square. */
void assert_grows(void (*run)(size_t size), size_t size);

/* Whether RLIMIT_AS limits a process; false, with a message, where it does not: emulators of
 * processors let it set what they need for themselves. */
bool address_space_limited(void);
/* The value of the environment variable @name, or @usual: searches are tested with few seeds, `make
 * torture` sets more. */
unsigned asked_for(const char *name, unsigned usual);
/* How many files are in @directory; -1 when it cannot be read. */
int entries_in(const char *directory);
/* Children of this process that still exist, dead ones too; 0 when processes cannot be seen. */
int children_left(void);
/* How many descriptors process @pid has; -1 when they cannot be seen. */
int files_of(int pid);

/* Tests wait for events, never for a time. A wait has one limit, which only a hang reaches: 50
 * times the seconds that an idle machine needs. */
#define HANG_SECONDS 600
struct hang { double begun; const char *what; };
/* A wait for @what (a string that stays) begins. */
struct hang hang_begin(const char *what);
/* Called in a waiting loop: sleeps for a millisecond. Fails after HANG_SECONDS, and reports a
 * hang. */
void hang_look(const struct hang *h);

#endif
