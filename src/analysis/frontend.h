/* Front end: cycles per iteration of predecoding, decoding, µop cache, loop buffer. After the published models of Intel's front end
 * (Abel & Reineke, uiCA, ICS 2022; Abel, Facile, IISWC 2023). */
#ifndef PORTOLAN_ANALYSIS_FRONTEND_H
#define PORTOLAN_ANALYSIS_FRONTEND_H

#include "analysis/cost.h"

enum frontend_source { SOURCE_DECODERS, SOURCE_UOP_CACHE, SOURCE_LOOP_BUFFER, SOURCE_UNKNOWN };

#define FRONTEND_NOWHERE UINT32_MAX

struct frontend {
    double predecode, decode, uop_cache, loop_buffer;   /* cycles per iteration; NaN: not modelled on this machine, or not in play */
    enum frontend_source source;                        /* who delivers the µops */
    bool jcc_erratum;                                   /* a branch touches a 32-byte boundary: decoded anew each time */
    bool crowded;                                       /* more µops in a block of code than the µop cache has lines for: likewise, and no loop buffer */
    bool large;                                         /* more µops altogether than the µop cache holds: likewise */
    bool by_windows;                                    /* the µop cache could deliver more where the code is less dense, or lies otherwise (analysis/windows.h) */
    bool by_branch;                                     /* the source could be faster: the taken branch that closes the loop takes longer */
    uint32_t at;                                        /* instruction where jcc_erratum, crowded or the fullest predecoded block begins; FRONTEND_NOWHERE: none */
    double cycles;                                      /* of the source, or of that branch; NaN: not modelled */
};

/* @align: address of the first byte modulo 64. Any thread. */
void frontend_bound(const struct core *c, const struct insn *insns, const struct costs *costs, enum shape shape, unsigned align, struct frontend *out);
/* Whether the µop cache cannot hold the code, by the facts uop_cache_block, uop_cache_lines and uop_cache_line_uops: a block of it has more µops than there are lines for it. */
bool frontend_crowded(const struct core *c, const struct insn *insns, const struct costs *costs, enum shape shape, unsigned align);

#endif
