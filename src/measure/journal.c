/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/journal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/file_calls.h"
#include "base/log.h"
#include "base/names.h"
#include "base/path.h"
#include "base/shortage.h"
#include "io/experiments_file.h"
#include "isa/cpu.h"
#include "measure/baseline.h"
#include "measure/journal_text.h"
#include "measure/source.h"

/* Version of the measuring method. Values of other versions are ignored. 1: one order of the
 * instructions; 2: least of four orders; 3: more registers for chains; 4: also a padded body on a
 * core that may be wide; 5: also a body in units of two instructions at even slots, except for
 * chain breakers. */
#define QUANTITY 3
#define QUANTITY_WIDE 5
#define JOURNAL_LIMIT ((size_t)1 << 31)
#define PART_BYTES ((size_t)4 << 20)   /* number of bytes that are parsed as one table */

struct journal {
    int file;
    char *path;
    struct str pending;
    off_t length;        /* number of bytes of complete records in the file */
    /* whether an incomplete record at the end of the file could not be removed */
    bool torn;
    double synced;
    struct names keys;
    VEC(struct journal_entry) entries;
};

/* Columns of a record besides those of experiments */
struct conditions { double baseline, slowed; const char *day, *code; };

static struct conditions conditions_of(const struct experiments *t, size_t row)
{
    static const char *const columns[] = {"baseline", "slowed", "date", "code"};
    const char *text[] = {"", "", "", ""};

    for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
        uint32_t at = names_find(&t->extra, columns[i]);
        if (at != UINT32_MAX)
            text[i] = experiments_extra(t, row, at);
    }
    return (struct conditions){*text[0] ? strtod(text[0], NULL) : NAN,
                               *text[1] ? strtod(text[1], NULL) : NAN, text[2], text[3]};
}

/* Returns whether a later final result replaces the stored one. It does if there is no final value
 * yet, if it is lower, or if its conditions were at least as good. It also replaces a stored value
 * whose conditions are unknown. A failure never replaces a value. */
static bool replaces(const struct journal_entry *entry, const struct experiment_row *row,
                     const struct conditions *now)
{
    if (!entry->state || strcmp(entry->state, JOURNAL_ONCE) == 0 ||
        strcmp(entry->state, EXPERIMENT_OK) != 0)
        return true;
    if (strcmp(row->state, EXPERIMENT_OK) != 0)
        return false;
    return row->cycles < entry->cycles || isnan(entry->baseline) ||
           (now->baseline >= entry->baseline && now->slowed <= entry->slowed);
}

static void day_take(struct journal_entry *entry, const char *day)
{
    snprintf(entry->day, sizeof entry->day, "%s", day);
}

static void entry_take(struct journal_entry *entry, const struct experiment_row *row,
                       const struct conditions *said)
{
    const struct conditions now = *said;
    bool shorter = strcmp(row->state, JOURNAL_SHORT) == 0,
         single = shorter || strcmp(row->state, JOURNAL_ONCE) == 0;

    if (single && row->cycles > 0) {
        if (shorter && entry->short_count < sizeof entry->shorts / sizeof *entry->shorts)
            entry->shorts[entry->short_count++] = row->cycles;
        if (!shorter && entry->value_count < sizeof entry->values / sizeof *entry->values)
            entry->values[entry->value_count++] = row->cycles;
    }
    /* A single pass replaces no entry. A result that is not final, or is worse, replaces no
     * value. */
    if (single ? entry->state != NULL
               : experiment_state_open(row->state) || !replaces(entry, row, &now)) {
        if (single && strcmp(entry->state, JOURNAL_ONCE) == 0 && !(entry->baseline <= now.baseline))
            entry->baseline = now.baseline;
        return;
    }
    free(entry->state);
    entry->state = mem_strdup(single ? JOURNAL_ONCE : row->state);
    entry->cycles = row->cycles;
    entry->spread = row->spread;
    entry->repeats = row->repeats;
    entry->baseline = now.baseline;
    entry->slowed = now.slowed;
    day_take(entry, now.day);
}

/* Writes the key of an entry: the experiment and its code sum. */
static void key_print(const struct experiment *e, const char *code, struct str *out)
{
    experiment_print_key(e, out);
    if (*code)
        str_addf(out, "#%s", code);
}

static bool read_part(struct journal *j, const struct str *rows, struct err *err)
{
    struct experiments *table = experiments_parse(j->path, rows->data, rows->length, err);
    struct str key = {0};
    bool ok = true;

    if (!table)
        return false;
    for (size_t i = 0; ok && i < table->rows.count; i++) {
        struct experiment e;
        experiments_get(table, i, &e);
        const struct conditions said = conditions_of(table, i);
        key_print(&e, said.code, &key);
        uint32_t index = names_add(&j->keys, str_text(&key));
        if (index == j->entries.count)
            vec_push(&j->entries,
                     ((struct journal_entry){
                         .cycles = NAN, .spread = NAN, .baseline = NAN, .slowed = NAN}));
        entry_take(&j->entries.items[index], &table->rows.items[i], &said);
        experiment_done(&e);
        ok = !shortage_met() || err_memory(err, j->path, rows->length);
    }
    str_done(&key);
    experiments_free(table);
    return ok;
}

/* Parses the rows in parts, because a journal may be larger than the maximum size of a table. */
static bool read_back(struct journal *j, const struct str *rows, struct err *err)
{
    const char *text = str_text(rows), *newline = memchr(text, '\n', rows->length);
    size_t header = newline ? (size_t)(newline - text) + 1 : rows->length;
    struct str part = {0};
    bool ok = true;

    for (size_t at = header, end; at < rows->length && ok; at = end) {
        newline = rows->length - at > PART_BYTES
                      ? memchr(text + at + PART_BYTES, '\n', rows->length - at - PART_BYTES)
                      : NULL;
        end = newline ? (size_t)(newline - text) + 1 : rows->length;
        str_clear(&part);
        str_add_bytes(&part, text, header);
        str_add_bytes(&part, text + at, end - at);
        ok = read_part(j, &part, err);
    }
    str_done(&part);
    return ok;
}

/* Returns whether @fd is still the file at @path. Returns false if another program has replaced the
 * file. */
static bool current(int fd, const char *path)
{
    struct stat named, held;
    return stat(path, &named) == 0 && fstat(fd, &held) == 0 && named.st_ino == held.st_ino &&
           named.st_dev == held.st_dev;
}

/* Opens and locks the file. Returns -1 with err. */
static int open_locked(const char *path, struct err *err)
{
    int fd = file_calls.open(
        AT_FDCWD, path,
        O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (path_is_state(path) ? O_NOFOLLOW : 0), 0600);

    if (fd >= 0 && path_is_state(path))
        /* Makes the file private, because earlier versions created files that others can read. If
         * this fails, the directory is still private. */
        fchmod(fd, 0600);
    if (fd < 0) {
        err_set(err, ERR_IO, "use experiments measure --journal with another file",
                "cannot write: %s", strerror(errno));
    } else if ((flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) || !current(fd, path)) {
        err_set(err, ERR_IO,
                "wait for the process, or use experiments measure --journal with another file",
                "another process uses the file");
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Writes the invalid lines to a new file and logs this. */
static bool set_aside(const struct journal *j, const struct journal_parts *parts, struct err *err)
{
    struct str name = {0};

    str_addf(&name, "%s.damaged", j->path);
    for (unsigned n = 2; access(str_text(&name), F_OK) == 0; n++) {
        str_clear(&name);
        str_addf(&name, "%s.damaged-%u", j->path, n);
    }
    bool ok = file_write(str_text(&name), parts->rest.data, parts->rest.length, err);
    if (ok)
        log_add(LOG_WARN, "%s: %zu damaged line%s moved to %s; %zu valid line%s kept", j->path,
                parts->bad, plural(parts->bad), str_text(&name), parts->good, plural(parts->good));
    str_done(&name);
    return ok;
}

/* Rewrites a damaged or older journal with only its valid records. */
static bool rewrite(struct journal *j, const struct journal_parts *parts, struct err *err)
{
    struct str text = {0};

    journal_parts_print(parts, &text);
    bool ok = (!parts->bad || set_aside(j, parts, err)) &&
              file_write(j->path, text.data, text.length, err);
    if (ok) {
        close(j->file);
        j->file = open_locked(j->path, err);
        j->length = (off_t)text.length;
        ok = j->file >= 0;
    }
    str_done(&text);
    return ok;
}

/* Adds the contents of the file to the entries. */
static bool take_in(struct journal *j, const struct str *bytes, struct err *err)
{
    struct journal_parts parts;
    bool ok = journal_parts_read(str_text(bytes), bytes->length, &parts);

    if (!ok) {
        err_set(err, ERR_DATA, "use experiments measure --journal with another file",
                "not a journal");
        err_at(err, j->path, 1, 0);
    } else if (parts.old || parts.bad) {
        ok = rewrite(j, &parts, err);
    } else {
        j->length = (off_t)(bytes->length - parts.torn);
        ok = !parts.torn || file_calls.truncate(j->file, j->length) == 0 ||
             err_set(err, ERR_IO, "use experiments measure --journal with another file",
                     "cannot remove the incomplete last line: %s", strerror(errno));
    }
    ok = ok && read_back(j, &parts.rows, err);
    journal_parts_done(&parts);
    return ok;
}

struct journal *journal_open(const char *path, struct err *err)
{
    struct journal *j = mem_zero(1, sizeof *j);
    struct str bytes = {0};
    bool ok = false;

    j->path = mem_strdup(path);
    j->synced = clock_seconds();
    j->file = path_make_parents(path, 0777, err) ? open_locked(path, err) : -1;
    if (j->file < 0 || !file_read(path, JOURNAL_LIMIT, &bytes, err))
        goto out;
    /* Writes the header if the file is empty or its header is incomplete. */
    if (bytes.length < strlen(JOURNAL_HEADER) &&
        memcmp(str_text(&bytes), JOURNAL_HEADER, bytes.length) == 0) {
        str_add(&j->pending, JOURNAL_HEADER);
        ok = (!bytes.length || file_calls.truncate(j->file, 0) == 0 ||
              file_fault(err, path, "write", NULL)) &&
             journal_flush(j, err);
    } else {
        ok = take_in(j, &bytes, err);
    }
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

void journal_add(struct journal *j, const struct experiment *e, const char *code,
                 const struct measured *m, const char *state)
{
    journal_text_add(&j->pending, e, code, m, state);
}

static bool write_fault(const struct journal *j, struct err *err)
{
    return file_fault(err, j->path, "store results",
                      "delete files, or use experiments measure --journal with another file");
}

bool journal_flush(struct journal *j, struct err *err)
{
    if (!j->pending.length)
        return true;
    /* Removes the part that a failed write has written. If that fails, ends the line. The next run
     * moves a line without a checksum to the file of damaged lines. */
    if (j->torn && file_calls.truncate(j->file, j->length) != 0) {
        if (!file_calls_write_all(j->file, "\n", 1))
            return write_fault(j, err);
        j->length = lseek(j->file, 0, SEEK_END);
    }
    j->torn = !file_calls_write_all(j->file, j->pending.data, j->pending.length);
    if (j->torn) {
        write_fault(j, err);
        j->torn = file_calls.truncate(j->file, j->length) != 0;
        return false;
    }
    j->length += (off_t)j->pending.length;
    str_clear(&j->pending);
    /* write() is sufficient if this process crashes. In case the system crashes, synchronises the
     * disk at most once per second. */
    if (clock_seconds() - j->synced > 1) {
        j->synced = clock_seconds();
        return file_calls.sync(j->file) == 0 || write_fault(j, err);
    }
    return true;
}

static const struct journal_entry *entry_of(const struct journal *j, const struct experiment *e,
                                            const char *code)
{
    struct str key = {0};

    key_print(e, code, &key);
    uint32_t index = names_find(&j->keys, str_text(&key));
    str_done(&key);
    return index == UINT32_MAX || !j->entries.items[index].state ? NULL : &j->entries.items[index];
}

const struct journal_entry *journal_find(const struct journal *j, const struct experiment *e,
                                         const char *code)
{
    const struct journal_entry *entry = entry_of(j, e, code);

    return entry || !*code || *code == 'u' ? entry : entry_of(j, e, "");
}

char *journal_default_path(void)
{
    char name[64];
    struct str file = {0};

    /* Adds the CPUID signature, because the brand strings of virtual machines do not identify the
     * CPU. */
    for (const char *p = cpu_name(name, sizeof name); *p; p++)
        str_add_char(&file, isalnum((unsigned char)*p) ? *p : '-');
    str_addf(&file, "-%08x-%d.csv", cpu_signature(),
             baseline_width() <= SOURCE_WIDE ? QUANTITY : QUANTITY_WIDE);
    char *path = path_state(str_text(&file));
    str_done(&file);
    return path;
}
