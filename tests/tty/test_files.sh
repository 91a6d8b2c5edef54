#!/bin/sh
# What the program does to files when it is interrupted, limited or meets files that it did not make.
portolan=${PORTOLAN:-./portolan}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
check() { if eval "$2"; then echo "ok: $1"; else echo "FAIL: $1"; failed=1; fi; }

# Cancelling keeps the rows that were measured.
{ echo hex; i=0; while [ $i -lt 2000 ]; do echo 4801d8; i=$((i + 1)); done; } >"$work/blocks.csv"
"$portolan" -e "kernel measure --file $work/blocks.csv --out $work/rows.csv" >"$work/out" 2>&1 &
measuring=$!
waited=0
lines() { if [ -f "$work/rows.csv" ]; then wc -l <"$work/rows.csv"; else echo 0; fi; }
while [ "$(lines)" -lt 4 ] && kill -0 $measuring 2>/dev/null && [ $waited -lt 300 ]; do sleep 0.1; waited=$((waited + 1)); done
kill -INT $measuring
wait $measuring
status=$?
if [ $status -eq 1 ] && ! "$portolan" -e 'machine calibrate' >/dev/null 2>&1; then
    echo "no sandbox here: $(cat "$work/out")"
else
    check 'rows come as they are measured, and stay when it is cancelled' '[ "$(lines)" -ge 4 ] && [ "$(lines)" -lt 2000 ] && [ $status -eq 130 ]'
    check 'each row is whole' '! grep -vq "^hex,cycles,spread,state$\|^4801d8,[0-9.]*,[0-9.e-]*,.*[a-z]$" "$work/rows.csv"'
fi

# A limit on sizes is an error with a message; what was there stays.
echo old >"$work/old.csv"
(ulimit -f 1; "$portolan" -e "forms select '*'; experiments generate --random 100 --size 2; experiments save $work/old.csv" >"$work/out" 2>&1)
status=$?
check 'a limit on file sizes is an error' '[ $status -eq 1 ] && grep -q "ulimit" "$work/out" && [ "$(cat "$work/old.csv")" = old ]'
check 'and nothing of it is left' '[ -z "$(find "$work" -name ".portolan*")" ]'

# Links are followed, /dev/stdout is written to.
mkdir "$work/far"
ln -s far/table.csv "$work/table.csv"
"$portolan" -e "forms select 'ADD (R64, R64)'; experiments generate; experiments save $work/table.csv; experiments save /dev/stdout" >"$work/out" 2>&1
check 'a link is followed' '[ -L "$work/table.csv" ] && [ -s "$work/far/table.csv" ]'
check '/dev/stdout is written to' 'grep -q "^\"ADD (R64, R64)\"" "$work/out" && [ -e /dev/stdout ]'
exit $failed
