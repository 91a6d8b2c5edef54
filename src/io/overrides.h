/* Corrections of a mapping by hand: one row of overrides.csv, for one form or for all that a
 * pattern means. */
#ifndef PORTOLAN_IO_OVERRIDES_H
#define PORTOLAN_IO_OVERRIDES_H

#include "model/mapping.h"

enum override_usage { OVERRIDE_KEEP, OVERRIDE_SET, OVERRIDE_ADD, OVERRIDE_TAKE };

struct override {
    const char *forms;      /* a name; with * ? or {A,B} a pattern */
    enum override_usage how;
    struct usage usage;     /* owned: override_done */
    double latency;         /* NaN keeps */
    double micro_ops;       /* NaN keeps, but a changed usage forgets the old number */
    const char *source;
};

/* the mapping's forms in order, so that a pattern looks at those with its beginning only */
struct override_list;

struct override_list *override_list_new(struct mapping *m);
void override_list_free(struct override_list *list);
/* Usage column: "" keeps, "none" is no µop, "+1*p23" adds, "-1*p06" takes out, anything else
 * replaces. */
bool override_parse_usage(const char *text, const struct ports *ports, struct override *o,
                          struct err *err);
void override_done(struct override *o);
/* False when no form matches, or a µop to take out is not there. A plain name that is new is
 * added. */
bool override_apply(struct override_list *list, const struct override *o, struct err *err);

#endif
