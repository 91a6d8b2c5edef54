/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency of messages between two ranks on this computer: mpirun -n 2 bench/bench_ranks. Rank 1
 * returns each message. Prints half of a round trip, minimum and median of many, for the message
 * sizes of islands and farms. A waiting rank polls at growing intervals of 50 µs to 2 ms to save
 * processor time, which limits the latency of short messages. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compare.h"
#include "ranks/ranks.h"

#define ROUNDS 200

static void echo(void)
{
    struct rank_message m = {0};
    bool on = true;

    while (on) {
        if (!ranks_receive(1, &m))
            continue;
        on = m.kind != RANK_QUIT;
        if (on)
            ranks_send(0, m.kind, &m.bytes);
    }
    rank_message_done(&m);
}

static void measure(size_t size)
{
    double times[ROUNDS], least = 1e300;
    struct rank_message m = {0};
    struct str bytes = {0};

    for (size_t i = 0; i < size; i++)
        str_add_char(&bytes, (char)i);
    for (int i = 0; i < ROUNDS; i++) {
        double start = clock_wall();
        ranks_send(1, RANK_PIECE, &bytes);
        while (!ranks_receive(1, &m))
            ;
        times[i] = (clock_wall() - start) / 2;
        least = times[i] < least ? times[i] : least;
    }
    qsort(times, ROUNDS, sizeof *times, compare_doubles);
    printf("%9zu bytes: %8.1f us least, %8.1f us median\n", size, 1e6 * least,
           1e6 * times[ROUNDS / 2]);
    rank_message_done(&m);
    str_done(&bytes);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {16, 1000, 6200, 25000, 50000, 1000000};
    struct err err = {0};
    struct str nothing = {0};

    if (!ranks_begin(&argc, &argv, &err) || ranks_count() != 2) {
        puts("two ranks are needed: mpirun -n 2 bench/bench_ranks, configured --with-mpi");
        return 77;
    }
    if (ranks_index() == 1) {
        echo();
    } else {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            measure(sizes[i]);
        ranks_send(1, RANK_QUIT, &nothing);
    }
    ranks_end();
    return 0;
}
