/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/program_options.h"

#include <glob.h>
#include <string.h>

#include "cmd/complete.h"
#include "cmd/settings.h"

const struct program_option program_options[] = {
    {'b', "batch", NULL, "run a script of commands", SHELL_NOTHING},
    {'e', "execute", "COMMANDS", "run commands, then quit; can be repeated", SHELL_COMMANDS},
    {OPTION_MACHINE, "machine", "ID", "machine to show (native: this CPU); can be repeated",
     SHELL_MACHINES},
    {OPTION_SESSION, "session", "DIR", "resume a saved session", SHELL_DIRECTORY},
    {OPTION_NO_COLOR, "no-color", NULL, "do not use colours", SHELL_NOTHING},
    {OPTION_COMPLETE, "complete", "COMMANDS",
     "print completions of an unfinished command, for shells", SHELL_NOTHING},
    {OPTION_NO_RC, "no-rc", NULL, "open the workbench without the commands of portolan/rc",
     SHELL_NOTHING},
    {'h', "help", NULL, "print this text, then quit", SHELL_NOTHING},
    {'V', "version", NULL, "print the version, then quit", SHELL_NOTHING},
    {0, NULL, NULL, NULL, SHELL_NOTHING},
};

static void print_line(int letter, const char *name, const char *takes, const char *help,
                       struct str *out)
{
    char option[64], short_form[8] = "    ";

    if (letter < OPTION_MACHINE && letter)
        snprintf(short_form, sizeof short_form, "-%c, ", letter);
    snprintf(option, sizeof option, "--%s%s%s", name, takes ? " " : "", takes ? takes : "");
    str_addf(out, "  %s%-20s  %s", short_form, option, help);
}

/* Returns the placeholder for the value of a setting; NULL for a switch. */
static const char *setting_takes(const struct setting *setting)
{
    return setting->kind == SETTING_SWITCH  ? NULL
           : setting->kind == SETTING_COUNT ? "N"
           : setting->kind == SETTING_TEXT  ? "TEXT"
                                            : "NAME";
}

void program_options_print(struct str *out)
{
    for (const struct program_option *o = program_options; o->name; o++) {
        print_line(o->value, o->name, o->takes, o->help, out);
        str_add_char(out, '\n');
    }
    for (const struct setting *setting = settings_table; setting->name; setting++) {
        print_line(0, setting->name, setting_takes(setting), setting->help, out);
        if (setting_takes(setting)) {
            str_add(out, ": ");
            setting_range(setting, out);
            str_addf(out, " (default: %s)", setting->initial);
        }
        str_add_char(out, '\n');
    }
}

/* Adds the alternatives of a setting, separated by blanks. */
static void add_choices(const struct setting *setting, struct str *out)
{
    for (const char *c = setting->choices; c && *c; c++)
        str_add_char(out, *c == '|' ? ' ' : *c);
}

static void add_words(struct str *out)
{
    for (const struct program_option *o = program_options; o->name; o++) {
        if (o->value < OPTION_MACHINE)
            str_addf(out, "-%c ", o->value);
        str_addf(out, "--%s ", o->name);
    }
    for (const struct setting *setting = settings_table; setting->name; setting++)
        str_addf(out, "--%s%s", setting->name, setting[1].name ? " " : "");
}

#define MACHINES_COMMAND                                                                           \
    "--format csv -e 'machine list' 2>/dev/null | sed '1d; /^$/d; /^name,/d; s/,.*//'"

static void write_bash(struct str *out)
{
    str_add(out, "_portolan()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} "
                 "before=${COMP_WORDS[COMP_CWORD-1]}\n    COMPREPLY=()\n    case $before in\n");
    for (const struct program_option *o = program_options; o->name; o++) {
        if (!o->takes)
            continue;
        str_add(out, "    ");
        if (o->value < OPTION_MACHINE)
            str_addf(out, "-%c|", o->value);
        str_addf(out, "--%s) ", o->name);
        if (o->complete == SHELL_COMMANDS)
            str_add(out, "mapfile -t COMPREPLY < <(\"$1\" --complete \"${word#[\\'\\\"]}\" "
                         "2>/dev/null); compopt -o nospace; return ;;\n");
        else if (o->complete == SHELL_MACHINES)
            str_add(out, "COMPREPLY=($(compgen -W \"native $(\"$1\" " MACHINES_COMMAND
                         ")\" -- \"$word\")); return ;;\n");
        else if (o->complete == SHELL_DIRECTORY)
            str_add(out, "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); "
                         "return ;;\n");
        else if (o->complete == SHELL_FILE)
            str_add(out, "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); "
                         "return ;;\n");
        else
            str_add(out, "return ;;\n");
    }
    for (const struct setting *setting = settings_table; setting->name; setting++) {
        if (!setting_takes(setting))
            continue;
        str_addf(out, "    --%s) COMPREPLY=($(compgen -W '", setting->name);
        add_choices(setting, out);
        str_add(out, "' -- \"$word\")); return ;;\n");
    }
    str_add(out, "    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W '");
    add_words(out);
    str_add(out, "' -- \"$word\")) ;;\n    *) compopt -o filenames; mapfile -t COMPREPLY < "
                 "<(compgen -f -- \"$word\") ;;\n    esac\n}\ncomplete -F _portolan portolan\n");
}

/* Appends @text, escaped for single quotes of fish. If @brackets is true, escapes for those of zsh
 * and for the characters that its _arguments interprets. */
static void add_quoted(struct str *out, const char *text, bool brackets)
{
    for (; *text; text++)
        str_addf(out,
                 *text == '\''                        ? brackets ? "'\\''" : "\\'"
                 : brackets && strchr("[]:\\", *text) ? "\\%c"
                                                      : "%c",
                 *text);
}

static void write_zsh_option(int letter, const char *name, const char *takes, const char *help,
                             const char *action, struct str *out)
{
    bool has_letter = letter && letter < OPTION_MACHINE;

    if (has_letter)
        str_addf(out, "    '*'{-%c,--%s}'[", letter, name);
    else
        str_addf(out, "    '*--%s[", name);
    add_quoted(out, help, true);
    str_add(out, takes ? "]:" : "]");
    if (takes)
        str_addf(out, "%s:%s", takes, action);
    str_add(out, "' \\\n");
}

static void write_zsh(struct str *out)
{
    static const char *const actions[] = {" ", "_portolan_commands", "_portolan_machines",
                                          "_files -/", "_files"};
    struct str words = {0};

    str_add(out,
            "#compdef portolan\n\n"
            "_portolan_commands()\n{\n    local -a lines\n    lines=(\"${(@f)$(\"$words[1]\" "
            "--complete \"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
            "    [[ -n $lines ]] && compadd -U -S '' -- \"${lines[@]}\"\n}\n\n"
            "_portolan_machines()\n{\n    local -a ids\n    ids=(native "
            "${(f)\"$(\"$words[1]\" " MACHINES_COMMAND ")\"})\n    compadd -- \"${ids[@]}\"\n}\n\n"
            "_arguments -s -S \\\n");
    for (const struct program_option *o = program_options; o->name; o++)
        write_zsh_option(o->value, o->name, o->takes, o->help, actions[o->complete], out);
    for (const struct setting *setting = settings_table; setting->name; setting++) {
        str_clear(&words);
        if (setting->choices) {
            str_add(&words, "(");
            add_choices(setting, &words);
            str_add(&words, ")");
        }
        write_zsh_option(0, setting->name, setting_takes(setting), setting->help,
                         words.length ? str_text(&words) : " ", out);
    }
    str_add(out, "    '*:file:_files'\n");
    str_done(&words);
}

static void write_fish_option(int letter, const char *name, bool takes, const char *help,
                              const char *values, struct str *out)
{
    str_add(out, "complete -c portolan");
    if (letter && letter < OPTION_MACHINE)
        str_addf(out, " -s %c", letter);
    str_addf(out, " -l %s%s", name, takes ? " -x" : "");
    if (*values)
        str_addf(out, " -a '%s'", values);
    str_add(out, " -d '");
    add_quoted(out, help, false);
    str_add(out, "'\n");
}

static void write_fish(struct str *out)
{
    static const char *const values[] = {"", "(__portolan_commands)",
                                         "native (__portolan_machines)",
                                         "(__fish_complete_directories)", "(__fish_complete_path)"};
    struct str words = {0};

    str_add(out, "function __portolan_commands\n    set -l words (commandline -opc)\n"
                 "    $words[1] --complete (string replace -r \"^['\\\"]\" '' -- (commandline "
                 "-ct)) 2>/dev/null\nend\n\n"
                 "function __portolan_machines\n    set -l words (commandline -opc)\n    "
                 "$words[1] " MACHINES_COMMAND "\nend\n\n");
    for (const struct program_option *o = program_options; o->name; o++)
        write_fish_option(o->value, o->name, o->takes, o->help, values[o->complete], out);
    for (const struct setting *setting = settings_table; setting->name; setting++) {
        str_clear(&words);
        add_choices(setting, &words);
        write_fish_option(0, setting->name, setting_takes(setting), setting->help, str_text(&words),
                          out);
    }
    str_done(&words);
}

bool program_options_script(const char *shell, struct str *out)
{
    if (strcmp(shell, "bash") == 0)
        write_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        write_zsh(out);
    else if (strcmp(shell, "fish") == 0)
        write_fish(out);
    else
        return false;
    return true;
}

void program_complete(struct session *s, const char *line, struct str *out)
{
    size_t end = strlen(line), start = end;
    struct completions c;

    while (start && !strchr(" \t;", line[start - 1]))
        start--;
    complete_line(s, line, start, end, &c);
    for (size_t i = 0; i < c.items.count; i++)
        str_addf(out, "%.*s%s\n", (int)start, line, c.items.items[i]);
    if (c.files) {
        struct str pattern = {0};
        glob_t found = {0};
        str_addf(&pattern, "%s*", line + start);
        if (glob(str_text(&pattern), GLOB_MARK | GLOB_NOESCAPE, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc; i++)
                str_addf(out, "%.*s%s\n", (int)start, line, found.gl_pathv[i]);
        globfree(&found);
        str_done(&pattern);
    }
    vec_free_texts(&c.items);
}
