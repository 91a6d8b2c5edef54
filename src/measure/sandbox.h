/* Runs machine code in a child process that is pinned, has no system calls and no new privileges,
 * and can write to nothing else. Faults are caught. Portolan's own code shares one child; if it
 * dies it is replaced, and only the current item is lost. Foreign code (kernels, and bodies of
 * forms from a file or session) has a separate child. It ends at the next sandbox_clear, and before
 * the next experiment of such forms. A sandbox belongs to one thread, which must outlive it. */
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
/* Creates a sandbox on @cpu; -1: the last allowed CPU. NULL with err if the system denies a needed
 * system call. */
struct sandbox *sandbox_new(int cpu, struct err *err);
void sandbox_free(struct sandbox *s);

/* Sets the default @cancelled, polled about ten times per second in every run that passes none.
 * NULL: none. */
void sandbox_cancel_by(struct sandbox *s, bool (*cancelled)(void *state), void *state);

/* Starts a new batch: discards code and items of the last one, and ends the child with foreign
 * code. */
void sandbox_clear(struct sandbox *s);
/* Returns the SANDBOX_ITEMS items to fill, valid until sandbox_free. */
struct sandbox_item *sandbox_items(struct sandbox *s);
/* Returns the offset at which the next loop's code will start. */
uint32_t sandbox_next_offset(const struct sandbox *s);
/* Returns the offset of data slot @slot relative to the code area; code may access it. */
uint32_t sandbox_data_offset(unsigned slot);
/* Adds a loop over @copies of @length bytes of @code, and sets *@offset. False if the code area is
 * full. */
bool sandbox_add(struct sandbox *s, const uint8_t *code, size_t length, unsigned copies,
                 unsigned counter, uint32_t *offset);
/* Returns the code at @offset, readable until sandbox_clear. */
const uint8_t *sandbox_code(const struct sandbox *s, uint32_t offset);
/* Runs items 0 to @count - 1. Polls @cancelled (may be NULL) about ten times per second. Checks
 * counts, order and ranges of a child's results. False with err if no child can be started, or
 * cancelled. */
bool sandbox_run(struct sandbox *s, unsigned count, const struct window_rules *rules,
                 bool (*cancelled)(void *state), void *state, struct err *err);

/* Runs the code at @offset once (COUNTER_MEMORY), with vector set-up @vectors (enum vector_setup).
 * @after receives the registers computed from @start, *@memory a sum over the addresses and values
 * written. *@fault (enum sandbox_fault): why the run did not end; FAULT_PAGES: it accessed too many
 * pages. False with err as sandbox_run, or if unsupported. */
bool sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                        const struct sandbox_start *start, struct sandbox_state *after,
                        uint64_t *memory, unsigned *fault, struct err *err);
/* Returns whether final registers can be read on this kind of processor. */
bool sandbox_has_states(void);

/* Gives children with foreign code an arena of @bytes, with pages of 2 MiB if @huge and available;
 * 0: no arena. Ends the running child. False with err. */
bool sandbox_arena(struct sandbox *s, size_t bytes, bool huge, struct err *err);
/* Returns the address of the arena; 0: none. */
uint64_t sandbox_arena_at(const struct sandbox *s);
/* Fills a part of the arena, at most SANDBOX_FILL_PART bytes, in the current child with foreign
 * code. False with err. */
bool sandbox_fill(struct sandbox *s, const struct sandbox_fill *fill, struct err *err);
/* Returns the share of the accessed arena on huge pages; NaN: unknown. */
double sandbox_arena_huge(const struct sandbox *s);

/* Ends all children. Rewrites chains and probes, which may be damaged. Discards code and items. */
void sandbox_renew(struct sandbox *s);
/* Runs the reference block in the child with foreign code. *@off: its time is wrong by more than 2
 * %; *@cycles: that time, 1 if correct. False with err as sandbox_run. */
bool sandbox_canary(struct sandbox *s, const struct window_rules *rules, bool *off, double *cycles,
                    struct err *err);

/* Returns how many times the child with foreign code was scheduled: one per uninterrupted run. 0:
 * unknown, or no child. */
uint64_t sandbox_turns(const struct sandbox *s);

int sandbox_cpu(const struct sandbox *s);
/* Returns whether the sandbox itself chose its CPU. */
bool sandbox_any_cpu(const struct sandbox *s);
/* Moves the children to @cpu. No effect if the system denies it. */
void sandbox_move(struct sandbox *s, int cpu);
/* Returns whether there is a probe for threads that share the core (PULSE_ROOM). */
bool sandbox_has_room(const struct sandbox *s);
/* Returns whether the kernel provides a cycle counter. */
bool sandbox_has_counter(const struct sandbox *s);
/* Returns the number of children started for own code; 1 if none died. */
unsigned sandbox_children(const struct sandbox *s);
/* Returns the tenths of a second spent waiting for a child, independent of machine load. For
 * tests. */
unsigned sandbox_waits(const struct sandbox *s);
/* Returns the number of accesses of foreign code to reserved addresses (FAULT_RESERVED). For
 * tests. */
unsigned sandbox_reached(const struct sandbox *s);
/* Returns whether an emulator runs this program, which cannot restrict system calls. */
bool sandbox_unfiltered(const struct sandbox *s);
/* Returns the process id of the child for own or @foreign code; 0: none. For tests. */
int sandbox_pid(const struct sandbox *s, bool foreign);
/* Returns the vector set-up that code of @body needs on this CPU. */
unsigned sandbox_setup(const struct body *body);
/* Instructions per iteration of the loops of chains and probes. */
#define SANDBOX_CHAIN_LENGTH 100
#define SANDBOX_PROBE_LENGTH 200
#define SANDBOX_PORTS_LENGTH 204
#define SANDBOX_ROOM_LENGTH 500

#endif
