#!/bin/sh
# Charts a simulated CPU without the shipped machines. Measurements of a killed run are not
# repeated.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# The data directory contains only descriptions of instructions and the probes of charts.
hide_tables() {
    mkdir -p "$work/data/machines"
    for part in isa probes; do ln -sfn "$(cd "$source" && pwd)/data/$part" "$work/data/$part"; done
    cp "$source/data/cpus.csv" "$work/data/" 2>/dev/null
    cp -r "$source/tests/data/chart-cpu" "$work/cpu"
    export XDG_STATE_HOME="$work/state" XDG_DATA_HOME="$work/share" PORTOLAN_DATA="$work/data"
}

chart="machine chart small --simulate \"$work/cpu/\""

test_a_chart_needs_no_tables() {
    hide_tables
    expect 0 "$portolan" --format json -e "$chart"
    holds out '"machine":"small"'
    holds out '"resumed":0'
    [ -s "$work/share/portolan/machines/small/mapping.csv" ] || fail "no machine was saved"
    expect 0 "$portolan" --machine small -e 'throughput 3*IMUL (R64, R64) + 2*MOV (R64, M64)'
    holds out '3.0000 cycles on small'
}

test_a_killed_chart_goes_on() {
    hide_tables
    "$portolan" -e "$chart" >"$work/first" 2>&1 &
    program=$!
    has_lines() { [ "$(cat "$work"/state/portolan/chart-small-*.csv 2>/dev/null | wc -l)" -gt 200 ]; }
    wait_until has_lines || fail "nothing was measured"
    kill -KILL "$program" 2>/dev/null
    wait "$program" 2>/dev/null
    expect 0 "$portolan" --format json -e "$chart"
    holds out '"machine":"small"'
    lacks out '"resumed":0'
    expect 0 "$portolan" --machine small -e 'throughput 3*IMUL (R64, R64) + 2*MOV (R64, M64)'
    holds out '3.0000 cycles on small'
}

# Compares charts of two hosts: where each was made, and the forms that differ. The second host has
# another name and a slower multiplication.
test_charts_are_compared() {
    hide_tables
    expect 0 "$portolan" --format json -e "$chart"
    cp -r "$work/share/portolan/machines/small" "$work/share/portolan/machines/other"
    sed -i "s/^measured_host,.*/measured_host,node2,,/; s/^measured_cpu,.*/measured_cpu,A CPU,,/; \$ a measured_microcode,0x2b,," "$work/share/portolan/machines/other/machine.csv"
    sed -i 's/^\("*IMUL (R64, R64)"*,[^,]*,\)[0-9.]*,/\17,/' "$work/share/portolan/machines/other/mapping.csv"
    expect 0 "$portolan" -e "forms compare '*' --machine small --machine other --above 2"
    grep -q "^small  *$(hostname)  *simulated" "$work/out" || fail "the first host is not named"
    grep -q '^other  *node2  *A CPU  *0x2b' "$work/out" || fail "the second host is not named"
    grep -q '^differences above 2 %: 1 of [0-9]* forms known to at least two machines' "$work/out" || fail "not one form differs: $(cat "$work/out")"
    grep -q '^IMUL (R64, R64)  *1.00 / 3  *1.00 / 7' "$work/out" || fail "it is another: $(cat "$work/out")"
    expect 0 "$portolan" --format json -e "forms compare '*' --machine small --machine other --above 2"
    holds out '"host":"node2"'
    holds out '"differing":1'
    expect 0 "$portolan" -e "forms compare '*' --machine small --machine other"
    lacks out 'differences above'
}

# Two forms are equivalent in all experiments with the core. After the named experiment is measured,
# the machine changes, and nothing remains for a second run.
test_ambiguities_are_settled() {
    hide_tables
    cp -r "$source/tests/data/settle-cpu" "$work/alike"
    expect 0 "$portolan" -e "machine chart alike --simulate \"$work/alike/\" --leave-doubts"
    holds out '2 forms with another, nearly as likely usage'
    holds out '+ 3*CRC32 (R64, R64)'
    expect 0 "$portolan" --format json -e 'experiments settle alike'
    holds out '"unexplained":0'
    holds out '"changed":1'
    holds out '"open":0'
    expect 0 "$portolan" --machine alike -e 'throughput 2*MULX (R64, R64, R64) + 3*CRC32 (R64, R64)'
    holds out '9.0000 cycles on alike'
    expect 0 "$portolan" --machine alike -e 'throughput 2*SHLD (R64, R64, I8) + 3*CRC32 (R64, R64)'
    holds out '11.0000 cycles on alike'
    expect 0 "$portolan" --format json -e 'experiments settle alike'
    holds out '"experiments":0'
    expect 0 "$portolan" -e "machine chart sure --simulate \"$work/alike/\""
    lacks out 'nearly as likely'
    expect 0 "$portolan" --machine sure -e 'throughput 2*SHLD (R64, R64, I8) + 3*CRC32 (R64, R64)'
    holds out '11.0000 cycles on sure'
}

# A chart of additions has no load among its forms. Dependences are still charted, and facts that no
# loop determines are listed.
test_chains_without_loads() {
    export XDG_DATA_HOME="$work/share"
    expect 0 "$portolan" -e "machine chart trial --simulate cortex-a72 --forms 'ADD (X, X*'"
    holds out 'taken_branches: unknown (no experiment'
    printf 'add x0, x0, x1\nadd x0, x0, x1\nadd x0, x0, x1\nadd x0, x0, x1\n' >"$work/chain.s"
    expect 0 "$portolan" --machine trial -e "kernel load \"$work/chain.s\" --isa aarch64; kernel analyze"
    holds out 'trial: 4.00 cycles per iteration, bound by dependencies'
}

# Single forms with equal times are one class, with a note that no experiment compares them. The
# same applies to forms whose ports the issue width hides.
test_what_no_pair_compares() {
    singles="forms select 'IMUL (R64, R64)' 'BSF (R64, R64)' 'SHL (R64, I8)' 'ADD (R64, I32)'; experiments generate --singles; experiments measure --simulate skylake; "
    expect 0 "$portolan" -e "$singles congruence; experiments settle --simulate skylake; congruence"
    holds out '1 pair of forms compared only in isolation; missing experiments: BSF (R64, R64) + IMUL (R64, R64)'
    holds out '1 experiment added: 1 for forms compared only in isolation'
    expect 0 "$portolan" --format json -e "$singles evolve start --ports 8 --seconds 1 --checkpoint none; evolve wait; evolve adopt"
    holds out '{"form":"ADD (R64, I32)","settle":'
    expect 0 "$portolan" --format csv -e "$singles evolve start --ports 8 --seconds 1 --checkpoint none; evolve wait; evolve adopt; mapping show"
    holds out 'not observable: the issue width hides the ports'
    lacks out 'confidence 1.00, not observable'
    expect 1 "$portolan" -e 'experiments settle'
    holds err 'no experiments'
}

test_what_is_refused() {
    hide_tables
    expect 1 "$portolan" -e "machine chart ../small --simulate \"$work/cpu/\""
    holds err 'invalid machine name'
    expect 1 "$portolan" -e "machine chart small --simulate \"$work/cpu/\" --forms 'NOSUCH*'"
    holds err 'no measurable form matches'
    expect 1 "$portolan" -e 'experiments settle nosuch'
    holds err 'no charted machine "nosuch" on this host'
}

run_tests
