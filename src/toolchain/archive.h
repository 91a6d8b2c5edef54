/* Archives of object files (ar), also thin ones: contents, and names of members as tools write
 * them, lib.a(member.o). */
#ifndef PORTOLAN_TOOLCHAIN_ARCHIVE_H
#define PORTOLAN_TOOLCHAIN_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct archive_member {
    /* "lib.a(member.o)"; the second of one name is "lib.a(member.o:2)" */
    char *spec;
    char *name;              /* without that number */
    /* file with its bytes: the archive, or for a thin one the member's file */
    char *file;
    uint64_t offset, size;   /* in that file, bytes; size 0: all of it */
};

struct archive { VEC(struct archive_member) members; };

/* Returns whether the regular file at @path starts as an archive. */
bool archive_is(const char *path);
/* Lists the ELF members of the archive at @path in order; other members are omitted, and nested
 * archives of thin ones. Polls watch_steps. archive_done frees @out in both cases. False with
 * err. */
bool archive_read(const char *path, struct archive *out, struct err *err);
void archive_done(struct archive *a);
/* Returns whether @spec is lib.a(member.o) of an existing archive; *@path (may be NULL) gets
 * "lib.a"; the caller frees. */
bool archive_names_member(const char *spec, char **path);
/* Returns the member called @spec; NULL with err, which names similar ones. Borrowed. */
const struct archive_member *archive_find(const struct archive *a, const char *spec,
                                          struct err *err);

#endif
