/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/recipe.h"
#include "base/mem.h"
#include "toolchain/compile.h"

/* Sets *@first and *@last to the lines, from 1, of @symbol's body in compiler output: from its
 * label to its .size directive or to the end. Returns false if there is no such label. */
static bool function_lines(const char *text, const char *symbol, size_t *first, size_t *last)
{
    size_t length = strlen(symbol), number = 1;

    *first = *last = 0;
    for (const char *at = text; *at; number++) {
        size_t span = strcspn(at, "\n");
        if (!*first && span > length && strncmp(at, symbol, length) == 0 && at[length] == ':')
            *first = number;
        const char *word = at + strspn(at, " \t");
        if (*first && strncmp(word, ".size", 5) == 0 &&
            strncmp(word + 5 + strspn(word + 5, " \t"), symbol, length) == 0) {
            *last = number;
            return true;
        }
        at += span + (at[span] == '\n');
    }
    *last = number;
    return *first > 0;
}

/* Reduces the range *@first to *@last of lines of the assembler text to those of the selected lines
 * of the C file. *@last 0: the end of the text. Returns false if there are none. */
static bool assembly_lines(const struct compiled *c, const char *path,
                           const struct kernel_options *requested, size_t *first, size_t *last)
{
    size_t count, from = 0, to = 0;
    uint32_t *lines = compile_lines(str_text(&c->assembly), c->assembly.length, path, &count);

    for (size_t i = *first ? *first - 1 : 0; i < count && (!*last || i < *last); i++)
        if (lines[i] >= requested->first_line && lines[i] <= requested->last_line) {
            from = from ? from : i + 1;
            to = i + 1;
        }
    free(lines);
    *first = from;
    *last = to;
    return from > 0;
}

static void take_source(struct kernel *k, struct compiled *c, const char *path)
{
    size_t line_count;
    uint32_t *lines = compile_lines(str_text(&c->assembly), c->assembly.length, path, &line_count);

    kernel_set_origin(k, lines, line_count, str_take(&c->source));
}

/* Finds the function's lines. Returns false if there are none. Also tries @symbol with an
 * underscore, which Fortran compilers append. */
static bool find_function(const char *text, const char *symbol, size_t *first, size_t *last)
{
    struct str other = {0};

    str_addf(&other, "%s_", symbol);
    bool found = function_lines(text, symbol, first, last) ||
                 function_lines(text, str_text(&other), first, last);
    str_done(&other);
    return found;
}

static struct kernel *take_loops(const struct recipe *r, const struct compiled *c, struct err *err)
{
    struct kernel_options own = r->options;
    size_t first = 0, last = 0;

    if (own.symbol && !find_function(str_text(&c->assembly), own.symbol, &first, &last)) {
        err_set(err, ERR_DATA,
                "the function may be inlined; without --symbol the whole file is searched",
                "no function %s in the compiled code", own.symbol);
        err_at(err, r->path, 0, 0);
        return NULL;
    }
    if (own.first_line && !assembly_lines(c, r->path, &r->options, &first, &last)) {
        err_set(err, ERR_DATA,
                "give other lines: the compiler may have removed or merged their code",
                "no instructions from lines %zu-%zu", own.first_line, own.last_line);
        err_at(err, r->path, 0, 0);
        return NULL;
    }
    own.symbol = NULL;
    own.first_line = first;
    own.last_line = last;
    return kernel_from_text(r->path, str_text(&c->assembly), c->assembly.length, &own, err);
}

struct kernel *kernel_from_source(struct recipe *r, struct str *printed, struct err *err)
{
    const struct compile_wish wish = {r->compiler,
                                      r->options.isa_given ? r->options.isa : isa_host(),
                                      r->target,
                                      r->generic,
                                      (const char *const *)r->flags.items,
                                      r->flags.count};
    struct compiled c;
    struct kernel *k = compile_source(r->path, &wish, &c, err) ? take_loops(r, &c, err) : NULL;

    if (k) {
        take_source(k, &c, r->path);
        if (r->target && c.target != r->target) {
            free(r->target);
            r->target = mem_strdup(c.target);
        }
        free(r->printed);
        r->printed = c.printed.length ? mem_strdup(str_text(&c.printed)) : NULL;
    } else if (printed) {
        str_add(printed, str_text(&c.printed));
    }
    compiled_done(&c);
    return k;
}
