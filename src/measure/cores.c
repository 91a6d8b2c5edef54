/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns the number in file @name of @cpu's sysfs directory; -1: missing. */
static int number_of(int cpu, const char *name)
{
    char path[96];
    int value = -1;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &value) != 1)
        value = -1;
    if (file)
        fclose(file);
    return value;
}

/* Returns the first CPU of @cpu's core in the kernel's list of siblings, which is the lowest. */
static int core_of(int cpu)
{
    const int lowest = number_of(cpu, "topology/thread_siblings_list");

    return lowest < 0 ? cpu : lowest;
}

/* Returns whether CPUs @a and @b are of one kind: the kernel reports equal capacities, and their
 * maximum frequencies, if known, differ by at most a tenth. */
static bool same_kind(int a, int b)
{
    const int fast = number_of(a, "cpufreq/cpuinfo_max_freq"),
              other = number_of(b, "cpufreq/cpuinfo_max_freq");
    const bool alike =
        fast <= 0 || other <= 0 || (fast < other ? fast / 9 * 10 >= other : other / 9 * 10 >= fast);

    return alike && number_of(a, "cpu_capacity") == number_of(b, "cpu_capacity");
}

static void share_add(struct measurer_cpus *share, int cpu)
{
    if (share->count < SEEK_CPUS)
        share->cpus[share->count++] = cpu;
}

unsigned cores_share(const int *cpus, const int *cores, size_t n, int first, unsigned most,
                     struct measurer_cpus *out)
{
    size_t distinct = 0, beginning = 0;

    for (size_t i = 0; i < n; i++)
        beginning = cpus[i] == first ? i : beginning;
    for (size_t i = 0; i < most; i++)
        out[i].count = 0;
    /* Visits the cores round-robin, starting with that of CPU @first. */
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

unsigned cores_allowed(int first, struct measurer_cpus out[CORES_MEASURERS])
{
    static const size_t most = 256;
    int all[256], cores[256];
    cpu_set_t set;
    size_t n = 0;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && n < most; cpu++)
        if (CPU_ISSET((unsigned)cpu, &set) && same_kind(cpu, first)) {
            all[n] = cpu;
            cores[n++] = core_of(cpu);
        }
    return cores_share(all, cores, n, first, CORES_MEASURERS, out);
}
