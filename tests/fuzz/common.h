/* What several fuzz targets do. Each is a program of one source file, so these are of each its own. */
#ifndef PORTOLAN_TESTS_FUZZ_COMMON_H
#define PORTOLAN_TESTS_FUZZ_COMMON_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/forms.h"
#include "toolchain/listing.h"

/* Forms of x86-64 from the rows of a table; the caller frees them. */
static inline struct forms *forms_of(const char *rows)
{
    char name[] = "/tmp/fuzz-forms-XXXXXX";
    size_t length = strlen(rows);
    int fd = mkstemp(name);

    if (fd < 0 || write(fd, rows, length) != (ssize_t)length)
        abort();
    close(fd);
    struct forms *forms = forms_load(ISA_X86_64, name, NULL);
    unlink(name);
    return forms ? forms : (abort(), NULL);
}

/* Cleans a listing: as many lines out as in, each within the text. */
static inline void clean_listing(enum isa isa, const char *text, size_t length)
{
    struct listing l;
    size_t lines = 0;

    listing_clean(isa, text, length, SYNTAX_AUTO, &l);
    for (size_t i = 0; i < l.text.length; i++)
        lines += l.text.data[i] == '\n';
    if (lines != l.spans.count)
        abort();
    for (size_t i = 0; i < l.spans.count; i++)
        if (l.spans.items[i].start + l.spans.items[i].length > length)
            abort();
    listing_done(&l);
}

#endif
