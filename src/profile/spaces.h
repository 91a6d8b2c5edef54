/* Files that processes have mapped executable: maps an address to a place in a file. One thread. */
#ifndef PORTOLAN_PROFILE_SPACES_H
#define PORTOLAN_PROFILE_SPACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "profile/samples.h"

struct space_map {
    uint64_t start, end;       /* addresses */
    uint64_t offset;           /* file offset of start */
    uint32_t image;
};

struct space {
    pid_t pid;
    VEC(struct space_map) maps;
};

struct spaces {
    struct samples *samples;   /* with the images of the mappings; borrowed */
    VEC(struct space) list;
};

void spaces_done(struct spaces *s);
/* Records a mapping of @path in process @pid; it replaces earlier ones there. */
void spaces_map(struct spaces *s, pid_t pid, uint64_t start, uint64_t length, uint64_t offset,
                const char *path);
/* Removes all mappings of @pid after exec. */
void spaces_clear(struct spaces *s, pid_t pid);
/* Gives @child all mappings of @parent. */
void spaces_fork(struct spaces *s, pid_t child, pid_t parent);
/* Reads the current mappings of @pid from the system. False when unreadable. */
bool spaces_read(struct spaces *s, pid_t pid);
/* Counts a sample at @address of @pid; false when no mapping is known there. */
bool spaces_sample(struct spaces *s, pid_t pid, uint64_t address);

#endif
