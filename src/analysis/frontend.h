/* Front end: cycles per loop iteration for predecoding, decoding, µop cache and loop buffer. Models
 * of Intel's front end: uiCA (Abel and Reineke, ICS 2022), Facile (Abel, Sharma and Reineke, IISWC
 * 2023). */
#ifndef PORTOLAN_ANALYSIS_FRONTEND_H
#define PORTOLAN_ANALYSIS_FRONTEND_H

#include "analysis/cost.h"

enum frontend_source { SOURCE_DECODERS, SOURCE_UOP_CACHE, SOURCE_LOOP_BUFFER, SOURCE_UNKNOWN };

#define FRONTEND_NOWHERE UINT32_MAX

struct frontend {
    /* cycles per iteration; NaN: unused, or not modelled on this machine */
    double predecode, decode, uop_cache, loop_buffer;
    enum frontend_source source;                        /* unit that delivers the µops */
    /* whether a branch crosses or ends at a 32-byte boundary (JCC erratum); every iteration is then
     * decoded */
    bool jcc_erratum;
    /* whether a block of code has more µops than its µop cache lines can store; every iteration
     * is then decoded */
    bool crowded;
    /* whether the loop has more µops than the µop cache can store; every iteration is then
     * decoded */
    bool large;
    /* whether lines or windows limit the µop cache; longer instructions or another start address
     * may then be faster (analysis/windows.h) */
    bool by_windows;
    /* whether the taken branch takes longer than @source */
    bool by_branch;
    /* Branch that causes jcc_erratum, otherwise the first instruction of the crowded block or of
     * the slowest predecoded block. FRONTEND_NOWHERE: none, or @source is not the decoders. */
    uint32_t at;
    /* cycles per iteration of the slower of @source and the taken branch; NaN: not modelled */
    double cycles;
};

/* Computes the bound of the front end. @align: address of the first byte modulo 64. Any thread. */
void frontend_bound(const struct core *c, const struct insn *insns, const struct costs *costs,
                    enum shape shape, unsigned align, struct frontend *out);
/* Returns whether a block of code has more µops than its µop cache lines can store (facts
 * uop_cache_block, uop_cache_lines, uop_cache_line_uops). */
bool frontend_crowded(const struct core *c, const struct insn *insns, const struct costs *costs,
                      enum shape shape, unsigned align);

#endif
