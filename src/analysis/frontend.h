/* Front end: cycles per iteration of predecoding, decoding, µop cache, loop buffer. After the
 * published models of Intel's front end (Abel & Reineke, uiCA, ICS 2022; Abel, Facile, IISWC
 * 2023). */
#ifndef PORTOLAN_ANALYSIS_FRONTEND_H
#define PORTOLAN_ANALYSIS_FRONTEND_H

#include "analysis/cost.h"

enum frontend_source { SOURCE_DECODERS, SOURCE_UOP_CACHE, SOURCE_LOOP_BUFFER, SOURCE_UNKNOWN };

#define FRONTEND_NOWHERE UINT32_MAX

struct frontend {
    /* cycles per iteration; NaN: not modelled on this machine, or not in play */
    double predecode, decode, uop_cache, loop_buffer;
    enum frontend_source source;                        /* source of the µops */
    /* a branch touches a 32-byte boundary: decoded in each iteration */
    bool jcc_erratum;
    /* more µops in a block of code than the µop cache has lines for: likewise, and no loop
     * buffer */
    bool crowded;
    /* more µops altogether than the µop cache holds: likewise */
    bool large;
    /* the µop cache could deliver more if the code were less dense or at another address
     * (analysis/windows.h) */
    bool by_windows;
    /* the source could be faster: the taken branch that closes the loop takes longer */
    bool by_branch;
    /* instruction where jcc_erratum, crowded or the fullest predecoded block begins;
     * FRONTEND_NOWHERE: none */
    uint32_t at;
    /* of the source, or of that branch; NaN: not modelled */
    double cycles;
};

/* @align: address of the first byte modulo 64. Any thread. */
void frontend_bound(const struct core *c, const struct insn *insns, const struct costs *costs,
                    enum shape shape, unsigned align, struct frontend *out);
/* Whether the µop cache cannot hold the code, by the facts uop_cache_block, uop_cache_lines and
 * uop_cache_line_uops: a block of it has more µops than there are lines for it. */
bool frontend_crowded(const struct core *c, const struct insn *insns, const struct costs *costs,
                      enum shape shape, unsigned align);

#endif
