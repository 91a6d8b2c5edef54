/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/admission.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"

#define ALONE                                                                                      \
    "kernel measure measures the loop outside its program; program profile samples the program"
#define HEADERS_MOST 64u

bool admit_file(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status) == 0 && status.st_mode & (S_ISUID | S_ISGID))
        return err_set(err, ERR_IO, ALONE,
                       "%s is set-user-ID or set-group-ID: with ptrace the program would run "
                       "without these rights",
                       path);
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return err_set(err, ERR_IO, ALONE,
                       "%s has file capabilities: with ptrace the program would run without these "
                       "capabilities",
                       path);
    return true;
}

bool admit_process(pid_t pid, bool traced, struct err *err)
{
    char path[64], line[512], features[sizeof line] = "";
    int tracer = 0, seccomp = 0;
    unsigned real = 0, effective = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT
                   ? err_set(err, ERR_MISSING, "ps lists processes", "process %d does not exist",
                             (int)pid)
                   : err_set(err, ERR_IO, NULL, "cannot read the state of process %d: %s", (int)pid,
                             strerror(errno));
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "TracerPid: %d", &tracer) != 1 &&
            sscanf(line, "Seccomp: %d", &seccomp) != 1 &&
            sscanf(line, "Uid: %u %u", &real, &effective) != 2 &&
            strncmp(line, "x86_Thread_features:", 20) == 0)
            snprintf(features, sizeof features, "%s", line + 20);
    fclose(file);
    if (tracer && !traced)
        return err_set(err, ERR_IO, "end the debugger first", "process %d is traced by process %d",
                       (int)pid, tracer);
    if (seccomp)
        return err_set(err, ERR_IO, ALONE,
                       "process %d runs under seccomp: memory for counters cannot be mapped in it",
                       (int)pid);
    if (real != effective)
        return err_set(err, ERR_IO, ALONE,
                       "process %d runs with another user's privileges (set-user-ID)", (int)pid);
    if (strstr(features, "shstk"))
        return err_set(err, ERR_IO, "start the program with GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK",
                       "process %d has a shadow stack (CET)", (int)pid);
    return true;
}

static bool file_bytes(const char *file, uint64_t offset, void *out, size_t bytes)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && pread(fd, out, bytes, (off_t)offset) == (ssize_t)bytes;

    if (fd >= 0)
        close(fd);
    return ok;
}

/* Computes the offset of @address in @file from the program headers. Returns false if no segment
 * contains it, or the file cannot be read. Stores the offset in *@offset. */
static bool file_place(const char *file, uint64_t address, uint64_t *offset)
{
    Elf64_Ehdr header;
    Elf64_Phdr program[HEADERS_MOST];

    if (!file_bytes(file, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > HEADERS_MOST ||
        !file_bytes(file, header.e_phoff, program, header.e_phnum * sizeof *program))
        return false;
    for (unsigned i = 0; i < header.e_phnum; i++)
        if (program[i].p_type == PT_LOAD && address >= program[i].p_vaddr &&
            address - program[i].p_vaddr < program[i].p_filesz) {
            *offset = program[i].p_offset + (address - program[i].p_vaddr);
            return true;
        }
    return false;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

bool admit_mapping(const struct maps *maps, const char *file, uint64_t address, uint64_t *bias,
                   bool *missing, struct err *err)
{
    uint64_t offset;

    *missing = false;
    if (!file_place(file, address, &offset))
        return err_set(err, ERR_DATA, "give a loop of a program or library",
                       "%s has no loadable code at 0x%" PRIx64, file, address);
    for (size_t i = 0; i < maps->list.count; i++) {
        const struct map *m = &maps->list.items[i];
        if (!m->execute || offset < m->offset || offset - m->offset >= m->end - m->start ||
            *m->path != '/' || !same_file(m->path, file))
            continue;
        if (m->write)
            return err_set(err, ERR_IO, ALONE,
                           "the code of %s is writable: the program may modify it", file);
        *bias = m->start + (offset - m->offset) - address;
        return true;
    }
    *missing = true;
    return err_set(err, ERR_DATA,
                   "give the process that executes the loop, not the process that started it",
                   "the process has not mapped %s", file);
}

bool admit_bytes(const struct process *p, const struct region *r, uint64_t bias, struct err *err)
{
    for (size_t i = 0; i < r->list.count; i++) {
        const struct insn *in = r->list.items[i].insn;
        uint8_t there[16];
        if (!process_read(p, in->offset + bias, there, in->length) ||
            memcmp(there, in->bytes, in->length) != 0)
            return err_set(err, ERR_DATA,
                           "if the file has changed, start the program again; self-modifying code "
                           "is not supported",
                           "the program's code at 0x%" PRIx64
                           " cannot be read, or differs from its file",
                           in->offset);
    }
    return true;
}

struct sequence {
    uint32_t version, flags;
    uint64_t start, length, abort;
};

/* Returns the e_shnum section headers, which the caller frees; NULL: the file has none, or their
 * number does not fit in the header. */
static Elf64_Shdr *sections_of(const char *file, const Elf64_Ehdr *header)
{
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shstrndx >= header->e_shnum)
        return NULL;
    Elf64_Shdr *all = mem_zero(header->e_shnum, sizeof *all);
    if (file_bytes(file, header->e_shoff, all, header->e_shnum * sizeof *all))
        return all;
    free(all);
    return NULL;
}

/* Returns whether executable code of the file contains the signature before the abort handler of a
 * restartable sequence, or cannot be read. */
static bool has_signature(const char *file, const Elf64_Ehdr *header)
{
    static const uint8_t signature[] = {0x53, 0x30, 0x05, 0x53};
    Elf64_Phdr program[HEADERS_MOST];

    if (header->e_phnum > HEADERS_MOST ||
        !file_bytes(file, header->e_phoff, program, header->e_phnum * sizeof *program))
        return true;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const size_t bytes = program[i].p_filesz;
        if (program[i].p_type != PT_LOAD || !(program[i].p_flags & PF_X))
            continue;
        uint8_t *code = mem_try_alloc(bytes + 1);
        const bool found = !code || !file_bytes(file, program[i].p_offset, code, bytes) ||
                           memmem(code, bytes, signature, sizeof signature);
        free(code);
        if (found)
            return true;
    }
    return false;
}

bool admit_sequences(const struct process *p, const char *file, const struct region *r,
                     uint64_t bias, struct err *err)
{
    Elf64_Ehdr header;
    uint64_t low = r->list.items[0].insn->offset,
             high = r->list.items[r->list.count - 1].insn->offset + 16;

    if (!file_bytes(file, 0, &header, sizeof header))
        return err_set(err, ERR_IO, ALONE, "the headers of %s cannot be read", file);
    Elf64_Shdr *sections = sections_of(file, &header);
    if (!sections)
        return !has_signature(file, &header) ||
               err_set(err, ERR_IO, ALONE,
                       "%s has no section headers, but restartable sequences (rseq), whose places "
                       "are therefore unknown",
                       file);
    bool ok = true;
    for (unsigned i = 0; ok && i < header.e_shnum; i++) {
        char name[16] = "";
        file_bytes(file, sections[header.e_shstrndx].sh_offset + sections[i].sh_name, name,
                   sizeof name - 1);
        for (uint64_t at = 0; ok && strncmp(name, "__rseq_cs", 10) == 0 &&
                              at + sizeof(struct sequence) <= sections[i].sh_size;
             at += sizeof(struct sequence)) {
            struct sequence s;
            if (process_read(p, sections[i].sh_addr + at + bias, &s, sizeof s) &&
                s.start - bias < high && s.start - bias + s.length > low)
                ok = err_set(err, ERR_IO, ALONE,
                             "a restartable sequence (rseq) at 0x%" PRIx64
                             " overlaps the code of the loop",
                             s.start - bias);
        }
    }
    free(sections);
    return ok;
}
#endif
