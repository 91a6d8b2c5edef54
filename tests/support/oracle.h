/* Reference throughput of µops by two independent methods: the definition, and a linear program. */
#ifndef PORTOLAN_TESTS_ORACLE_H
#define PORTOLAN_TESTS_ORACLE_H

#include <glpk.h>
#include <stdlib.h>

#include "base/rng.h"
#include "throughput/throughput.h"

/* Evaluates all 2^ports port sets (PMEvo, eq. 1). */
static inline double oracle_naive(const struct mass *masses, size_t n, unsigned ports)
{
    double best = 0;
    for (uint32_t q = 1; q < 1u << ports; q++) {
        uint64_t mass = 0;
        for (size_t i = 0; i < n; i++)
            if (!(masses[i].ports & ~q))
                mass += masses[i].count;
        double t = (double)mass / portset_size(q);
        best = t > best ? t : best;
    }
    return best;
}

/* Minimises t under the condition that the mass of each µop is assigned to its ports and no port
 * has more than t (PMEvo, Definition 5). */
static inline double oracle_lp(const struct mass *masses, size_t n, unsigned ports)
{
    glp_prob *lp = glp_create_prob();
    int rows = (int)(n + ports), columns = (int)(n * ports) + 1, entries = 0;
    int *row = calloc(2 * n * ports + ports + 1, sizeof *row),
        *column = calloc(2 * n * ports + ports + 1, sizeof *column);
    double *value = calloc(2 * n * ports + ports + 1, sizeof *value);

    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, rows);
    glp_add_cols(lp, columns);
    glp_set_obj_coef(lp, columns, 1);
    glp_set_col_bnds(lp, columns, GLP_LO, 0, 0);
    for (size_t i = 0; i < n; i++) {
        glp_set_row_bnds(lp, (int)i + 1, GLP_FX, masses[i].count, masses[i].count);
        for (unsigned j = 0; j < ports; j++) {
            int at = (int)(i * ports + j) + 1;
            glp_set_col_bnds(lp, at, masses[i].ports >> j & 1 ? GLP_LO : GLP_FX, 0, 0);
            row[++entries] = (int)i + 1, column[entries] = at, value[entries] = 1;
            row[++entries] = (int)(n + j) + 1, column[entries] = at, value[entries] = 1;
        }
    }
    for (unsigned j = 0; j < ports; j++) {
        glp_set_row_bnds(lp, (int)(n + j) + 1, GLP_UP, 0, 0);
        row[++entries] = (int)(n + j) + 1, column[entries] = columns, value[entries] = -1;
    }
    glp_load_matrix(lp, entries, row, column, value);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    glp_simplex(lp, &how);
    double t = glp_get_obj_val(lp);
    glp_delete_prob(lp);
    free(row);
    free(column);
    free(value);
    return t;
}

/* Returns a random non-empty set of ports. */
static inline portset oracle_random_set(struct rng *rng, unsigned ports)
{
    return 1 + (portset)rng_below(rng, (1ull << ports) - 1);
}

#endif
