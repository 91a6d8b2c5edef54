/* Parameters of commands: options and arguments as records, parsed into a struct of the command. */
#ifndef PORTOLAN_CMD_PARAMETER_H
#define PORTOLAN_CMD_PARAMETER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/portset.h"

/* Kinds of parameters and their types; in parentheses the value if not given and without
 * default. */
enum parameter_kind {
    PARAMETER_FLAG,       /* bool (false): an option without a value */
    PARAMETER_TEXT,       /* const char * (NULL), borrowed until the command returns */
    PARAMETER_COUNT,      /* size_t (NOT_GIVEN); k and M multiply */
    PARAMETER_NUMBER,     /* double (NaN) */
    PARAMETER_DURATION,   /* double (NaN), seconds: 250ms, 90s, 15m, 2h or a bare number */
    PARAMETER_CHOICE,     /* const char * (NULL): one of choices */
    PARAMETER_PORTS,      /* struct port_list (no ports): their number or names: 8; 0,1,2,DV */
    PARAMETER_LINES,      /* struct line_range (0, 0): 10-25, or one line */
    /* double (NaN): argument with a value of the option named by the previous argument */
    PARAMETER_VALUE,
    /* struct word_list (count 0): a repeatable option, or all remaining arguments */
    PARAMETER_WORDS,
    /* const char * (NULL): all remaining arguments, joined by blanks */
    PARAMETER_JOINED,
};

#define NOT_GIVEN SIZE_MAX
/* Default from a macro, as typed text. */
#define INITIAL(macro) INITIAL_TEXT(macro)
#define INITIAL_TEXT(value) #value

/* Ports as given; a number also gets default names. */
struct port_list {
    struct ports ports;
    bool named;
};

/* Lines of a text, 1-based, both included. */
struct line_range {
    size_t first, last;
};

struct word_list {
    const char **items;   /* borrowed until the command returns */
    size_t count;
};

/* Completion of an argument or option value. Choices complete by themselves. */
enum completion {
    COMPLETE_NOTHING, COMPLETE_FILE, COMPLETE_MACHINE, COMPLETE_FORM, COMPLETE_CHANGE,
    COMPLETE_COMMAND, COMPLETE_SETTING, COMPLETE_VIEW, COMPLETE_SORT, COMPLETE_FILTER
};

struct parameter {
    /* an option's "--seconds"; an argument's "FILE", as help shows it */
    const char *name;
    enum parameter_kind kind;
    size_t at;                  /* offsetof in the command's struct */
    bool required;              /* argument: it must be given */
    bool verbatim;              /* argument: may begin with "--" */
    const char *value;          /* placeholder of an option's value: "T" */
    const char *choices;        /* "att|intel" */
    const char *unit;           /* of a number, unless help has it: "cycles" */
    double least, most;         /* range of counts, numbers and ports; most 0: no upper limit */
    const char *initial;        /* default, as typed text */
    const char *unset;          /* for numbers or ports: the word for not given: "auto" */
    const struct parameter *of; /* PARAMETER_VALUE: the options */
    /* description of a default that is no value: "all CPUs" */
    const char *otherwise;
    enum completion complete;
    const char *help;           /* meaning, without a full stop */
};

/* Begins a parameter's record: PARAMETER(COUNT, "--top", struct top_values, top). The compiler
 * refuses a member of another type than the kind has. */
#define PARAMETER(kind_, name_, values, member)                                                    \
    .name = (name_), .kind = PARAMETER_##kind_,                                                    \
    .at = offsetof(values, member) +                                                               \
          0 * sizeof(char[_Generic(((values *)0)->member, PARAMETER_TYPE_##kind_ : 1)])
#define PARAMETER_TYPE_FLAG bool
#define PARAMETER_TYPE_TEXT const char *
#define PARAMETER_TYPE_COUNT size_t
#define PARAMETER_TYPE_NUMBER double
#define PARAMETER_TYPE_DURATION double
#define PARAMETER_TYPE_CHOICE const char *
#define PARAMETER_TYPE_PORTS struct port_list
#define PARAMETER_TYPE_LINES struct line_range
#define PARAMETER_TYPE_VALUE double
#define PARAMETER_TYPE_WORDS struct word_list
#define PARAMETER_TYPE_JOINED const char *

/* Parses @count words into @values, a zeroed struct; both tables end with a NULL name and may be
 * NULL. @command is the name for messages. False with err. parameters_done frees the lists in
 * either case. */
bool parameters_read(const char *command, const struct parameter *arguments,
                     const struct parameter *options, char **words, size_t count, void *values,
                     struct err *err);
void parameters_done(const struct parameter *arguments, const struct parameter *options,
                     void *values);
/* Appends "FILE [--machine ID]... [--model bounds|simulate]". */
void parameters_usage(const struct parameter *arguments, const struct parameter *options,
                      struct str *out);
/* Appends "--model bounds|simulate" or "FILE". */
void parameter_print(const struct parameter *p, struct str *out);
/* Appends its help: meaning, unit, range, default. */
void parameter_explain(const struct parameter *p, struct str *out);
bool parameter_is_option(const struct parameter *p);
/* Parses "10-25" or "10"; false if invalid. */
bool parameter_lines(const char *text, struct line_range *out);
/* Parses an integer with an optional k or M; false if invalid. */
bool parameter_count(const char *text, size_t *out);

#endif
