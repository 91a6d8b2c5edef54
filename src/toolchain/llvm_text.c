/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/dialect.h"

#include <ctype.h>
#include <string.h>

#include "base/steps.h"
#include "toolchain/words.h"

static bool is_mask(const char *p, const char *end)
{
    return end - p >= 4 && p[0] == '{' && (p[1] | 32) == 'k' && p[2] >= '0' && p[2] <= '7' &&
           p[3] == '}';
}

/* Removes the size suffix in AT&T syntax if the register determines the size, because `as` rejects
 * the suffix. Returns false, with nothing appended, for other statements. */
static bool without_suffix(const char *p, const char *e, const char *end, struct str *out)
{
    static const char *const names[] = {"rdrand",   "rdseed", "rdfsbase", "rdgsbase", "wrfsbase",
                                        "wrgsbase", "adcx",   "adox",     NULL};

    if (e - p < 5 || !strchr("wlqWLQ", e[-1]) || !word_among(p, e - 1, names))
        return false;
    str_add_bytes(out, p, (size_t)(e - p - 1));
    str_add_bytes(out, e, (size_t)(end - e));
    return true;
}

/* Converts masks to AT&T syntax: `{k1}` becomes `{%k1}`. Returns false, with nothing appended, if
 * there are none. */
static bool masks_marked(const char *p, const char *end, struct str *out)
{
    bool any = false;

    for (const char *at = p; at < end && !any; at++)
        any = is_mask(at, end);
    for (; any && p < end; p++) {
        str_add_char(out, *p);
        if (is_mask(p, end))
            str_add_char(out, '%');
    }
    return any;
}

/* Returns whether the memory operand from @p to @end has a vector index. */
static bool has_vector_index(const char *p, const char *end)
{
    const char *open = memchr(p, '[', (size_t)(end - p));

    for (const char *at = open; at && end - at > 3; at++)
        if (strchr("xyzXYZ", *at) && (at[1] | 32) == 'm' && (at[2] | 32) == 'm' &&
            isdigit((unsigned char)at[3]) && !is_word(at[-1]))
            return true;
    return false;
}

/* Returns the end of the operand at @p, which is a comma outside of brackets, or @end. */
static const char *operand_stop(const char *p, const char *end)
{
    int depth = 0;

    for (; p < end && !(depth == 0 && *p == ','); p++) {
        depth += *p == '[' || *p == '(' || *p == '{';
        depth -= *p == ']' || *p == ')' || *p == '}';
    }
    return p;
}

/* Converts a gather in Intel syntax. LLVM prints the total size of the memory operand, but `as`
 * expects the size of one element. The first operand of a gather prefetch is its mask. Returns
 * false if nothing changes. */
static bool gather(const char *p, const char *e, const char *end, struct str *out)
{
    const char *first = skip_blank(e, end), *stop = operand_stop(first, end), *mask = NULL;
    size_t before = out->length;
    bool changed = false;

    str_add_bytes(out, p, (size_t)(first - p));
    if (is_mask(first, stop) && trim_end(first, stop) == first + 4 && stop < end) {
        mask = first;
        first = skip_blank(stop + 1, end);
        changed = true;
    }
    for (; first < end; first = stop + (stop < end)) {
        stop = operand_stop(first, end);
        const char *start = skip_blank(first, stop), *ptr = text_find(start, stop, "ptr "),
                   *word = word_end(start, stop);
        ptr = ptr ? ptr : text_find(start, stop, "PTR ");
        if (has_vector_index(start, stop) && ptr && skip_blank(word, stop) == ptr) {
            first = ptr + 4;
            changed = true;
        }
        str_add_bytes(out, first, (size_t)(stop - first));
        if (mask && text_find(first, stop, "]")) {
            str_add_bytes(out, mask, 4);
            mask = NULL;
        }
        str_add_bytes(out, stop, stop < end);
    }
    if (!changed)
        out->length = before;
    return changed;
}

/* Removes the first relocation mark of macOS or Windows, which `as` does not support for ELF. The
 * mark does not change the encoding. Returns false if there is none. */
static bool mark_dropped(const char *p, const char *end, struct str *out)
{
    static const char *const marks[] = {"@TLVP", "@SECREL32", "@IMGREL"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *at = text_find(p, end, marks[i]);
        if (!at || is_word(at[strlen(marks[i])]))
            continue;
        str_add_bytes(out, p, (size_t)(at - p));
        str_add_bytes(out, at + strlen(marks[i]), (size_t)(end - at) - strlen(marks[i]));
        return true;
    }
    return false;
}

bool llvm_x86_statement(const char *p, const char *end, bool intel, struct str *out)
{
    const char *e = word_end(p, end);

    steps_add(1 + (size_t)(end - p) / 100);
    if (!intel)
        return without_suffix(p, e, end, out) ||
               (memchr(p, '@', (size_t)(end - p)) && mark_dropped(p, end, out)) ||
               (memchr(p, '{', (size_t)(end - p)) && masks_marked(p, end, out));
    if ((word_is(p, e, "clrssbsy") || word_is(p, e, "rstorssp")) && text_find(e, end, "[")) {
        str_addf(out, "%.*s %.*s", (int)(e - p), p, (int)(end - text_find(e, end, "[")),
                 text_find(e, end, "["));
        return true;
    }
    return e - p > 8 && (text_begins(p, e, "v") || text_begins(p, e, "V")) &&
           gather(p, e, end, out);
}

/* Types of the source operands of an instruction whose mnemonic names one arrangement. */
enum sources {
    SOURCES_SAME,
    /* elements half as wide, equal in number; in the upper half of the register for mnemonics with
     * "2" */
    SOURCES_NARROW,
    SOURCES_LAST_NARROW, /* like SOURCES_NARROW, but only for the last operand */
    SOURCES_PAIRS,       /* elements half as wide, twice as many */
    SOURCES_WIDE,        /* elements twice as wide */
    SOURCES_BYTES,       /* four bytes per word; an indexed operand is four bytes */
    /* two 16-bit elements per word; an indexed operand of bfdot is two such elements */
    SOURCES_HALVES,
    /* elements half as wide, equal in number; in the lower half even with "2" */
    SOURCES_LOW_HALVES,
    SOURCES_TABLE,       /* a register list with 16 bytes per register */
};

static enum sources sources_of(const char *p, const char *end)
{
    static const struct { enum sources sources; const char *names[34];
    } kinds[] = {
        {SOURCES_NARROW,
         {"saddl", "uaddl", "ssubl", "usubl", "sabal", "uabal",   "sabdl",   "uabdl",   "smlal",
          "umlal", "smlsl", "umlsl", "smull", "umull", "sqdmull", "sqdmlal", "sqdmlsl", "pmull",
          "ushll", "sshll", "shll",  "sxtl",  "uxtl",  "fcvtl",   NULL}},
        {SOURCES_LAST_NARROW, {"saddw", "uaddw", "ssubw", "usubw", NULL}},
        {SOURCES_PAIRS, {"saddlp", "uaddlp", "sadalp", "uadalp", NULL}},
        {SOURCES_WIDE, {"xtn",     "sqxtn",  "uqxtn",   "sqxtun",  "shrn",     "rshrn", "sqshrn",
                        "sqrshrn", "uqshrn", "uqrshrn", "sqshrun", "sqrshrun", "addhn", "subhn",
                        "raddhn",  "rsubhn", "fcvtn",   "fcvtxn",  "bfcvtn",   NULL}},
        {SOURCES_BYTES, {"sdot", "udot", "usdot", "sudot", "smmla", "ummla", "usmmla", NULL}},
        {SOURCES_HALVES, {"bfdot", "bfmmla", "bfmlalb", "bfmlalt", NULL}},
        {SOURCES_LOW_HALVES, {"fmlal", "fmlsl", NULL}},
        {SOURCES_TABLE, {"tbl", "tbx", NULL}},
    };
    const char *base = end > p && end[-1] == '2' ? end - 1 : end;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (word_among(p, base, kinds[i].names))
            return kinds[i].sources;
    return SOURCES_SAME;
}

/* Number and width of the elements of an arrangement. Count 0: one element without a number. */
struct elements { unsigned count; char width; };

static char width_of(char width, int steps)
{
    static const char widths[] = "bhsdq";
    const char *at = strchr(widths, width);
    long to = at ? at - widths + steps : 0;
    return at && to >= 0 && to < 5 ? widths[to] : width;
}

/* Returns the arrangement of operand @k of @count, where 0 is the destination. The operand may have
 * an index. */
static struct elements arrangement_of(struct elements named, enum sources sources, bool upper,
                                      unsigned k, unsigned count, bool list)
{
    struct elements a = named;
    bool source = k > 0 && named.count;

    if (sources == SOURCES_NARROW && source)
        a = (struct elements){named.count << upper, width_of(named.width, -1)};
    else if (sources == SOURCES_LAST_NARROW && source && k == count - 1)
        a = (struct elements){named.count << upper, width_of(named.width, -1)};
    else if (sources == SOURCES_PAIRS && source)
        a = (struct elements){named.count * 2, width_of(named.width, -1)};
    else if (sources == SOURCES_WIDE && source)
        a = (struct elements){named.count >> upper, width_of(named.width, 1)};
    else if (sources == SOURCES_BYTES && source)
        a = (struct elements){named.count * 4, 'b'};
    else if (sources == SOURCES_HALVES && source)
        a = (struct elements){named.count * 2, 'h'};
    else if (sources == SOURCES_LOW_HALVES && source)
        a = (struct elements){named.count, width_of(named.width, -1)};
    else if (sources == SOURCES_TABLE && list)
        a = (struct elements){16, 'b'};
    return a;
}

static bool is_vector(const char *p, const char *e)
{
    bool digits = e - p >= 2 && e - p <= 3 && (*p | 32) == 'v';
    for (const char *at = p + 1; at < e; at++)
        digits &= isdigit((unsigned char)*at) != 0;
    return digits;
}

/* Returns the number of operands; a register list counts as one. */
static unsigned operands_count(const char *p, const char *end)
{
    unsigned count = 0;

    for (p = skip_blank(p, end); p < end; p = operand_stop(p, end)) {
        p += *p == ',';
        count++;
        if (p == end)
            break;
    }
    return count;
}

/* Converts `fmla.4s v0, v1, v2[1]` to `fmla v0.4s, v1.4s, v2.s[1]`. */
static void vectors_named(const char *p, const char *dot, const char *e, const char *end,
                          struct str *out)
{
    struct elements named = {0, (char)tolower((unsigned char)e[-1])};
    enum sources sources = sources_of(p, dot);
    unsigned count = operands_count(e, end), k = 0;
    bool upper = dot[-1] == '2', list = false;
    int depth = 0;

    for (const char *at = dot + 1; at < e - 1; at++)
        named.count = 10 * named.count + (unsigned)(*at - '0');
    str_add_bytes(out, p, (size_t)(dot - p));
    for (const char *at = e, *stop; at < end; at = stop) {
        stop = word_end(at, end);
        if (stop == at) {
            list = *at == '{' || (list && *at != '}');
            depth += strchr("[{", *at) != NULL;
            depth -= strchr("]}", *at) != NULL;
            k += *at == ',' && depth == 0;
            str_add_char(out, *at);
            stop++;
            continue;
        }
        str_add_bytes(out, at, (size_t)(stop - at));
        if (!is_vector(at, stop))
            continue;
        struct elements a = arrangement_of(named, sources, upper, k, count, list);
        bool element = stop < end && *stop == '[';
        if (element && sources == SOURCES_BYTES)
            str_add(out, ".4b");
        else if (element && sources == SOURCES_HALVES && text_find(p, dot, "dot"))
            str_add(out, ".2h");
        else if (element || !a.count)
            str_addf(out, ".%c", a.width);
        else
            str_addf(out, ".%u%c", a.count, a.width);
    }
}

/* Apple's suffixes for page and page offset, and the prefixes that `as` expects. */
static const struct page_mark { const char *mark, *modifier;
} page_marks[] = {
    {"@PAGEOFF", ":lo12:"},        {"@PAGE", ""},
    {"@GOTPAGEOFF", ":got_lo12:"}, {"@GOTPAGE", ":got:"},
    {"@TLVPPAGEOFF", ":lo12:"},    {"@TLVPPAGE", ""},
};

static const struct page_mark *page_mark_at(const char *p, const char *end)
{
    for (size_t i = 0; i < sizeof page_marks / sizeof *page_marks; i++)
        if (text_begins(p, end, page_marks[i].mark))
            return &page_marks[i];
    return NULL;
}

static bool pages_named(const char *p, const char *end, struct str *out)
{
    const char *at = memchr(p, '@', (size_t)(end - p)), *name = at;
    const struct page_mark *mark = at ? page_mark_at(at, end) : NULL;

    if (!mark)
        return false;
    while (name > p && (is_word(name[-1]) || name[-1] == '"') && name[-1] != '@')
        name--;
    str_addf(out, "%.*s%s%.*s%.*s", (int)(name - p), p, mark->modifier, (int)(at - name), name,
             (int)(end - at - (long)strlen(mark->mark)), at + strlen(mark->mark));
    return true;
}

/* Converts `add x8, x8, :secrel_hi12:x` of Windows, which is a part of an address like `:lo12:`.
 * Returns false, with nothing appended, if there is none. */
static bool section_place_named(const char *p, const char *end, struct str *out)
{
    static const char mark[] = ":secrel_";
    const char *at = text_find(p, end, mark),
               *behind =
                   at ? memchr(at + sizeof mark - 1, ':', (size_t)(end - at) - sizeof mark + 1)
                      : NULL;

    if (!behind)
        return false;
    str_addf(out, "%.*s:lo12%.*s", (int)(at - p), p, (int)(end - behind), behind);
    return true;
}

/* Returns whether the mnemonic from @p to @e ends with an arrangement or width, and stores its
 * position in *@dot. The suffixes of `b.hs` and similar branches are no arrangements. */
static bool has_arrangement(const char *p, const char *e, const char **dot)
{
    static const char *const all[] = {"8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d",
                                      "1q", "2h",  "4b", "b",  "h",  "s",  "d",  NULL};

    *dot = memchr(p, '.', (size_t)(e - p));
    return *dot && *dot > p + 1 && word_among(*dot + 1, e, all);
}

/* Converts `mov d1, v0[1]` to `mov d1, v0.d[1]`. The element has the register's width. Returns
 * false, with nothing appended, for other statements. */
static bool element_named(const char *p, const char *e, const char *end, struct str *out)
{
    const char *to = skip_blank(e, end), *to_end = word_end(to, end),
               *from = skip_blank(to_end + (to_end < end), end), *from_end = word_end(from, end);

    if (!(word_is(p, e, "mov") || word_is(p, e, "dup")) || to_end == to || to_end == end ||
        *to_end != ',' || !is_vector(from, from_end) || from_end == end || *from_end != '[' ||
        !strchr("bhsdBHSD", *to))
        return false;
    str_addf(out, "%.*s.%c%.*s", (int)(from_end - p), p, *to, (int)(end - from_end), from_end);
    return true;
}

/* Replaces the name of a prefetch into the system cache with its number, which binutils before 2.41
 * needs. Returns false for other instructions. */
static bool prefetch_numbered(const char *p, const char *e, const char *end, struct str *out)
{
    static const struct {
        const char *name;
        unsigned number;
    } kinds[] = {{"pldslckeep", 6},  {"pldslcstrm", 7},  {"plislckeep", 14},
                 {"plislcstrm", 15}, {"pstslckeep", 22}, {"pstslcstrm", 23}};
    const char *kind = skip_blank(e, end), *stop = word_end(kind, end);

    for (size_t i = 0;
         (word_is(p, e, "prfm") || word_is(p, e, "prfum")) && i < sizeof kinds / sizeof *kinds; i++)
        if (word_is(kind, stop, kinds[i].name)) {
            str_addf(out, "%.*s #%u%.*s", (int)(e - p), p, kinds[i].number, (int)(end - stop),
                     stop);
            return true;
        }
    return false;
}

bool llvm_a64_statement(const char *p, const char *end, struct str *out)
{
    const char *e = word_end(p, end), *dot;

    steps_add(1 + (size_t)(end - p) / 100);
    if (!has_arrangement(p, e, &dot))
        return prefetch_numbered(p, e, end, out) || element_named(p, e, end, out) ||
               pages_named(p, end, out) || section_place_named(p, end, out);
    vectors_named(p, dot, e, end, out);
    return true;
}
