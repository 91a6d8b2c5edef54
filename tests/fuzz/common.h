/* Shared by several fuzz targets. Each target is a single source file; therefore the functions are
 * static. */
#ifndef PORTOLAN_TESTS_FUZZ_COMMON_H
#define PORTOLAN_TESTS_FUZZ_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/forms.h"
#include "toolchain/listing.h"

/* Creates x86-64 forms from the rows of a table. The caller frees them. */
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

static inline void remove_few_forms(void)
{
    char command[256];

    snprintf(command, sizeof command, "rm -rf '%s'", getenv("PORTOLAN_DATA"));
    if (system(command) != 0)
        fputs("the fuzz target's data could not be removed\n", stderr);
}

/* Replaces the shipped tables by tables of few forms, which load a hundred times faster. */
static inline void use_few_forms(void)
{
    static char dir[] = "/tmp/fuzz-data-XXXXXX";
    const char *data = getenv("PORTOLAN_DATA");
    char command[4096];

    if (!data || strstr(data, "fuzz-data-"))
        return;
    if (!mkdtemp(dir))
        abort();
    snprintf(command, sizeof command,
             "cd '%s' && mkdir isa && for f in '%s'/*; do [ \"${f##*/}\" = isa ] || ln -s \"$f\" . "
             "|| exit; done && "
             "for f in '%s'/isa/*; do awk 'NR <= 100 || /^\"(ADD|IMUL|SUB|MOV|XOR|FADD|MUL) /' "
             "\"$f\" >\"isa/${f##*/}\" || exit; done",
             dir, data, data);
    if (system(command) != 0 || setenv("PORTOLAN_DATA", dir, 1) != 0 ||
        atexit(remove_few_forms) != 0)
        abort();
}

/* Cleans a listing. The output must have as many lines as the input, each within the text. */
static inline void clean_listing(enum isa isa, const char *text, size_t length)
{
    struct listing l;
    size_t lines = 0;

    listing_clean(isa, text, length, SYNTAX_AUTO, NULL, &l);
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
