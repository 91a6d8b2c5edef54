/* Parameters of commands: records of options and arguments, which are parsed into a struct of the
 * command */
#ifndef PORTOLAN_CMD_PARAMETER_H
#define PORTOLAN_CMD_PARAMETER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/portset.h"

/* Kinds of parameters with the C type of their member. In parentheses: the value if there is
 * neither a parameter nor a default. */
enum parameter_kind {
    PARAMETER_FLAG,       /* bool (false): option without a value */
    PARAMETER_TEXT,       /* const char * (NULL), borrowed from struct given */
    PARAMETER_COUNT,      /* size_t (NOT_GIVEN); k and M multiply */
    PARAMETER_NUMBER,     /* double (NaN) */
    PARAMETER_DURATION,   /* double (NaN), seconds: 250ms, 90s, 15m, 2h, or a number of seconds */
    PARAMETER_CHOICE,     /* const char * (NULL): one of `choices` */
    PARAMETER_PORTS,      /* struct port_list (no ports): number or names of ports: 8; 0,1,2,DV */
    PARAMETER_LINES,      /* struct line_range (0, 0): lines 10-25, or one line */
    /* double (NaN): argument that is a value of the option that the previous argument names */
    PARAMETER_VALUE,
    /* struct word_list (count 0): a repeatable option, or all remaining arguments */
    PARAMETER_WORDS,
    /* const char * (NULL): all remaining arguments joined with blanks */
    PARAMETER_JOINED,
};

#define NOT_GIVEN SIZE_MAX
/* Makes the text of a default from a macro */
#define INITIAL(macro) INITIAL_TEXT(macro)
#define INITIAL_TEXT(value) #value

/* Ports in the user's notation. Without names they have default names. */
struct port_list {
    struct ports ports;
    bool named;
};

/* A range of lines from 1, including both ends */
struct line_range {
    size_t first, last;
};

struct word_list {
    const char **items;   /* borrowed from struct given */
    size_t count;
};

/* Words that the shell and the prompt complete for an argument or option value. Choices need no
 * entry. */
enum completion {
    COMPLETE_NOTHING, COMPLETE_FILE, COMPLETE_MACHINE, COMPLETE_FORM, COMPLETE_CHANGE,
    COMPLETE_COMMAND, COMPLETE_SETTING, COMPLETE_VIEW, COMPLETE_SORT, COMPLETE_FILTER
};

/* Option or argument of a command. NULL in a text: the parameter has none. */
struct parameter {
    /* name of an option, such as "--seconds", or placeholder of an argument in help, such as
     * "FILE" */
    const char *name;
    enum parameter_kind kind;
    size_t at;                  /* offsetof in the command's struct */
    bool required;              /* whether the argument must be given */
    bool verbatim;              /* whether the argument may begin with "--" */
    const char *value;          /* placeholder of an option's value, such as "T" */
    const char *choices;        /* alternatives, such as "att|intel" */
    const char *unit;           /* unit of a number, such as "cycles"; NULL: none, or in the help */
    double least, most;         /* range of counts, numbers and ports; most 0: any number of at
                                 * least 0 */
    const char *initial;        /* default in the user's notation */
    const char *unset;          /* for numbers and ports, the word that means that no value is
                                 * given: "auto" */
    const struct parameter *of; /* PARAMETER_VALUE: the options that the previous argument may
                                 * name */
    /* description of a default that is not a value: "all CPUs" */
    const char *fallback;
    enum completion complete;
    const char *help;           /* description without a full stop */
};

/* Begins a parameter's record: PARAMETER(COUNT, "--top", struct top_values, top). The compiler
 * rejects a member whose type does not match the kind. */
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

/* Option --machine of a command that takes one machine or several. The struct @values_ has the
 * member `machine` or `machines`. */
#define MACHINE_OPTION(values_, fallback_, help_)                                                  \
    MACHINE_OPTION_OF(TEXT, struct values_, machine, fallback_, help_)
#define MACHINES_OPTION(values_, fallback_, help_)                                                 \
    MACHINE_OPTION_OF(WORDS, struct values_, machines, fallback_, help_)
#define MACHINE_OPTION_OF(kind_, values_, member_, fallback_, help_)                               \
    {PARAMETER(kind_, "--machine", values_, member_), .value = "ID",                               \
     .fallback = (fallback_), .complete = COMPLETE_MACHINE, .help = (help_)}

/* Values given to a command, with copies of the words that they point to */
struct given {
    const struct parameter *arguments, *options;
    char **words;
    size_t count;
    void *values;               /* the command's struct */
};

/* Parses copies of @count words into a struct of @size bytes. Both tables end with a NULL name and
 * may be NULL. @command: name for messages. Returns NULL with err. */
struct given *given_new(const char *command, const struct parameter *arguments,
                        const struct parameter *options, size_t size, char **words, size_t count,
                        struct err *err);
/* Frees @g (NULL: nothing). */
void given_free(struct given *g);
/* Appends the usage: "FILE [--machine ID]... [--model bounds|simulate]". */
void parameters_usage(const struct parameter *arguments, const struct parameter *options,
                      struct str *out);
/* Appends one parameter's usage: "--model bounds|simulate" or "FILE". */
void parameter_print(const struct parameter *p, struct str *out);
/* Appends the parameter's help: meaning, unit, range, default. */
void parameter_explain(const struct parameter *p, struct str *out);
bool parameter_is_option(const struct parameter *p);
/* Parses a line range "10-25" or "10". Returns false if invalid. */
bool parameter_lines(const char *text, struct line_range *out);
/* Parses a whole number from 0 to 1e12, such as 20k or 1.5M: k is 1,000 and M 1,000,000. Returns
 * false if invalid. Stores the number in *@out. */
bool parameter_count(const char *text, size_t *out);

#endif
