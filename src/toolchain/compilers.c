/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/compilers.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

#define ENDINGS 10
#define NAMES 12
#define INSTALLED 16   /* maximum number of programs compared to detect duplicates */

/* Languages by file extension, with their compilers in order of preference. */
static const struct {
    const char *endings[ENDINGS], *names[NAMES];
} languages[] = {
    [SOURCE_IN_C] = {{".c"},
                     {"cc", "gcc", "clang", "clang-20", "clang-19", "clang-18", "clang-17",
                      "clang-16", "clang-15", "clang-14"}},
    [SOURCE_IN_CPLUSPLUS] = {{".cc", ".cpp", ".cxx", ".c++", ".C"},
                             {"c++", "g++", "clang++", "clang++-20", "clang++-19", "clang++-18",
                              "clang++-17", "clang++-16", "clang++-15", "clang++-14"}},
    [SOURCE_IN_FORTRAN] = {{".f90", ".F90", ".f95", ".F95", ".f03", ".f08", ".f", ".F", ".for"},
                           {"gfortran", "flang", "flang-20", "flang-new-19", "flang-new-18"}},
    [SOURCE_IN_ASSEMBLER] = {{".S", ".sx"},
                             {"cc", "gcc", "clang", "clang-20", "clang-19", "clang-18", "clang-17",
                              "clang-16", "clang-15", "clang-14"}},
};

static bool is_one_of(const char *word, size_t length, const char *const *list, size_t most)
{
    for (size_t i = 0; i < most && list[i]; i++)
        if (strlen(list[i]) == length && strncmp(word, list[i], length) == 0)
            return true;
    return false;
}

enum source_language compiler_language(const char *path)
{
    const char *dot = strrchr(path, '.');

    for (int l = SOURCE_IN_C; dot && l <= SOURCE_IN_ASSEMBLER; l++)
        if (is_one_of(dot, strlen(dot), languages[l].endings, ENDINGS))
            return (enum source_language)l;
    return SOURCE_IN_NONE;
}

static size_t stem_length(const char *name)
{
    size_t whole = strlen(name), length = whole;

    while (length && (isdigit((unsigned char)name[length - 1]) || name[length - 1] == '.'))
        length--;
    return length > 1 && length < whole && name[length - 1] == '-' ? length - 1 : whole;
}

bool compiler_allowed(const char *name, struct err *err)
{
    static const char *const known[] = {"cc",      "gcc",      "clang", "c++",      "g++",
                                        "clang++", "gfortran", "flang", "flang-new"};

    return is_one_of(name, stem_length(name), known, sizeof known / sizeof *known) ||
           err_set(err, ERR_USAGE,
                   "use cc, gcc, clang, c++, g++, clang++, gfortran or flang, as in gcc-12",
                   "the compiler \"%.100s\" is not allowed", name);
}

/* Returns whether @name is an LLVM compiler. Such a compiler supports every instruction set. */
static bool takes_triple(const char *name)
{
    return str_has_prefix(name, "clang") || str_has_prefix(name, "flang");
}

void compiler_program(const char *name, enum isa isa, struct str *out)
{
    if (isa != isa_host() && !takes_triple(name)) {
        str_addf(out, "%s-", isa_ops(isa)->tool_prefix);
        name = strcmp(name, "cc") == 0 ? "gcc" : strcmp(name, "c++") == 0 ? "g++" : name;
    }
    str_add(out, name);
}

void compiler_set_option(const char *name, enum isa isa, struct str *out)
{
    if (isa != isa_host() && takes_triple(name))
        str_addf(out, "--target=%s", isa_ops(isa)->tool_prefix);
    else if (isa_ops(isa)->word_option && !str_has_prefix(name, "flang"))
        str_add(out, isa_ops(isa)->word_option);
}

/* Finds program @name and stores its path with links resolved. Returns false if it is missing. */
static bool find_program(const char *name, char out[PATH_MAX])
{
    char *path = path_find_program(name);
    const bool found = path && realpath(path, out);

    free(path);
    return found;
}

size_t compilers_installed(enum source_language language, enum isa isa, const char **out,
                           size_t most)
{
    char *places[INSTALLED];
    size_t count = 0;

    most = most < INSTALLED ? most : INSTALLED;
    for (size_t i = 0; i < NAMES && languages[language].names[i] && count < most; i++) {
        const char *name = languages[language].names[i];
        char place[PATH_MAX];
        struct str program = {0};
        compiler_program(name, isa, &program);
        bool fresh = find_program(str_text(&program), place);
        for (size_t k = 0; k < count && fresh; k++)
            fresh = strcmp(places[k], place) != 0;
        if (fresh) {
            places[count] = mem_strdup(place);
            out[count++] = name;
        }
        str_done(&program);
    }
    for (size_t k = 0; k < count; k++)
        free(places[k]);
    return count;
}

const char *compiler_default(enum source_language language, enum isa isa)
{
    const char *first;

    return compilers_installed(language, isa, &first, 1) ? first : languages[language].names[0];
}
