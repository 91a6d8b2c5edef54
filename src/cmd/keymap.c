/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "base/similar.h"
#include "base/vec.h"
#include "cmd/key.h"

#define BLANKS " \t"

struct keymap {
    VEC(struct key_binding) bindings;
};

struct row_word {
    char text[VIEW_NAME_MOST];
};

/* Reads the next word and advances *@at. Returns false at the end of the line, and for a word that
 * is too long for @out. */
static bool next_word(const char **at, struct row_word *out)
{
    *at += strspn(*at, BLANKS);
    const size_t length = strcspn(*at, BLANKS);
    if (!length || length >= sizeof out->text)
        return false;
    memcpy(out->text, *at, length);
    out->text[length] = '\0';
    *at += length;
    return true;
}

bool key_row_in(const struct key_row *row, const char *view)
{
    struct row_word word;

    for (const char *at = row->views; next_word(&at, &word);)
        if (strcmp(word.text, view) == 0)
            return true;
    return false;
}

/* Returns whether @name is a view that has keys. */
static bool is_view(const char *name)
{
    for (const struct key_row *row = key_rows; row->views; row++)
        if (key_row_in(row, name))
            return true;
    return false;
}

struct keymap *keymap_new(void)
{
    struct keymap *k = mem_zero(1, sizeof *k);
    struct row_word view, key;

    for (const struct key_row *row = key_rows; row->views; row++)
        for (const char *v = row->views; row->command && next_word(&v, &view);)
            for (const char *at = row->keys; next_word(&at, &key);) {
                struct key_binding b = {
                    .key = key_of_name(key.text), .command = row->command, .row = row};
                strcpy(b.view, view.text);
                vec_push(&k->bindings, b);
            }
    return k;
}

void keymap_free(struct keymap *k)
{
    for (size_t i = 0; k && i < k->bindings.count; i++)
        free(k->bindings.items[i].own);
    if (k)
        vec_done(&k->bindings);
    free(k);
}

const struct key_binding *keymap_find(const struct keymap *k, const char *view, int key)
{
    for (size_t i = 0; i < k->bindings.count; i++)
        if (k->bindings.items[i].key == key && strcmp(k->bindings.items[i].view, view) == 0)
            return &k->bindings.items[i];
    return NULL;
}

size_t keymap_count(const struct keymap *k)
{
    return k->bindings.count;
}

const struct key_binding *keymap_at(const struct keymap *k, size_t at)
{
    return &k->bindings.items[at];
}

/* Removes the binding of @key in @view. Returns false if there was none. */
static bool drop(struct keymap *k, const char *view, int key)
{
    const struct key_binding *found = keymap_find(k, view, key);

    if (!found)
        return false;
    const size_t at = (size_t)(found - k->bindings.items);
    free(k->bindings.items[at].own);
    memmove(k->bindings.items + at, k->bindings.items + at + 1,
            (--k->bindings.count - at) * sizeof *k->bindings.items);
    return true;
}

/* Returns the word at *@at, which may be quoted. Advances *@at past the blanks after it. The caller
 * frees the word. */
static char *take_word(const char **at)
{
    const char *text = *at;
    const char *quote = *text == '"' || *text == '\'' ? strchr(text + 1, *text) : NULL;
    char *word;

    /* Tests for the end of the text, because strchr also finds the NUL. */
    if (quote && quote > text + 1 && strchr(BLANKS, quote[1])) {
        word = mem_strndup(text + 1, (size_t)(quote - text - 1));
        *at = quote + 1;
    } else {
        word = mem_strndup(text, strcspn(text, BLANKS));
        *at = text + strlen(word);
    }
    *at += strspn(*at, BLANKS);
    return word;
}

static bool refuse_key(const char *word, bool first, struct err *err)
{
    struct similar similar = {.word = word};
    struct row_word view;
    char best[VIEW_NAME_MOST] = "", todo[SIMILAR_TODO];

    for (const struct key_row *row = key_rows; first && row->views; row++)
        for (const char *at = row->views; next_word(&at, &view);)
            if (similar_try(&similar, view.text))
                similar.best = strcpy(best, view.text);
    return err_set(err, ERR_USAGE,
                   similar_todo(&similar,
                                "names of keys: a, F5, Ctrl-W, Enter, Tab, Space, PgUp; the "
                                "command keys lists all names",
                                todo),
                   "unknown %s \"%s\"", first ? "view or key" : "key", word);
}

bool keymap_take_key(const char **text, char view[VIEW_NAME_MOST], int *key, struct err *err)
{
    const char *at = *text + strspn(*text, BLANKS);
    char *word = take_word(&at);
    bool named = is_view(word);

    strcpy(view, named ? word : KEYMAP_ALL);
    if (named) {
        free(word);
        word = take_word(&at);
    }
    *key = key_of_name(word);
    bool ok = *key != KEYCODE_NONE && *key != KEYCODE_INTERRUPT;
    if (!*word)
        err_set(err, ERR_USAGE,
                "use bind [VIEW] KEY COMMAND; the command keys lists the names of keys",
                "no key given");
    else if (*key == KEYCODE_INTERRUPT)
        err_set(err, ERR_USAGE, "use another key", "Ctrl-C always cancels");
    else if (!ok)
        refuse_key(word, !named, err);
    free(word);
    *text = at;
    return ok;
}

void keymap_set(struct keymap *k, const char *view, int key, char *take_command)
{
    struct key_binding b = {.key = key, .command = take_command, .own = take_command};

    drop(k, view, key);
    strcpy(b.view, view);
    vec_push(&k->bindings, b);
}

bool keymap_unbind(struct keymap *k, const char *text, struct err *err)
{
    char view[VIEW_NAME_MOST], name[KEY_NAME_MOST];
    int key;

    if (!keymap_take_key(&text, view, &key, err))
        return false;
    key_print(key, name);
    if (*text)
        return err_set(err, ERR_USAGE, "use unbind [VIEW] KEY", "unexpected \"%s\"", text);
    return drop(k, view, key) || err_set(err, ERR_USAGE, "the command keys lists the bound keys",
                                         "%s was not bound with bind in %s%s", name,
                                         strcmp(view, KEYMAP_ALL) == 0 ? "all views" : "the view ",
                                         strcmp(view, KEYMAP_ALL) == 0 ? "" : view);
}

/* Returns whether pressing the key of @b in @view runs the command of @b. */
static bool is_heard(const struct keymap *k, const struct key_binding *b, const char *view)
{
    return strcmp(b->view, view) == 0 ||
           (strcmp(b->view, KEYMAP_ALL) == 0 && !keymap_find(k, view, b->key));
}

bool keymap_key(const struct keymap *k, const char *view, const char *command,
                char out[KEY_NAME_MOST])
{
    for (size_t i = 0; i < k->bindings.count; i++)
        if (strcmp(k->bindings.items[i].command, command) == 0 &&
            is_heard(k, &k->bindings.items[i], view)) {
            key_print(k->bindings.items[i].key, out);
            return true;
        }
    return false;
}

const struct key_binding *keymap_own(const struct keymap *k, const char *view, int key)
{
    for (size_t i = 0; i < k->bindings.count; i++) {
        const struct key_binding *b = &k->bindings.items[i];
        if (!b->row && b->key == key && is_heard(k, b, view))
            return b;
    }
    return NULL;
}

void keymap_views(void (*add)(void *to, const char *view), void *to)
{
    struct row_word word;

    for (const struct key_row *row = key_rows; row->views; row++)
        for (const char *at = row->views; next_word(&at, &word);) {
            bool known = false;
            for (const struct key_row *before = key_rows; before < row && !known; before++)
                known = key_row_in(before, word.text);
            if (!known)
                add(to, word.text);
        }
}
