#!/bin/sh
# Shows that the include graph of src/ is that of docs/design.md, which calls the directories of
# src/ rooms. Each room may include the rooms that its line of the list names. These must precede
# the room in the list, so includes form no cycle.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# A line that begins with spaces continues the previous line.
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

# Within a room, X.c and X.h are one module, and modules must not include each other in a cycle.
# Modules without includes, or that no module includes, are removed repeatedly. The remaining
# modules are on a cycle. A header X_PART.h without a .c file has no code. It extends the types of X
# for the files of X.
rings() {
    (cd "$source/src" && find . -mindepth 2 -name '*.[ch]' -exec grep -HoE '^#include "[a-z0-9_/]+\.h"' {} +) | sed 's|^\./||; s|:#include "| |; s|\.h"$||' |
        awk '{ file = $1; sub(/\.[ch]$/, "", $1); code[$1] = code[$1] || file ~ /c$/
                split($1, a, "/"); split($2, b, "/"); if (a[1] == b[1] && $1 != $2) edges[$1 " " $2] }
            END { for (pair in edges) { split(pair, n, " "); if (!code[n[1]] && index(n[1], n[2] "_") == 1) delete edges[pair] }
                do { split("", from); split("", to); left = 0
                    for (pair in edges) { split(pair, n, " "); from[n[1]]; to[n[2]] }
                    for (pair in edges) { split(pair, n, " "); if (!(n[1] in to) || !(n[2] in from)) { delete edges[pair]; left = 1 } }
                } while (left)
                for (pair in edges) { split(pair, n, " "); print n[1] " includes " n[2] ": both are in a ring" } }' | sort
}
test_no_ring_within_a_room() {
    rings >"$work/found"
    none_of "$work/found"
}

run_tests
