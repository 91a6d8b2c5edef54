/* Runs machine code in a child process: pinned, without system calls or new privileges, in an
 * address space with nothing else to write; faults are caught. Portolan's own code shares one
 * child, which is replaced when it dies: only the current item is lost. Foreign code (kernels, and
 * bodies of forms from a file or session) has its own child, which ends at the next sandbox_clear,
 * and before the next experiment of such forms. A sandbox belongs to one thread, which must outlive
 * it. */
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
/* @cpu -1: the last one allowed. NULL with err when a needed system call is refused. */
struct sandbox *sandbox_new(int cpu, struct err *err);
void sandbox_free(struct sandbox *s);

/* Sets the default @cancelled, polled about ten times a second in every run without its own; NULL:
 * none. */
void sandbox_cancel_by(struct sandbox *s, bool (*cancelled)(void *state), void *state);

/* Starts a new batch: drops code and items of the last one, and ends the child with foreign
 * code. */
void sandbox_clear(struct sandbox *s);
/* Returns the SANDBOX_ITEMS items to fill; valid for the sandbox's life. */
struct sandbox_item *sandbox_items(struct sandbox *s);
/* Offset at which the next loop's code will start. */
uint32_t sandbox_next_offset(const struct sandbox *s);
/* Offset of accessible data relative to the code area. */
uint32_t sandbox_data_offset(unsigned slot);
/* Adds a loop over @copies of @length bytes of @code; false when the code area is full. Fills
 * offset. */
bool sandbox_add(struct sandbox *s, const uint8_t *code, size_t length, unsigned copies,
                 unsigned counter, uint32_t *offset);
/* Code area at @offset; readable until sandbox_clear. */
const uint8_t *sandbox_code(const struct sandbox *s, uint32_t offset);
/* Runs items 0 to @count - 1. @cancelled (may be NULL) is polled about ten times a second. False
 * with err when no child can be started, or cancelled. Checks counts, order and ranges of a child's
 * answers. */
bool sandbox_run(struct sandbox *s, unsigned count, const struct window_rules *rules,
                 bool (*cancelled)(void *state), void *state, struct err *err);

/* Runs the code at @offset once (COUNTER_MEMORY), with @vectors set up (enum vector_setup). @after
 * gets the registers computed from @start, *@memory a sum over places and values written. *@fault
 * (enum sandbox_fault) is why it did not end, or FAULT_PAGES: too many pages touched. False with
 * err as sandbox_run, or if unsupported. */
bool sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                        const struct sandbox_start *start, struct sandbox_state *after,
                        uint64_t *memory, unsigned *fault, struct err *err);
/* Returns whether final registers can be read on this kind of processor. */
bool sandbox_has_states(void);

/* Gives children with foreign code an arena of @bytes, on pages of 2 MiB if @huge and available; 0:
 * none. Ends the running child. False with err. */
bool sandbox_arena(struct sandbox *s, size_t bytes, bool huge, struct err *err);
/* Address of the arena; 0: none. */
uint64_t sandbox_arena_at(const struct sandbox *s);
/* Fills a part of the arena, at most SANDBOX_FILL_PART bytes, in the child with foreign code, for
 * its life. False with err. */
bool sandbox_fill(struct sandbox *s, const struct sandbox_fill *fill, struct err *err);
/* Share of the touched arena on huge pages; NaN: unknown. */
double sandbox_arena_huge(const struct sandbox *s);

/* Ends all children and rewrites chains and probes, which may be damaged. Drops code and items. */
void sandbox_renew(struct sandbox *s);
/* Runs the reference block in the child with foreign code. *off is set when its time is wrong by
 * more than 2 %; *cycles is that time, 1 when correct. False with err as sandbox_run. */
bool sandbox_canary(struct sandbox *s, const struct window_rules *rules, bool *off, double *cycles,
                    struct err *err);

/* Number of times that the child with foreign code was scheduled: one per uninterrupted run. 0:
 * unknown, or no child. */
uint64_t sandbox_turns(const struct sandbox *s);

int sandbox_cpu(const struct sandbox *s);
/* Returns whether the sandbox chose its CPU itself. */
bool sandbox_any_cpu(const struct sandbox *s);
/* Moves children to @cpu; no effect where the system refuses it. */
void sandbox_move(struct sandbox *s, int cpu);
/* Returns whether there is a probe for threads that share the core (PULSE_ROOM). */
bool sandbox_has_room(const struct sandbox *s);
/* Returns whether the kernel provides a cycle counter. */
bool sandbox_has_counter(const struct sandbox *s);
/* Number of children started for own code; 1 when none died. */
unsigned sandbox_children(const struct sandbox *s);
/* Tenths of a second spent waiting for a child: independent of machine load. For tests. */
unsigned sandbox_waits(const struct sandbox *s);
/* Number of accesses of foreign code to reserved addresses (FAULT_RESERVED). For tests. */
unsigned sandbox_reached(const struct sandbox *s);
/* Returns whether an emulator cannot restrict system calls. */
bool sandbox_unfiltered(const struct sandbox *s);
/* Process id of the child for own or @foreign code; 0: none. For tests. */
int sandbox_pid(const struct sandbox *s, bool foreign);
/* Vector set-up that code of @body needs on this CPU. */
unsigned sandbox_setup(const struct body *body);
/* Number of instructions per iteration of the loops of chains and probes. */
#define SANDBOX_CHAIN_LENGTH 100
#define SANDBOX_PROBE_LENGTH 200
#define SANDBOX_PORTS_LENGTH 204
#define SANDBOX_ROOM_LENGTH 500

#endif
