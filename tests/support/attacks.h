/* Blocks that mean harm: running one, and seeing that nothing is left of it. x86-64; what cannot be
 * had ends the test with the reason. */
#ifndef PORTOLAN_TESTS_ATTACKS_H
#define PORTOLAN_TESTS_ATTACKS_H

#include "measure/calibrate.h"
#include "measure/kernel_run.h"

/* of a tenth of a second each, two seconds in all: counted, since a busy machine delays timers
 * too */
#define WAITS_ALLOWED 20
/* this machine may have other load: a wrong value is tried again */
#define TRIES 6
#define BLOCK_MAX 160

extern struct sandbox *sandbox;
extern struct calibration calibration;
extern unsigned cases_run;
extern unsigned values_asked, values_had;   /* of the next measurements: how many settled at all */

/* Whether cases can run: on an x86-64 processor. */
bool attacks_possible(void);

/* For cmocka's groups. The working directory and that of temporary files become one of their
 * own. */
int attacks_begin(void **state);
int attacks_end(void **state);

struct attack_block { uint8_t code[BLOCK_MAX]; size_t length; };

/* Adds hex digits separated by blanks; "<" is replaced by the eight bytes of @address. */
void block_add(struct attack_block *b, const char *hex, uint64_t address);
/* Seconds on a clock that only goes forward. */
double now(void);
/* Those that the sandbox knows of between two blocks: own code's, or none once a renewal has ended
 * it and until own code runs again. */
int own_children(void);
/* Fails where processes, descriptors or files are left behind by @what. */
void nothing_left(const char *what);
/* False with err when it is refused or has no value. */
bool measure(const struct attack_block *b, struct kernel_measured *out, struct err *err);
/* The value of @hex lies within @least and @most, or this machine gives none. */
void value_right(const char *hex, uint64_t address, double least, double most, const char *what);
/* The value of @hex is within 1 % of that of a sandbox in which no other code has run. */
void value_as_fresh(const char *hex, const char *what);
/* The yardstick of everything: a dependent add takes one cycle, within 1 %. A machine too busy for
 * any value proves nothing; how often that was is counted. */
void next_right(const char *what);

/* Start and end of a case: fails when it took more than WAITS_ALLOWED, and keeps its wall-clock
 * time, if it is one of the longest, for attacks_end. */
struct attack_time { unsigned waits; double begun; };
struct attack_time attack_begins(void);
void attack_ends(const struct attack_time *time, const char *name);

/* How a case may end: refused before it runs; with a value; with a reason or a value. */
enum ending { REFUSED, VALUE, ANY };

/* Runs @hex, which ends in time with that outcome; a REFUSED block has @reason in its message (ANY:
 * only if there is a message and a reason). */
void attack(const char *name, const char *hex, uint64_t address, enum ending ending,
            const char *reason);

#endif
