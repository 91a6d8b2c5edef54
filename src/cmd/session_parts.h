/* Parts of a session's directory: reads and writes its kernels and other state. Any thread unless
 * noted. */
#ifndef PORTOLAN_CMD_SESSION_PARTS_H
#define PORTOLAN_CMD_SESSION_PARTS_H

#include "base/csv.h"
#include "cmd/session.h"

#define SESSION_TEXT_LIMIT ((size_t)32 << 20)   /* bytes of the user's texts */

/* A session being written. */
struct session_saving;
/* Sets the contents of file @name to @text. */
bool session_write(struct session_saving *w, const char *name, const struct str *text,
                   struct err *err);
/* As csv_add_field for text that may not be UTF-8, such as names of files and functions: invalid
 * bytes become \xHH. */
void session_field(struct str *out, const char *text, bool last);
/* Appends a row with key and value. */
void session_row(struct str *out, const char *key, const char *value);
void session_row_number(struct str *out, const char *key, uint64_t value);
/* Fills @path with the place of @name in @dir, and returns its text. */
const char *session_path(struct str *path, const char *dir, const char *name);
/* Reports an invalid field in @column (from 0) of line @line of @path, for @key: false with err. */
bool session_row_fault(struct err *err, const char *path, size_t line, int column, const char *key,
                       const char *value);
/* Finds the @count columns @names of @t; false with err when one is missing. */
bool session_columns(const struct csv_table *t, const char *path, const char *const *names,
                     size_t count, int *at, struct err *err);
/* Passes each row of @path to @take; false with err when one is refused. */
bool session_read_rows(const char *path, bool (*take)(void *to, const char *key, const char *value),
                       void *to, struct err *err);

/* Rows that describe a kernel; its text is in separate files. */
struct kernel_record {
    char *name;                     /* NULL: no row yet */
    struct kernel_options options;
    size_t address;                 /* of machine code in its file, */
    char *place;                    /* and the name of its loop; NULL: unknown */
};
void kernel_record_done(struct kernel_record *r);
/* Reads a row: false when it is not of a kernel; *@valid: its value is valid. */
bool kernel_record_take(struct kernel_record *r, const char *key, const char *value, bool *valid);
/* Writes the kernel's files, named with @prefix, and its other rows. */
bool session_kernel_save(struct session_saving *w, const struct kernel *k, size_t loop,
                         const char *prefix, struct str *rows, struct err *err);
/* Reads a kernel; NULL with err. *@loop: its loop in use. */
struct kernel *session_kernel_load(const char *dir, const char *prefix,
                                   const struct kernel_record *r, size_t *loop, struct err *err);
/* Saves the other kernels by list number; the number of the one in use is skipped. */
bool session_shelf_save(const struct shelf *shelf, struct session_saving *w, struct err *err);
/* Loads them into the empty @s, with @current (NULL: none) and its loop in its place; takes
 * @current. */
bool session_shelf_load(const char *dir, struct session *s, const struct kernel *current,
                        size_t loop, struct err *err);

/* Saves the last what-if's values, and the unfinished run of inference. */
bool session_sweep_save(const struct sweep *sweep, struct session_saving *w, struct err *err);
bool session_sweep_load(const char *dir, struct sweep *out, struct err *err);
bool session_run_save(const struct unfinished_run *run, struct session_saving *w, struct err *err);
bool session_run_load(const char *dir, struct unfinished_run *out, struct err *err);
/* Describes the last run of @s: empty when none can be resumed. UI thread; the caller calls
 * unfinished_run_done. */
struct unfinished_run session_unfinished_run(const struct session *s);

#endif
