/* Parameters of commands: options and arguments as records, read into a struct of the command. */
#ifndef PORTOLAN_CMD_PARAMETER_H
#define PORTOLAN_CMD_PARAMETER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/portset.h"

/* Kinds of parameters and their types; in brackets the value if it was not given and has no
 * default. */
enum parameter_kind {
    PARAMETER_FLAG,       /* bool (false): an option without a value */
    PARAMETER_TEXT,       /* const char * (NULL), borrowed until the command returns */
    PARAMETER_COUNT,      /* size_t (NOT_GIVEN); k and M multiply */
    PARAMETER_NUMBER,     /* double (NaN) */
    PARAMETER_DURATION,   /* double (NaN), seconds: 250ms, 90s, 15m, 2h or a bare number */
    PARAMETER_CHOICE,     /* const char * (NULL): one of choices */
    PARAMETER_PORTS,      /* struct port_list (no ports): how many, or their names: 8; 0,1,2,DV */
    PARAMETER_LINES,      /* struct line_range (0, 0): 10-25, or one line */
    /* double (NaN): an argument that is a value of the option which the argument before it names */
    PARAMETER_VALUE,
    /* struct word_list (count 0): an option that may be repeated, or all arguments from here on */
    PARAMETER_WORDS,
    /* const char * (NULL): all arguments from here on, a blank between them */
    PARAMETER_JOINED,
};

#define NOT_GIVEN SIZE_MAX
/* The default that a macro names, as a user would type it. */
#define INITIAL(macro) INITIAL_TEXT(macro)
#define INITIAL_TEXT(value) #value

/* Ports as they are given; a number of them has their usual names too. */
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

/* Completions of an argument or an option's value. Choices complete by themselves. */
enum completion {
    COMPLETE_NOTHING, COMPLETE_FILE, COMPLETE_MACHINE, COMPLETE_FORM, COMPLETE_CHANGE,
    COMPLETE_COMMAND, COMPLETE_SETTING, COMPLETE_VIEW, COMPLETE_SORT, COMPLETE_FILTER
};

struct parameter {
    /* an option's "--seconds"; an argument's "FILE", as help shows it */
    const char *name;
    enum parameter_kind kind;
    size_t at;                  /* offsetof in the command's struct */
    bool required;              /* of an argument */
    bool verbatim;              /* an argument that may begin with "--" */
    const char *value;          /* an option's value as help shows it: "T" */
    const char *choices;        /* "att|intel" */
    const char *unit;           /* of a number, unless help has it: "cycles" */
    double least, most;         /* of counts, numbers and ports; most 0: any from 0 up */
    const char *initial;        /* the default, as a user would type it */
    const char *unset;          /* of a number or ports: the word that means not given: "auto" */
    const struct parameter *of; /* of PARAMETER_VALUE: the options */
    /* default in words, if it is no value: "all CPUs" */
    const char *otherwise;
    enum completion complete;
    const char *help;           /* its meaning, without a full stop */
};

/* Reads @count words into @values, a zeroed struct; both tables end with a NULL name and may be
 * NULL. @command is its name in messages. False with err. parameters_done frees the lists, in
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
/* Reads "10-25" or "10"; false when @text is no such range. */
bool parameter_lines(const char *text, struct line_range *out);
/* Reads a whole number with an optional k or M; false when @text is none. */
bool parameter_count(const char *text, size_t *out);

#endif
