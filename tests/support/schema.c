/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schema.h"

#include <regex.h>
#include <string.h>

struct schema_check {
    const json_t *root;
    struct str path;     /* JSON pointer to the current value, such as /machines/0/cycles */
    struct str *fault;   /* text of violations; NULL if not requested */
};

static bool holds(struct schema_check *c, const json_t *rule, const json_t *value);

static bool refuse(struct schema_check *c, const char *why, const char *what)
{
    if (c->fault)
        str_addf(c->fault, "%s: %s%s%s", c->path.length ? str_text(&c->path) : "/", why,
                 *what ? " " : "", what);
    return false;
}

/* Finds the part of the schema at "#/$defs/name", or NULL. */
static const json_t *resolve(const json_t *root, const char *reference)
{
    const json_t *at = root;
    char name[128];

    if (strncmp(reference, "#/", 2) != 0)
        return NULL;
    for (reference += 2; at && *reference;
         reference += strcspn(reference, "/"), reference += *reference == '/') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(reference, "/"), reference);
        at = json_object_get(at, name);
    }
    return at;
}

static bool is_type(const json_t *value, const char *type)
{
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
                                          : strcmp(type, "null") == 0 && json_is_null(value);
}

static bool has_type(struct schema_check *c, const json_t *types, const json_t *value)
{
    size_t i;
    json_t *type;

    if (json_is_string(types))
        return is_type(value, json_string_value(types)) ||
               refuse(c, "is not of type", json_string_value(types));
    json_array_foreach((json_t *)types, i, type)
        if (is_type(value, json_string_value(type)))
            return true;
    return refuse(c, "is of none of its types", "");
}

static bool is_among(struct schema_check *c, const json_t *words, const json_t *value)
{
    size_t i;
    json_t *word;

    json_array_foreach((json_t *)words, i, word)
        if (json_equal(word, (json_t *)value))
            return true;
    return refuse(c, "is none of the words that it may be:",
                  json_is_string(value) ? json_string_value(value) : "");
}

/* Validates member or element @name, one level below the current value. */
static bool member_holds(struct schema_check *c, const char *name, const json_t *rule,
                         const json_t *value)
{
    size_t length = c->path.length;

    str_addf(&c->path, "/%s", name);
    bool ok = json_is_boolean(rule)
                  ? json_is_true(rule) || refuse(c, "is no member that the schema knows", "")
                  : holds(c, rule, value);
    c->path.length = length;
    c->path.data[length] = '\0';
    return ok;
}

/* Returns the rule of the first name pattern that matches @name, or NULL. */
static const json_t *by_pattern(const json_t *patterns, const char *name)
{
    const char *pattern;
    json_t *rule;

    json_object_foreach((json_t *)patterns, pattern, rule) {
        regex_t compiled;
        if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
            return NULL;
        bool fits = regexec(&compiled, name, 0, NULL, 0) == 0;
        regfree(&compiled);
        if (fits)
            return rule;
    }
    return NULL;
}

static bool members_hold(struct schema_check *c, const json_t *rule, const json_t *value)
{
    const json_t *properties = json_object_get(rule, "properties"),
                 *patterns = json_object_get(rule, "patternProperties"),
                 *others = json_object_get(rule, "additionalProperties");
    const char *name;
    json_t *member;

    json_object_foreach((json_t *)value, name, member) {
        const json_t *known = json_object_get(properties, name);
        known = known ? known : by_pattern(patterns, name);
        if ((known || others) && !member_holds(c, name, known ? known : others, member))
            return false;
    }
    return true;
}

static bool has_members(struct schema_check *c, const json_t *names, const json_t *value)
{
    size_t i;
    json_t *name;

    json_array_foreach((json_t *)names, i, name)
        if (!json_object_get(value, json_string_value(name)))
            return refuse(c, "lacks", json_string_value(name));
    return true;
}

static bool elements_hold(struct schema_check *c, const json_t *rule, const json_t *value)
{
    size_t i;
    json_t *element;
    char name[24];

    json_array_foreach((json_t *)value, i, element) {
        snprintf(name, sizeof name, "%zu", i);
        if (!member_holds(c, name, rule, element))
            return false;
    }
    return true;
}

/* Combines several rules, of which all must hold, or at least one. */
static bool rules_hold(struct schema_check *c, const json_t *rules, const json_t *value, bool all)
{
    size_t i;
    json_t *rule;

    json_array_foreach((json_t *)rules, i, rule) {
        struct schema_check quiet = {c->root, {0}, all ? c->fault : NULL};
        str_add(&quiet.path, str_text(&c->path));
        bool ok = holds(&quiet, rule, value);
        str_done(&quiet.path);
        if (ok != all)
            return ok;
    }
    return all || refuse(c, "is as none of its rules says", "");
}

static bool condition_holds(struct schema_check *c, const json_t *rule, const json_t *value)
{
    struct schema_check quiet = {c->root, {0}, NULL};
    bool met = holds(&quiet, json_object_get(rule, "if"), value);

    str_done(&quiet.path);
    return !met || holds(c, json_object_get(rule, "then"), value);
}

/* Evaluates one keyword of a rule for @value. */
static bool word_holds(struct schema_check *c, const json_t *rule, const char *word,
                       const json_t *said, const json_t *value)
{
    static const char *const silent[] = {"$schema",     "$id",  "$defs", "$comment", "title",
                                         "description", "unit", "then",  NULL};

    for (const char *const *s = silent; *s; s++)
        if (strcmp(word, *s) == 0)
            return true;
    if (strcmp(word, "$ref") == 0) {
        const json_t *referred = resolve(c->root, json_string_value(said));
        return referred ? holds(c, referred, value)
                        : refuse(c, "the schema lacks", json_string_value(said));
    }
    if (strcmp(word, "type") == 0)
        return has_type(c, said, value);
    if (strcmp(word, "enum") == 0)
        return is_among(c, said, value);
    if (strcmp(word, "const") == 0)
        return json_equal((json_t *)said, (json_t *)value) ||
               refuse(c, "is not what it must be", "");
    if (strcmp(word, "required") == 0)
        return !json_is_object(value) || has_members(c, said, value);
    if (strcmp(word, "additionalProperties") == 0 ||
        (strcmp(word, "properties") == 0 && !json_object_get(rule, "additionalProperties")))
        return !json_is_object(value) || members_hold(c, rule, value);
    if (strcmp(word, "properties") == 0 || strcmp(word, "patternProperties") == 0)
        return true;   /* This keyword is checked with additionalProperties. */
    if (strcmp(word, "items") == 0)
        return !json_is_array(value) || elements_hold(c, said, value);
    if (strcmp(word, "allOf") == 0 || strcmp(word, "anyOf") == 0)
        return rules_hold(c, said, value, word[1] == 'l');
    if (strcmp(word, "if") == 0)
        return condition_holds(c, rule, value);
    return refuse(c, "the schema has a word that this checker does not know:", word);
}

static bool holds(struct schema_check *c, const json_t *rule, const json_t *value)
{
    const char *word;
    json_t *said;

    if (!json_is_object(rule))
        return refuse(c, "the schema has a rule that is no object", "");
    json_object_foreach((json_t *)rule, word, said)
        if (!word_holds(c, rule, word, said, value))
            return false;
    return true;
}

bool schema_holds(const json_t *root, const json_t *rule, const json_t *value, struct str *fault)
{
    struct schema_check c = {root, {0}, fault};
    bool ok = holds(&c, rule, value);

    str_done(&c.path);
    return ok;
}
