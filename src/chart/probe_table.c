/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/probe_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "chart/probe_reader.h"
#include "isa/isa.h"
#include "model/facts.h"

/* maximum number of loops in a family, and its largest index */
#define FAMILY_MOST 1024
#define TABLE_MOST (1 << 20) /* maximum number of bytes of a table */

static struct piece *new_piece(struct table_reader *r, enum piece_kind kind)
{
    struct piece *p = reader_own(r, mem_zero(1, sizeof *p));

    p->kind = kind;
    return p;
}

/* Kinds of text: instructions separated by ';', or words */
enum text_kind { TEXT_CODE, TEXT_WORDS };

static struct piece *pieces(struct table_reader *r, enum text_kind kind, char stop);

/* Reads "GROUP}" or "GROUP.COLUMN}" in a loop's text or an item. Returns NULL without reading if
 * the text has another form. */
static struct piece *item_gap(struct table_reader *r, enum text_kind kind)
{
    static const char *const columns[COLUMNS] = {"word", "text", "other"};
    char name[NAME_MOST], column[NAME_MOST] = "text";
    const char *before = r->at;
    const unsigned at = reader_name(r, name) ? reader_group(r, name) : r->t->groups.count;
    unsigned which = 0;

    if (at < r->t->groups.count && *r->at == '.') {
        r->at++;
        if (!reader_name(r, column))
            reader_fail(r, "word, text or other is missing");
    }
    if (at == r->t->groups.count || *r->at != '}') {
        r->at = before;
        return NULL;
    }
    while (which < COLUMNS && strcmp(columns[which], column) != 0)
        which++;
    if (kind == TEXT_WORDS)
        reader_fail(r, "only loops and the texts of items may contain items");
    else if (which == COLUMNS)
        reader_fail(r, "items have no column '%s', only word, text and other", column);
    struct piece *p = new_piece(r, PIECE_ITEM);
    p->group = at;
    p->column = which;
    return p;
}

static struct piece *gap(struct table_reader *r, enum text_kind kind)
{
    const unsigned before = r->local_count;
    struct piece *p = item_gap(r, kind);

    if (!p && reader_take(r, "filler"))
        p = new_piece(r, PIECE_FILLER);
    if (!p && reader_take(r, "ports")) {
        p = new_piece(r, PIECE_PORTS);
        p->expression = reader_of_item(r, NODE_ITEM);
    }
    if (!p && reader_take(r, "words")) {
        struct probe_node n = {.kind = NODE_NUMBER};
        p = new_piece(r, PIECE_WORDS);
        reader_expect(r, "(");
        p->group = reader_range(r, &n);
        if (p->group == NO_GROUP)
            reader_fail(r, "words must come from a list of items");
        p->variable = n.variable;
        reader_expect(r, ",");
        p->expression = r->ok ? reader_expression(r) : NULL;
        reader_expect(r, ")");
    }
    if (!p) {
        p = new_piece(r, PIECE_NUMBER);
        p->expression = reader_expression(r);
        if (r->ok && reader_take(r, ":")) {
            p->kind = PIECE_REPEAT;
            p->variable = reader_local(r, "k");
            p->body = r->ok ? pieces(r, kind, '}') : NULL;
        }
    }
    r->local_count = before;
    reader_expect(r, "}");
    return p;
}

/* Appends the character at r->at and moves past it. In code, a semicolon becomes a line feed.
 * Replaces a line continuation in words with a blank, and removes any other line continuation. */
static void add_character(struct table_reader *r, enum text_kind kind, struct str *text)
{
    if (*r->at == ';' && kind == TEXT_CODE) {
        str_add_char(text, '\n');
        r->at++;
        reader_skip(r);
    } else if (reader_continuation(r->at)) {
        reader_skip(r);
        if (text->length && text->data[text->length - 1] != ' ' && kind == TEXT_WORDS)
            str_add_char(text, ' ');
    } else {
        str_add_char(text, *r->at);
        /* A doubled brace is one character. */
        r->at += (r->at[0] == '{' || r->at[0] == '}') ? 2 : 1;
    }
}

/* Reads a text up to the end of the line or the character @stop, which remains unread. Omits spaces
 * at both ends. */
static struct piece *pieces(struct table_reader *r, enum text_kind kind, char stop)
{
    struct piece *first = NULL, **last = &first;
    struct str text = {0};

    if (++r->depth > DEPTH_MOST)
        reader_fail(r, "more than %d nested gaps", DEPTH_MOST);
    reader_skip(r);
    for (bool ends = !r->ok; !ends;) {
        const bool doubled = (*r->at == '{' || *r->at == '}') && r->at[1] == *r->at;
        const bool opens = *r->at == '{' && !doubled;
        /* A closing brace ends a body, even if another brace follows. */
        ends = !*r->at || *r->at == '\n' || (*r->at == stop && (stop == '}' || !doubled));
        if (!ends && *r->at == '}' && !doubled) {
            reader_fail(r, "'}' without '{'");
            ends = true;
        }
        if (!ends && !opens) {
            add_character(r, kind, &text);
            continue;
        }
        while (ends && text.length && text.data[text.length - 1] == ' ')
            text.data[--text.length] = '\0';
        if (text.length) {
            *last = new_piece(r, PIECE_TEXT);
            (*last)->text = reader_own(r, mem_strdup(str_text(&text)));
            last = &(*last)->next;
            str_clear(&text);
        }
        if (opens) {
            r->at++;
            *last = gap(r, kind);
            last = &(*last)->next;
        }
        ends |= !r->ok;
    }
    str_done(&text);
    r->depth--;
    return first;
}

/* Reports texts of @p with items of a group over which the current loop does not run, or runs
 * twice. */
static void check_items(struct table_reader *r, const struct piece *p)
{
    for (; r->ok && p; p = p->next) {
        unsigned found = p->kind != PIECE_ITEM;
        for (unsigned d = 0; p->kind == PIECE_ITEM && d < r->loop->dimensions; d++)
            found += r->loop->over[d].group == p->group;
        if (found != 1)
            reader_fail(r, "the loop %s over %s", found ? "runs twice" : "does not run",
                        r->t->groups.items[p->group].name);
        check_items(r, p->body);
        const struct item_group *g = &r->t->groups.items[p->group];
        for (size_t i = 0; r->ok && p->kind == PIECE_ITEM && i < g->items.count; i++)
            check_items(r, g->items.items[i].text[p->column]);
    }
}

static void check_new(struct table_reader *r, const char *name)
{
    unsigned group, loop, definition;

    READER_FIND(r->t->groups, name, group);
    READER_FIND(r->t->loops, name, loop);
    READER_FIND(r->t->definitions, name, definition);
    if (group < r->t->groups.count || loop < r->t->loops.count ||
        definition < r->t->definitions.count || reader_reserved(name))
        reader_fail(r, "'%s' is already defined", name);
}

static const char *new_name(struct table_reader *r)
{
    char name[NAME_MOST];

    if (!reader_name(r, name)) {
        reader_fail(r, "a name is missing");
        return NULL;
    }
    check_new(r, name);
    return reader_own(r, mem_strdup(name));
}

/* Moves to the next indented line, which belongs to the entry. Returns false if the entry has
 * ended, or after an error. */
static bool next_indented(struct table_reader *r)
{
    if (!r->ok)
        return false;
    if (!reader_at_end(r)) {
        reader_fail(r, "unexpected text at the end of the line");
        return false;
    }
    const char *next = *r->at ? r->at + 1 : r->at;
    while (*next == '\n' || *next == '#')
        for (next += strcspn(next, "\n"); *next == '\n'; next++)
            ;
    if (*next != ' ')
        return false;
    r->at = next;
    return !reader_at_end(r);
}

/* Reads a column of an item. A text without gaps is also stored unexpanded. */
static void read_column(struct table_reader *r, struct probe_item *item, enum item_column column)
{
    struct piece *p = pieces(r, column == COLUMN_WORD ? TEXT_WORDS : TEXT_CODE, '|');

    item->text[column] = p;
    if (p && p->kind == PIECE_TEXT && !p->next)
        item->raw[column] = p->text;
    else if (column == COLUMN_WORD)
        reader_fail(r, "the item has no word");
}

static void read_items(struct table_reader *r)
{
    struct item_group group = {.name = new_name(r)};
    unsigned at = r->t->groups.count;

    vec_push(&r->t->groups, group);
    r->in_items = true;
    /* A variable of a gap must not replace an index of the loop, because the index selects an
     * item. */
    for (unsigned d = 0; d < PROBE_DIMENSIONS; d++)
        reader_local(r, "");
    while (next_indented(r)) {
        struct probe_item item = {.raw = {"", "", ""}};
        read_column(r, &item, COLUMN_WORD);
        item.raw[COLUMN_TEXT] = item.raw[COLUMN_WORD];
        item.text[COLUMN_TEXT] = item.text[COLUMN_WORD];
        for (enum item_column c = COLUMN_TEXT; c < COLUMNS && reader_take(r, "|"); c++)
            read_column(r, &item, c);
        vec_push(&r->t->groups.items[at].items, item);
    }
    if (!r->t->groups.items[at].items.count)
        reader_fail(r, "no item follows");
    r->in_items = false;
    r->local_count = 0;
}

static unsigned whole(struct table_reader *r)
{
    unsigned number = 0;

    reader_skip(r);
    if (!isdigit((unsigned char)*r->at))
        reader_fail(r, "a number is missing");
    while (r->ok && isdigit((unsigned char)*r->at)) {
        number = 10 * number + (unsigned)(*r->at++ - '0');
        if (number > FAMILY_MOST)
            reader_fail(r, "the number is above %d", FAMILY_MOST);
    }
    return number;
}

static void read_dimension(struct table_reader *r, struct table_loop *loop)
{
    char name[NAME_MOST];
    const unsigned d = loop->dimensions++;

    loop->over[d].group = NO_GROUP;
    if (reader_name(r, name)) {
        const unsigned at = reader_group(r, name);
        if (at == r->t->groups.count) {
            reader_fail(r, "there are no items '%s' above", name);
            return;
        }
        loop->over[d].group = at;
        loop->over[d].count = (unsigned)r->t->groups.items[at].items.count;
        if (loop->over[d].count > FAMILY_MOST)
            reader_fail(r, "more than %d items", FAMILY_MOST);
    } else {
        loop->over[d].from = whole(r);
        reader_expect(r, "..");
        const unsigned to = r->ok ? whole(r) : 0;
        if (r->ok && to < loop->over[d].from)
            reader_fail(r, "the range is empty");
        loop->over[d].count = to + 1 - loop->over[d].from;
    }
    reader_local(r, d ? "j" : "i");
}

static void read_loop(struct table_reader *r)
{
    struct table_loop loop = {.name = new_name(r)};

    if (r->ok && reader_take(r, "over"))
        do {
            read_dimension(r, &loop);
        } while (r->ok && loop.dimensions < PROBE_DIMENSIONS && reader_take(r, ","));
    if (r->ok && loop.dimensions > 1 && loop.over[0].count * loop.over[1].count > FAMILY_MOST)
        reader_fail(r, "more than %d loops", FAMILY_MOST);
    reader_expect(r, ":");
    if (r->ok)
        loop.text = pieces(r, TEXT_CODE, '\n');
    if (r->ok && !loop.text)
        reader_fail(r, "the loop has no text");
    r->loop = &loop;
    check_items(r, loop.text);
    r->loop = NULL;
    r->local_count = 0;
    vec_push(&r->t->loops, loop);
}

static void read_definition(struct table_reader *r)
{
    struct definition let = {.name = new_name(r)};
    char name[NAME_MOST];

    if (reader_take(r, "(")) {
        do {
            if (!reader_name(r, name))
                reader_fail(r, "the name of a parameter is missing");
            else if (let.parameters++ == PROBE_ARGS)
                reader_fail(r, "more than %d parameters", PROBE_ARGS);
            else
                reader_local(r, name);
        } while (r->ok && reader_take(r, ","));
        reader_expect(r, ")");
    }
    reader_expect(r, "=");
    let.value = r->ok ? reader_expression(r) : NULL;
    r->local_count = 0;
    vec_push(&r->t->definitions, let);
}

static void read_case(struct table_reader *r, struct table_fact *fact)
{
    struct fact_case c = {.verdict = CASE_VALUE};

    if (!reader_take(r, "else"))
        c.when = reader_expression(r);
    reader_expect(r, "->");
    if (r->ok && reader_take(r, "nothing")) {
        c.verdict = CASE_NOTHING;
    } else if (r->ok) {
        if (reader_take(r, "unknown"))
            c.verdict = CASE_UNKNOWN;
        else
            c.value = pieces(r, TEXT_WORDS, '|');
        if (r->ok && c.verdict == CASE_VALUE && !c.value)
            reader_fail(r, "the value is missing");
        if (r->ok && c.verdict == CASE_VALUE && !fact_find(fact->key))
            reader_fail(r, "no fact is called '%s', so it has no value", fact->key);
        reader_expect(r, "|");
        c.why = r->ok ? pieces(r, TEXT_WORDS, '\n') : NULL;
        if (r->ok && !c.why)
            reader_fail(r, "the reason is missing");
    }
    vec_push(&fact->cases, c);
}

/* Reads a fact. Its name may have spaces, and its unit follows a colon. */
static void read_fact(struct table_reader *r)
{
    struct table_fact fact = {.unit = ""};

    reader_skip(r);
    const size_t length = strcspn(r->at, ":\n");
    if (!length)
        reader_fail(r, "the name of a fact is missing");
    fact.key = reader_own(r, mem_strndup(r->at, length));
    r->at += length;
    if (reader_take(r, ":")) {
        reader_skip(r);
        fact.unit = reader_own(r, mem_strndup(r->at, strcspn(r->at, "\n")));
        r->at += strlen(fact.unit);
    }
    while (next_indented(r))
        read_case(r, &fact);
    if (!fact.cases.count)
        reader_fail(r, "no case of the fact follows");
    vec_push(&r->t->facts, fact);
}

static void read_entry(struct table_reader *r)
{
    if (*r->at == '#')
        r->at += strcspn(r->at, "\n");
    else if (reader_take(r, "items"))
        read_items(r);
    else if (reader_take(r, "loop"))
        read_loop(r);
    else if (reader_take(r, "let"))
        read_definition(r);
    else if (reader_take(r, "fact"))
        read_fact(r);
    else if (!reader_at_end(r))
        reader_fail(r, "a line must begin with items, loop, let, fact, # or a space");
    if (r->ok && !reader_at_end(r))
        reader_fail(r, "unexpected text at the end of the line");
}

struct probe_table *probe_table_parse(const char *text, const char *path, struct err *err)
{
    struct table_reader r = {.t = mem_zero(1, sizeof *r.t), .text = text, .at = text, .path = path,
                       .ok = true, .err = err};

    while (r.ok && *r.at) {
        read_entry(&r);
        r.at += *r.at == '\n';
    }
    if (r.ok)
        return r.t;
    probe_table_free(r.t);
    return NULL;
}

struct probe_table *probe_table_load(enum isa isa, struct err *err)
{
    struct probe_table *t = NULL;
    struct str relative = {0}, text = {0};

    str_addf(&relative, "probes/%s.probes", isa_name(isa));
    char *path = file_data_path(str_text(&relative));
    if (!path)
        err_set(err, ERR_MISSING, "install Portolan, or set PORTOLAN_DATA to its data directory",
                "%s not found", str_text(&relative));
    else if (file_read(path, TABLE_MOST, &text, err))
        t = probe_table_parse(str_text(&text), path, err);
    free(path);
    str_done(&relative);
    str_done(&text);
    return t;
}

void probe_table_free(struct probe_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->groups.count; i++)
        vec_done(&t->groups.items[i].items);
    for (size_t i = 0; i < t->facts.count; i++)
        vec_done(&t->facts.items[i].cases);
    for (size_t i = 0; i < t->owned.count; i++)
        free(t->owned.items[i]);
    vec_done(&t->groups);
    vec_done(&t->loops);
    vec_done(&t->definitions);
    vec_done(&t->facts);
    vec_done(&t->owned);
    free(t);
}
