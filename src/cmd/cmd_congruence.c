/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "infer/congruence.h"

struct congruence_values {
    double epsilon;
};

/* Adds one class in three formats: its members as rows of @t, as lines of @text (representative
 * first), and as an object of @classes. */
static void add_class(const struct names *names, const struct congruence *c, uint32_t class,
                      struct result_table *t, struct str *text, json_t *classes)
{
    const char *representative = names->items[c->representative[class]];
    json_t *members = json_array(), *unmeasured = json_array(), *object = json_object();
    struct str pair = {0};

    str_addf(text, "%4u  %s\n", c->size[class], representative);
    for (uint32_t f = 0; f < c->forms; f++) {
        if (c->class_of[f] != class)
            continue;
        json_array_append_new(members, json_text(names->items[f]));
        cell_count(t, class);
        cell_text(t, names->items[f]);
        cell_text(t, representative);
        cell_count(t, (int64_t)c->untested[class]);
        str_clear(&pair);
        if (congruence_undistinguished(c, f)) {
            str_addf(&pair, "%s + %s", representative, names->items[f]);
            json_array_append_new(unmeasured, json_text(str_text(&pair)));
        }
        cell_text(t, str_text(&pair));
        if (f != c->representative[class])
            str_addf(text, "        %s\n", names->items[f]);
    }
    json_object_set_new(object, "representative", json_text(representative));
    json_object_set_new(object, "forms", members);
    if (c->untested[class])
        str_addf(text,
                 "      %llu pair%s of forms compared only in isolation; missing experiments: "
                 "%s%s\n",
                 (unsigned long long)c->untested[class], plural(c->untested[class]),
                 json_string_value(json_array_get(unmeasured, 0)),
                 json_array_size(unmeasured) > 1 ? ", and others" : "");
    json_object_set_new(object, "untested", json_integer((json_int_t)c->untested[class]));
    json_object_set_new(object, "untold", unmeasured);
    str_done(&pair);
    json_array_append_new(classes, object);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {{.key = "class", .kind = CELL_COUNT},
                                                   {.key = "form", .kind = CELL_TEXT},
                                                   {.key = "representative", .kind = CELL_TEXT},
                                                   {.key = "untested", .kind = CELL_COUNT},
                                                   {.key = "untold", .kind = CELL_TEXT}};
    const struct congruence_values *v = values;
    const struct experiments *table = s->document.experiments;
    struct str text = {0};
    struct congruence c;

    if (!experiments_required(s, err))
        return false;
    json_t *classes = json_array();
    congruence_find(table, v->epsilon, 0, true, &c);
    struct result_table *t = RESULT_TABLE(result, "members", columns);
    t->hide = NOT_TEXT | NOT_JSON;
    for (uint32_t class = 0; class < c.classes && !watch_steps(1 + c.forms / 8); class++)
        add_class(&table->forms, &c, class, t, &text, classes);
    uint64_t untested = 0;
    for (size_t class = 0; class < c.classes; class++)
        untested += c.untested[class];
    result_number(result, "epsilon", v->epsilon);
    result_nested(result, "classes", classes);
    result_block(result, str_text(&text));
    result_line(result, "%zu class%s of %zu form%s, epsilon %g", c.classes,
                c.classes == 1 ? "" : "es", c.forms, plural(c.forms), v->epsilon);
    if (untested)
        result_line(result,
                    "%llu pair%s of forms compared only in isolation; experiments settle measures "
                    "the missing experiments",
                    (unsigned long long)untested, plural(untested));
    result_count(result, "untested", (int64_t)untested);
    congruence_done(&c);
    str_done(&text);
    return watch_goes_on(err);
}

const struct command command_congruence = {
    .name = "congruence",
    .help = "forms that no measurement distinguishes",
    .description =
        "Two forms are congruent when their cycles differ by less than epsilon, alone and in pairs "
        "with every form measured with both. An experiment with both forms is compared with twice "
        "the time of each. Forms that no experiment compares also share a class, because nothing "
        "distinguishes them. The result counts these pairs of forms and names the missing "
        "experiments.",
    .options = PARAMETERS(
        {PARAMETER(NUMBER, "--epsilon", struct congruence_values, epsilon), .value = "E",
         .initial = INITIAL(CONGRUENCE_EPSILON),
         .help = "largest difference between the cycles of two congruent forms, as a fraction of "
                 "their mean"}),
    .examples = EXAMPLES("congruence", "congruence --epsilon 0.02"),
    .values_size = sizeof(struct congruence_values),
    .doing = "compares forms",
    .read = run,
};
