/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/steps.h"

#define FEW 16   /* number of terms below which the search is linear */

void experiment_done(struct experiment *e)
{
    for (unsigned i = 0; i < e->count; i++)
        free(e->terms[i].form);
    free(e->terms);
    *e = (struct experiment){0};
}

static struct experiment_term *term_of(const struct experiment *e, const char *form)
{
    steps_add(1 + e->count / 4);
    for (unsigned i = 0; i < e->count; i++)
        if (strcmp(e->terms[i].form, form) == 0)
            return &e->terms[i];
    return NULL;
}

/* Returns the term of @form during the parsing of @e, or NULL. @seen indexes the forms if there are
 * many. */
static struct experiment_term *term_read(const struct experiment *e, struct names *seen,
                                         const char *form)
{
    if (e->count < FEW)
        return term_of(e, form);
    while (seen->count < e->count)
        names_add(seen, e->terms[seen->count].form);
    uint32_t at = names_find(seen, form);
    steps_add(1);
    return at == UINT32_MAX ? NULL : &e->terms[at];
}

static void term_push(struct experiment *e, const char *form, uint32_t count)
{
    e->terms = mem_resize(e->terms, (e->count + 1) * sizeof *e->terms);
    e->terms[e->count++] = (struct experiment_term){mem_strdup(form), count};
}

void experiment_add(struct experiment *e, const char *form, uint32_t count)
{
    struct experiment_term *term = term_of(e, form);

    if (term) {
        uint32_t room = UINT32_MAX - term->count;
        term->count += count < room ? count : room;
        return;
    }
    term_push(e, form, count);
}

bool experiment_equal(const struct experiment *a, const struct experiment *b)
{
    if (a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++) {
        const struct experiment_term *other = term_of(b, a->terms[i].form);
        if (!other || other->count != a->terms[i].count)
            return false;
    }
    return true;
}

uint64_t experiment_size(const struct experiment *e)
{
    uint64_t size = 0;
    for (unsigned i = 0; i < e->count; i++)
        size += e->terms[i].count;
    return size;
}

void experiment_term_print(const char *form, uint32_t count, struct str *out)
{
    /* A name that begins with a digit needs an explicit count. */
    if (count != 1 || isdigit((unsigned char)form[0]))
        str_addf(out, "%u*", count);
    str_add(out, form);
}

void experiment_print(const struct experiment *e, struct str *out)
{
    for (unsigned i = 0; i < e->count; i++) {
        str_add(out, i ? " + " : "");
        experiment_term_print(e->terms[i].form, e->terms[i].count, out);
    }
}

void experiment_print_key(const struct experiment *e, struct str *out)
{
    struct experiment sorted = {mem_alloc((e->count + 1) * sizeof *e->terms), e->count};

    memcpy(sorted.terms, e->terms, e->count * sizeof *e->terms);
    qsort(sorted.terms, sorted.count, sizeof *sorted.terms, compare_texts);
    str_clear(out);
    experiment_print(&sorted, out);
    free(sorted.terms);
}

/* Returns the end of the term at @at, which is a '+' outside of parentheses and brackets, or the
 * end of the text. Returns NULL if parentheses or brackets are unbalanced. */
static const char *term_end(const char *at, const char **fault)
{
    int depth = 0;
    const char *open = at;

    for (; *at && !(*at == '+' && depth == 0); at++) {
        if ((*at == '(' || *at == '[') && depth++ == 0)
            open = at;
        if ((*at == ')' || *at == ']') && depth-- == 0) {
            *fault = at;
            return NULL;
        }
    }
    if (depth) {
        *fault = open;
        return NULL;
    }
    return at;
}

static bool fail_at(const char *text, const char *at, struct err *err)
{
    return err_at(err, NULL, 0, (size_t)(at - text) + 1);
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* Returns the start of the form after a count "2 *" at @at, or @at without a count. */
static const char *skip_count(const char *at, const char *end)
{
    const char *digits = at;

    while (digits < end && isdigit((unsigned char)*digits))
        digits++;
    const char *star = skip_blanks(digits, end);
    return digits > at && star < end && *star == '*' ? skip_blanks(star + 1, end) : at;
}

/* Parses the term between @at and @end, ignoring blanks around it, and adds it. */
static bool parse_term(const char *text, const char *at, const char *end, struct experiment *out,
                       struct names *seen, struct err *err)
{
    at = skip_blanks(at, end);
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    const char *name = skip_count(at, end);
    unsigned long count = name > at ? strtoul(at, NULL, 10) : 1;
    if (name == end || skip_count(name, end) > name) {
        err_set(err, ERR_DATA, "write 2*ADD (R64, R64) + IMUL (R64, R64)",
                "expected an instruction form");
        return fail_at(text, name, err);
    }
    char *form = mem_strndup(name, (size_t)(end - name));
    struct experiment_term *old = term_read(out, seen, form);
    bool ok = count > 0 && count <= EXPERIMENT_COUNT_MAX - (old ? old->count : 0),
         full = !old && out->count == EXPERIMENT_FORMS_MAX;
    if (ok && old) {
        old->count += (uint32_t)count;
    } else if (ok && !full) {
        term_push(out, form, (uint32_t)count);
    } else if (full) {
        err_set(err, ERR_LIMIT, "split the experiment", "the experiment has more than %u forms",
                EXPERIMENT_FORMS_MAX);
        ok = fail_at(text, at, err);
    } else {
        err_set(err, ERR_DATA, "use counts from 1 to 10000", "the count of %.64s is out of range",
                form);
        fail_at(text, at, err);
    }
    free(form);
    return ok;
}

bool experiment_parse(const char *text, struct experiment *out, struct err *err)
{
    const char *at = text, *fault = NULL;
    struct names seen = {0};

    *out = (struct experiment){0};
    for (;;) {
        const char *end = term_end(at, &fault);
        if (!end) {
            err_set(err, ERR_DATA, "close each ( with )", "unmatched parenthesis");
            fail_at(text, fault, err);
            break;
        }
        if (!parse_term(text, at, end, out, &seen, err))
            break;
        if (!*end) {
            names_done(&seen);
            return true;
        }
        at = end + 1;
    }
    names_done(&seen);
    experiment_done(out);
    return false;
}
