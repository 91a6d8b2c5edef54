/* Archives of object files (ar), including thin ones: their members, named lib.a(member.o) as
 * linkers do. */
#ifndef PORTOLAN_TOOLCHAIN_ARCHIVE_H
#define PORTOLAN_TOOLCHAIN_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct archive_member {
    /* "lib.a(member.o)", or "lib.a(member.o:2)" for the second member with that name */
    char *spec;
    char *name;              /* the member's name, without archive and number */
    /* file with the member's bytes: the archive, or the member's own file for a thin archive */
    char *file;
    /* range of the member in @file, in bytes; if @size is 0, the whole file */
    uint64_t offset, size;
};

struct archive { VEC(struct archive_member) members; };

/* Returns whether @path is a regular file that starts with an archive's magic number. */
bool archive_is(const char *path);
/* Lists the ELF members of the archive at @path in order. Omits other members and nested archives
 * of thin archives. Polls watch_steps. Returns false with err on failure. The caller always frees
 * @out with archive_done. */
bool archive_read(const char *path, struct archive *out, struct err *err);
void archive_done(struct archive *a);
/* Returns whether @spec is lib.a(member.o) for an existing archive. Stores "lib.a" in *@path (may
 * be NULL), which the caller frees. */
bool archive_names_member(const char *spec, char **path);
/* Returns the member called @spec, borrowed from @a. Returns NULL with err, which lists similar
 * names. */
const struct archive_member *archive_find(const struct archive *a, const char *spec,
                                          struct err *err);

#endif
