/* Archives of object files (ar), also thin ones: their contents, and names of members as tools
 * write them, lib.a(member.o). */
#ifndef PORTOLAN_TOOLCHAIN_ARCHIVE_H
#define PORTOLAN_TOOLCHAIN_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct archive_member {
    /* "lib.a(member.o)"; of several of one name the second is "lib.a(member.o:2)" */
    char *spec;
    char *name;              /* without that number */
    /* file with its bytes: the archive, or of a thin one the member's own file */
    char *file;
    uint64_t offset, size;   /* in that file, bytes; size 0: all of it */
};

struct archive { VEC(struct archive_member) members; };

/* Whether the regular file at @path begins as an archive does. Any thread. */
bool archive_is(const char *path);
/* The ELF files among the members of the archive at @path, in its order; other members are left
 * out, of thin ones also those of nested archives. Polls watch_steps. archive_done frees @out in
 * both cases. False with err. Any thread. */
bool archive_read(const char *path, struct archive *out, struct err *err);
void archive_done(struct archive *a);
/* Whether @spec is lib.a(member.o) of an archive that is there; *@path (may be NULL) gets "lib.a",
 * to be freed. */
bool archive_names_member(const char *spec, char **path);
/* The member called @spec; NULL with err, which names near ones. Borrowed. */
const struct archive_member *archive_find(const struct archive *a, const char *spec,
                                          struct err *err);

#endif
