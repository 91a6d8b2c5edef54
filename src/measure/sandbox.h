/* Runs machine code in a pinned child process. A filter permits only the sandbox's own system
 * calls, each from one address, unless an emulator lacks filters. The child cannot gain privileges.
 * It can write only to its own memory, and to data that it shares with the parent. Faults are
 * caught. Portolan's own code shares one child. If that child dies, a new child replaces it, and
 * only the item that was running is lost. Foreign code is kernels, and bodies of forms from a file
 * or session. It has a separate child, which ends at the next sandbox_clear and before the next
 * experiment with such forms. A sandbox belongs to one thread, which must outlive it. */
#ifndef PORTOLAN_MEASURE_SANDBOX_H
#define PORTOLAN_MEASURE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "isa/body.h"
#include "measure/sandbox_item.h"

struct sandbox;
/* Creates a sandbox on @cpu, or on the last allowed CPU if @cpu is -1. Returns NULL with err, for
 * example if the system denies a needed system call. */
struct sandbox *sandbox_new(int cpu, struct err *err);
void sandbox_free(struct sandbox *s);

/* Sets the default of @cancelled for runs without a function of their own. Each run polls its
 * function about ten times per second. @cancelled may be NULL. */
void sandbox_cancel_by(struct sandbox *s, bool (*cancelled)(void *state), void *state);

/* Starts a new batch. Discards the code and the items of the last one, and ends the child for
 * foreign code. */
void sandbox_clear(struct sandbox *s);
/* Returns an array of SANDBOX_ITEMS items for the caller to fill, valid until sandbox_free. */
struct sandbox_item *sandbox_items(struct sandbox *s);
/* Returns the offset in the code area at which the next loop will start. */
uint32_t sandbox_next_offset(const struct sandbox *s);
/* Returns the offset of data slot @slot from the start of the code area. Code may access the
 * slot. */
uint32_t sandbox_data_offset(unsigned slot);
/* Adds a loop over @copies copies of the @length bytes at @code. Sets *@offset to the loop's offset
 * in the code area. Returns false if the area is full or the loop is too long. */
bool sandbox_add(struct sandbox *s, const uint8_t *code, size_t length, unsigned copies,
                 unsigned counter, uint32_t *offset);
/* Returns the code at @offset, readable until sandbox_clear. */
const uint8_t *sandbox_code(const struct sandbox *s, uint32_t offset);
/* Overwrites @bytes bytes at @offset of the code area, in code that sandbox_add added. The bytes
 * must be data of its loops. */
void sandbox_set(struct sandbox *s, uint32_t offset, const void *data, size_t bytes);
/* Runs items 0 to @count - 1. Polls @cancelled (may be NULL) about ten times per second. Checks
 * counts, order and ranges of the results, because the child may have corrupted them. Returns false
 * with err if no child can be started, or when cancelled. */
bool sandbox_run(struct sandbox *s, unsigned count, const struct window_rules *rules,
                 bool (*cancelled)(void *state), void *state, struct err *err);

/* Runs the code at @offset (with COUNTER_MEMORY) once with vector set-up @vectors (enum
 * vector_setup). Stores the registers computed from @start in @after, and a checksum of the written
 * addresses and values in *@memory. If the run did not complete, sets *@fault (enum sandbox_fault),
 * for example to FAULT_PAGES for too many pages. Returns false with err like sandbox_run, or if
 * this instruction set is not supported. */
bool sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                        const struct sandbox_start *start, struct sandbox_state *after,
                        uint64_t *memory, unsigned *fault, struct err *err);
/* Returns whether this instruction set supports sandbox_run_states. */
bool sandbox_has_states(void);

/* Creates an arena of @bytes in children for foreign code (0: removes it), with pages of 2 MiB if
 * @huge and available. Ends the current child. Returns false with err. */
bool sandbox_arena(struct sandbox *s, size_t bytes, bool huge, struct err *err);
/* Returns the address of the arena; 0: none. */
uint64_t sandbox_arena_at(const struct sandbox *s);
/* Fills part of the arena, at most SANDBOX_FILL_PART bytes, in the current child for foreign code.
 * Returns false with err. */
bool sandbox_fill(struct sandbox *s, const struct sandbox_fill *fill, struct err *err);
/* Returns the share of the accessed part of the arena that is on huge pages; NaN: unknown. */
double sandbox_arena_huge(const struct sandbox *s);

/* Ends all children, rewrites chains and probes, which may be damaged, and discards code and
 * items. */
void sandbox_renew(struct sandbox *s);
/* Runs the reference block in the child for foreign code. Stores the ratio of the block's time to
 * its correct time in *@cycles. Sets *@off if the time is wrong by more than 2 %, or if the block
 * faults. Returns false with err like sandbox_run. */
bool sandbox_canary(struct sandbox *s, const struct window_rules *rules, bool *off, double *cycles,
                    struct err *err);

/* Returns the number of times that the child for foreign code was scheduled; 0: unknown, or there
 * is no child. A run without interruption adds 1. */
uint64_t sandbox_turns(const struct sandbox *s);

int sandbox_cpu(const struct sandbox *s);
/* Returns whether the caller left the choice of the CPU to the sandbox. */
bool sandbox_any_cpu(const struct sandbox *s);
/* Moves the children to @cpu. sandbox_cpu() is unchanged if the system denies the move. Does
 * nothing if @cpu is no possible CPU. */
void sandbox_move(struct sandbox *s, int cpu);
/* Returns whether there is a probe that detects a second thread on the core (PULSE_ROOM). */
bool sandbox_has_room(const struct sandbox *s);
/* Returns whether the kernel provides a cycle counter. */
bool sandbox_has_counter(const struct sandbox *s);
/* Returns the number of children started for own code: 1 if no child died. */
unsigned sandbox_children(const struct sandbox *s);
/* Returns the number of tenths of a second without a message from a child, which tests use instead
 * of wall-clock time. */
unsigned sandbox_waits(const struct sandbox *s);
/* Returns the number of accesses to reserved addresses by foreign code (FAULT_RESERVED). For
 * tests. */
unsigned sandbox_reached(const struct sandbox *s);
/* Returns whether the child runs without a system call filter, because the emulator has none and
 * the user permits it. */
bool sandbox_unfiltered(const struct sandbox *s);
/* Returns the process id of the child for own or @foreign code; 0: none. For tests. */
int sandbox_pid(const struct sandbox *s, bool foreign);
/* Returns the vector set-up that code of @body needs on this CPU. */
unsigned sandbox_setup(const struct body *body);
/* number of instructions per iteration of the loops of chains and probes */
#define SANDBOX_CHAIN_LENGTH 100
#define SANDBOX_PROBE_LENGTH 200
#define SANDBOX_PORTS_LENGTH 204
#define SANDBOX_ROOM_LENGTH 500

#endif
