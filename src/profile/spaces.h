/* Files that processes have mapped to run code from: maps an address to a place in a file. One
 * thread. */
#ifndef PORTOLAN_PROFILE_SPACES_H
#define PORTOLAN_PROFILE_SPACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "profile/samples.h"

struct space_map {
    uint64_t start, end;       /* addresses */
    uint64_t offset;           /* in the file, of start */
    uint32_t image;
};

struct space {
    pid_t pid;
    VEC(struct space_map) maps;
};

struct spaces {
    struct samples *samples;   /* whose images the maps name; borrowed */
    VEC(struct space) list;
};

void spaces_done(struct spaces *s);
/* Process @pid has mapped @path; earlier mappings there are gone. */
void spaces_map(struct spaces *s, pid_t pid, uint64_t start, uint64_t length, uint64_t offset,
                const char *path);
/* @pid has become another program: nothing is mapped. */
void spaces_clear(struct spaces *s, pid_t pid);
/* @child begins with all that @parent has. */
void spaces_fork(struct spaces *s, pid_t child, pid_t parent);
/* Records the current mappings of @pid from the system. False when they cannot be read. */
bool spaces_read(struct spaces *s, pid_t pid);
/* Counts a sample at @address of @pid; false when nothing is known to be there. */
bool spaces_sample(struct spaces *s, pid_t pid, uint64_t address);

#endif
