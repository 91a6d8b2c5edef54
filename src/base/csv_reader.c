/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv_reader.h"

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"

#define CHUNK 65536
/* maximum bytes of one field, and of all fields in memory; more is assumed to be an unclosed
 * quote */
#define FIELD_LIMIT ((size_t)1 << 24)

struct csv_reader {
    FILE *file;
    char *path;
    struct csv_parser parser;
    struct str text;               /* fields in memory, each NUL-terminated */
    VEC(size_t) starts;            /* start of each field in @text */
    VEC(size_t) row_ends;
    VEC(char *) fields;            /* fields of the last returned row */
    size_t next_row, next_field, row;
    /* @ended: whether the end of the file was read. @whole: whether there was enough memory for all
     * rows so far. */
    bool ended, whole;
    /* @bytes: number of bytes read. @total: size of the file in bytes; 0: unknown. */
    double bytes, total;
    char chunk[CHUNK];
};

struct csv_reader *csv_reader_open(const char *path, struct err *err)
{
    FILE *file = file_open(path, err);

    if (!file)
        return NULL;
    struct csv_reader *r = mem_zero(1, sizeof *r);
    r->file = file;
    r->whole = true;
    struct stat info;
    r->total = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) ? (double)info.st_size : 0;
    r->path = mem_strdup(path);
    if (csv_init(&r->parser, CSV_STRICT) != 0)
        die("libcsv cannot be initialised");
    csv_set_realloc_func(&r->parser, mem_try_resize);
    return r;
}

void csv_reader_close(struct csv_reader *r)
{
    if (!r)
        return;
    csv_free(&r->parser);
    fclose(r->file);
    str_done(&r->text);
    vec_done(&r->starts);
    vec_done(&r->row_ends);
    vec_done(&r->fields);
    free(r->path);
    free(r);
}

static void on_field(void *text, size_t length, void *state)
{
    struct csv_reader *r = state;
    bool ok = r->whole && str_try_reserve(&r->text, length + 1);

    vec_try_push(&r->starts, r->text.length, ok);
    r->whole = ok;
    if (!ok)
        return;
    if (length)
        str_add_bytes(&r->text, text, length);
    str_add_char(&r->text, '\0');
}

static void on_row(int end, void *state)
{
    struct csv_reader *r = state;
    vec_try_push(&r->row_ends, r->starts.count, r->whole);
}

/* Removes the rows already returned. The bytes of an incomplete row move to the front. */
static void drop_given_rows(struct csv_reader *r)
{
    size_t given = r->row_ends.count ? r->row_ends.items[r->row_ends.count - 1] : 0;
    size_t start = given < r->starts.count ? r->starts.items[given] : r->text.length;

    for (size_t i = given; i < r->starts.count; i++)
        r->starts.items[i - given] = r->starts.items[i] - start;
    r->starts.count -= given;
    if (r->text.length)
        memmove(r->text.data, r->text.data + start, r->text.length - start);
    r->text.length -= start;
    r->row_ends.count = r->next_row = r->next_field = 0;
}

static bool read_chunk(struct csv_reader *r, struct err *err)
{
    drop_given_rows(r);
    size_t length = fread(r->chunk, 1, sizeof r->chunk, r->file);
    const size_t mark = r->bytes > 0 ? 0 : utf8_mark(r->chunk, length);
    r->bytes += (double)length;
    if (ferror(r->file)) {
        err_set(err, ERR_IO, "check the file", "read error: %s", strerror(errno));
        return err_at(err, r->path, r->row + 1, 0);
    }
    bool ok =
        csv_parse(&r->parser, r->chunk + mark, length - mark, on_field, on_row, r) == length - mark;
    if (ok && length < sizeof r->chunk && feof(r->file)) {
        r->ended = true;
        ok = csv_fini(&r->parser, on_field, on_row, r) == 0;
    }
    if (!r->whole || (!ok && csv_error(&r->parser) == CSV_ENOMEM))
        return err_memory(err, r->path, r->text.length + r->parser.entry_size);
    if (!ok || r->text.length > FIELD_LIMIT || r->parser.entry_pos > FIELD_LIMIT) {
        err_set(err, ERR_DATA, "close the quotes, and double quotes inside a field",
                "invalid CSV from this line on: %s",
                ok ? "unclosed quote" : csv_strerror(csv_error(&r->parser)));
        return err_at(err, r->path, r->row + r->row_ends.count + 1, 0);
    }
    return true;
}

bool csv_reader_next(struct csv_reader *r, char ***fields, size_t *count, struct err *err)
{
    while (r->next_row == r->row_ends.count)
        if (r->ended || !read_chunk(r, err))
            return false;
    size_t end = r->row_ends.items[r->next_row++];
    r->fields.count = 0;
    for (; r->next_field < end; r->next_field++)
        vec_push(&r->fields, r->text.data + r->starts.items[r->next_field]);
    *fields = r->fields.items;
    *count = r->fields.count;
    r->row++;
    return true;
}

size_t csv_reader_row(const struct csv_reader *r)
{
    return r->row;
}

void csv_reader_progress(const struct csv_reader *r, double *bytes, double *total)
{
    *bytes = r->bytes;
    *total = r->total;
}
