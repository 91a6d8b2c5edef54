/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/compiler/selects.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/vec.h"

/* maximum number of sequences without a block between a branch and the next known block */
#define HOPS 4

/* Instructions up to the next label or branch */
struct code_sequence {
    /* names of the label before the sequence and of the target of its branch */
    const char *label, *target;
    size_t label_length, target_length;
    /* 1 + index of the first known block of the sequence; 0: unknown */
    uint32_t block;
    /* 1 + index of the last known block of the sequence; 0: unknown */
    uint32_t last;
    /* @branches: whether the sequence ends in a branch. @falls: whether execution may continue
     * with the next sequence. @stated: whether a .loc directive of the sequence names @block. */
    bool branches, falls, stated;
};

struct code_sequences {
    VEC(struct code_sequence) list;
    struct index labels;
};

struct label_name { const char *text; size_t length; };

static size_t word_length(const char *at)
{
    return strcspn(at, " \t\n");
}

/* Returns whether @word is a branch to a label: x86 jumps, AArch64 b, b.COND, cbz, cbnz, tbz, tbnz.
 * Sets *@conditional. */
static bool is_branch(const char *word, size_t length, bool *conditional)
{
    static const char *const others[] = {"cbz", "cbnz", "tbz", "tbnz"};

    *conditional = (word[0] == 'j' && (length < 3 || strncmp(word, "jmp", 3) != 0)) ||
                   strncmp(word, "b.", 2) == 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        *conditional |= length == strlen(others[i]) && strncmp(word, others[i], length) == 0;
    return *conditional || strncmp(word, "jmp", 3) == 0 || (length == 1 && word[0] == 'b');
}

static void begin(struct code_sequences *s, const char *label, size_t length)
{
    const struct code_sequence next = {.label = label, .label_length = length, .falls = true};

    vec_push(&s->list, next);
}

/* Returns whether the instruction sets up a frame. Such instructions have no .loc directive, and
 * the preceding one belongs to other code. */
static bool sets_frame(const char *word, size_t line)
{
    return strncmp(word, "push", 4) == 0 ||
           ((strncmp(word, "sub", 3) == 0 || strncmp(word, "stp", 3) == 0) &&
            memmem(word, line, "sp", 2));
}

/* Reads the instruction at @word into the last sequence. A branch or return ends the sequence.
 * @stated: whether a .loc directive of the sequence names @block. After a label, such a block takes
 * precedence over that of the code before the label. A jump alone has no block without a
 * directive. */
static void add_insn(struct code_sequences *s, const char *word, uint32_t block, bool stated)
{
    struct code_sequence *last = &s->list.items[s->list.count - 1];
    const size_t length = word_length(word), line = strcspn(word, "\n");
    bool conditional;

    if (sets_frame(word, line))
        return;
    const bool branch = is_branch(word, length, &conditional);
    if (!branch || conditional || stated || last->block) {
        if (!last->block || (last->label && stated && !last->stated))
            last->block = block;
        last->last = block ? block : last->last;
        last->stated |= stated;
    }
    if (branch) {
        const char *target = memmem(word, line, ".L", 2);
        last->target = target ? target : word;
        last->target_length = strcspn(last->target, " \t,\n");
        last->branches = true;
        last->falls = conditional;
        begin(s, NULL, 0);
    } else if (strncmp(word, "ret", 3) == 0) {
        last->falls = false;
        begin(s, NULL, 0);
    }
}

/* Returns the block number of a .loc directive, the second number at @at; 0: none. */
static uint32_t loc_block(const char *at, size_t blocks)
{
    char *end;

    (void)strtoul(at, &end, 10);
    const unsigned long line = strtoul(end, NULL, 10);
    return line <= blocks ? (uint32_t)line : 0;
}

static void read_sequences(const char *text, size_t blocks, struct code_sequences *s)
{
    uint32_t block = 0;
    size_t stated = 0;   /* number of sequences at the last .loc directive */

    begin(s, NULL, 0);
    for (const char *at = text; *at;) {
        const size_t line = strcspn(at, "\n");
        const char *word = at + strspn(at, " \t");
        const size_t length = word_length(word);
        if (length > 1 && word == at && word[length - 1] == ':') {
            if (strncmp(word, ".Ltmp", 5) != 0)
                begin(s, word, length - 1);
        } else if (strncmp(word, ".loc", 4) == 0 && length == 4) {
            block = loc_block(word + 4, blocks);
            stated = s->list.count;
        } else if (word < at + line && *word != '.' && *word != '#' && *word != '/') {
            add_insn(s, word, block, stated == s->list.count);
        }
        at += line + (at[line] == '\n');
    }
}

static bool has_label(const void *items, uint32_t item, const void *key)
{
    const struct code_sequence *s = (const struct code_sequence *)items + item;
    const struct label_name *name = key;

    return s->label_length == name->length && strncmp(s->label, name->text, name->length) == 0;
}

static void index_labels(struct code_sequences *s)
{
    for (size_t i = 0; i < s->list.count; i++)
        if (s->list.items[i].label)
            index_add(&s->labels, hash_bytes(s->list.items[i].label, s->list.items[i].label_length),
                      (uint32_t)i);
}

/* Returns the index of the sequence at the target of @q's branch, or the number of sequences if
 * there is none. */
static size_t target_of(const struct code_sequences *s, const struct code_sequence *q)
{
    const struct label_name name = {q->target, q->target_length};
    const uint32_t at = index_find(&s->labels, hash_bytes(name.text, name.length), has_label,
                                   s->list.items, &name);

    return at == INDEX_NONE ? s->list.count : at;
}

/* Returns the first known block from sequence @at on; 0: none within a few sequences. */
static uint32_t block_from(const struct code_sequences *s, size_t at)
{
    for (int hop = 0; hop < HOPS && at < s->list.count; hop++) {
        const struct code_sequence *q = &s->list.items[at];
        if (q->block)
            return q->block;
        at = q->falls ? at + 1 : q->branches ? target_of(s, q) : s->list.count;
    }
    return 0;
}

void selects_count(const char *assembly, size_t blocks, unsigned *counts)
{
    struct code_sequences s = {.list = {0}};

    memset(counts, 0, blocks * sizeof *counts);
    read_sequences(assembly, blocks, &s);
    index_labels(&s);
    for (size_t i = 0; i < s.list.count; i++) {
        const struct code_sequence *q = &s.list.items[i];
        if (!q->branches || !q->falls || !q->last || block_from(&s, i + 1) != q->last)
            continue;
        if (block_from(&s, target_of(&s, q)) == q->last)
            counts[q->last - 1]++;
    }
    index_done(&s.labels);
    vec_done(&s.list);
}
