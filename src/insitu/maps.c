/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/maps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Greatest distance in bytes of placed memory from the code. It is below the 2 GiB of a
 * displacement. */
#define REACH UINT64_C(0x60000000)
#define STEP UINT64_C(0x1000000)
#define LOWEST UINT64_C(0x110000)     /* lowest address that can be mapped, with a margin */

void maps_done(struct maps *m)
{
    for (size_t i = 0; i < m->list.count; i++)
        free(m->list.items[i].path);
    vec_done(&m->list);
}

bool maps_read(pid_t pid, struct maps *out)
{
    char path[64], line[4608];

    *out = (struct maps){{0}};
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        struct map map = {0};
        char mode[8];
        int name = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &map.start, &map.end,
                   mode, &map.offset, &name) < 4)
            continue;
        line[strcspn(line, "\n")] = '\0';
        map.write = mode[1] == 'w';
        map.execute = mode[2] == 'x';
        map.shared = mode[3] == 's';
        map.path = mem_strdup(name ? line + name : "");
        vec_push(&out->list, map);
    }
    fclose(file);
    return true;
}

const struct map *maps_at(const struct maps *m, uint64_t address)
{
    for (size_t i = 0; i < m->list.count; i++)
        if (address >= m->list.items[i].start && address < m->list.items[i].end)
            return &m->list.items[i];
    return NULL;
}

/* Returns the KiB of huge pages in a line of smaps about a mapping. */
static uint64_t huge_kib(const char *line)
{
    static const char *const names[] = {"AnonHugePages", "ShmemPmdMapped", "FilePmdMapped",
                                        "Shared_Hugetlb", "Private_Hugetlb"};
    char name[32];
    uint64_t kib;

    if (sscanf(line, "%31[A-Za-z_]: %" SCNu64, name, &kib) == 2)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(name, names[i]) == 0)
                return kib;
    return 0;
}

double maps_huge(pid_t pid, const uint64_t *addresses, size_t count)
{
    char path[64], line[4608];
    uint64_t from = 0, to = 0, start = 0, end = 0, resident = 0, large = 0;
    size_t found = 0, huge = 0;

    snprintf(path, sizeof path, "/proc/%d/smaps", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return NAN;
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, file) != NULL;
        /* Skips other lines, whose names may also begin with hexadecimal digits. */
        if (more && sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) != 2) {
            sscanf(line, "Rss: %" SCNu64, &resident);
            large += huge_kib(line);
            continue;
        }
        for (size_t i = 0; i < count; i++)
            if (addresses[i] >= start && addresses[i] < end) {
                found++;
                huge += 2 * large > resident;
            }
        start = from;
        end = to;
        resident = large = 0;
    }
    fclose(file);
    return found ? (double)huge / (double)found : NAN;
}

static bool is_free(const struct maps *m, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < m->list.count; i++)
        if (m->list.items[i].start < end && m->list.items[i].end > start)
            return false;
    return true;
}

uint64_t maps_gap(const struct maps *m, uint64_t low, uint64_t high, uint64_t size)
{
    uint64_t down = low & ~(STEP - 1), up = (high + STEP - 1) & ~(STEP - 1);

    /* Searches downwards first, because the heap grows upwards. */
    for (uint64_t far = STEP; far < REACH; far += STEP)
        if (down > far + LOWEST && is_free(m, down - far, down - far + size))
            return down - far;
    for (uint64_t far = REACH; far > STEP; far -= STEP)
        if (is_free(m, up + far, up + far + size))
            return up + far;
    return 0;
}

struct maps_faults maps_faults(pid_t pid)
{
    struct maps_faults f = {0};
    char path[64], line[1024];
    unsigned long long faults, resident;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    /* The name in parentheses may contain spaces and parentheses, so the search is for the last
     * parenthesis. */
    const char *at = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (at && sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                         "%*d %*d %*u %*u %llu",
                     &faults, &resident) == 2)
        f = (struct maps_faults){pid, faults, resident};
    if (file)
        fclose(file);
    return f;
}

uint64_t maps_copied(const struct maps_faults *then)
{
    struct maps_faults now = {0};

    if (then->pid)
        now = maps_faults(then->pid);
    /* Subtracts faults that make a page resident, because these are first accesses. */
    const uint64_t fresh = now.resident > then->resident ? now.resident - then->resident : 0,
                   all = now.pid ? now.faults - then->faults : 0;
    const uint64_t copied = all > fresh ? all - fresh : 0;
    return copied < then->resident ? copied : then->resident;
}
