/* Manual corrections of a mapping: a row of overrides.csv for one form or a pattern. */
#ifndef PORTOLAN_IO_OVERRIDES_H
#define PORTOLAN_IO_OVERRIDES_H

#include "model/mapping.h"

enum override_usage { OVERRIDE_KEEP, OVERRIDE_SET, OVERRIDE_ADD, OVERRIDE_TAKE };

struct override {
    const char *forms;      /* a name, or a pattern with * ? or {A,B} */
    enum override_usage how;
    struct usage usage;     /* owned: override_done */
    double latency;         /* NaN keeps the old one */
    double micro_ops;       /* NaN keeps the old one, or drops it if the usage changes */
    const char *source;
};

/* sorted forms of the mapping, so that a pattern only examines those with its prefix */
struct override_list;

struct override_list *override_list_new(struct mapping *m);
void override_list_free(struct override_list *list);
/* Parses a usage column: "" keeps, "none" is no µop, "+1*p23" adds, "-1*p06" removes, others
 * replace. */
bool override_parse_usage(const char *text, const struct ports *ports, struct override *o,
                          struct err *err);
void override_done(struct override *o);
/* Applies a row; false when no form matches, or a µop to remove is missing. A new plain name is
 * added. */
bool override_apply(struct override_list *list, const struct override *o, struct err *err);

#endif
