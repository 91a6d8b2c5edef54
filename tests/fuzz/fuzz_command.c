/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds text to the parser that splits command lines, and as arguments to commands that access no
 * file. Words must be unchanged. Commands must succeed or set an error. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/line.h"

#include "common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const heads[] = {"throughput ",   "mapping set ", "mapping show ",
                                    "mapping diff ", "forms list ",  "forms select ",
                                    "set ",          "help ",        "machine show ",
                                    "machine list ", "kernel hex ",  "experiments list ",
                                    "mapping new "};
#define COMMANDS (sizeof heads / sizeof *heads)

static void split(const char *text)
{
    const char *end = text + strlen(text), *next = text;

    for (const char *at = text; *at; at = next) {
        struct line_words words = {0};
        struct err err = {0};
        const char *stop = line_end(at, &next);
        if (stop < at || stop > end || next < stop || next > end || (next == at && *next))
            abort();
        if (!line_split(at, stop, &words, &err) && !err.what[0])
            abort();
        line_words_done(&words);
        free(line_rest(at, stop, 1));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session s;
    struct err err = {0};
    struct str line = {0};
    FILE *sink;

    if (!size)
        return 0;
    use_few_forms();
    char *text = mem_strndup((const char *)data + 1, size - 1);
    split(text);
    /* Removes separators of commands, because a further command might access files. */
    for (char *at = text; *at; at++)
        if (*at == ';' || *at == '\n')
            *at = ' ';
    str_add(&line, heads[data[0] % COMMANDS]);
    str_add(&line, text);
    session_init(&s);
    sink = fopen("/dev/null", "w");
    if (!command_run(&s, str_text(&line), sink, &err) && !err.what[0])
        abort();
    fclose(sink);
    session_done(&s);
    str_done(&line);
    free(text);
    return 0;
}
