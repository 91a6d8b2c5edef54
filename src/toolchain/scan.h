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
    uint32_t traits;      /* of its first occurrence */
    uint64_t count;
    char *place;          /* of that occurrence: "libm.so.6+0x1234 <sin+0x10>" */
};

struct scan {
    enum isa isa;                  /* of the first file; the others must have the same */
    VEC(struct scan_form) forms;   /* sorted by scan_sort: most frequent first */
    uint64_t instructions;         /* all that decoded */
    uint64_t set_aside;            /* number of x87, MMX and system instructions, not in forms */
    /* bytes that no decoder has: data between code, or newer instructions */
    uint64_t skipped_bytes;
    uint64_t undecoded;            /* number of runs of such bytes */
    /* Called regularly with the completed share; false cancels the scan. NULL: not called. */
    bool (*progress)(void *context, const struct scan *scan, double fraction);
    void *context;
    struct index index;            /* of forms by name, until scan_sort */
};

/* Adds the code of the ELF file at @path to @scan, zero-initialised at first. False with @err, also
 * when cancelled. */
bool scan_file(struct scan *scan, const char *path, struct err *err);
/* Serialises the counts for another process (base/pack.h), before scan_sort; and adds them to @to.
 * False with err for invalid bytes, or another instruction set. */
void scan_pack(const struct scan *scan, struct str *out);
bool scan_take(struct scan *to, struct unpacking *from, struct err *err);
void scan_sort(struct scan *scan);
void scan_done(struct scan *scan);

#endif
