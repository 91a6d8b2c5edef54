/* Places forms on the ports of a given core. Each form runs with saturators: multisets of core
 * forms that keep one port set busy. A µop without another port then adds time (uops.info, Abel and
 * Reineke, ASPLOS 2019). The usage with the fewest µops that explains all times is accepted. Only
 * experiments that distinguish the remaining usages are measured. */
#ifndef PORTOLAN_CHART_PLACE_H
#define PORTOLAN_CHART_PLACE_H

#include "chart/lab.h"
#include "model/mapping.h"

struct place_form {
    uint32_t form;          /* index of the form into the lab's table */
    double alone;           /* cycles of the form alone */
    /* Forms of one group probably behave alike. The first form of each group is placed first. */
    uint32_t group;
};

struct placement {
    /* over the ports of the given mapping and the added pipes of slow forms */
    struct usage usage;
    unsigned slots;         /* number of issue slots */
    /* probability of this usage among those that explain the times equally well, 0 to 1 */
    double confidence;
    double error;           /* largest relative error of a measurement of the form */
    unsigned experiments;
    bool explained;         /* all measurements of the form agree within the noise */
    /* No experiment distinguishes the alternatives, because the issue width limits wherever they
     * differ. */
    bool hidden;
    portset untested;       /* ports whose saturators were not measured with the form */
    /* most likely alternative that some experiment distinguishes; NULL: none */
    char *rival;
    /* usages that explain the times equally well, most likely first, whether or not an experiment
     * with this core distinguishes them */
    struct chart_usage *others;
    unsigned other_count;
};

/* Places all @n @forms with the core @mapping, and adds ports for blocking pipes of slow forms (DV,
 * 2DV and so on). @ports becomes the list of all ports. @out has one element per form, which the
 * caller frees by placement_done. False with err. */
bool place_forms(struct lab *lab, const struct mapping *mapping, const struct place_form *forms,
                 size_t n, struct ports *ports, struct placement *out, struct err *err);
void placement_done(struct placement *p);

#endif
