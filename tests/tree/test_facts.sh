#!/bin/sh
# Shows that the program reads every fact of the schema. A fact is read if its key occurs in a call
# with a key as argument. A fact that is a member of struct core (analysis/core.h) is read if the
# member is used. Prints TAP. The counts are in the log.
set -eu
source=${PORTOLAN_SRC:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^    {"\([a-z_]*\)", .*FACT_.*\|^    {"\([a-z_]*\)", YES_OR_NO.*/\1\2/p' "$source/src/model/facts.c" | sort >"$work/keys"
find "$source/src" -name "*.c" ! -path "*/model/facts.c" -exec cat {} + >"$work/code"
cat "$source"/src/analysis/*.[ch] "$source"/src/simulate/*.[ch] "$source"/src/report/*.[ch] >"$work/analysis"
{
    sed -n '/^#define CORE_/,/[^\\]$/p' "$source/src/analysis/core.h" | grep -oE 'X\([a-z0-9_]+\)' | sed 's/X(\(.*\))/\1 \1 0/'
    sed -n 's/.*c->\([a-z_]*\) = !*machine_has(m, "\([a-z_]*\)".*/\2 \1 1/p' "$source/src/analysis/core.c"   # set in one place
} >"$work/members"

while read -r key; do
    members=$(awk -v key="$key" '$1 == key { print $2 }' "$work/members")
    if [ -n "$members" ]; then
        count=$(grep -cE -- "->$members\b" "$work/analysis" || true)
        count=$((count - $(awk -v key="$key" '$1 == key { n += $3 } END { print n + 0 }' "$work/members")))
    else
        count=$(grep -cE "(fact_number|fact_switch|machine_fact|machine_has|machine_number|ports_fact)\([^\"]*\"$key\"" "$work/code" || true)
    fi
    echo "$key $count"
done <"$work/keys" >"$work/counts"
awk '$2 < 1 { print $1 " is read by nobody" }' "$work/counts" >"$work/faults"
sed 's/^/# reads of /' "$work/counts"
echo 1..2
failed=0
if [ "$(wc -l <"$work/keys")" -ge 50 ]; then echo "ok 1 - the schema is found"; else echo "not ok 1 - the schema is found"; failed=1; fi
if [ -s "$work/faults" ]; then
    sed 's/^/# /' "$work/faults"
    echo "not ok 2 - every fact has a reader"
    failed=1
else
    echo "ok 2 - every fact has a reader"
fi
exit $failed
