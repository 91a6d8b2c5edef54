/* Bodies of AArch64 forms: registers, displacements and chain breakers. Internal to isa/, except
 * for register roles. The body writes x0-x10, v8-v28 and p4-p15 in rotation, and only reads
 * x11-x15, v0-v7 and p0-p3. An accumulating form depends only on its own result of at least eleven
 * executions earlier. A `cmp xzr, xzr` precedes forms that read and write flags (adcs, ccmp). The
 * comparison takes the time of an integer operation. The dividend of sdiv and udiv is x24, which
 * results in a long quotient. With pre- or post-indexing, a step down follows each step up, on four
 * bases for loads and three for stores. If only steps up can be encoded, a `sub` returns the base
 * to its initial value. Gathers and scatters have offsets in v31 (zero) and addresses in v30
 * (loads) or v29 (stores). Forms with a displacement access adjacent addresses in order. Other
 * loads and stores rotate over several bases. */
#ifndef PORTOLAN_ISA_A64_BODY_H
#define PORTOLAN_ISA_A64_BODY_H

#include "isa/a64/encode.h"
#include "isa/body.h"

/* Numbers of general registers with a fixed initial value. The platform reserves x18. Both load
 * bases and store bases are A64_BASES_APART bytes apart. */
enum {
    A64_BACK = 19,        /* has the value -16 */
    A64_ZERO = 20,
    A64_LONG = 24,        /* dividend with a long quotient */
    A64_FORTH = 25,       /* has the value 16, and is also used as an index */
    A64_STORES = 26, A64_LOADS = 27, A64_COUNTER = 28,
};
#define A64_BODY_KEPT                                                                              \
    (1u << 18 | 1u << A64_BACK | 1u << A64_ZERO | 1u << A64_LONG | 1u << A64_FORTH |               \
     1u << A64_COUNTER)
#define A64_BODY_BASES                                                                             \
    (1u << 16 | 1u << 17 | 1u << 21 | 1u << 22 | 1u << 23 | 1u << A64_STORES | 1u << A64_LOADS |   \
     1u << 29 | 1u << 30)
#define A64_BASES_APART 80
extern const uint8_t a64_load_bases[4], a64_store_bases[3];
/* numbers of the vector registers with addresses or zeros */
enum { A64_STORE_POINTERS = 29, A64_LOAD_POINTERS = 30, A64_ZERO_OFFSETS = 31 };

/* Returns the reason why no body can contain a form, on any CPU; NULL if bodies can contain it. */
const char *a64_unfit(const struct form_row *row);
/* Implements body_make for AArch64. */
bool a64_body_make(const struct a64_code *const *forms, const uint32_t *counts, size_t n,
                   const struct body_shape *shape, struct body *out, struct err *err);

#endif
