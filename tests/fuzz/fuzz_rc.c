/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds text as the user's start file, but only lines that bind keys and set options, because other
 * commands may have side effects. Listed bindings must be unchanged when they are bound again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "cmd/rc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Appends the lines of @data that begin with a harmless command, without ';'. */
static void harmless(const uint8_t *data, size_t size, struct str *out)
{
    static const char *const heads[] = {"bind", "unbind ", "set seed ", "set ascii ", "#"};
    char *text = mem_strndup((const char *)data, size);

    for (char *at = text, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
            if (str_has_prefix(at, heads[i]) && !memchr(at, ';', (size_t)(end - at))) {
                str_addf(out, "%.*s\n", (int)(end - at), at);
                break;
            }
    }
    free(text);
}

static void binds_again(const struct keymap *keys)
{
    for (size_t i = 0; i < keymap_count(keys); i++) {
        const struct key_binding *b = keymap_at(keys, i);
        struct str line = {0};
        struct err err = {0};
        char name[KEY_NAME_MOST];
        if (b->row)
            continue;
        struct keymap *fresh = keymap_new();
        key_print(b->key, name);
        if (key_of_name(name) != b->key)
            abort();
        str_addf(&line, "%s %s %s", b->view, name, b->command);
        if (!keymap_bind(fresh, str_text(&line), &err) || !keymap_find(fresh, b->view, b->key) ||
            strcmp(keymap_find(fresh, b->view, b->key)->command, b->command) != 0)
            abort();
        str_done(&line);
        keymap_free(fresh);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session s;
    struct str text = {0}, told = {0};

    harmless(data, size, &text);
    session_init(&s);
    rc_run_text(&s, "rc", str_text(&text), &told);
    binds_again(s.keys);
    session_done(&s);
    str_done(&told);
    str_done(&text);
    return 0;
}
