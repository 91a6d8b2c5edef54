/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/machine_save.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"

static const char *const own_files[] = {"machine.csv", "mapping.csv", "latencies.csv", "facts.csv", "overrides.csv"};
#define OWN_FILES (sizeof own_files / sizeof *own_files)

static void save_fact(const char *key, const char *value, const struct machine_fact *old, struct str *out)
{
    csv_add_field(out, key, false);
    csv_add_field(out, value, false);
    csv_add_field(out, old ? old->unit : "", false);
    csv_add_field(out, old ? old->source : "", true);
}

/* The facts in their order; what the machine itself holds, its ports, title and instruction set, as it is, before them where no fact says it. */
void machine_facts_csv(const struct machine *m, struct str *out)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct str list = {0}, pipes = {0};

    portset_list(UINT32_MAX, ports, ",", ",", &list);
    portset_list(ports->pipes, ports, ",", ",", &pipes);
    const char *own[][2] = {{"ports", str_text(&list)}, {"pipes", str_text(&pipes)}, {"title", m->title}, {"isa", m->isa}};
    str_add(out, "key,value,unit,source\n");
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!machine_fact(m, own[k][0]))
            save_fact(own[k][0], own[k][1], NULL, out);
    for (size_t i = 0; i < m->fact_count; i++) {
        const char *value = m->facts[i].value;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            value = strcmp(m->facts[i].key, own[k][0]) == 0 ? own[k][1] : value;
        save_fact(m->facts[i].key, value, &m->facts[i], out);
    }
    str_done(&list);
    str_done(&pipes);
}

void machine_mapping_row(const struct mapping_entry *entry, const struct ports *ports, struct str *out)
{
    struct str usage = {0};
    char number[32];

    usage_print(&entry->usage, ports, &usage);
    csv_add_field(out, entry->form, false);
    csv_add_field(out, usage.length ? str_text(&usage) : "none", false);
    snprintf(number, sizeof number, "%.17g", entry->latency);
    csv_add_field(out, isnan(entry->latency) ? "" : number, false);
    snprintf(number, sizeof number, "%u", entry->micro_ops);
    csv_add_field(out, entry->micro_ops ? number : "", false);
    csv_add_field(out, entry->source, true);
    str_done(&usage);
}

void machine_mapping_csv(const struct machine *m, struct str *out)
{
    str_add(out, "form,usage,latency,micro_ops,source\n");
    for (size_t i = 0; i < mapping_count(m->mapping); i++)
        machine_mapping_row(mapping_at(m->mapping, i), mapping_ports(m->mapping), out);
}

void machine_latencies_csv(const struct machine *m, struct str *out)
{
    str_add(out, "form,from,to,cycles,source\n");
    for (size_t i = 0; i < m->latency_count; i++) {
        const struct latency_rule *rule = &m->latencies[i];
        csv_add_field(out, rule->form, false);
        latency_end_print(rule->from, out);
        str_add_char(out, ',');
        latency_end_print(rule->to, out);
        str_addf(out, ",%.17g,", rule->cycles);
        csv_add_field(out, rule->source, true);
    }
}

static bool write_in(const char *dir, const char *name, const struct str *text, struct err *err)
{
    struct str path = {0};
    str_addf(&path, "%s/%s", dir, name);
    bool ok = file_write(str_text(&path), text->data, text->length, err);
    str_done(&path);
    return ok;
}

static bool write_tables(const struct machine *m, const char *dir, struct err *err)
{
    struct str text = {0};

    machine_facts_csv(m, &text);
    bool ok = write_in(dir, "machine.csv", &text, err);
    str_clear(&text);
    machine_mapping_csv(m, &text);
    ok = ok && write_in(dir, "mapping.csv", &text, err);
    str_done(&text);
    return ok;
}

bool machine_save_generated(const struct machine *m, const char *dir, struct err *err)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return file_fault(err, dir, "make the directory", NULL);
    return write_tables(m, dir, err);
}

static bool is_own(const char *name)
{
    for (size_t i = 0; i < OWN_FILES; i++)
        if (strcmp(name, own_files[i]) == 0)
            return true;
    return false;
}

/* Whether @dir may be replaced: it is empty, or a machine's and nothing else. */
static bool check_directory(const char *dir, struct err *err)
{
    DIR *open = opendir(dir);
    bool machine = false, other = false;
    char foreign[256] = "";

    if (!open)
        return file_fault(err, dir, "read the directory", NULL);
    for (struct dirent *entry; (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        machine |= strcmp(entry->d_name, "machine.csv") == 0;
        other = true;
        if (!is_own(entry->d_name))
            snprintf(foreign, sizeof foreign, "%s", entry->d_name);
    }
    closedir(open);
    if (foreign[0])
        err_set(err, ERR_DATA, "save to a new directory", "not replaced: %s in it is not part of a machine", foreign);
    else if (other && !machine)
        err_set(err, ERR_DATA, "save to a new directory", "not replaced: not a machine directory, machine.csv is missing");
    else
        return true;
    return err_at(err, dir, 0, 0);
}

/* Our files in @dir, and @dir itself when nothing else is in it. */
static void remove_machine(const char *dir)
{
    struct str path = {0};
    for (size_t i = 0; i < OWN_FILES; i++) {
        str_clear(&path);
        str_addf(&path, "%s/%s", dir, own_files[i]);
        unlink(str_text(&path));
    }
    rmdir(dir);
    str_done(&path);
}

/* A new directory beside @target, its name in @out. */
static bool make_beside(const char *target, struct str *out, struct err *err)
{
    for (unsigned try = 0; try < 1000; try++) {
        str_clear(out);
        str_addf(out, "%s.new-%ld-%u", target, (long)getpid(), try);
        if (mkdir(str_text(out), 0777) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    return file_fault(err, target, "make a directory beside it", NULL);
}

/* @fresh takes the place of @target; the old one is in @fresh then. Where the file system cannot exchange two names it takes two steps. */
static bool exchange(const char *fresh, const char *target)
{
    struct str aside = {0};
    bool ok = renameat2(AT_FDCWD, fresh, AT_FDCWD, target, RENAME_EXCHANGE) == 0;

    if (!ok && (errno == EINVAL || errno == ENOSYS)) {
        str_addf(&aside, "%s.old", fresh);
        ok = rename(target, str_text(&aside)) == 0;
        if (ok && rename(fresh, target) != 0) {
            int why = errno;
            ok = false;
            if (rename(str_text(&aside), target) == 0)   /* back */
                errno = why;
        } else if (ok) {
            ok = rename(str_text(&aside), fresh) == 0;
        }
    }
    str_done(&aside);
    return ok;
}

bool machine_save(const struct machine *m, const char *dir, struct err *err)
{
    char *target = realpath(dir, NULL);   /* of a link what it points to is replaced */
    bool there = target != NULL, ok = false;
    struct str fresh = {0}, text = {0};
    struct stat info;

    if (!there) {
        target = mem_strdup(dir);
        for (size_t n = strlen(target); n > 1 && target[n - 1] == '/'; n--)
            target[n - 1] = '\0';
    }
    if ((there && !check_directory(target, err)) || !make_beside(target, &fresh, err))
        goto out;
    ok = write_tables(m, str_text(&fresh), err);
    machine_latencies_csv(m, &text);
    if (ok && m->latency_count)
        ok = write_in(str_text(&fresh), "latencies.csv", &text, err);
    if (ok && there && stat(target, &info) == 0)
        ok = chmod(str_text(&fresh), info.st_mode & 07777) == 0 || file_fault(err, dir, "keep its mode", NULL);
    if (ok && !(there ? exchange(str_text(&fresh), target) : rename(str_text(&fresh), target) == 0))
        ok = file_fault(err, dir, "replace the directory", NULL);
    if (!ok || there)
        remove_machine(str_text(&fresh));
out:
    free(target);
    str_done(&fresh);
    str_done(&text);
    return ok;
}
