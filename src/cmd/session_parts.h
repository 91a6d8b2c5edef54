/* Parts of a session's directory: writes and reads its kernels and other state. Any thread unless
 * noted. */
#ifndef PORTOLAN_CMD_SESSION_PARTS_H
#define PORTOLAN_CMD_SESSION_PARTS_H

#include "base/csv.h"
#include "cmd/session.h"

/* maximum number of bytes of a text file in the directory */
#define SESSION_TEXT_LIMIT ((size_t)32 << 20)

struct session_saving;
/* Sets the contents of file @name to @text. Returns false with err. */
bool session_write(struct session_saving *w, const char *name, const struct str *text,
                   struct err *err);
/* Appends a CSV field like csv_add_field, for text that may not be UTF-8, such as file and function
 * names. Invalid bytes become \xHH. */
void session_field(struct str *out, const char *text, bool last);
/* Appends a row of key and value. */
void session_row(struct str *out, const char *key, const char *value);
void session_row_number(struct str *out, const char *key, uint64_t value);
/* Sets @path to the path of @name in @dir. Returns its text. */
const char *session_path(struct str *path, const char *dir, const char *name);
/* Sets err for an invalid field in column @column (from 0) of line @line of @path. @key: name of
 * the row. Returns false. */
bool session_row_fault(struct err *err, const char *path, size_t line, int column, const char *key,
                       const char *value);
/* Finds the @count columns @names of @t. Returns false with err if one is missing. Stores their
 * indices in @at. */
bool session_columns(const struct csv_table *t, const char *path, const char *const *names,
                     size_t count, int *at, struct err *err);
/* Calls @take for each row of the file @path. Returns false with err if the file cannot be read, or
 * if @take rejects a row. */
bool session_read_rows(const char *path, bool (*take)(void *to, const char *key, const char *value),
                       void *to, struct err *err);

/* Rows that describe a kernel, whose text is in separate files */
struct kernel_record {
    char *name;                     /* name; NULL: no row read yet */
    struct kernel_options options;
    size_t address;                 /* address of machine code in its file; 0: unknown */
    char *place;                    /* name of the loop at that address; NULL: unknown */
};
void kernel_record_done(struct kernel_record *r);
/* Parses a row. Returns false if it does not describe a kernel. Sets *@valid to whether its value
 * is valid. */
bool kernel_record_take(struct kernel_record *r, const char *key, const char *value, bool *valid);
/* Writes the kernel's files, whose names begin with @prefix. Appends its rows to @rows. Returns
 * false with err. */
bool session_kernel_save(struct session_saving *w, const struct kernel *k, size_t loop,
                         const char *prefix, struct str *rows, struct err *err);
/* Reads a kernel, and sets *@loop to its current loop. Returns NULL with err. */
struct kernel *session_kernel_load(const char *dir, const char *prefix,
                                   const struct kernel_record *r, size_t *loop, struct err *err);
/* Saves all kernels except the current one in files numbered by shelf position from 1. Returns
 * false with err. */
bool session_shelf_save(const struct shelf *shelf, struct session_saving *w, struct err *err);
/* Loads the kernels into the empty @s. @current (moved; may be NULL), whose loop is @loop, gets the
 * position whose number is missing. Returns false with err. */
bool session_shelf_load(const char *dir, struct session *s, const struct kernel *current,
                        size_t loop, struct err *err);

/* Save and load the last what-if sweep, and the unfinished inference run. Return false with err. */
bool session_sweep_save(const struct sweep *sweep, struct session_saving *w, struct err *err);
bool session_sweep_load(const char *dir, struct sweep *out, struct err *err);
bool session_run_save(const struct unfinished_run *run, struct session_saving *w, struct err *err);
bool session_run_load(const char *dir, struct unfinished_run *out, struct err *err);
/* Describes the unfinished run of the loaded session, if no run was started since, or else the last
 * inference run of @s; empty if none can be resumed. UI thread. unfinished_run_done frees the
 * result. */
struct unfinished_run session_unfinished_run(const struct session *s);

#endif
