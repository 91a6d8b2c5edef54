/* How long the screen takes to answer, for benches, which name a file in PORTOLAN_TIMING: when keys
 * come, are obeyed and are seen, and what is sent to the terminal. Without timing_open none of
 * these does anything. UI thread. */
#ifndef PORTOLAN_TUI_TIMING_H
#define PORTOLAN_TUI_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* From now on times are kept, for the CSV file @path: a row per frame with the times of key,
 * drawing and sending in seconds since the start, its bytes and the turn of the loop. NULL: none
 * are kept. False with err when it cannot be written. */
bool timing_open(const char *path, struct err *err);
/* Bytes that the calling thread has written in its life, files included; 0 if the system does not
 * report it. At any time. */
uint64_t timing_bytes(void);
/* All input that there was has been read. */
void timing_read(void);
/* Right before the wait for events: a turn of the loop, since timing_woke, is over. */
void timing_waits(void);
/* Call it right after the wait for events, with its start time (clock_wall) and whether there is
 * input. */
void timing_woke(double waits, bool input);
/* A frame begins to be drawn, and is on its way to the terminal. */
void timing_draws(void);
void timing_drawn(void);
/* Writes the file, and a summary to @out; the end of keeping times. False with err. */
bool timing_close(FILE *out, struct err *err);

#endif
