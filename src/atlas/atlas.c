/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "atlas/atlas.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_calls.h"
#include "base/path.h"
#include "base/watch.h"

#define PAGE_LIMIT ((size_t)1 << 20)   /* maximum size of a page in data/atlas, in bytes */

static const char *const pages[] = {"index.html", "atlas.css", "atlas.js", "pages.js", NULL};

struct atlas_writing {
    const char *directory;
    struct atlas_size size;
};

static bool put(struct atlas_writing *w, const char *name, const struct str *content,
                struct err *err)
{
    struct str path = {0};

    str_addf(&path, "%s/%s", w->directory, name);
    bool ok =
        watch_goes_on(err) && file_write(str_text(&path), str_text(content), content->length, err);
    w->size.files += ok;
    w->size.bytes += ok ? content->length : 0;
    str_done(&path);
    return ok;
}

static bool put_pages(struct atlas_writing *w, struct err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && pages[i]; i++) {
        struct str relative = {0}, content = {0};
        str_addf(&relative, "atlas/%s", pages[i]);
        char *path = file_data_path(str_text(&relative));
        if (!path)
            ok = err_set(err, ERR_MISSING,
                         "install Portolan, or set PORTOLAN_DATA to its data directory",
                         "%s not found", str_text(&relative));
        ok = ok && file_read(path, PAGE_LIMIT, &content, err) && put(w, pages[i], &content, err);
        free(path);
        str_done(&relative);
        str_done(&content);
    }
    return ok;
}

static bool put_experiments(struct atlas_writing *w, const struct atlas_options *o, size_t machine,
                            const struct atlas_forms *forms, struct err *err)
{
    struct atlas_evidence *evidence = atlas_evidence_new(o, machine, forms);
    bool ok = true;

    for (size_t chunk = 0; ok && evidence && chunk * ATLAS_CHUNK < forms->names.count; chunk++) {
        struct str content = {0};
        char name[64];
        snprintf(name, sizeof name, "data/experiments-%zu-%zu.js", machine, chunk);
        atlas_data_experiments(evidence, chunk, &content);
        ok = put(w, name, &content, err);
        str_done(&content);
    }
    w->size.left_out += evidence ? atlas_evidence_left_out(evidence) : 0;
    atlas_evidence_free(evidence);
    return ok;
}

static bool put_data(struct atlas_writing *w, const struct atlas_options *o, struct err *err)
{
    struct atlas_forms forms[ISA_COUNT];
    struct str content = {0};
    char name[64];
    bool ok = true;

    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        atlas_forms_init(o, isa, &forms[isa]);
    atlas_data_index(o, forms, &content);
    ok = put(w, "data/index.js", &content, err);
    for (enum isa isa = 0; ok && isa < ISA_COUNT; isa++) {
        str_clear(&content);
        atlas_data_forms(o, isa, &forms[isa], &content);
        snprintf(name, sizeof name, "data/forms-%s.js", isa_name(isa));
        ok = put(w, name, &content, err);
        w->size.forms += forms[isa].names.count;
    }
    for (size_t i = 0; ok && i < o->count; i++) {
        const struct machine *m = o->machines[i].machine;
        enum isa isa = ISA_UNSAID;
        isa_parse(m->isa, &isa);
        str_clear(&content);
        atlas_data_machine(o, i, &forms[isa], &content);
        snprintf(name, sizeof name, "data/machine-%zu.js", i);
        ok = put(w, name, &content, err) && put_experiments(w, o, i, &forms[isa], err);
        w->size.rows += mapping_count(m->mapping);
        watch_at("machines", (double)i + 1, (double)o->count);
    }
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        atlas_forms_done(&forms[isa]);
    str_done(&content);
    return ok;
}

/* Returns whether a site has a file of this name, in its directory or in its subdirectory data
 * (@data). */
static bool belongs(const char *name, bool data)
{
    if (data)
        return strcmp(name, "index.js") == 0 ||
               (str_match("forms-*.js", name) || str_match("machine-*.js", name) ||
                str_match("experiments-*.js", name));
    for (size_t i = 0; pages[i]; i++)
        if (strcmp(name, pages[i]) == 0)
            return true;
    return strcmp(name, "data") == 0;
}

/* Calls @each for all names in the directory. Returns false with err if the directory cannot be
 * read or if @each returns false. */
static bool each_name(const char *path,
                      bool (*each)(const char *path, const char *name, bool data, struct err *err),
                      bool data, struct err *err)
{
    DIR *directory = file_open_directory(path);
    bool ok = directory || file_fault(err, path, "read", NULL);

    for (struct dirent *e; ok && (e = readdir(directory));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            ok = each(path, e->d_name, data, err);
    if (directory)
        closedir(directory);
    return ok;
}

static bool refuse_other(const char *path, const char *name, bool data, struct err *err)
{
    return belongs(name, data) ||
           err_set(err, ERR_USAGE,
                   "give a new or empty directory, or a directory that contains only an atlas",
                   "%s contains %s, which is not part of an atlas", path, name);
}

static bool remove_file(const char *path, const char *name, bool data, struct err *err)
{
    struct str file = {0};

    str_addf(&file, "%s/%s", path, name);
    bool ok = (!data && strcmp(name, "data") == 0) ||
              file_calls.unlink(AT_FDCWD, str_text(&file), 0) == 0 ||
              file_fault(err, str_text(&file), "remove", NULL);
    str_done(&file);
    return ok;
}

static bool remove_directory(const char *path, struct err *err)
{
    return file_calls.unlink(AT_FDCWD, path, AT_REMOVEDIR) == 0 || errno == ENOENT ||
           file_fault(err, path, "remove", NULL);
}

/* Calls @each for all files of the site @path, including its subdirectory data. */
static bool each_file(const char *path,
                      bool (*each)(const char *path, const char *name, bool data, struct err *err),
                      struct err *err)
{
    struct str data = {0};
    struct stat about;

    str_addf(&data, "%s/data", path);
    bool ok = (lstat(str_text(&data), &about) != 0 || !S_ISDIR(about.st_mode) ||
               each_name(str_text(&data), each, true, err)) &&
              each_name(path, each, false, err);
    str_done(&data);
    return ok;
}

/* Removes the site at @path, but no other files. */
static bool remove_site(const char *path, struct err *err)
{
    struct str data = {0};

    str_addf(&data, "%s/data", path);
    bool ok = each_file(path, remove_file, err) && remove_directory(str_text(&data), err) &&
              remove_directory(path, err);
    str_done(&data);
    return ok;
}

/* Returns whether @path may be replaced, and sets err if it may not. Sets *@exists to whether @path
 * exists. */
static bool may_replace(const char *path, bool *exists, struct err *err)
{
    struct stat about;

    *exists = lstat(path, &about) == 0;
    if (!*exists)
        return errno == ENOENT || file_fault(err, path, "read", NULL);
    if (!S_ISDIR(about.st_mode))
        return err_set(err, ERR_USAGE, "name a new directory", "%s exists and is not a directory",
                       path);
    return each_file(path, refuse_other, err);
}

/* Renames the finished site to @path, then removes the previous site. On failure, restores the
 * previous site. */
static bool put_in_place(const char *made, const char *path, bool exists, struct err *err)
{
    struct str before = {0};

    str_addf(&before, "%s.before", made);
    bool ok = !exists || file_calls.rename(AT_FDCWD, path, AT_FDCWD, str_text(&before)) == 0 ||
              file_fault(err, path, "rename", NULL);
    if (ok && file_calls.rename(AT_FDCWD, made, AT_FDCWD, path) != 0) {
        ok = file_fault(err, path, "make", NULL);
        if (exists)
            file_calls.rename(AT_FDCWD, str_text(&before), AT_FDCWD, path);
    } else if (ok && exists) {
        ok = remove_site(str_text(&before), err);
    }
    str_done(&before);
    return ok;
}

bool atlas_write(const struct atlas_options *options, const char *path, struct atlas_size *size,
                 struct err *err)
{
    struct str target = {0}, made = {0}, data = {0};
    struct atlas_writing w = {0};
    bool exists = false, begun = false;

    str_add(&target, path);
    while (target.length > 1 && target.data[target.length - 1] == '/')
        target.data[--target.length] = '\0';
    const char *name = path_base(str_text(&target));
    str_add_bytes(&made, str_text(&target), (size_t)(name - str_text(&target)));
    str_addf(&made, ".%s.%ld", name, (long)getpid());
    str_addf(&data, "%s/data", str_text(&made));
    w.directory = str_text(&made);
    bool ok = may_replace(str_text(&target), &exists, err) &&
              path_make_parents(str_text(&target), 0777, err);
    if (ok) {
        begun = file_calls.mkdir(AT_FDCWD, w.directory, 0777) == 0;
        ok = (begun && file_calls.mkdir(AT_FDCWD, str_text(&data), 0777) == 0) ||
             file_fault(err, w.directory, "make", NULL);
    }
    ok = ok && put_pages(&w, err) && put_data(&w, options, err) &&
         put_in_place(w.directory, str_text(&target), exists, err);
    if (!ok && begun)
        remove_site(w.directory, NULL);
    *size = w.size;
    str_done(&target);
    str_done(&made);
    str_done(&data);
    return ok;
}
