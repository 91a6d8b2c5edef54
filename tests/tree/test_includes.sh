#!/bin/sh
# Shown by: the include graph of src/ is the one that docs/design.md draws. Each room may include
# the rooms that its line there names, all of which stand above it, so that no arrow points up and
# no circle closes.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# A line that begins with spaces continues the one before.
awk '/^```rooms$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/design.md" | sed -e ':next' -e 'N' -e '$!b next' -e 's/\n  */ /g' >"$work/rooms"
(cd "$source" && find src -mindepth 2 -name '*.[ch]' -exec grep -HoE '^#include "[a-z0-9_]+/' {} +) | sort -u |
    awk -F'[:"]' '{ split($1, part, "/"); sub(/\/$/, "", $3); if ($3 != part[2]) print part[2], $3, $1 }' >"$work/includes"
[ -s "$work/includes" ] || fail 'no include was found'
find "$source/src" -mindepth 1 -maxdepth 1 -type d ! -name '.*' -exec basename {} \; | sort >"$work/directories"

# Each line of the file is a fault.
none_of() { [ ! -s "$1" ] || fail "$(cat "$1")"; }

test_rooms_are_listed() {
    sed 's/:.*//' "$work/rooms" | sort | diff - "$work/directories" >"$work/found" || true
    none_of "$work/found"
}

test_rooms_stand_below_what_they_include() {
    awk -F: '{ n = split($2, names, " ")
        for (i = 1; i <= n; i++) if (!(names[i] in seen)) print $1 " may include " names[i] ", which does not stand above it"
        seen[$1] = 1 }' "$work/rooms" >"$work/found"
    none_of "$work/found"
}

test_files_include_what_their_room_may() {
    awk 'FILENAME == ARGV[1] { split($0, half, ":"); n = split(half[2], names, " "); for (i = 1; i <= n; i++) may[half[1] " " names[i]] = 1; next }
        !(($1 " " $2) in may) { print $3 " includes " $2 "/, which docs/design.md does not let " $1 " do" }' "$work/rooms" "$work/includes" >"$work/found"
    none_of "$work/found"
}

# Within a room no two files include each other: a header stands below what includes it. What X.c
# alone includes, besides its own .c, is a part of X, which uses X's types. So is
# X_PART.h without a .c of its own: it holds no code, the files of X share it.
circles() {
    (cd "$source/src" && find . -mindepth 2 -name '*.[ch]' -exec grep -HoE '^#include "[a-z0-9_/]+\.h"' {} +) | sed 's|^\./||; s|:#include "| |; s|\.h"$||' |
        awk '{ from = $1; sub(/\.[ch]$/, "", from); if (from == $2) next
                by[$2] = by[$2] " " $1; split(from, a, "/"); split($2, b, "/"); if (a[1] == b[1]) includes[from " " $2] = 1 }
            END { for (pair in includes) { split(pair, n, " "); if (n[1] < n[2] && (n[2] " " n[1]) in includes && by[n[2]] != " " n[1] ".c" && by[n[1]] != " " n[2] ".c") print pair } }' |
        while read -r a b; do case $b in "$a"_*) [ -e "$source/src/$b.c" ] || continue ;; esac; echo "$a and $b include each other"; done
}
test_files_of_a_room_do_not_include_each_other() {
    circles >"$work/found"
    none_of "$work/found"
}

run_tests
