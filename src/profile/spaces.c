/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/spaces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void spaces_done(struct spaces *s)
{
    for (size_t i = 0; i < s->list.count; i++)
        vec_done(&s->list.items[i].maps);
    vec_done(&s->list);
}

static struct space *find(struct spaces *s, pid_t pid)
{
    for (size_t i = s->list.count; i-- > 0;)
        if (s->list.items[i].pid == pid)
            return &s->list.items[i];
    return NULL;
}

static struct space *find_or_add(struct spaces *s, pid_t pid)
{
    struct space *space = find(s, pid);

    if (space)
        return space;
    vec_push(&s->list, ((struct space){.pid = pid}));
    return &s->list.items[s->list.count - 1];
}

/* Removes [start, end) from the mappings. A mapping that surrounds it is split. */
static void cut(struct space *space, uint64_t start, uint64_t end)
{
    size_t count = space->maps.count;

    for (size_t i = 0; i < count; i++) {
        struct space_map *m = &space->maps.items[i];
        if (m->end <= start || m->start >= end)
            continue;
        struct space_map behind = {end, m->end, m->offset + (end - m->start), m->image};
        bool more = m->end > end;
        /* A mapping that began after @start becomes empty. */
        m->end = m->start < start ? start : m->start;
        if (more)
            vec_push(&space->maps, behind);
    }
    size_t kept = 0;
    for (size_t i = 0; i < space->maps.count; i++)
        if (space->maps.items[i].end > space->maps.items[i].start)
            space->maps.items[kept++] = space->maps.items[i];
    space->maps.count = kept;
}

void spaces_map(struct spaces *s, pid_t pid, uint64_t start, uint64_t length, uint64_t offset,
                const char *path)
{
    struct space *space = find_or_add(s, pid);
    /* A name such as "//anon" is no file. */
    bool named =
        path[0] == '[' || (path[0] == '/' && path[1] != '/' && strncmp(path, "/memfd:", 7) != 0);

    cut(space, start, start + length);
    vec_push(&space->maps, ((struct space_map){start, start + length, named ? offset : start,
                                               samples_image(s->samples, named ? path : "")}));
}

void spaces_clear(struct spaces *s, pid_t pid)
{
    struct space *space = find(s, pid);
    if (space)
        space->maps.count = 0;
}

void spaces_fork(struct spaces *s, pid_t child, pid_t parent)
{
    struct space *from = find(s, parent);

    if (!from || child == parent)
        return;
    size_t at = (size_t)(from - s->list.items);
    struct space *to = find_or_add(s, child);
    from = &s->list.items[at];
    to->maps.count = 0;
    for (size_t i = 0; i < from->maps.count; i++)
        vec_push(&to->maps, from->maps.items[i]);
}

bool spaces_read(struct spaces *s, pid_t pid)
{
    char path[64], line[4608];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    spaces_clear(s, pid);
    while (fgets(line, sizeof line, file)) {
        uint64_t start, end, offset;
        char mode[8];
        int name = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start, &end, mode,
                   &offset, &name) < 4 ||
            !name || mode[2] != 'x')
            continue;
        line[strcspn(line, "\n")] = '\0';
        spaces_map(s, pid, start, end - start, offset, line + name);
    }
    fclose(file);
    return true;
}

bool spaces_sample(struct spaces *s, pid_t pid, uint64_t address)
{
    const struct space *space = find(s, pid);

    for (size_t i = space ? space->maps.count : 0; i-- > 0;) {
        const struct space_map *m = &space->maps.items[i];
        if (address >= m->start && address < m->end) {
            samples_add(s->samples, m->image, m->offset + (address - m->start));
            return true;
        }
    }
    return false;
}
