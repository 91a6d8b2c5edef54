/* A table of probes in memory. chart/probe_table.c constructs the table, and chart/probe_run.c
 * evaluates it. */
#ifndef PORTOLAN_CHART_PROBE_PARTS_H
#define PORTOLAN_CHART_PROBE_PARTS_H

#include "chart/probes.h"

#define PROBE_ARGS 4         /* maximum number of arguments of a function */
#define PROBE_LOCALS 8       /* maximum number of variables in scope */
#define PROBE_DIMENSIONS 2   /* maximum number of indices of a family of loops */

enum probe_node_kind {
    NODE_NUMBER, NODE_LOCAL, NODE_WIDTH, NODE_FILLS, NODE_DENSE, NODE_LOOP, NODE_ITEM, NODE_LET,
    NODE_FUNCTION, NODE_SIGN, NODE_NOT, NODE_NEGATIVE, NODE_OVER, NODE_MACHINE, NODE_ALONE
};

enum node_sign {
    SIGN_OR, SIGN_AND, SIGN_AT_MOST, SIGN_AT_LEAST, SIGN_UNEQUAL, SIGN_BELOW, SIGN_ABOVE,
    SIGN_EQUAL, SIGN_PLUS, SIGN_MINUS, SIGN_TIMES, SIGN_OVER, SIGN_REST
};

enum node_function {
    FUNCTION_IF, FUNCTION_NONE, FUNCTION_ABS, FUNCTION_RINT, FUNCTION_TRUNC, FUNCTION_CEIL,
    FUNCTION_MIN, FUNCTION_MAX
};

/* Results of an expression over the range of a variable */
enum node_over {
    OVER_COUNT, OVER_FIRST, OVER_LAST, OVER_LEAST, OVER_MOST, OVER_MEDIAN
};

struct probe_node {
    enum probe_node_kind kind;
    /* index of a variable, loop, group or definition, or a value of an enum above */
    unsigned at;
    unsigned variable;       /* index of the variable, for NODE_OVER */
    double number;
    const char *key;         /* name of the fact, for NODE_MACHINE */
    /* number of nodes on the longest path to a leaf, including those of definitions */
    unsigned depth;
    /* operands; for NODE_OVER: first value, last value and expression */
    struct probe_node *args[PROBE_ARGS];
};

enum piece_kind {
    PIECE_TEXT, PIECE_NUMBER, PIECE_ITEM, PIECE_FILLER, PIECE_REPEAT, PIECE_WORDS, PIECE_PORTS
};

/* A part of a text with gaps */
struct piece {
    enum piece_kind kind;
    const char *text;
    unsigned group, column;  /* index of the group and of its column, for PIECE_ITEM,
                              * PIECE_WORDS and PIECE_PORTS */
    unsigned variable;       /* index of the variable, for PIECE_REPEAT and PIECE_WORDS */
    const struct probe_node *expression;
    struct piece *body, *next;
};

enum item_column { COLUMN_WORD, COLUMN_TEXT, COLUMN_OTHER, COLUMNS };

struct probe_item {
    const char *raw[COLUMNS];
    struct piece *text[COLUMNS];
};

struct item_group {
    const char *name;
    VEC(struct probe_item) items;
};

/* A loop, or a family of loops with one or two indices */
struct table_loop {
    const char *name;
    unsigned dimensions;
    struct {
        /* group whose items the index selects; NO_GROUP: the index is a range of numbers */
        unsigned group;
        unsigned from, count;
    } over[PROBE_DIMENSIONS];
    struct piece *text;
};
#define NO_GROUP UINT32_MAX

struct definition {
    const char *name;
    unsigned parameters;
    struct probe_node *value;
};

enum case_verdict { CASE_VALUE, CASE_UNKNOWN, CASE_NOTHING };

struct fact_case {
    struct probe_node *when;       /* condition; NULL: the case always applies */
    enum case_verdict verdict;
    struct piece *value, *why;
};

/* A fact. It has the value of the first case whose condition is true. */
struct table_fact {
    const char *key, *unit;
    VEC(struct fact_case) cases;
};

struct probe_table {
    VEC(struct item_group) groups;
    VEC(struct table_loop) loops;
    VEC(struct definition) definitions;
    VEC(struct table_fact) facts;
    VEC(void *) owned;       /* strings, nodes and pieces, which the table frees */
};

#endif
