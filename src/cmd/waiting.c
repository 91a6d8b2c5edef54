/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/waiting.h"

#include <stdlib.h>

#include "base/vec.h"

void waiting_add(struct waiting *w, const char *script, size_t line, const char *text, bool lines)
{
    if (!*text)
        return;
    w->commands = mem_resize(w->commands, (w->count + 1) * sizeof *w->commands);
    w->commands[w->count++] = (struct waiting_commands){script ? mem_strdup(script) : NULL, line, mem_strdup(text), lines};
}

void waiting_drop(struct waiting *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->commands[i].script);
        free(w->commands[i].text);
    }
    free(w->commands);
    w->commands = NULL;
    w->count = 0;
    w->job = 0;
}

bool waiting_tell(struct waiting *w, unsigned number)
{
    for (size_t i = 0; i < w->told.count; i++)
        if (w->told.items[i] == number)
            return false;
    vec_push(&w->told, number);
    return true;
}

void waiting_forget(struct waiting *w, unsigned number)
{
    for (size_t i = 0; i < w->told.count; i++)
        if (w->told.items[i] == number)
            w->told.items[i--] = w->told.items[--w->told.count];
}

void waiting_done(struct waiting *w)
{
    waiting_drop(w);
    vec_done(&w->told);
}
