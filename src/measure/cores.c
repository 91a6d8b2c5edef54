/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

/* The lowest of the CPUs of @cpu's core: the system gives them in order. */
static int core_of(int cpu)
{
    char path[96];
    int lowest = cpu;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &lowest) != 1)
        lowest = cpu;
    if (file)
        fclose(file);
    return lowest;
}

static void share_add(struct lane_cpus *share, int cpu)
{
    if (share->count < SEEK_CPUS)
        share->cpus[share->count++] = cpu;
}

unsigned cores_share(const int *cpus, const int *cores, size_t n, int first, unsigned most, struct lane_cpus *out)
{
    size_t distinct = 0, beginning = 0;

    for (size_t i = 0; i < n; i++)
        beginning = cpus[i] == first ? i : beginning;
    for (size_t i = 0; i < most; i++)
        out[i].count = 0;
    /* Round and round, from the first one's core on. */
    for (size_t step = 0; step < n; step++) {
        const size_t i = (beginning + step) % n;
        bool begins = true;
        for (size_t before = 0; before < step; before++)
            begins = begins && cores[(beginning + before) % n] != cores[i];
        if (!begins)
            continue;
        for (size_t k = 0; k < n; k++)
            if (cores[k] == cores[i])
                share_add(&out[distinct % most], cpus[k]);
        distinct++;
    }
    return (unsigned)(distinct < most ? distinct : most);
}

unsigned cores_allowed(int first, struct lane_cpus out[CORES_LANES])
{
    static const size_t most = 256;
    int all[256], cores[256];
    cpu_set_t set;
    size_t n = 0;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && n < most; cpu++)
        if (CPU_ISSET((unsigned)cpu, &set)) {
            all[n] = cpu;
            cores[n++] = core_of(cpu);
        }
    return cores_share(all, cores, n, first, CORES_LANES, out);
}
