/* Table of the system calls that change files. Tests replace its members to make calls fail. */
#ifndef PORTOLAN_BASE_FILE_CALLS_H
#define PORTOLAN_BASE_FILE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct file_calls {
    int (*open)(int dir, const char *name, int flags, mode_t mode);
    ssize_t (*write)(int fd, const void *bytes, size_t length);
    int (*sync)(int fd);
    int (*close)(int fd);
    int (*rename)(int from_dir, const char *from, int to_dir, const char *to);
    int (*unlink)(int dir, const char *name, int flags);
    int (*mkdir)(int dir, const char *name, mode_t mode);
    int (*truncate)(int fd, off_t length);
};

/* The system's functions, unless a test has replaced them before threads start. */
extern struct file_calls file_calls;

/* Writes all bytes, with several calls if necessary. Returns false with errno. */
bool file_calls_write_all(int fd, const void *bytes, size_t length);
/* Syncs a directory after a change of its entries. Also returns true if the file system does not
 * support this. Returns false with errno on failure. */
bool file_calls_sync_directory(int fd);

#endif
