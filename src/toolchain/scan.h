/* Counts the instruction forms of programs: decodes all executable code of ELF files linearly. */
#ifndef PORTOLAN_TOOLCHAIN_SCAN_H
#define PORTOLAN_TOOLCHAIN_SCAN_H

#include "base/err.h"
#include "base/index.h"
#include "base/pack.h"
#include "base/vec.h"
#include "isa/insn.h"

struct scan_form {
    char form[FORM_MAX];
    uint32_t traits;      /* traits of the form's first occurrence */
    uint64_t count;
    char *place;          /* place of the first occurrence, such as "libm.so.6+0x1234
                           * <sin+0x10>" */
};

struct scan {
    /* instruction set of the first file, which all other files must have */
    enum isa isa;
    VEC(struct scan_form) forms;   /* forms; after scan_sort, the most frequent are first */
    uint64_t instructions;         /* number of decoded instructions */
    /* number of x87, MMX and system instructions, which are not in forms */
    uint64_t set_aside;
    /* number of bytes that could not be decoded: data between code, or newer instructions */
    uint64_t skipped_bytes;
    uint64_t undecoded;            /* number of runs of undecodable bytes */
    /* Called regularly with the completed fraction of the file's code up to the end of the current
     * section. If it returns false, the scan is cancelled. NULL: not called. */
    bool (*progress)(void *context, const struct scan *scan, double fraction);
    void *context;
    struct index index;            /* index of forms by name, valid until scan_sort */
};

/* Adds the code of the ELF file or archive at @path to @scan, which is initialised to zero before
 * the first file. Returns false with @err on failure or when cancelled. */
bool scan_file(struct scan *scan, const char *path, struct err *err);
/* scan_pack serialises the counts for another process (base/pack.h). Call it before scan_sort.
 * scan_take adds these counts to @to. It returns false with err for invalid bytes, or for another
 * instruction set. */
void scan_pack(const struct scan *scan, struct str *out);
bool scan_take(struct scan *to, struct unpacking *from, struct err *err);
void scan_sort(struct scan *scan);
void scan_done(struct scan *scan);

#endif
