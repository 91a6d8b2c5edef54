#!/bin/sh
# Puts the command table of the built program into man/portolan.1. Run from the build directory: sh tools/make-man.sh [SOURCE]
set -eu
page=${1:-.}/man/portolan.1
commands=$(mktemp)
trap 'rm -f "$commands"' EXIT
./portolan -e 'help --man' >"$commands"
grep -q "commands end" "$page"
awk -v commands="$commands" '
    /^\.\\" commands end/ { skip = 0 }
    !skip { print }
    /^\.\\" commands begin/ { skip = 1; while ((getline line < commands) > 0) print line }
' "$page" >"$page.new"
mv "$page.new" "$page"
