/* Usages of forms given a core whose ports are known: each form runs beside multisets of the core
 * that keep one set of ports busy (after uops.info, Abel and Reineke, ASPLOS 2019), so that every
 * µop which has nowhere else to go adds time. What explains all of its times with the fewest µops
 * is its usage. A form gets only the experiments that tell apart what still explains it. */
#ifndef PORTOLAN_CHART_PLACE_H
#define PORTOLAN_CHART_PLACE_H

#include "chart/lab.h"
#include "model/mapping.h"

struct place_form {
    uint32_t form;          /* of the lab's table */
    double alone;           /* cycles */
    /* forms of one group probably behave alike: the first of each is placed first */
    uint32_t group;
};

struct placement {
    /* over the ports of the mapping given, pipes of slow forms behind them */
    struct usage usage;
    unsigned slots;         /* at issue */
    double confidence;      /* of what explains its times as well, the share of this one: 0 to 1 */
    double error;           /* largest relative difference to a measurement */
    unsigned experiments;
    bool explained;         /* all measurements within the noise */
    /* other usages cannot be told apart: the issue width binds wherever they differ */
    bool hidden;
    portset untested;       /* ports of sets beside which it has no time */
    /* the other usage that is most likely of those that some experiment tells; NULL: none */
    char *rival;
    /* all that explain its times as well, whether experiments beside this core tell them or not,
     * the likeliest first */
    struct chart_usage *others;
    unsigned other_count;
};

/* Places all @n @forms beside the core @mapping, which gets further ports for blocking pipes that
 * slow forms hold (named DV, 2DV and so on); @ports becomes the list of all. @out: one for each,
 * which the caller frees by placement_done. False with err. */
bool place_forms(struct lab *lab, const struct mapping *mapping, const struct place_form *forms,
                 size_t n, struct ports *ports, struct placement *out, struct err *err);
void placement_done(struct placement *p);

#endif
