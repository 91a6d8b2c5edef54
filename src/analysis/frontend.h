/* Front end: cycles per iteration of predecoding, decoding, µop cache and loop buffer. After
 * published models of Intel's front end (Abel & Reineke, uiCA, ICS 2022; Abel, Facile, IISWC
 * 2023). */
#ifndef PORTOLAN_ANALYSIS_FRONTEND_H
#define PORTOLAN_ANALYSIS_FRONTEND_H

#include "analysis/cost.h"

enum frontend_source { SOURCE_DECODERS, SOURCE_UOP_CACHE, SOURCE_LOOP_BUFFER, SOURCE_UNKNOWN };

#define FRONTEND_NOWHERE UINT32_MAX

struct frontend {
    /* cycles per iteration; NaN: not modelled on this machine, or not used */
    double predecode, decode, uop_cache, loop_buffer;
    enum frontend_source source;                        /* source of the µops */
    /* JCC erratum: a branch touches a 32-byte boundary, so that the loop is decoded in each
     * iteration */
    bool jcc_erratum;
    /* a code block has more µops than the µop cache's lines for it hold: decoded, without loop
     * buffer */
    bool crowded;
    /* the loop has more µops than the µop cache: decoded */
    bool large;
    /* lines or windows limit the µop cache: less dense code or another address is faster
     * (analysis/windows.h) */
    bool by_windows;
    /* the taken branch limits, not the source */
    bool by_branch;
    /* first instruction that causes jcc_erratum or crowded, or of the slowest predecoded block;
     * FRONTEND_NOWHERE: none */
    uint32_t at;
    /* of the source or the taken branch; NaN: not modelled */
    double cycles;
};

/* Computes the front end's bound. @align: address of the first byte modulo 64. Any thread. */
void frontend_bound(const struct core *c, const struct insn *insns, const struct costs *costs,
                    enum shape shape, unsigned align, struct frontend *out);
/* Returns whether the µop cache cannot hold the code: a block has more µops than its lines (facts
 * uop_cache_block, uop_cache_lines, uop_cache_line_uops). */
bool frontend_crowded(const struct core *c, const struct insn *insns, const struct costs *costs,
                      enum shape shape, unsigned align);

#endif
