/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/path.h"
#include "toolchain/archive.h"
#include "toolchain/object.h"

static bool is_form(const void *scan, uint32_t item, const void *form)
{
    return strcmp(((const struct scan *)scan)->forms.items[item].form, form) == 0;
}

/* Returns a text for the place of the instruction at byte @at of @o's code, read from @path. The
 * caller frees it. */
static char *place_of(const struct object *o, const char *path, size_t at)
{
    struct str place = {0}, name = {0};

    str_addf(&place, "%s+0x%llx", path_base(path), (unsigned long long)object_address(o, at));
    if (object_name_add(o, object_position(o, at), &name))
        str_addf(&place, " <%s>", str_text(&name));
    str_done(&name);
    return str_take(&place);
}

/* Counts @times occurrences of @form. @place describes the place of a new form. If @place is NULL,
 * the place is byte @at of @o in the file @path. */
static void count_form(struct scan *scan, const char *form, uint32_t traits, uint64_t times,
                       const char *place, const struct object *o, const char *path, size_t at)
{
    uint64_t hash = hash_text(form);
    uint32_t item = index_find(&scan->index, hash, is_form, scan, form);

    if (item == INDEX_NONE) {
        struct scan_form fresh = {.traits = traits};
        memcpy(fresh.form, form, strlen(form) + 1);
        fresh.place = place ? mem_strdup(place) : place_of(o, path, at);
        item = (uint32_t)scan->forms.count;
        vec_push(&scan->forms, fresh);
        index_add(&scan->index, hash, item);
    }
    scan->forms.items[item].count += times;
}

#define PROGRESS_STEP 0x40000u   /* number of bytes of code between two progress calls */

/* Scans the code of @take_object, which is named @path. @ok is true if the object was read. */
static bool scan_object(struct scan *scan, struct object *take_object, const char *path, bool ok,
                        struct err *err)
{
    char form[FORM_MAX];
    uint32_t traits;

    if (ok && scan->instructions == 0)
        scan->isa = take_object->isa;
    if (ok && scan->isa != take_object->isa)
        ok = err_set(err, ERR_USAGE, "scan the files separately",
                     "%s is for %s, but the previous files are for %s", path,
                     isa_name(take_object->isa), isa_name(scan->isa));
    for (size_t i = 0; ok && i < take_object->sections.count; i++) {
        const struct object_section *section = &take_object->sections.items[i];
        size_t end = section->offset + section->size, next = section->offset;
        /* @decoded: the preceding bytes were decoded. @learned: unknown instructions were looked
         * up. */
        bool decoded = true, learned = false;
        for (size_t at = section->offset; ok && at < end;) {
            if (at >= next && scan->progress) {
                next = at + PROGRESS_STEP;
                if (!scan->progress(scan->context, scan, (double)at / (double)end))
                    ok = err_set(err, ERR_LIMIT, NULL, "the scan of %s was cancelled", path);
            }
            size_t length = insn_form(scan->isa, take_object->code + at, end - at, form, &traits);
            bool known = length && !(traits & INSN_UNDECODED);
            if (!known && !learned) {
                learned = true;
                ok = insn_learn(scan->isa, take_object->code + at, end - at, err);
                continue;
            }
            length = length ? length : isa_step(scan->isa);
            at += length;
            scan->skipped_bytes += known ? 0 : length;
            scan->undecoded += !known && decoded;
            decoded = known;
            if (!known)
                continue;
            scan->instructions++;
            if (traits & (INSN_X87_MMX | INSN_SYSTEM))
                scan->set_aside++;
            else
                count_form(scan, form, traits, 1, NULL, take_object, path, at - length);
        }
    }
    ok = object_whole(take_object, path, ok ? err : NULL) && ok;
    object_done(take_object);
    return ok;
}

bool scan_file(struct scan *scan, const char *path, struct err *err)
{
    struct archive archive;
    struct object object;

    if (!archive_is(path))
        return scan_object(scan, &object, path, object_read(path, 0, &object, err), err);
    bool ok = archive_read(path, &archive, err);
    for (size_t i = 0; ok && i < archive.members.count; i++)
        ok = scan_object(scan, &object, archive.members.items[i].spec,
                         object_read_member(&archive.members.items[i], 0, &object, err), err);
    archive_done(&archive);
    return ok;
}

void scan_pack(const struct scan *scan, struct str *out)
{
    const uint64_t counts[] = {scan->isa,           scan->instructions, scan->set_aside,
                               scan->skipped_bytes, scan->undecoded,    scan->forms.count};

    pack_array(out, counts, sizeof counts / sizeof *counts, sizeof *counts);
    for (size_t i = 0; i < scan->forms.count; i++) {
        pack_text(out, scan->forms.items[i].form);
        pack_count(out, scan->forms.items[i].traits);
        pack_count(out, scan->forms.items[i].count);
        pack_text(out, scan->forms.items[i].place);
    }
}

bool scan_take(struct scan *to, struct unpacking *from, struct err *err)
{
    uint64_t counts[6];

    unpack_array(from, counts, sizeof counts / sizeof *counts, sizeof *counts);
    if (to->instructions == 0)
        to->isa = (enum isa)counts[0];
    if (counts[1] && to->isa != (enum isa)counts[0])
        return err_set(err, ERR_USAGE, "scan the files separately",
                       "the files are for different instruction sets");
    to->instructions += counts[1];
    to->set_aside += counts[2];
    to->skipped_bytes += counts[3];
    to->undecoded += counts[4];
    for (uint64_t i = 0; !from->broken && i < counts[5]; i++) {
        const char *form = unpack_text(from);
        uint32_t traits = (uint32_t)unpack_count(from);
        uint64_t count = unpack_count(from);
        const char *place = unpack_text(from);
        from->broken |= strlen(form) >= FORM_MAX;
        if (!from->broken)
            count_form(to, form, traits, count, place, NULL, NULL, 0);
    }
    return !from->broken ||
           err_set(err, ERR_DATA, "start the same version of Portolan on every host",
                   "the counts from another rank are damaged");
}

ORDER_BY(by_count, struct scan_form, DESCENDING(count) ?: TEXTUAL(form))

void scan_sort(struct scan *scan)
{
    if (scan->forms.count)
        qsort(scan->forms.items, scan->forms.count, sizeof *scan->forms.items, by_count);
    index_done(&scan->index);
}

void scan_done(struct scan *scan)
{
    for (size_t i = 0; i < scan->forms.count; i++)
        free(scan->forms.items[i].place);
    vec_done(&scan->forms);
    index_done(&scan->index);
    *scan = (struct scan){0};
}
