#!/bin/sh
# Compares latencies between all operands with the machine's table, for all forms that this CPU can
# measure. Takes minutes. FORMS="'MUL*' 'LEA*'" selects fewer. Prints TAP. The log lists differences
# of a cycle or more, most frequent forms first.
set -eu
portolan=${PORTOLAN:-./portolan}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! "$portolan" -b --format csv -e "machine check ${FORMS:-'*'} --seconds 3600" >"$work/csv" 2>"$work/err"; then
    echo "1..0 # skip: $(head -1 "$work/err")"
    exit 0
fi
# Prints form|quantity|measured|predicted for each latency that has both values.
sed -n 's/^"\([^"]*\)",/\1|/p; s/^\([^",|]*\),/\1|/p' "$work/csv" | awk -F'|' '{ split($2, cell, ","); if (cell[1] ~ /^latency/ && cell[2] != "" && cell[4] != "") print $1 "|" cell[1] "|" cell[2] "|" cell[4] }' >"$work/rows"
awk -F'|' '{ all++; d = $3 - $4; if (d >= 0.95 || d <= -0.95) { differ++; printf "# %s, %s: %.2f, table %.2f\n", $1, $2, $3, $4 } }
    END { printf "# %d of %d latencies agree within a cycle\n", all - differ, all; exit !(all > 0 && differ <= 0.1 * all) }' "$work/rows" >"$work/log" && ok=ok || ok="not ok"
cat "$work/log"
echo "1..1"
echo "$ok 1 - nine of ten latencies of the table are those measured"
test "$ok" = ok
