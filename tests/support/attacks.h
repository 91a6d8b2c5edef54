/* Hostile blocks: runs one, and checks that nothing of it remains. x86-64; whatever is unavailable
 * ends the test with the reason. */
#ifndef PORTOLAN_TESTS_ATTACKS_H
#define PORTOLAN_TESTS_ATTACKS_H

#include "measure/calibrate.h"
#include "measure/kernel_run.h"

/* of a tenth of a second each, two seconds in total: counted, since a busy machine delays timers
 * too */
#define WAITS_ALLOWED 20
/* this machine may have other load: a wrong value is measured again */
#define TRIES 6
#define BLOCK_MAX 160

extern struct sandbox *sandbox;
extern struct calibration calibration;
extern unsigned cases_run;
extern unsigned values_asked, values_had;   /* measurements after attacks: attempted, and settled */

/* Whether cases can run: requires an x86-64 processor. */
bool attacks_possible(void);

/* For cmocka's groups. Creates a private working directory and directory of temporary files. */
int attacks_begin(void **state);
int attacks_end(void **state);

struct attack_block { uint8_t code[BLOCK_MAX]; size_t length; };

/* Adds hex digits separated by blanks; "<" is replaced by the eight bytes of @address. */
void block_add(struct attack_block *b, const char *hex, uint64_t address);
/* Seconds on a monotonic clock. */
double now(void);
/* Children that the sandbox keeps between two blocks: foreign code's, or none between a renewal and
 * the next foreign code. */
int own_children(void);
/* Fails where processes, descriptors or files are left behind by @what. */
void nothing_left(const char *what);
/* False with err when it is rejected or has no value. */
bool measure(const struct attack_block *b, struct kernel_measured *out, struct err *err);
/* The value of @hex lies within [@least, @most], or this machine yields no value. */
void value_right(const char *hex, uint64_t address, double least, double most, const char *what);
/* The value of @hex is within 1 % of that of a sandbox in which no other code has run. */
void value_as_fresh(const char *hex, const char *what);
/* The reference for all cases: a dependent add takes one cycle, within 1 %. A machine too busy for
 * any value proves nothing; such cases are counted. */
void next_right(const char *what);

/* Start and end of a case: fails when it took more than WAITS_ALLOWED. attacks_end prints the
 * longest wall-clock times. */
struct attack_time { unsigned waits; double begun; };
struct attack_time attack_begins(void);
void attack_ends(const struct attack_time *time, const char *name);

/* Permitted outcomes: rejected before it runs; a value; an error or a value. */
enum ending { REFUSED, VALUE, ANY };

/* Runs @hex, which ends in time with that outcome; the message of a REFUSED block contains @reason
 * (ANY: the message is checked only if there is one and @reason is given). */
void attack(const char *name, const char *hex, uint64_t address, enum ending ending,
            const char *reason);

#endif
