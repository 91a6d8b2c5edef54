/* Executable mappings of processes, by which an address is converted to a place in a file. One
 * thread. */
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
    struct samples *samples;   /* samples, borrowed, with the images of the mappings */
    VEC(struct space) list;
};

void spaces_done(struct spaces *s);
/* Records a mapping of @path in process @pid. It replaces earlier mappings of these addresses. */
void spaces_map(struct spaces *s, pid_t pid, uint64_t start, uint64_t length, uint64_t offset,
                const char *path);
/* Removes all mappings of @pid, because of an exec. */
void spaces_clear(struct spaces *s, pid_t pid);
/* Copies all mappings of @parent to @child. Does nothing if @parent has none. */
void spaces_fork(struct spaces *s, pid_t child, pid_t parent);
/* Reads the current executable mappings of @pid from the system. Returns false if they are
 * unreadable. */
bool spaces_read(struct spaces *s, pid_t pid);
/* Counts a sample at @address of @pid. Returns false if no mapping is known at that address. */
bool spaces_sample(struct spaces *s, pid_t pid, uint64_t address);

#endif
