#!/bin/sh
# Writes the tables of commands and keys of the built program to man/portolan-commands.7, its facts
# of machines to man/portolan-machine.5, and the shell completions to completion/. Run from the
# build directory: sh tools/make-man.sh [SOURCE]
set -eu
man=${1:-.}/man
completion=${1:-.}/completion
text=$(mktemp)
trap 'rm -f "$text"' EXIT

section() {   # PAGE NAME COMMAND: puts the output of COMMAND between the page's marks NAME begin and NAME end
    ./portolan -e "$3" >"$text"
    grep -q "$2 end" "$1"
    awk -v text="$text" -v name="$2" '
        index($0, ".\\\" " name " end") == 1 { skip = 0 }
        !skip { print }
        index($0, ".\\\" " name " begin") == 1 { skip = 1; while ((getline line < text) > 0) print line }
    ' "$1" >"$1.new"
    mv "$1.new" "$1"
}

section "$man/portolan-commands.7" commands 'help --man'
section "$man/portolan-commands.7" keys 'keys --man'
section "$man/portolan-machine.5" facts 'help facts --man'
for shell in bash/portolan zsh/_portolan fish/portolan.fish; do
    ./portolan -e "help --completion ${shell%/*}" >"$text"
    cp "$text" "$completion/$shell"
done
