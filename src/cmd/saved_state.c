/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/saved_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "cmd/session_file.h"
#include "cmd/session_parts.h"

#define SESSIONS_KEPT 40
#define CHECKPOINTS_KEPT 40
#define LAST "last"
/* suffix of the lock file next to a session's directory */
#define LOCK_ENDING ".open"

/* Name of this process: its start time and process id */
static char process_name[48];

static void name_own(void)
{
    time_t now = time(NULL);
    struct tm local;

    if (localtime_r(&now, &local) &&
        strftime(process_name, sizeof process_name, "%Y%m%d-%H%M%S", &local))
        snprintf(process_name + strlen(process_name), sizeof process_name - strlen(process_name),
                 "-%ld", (long)getpid());
}

static const char *own_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, name_own);
    return process_name;
}

static char *state_path(const char *format, const char *name)
{
    char part[300];

    snprintf(part, sizeof part, "%s%s", format, name);
    return path_state(part);
}

char *saved_state_session(void)
{
    return state_path("sessions/", own_name());
}

static char *lock_path(const char *session)
{
    struct str path = {0};

    str_addf(&path, "%s" LOCK_ENDING, session);
    return str_take(&path);
}

/* fcntl locks belong to a process. Children do not inherit them, and closing any descriptor of the
 * file releases them. */
bool saved_state_begin(struct err *err)
{
    char *session = saved_state_session();
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (!session)
        return err_set(err, ERR_MISSING, "set HOME or XDG_STATE_HOME to a directory that you own",
                       "no state directory to save the session in");
    char *path = lock_path(session);
    bool ok = path_make_parents(session, 0700, err);
    int held = ok ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (ok && held < 0)
        ok = file_fault(err, path, "create", NULL);
    if (held >= 0)
        fcntl(held, F_SETLK, &whole);   /* Continues unlocked if locks are not supported. */
    free(path);
    free(session);
    return ok;
}

/* Returns whether a process has the session open. Does not test a session of this process, because
 * closing the file would release the lock. */
static bool is_open(const char *session)
{
    if (strcmp(path_base(session), own_name()) == 0)
        return true;
    char *path = lock_path(session);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(path, O_RDWR | O_CLOEXEC);
    bool open = file >= 0 && fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;

    if (file >= 0)
        close(file);
    free(path);
    return open;
}

char *saved_state_checkpoint_new(void)
{
    static unsigned number;
    char name[80];

    snprintf(name, sizeof name, "%s-%u.json", own_name(), ++number);
    char *path = state_path("checkpoints/", name);
    if (path)
        /* An error is ignored, because writing the checkpoint reports it. */
        path_make_parents(path, 0700, NULL);
    return path;
}

struct aged {
    char *path;
    struct timespec changed;
};
struct aged_list { VEC(struct aged) list; };

static int newest_first(const void *a, const void *b)
{
    const struct timespec *x = &((const struct aged *)a)->changed,
                          *y = &((const struct aged *)b)->changed;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? 1 : -1;
    return x->tv_nsec == y->tv_nsec ? 0 : x->tv_nsec < y->tv_nsec ? 1 : -1;
}

/* Lists the entries of directory @part in the state directory whose names begin with @begin, newest
 * first. The age of an entry is the age of its file @inside, or its own age if @inside is "". Omits
 * entries without this file, and hidden entries. */
static void list_aged(const char *part, const char *begin, const char *inside,
                      struct aged_list *out)
{
    char *directory = path_state(part);
    DIR *stream = directory ? file_open_directory(directory) : NULL;
    struct stat status;

    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        struct str path = {0}, file = {0};
        str_addf(&path, "%s/%s", directory, entry->d_name);
        str_addf(&file, "%s%s", str_text(&path), inside);
        if (entry->d_name[0] != '.' && str_has_prefix(entry->d_name, begin) &&
            stat(str_text(&file), &status) == 0)
            vec_push(&out->list, ((struct aged){str_take(&path), status.st_mtim}));
        str_done(&path);
        str_done(&file);
    }
    if (stream)
        closedir(stream);
    free(directory);
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, newest_first);
}

static void aged_done(struct aged_list *list)
{
    for (size_t i = 0; i < list->list.count; i++)
        free(list->list.items[i].path);
    vec_done(&list->list);
}

char *saved_state_checkpoint_last(void)
{
    struct aged_list list = {0};
    char *path = NULL;

    list_aged("checkpoints", "", "", &list);
    if (list.list.count)
        path = mem_strdup(list.list.items[0].path);
    aged_done(&list);
    return path;
}

/* Stores the name of the current kernel from the rows of a session. */
static bool take_kernel(void *to, const char *key, const char *value)
{
    struct kept_session *k = to;

    if (strcmp(key, "kernel") == 0 && !k->kernel)
        k->kernel = mem_strdup(value);
    return true;
}

/* Returns the number of kernels besides the current kernel. */
static size_t count_kernels(const char *path)
{
    struct str part = {0};
    DIR *stream = file_open_directory(session_path(&part, path, "kernels"));
    size_t count = 0;

    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        const size_t digits = strspn(entry->d_name, "0123456789");
        count += digits && strcmp(entry->d_name + digits, ".csv") == 0;
    }
    if (stream)
        closedir(stream);
    str_done(&part);
    return count;
}

/* Counts the rows after the header, and those with a value, without parsing CSV. */
static void count_experiments(const char *path, struct kept_session *out)
{
    struct str name = {0};
    FILE *file = fopen(session_path(&name, path, "experiments.csv"), "re");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    str_done(&name);
    for (size_t i = 0; file && (length = getline(&line, &capacity, file)) > 0; i++) {
        const char *end = line[0] == '"' ? strstr(line + 1, "\",") : strchr(line, ',');
        if (i == 0 || line[0] == '\n')
            continue;
        out->experiments++;
        end = end ? end + strspn(end, "\",") : NULL;
        out->measured += end && *end >= '0' && *end <= '9';
    }
    free(line);
    if (file)
        fclose(file);
}

/* Reads a summary of directory @path into @out. Returns false if it has no session. */
static bool saved_state_scan(const char *path, struct kept_session *out)
{
    struct str file = {0};
    struct stat status;
    struct err none = {0};

    *out = (struct kept_session){0};
    bool is =
        session_is_directory(path) && stat(session_path(&file, path, "session.csv"), &status) == 0;
    if (is) {
        out->path = mem_strdup(path);
        out->name = mem_strdup(path_base(path));
        out->saved = status.st_mtime;
        out->open = is_open(path);
        session_read_rows(str_text(&file), take_kernel, out, &none);
        out->kernels = (out->kernel != NULL) + count_kernels(path);
        count_experiments(path, out);
        session_run_load(path, &out->run, &none);
    }
    str_done(&file);
    return is;
}

void kept_session_done(struct kept_session *k)
{
    free(k->path);
    free(k->name);
    free(k->kernel);
    unfinished_run_done(&k->run);
}

struct kept_sessions saved_state_list(void)
{
    struct aged_list list = {0};
    struct kept_sessions out = {0};
    char *own = saved_state_session();

    list_aged("sessions", "", "/session.csv", &list);
    list_aged("", "rescued-", "/session.csv", &list);
    out.items = mem_zero(list.list.count + 1, sizeof *out.items);
    for (size_t i = 0; i < list.list.count; i++)
        if (!own || strcmp(own, list.list.items[i].path) != 0)
            out.count += saved_state_scan(list.list.items[i].path, &out.items[out.count]);
    aged_done(&list);
    free(own);
    return out;
}

void saved_state_done(struct kept_sessions *list)
{
    for (size_t i = 0; i < list->count; i++)
        kept_session_done(&list->items[i]);
    free(list->items);
    *list = (struct kept_sessions){0};
}

/* Appends a count with separators: "2,310". */
static void add_count(struct str *out, size_t count)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%zu", count);

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            str_add_char(out, ',');
        str_add_char(out, digits[i]);
    }
}

void saved_state_report(const struct kept_session *k, struct str *out)
{
    char when[32] = "";
    time_t now = time(NULL);
    struct tm then, today;
    bool known = localtime_r(&k->saved, &then) && localtime_r(&now, &today);

    if (known)
        strftime(when, sizeof when,
                 then.tm_yday == today.tm_yday && then.tm_year == today.tm_year ? "%H:%M"
                                                                                : "%Y-%m-%d %H:%M",
                 &then);
    str_addf(out, "%s: %s", when, k->kernel ? path_base(k->kernel) : "no kernel");
    if (k->kernels > 1)
        str_addf(out, " and %zu more kernel%s", k->kernels - 1, k->kernels == 2 ? "" : "s");
    if (k->experiments) {
        str_add(out, ", ");
        add_count(out, k->experiments);
        str_addf(out, " experiment%s", plural(k->experiments));
        if (k->measured < k->experiments)
            str_addf(out, " (%zu measured)", k->measured);
    }
    if (k->run.checkpoint && k->run.limit > 0)
        str_addf(out, ", inference run at %.0f %%", 100 * k->run.seconds / k->run.limit);
    else if (k->run.checkpoint)
        str_addf(out, ", inference run at %.0f s", k->run.seconds);
}

bool saved_state_last(struct kept_session *out)
{
    struct aged_list list = {0};
    bool found = false;

    list_aged("sessions", "", "/session.csv", &list);
    for (size_t i = 0; i < list.list.count && !found; i++)
        found = !is_open(list.list.items[i].path) && saved_state_scan(list.list.items[i].path, out);
    aged_done(&list);
    return found;
}

char *saved_state_find(const char *name, struct err *err)
{
    struct kept_session last = {0};
    char *found = NULL;

    if (session_is_directory(name))
        return mem_strdup(name);
    if (strcmp(name, LAST) == 0 && saved_state_last(&last))
        found = mem_strdup(last.path);
    kept_session_done(&last);
    for (int place = 0; place < 2 && !found && !strchr(name, '/'); place++) {
        found = state_path(place ? "" : "sessions/", name);
        if (found && !session_is_directory(found)) {
            free(found);
            found = NULL;
        }
    }
    if (!found)
        session_refuse(
            name, "session list shows the saved sessions, session save DIRECTORY creates a "
                  "session", err);
    return found;
}

void saved_state_prune(void)
{
    struct aged_list sessions = {0}, checkpoints = {0};
    struct err none = {0};

    list_aged("sessions", "", "/session.csv", &sessions);
    for (size_t i = SESSIONS_KEPT; i < sessions.list.count; i++) {
        const char *path = sessions.list.items[i].path;
        if (is_open(path) || !session_remove(path, &none))
            continue;
        char *lock = lock_path(path);
        unlink(lock);
        free(lock);
    }
    list_aged("checkpoints", "", "", &checkpoints);
    for (size_t i = CHECKPOINTS_KEPT; i < checkpoints.list.count; i++)
        unlink(checkpoints.list.items[i].path);
    aged_done(&sessions);
    aged_done(&checkpoints);
}
