/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/overrides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/mem.h"
#include "base/watch.h"

struct override_list {
    struct mapping *mapping;
    size_t *order;   /* indices of the mapping's entries, sorted by form */
    size_t count;
};

static int compare_forms(const void *a, const void *b, void *mapping)
{
    return strcmp(mapping_at(mapping, *(const size_t *)a)->form,
                  mapping_at(mapping, *(const size_t *)b)->form);
}

/* Sorts the new forms and merges them into the order. */
static void sort_forms(struct override_list *list)
{
    size_t before = list->count, all = mapping_count(list->mapping),
           *order = mem_alloc((all + 1) * sizeof *order);

    for (size_t i = before; i < all; i++)
        order[i] = i;
    bool sorted = true;
    for (size_t i = before + 1; i < all && sorted; i++)
        sorted =
            strcmp(mapping_at(list->mapping, i - 1)->form, mapping_at(list->mapping, i)->form) <= 0;
    if (!sorted)
        qsort_r(order + before, all - before, sizeof *order, compare_forms, list->mapping);
    for (size_t old = 0, fresh = before, to = 0; old < before; to++) {
        bool first =
            fresh < all && compare_forms(&order[fresh], &list->order[old], list->mapping) < 0;
        size_t next = first ? order[fresh++] : list->order[old++];
        /* The index is at most fresh - before + old, so it is within the allocation. */
        order[to] = next;
    }
    free(list->order);
    list->order = order;
    list->count = all;
}

struct override_list *override_list_new(struct mapping *m)
{
    struct override_list *list = mem_zero(1, sizeof *list);
    list->mapping = m;
    sort_forms(list);
    return list;
}

void override_list_free(struct override_list *list)
{
    if (!list)
        return;
    free(list->order);
    free(list);
}

bool override_parse_usage(const char *text, const struct ports *ports, struct override *o,
                          struct err *err)
{
    o->how = !*text         ? OVERRIDE_KEEP
             : *text == '+' ? OVERRIDE_ADD
             : *text == '-' ? OVERRIDE_TAKE
                            : OVERRIDE_SET;
    if (o->how == OVERRIDE_ADD || o->how == OVERRIDE_TAKE)
        text++;
    if (strcmp(text, "none") == 0)
        text = "";
    return usage_parse(text, ports, &o->usage, err);
}

void override_done(struct override *o)
{
    usage_done(&o->usage);
}

/* Sets @out to @from without @taken. Returns false if @from lacks a part of @taken. */
static bool usage_take(const struct usage *from, const struct usage *taken, struct usage *out)
{
    unsigned found = 0;

    for (unsigned i = 0; i < from->count; i++) {
        uint32_t left = from->uops[i].count;
        for (unsigned k = 0; k < taken->count; k++)
            if (taken->uops[k].ports == from->uops[i].ports && taken->uops[k].count <= left) {
                left -= taken->uops[k].count;
                found++;
            }
        if (left)
            usage_add(out, from->uops[i].ports, left);
    }
    return found == taken->count;
}

static bool change(struct mapping *m, const char *form, const struct override *o, struct err *err)
{
    const struct mapping_entry *old = mapping_find(m, form);
    struct mapping_entry fresh = {
        .form = mem_strdup(form), .latency = old ? old->latency : NAN, .source = (char *)o->source};
    bool ok = true;

    fresh.micro_ops = old && o->how == OVERRIDE_KEEP ? old->micro_ops : 0;
    if (old && o->how != OVERRIDE_SET && o->how != OVERRIDE_TAKE)
        usage_copy(&fresh.usage, &old->usage);
    if (o->how == OVERRIDE_TAKE)
        ok = old && usage_take(&old->usage, &o->usage, &fresh.usage);
    else
        for (unsigned i = 0; i < o->usage.count; i++)
            usage_add(&fresh.usage, o->usage.uops[i].ports, o->usage.uops[i].count);
    if (!isnan(o->latency))
        fresh.latency = o->latency;
    if (!isnan(o->micro_ops))
        fresh.micro_ops = (unsigned)o->micro_ops;
    if (ok)
        mapping_set(m, &fresh);
    else
        err_set(err, ERR_DATA, "remove only µops that the form has",
                "%s lacks some of the µops to remove", form);
    usage_done(&fresh.usage);
    free(fresh.form);
    return ok;
}

/* Returns the first index in the order whose form is not less than @prefix. */
static size_t lower_bound(const struct override_list *list, const char *prefix, size_t length)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(mapping_at(list->mapping, list->order[middle])->form, prefix, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool apply_pattern(struct override_list *list, const char *pattern, const struct override *o,
                          size_t *hits, struct err *err)
{
    size_t prefix = strcspn(pattern, "*?");

    for (size_t i = lower_bound(list, pattern, prefix); i < list->count; i++) {
        const char *form = mapping_at(list->mapping, list->order[i])->form;
        if (watch_steps(1))
            return watch_goes_on(err);
        if (strncmp(form, pattern, prefix) != 0)
            break;
        if (!str_match(pattern, form))
            continue;
        if (!change(list->mapping, form, o, err))
            return false;
        ++*hits;
    }
    return true;
}

struct application {
    struct override_list *list;
    const struct override *override;
    size_t hits;
};

static bool apply_choice(const char *pattern, void *data, struct err *err)
{
    struct application *a = data;
    return apply_pattern(a->list, pattern, a->override, &a->hits, err);
}

bool override_apply(struct override_list *list, const struct override *o, struct err *err)
{
    struct application all = {.list = list, .override = o};

    if (!strpbrk(o->forms, "*?{")) {
        if (o->how == OVERRIDE_KEEP && !mapping_find(list->mapping, o->forms))
            return err_set(err, ERR_DATA, "give the usage of the form, or none if it has no µops",
                           "the form %s is new and has no usage", o->forms);
        return change(list->mapping, o->forms, o, err);
    }
    if (mapping_count(list->mapping) != list->count)
        sort_forms(list);
    if (!choices_each(o->forms, apply_choice, &all, err))
        return false;
    return all.hits ||
           err_set(err, ERR_DATA, "correct the pattern, or give each new form a row of its own",
                   "no form of the machine matches \"%s\"", o->forms);
}
