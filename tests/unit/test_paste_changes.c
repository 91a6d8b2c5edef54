/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changed copies of loops whose code is known, as clipboards, editors and other assemblers write
 * them. A changed copy must give the same code, or be refused, or list its damaged line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/str.h"
#include "../support/support.h"

/* Loops with decimal numbers of at least two digits, so a change of base changes the code. */
static const char *const intel[] = {
    ".L4:\n\tmovsd xmm1, QWORD PTR [rdi+rax*8]\n\tmulsd xmm1, QWORD PTR [rsi+rax*8]\n"
    "\tadd rax, 16\n\taddsd xmm0, xmm1\n\tcmp rax, 1024\n\tjne .L4\n",
    ".L3:\n\tmovzx edx, BYTE PTR [rdi+24]\n\timul eax, eax, 31\n\tadd rdi, 12\n\tadd eax, edx\n"
    "\tcmp rdi, rsi\n\tjne .L3\n",
    ".L8:\n\tmov rdx, rax\n\tshl rdx, 13\n\txor rax, rdx\n\tshr rax, 17\n\tsub ecx, 10\n\tjnz "
    ".L8\n",
    ".L2:\n\tvmovaps ymm0, YMMWORD PTR [rdi+rax+32]\n\tvpermilps ymm0, ymm0, 27\n"
    "\tvmovaps YMMWORD PTR [rsi+rax+64], ymm0\n\tadd rax, 32\n\tcmp rax, 4096\n\tjb .L2\n",
    ".L5:\n\tmov eax, DWORD PTR [rdi+48]\n\tand eax, 63\n\tmov DWORD PTR [rsi+80], eax\n"
    "\tlea rdi, [rdi+rcx*4+10]\n\tdec r8d\n\tjg .L5\n",
    ".L6:\n\ttest eax, 100\n\tcmovne ebx, ecx\n\tror eax, 11\n\tadd rsi, -16\n\tsub edx, 20\n"
    "\tja .L6\n",
};
static const char *const att[] = {
    ".L4:\n\tmovsd\t(%rdi,%rax,8), %xmm1\n\tmulsd\t(%rsi,%rax,8), %xmm1\n\taddq\t$16, %rax\n"
    "\taddsd\t%xmm1, %xmm0\n\tcmpq\t$1024, %rax\n\tjne\t.L4\n",
    ".L3:\n\tmovzbl\t24(%rdi), %edx\n\timull\t$31, %eax, %eax\n\taddq\t$12, %rdi\n"
    "\taddl\t%edx, %eax\n\tcmpq\t%rsi, %rdi\n\tjne\t.L3\n",
    ".L8:\n\tmovq\t%rax, %rdx\n\tsalq\t$13, %rdx\n\txorq\t%rdx, %rax\n\tshrq\t$17, %rax\n"
    "\tsubl\t$10, %ecx\n\tjne\t.L8\n",
    ".L2:\n\tvmovaps\t32(%rdi,%rax), %ymm0\n\tvpermilps\t$27, %ymm0, %ymm0\n"
    "\tvmovaps\t%ymm0, 64(%rsi,%rax)\n\taddq\t$32, %rax\n\tcmpq\t$4096, %rax\n\tjb\t.L2\n",
    ".L5:\n\tmovl\t48(%rdi), %eax\n\tandl\t$63, %eax\n\tmovl\t%eax, 80(%rsi)\n"
    "\tleaq\t10(%rdi,%rcx,4), %rdi\n\tdecl\t%r8d\n\tjg\t.L5\n",
    ".L6:\n\ttestl\t$100, %eax\n\tcmovne\t%ecx, %ebx\n\trorl\t$11, %eax\n\taddq\t$-16, %rsi\n"
    "\tsubl\t$20, %edx\n\tja\t.L6\n",
};
#define LOOPS (sizeof intel / sizeof *intel)

struct line {
    const char *at;
    size_t length;
    size_t number;
};

/* Returns the next line from *@text, which advances. Returns false after the last one. */
static bool line_next(const char **text, struct line *out)
{
    if (!**text)
        return false;
    out->at = *text;
    out->length = strcspn(*text, "\n");
    out->number++;
    *text += out->length + 1;
    return true;
}

/* Writes @text with each decimal number of its operands in @format. Removes the $ of AT&T syntax if
 * @dollar, because @format has its own. */
static void numbers_write(const char *text, const char *format, bool dollar, struct str *out)
{
    while (*text) {
        const bool begins = isdigit((unsigned char)*text) && !isalnum((unsigned char)text[-1]) &&
                            text[-1] != '*' && text[-1] != '%' && text[1] != ')';
        char *end;
        if (begins) {
            if (dollar && out->length && out->data[out->length - 1] == '$')
                out->length--;
            str_addf(out, format, (unsigned)strtoul(text, &end, 10));
            text = end;
        } else {
            str_add_char(out, *text++);
        }
    }
}

static void hex_0x(const char *text, struct str *out)
{
    numbers_write(text, "0x%x", false, out);
}
static void hex_h(const char *text, struct str *out)
{
    numbers_write(text, "0%xh", false, out);
}
static void hex_h_bare(const char *text, struct str *out)
{
    numbers_write(text, "%xh", false, out);
}
static void hex_upper(const char *text, struct str *out)
{
    numbers_write(text, "0%XH", false, out);
}
static void hex_dollar(const char *text, struct str *out)
{
    numbers_write(text, "$%x", true, out);
}
static void hex_dollar_0(const char *text, struct str *out)
{
    numbers_write(text, "$0%x", true, out);
}
/* Writes decimal immediates as AT&T syntax has them, but no displacements. */
static void decimal_dollar(const char *text, struct str *out)
{
    struct str marked = {0};
    bool inside = false;

    numbers_write(text, "$%u", true, &marked);
    for (const char *at = str_text(&marked); *at; at++) {
        inside = *at == '[' || (inside && *at != ']');
        if (!inside || *at != '$')
            str_add_char(out, *at);
    }
    str_done(&marked);
}
static void decimal_hash(const char *text, struct str *out)
{
    numbers_write(text, "#%u", true, out);
}
static void hex_hash(const char *text, struct str *out)
{
    numbers_write(text, "#0x%x", true, out);
}
static void decimal_t(const char *text, struct str *out)
{
    numbers_write(text, "%ut", false, out);
}

/* Writes @text under a directive that makes 16 the base of numbers. */
static void radix_16(const char *text, struct str *out)
{
    str_add(out, ".radix 16\n");
    numbers_write(text, "%x", false, out);
}

static void radix_16_dotless(const char *text, struct str *out)
{
    str_add(out, "radix 16\n");
    numbers_write(text, "%x", false, out);
}

/* Writes each line between @before and @after. */
static void lines_write(const char *text, const char *before, const char *after, struct str *out)
{
    struct line line = {0};
    while (line_next(&text, &line))
        str_addf(out, "%s%.*s%s\n", before, (int)line.length, line.at, after);
}

static void quote(const char *text, struct str *out)
{
    lines_write(text, "> ", "", out);
}
static void quote_2(const char *text, struct str *out)
{
    lines_write(text, "> > ", "", out);
}
static void bullets(const char *text, struct str *out)
{
    lines_write(text, "- ", "", out);
}
static void ticks(const char *text, struct str *out)
{
    lines_write(text, "`", "`", out);
}
static void breaks(const char *text, struct str *out)
{
    lines_write(text, "", "<br>", out);
}
static void breaks_closed(const char *text, struct str *out)
{
    lines_write(text, "", "<br/>", out);
}
static void backslashes(const char *text, struct str *out)
{
    lines_write(text, "", " \\", out);
}
static void inline_asm(const char *text, struct str *out)
{
    lines_write(text, "        \"", "\\n\\t\"", out);
}
static void diff_added(const char *text, struct str *out)
{
    lines_write(text, "+", "", out);
}
static void diff_removed(const char *text, struct str *out)
{
    lines_write(text, "-", "", out);
}
static void trailing_commas(const char *text, struct str *out)
{
    lines_write(text, "", ",", out);
}

static void fence(const char *text, struct str *out)
{
    str_addf(out, "The loop is this:\n\n```asm\n%s```\n", text);
}

static void fence_quoted(const char *text, struct str *out)
{
    str_add(out, "> ```\n");
    lines_write(text, "> ", "", out);
    str_add(out, "> ```\n");
}

static void fence_open(const char *text, struct str *out)
{
    str_addf(out, "~~~nasm\n%s", text);
}

static void html_block(const char *text, struct str *out)
{
    str_addf(out, "<pre><code>%s</code></pre>\n", text);
}

/* Writes @text with the characters of @from as the entities @to. */
static void entities_write(const char *text, const char *from, const char *const *to,
                           struct str *out)
{
    for (; *text; text++) {
        const char *found = strchr(from, *text);
        if (found)
            str_add(out, to[found - from]);
        else
            str_add_char(out, *text);
    }
}

static void entities_named(const char *text, struct str *out)
{
    static const char *const to[] = {"&nbsp;&nbsp;", "&nbsp;"};
    entities_write(text, "\t ", to, out);
}

static void entities_decimal(const char *text, struct str *out)
{
    static const char *const to[] = {"&#160;", "&#32;", "&#37;", "&#36;", "&#40;", "&#41;"};
    entities_write(text, "\t %$()", to, out);
}

static void entities_hex(const char *text, struct str *out)
{
    static const char *const to[] = {"&#x9;", "&#xA0;", "&#x25;", "&#x2c;", "&#x5B;", "&#x5D;"};
    entities_write(text, "\t %,[]", to, out);
}

static void entities_words(const char *text, struct str *out)
{
    static const char *const to[] = {"&Tab;",    "&percnt;", "&dollar;", "&comma;",
                                     "&lbrack;", "&rbrack;", "&plus;",   "&ast;"};
    entities_write(text, "\t%$,[]+*", to, out);
}

/* Writes each line after its number in @format. */
static void numbered(const char *text, const char *format, struct str *out)
{
    struct line line = {.number = 40};
    while (line_next(&text, &line)) {
        str_addf(out, format, (unsigned)line.number);
        str_addf(out, "%.*s\n", (int)line.length, line.at);
    }
}

static void number_colon(const char *text, struct str *out)
{
    numbered(text, "%u: ", out);
}
static void number_bar(const char *text, struct str *out)
{
    numbered(text, "%4u | ", out);
}
static void number_blank(const char *text, struct str *out)
{
    numbered(text, "%6u  ", out);
}
static void number_dot(const char *text, struct str *out)
{
    numbered(text, "%u. ", out);
}
static void number_paren(const char *text, struct str *out)
{
    numbered(text, "%u) ", out);
}
static void number_l(const char *text, struct str *out)
{
    numbered(text, "L%u: ", out);
}
static void number_bracket(const char *text, struct str *out)
{
    numbered(text, "[%u] ", out);
}
static void number_file(const char *text, struct str *out)
{
    numbered(text, "dot.s:%u:", out);
}

/* Writes C source and the loop as the columns of one line. */
static void columns_write(const char *text, const char *between, bool source_first, struct str *out)
{
    static const char *const source[] = {"for (long i = 0; i < n; i++) {",
                                         "    s += a[i] * b[i];",
                                         "    if (s > 10)",
                                         "        break;",
                                         "}",
                                         "return s;",
                                         ""};
    struct line line = {0};
    while (line_next(&text, &line)) {
        const char *c = source[(line.number - 1) % 7];
        if (source_first)
            str_addf(out, "%-32s%s%.*s\n", c, between, (int)line.length, line.at);
        else
            str_addf(out, "%-40.*s%s%s\n", (int)line.length, line.at, between, c);
    }
}

static void columns_bar(const char *text, struct str *out)
{
    columns_write(text, "| ", true, out);
}
static void columns_bar_last(const char *text, struct str *out)
{
    columns_write(text, "| ", false, out);
}
static void columns_blank(const char *text, struct str *out)
{
    columns_write(text, "    ", true, out);
}
static void columns_tab(const char *text, struct str *out)
{
    columns_write(text, "\t\t", true, out);
}
static void columns_comment(const char *text, struct str *out)
{
    columns_write(text, "; ", false, out);
}
static void columns_table(const char *text, struct str *out)
{
    struct line line = {0};
    str_add(out, "| source | assembly |\n|---|---|\n");
    while (line_next(&text, &line))
        str_addf(out, "| `s += a[i];` | `%.*s` |\n", (int)line.length, line.at);
}

/* Writes @text without its first @from and its last @cut characters. */
static void part_write(const char *text, size_t from, size_t cut, struct str *out)
{
    const size_t length = strlen(text);
    str_add_bytes(out, text + from, length - from - cut);
}

static size_t first_line(const char *text)
{
    return strcspn(text, "\n") + 1;
}

static void cut_mnemonic(const char *text, struct str *out)
{
    part_write(text, first_line(text) + 3, 0, out);
}
static void cut_to_operands(const char *text, struct str *out)
{
    const char *line = text + first_line(text) + 1;
    part_write(text, (size_t)(line + strcspn(line, " \t") + 1 - text), 0, out);
}
static void cut_to_comma(const char *text, struct str *out)
{
    const char *line = text + first_line(text) + 1;
    part_write(text, (size_t)(line + strcspn(line, ",") + 1 - text), 0, out);
}
static void cut_target(const char *text, struct str *out)
{
    part_write(text, 0, 4, out);
}
static void cut_branch(const char *text, struct str *out)
{
    part_write(text, 0, 6, out);
}
static void cut_middle(const char *text, struct str *out)
{
    const char *last = strstr(text, "\n\tj");
    size_t cut = strlen(last);
    while (text[strlen(text) - cut - 1] != ',')
        cut++;
    part_write(text, 0, cut, out);
    str_addf(out, "%s", last);
}
/* Ends each line at column 18, as a narrow window does. */
static void cut_columns(const char *text, struct str *out)
{
    struct line line = {0};
    while (line_next(&text, &line))
        str_addf(out, "%.*s\n", (int)(line.length < 18 ? line.length : 18), line.at);
}
static void cut_columns_dots(const char *text, struct str *out)
{
    struct line line = {0};
    while (line_next(&text, &line))
        str_addf(out, "%.*s%s\n", (int)(line.length < 18 ? line.length : 18), line.at,
                 line.length > 18 ? "..." : "");
}
/* Breaks each line after its first comma, as a mail program may do. */
static void wrapped(const char *text, struct str *out)
{
    struct line line = {0};
    while (line_next(&text, &line)) {
        const char *comma = memchr(line.at, ',', line.length);
        const size_t first = comma ? (size_t)(comma + 1 - line.at) : line.length;
        str_addf(out, "%.*s\n", (int)first, line.at);
        if (comma)
            str_addf(out, "%.*s\n", (int)(line.length - first), line.at + first);
    }
}
static void one_line(const char *text, struct str *out)
{
    for (; *text; text++)
        str_add_char(out, *text == '\n' ? ' ' : *text);
    str_add_char(out, '\n');
}
static void semicolons(const char *text, struct str *out)
{
    for (; *text; text++)
        str_add(out, *text == '\n' ? "; " : (char[2]){*text, 0});
    str_add_char(out, '\n');
}
static void upper(const char *text, struct str *out)
{
    for (; *text; text++)
        str_add_char(out, (char)toupper((unsigned char)*text));
}
static void doubled(const char *text, struct str *out)
{
    for (; *text; text++)
        str_add(out, *text == '\n' ? "\r\n\r\n" : (char[2]){*text, 0});
}
static void typographic(const char *text, struct str *out)
{
    static const char *const to[] = {"\u2212", "\u2009", "\uff0c"};
    entities_write(text, "- ,", to, out);
}
static void cyrillic(const char *text, struct str *out)
{
    static const char *const to[] = {"\u0430"};
    entities_write(text, "a", to, out);
}

#define NUMBER_CHANGES 12
enum { INTEL = 1, ATT = 2, BOTH = 3 };
static const struct change {
    const char *name;
    void (*write)(const char *text, struct str *out);
    int syntaxes; /* syntaxes that exist with the change */
    bool read;    /* whether the copy must give the code */
} changes[] = {
    {"0x", hex_0x, BOTH, true},
    {"0..h", hex_h, INTEL, true},
    {"..h", hex_h_bare, INTEL, false},
    {"0..H", hex_upper, INTEL, true},
    {"hex $", hex_dollar, INTEL, false},
    {"hex $0", hex_dollar_0, INTEL, true},
    {"$", decimal_dollar, INTEL, false},
    {"#", decimal_hash, BOTH, false},
    {"#0x", hex_hash, BOTH, false},
    {"..t", decimal_t, INTEL, true},
    {".radix", radix_16, BOTH, false},
    {"radix", radix_16_dotless, BOTH, false},
    {">", quote, BOTH, true},
    {"> >", quote_2, BOTH, true},
    {"-", bullets, BOTH, false},
    {"`", ticks, BOTH, false},
    {"<br>", breaks, BOTH, false},
    {"<br/>", breaks_closed, BOTH, false},
    {"\\", backslashes, BOTH, false},
    {"inline asm", inline_asm, BOTH, false},
    {"+", diff_added, BOTH, false},
    {"- of a diff", diff_removed, BOTH, false},
    {"trailing ,", trailing_commas, BOTH, false},
    {"```", fence, BOTH, true},
    {"> ```", fence_quoted, BOTH, true},
    {"~~~", fence_open, BOTH, true},
    {"<pre>", html_block, BOTH, false},
    {"&nbsp;", entities_named, BOTH, true},
    {"&#32;", entities_decimal, BOTH, false},
    {"&#xA0;", entities_hex, BOTH, false},
    {"&percnt;", entities_words, BOTH, false},
    {"1:", number_colon, BOTH, true},
    {"1 |", number_bar, BOTH, true},
    {"1", number_blank, BOTH, true},
    {"1.", number_dot, BOTH, true},
    {"1)", number_paren, BOTH, true},
    {"L1:", number_l, BOTH, true},
    {"[1]", number_bracket, BOTH, false},
    {"file:1:", number_file, BOTH, false},
    {"source | code", columns_bar, BOTH, false},
    {"code | source", columns_bar_last, BOTH, false},
    {"source  code", columns_blank, BOTH, false},
    {"source tab code", columns_tab, BOTH, false},
    {"code ; source", columns_comment, INTEL, true},
    {"table", columns_table, BOTH, false},
    {"half a mnemonic", cut_mnemonic, BOTH, false},
    {"no mnemonic", cut_to_operands, BOTH, false},
    {"last operand", cut_to_comma, BOTH, false},
    {"no target", cut_target, BOTH, false},
    {"half a branch", cut_branch, BOTH, false},
    {"half a line", cut_middle, BOTH, false},
    {"18 columns", cut_columns, BOTH, false},
    {"18 columns ...", cut_columns_dots, BOTH, false},
    {"broken lines", wrapped, BOTH, false},
    {"one line", one_line, BOTH, false},
    {";", semicolons, BOTH, true},
    {"upper case", upper, BOTH, true},
    {"empty lines", doubled, BOTH, true},
    {"typographic", typographic, BOTH, false},
    {"cyrillic", cyrillic, BOTH, false},
};

static bool same_code(const struct kernel *k, const struct kernel *truth)
{
    size_t count, true_count;
    const struct insn *insns = kernel_insns(k, 0, &count),
                      *true_insns = kernel_insns(truth, 0, &true_count);

    if (count != true_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (insns[i].length != true_insns[i].length ||
            memcmp(insns[i].bytes, true_insns[i].bytes, insns[i].length) != 0)
            return false;
    return true;
}

/* Returns whether the changed copy of @text gives the code of @truth, lists a damaged line, or is
 * refused with a reason and a remedy. */
static bool is_right(const struct change *change, const char *text, const struct kernel *truth)
{
    struct str changed = {0};
    struct err err = {0};

    change->write(text, &changed);
    struct kernel *k = kernel_from_text("changed", str_text(&changed), changed.length, NULL, &err);
    const bool same = k && same_code(k, truth), right = change->read ? same
                                                        : k          ? same || k->left_out_count
                                                            : *err.what && *err.todo && err.line;
    if (!right) {
        print_error("%s: %s: %s; %s\n%s\n", change->name, k ? "other code" : "refused", err.what,
                    err.todo, str_text(&changed));
        for (size_t i = 0; k && i < k->insn_count; i++)
            print_error("    %s\n", insn_shown(&k->insns[i]));
    }
    kernel_free(k);
    str_done(&changed);
    return right;
}

/* Takes three loops for each change of numbers, and one for each other change. */
static void test_changes(void **state)
{
    bool ok = true;

    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
        for (size_t i = 0; i < (c < NUMBER_CHANGES ? 3 : 1); i++) {
            const size_t loop = (c + i) % LOOPS;
            struct kernel *truth = kernel_of(intel[loop]);
            if (changes[c].syntaxes & INTEL)
                ok &= is_right(&changes[c], intel[loop], truth);
            if (changes[c].syntaxes & ATT)
                ok &= is_right(&changes[c], att[loop], truth);
            kernel_free(truth);
        }
    assert_true(ok);
}

/* Text that means other code than that of x86-64 is refused at its line. */
static void test_other_code(void **state)
{
    static const struct {
        const char *text;
        size_t line;
    } texts[] = {
        {".code32\n1: addl %eax, %edx\ndecl %ecx\njne 1b\n", 1},
        {"\tnop\n.code16\n1: addl %eax, %edx\ndecl %ecx\njne 1b\n", 2},
        {"bits 32\nloop1:\nadd edx, eax\ndec ecx\njnz loop1\n", 1},
        {"[BITS 32]\nloop1:\nadd edx, eax\ndec ecx\njnz loop1\n", 1},
        {"USE32\nloop1:\nadd edx, eax\ndec ecx\njnz loop1\n", 1},
        {"\t.686P\n\t.model flat\nL1:\nadd edx, eax\ndec ecx\njnz L1\n", 1},
        {"\t.MODEL small\nL1:\nadd dx, ax\ndec cx\njnz L1\n", 1},
        {".code32; 1: addl %eax, %edx\n.code64\ndecl %ecx; jne 1b\n", 1},
        {"f: .code32\n1: addl %eax, %edx\ndecl %ecx\njne 1b\n", 1},
        {"\t.286p\nL1:\nadd dx, ax\ndec cx\njnz L1\n", 1},
        {".8086\nL1:\nadd dx, ax\ndec cx\njnz L1\n", 1},
        {".code64\nnop\n.code32\n1: addl %eax, %edx\ndecl %ecx\njne 1b\n", 3},
        {"L1:\nmov dword ptr [rdi], $16\nadd rdi, $16\njne L1\n", 2},
        {"1: movl (%ebx,%ecx,4), %eax\naddl %eax, %edx\njne 1b\n", 1},
        {"L1:\nmov eax, DWORD PTR [esi+ecx*4-4]\nadd edx, eax\njne L1\n", 2},
        {"a.o:     file format elf32-i386\n\n   0:\t01 c2  \tadd    %eax,%edx\n"
         "   2:\t75 fc  \tjne    0 <f>\n",
         1},
        {"   0:\t01 c2  \tadd    %eax,%edx\n   2:\t49     \tdec    %ecx\n"
         "   3:\t75 fb  \tjne    0 <f>\n",
         2},
        {"   0:\t55     \tpush   %ebp\n   1:\t5d     \tpop    %ebp\n"
         "   2:\t75 fc  \tjne    0 <f>\n",
         1},
        {"   0:\t8b 44 8e fc  \tmov    eax,DWORD PTR [esi+ecx*4-0x4]\n"
         "   4:\t75 fa        \tjne    0 <f>\n",
         1},
        {"0057BD00:  03 d0       add     edx, eax\n0057BD02:  48          dec     eax\n"
         "0057BD03:  89 51 fc    mov     dword ptr [ecx - 4], edx\n",
         2},
        {".L3:\n\tlw a5,0(a0)\n\taddw a4,a4,a5\n\tbne a0,a3,.L3\n", 2},
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = {0};
        struct kernel *k =
            kernel_from_text("other", texts[i].text, strlen(texts[i].text), NULL, &err);
        if (k || err.line != texts[i].line || !*err.what || !*err.todo)
            fail_msg("%s at line %zu:\n%s%s\n", k ? "loaded" : "refused", err.line, texts[i].text,
                     err.what);
    }
}

/* The same text with its instruction set given, and listings of addresses of 32 bits in 64-bit
 * code, are loaded. */
static void test_narrow_addresses(void **state)
{
    static const char text[] = "1: movl (%ebx,%ecx,4), %eax\naddl %eax, %edx\njne 1b\n";
    const struct kernel_options given = {.isa = ISA_X86_64, .isa_given = true};

    kernel_free(kernel_with(text, &given));
    kernel_free(kernel_of("   0:\t67 8b 44 8e fc  \tmov    -0x4(%esi,%ecx,4),%eax\n"
                          "   5:\t48 ff c9        \tdec    %rcx\n"
                          "   8:\t75 f6           \tjne    0 <f>\n"));
}

/* Code of 16 or 32 bits is refused even if invalid lines are skipped. The message does not advise
 * to skip lines. Each text also has lines that are valid 64-bit code. */
static void test_narrow_not_skipped(void **state)
{
    static const char *const texts[] = {
        "   0:\t8b 06   \tmov    (%esi),%eax\n   2:\t01 c2   \tadd    %eax,%edx\n"
        "   4:\t41      \tinc    %ecx\n   5:\t75 f9   \tjne    0 <f>\n",
        ".code32\n1: addl %eax, %edx\ndecl %ecx\njne 1b\n",
        "a.o:     file format elf32-i386\n\n   0:\t01 c2  \tadd    %eax,%edx\n"
        "   2:\t75 fc  \tjne    0 <f>\n"};

    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i / 2];
        const struct kernel_options options = {.skip_bad = i % 2};
        struct err err = {0};
        struct kernel *k = kernel_from_text("narrow", text, strlen(text), &options, &err);
        if (k || !err.line || !strstr(err.todo, "-m64") || strstr(err.todo, "--skip-bad"))
            fail_msg("%s: %s; %s\n%s\n", k ? "loaded" : "refused", err.what, err.todo, text);
    }
}

/* The mode of code is that of the last directive before it. */
static void test_wide_modes(void **state)
{
    static const char *const texts[] = {
        "\t.x64\n\t.model flat, fastcall\nL1:\nadd edx, eax\ndec ecx\njnz L1\n",
        ".code32\n.globl f\nf:\n.code64\n.L1: addl %eax, %edx\ndecl %ecx\njne .L1\n",
        ".code64\n.L1: addl %eax, %edx\ndecl %ecx\njne .L1\n.code32\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        kernel_free(kernel_of(texts[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes),
                                       cmocka_unit_test(test_other_code),
                                       cmocka_unit_test(test_narrow_addresses),
                                       cmocka_unit_test(test_narrow_not_skipped),
                                       cmocka_unit_test(test_wide_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
