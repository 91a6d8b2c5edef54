/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"
#include "infer/congruence.h"

struct congruence_values {
    double epsilon;
};

static const struct parameter options[] = {
    {.name = "--epsilon", .kind = PARAMETER_NUMBER, .at = offsetof(struct congruence_values, epsilon), .value = "E", .initial = INITIAL(CONGRUENCE_EPSILON),
     .help = "largest difference between two forms' cycles, relative to their mean, as a fraction"},
    {0},
};

/* Adds a class to all three: its members as rows of @t, as lines of @text (the representative first), as an object of @classes. */
static void add_class(const struct names *names, const struct congruence *c, uint32_t class, struct result_table *t, struct str *text, json_t *classes)
{
    const char *representative = names->items[c->representative[class]];
    json_t *members = json_array(), *object = json_object();

    str_addf(text, "%4u  %s\n", c->size[class], representative);
    for (uint32_t f = 0; f < c->forms; f++) {
        if (c->class_of[f] != class)
            continue;
        json_array_append_new(members, json_text(names->items[f]));
        cell_count(t, class);
        cell_text(t, names->items[f]);
        if (f != c->representative[class])
            str_addf(text, "        %s\n", names->items[f]);
    }
    json_object_set_new(object, "representative", json_text(representative));
    json_object_set_new(object, "forms", members);
    json_array_append_new(classes, object);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {{.key = "class", .kind = CELL_COUNT}, {.key = "form", .kind = CELL_TEXT}};
    const struct congruence_values *v = values;
    json_t *classes = json_array();
    struct str text = {0};
    struct congruence c;

    if (!experiments_required(s, err)) {
        json_decref(classes);
        return false;
    }
    congruence_find(s->document.experiments, v->epsilon, 0, &c);
    struct result_table *t = result_table(result, "members", columns, 2);
    t->hide = NOT_TEXT | NOT_JSON;
    for (uint32_t class = 0; class < c.classes; class++)
        add_class(&s->document.experiments->forms, &c, class, t, &text, classes);
    result_number(result, "epsilon", v->epsilon);
    result_nested(result, "classes", classes);
    result_block(result, str_text(&text));
    result_line(result, "%zu class%s of %zu form%s, epsilon %g", c.classes, c.classes == 1 ? "" : "es", c.forms, c.forms == 1 ? "" : "s", v->epsilon);
    congruence_done(&c);
    str_done(&text);
    return true;
}

static const char *const examples[] = {"congruence", "congruence --epsilon 0.02", NULL};

const struct command command_congruence = {
    .name = "congruence",
    .help = "forms that no measurement distinguishes",
    .description = "Two forms are congruent when their cycles differ by less than epsilon, alone and in pairs with every form measured with both.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct congruence_values),
    .run = run,
};
