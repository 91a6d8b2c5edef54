/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/others.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

double others_busy(FILE *stat, double ticks_per_second)
{
    unsigned long long user, nice, system, idle, wait, hard, soft;

    return fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
                  &wait, &hard, &soft) == 7
               ? (double)(user + nice + system + hard + soft) / ticks_per_second
               : NAN;
}

double others_seconds(void)
{
    struct rusage own;
    FILE *stat = fopen("/proc/stat", "re");
    double busy = NAN;

    if (stat) {
        busy = others_busy(stat, (double)sysconf(_SC_CLK_TCK));
        fclose(stat);
    }
    if (getrusage(RUSAGE_SELF, &own) != 0)
        return NAN;
    return busy - (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) -
           1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec);
}
