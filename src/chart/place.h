/* Places forms on the ports of a given core. Each form runs with saturators: multisets of core
 * forms that keep one port set busy. If the form has a µop that can use only these ports, the
 * experiment takes longer (uops.info, Abel and Reineke, ASPLOS 2019). Of the usages that explain
 * all times, the one with the fewest µops is accepted. Only experiments that distinguish the
 * remaining usages are measured. */
#ifndef PORTOLAN_CHART_PLACE_H
#define PORTOLAN_CHART_PLACE_H

#include "chart/lab.h"
#include "model/mapping.h"

struct placement {
    /* usage on the ports of the given mapping and on added pipes */
    struct usage usage;
    unsigned slots;         /* number of issue slots */
    /* probability of this usage among those that explain the times, 0 to 1 */
    double confidence;
    double error;           /* largest relative error of a measurement of the form */
    unsigned experiments;
    bool explained;         /* whether the usage explains all measurements of the form within the
                             * noise */
    /* Whether no experiment distinguishes the alternatives: the issue width limits the experiments
     * in which they differ. */
    bool hidden;
    portset untested;       /* ports with whose saturators the form was not measured */
    /* most likely alternative that an experiment would distinguish; NULL: none */
    char *rival;
    /* Usages that explain the times about equally well, most likely first. Experiments with this
     * core may distinguish some of them. */
    struct chart_usage *others;
    unsigned other_count;
};

/* Places the @n forms @forms on the ports of the core @mapping. Adds ports for the blocking pipes
 * of slow forms (DV, 2DV and so on), and sets @ports to the list of all ports. Fills @out, one
 * element per form, each of which the caller frees with placement_done. Returns false with err on
 * failure. */
bool place_forms(struct lab *lab, const struct mapping *mapping, const struct place_form *forms,
                 size_t n, struct ports *ports, struct placement *out, struct err *err);
void placement_done(struct placement *p);

#endif
