/* Which instruction forms a program uses: all executable code of ELF files, decoded from end to
 * end. */
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
    enum isa isa;                  /* of the first file; the others must be of the same */
    VEC(struct scan_form) forms;   /* sorted by scan_sort: most frequent first */
    uint64_t instructions;         /* all that decoded */
    uint64_t set_aside;            /* of them x87, MMX and system: not in forms */
    /* that no decoder knows: data between code, or instructions newer than all of them */
    uint64_t skipped_bytes;
    uint64_t undecoded;            /* places where such bytes stand together */
    /* Called now and then with the share of the file that is done; false ends the scan. NULL: not
     * called. */
    bool (*progress)(void *context, const struct scan *scan, double fraction);
    void *context;
    struct index index;            /* of forms by name, until scan_sort */
};

/* Adds the code of the ELF file at @path. Zero-initialised @scan is empty. False with @err, also
 * when progress ended it. Any thread. */
bool scan_file(struct scan *scan, const char *path, struct err *err);
/* What was counted, for another process (base/pack.h), before scan_sort; and as if its files had
 * been scanned by @to. False with err when the bytes are broken, or of another instruction set. */
void scan_pack(const struct scan *scan, struct str *out);
bool scan_take(struct scan *to, struct unpacking *from, struct err *err);
void scan_sort(struct scan *scan);
void scan_done(struct scan *scan);

#endif
