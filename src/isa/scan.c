/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/scan.h"

#include <stdlib.h>
#include <string.h>

#include "isa/a64_decode.h"
#include "isa/object.h"

static size_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;   /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 29);
}

static void grow(struct scan *scan)
{
    free(scan->slots);
    scan->slot_count = scan->slot_count ? 2 * scan->slot_count : 4096;
    scan->slots = mem_zero(scan->slot_count, sizeof *scan->slots);
    for (size_t i = 0; i < scan->forms.count; i++) {
        size_t at = hash_of(scan->forms.items[i].form) & (scan->slot_count - 1);
        while (scan->slots[at])
            at = (at + 1) & (scan->slot_count - 1);
        scan->slots[at] = (uint32_t)i + 1;
    }
}

static void count_form(struct scan *scan, const char *form, uint32_t traits)
{
    if (scan->forms.count * 2 >= scan->slot_count)
        grow(scan);
    size_t at = hash_of(form) & (scan->slot_count - 1);
    while (scan->slots[at] && strcmp(scan->forms.items[scan->slots[at] - 1].form, form) != 0)
        at = (at + 1) & (scan->slot_count - 1);
    if (!scan->slots[at]) {
        struct scan_form fresh = {.traits = traits};
        memcpy(fresh.form, form, strlen(form) + 1);
        vec_push(&scan->forms, fresh);
        scan->slots[at] = (uint32_t)scan->forms.count;
    }
    scan->forms.items[scan->slots[at] - 1].count++;
}

#define PROGRESS_STEP 0x40000u   /* bytes of code between two calls */

bool scan_file(struct scan *scan, const char *path, struct err *err)
{
    struct object object = {0};
    char form[FORM_MAX];
    uint32_t traits;
    bool ok = object_read(path, false, &object, err);

    if (ok && scan->instructions == 0)
        scan->isa = object.isa;
    if (ok && scan->isa != object.isa)
        ok = err_set(err, ERR_USAGE, "scan them apart", "%s is for %s, the files before it for %s", path, isa_name(object.isa), isa_name(scan->isa));
    if (ok && scan->isa == ISA_AARCH64)
        ok = a64_learn(object.code, object.length, err);
    for (size_t i = 0; ok && i < object.sections.count; i++) {
        const struct object_section *section = &object.sections.items[i];
        size_t end = section->offset + section->size, next = section->offset;
        for (size_t at = section->offset; ok && at < end;) {
            if (at >= next && scan->progress) {
                next = at + PROGRESS_STEP;
                if (!scan->progress(scan->context, scan, (double)at / (double)end))
                    ok = err_set(err, ERR_LIMIT, NULL, "the scan of %s was ended", path);
            }
            size_t length = insn_form_isa(scan->isa, object.code + at, end - at, form, &traits);
            if (!length) {
                scan->skipped_bytes += isa_step(scan->isa);
                at += isa_step(scan->isa);
                continue;
            }
            at += length;
            if (traits & INSN_UNDECODED) {   /* literals between functions */
                scan->skipped_bytes += length;
                continue;
            }
            scan->instructions++;
            if (traits & (INSN_X87_MMX | INSN_SYSTEM))
                scan->set_aside++;
            else
                count_form(scan, form, traits);
        }
    }
    object_done(&object);
    return ok;
}

static int by_count(const void *a, const void *b)
{
    const struct scan_form *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->form, y->form);
}

void scan_sort(struct scan *scan)
{
    if (scan->forms.count)
        qsort(scan->forms.items, scan->forms.count, sizeof *scan->forms.items, by_count);
    free(scan->slots);
    scan->slots = NULL;
    scan->slot_count = 0;
}

void scan_done(struct scan *scan)
{
    vec_done(&scan->forms);
    free(scan->slots);
    *scan = (struct scan){0};
}
