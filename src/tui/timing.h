/* Response times of the screen for benchmarks, which name a file in PORTOLAN_TIMING: arrival,
 * handling and display of keys, and bytes sent. Without timing_open the functions do nothing. UI
 * thread. */
#ifndef PORTOLAN_TUI_TIMING_H
#define PORTOLAN_TUI_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Starts recording to the CSV file @path: a row per frame with the times of key, drawing and
 * sending in seconds since the start, bytes sent and the loop's turn. NULL: no recording. False
 * with err when it cannot be written. */
bool timing_open(const char *path, struct err *err);
/* Bytes written by the calling thread so far, including files; 0 if unknown. At any time. */
uint64_t timing_bytes(void);
/* Records that all available input was read. */
void timing_read(void);
/* Call it before the wait for events: ends a turn of the loop, begun by timing_woke. */
void timing_waits(void);
/* Call it after the wait for events, with its start time (clock_wall) and whether there is
 * input. */
void timing_woke(double waits, bool input);
/* Records the start of drawing a frame, and its sending to the terminal. */
void timing_draws(void);
void timing_drawn(void);
/* Writes the file, and a summary to @out; ends recording. False with err. */
bool timing_close(FILE *out, struct err *err);

#endif
