/* Runs hostile blocks and checks that each leaves no effects. x86-64. If something is unavailable,
 * the test ends with the reason. */
#ifndef PORTOLAN_TESTS_ATTACKS_H
#define PORTOLAN_TESTS_ATTACKS_H

#include "measure/calibrate.h"
#include "measure/kernel_run.h"

/* number of timer periods of a tenth of a second, two seconds in total; periods are counted,
 * because a busy machine delays timers */
#define WAITS_ALLOWED 20
/* maximum number of measurements of one value, because other load may disturb some of them */
#define TRIES 6
#define BLOCK_MAX 160

extern struct sandbox *sandbox;
extern struct calibration calibration;
extern unsigned cases_run;
/* number of measurements after attacks that were attempted, and that had a result */
extern unsigned values_asked, values_had;

/* Returns whether cases can run, which requires an x86-64 processor. */
bool attacks_possible(void);

/* Setup and teardown of cmocka's groups. attacks_begin creates a private working directory, which
 * also contains the temporary files. */
int attacks_begin(void **state);
int attacks_end(void **state);

struct attack_block { uint8_t code[BLOCK_MAX]; size_t length; };

/* Appends hex digits separated by blanks. "<" is replaced by the eight bytes of @address. */
void block_add(struct attack_block *b, const char *hex, uint64_t address);
/* Returns the seconds of a monotonic clock. */
double now(void);
/* Returns the number of child processes that the sandbox has between two blocks: one for foreign
 * code, or none between a renewal and the next foreign code. */
int own_children(void);
/* Fails if @what left processes, descriptors or files behind. */
void nothing_left(const char *what);
/* Measures the block. Returns false with err if it is rejected or has no value. */
bool measure(const struct attack_block *b, struct kernel_measured *out, struct err *err);
/* Fails unless the value of @hex is within [@least, @most], or the machine has no stable value. */
void value_right(const char *hex, uint64_t address, double least, double most, const char *what);
/* Fails unless the value of @hex is within 1 % of that in a sandbox where no other code has run. */
void value_as_fresh(const char *hex, const char *what);
/* Checks the reference of all cases: a dependent add takes one cycle, within 1 %. If the machine is
 * too busy for any value, only counts the case. */
void next_right(const char *what);

/* Start and end of a case. attack_ends fails if the case took more than WAITS_ALLOWED timer
 * periods. attacks_end prints the longest elapsed times. */
struct attack_time { unsigned waits; double begun; };
struct attack_time attack_begins(void);
void attack_ends(const struct attack_time *time, const char *name);

/* Permitted outcomes: rejection before the run; a value; an error or a value. */
enum ending { REFUSED, VALUE, ANY };

/* Runs @hex, which must end in time with the outcome @ending. The message of a REFUSED block must
 * contain @reason. With ANY, only an existing message is checked, and only if @reason is not
 * NULL. */
void attack(const char *name, const char *hex, uint64_t address, enum ending ending,
            const char *reason);

#endif
