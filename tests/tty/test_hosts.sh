#!/bin/sh
# Measurement on several hosts. Each part of the experiments is measured by its own process, and a
# host with another CPU is detected.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

count() { awk 'NR > 1 { n++ } END { print n + 0 }' "$1"; }

generate() {
    [ -e "$work/part-1.csv" ] && return
    expect 0 "$portolan" --machine skylake -e "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)' 'VDIVPD (YMM, YMM, YMM)' 'VMULPD (YMM, YMM, YMM)' 'VADDPS (YMM, YMM, YMM)'; \
experiments generate; experiments measure --simulate skylake; experiments generate; experiments split 3 $work/part.csv --controls 16; experiments save $work/all.csv"
    holds out "part-1.csv to $work/part-3.csv"
}

measure_as() {
    part=$1; machine=$2
    "$portolan" -e "experiments load $work/part-$part.csv; experiments measure --fresh --simulate $machine; experiments save $work/done-$part.csv" >"$work/host-$part" 2>&1
}

measure_all() {
    processes=
    part=0
    for machine in "$@"; do
        part=$((part + 1))
        measure_as $part "$machine" &
        processes="$processes $!"
    done
    for process in $processes; do wait "$process" || fail "a host failed: $(cat "$work"/host-*)"; done
}

test_parts_hold_every_experiment() {
    generate
    for part in 1 2 3; do
        [ "$(grep -c ',yes' "$work/part-$part.csv")" -eq 16 ] || fail "part $part has not 16 controls: $(head -3 "$work/part-$part.csv")"
    done
    total=$(count "$work/all.csv"); sum=$(($(count "$work/part-1.csv") + $(count "$work/part-2.csv") + $(count "$work/part-3.csv")))
    [ "$sum" -eq $((total + 2 * 16)) ] || fail "$sum rows in the parts of $total"
    expect 1 "$portolan" -e 'experiments split 3 part.csv'
    holds err 'no experiments'
    expect 1 "$portolan" -e "experiments load $work/all.csv; experiments split 3 part.txt"
    holds err 'must end in .csv'
}

test_equal_hosts_are_merged() {
    generate
    measure_all skylake skylake skylake
    expect 0 "$portolan" -e "experiments merge $work/done-1.csv $work/done-2.csv $work/done-3.csv; experiments save $work/merged.csv"
    [ "$(count "$work/merged.csv")" -eq "$(count "$work/all.csv")" ] || fail "$(count "$work/merged.csv") of $(count "$work/all.csv") came back"
    lacks out 'omitted'
    # Each experiment occurs once, with its cycles.
    expect 0 "$portolan" --format json -e "experiments load $work/merged.csv; evaluate --mapping skylake"
    holds out "\"n\":$(count "$work/all.csv")"
}

# The third host has Sandy Bridge's ports: vector additions and multiplications have one port each
# instead of two.
test_a_host_that_disagrees_is_left_out() {
    generate
    measure_all skylake skylake sandybridge
    expect 0 "$portolan" --format csv -e "experiments merge $work/done-1.csv $work/done-2.csv $work/done-3.csv; experiments save $work/merged.csv"
    holds out 'file,experiments,control_experiments,control_outliers,control_error,deviates'
    grep -q "done-3.csv,[0-9]*,[0-9]*,[1-9][0-9]*,[0-9.]*,1" "$work/out" || fail "the third is not named: $(cat "$work/out")"
    grep -q 'done-1.csv,.*,0$' "$work/out" && grep -q 'done-2.csv,.*,0$' "$work/out" || fail "the others are: $(cat "$work/out")"
    [ "$(count "$work/merged.csv")" -eq $(($(count "$work/done-1.csv") + $(count "$work/done-2.csv") - 16)) ] || fail 'what the third measured is not left out'
    expect 0 "$portolan" -e "experiments merge $work/done-1.csv $work/done-2.csv $work/done-3.csv --all"
    holds out 'used because of'
    # If two hosts disagree, the correct value is unknown.
    expect 1 "$portolan" -e "experiments merge $work/done-1.csv $work/done-3.csv"
    holds err 'every host disagrees'
}

# Haswell has Skylake's ports except for the divider and a few latencies. Few experiments reveal the
# difference, and none of those measured before the split would.
test_a_host_that_differs_a_little_is_found() {
    expect 0 "$portolan" --machine skylake -e "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)' 'VDIVPD (YMM, YMM, YMM)' 'VMULPD (YMM, YMM, YMM)'; \
experiments generate; experiments measure --simulate skylake; experiments split 3 $work/part.csv --controls 10"
    holds out 'with 10 controls in each'
    measure_all skylake skylake haswell
    expect 0 "$portolan" --format csv -e "experiments merge $work/done-1.csv $work/done-2.csv $work/done-3.csv"
    grep -q 'done-3.csv,[0-9]*,10,[2-9],0\.[0-9]*,1' "$work/out" || fail "Haswell is not found: $(cat "$work/out")"
}

# Not all of few experiments may be controls. Otherwise none would remain to be divided among hosts.
test_few_experiments_are_shared() {
    expect 0 "$portolan" --machine skylake -e "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)'; experiments generate; experiments split 2 $work/few.csv"
    holds out '2 parts with 3 experiments'
    holds out 'with 1 control in each'
    [ "$(count "$work/few-1.csv")" -eq 2 ] && [ "$(count "$work/few-2.csv")" -eq 2 ] || fail "$(cat "$work"/few-*.csv)"
}

# Compares hosts: differences, largest first, and the host of each measurement.
test_hosts_are_compared() {
    host() { printf 'experiment,cycles,host,cpu,microcode\n"ADD (R64, R64)",%s,%s,Some CPU,%s\n"%s",%s,%s,Some CPU,%s\n"SUB (R64, R64)",0.25,,,\n' "$2" "$1" "$3" "$4" "$5" "$1" "$3" >"$work/of-$1.csv"; }
    host a 0.25 0x10 'ADD (R64, R64) + IMUL (R64, R64)' 1
    host b 0.25 0x10 'IMUL (R64, R64) + ADD (R64, R64)' 1.01
    host c 0.50 0x11 'IMUL (R64, R64) + ADD (R64, R64)' 1.2
    expect 0 "$portolan" -e "experiments compare $work/of-a.csv $work/of-b.csv $work/of-c.csv"
    holds out 'differences above 5 %: 2 of 3 experiments'
    grep -qE '^c +Some CPU +0x11 .* 3 +2 ' "$work/out" && grep -qE '^a +Some CPU +0x10 .* 3 +0 ' "$work/out" || fail "$(cat "$work/out")"
    [ "$(grep -nE '100\.0 .*ADD \(R64, R64\)$' "$work/out" | cut -d: -f1)" -lt "$(grep -nE '20\.0 .*IMUL' "$work/out" | cut -d: -f1)" ] || fail "not the largest first: $(cat "$work/out")"
    expect 0 "$portolan" --format csv -e "experiments compare $work/of-a.csv $work/of-b.csv $work/of-c.csv --above 50"
    holds out '"ADD (R64, R64)",c,'
    lacks out 'IMUL'
    # If one host measured an experiment twice, its fastest value counts.
    printf 'experiment,cycles\n"ADD (R64, R64)",0.25\n"ADD (R64, R64)",0.5\n"SUB (R64, R64)",0.25\n' >"$work/twice.csv"
    expect 0 "$portolan" -e "experiments compare $work/of-a.csv $work/twice.csv"
    holds out ': 0 of 2 experiments'
    expect 1 "$portolan" -e "experiments compare $work/of-a.csv"
    holds err 'a comparison needs at least two files'
    printf 'experiment,cycles\n"NOP ()",1\n' >"$work/other.csv"
    expect 1 "$portolan" -e "experiments compare $work/of-a.csv $work/other.csv"
    holds err 'no experiment was measured on two hosts'
    # This host's measurements have its name. Those of another host have that host's name.
    expect 0 "$portolan" -e "experiments load $work/of-a.csv; experiments save $work/known.csv --host"
    grep -q '^"ADD (R64, R64)",.*,a,Some CPU,0x10' "$work/known.csv" || fail "$(cat "$work/known.csv")"
    grep '^"SUB (R64, R64)"' "$work/known.csv" | grep -qF "$(uname -n)" || fail "this host is not named: $(cat "$work/known.csv")"
    expect 1 "$portolan" -e "experiments load $work/of-a.csv; experiments save $work/known.json --host"
    holds err 'cannot store the host'
}

# Controls are equal regardless of the order of their forms.
test_controls_are_compared_in_any_order() {
    for host in 1 2 3; do
        printf 'experiment,cycles,control\n' >"$work/way-$host.csv"
        for form in 'ADD (R64, R64)' 'SUB (R64, R64)' 'XOR (R64, R64)'; do
            case $host in
            1) printf '"%s",0.25,yes\n"IMUL (R64, R64) + %s",1,yes\n' "$form" "$form" ;;
            2) printf '"IMUL (R64, R64) + %s",1,yes\n"%s",0.25,yes\n' "$form" "$form" ;;
            3) printf '"%s",0.25,yes\n"%s + IMUL (R64, R64)",2,yes\n' "$form" "$form" ;;
            esac
        done >>"$work/way-$host.csv"
    done
    expect 0 "$portolan" --format csv -e "experiments merge $work/way-1.csv $work/way-2.csv $work/way-3.csv; experiments save $work/merged.csv"
    for host in 1 2; do grep -q "way-$host.csv,6,6,0,0,0" "$work/out" || fail "$(cat "$work/out")"; done
    grep -q 'way-3.csv,6,6,3,0.5,1' "$work/out" || fail "$(cat "$work/out")"
    [ "$(count "$work/merged.csv")" -eq 6 ] || fail "$(cat "$work/merged.csv")"
}

# A control without a value on the first host has the value of the next host that measured it. A
# control that no host measured is still listed once.
test_controls_are_of_who_measured_them() {
    part() { printf 'experiment,cycles,control\n"ADD (R64, R64)",%s,yes\n"IMUL (R64, R64)",1,yes\n"2*IMUL (R64, R64)",,yes\n"%s*ADD (R64, R64)",%s,\n' "$2" "$3" "$3" >"$work/own-$1.csv"; }
    part 1 '' 2
    part 2 0.25 3
    part 3 0.25 4
    expect 0 "$portolan" -e "experiments merge $work/own-1.csv $work/own-2.csv $work/own-3.csv; experiments save $work/merged.csv"
    [ "$(count "$work/merged.csv")" -eq 6 ] || fail "$(cat "$work/merged.csv")"
    grep -q '^"ADD (R64, R64)",0.25,' "$work/merged.csv" || fail "the value of the second host is lost: $(cat "$work/merged.csv")"
}

run_tests
