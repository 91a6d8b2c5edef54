/* Response times of the screen for benchmarks. The environment variable PORTOLAN_TIMING names the
 * output file. Records arrival, handling and display of keys, and the bytes sent. The functions do
 * nothing before timing_open. UI thread. */
#ifndef PORTOLAN_TUI_TIMING_H
#define PORTOLAN_TUI_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Starts recording to the CSV file @path. Each frame has a row: the times of key, drawing and
 * sending in seconds since the start, the bytes sent, and the turn of the loop. If @path is NULL,
 * nothing is recorded. Returns false with err if the file cannot be written. */
bool timing_open(const char *path, struct err *err);
/* Returns the number of bytes that the calling thread has written, including to files; 0 if
 * unknown. May be called at any time. */
uint64_t timing_bytes(void);
/* Records that all available input was read. */
void timing_read(void);
/* Call it before waiting for events. Ends a turn of the loop that timing_woke began. */
void timing_waits(void);
/* Names work of the turn: a key, a command line, the title of a job that ended; NULL or "": no
 * work. The summary lists it with the longest turns. */
void timing_does(const char *what);
/* Call it after the wait for events. @waits: start of the wait (clock_wall). @input: there is
 * input. */
void timing_woke(double waits, bool input);
/* Record the start of drawing a frame, and the end of sending it to the terminal. */
void timing_draws(void);
void timing_drawn(void);
/* Writes the file, prints a summary to @out and ends recording. Returns false with err. */
bool timing_close(FILE *out, struct err *err);

#endif
