#!/bin/sh
# Measurements survive crashes. The program and its sandbox children are killed at random times.
# Afterwards all results exist and no process or file remains. The expected results are counted from
# the journal and therefore hold exactly on every host, quiet or not. The number of experiments with
# a value depends on the host. On a simulated machine all have one. STRESS=N: number of experiments
# (make stress: 10,000), all of which must be measured. `make check` measures a few hundred with
# little patience.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# table N: writes N different multisets of a few simple forms to $work/table.csv.
table() {
    awk -v n="$1" 'BEGIN {
        print "experiment"
        split("ADD (R64, R64);IMUL (R64, R64);MOV (R64, M64);XOR (R32, R32);SHL (R64, I8);POPCNT (R64, R64);MOV (M64, R64);CMP (R64, R64)", form, ";")
        for (i = 0; i < n; i++) {
            k = i % 7 + 1
            m = int(i / 7)
            printf "\"%d*%s + %d*%s + %d*%s\"\n", m % 25 + 1, form[k], int(m / 25) % 25 + 1, form[k % 7 + 1 == k ? 8 : k % 7 + 1], int(m / 625) + 1, form[8]
        }
    }' >"$work/table.csv"
}

# run OPTIONS: runs the program once on the table, with the journal.
run() { exec "$portolan" --format json -e "experiments load $work/table.csv; experiments measure --journal $work/journal.csv $1; experiments save $work/out.csv"; }
lines() { if [ -f "$work/journal.csv" ]; then wc -l <"$work/journal.csv"; else echo 0; fi; }
# number KEY FILE: prints a number of a JSON result.
number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$2" | tail -n 1; }
# Finds process ids in /proc, which needs no other program.
child_of() { grep -ls "^PPid:	$1\$" /proc/[0-9]*/status 2>/dev/null | head -n 1 | cut -d / -f 3; }
processes_with() { for p in /proc/[0-9]*; do tr '\0' ' ' 2>/dev/null <"$p/cmdline" | grep -qF -e "$1" && echo "${p#/proc/}"; done; }
# rows PATTERN: counts the rows of the saved table whose state matches.
rows() { awk -v state="^($1)\$" 'NR > 1 && match($0, /^"[^"]*"/) { split(substr($0, RLENGTH + 1), field, ","); n += field[5] ~ state } END { print n + 0 }' "$work/out.csv"; }
equal() { [ "$2" -eq "$3" ] || fail "$1: $2 instead of $3: $(cat "$work/out")"; }

# Prints the journal's counts as "FINAL PASSES BASELINES": experiments with a final result, passes
# of other experiments (at most four of a kind are reused), idle baselines.
journal_holds() {
    awk 'NR > 1 && match($0, /^"[^"]*"/) {
        name = substr($0, 1, RLENGTH)
        split(substr($0, RLENGTH + 1), field, ",")
        if (length(field[10]) != 8) next   # the checksum is incomplete
        state = field[5]
        if (state == "once") once[name]++
        else if (state == "short") short[name]++
        else final[name] = 1
        all[name] = 1
        if (field[6] != "" && !(field[6] in baseline)) { baseline[field[6]] = 1; baselines++ }
    }
    END {
        for (name in all)
            if (name in final) finals++
            else passes += (once[name] < 4 ? once[name] : 4) + (short[name] < 4 ? short[name] : 4)
        print finals + 0, passes + 0, baselines + 0
    }' "$work/journal.csv"
}

# killed_run OPTIONS LINES: kills a run when it has written LINES lines, and some of its children
# before. The program is stopped while its lines are counted, because on a busy host it would
# otherwise end before they are counted.
killed_run() {
    before=$(lines)
    (run "$1" >"$work/out" 2>&1) &
    program=$!
    # If a child is killed, nothing is lost. If the program is killed, only unwritten results are
    # lost.
    tries=0
    while kill -STOP "$program" 2>/dev/null && [ "$tries" -lt 2000 ]; do
        tries=$((tries + 1))
        [ $((tries % 20)) -ne 7 ] || { child=$(child_of "$program"); [ -z "$child" ] || kill -KILL "$child" 2>/dev/null; }
        [ "$(lines)" -le "$((before + $2))" ] || break
        kill -CONT "$program" 2>/dev/null
        env true
    done
    kill -0 "$program" 2>/dev/null && ! grep -q '^State:	Z' "/proc/$program/status" 2>/dev/null && deaths=$((deaths + 1))
    kill -KILL "$program" 2>/dev/null
    wait "$program" 2>/dev/null
}

# The run after the kills must reuse exactly the contents of the journal. Its reported numbers of
# reused, failed and unsettled experiments must equal those of the rows.
last_run() {
    # An incomplete last line is ignored.
    set -- "$1" $(journal_holds)
    (run "$1" >"$work/out" 2>"$work/err") || { fail "the last run: $(cat "$work/err")"; return; }
    if [ "$doubtful" = no ] && [ "$4" -le 1 ]; then
        equal "experiments that the journal settles" "$(number reused "$work/out")" "$2"
        equal "passes of the killed runs" "$(number taken_over "$work/out")" "$3"
    else
        [ $(($2 + $3)) -eq 0 ] || [ $(($(number reused "$work/out") + $(number taken_over "$work/out"))) -gt 0 ] || fail "nothing of the killed runs was kept: $(cat "$work/out")"
    fi
    equal "rows" $(($(wc -l <"$work/out.csv") - 1)) "$count"
    equal "done, failed and left" $(($(number done "$work/out") + $(number failed "$work/out") + $(number left "$work/out"))) "$count"
    # Values of a CPU that was never observed idle are doubtful and are measured again by the next
    # run.
    equal "values" "$(rows 'ok|doubtful')" "$(number done "$work/out")"
    equal "values of one pass" "$(rows once)" "$(number once "$work/out")"
    equal "contended ones" "$(rows contended)" "$(number contended "$work/out")"
    equal "not reached" "$(rows '')" $(($(number left "$work/out") - $(number once "$work/out") - $(number contended "$work/out")))
    equal "failed ones" "$(rows 'unsteady.*')" "$(number failed "$work/out")"
}

# Returns whether no observed idle core was faster than the one in the journal's final results. If
# one was, these results were measured on a busy core and count as passes to be confirmed (runner.c:
# AS_FAST).
as_fast() {
    "$portolan" --format json -e 'machine calibrate' >"$work/calibration" 2>&1
    now=$(sed -n 's/.*"nops_per_cycle":\([0-9.]*\).*/\1/p' "$work/calibration")
    awk -v now="${now:-0}" 'NR > 1 && match($0, /^"[^"]*"/) {
        split(substr($0, RLENGTH + 1), field, ",")
        if (field[6] > now + 0) now = field[6]
        if (field[5] == "ok" && (least == "" || field[6] + 0 < least)) least = field[6] + 0
    }
    END { exit !(least == "" || least >= 0.985 * now) }' "$work/journal.csv"
}

# A repeated run reuses all final results with their dates. With --fresh it reuses none.
known_run() {
    settled=$(rows 'ok|unsteady.*')
    (run "$1" >"$work/out" 2>&1) || fail "again: $(cat "$work/out")"
    if as_fast; then
        [ "$doubtful" = yes ] || equal "known" "$(number reused "$work/out")" "$settled"
    else
        [ $(($(number reused "$work/out") + $(number taken_over "$work/out"))) -ge "$settled" ] || fail "$settled were settled: $(cat "$work/out")"
        settled=0
    fi
    [ "$(number reused "$work/out")" = 0 ] || grep -q "\"reused_until\":\"$(date +%Y)" "$work/out" || fail "no day of the reused ones: $(cat "$work/out")"
    [ "$settled" -lt "$count" ] || equal "measured again" "$(number passes "$work/out")" 0
    (run "$1 --fresh" >"$work/out" 2>&1) || fail "anew: $(cat "$work/out")"
    equal "taken from the journal by --fresh" $(($(number reused "$work/out") + $(number taken_over "$work/out"))) 0
}

nothing_left() {
    [ -z "$(ls "$TMPDIR")" ] || fail "temporary files are left: $(ls "$TMPDIR")"
    processes_with "--journal $work/journal.csv" >"$work/left" 2>/dev/null
    [ ! -s "$work/left" ] || fail "processes are left: $(cat "$work/left")"
}

test_killed_runs_lose_nothing() {
    "$portolan" --format json -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    doubtful=no
    grep -q '"baseline_doubtful":true' "$work/calibration" && doubtful=yes
    count=${STRESS:-300}
    options='--patience 1s'
    [ -z "${STRESS:-}" ] || options='--patience 1h'
    deaths=0
    table "$count"
    rm -f "$work/journal.csv"
    for round in 1 2 3 ${STRESS:+4 5 6}; do killed_run "$options" $((count / 6)); done
    last_run "$options"
    [ -z "${STRESS:-}" ] || equal "left" "$(number left "$work/out")" 0
    echo "# $(number done "$work/out") of $count measured after $deaths deaths, $(number failed "$work/out") unsteady, $(number contended "$work/out") contended"
    known_run "$options"
    nothing_left
}

# On a simulated machine, where nothing depends on the host, all experiments are eventually
# measured.
test_all_are_measured_after_deaths() {
    doubtful=no
    count=3000
    deaths=0
    table "$count"
    rm -f "$work/journal.csv"
    for round in 1 2 3; do killed_run '--simulate skylake' $((count / 2)); done
    [ "$deaths" -gt 0 ] || fail "no run was killed"
    set -- $(journal_holds)
    [ $(($1 + $2)) -gt 0 ] || fail "the killed runs wrote nothing"
    last_run '--simulate skylake'
    equal "measured" "$(number done "$work/out")" "$count"
    known_run '--simulate skylake'
    nothing_left
}

# The core never becomes as idle as it was at calibration. Within two seconds values are reported as
# unconfirmed, and a script continues. Longer patience must be requested.
test_never_quiet() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    XDG_STATE_HOME=$work/state
    export XDG_STATE_HOME
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    known=$work/state/portolan/baseline.csv
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i - NF }
        NR > 1 { $(NF + at["nops_per_cycle"]) = 55.5; $(NF + at["ports_per_cycle"]) = 59.5; $(NF + at["room_per_cycle"]) = 55.5; $(NF + at["doubtful"]) = "no" } 1' "$known" >"$work/false"
    cp "$work/false" "$known"
    expect 0 "$portolan" -e 'kernel hex 480fafc3; kernel measure; kernel analyze --machine skylake'
    grep -Eq 'hex: about [0-9.]+ cycles per iteration on this CPU, unconfirmed \(core is contended: about [0-9.]+ cycles, not confirmed\)' "$work/out" || fail "$(cat "$work/out")"
    holds out 'kernel measure --patience 30s waits longer'
    holds out 'bound by dependencies'
    expect 0 "$portolan" --format json -e 'kernel hex 480fafc3; kernel measure'
    holds out '"state":"unconfirmed"'
}

# A time below the bound of this CPU's ports is never ok. The tables have three ports for additions,
# but this CPU has more.
test_below_ports() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    hex=4801c04801db4801c94801d24801f64801ff4d01c04d01c9
    "$portolan" --format json -e "kernel hex $hex; kernel measure" >"$work/plain" 2>&1 || skip "no time here: $(cat "$work/plain")"
    cycles=$(sed -n 's/.*"cycles":\([0-9.]*\).*/\1/p' "$work/plain")
    awk -v cycles="$cycles" 'BEGIN { exit !(cycles > 0 && cycles < 2.4) }' || skip "this CPU has three ports for additions, or is contended"
    PORTOLAN_CPU='GenuineIntel 6 42 7' "$portolan" -e "kernel hex $hex; kernel measure" >"$work/out" 2>"$work/err" || skip "no time now"
    grep -Eq 'unconfirmed \((below the ports bound of sandybridge, 2.67|core is contended)' "$work/out" || fail "$(cat "$work/out")"
    printf 'hex\n%s\n' "$hex" >"$work/blocks.csv"
    PORTOLAN_CPU='GenuineIntel 6 42 7' "$portolan" --format csv -e "kernel measure --file $work/blocks.csv" >"$work/out" 2>"$work/err" || skip "no time now"
    lacks out ',ok'
}

# If the front end limits a loop at its own address, the result says that the copies have others:
# eighteen dense instructions on a Zen 5, but not five.
test_layout() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    zeroes=$(printf '4531c0%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17)
    export PORTOLAN_CPU='AuthenticAMD 26 2 1'
    "$portolan" -e "kernel hex ${zeroes}48ffc875c8; kernel measure" >"$work/out" 2>"$work/err" || skip "no time here: $(cat "$work/err")"
    holds out "layout: the measured copies are at other addresses; at the loop's own address, the front end takes 3.00 cycles"
    "$portolan" -e 'kernel hex 4531c04531c04531c04531c048ffc875ef; kernel measure' >"$work/out" 2>"$work/err" || skip "no time now"
    lacks out 'layout:'
}

# A prefix sum walks through memory, and each load reads the last store. A Zen 5 renames the stores
# of about 44 loads, so only few copies of the loop take the time of the loop.
test_prefix_sum() {
    grep -q '^cpu family.*: 26$' /proc/cpuinfo || skip "for a Zen 5"
    "$portolan" --format json -e 'kernel hex 8b50fc01104883c0044839c875f2; kernel measure' >"$work/out" 2>"$work/err" || skip "no time here: $(cat "$work/err")"
    grep -q unconfirmed "$work/out" && skip "the CPU is contended"
    cycles=$(sed -n 's/.*"cycles":\([0-9.]*\).*/\1/p' "$work/out")
    awk -v cycles="$cycles" 'BEGIN { exit !(cycles > 0 && cycles < 3) }' || fail "$cycles cycles: $(cat "$work/out")"
}

# Reasons why a loop is not measured name the instruction, and its line if it has one: rejected
# instructions, and faults that only a run reveals.
test_reasons_name_the_line() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    while IFS='|' read -r line reason; do
        printf '.L1: addq %%rax, %%rbx\n\n # a remark\n %s\n1: decq %%rcx\n jne .L1\n' "$line" >"$work/refused.s"
        expect 1 "$portolan" -e "kernel load $work/refused.s; kernel measure"
        holds err "not measured: $reason (line 4: $line)"
    done <<TEXT
call foo|a function call
je 1f|a branch inside the loop depends on data
ud2|a system instruction
TEXT
    printf '.L1: movl $1, %%eax\n xorl %%edx, %%edx\n xorl %%esi, %%esi\n divl %%esi\n jmp .L1\n' >"$work/divides.s"
    expect 1 "$portolan" -e "kernel load $work/divides.s; kernel measure"
    holds err 'not measured: SIGFPE: division fault (line 4: divl %esi)'
    expect 1 "$portolan" -e 'kernel hex 31f6f7f6; kernel measure'
    holds err 'not measured: SIGFPE: division fault (instruction 2: div esi)'
    # For a compiled loop, the reason also names the line of the C file.
    if command -v gcc >/dev/null; then
        printf '%s\n' 'double f(const double *a, const int *b, long n) {' ' double s = 0;' ' for (long i = 0; i < n; i++)' '  if (b[i] > 3)' '   s += a[i] * 3;' ' return s;' '}' >"$work/branch.c"
        expect 1 "$portolan" -e "kernel load $work/branch.c -O1; kernel measure"
        grep -Eq 'not measured: a branch inside the loop depends on data \(source line [34]; assembly line [0-9]+: j' "$work/err" || fail "$(cat "$work/err")"
    fi
    # Reasons are counted by file without their instructions.
    printf 'hex\n31f6f7f6\n4831f648f7f6\n' >"$work/divide.csv"
    expect 0 "$portolan" --format json -e "kernel measure --file $work/divide.csv --out $work/divided.csv"
    holds out '"reasons":{"SIGFPE":2}'
    grep -q 'instruction 2' "$work/divided.csv" || fail "$(cat "$work/divided.csv")"
}

# Results of a user's template are stored by its code and not by the form's name. The program's own
# form is measured separately, and vice versa.
test_added_forms_are_known_apart() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    printf 'form,template\nINC (R64),inc r12\n' >"$work/mine.csv"
    printf 'experiment\nINC (R64)\n' >"$work/inc.csv"
    rm -f "$work/apart.csv"
    reused=
    for add in "forms add $work/mine.csv; " "" "forms add $work/mine.csv; "; do
        expect 0 "$portolan" --format json -e "${add}experiments load $work/inc.csv; experiments measure --journal $work/apart.csv --patience 5"
        [ -z "$(number reused "$work/out")" ] || reused="$reused $(number reused "$work/out")"
    done
    # The host may not be quiet enough for a value. Then nothing is reused.
    case $reused in
    ' 0 0 0') grep -q ',ok,' "$work/apart.csv" && fail "$(cat "$work/apart.csv")" ;;
    ' 0 0 1') ;;
    *) fail "reused:$reused; $(cat "$work/apart.csv")" ;;
    esac
    awk -F, 'NR > 1 && $9 !~ /^u?[0-9a-f]*$/ { exit 1 }' "$work/apart.csv" || fail "$(cat "$work/apart.csv")"
}

# Waits for the text on the screen. On a host that is never quiet, nothing is measured, no remaining
# time is shown, and the run ends by itself.
see_unless_contended() {
    wait_until seen_or_contended "$1"
    screen_holds "$1" || skip "the host is never quiet"
}
seen_or_contended() { screen_holds "$1" || screen_holds 'contention: 100 % of probes slowed'; }

# While blocks of a file are measured, the machine view shows their core, quiet or contended, and
# the progress.
test_blocks_show_the_core() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    awk 'BEGIN { print "hex"; for (i = 0; i < 20000; i++) print "480fafc3" }' >"$work/many.csv"
    open_screen 120 40 "HOME=$work TERM=screen-256color '$portolan' '$source/data/kernels/triad-skl-O3.s'"
    see '1/8'
    t send-keys : ; t send-keys -l 'set panes off; view machine'; t send-keys Enter
    see 'Not calibrated'
    t send-keys : ; t send-keys -l "kernel measure --file $work/many.csv"; t send-keys Enter
    see 'now     kernel measure'
    see ' of 20000 measured'
    see 'nops per cycle'
    see 'contended '
    see_unless_contended ' left, '
    t send-keys Escape
    see_unless_contended 'cancelled after'
}

# A machine check also shows the core.
test_check_shows_the_core() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    open_screen 120 40 "HOME=$work TERM=screen-256color '$portolan' '$source/data/kernels/triad-skl-O3.s'"
    see '1/8'
    t send-keys : ; t send-keys -l 'set panes off; view machine'; t send-keys Enter
    see 'Not calibrated'
    t send-keys : ; t send-keys -l "machine check --machine skylake --top 20 --seconds 5; view machine"; t send-keys Enter
    see 'nops per cycle'
}

run_tests
