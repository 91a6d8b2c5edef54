/* Manual corrections of a mapping: a row of overrides.csv for one form or a pattern. */
#ifndef PORTOLAN_IO_OVERRIDES_H
#define PORTOLAN_IO_OVERRIDES_H

#include "model/mapping.h"

enum override_usage { OVERRIDE_KEEP, OVERRIDE_SET, OVERRIDE_ADD, OVERRIDE_TAKE };

struct override {
    const char *forms;      /* name of a form, or a pattern with * ? or {A,B} */
    enum override_usage how;
    struct usage usage;     /* usage, which override_done frees */
    double latency;         /* new latency; NaN: unchanged */
    /* new number of µops; NaN: unchanged if the usage is unchanged, otherwise removed */
    double micro_ops;
    const char *source;
};

/* Sorted forms of a mapping. A pattern is compared only with the forms that have its prefix. */
struct override_list;

struct override_list *override_list_new(struct mapping *m);
void override_list_free(struct override_list *list);
/* Parses a usage column. "" leaves the usage unchanged, and "none" is a usage without µops.
 * "+1*p23" adds, "-1*p06" removes, and other text replaces the usage. Returns false with err if the
 * text is invalid. The caller frees the usage with override_done. */
bool override_parse_usage(const char *text, const struct ports *ports, struct override *o,
                          struct err *err);
void override_done(struct override *o);
/* Applies a row. Adds a form that the mapping lacks, unless the row has a pattern. Returns false
 * with err if the pattern is invalid, or if no form matches. Also returns false if a new form has
 * no usage, or if a µop to remove is missing. */
bool override_apply(struct override_list *list, const struct override *o, struct err *err);

#endif
