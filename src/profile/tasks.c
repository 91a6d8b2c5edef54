/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static bool known(const struct task_list *list, pid_t tid)
{
    for (size_t i = 0; i < list->list.count; i++)
        if (list->list.items[i].tid == tid)
            return true;
    return false;
}

/* Adds the processes that thread @tid of @pid has started. */
static void find_children(pid_t pid, pid_t tid, struct task_list *out)
{
    char path[96];
    int child;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)tid);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1)
        if (!known(out, child))
            tasks_find(child, out);
    if (file)
        fclose(file);
}

void tasks_find(pid_t pid, struct task_list *out)
{
    size_t first = out->list.count;
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = file_open_directory(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0 && !known(out, tid))
            vec_push(&out->list, ((struct thread_id){pid, tid}));
    }
    if (dir)
        closedir(dir);
    for (size_t i = first, last = out->list.count; i < last; i++)
        find_children(pid, out->list.items[i].tid, out);
}

bool task_program(pid_t pid, char *out, size_t size, struct err *err)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(path, out, size - 1);
    if (length > 0) {
        out[length] = '\0';
        return true;
    }
    const int why = errno;
    *strrchr(path, '/') = '\0';
    if (access(path, F_OK) != 0)
        return err_set(err, ERR_MISSING, "ps lists processes", "process %d does not exist",
                       (int)pid);
    /* A kernel thread has a link without a target, and therefore no program. */
    if (why == ENOENT)
        return err_set(err, ERR_DATA, "ps lists processes",
                       "process %d has no program: it is a kernel thread, or has just ended",
                       (int)pid);
    return err_set(err, ERR_IO, "run Portolan as the user of the process, or as root",
                   "cannot find the program of process %d: %s", (int)pid, strerror(why));
}

pid_t task_process(pid_t tid)
{
    char path[64], line[256];
    int pid = tid;

    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Tgid: %d", &pid) == 1)
            break;
    if (file)
        fclose(file);
    return pid;
}

char task_state(const struct thread_id *task)
{
    char path[96], text[512];

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)task->pid, (int)task->tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    /* Searches for the last ')', because the name before it may contain any character. The state
     * follows it. */
    const char *state = strrchr(text, ')');
    return state && state[1] == ' ' && state[2] != 'X' ? state[2] : 0;
}

bool task_runs(const struct thread_id *task)
{
    return task_state(task) == 'R';
}
