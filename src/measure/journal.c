/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/journal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/names.h"
#include "base/csv.h"
#include "base/path.h"
#include "io/experiments_file.h"
#include "isa/cpu.h"

#define QUANTITY 2   /* what its values are: 1 was one order of the instructions, 2 is the least of four; those of one are no use to the other */
#define JOURNAL_LIMIT ((size_t)1 << 31)
#define HEADER "experiment,cycles,spread,repeats,state\n"

struct journal {
    int file;
    char *path;
    struct str pending;
    double synced;
    struct names keys;
    VEC(struct journal_entry) entries;
};

static int compare_terms(const void *a, const void *b)
{
    return strcmp(((const struct experiment_term *)a)->form, ((const struct experiment_term *)b)->form);
}

/* The same text for the same multiset, whatever the order of its terms. */
static void key_of(const struct experiment *e, struct str *out)
{
    struct experiment sorted = {mem_alloc((e->count + 1) * sizeof *e->terms), e->count};
    memcpy(sorted.terms, e->terms, e->count * sizeof *e->terms);
    qsort(sorted.terms, sorted.count, sizeof *sorted.terms, compare_terms);
    str_clear(out);
    experiment_print(&sorted, out);
    free(sorted.terms);
}

static void entry_take(struct journal_entry *entry, const struct experiment_row *row)
{
    if (strcmp(row->state, JOURNAL_SHORT) == 0) {
        if (entry->short_count < sizeof entry->shorts / sizeof *entry->shorts && row->cycles > 0)
            entry->shorts[entry->short_count++] = row->cycles;
        if (entry->state)
            return;
    } else if (strcmp(row->state, JOURNAL_ONCE) == 0) {
        if (entry->value_count < sizeof entry->values / sizeof *entry->values)
            entry->values[entry->value_count++] = row->cycles;
        if (entry->state)
            return;
    }
    /* Values of single passes say nothing final. */
    bool single = strcmp(row->state, JOURNAL_SHORT) == 0 || strcmp(row->state, JOURNAL_ONCE) == 0;
    free(entry->state);
    entry->state = mem_strdup(single ? JOURNAL_ONCE : row->state);
    entry->cycles = row->cycles;
    entry->spread = row->spread;
    entry->repeats = row->repeats;
}

static bool read_back(struct journal *j, const struct str *bytes, struct err *err)
{
    struct experiments *table = experiments_parse(j->path, bytes->data, bytes->length, err);
    struct str key = {0};

    if (!table)
        return false;
    for (size_t i = 0; i < table->rows.count; i++) {
        struct experiment e;
        experiments_get(table, i, &e);
        key_of(&e, &key);
        uint32_t index = names_add(&j->keys, str_text(&key));
        if (index == j->entries.count)
            vec_push(&j->entries, ((struct journal_entry){.cycles = NAN, .spread = NAN}));
        entry_take(&j->entries.items[index], &table->rows.items[i]);
        experiment_done(&e);
    }
    str_done(&key);
    experiments_free(table);
    return true;
}

struct journal *journal_open(const char *path, struct err *err)
{
    struct journal *j = mem_zero(1, sizeof *j);
    struct str bytes = {0};
    bool ok = false;

    j->path = mem_strdup(path);
    j->synced = clock_seconds();
    j->file = path_make_parents(path, 0777, err) ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (j->file < 0) {
        if (!err->what[0])
            err_set(err, ERR_IO, "name another file with --journal", "cannot be written: %s", strerror(errno));
        goto out;
    }
    if (flock(j->file, LOCK_EX | LOCK_NB) < 0) {
        err_set(err, ERR_IO, "wait for it, or name another file with --journal", "another program is measuring into it");
        goto out;
    }
    if (!file_read(path, JOURNAL_LIMIT, &bytes, err))
        goto out;
    size_t whole = bytes.length;
    while (whole && bytes.data[whole - 1] != '\n')
        whole--;
    if (whole < bytes.length && ftruncate(j->file, (off_t)whole) < 0) {
        err_set(err, ERR_IO, NULL, "its torn last line cannot be cut off: %s", strerror(errno));
        goto out;
    }
    bytes.length = whole;
    if (!whole)
        str_add(&j->pending, HEADER);
    ok = whole ? read_back(j, &bytes, err) : journal_flush(j, err);
out:
    str_done(&bytes);
    if (ok)
        return j;
    if (!err->file[0])
        err_at(err, path, 0, 0);
    journal_close(j);
    return NULL;
}

void journal_close(struct journal *j)
{
    if (!j)
        return;
    if (j->file >= 0)
        close(j->file);
    for (size_t i = 0; i < j->entries.count; i++)
        free(j->entries.items[i].state);
    vec_done(&j->entries);
    names_done(&j->keys);
    str_done(&j->pending);
    free(j->path);
    free(j);
}

void journal_add(struct journal *j, const struct experiment *e, const struct measured *m, const char *state)
{
    struct str text = {0}, number = {0};

    experiment_print(e, &text);
    csv_add_field(&j->pending, str_text(&text), false);
    if (m->cycles > 0)
        str_addf(&number, "%.17g", m->cycles);
    csv_add_field(&j->pending, str_text(&number), false);
    str_clear(&number);
    if (m->cycles > 0 && m->spread >= 0)
        str_addf(&number, "%.6g", m->spread);
    csv_add_field(&j->pending, str_text(&number), false);
    str_clear(&number);
    if (m->repeats)
        str_addf(&number, "%u", m->repeats);
    csv_add_field(&j->pending, str_text(&number), false);
    csv_add_field(&j->pending, state, true);
    str_done(&number);
    str_done(&text);
}

bool journal_flush(struct journal *j, struct err *err)
{
    size_t done = 0;
    while (done < j->pending.length) {
        ssize_t n = write(j->file, j->pending.data + done, j->pending.length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            err_set(err, ERR_IO, "make room, or name another file with --journal", "results cannot be written: %s", strerror(errno));
            return err_at(err, j->path, 0, 0);
        }
        done += (size_t)n;
    }
    str_clear(&j->pending);
    /* What write() took survives this program's death; the disk's own word is only asked once a second. */
    if (done && clock_seconds() - j->synced > 1) {
        fdatasync(j->file);
        j->synced = clock_seconds();
    }
    return true;
}

const struct journal_entry *journal_find(const struct journal *j, const struct experiment *e)
{
    struct str key = {0};
    key_of(e, &key);
    uint32_t index = names_find(&j->keys, str_text(&key));
    str_done(&key);
    return index == UINT32_MAX ? NULL : &j->entries.items[index];
}

char *journal_default_path(void)
{
    char name[64];
    struct str file = {0};

    /* Brand strings of virtual machines say little; the signature tells cores apart. */
    for (const char *p = cpu_name(name, sizeof name); *p; p++)
        str_add_char(&file, isalnum((unsigned char)*p) ? *p : '-');
    str_addf(&file, "-%08x-%d.csv", cpu_signature(), QUANTITY);
    char *path = path_state(str_text(&file));
    str_done(&file);
    return path;
}
