/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/file.h"
#include "base/mem.h"

/* number of pages of a ring; a thousand samples per second fill it in a second */
#define PAGES 16
/* Nanoseconds after which all records of a processor are in its ring */
#define ARRIVAL 10000000u

/* Ring buffer of one processor, to which all its threads write */
struct ring {
    int fd;
    struct perf_event_mmap_page *page;
    uint64_t bytes;          /* size of the area for records */
};

/* A record that waits for older records of other processors */
struct late_record {
    uint64_t time;
    size_t at;               /* offset in `bytes` */
};

struct perf {
    struct ring *rings;
    size_t ring_count;
    VEC(int) others;         /* events that write to another event's ring */
    VEC(char) bytes;         /* bytes of the waiting records */
    VEC(struct late_record) waiting;
    size_t lost, processes, threads;
};

static int event_open(struct perf_event_attr *attr, pid_t tid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr attributes(bool on_exec, double rate)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = (uint64_t)(1e9 / rate),
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .disabled = on_exec,
        .enable_on_exec = on_exec,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    return attr;
}

/* Maps the ring, with fewer pages if the user's locked memory is limited. Returns false if that
 * fails too. */
static bool ring_map(struct ring *ring)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t pages = PAGES; pages; pages /= 2) {
        void *at = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
        if (at != MAP_FAILED) {
            ring->page = at;
            ring->bytes = pages * page;
            return true;
        }
    }
    return false;
}

/* Opens events for the thread on every processor. Returns false with errno. Opens no event for a
 * thread that has ended. */
static bool watch(struct perf *p, pid_t tid, bool on_exec, double rate)
{
    struct perf_event_attr attr = attributes(on_exec, rate);

    for (size_t cpu = 0; cpu < p->ring_count; cpu++) {
        struct ring *ring = &p->rings[cpu];
        int fd = event_open(&attr, tid, (int)cpu);
        if (fd < 0 && (errno == ESRCH || errno == ENODEV))
            continue;   /* Skips a thread that has ended, and a processor that is offline. */
        if (fd < 0)
            return false;
        if (ring->fd < 0) {
            ring->fd = fd;
            if (!ring_map(ring))
                return false;
            continue;
        }
        vec_push(&p->others, fd);
        if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) != 0)
            return false;
    }
    return true;
}

static const char *what_to_do(int reason)
{
    return reason == EACCES || reason == EPERM
               ? "to allow the sampling clock, run as root: sysctl kernel.perf_event_paranoid=2"
               : file_remedy(reason, NULL);
}

struct perf *perf_new(const struct task_list *tasks, bool on_exec, double rate, struct err *err)
{
    struct perf *p = mem_zero(1, sizeof *p);
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    bool ok = true;

    p->ring_count = cpus > 0 ? (size_t)cpus : 1;
    p->rings = mem_zero(p->ring_count, sizeof *p->rings);
    for (size_t i = 0; i < p->ring_count; i++)
        p->rings[i].fd = -1;
    for (size_t i = 0; ok && i < tasks->list.count; i++)
        ok =
            watch(p, tasks->list.items[i].tid, on_exec, rate) ||
            err_set(err, ERR_IO, what_to_do(errno),
                    errno == EMFILE || errno == ENFILE
                        ? "cannot open the sampling clock (perf_event_open): %s"
                        : "the system forbids the sampling clock (perf_event_open): %s",
                    strerror(errno));
    bool any = false;
    for (size_t i = 0; i < p->ring_count; i++)
        any |= p->rings[i].page != NULL;
    if (ok && !any)
        ok = err_set(err, ERR_MISSING, NULL, "all threads of the process have ended");
    if (ok)
        return p;
    perf_free(p);
    return NULL;
}

void perf_free(struct perf *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->others.count; i++)
        close(p->others.items[i]);
    for (size_t i = 0; i < p->ring_count; i++) {
        if (p->rings[i].page)
            munmap(p->rings[i].page, p->rings[i].bytes + (size_t)sysconf(_SC_PAGESIZE));
        if (p->rings[i].fd >= 0)
            close(p->rings[i].fd);
    }
    vec_done(&p->others);
    vec_done(&p->bytes);
    vec_done(&p->waiting);
    free(p->rings);
    free(p);
}

struct sample_record {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
};
struct map_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t start, length, offset;
    char inode[24];
    uint32_t protection, flags;
    char name[];
};
struct task_record {
    struct perf_event_header header;
    uint32_t pid, parent, tid, parent_tid;
    uint64_t time;
};
struct comm_record { struct perf_event_header header; uint32_t pid, tid; };
struct lost_record { struct perf_event_header header; uint64_t id, lost; };

/* Returns the time of a record; 0: none. The time is at the end of every record except samples. */
static uint64_t record_time(const struct perf_event_header *h)
{
    uint64_t time = 0;

    if (h->type == PERF_RECORD_SAMPLE)
        return ((const struct sample_record *)(const void *)h)->time;
    if (h->size >= sizeof *h + sizeof time)
        memcpy(&time, (const char *)h + h->size - sizeof time, sizeof time);
    return time;
}

static void keep(struct perf *p, const struct ring *ring, uint64_t from, uint16_t size)
{
    const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
    size_t at = p->bytes.count;

    vec_reserve(&p->bytes, at + size);
    for (uint16_t i = 0; i < size; i++)
        p->bytes.items[at + i] = data[(from + i) % ring->bytes];
    p->bytes.count += size;
    vec_push(&p->waiting,
             ((struct late_record){record_time((const void *)(p->bytes.items + at)), at}));
}

static void ring_read(struct perf *p, const struct ring *ring)
{
    const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
    uint64_t head = atomic_load_explicit((_Atomic uint64_t *)(void *)&ring->page->data_head,
                                         memory_order_acquire),
             tail = ring->page->data_tail;

    while (tail < head) {
        struct perf_event_header header;
        for (size_t i = 0; i < sizeof header; i++)
            ((char *)&header)[i] = data[(tail + i) % ring->bytes];
        if (header.size < sizeof header || header.size > head - tail)
            break;
        keep(p, ring, tail, header.size);
        tail += header.size;
    }
    atomic_store_explicit((_Atomic uint64_t *)(void *)&ring->page->data_tail, head,
                          memory_order_release);
}

ORDER_BY(by_time, struct late_record, ASCENDING(time) ?: ASCENDING(at))

static void take(struct perf *p, const struct perf_event_header *h, struct spaces *spaces)
{
    const struct sample_record *sample = (const void *)h;
    const struct map_record *map = (const void *)h;
    const struct task_record *task = (const void *)h;
    const struct comm_record *comm = (const void *)h;

    switch (h->type) {
    case PERF_RECORD_SAMPLE:
        p->lost += !spaces_sample(spaces, (pid_t)sample->pid, sample->ip);
        break;
    case PERF_RECORD_MMAP2:
        spaces_map(spaces, (pid_t)map->pid, map->start, map->length, map->offset, map->name);
        break;
    case PERF_RECORD_FORK:
        spaces_fork(spaces, (pid_t)task->pid, (pid_t)task->parent);
        p->processes += task->pid != task->parent;
        p->threads++;
        break;
    case PERF_RECORD_COMM:
        if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
            spaces_clear(spaces, (pid_t)comm->pid);
        break;
    case PERF_RECORD_LOST:
        p->lost += ((const struct lost_record *)(const void *)h)->lost;
        break;
    default:
        break;
    }
}

void perf_drain(struct perf *p, bool more, struct spaces *spaces)
{
    struct timespec now;
    size_t taken = 0;

    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t until =
        more ? (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - ARRIVAL : UINT64_MAX;
    for (size_t i = 0; i < p->ring_count; i++)
        if (p->rings[i].page)
            ring_read(p, &p->rings[i]);
    if (p->waiting.count)
        qsort(p->waiting.items, p->waiting.count, sizeof *p->waiting.items, by_time);
    while (taken < p->waiting.count && p->waiting.items[taken].time <= until)
        take(p, (const void *)(p->bytes.items + p->waiting.items[taken++].at), spaces);
    /* Moves the remaining records to the front. */
    VEC(char) kept = {0};
    for (size_t i = taken; i < p->waiting.count; i++) {
        struct perf_event_header header;
        memcpy(&header, p->bytes.items + p->waiting.items[i].at, sizeof header);
        size_t at = kept.count;
        vec_reserve(&kept, at + header.size);
        memcpy(kept.items + at, p->bytes.items + p->waiting.items[i].at, header.size);
        kept.count += header.size;
        p->waiting.items[i - taken] = (struct late_record){p->waiting.items[i].time, at};
    }
    p->waiting.count -= taken;
    vec_done(&p->bytes);
    p->bytes.items = kept.items;
    p->bytes.count = kept.count;
    p->bytes.capacity = kept.capacity;
}

size_t perf_lost(const struct perf *p)
{
    return p->lost;
}

size_t perf_started(const struct perf *p, bool threads)
{
    return threads ? p->threads : p->processes;
}
