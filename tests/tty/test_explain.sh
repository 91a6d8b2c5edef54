#!/bin/sh
# Shows that program explain counts loops exactly in running programs without changing their output,
# and which programs it rejects.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

[ "$(uname -m)" = x86_64 ] || { echo "1..0 # SKIP only on x86-64"; exit 0; }

# build NAME OPTIONS: compiles the program of loops with known counts, unless it exists.
build() {
    made=$1; shift
    [ "$(cat "$work/$made.options" 2>/dev/null)" = "built $*" ] && return
    compiler=${CC:-cc}
    needs "${compiler%% *}"
    # The compiler of the build may be several words.
    # shellcheck disable=SC2086
    ${CC:-cc} -O2 "$@" "$source/tests/support/loops_running.c" -o "$work/$made" -lpthread 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    echo "built $*" >"$work/$made.options"
}
# explain WORDS: runs program explain. If the system does not permit tracing, the test ends.
explain() {
    got=0
    rm -f "$work/printed"
    "$portolan" --format "${format:-text}" -e "program explain $*" >"$work/out" 2>"$work/err" </dev/null || got=$?
    grep -q 'ptrace of process .* is refused' "$work/err" && [ "$got" -ne 0 ] && skip "$(cat "$work/err")"
    [ "$got" -eq 0 ] || fail "status $got: $*: $(cat "$work/err")"
}
# counted LOOP PROGRAM REPEATS: checks that the count equals the one that the program prints, and
# that its output equals that without tracing.
counted() {
    "$work/${program:-loops}" "$2" "$3" >"$work/alone" 2>/dev/null
    explain "--measure 0 --output $work/printed $1 $work/${program:-loops} $2 $3"
    true_count=$(sed -n 's/^\([0-9]*\) iterations, computed.*/\1/p' "$work/printed")
    true_count=$((${true_count:-0} / ${unrolled:-1}))
    grep -q ": $true_count iterations in the whole run" "$work/out" || fail "$2: not $true_count: $(cat "$work/out")"
    [ "$same" = no ] || cmp -s "$work/alone" "$work/printed" || fail "$2: printed $(cat "$work/printed") instead of $(cat "$work/alone")"
}
same=yes
# Waits until process $1, which was just started, executes the program and not the shell that
# started it.
until_it_runs() { wait_until sh -c '[ "$(readlink "/proc/$1/exe")" = "$2" ]' - "$1" "$(readlink -f "$work/loops")"; }

test_counts_are_exact() {
    build loops
    counted loop_partition partition 3000
    holds out 'branches'
    counted loop_partition partition-sorted 300
    counted loop_search search 5
    counted loop_hash hash 200
    counted loop_list list 3000
    counted loop_list list-middle 20
    counted loop_sum sum 1000
    counted loop_arms arms 3000
    counted loop_switch switch 4000
    counted loop_interpret interpret 3
    counted loop_interpret interpret-short 10
    counted loop_goto goto 60
    holds out "parts of the loop of computed gotos: 9, executed: 9"
    counted loop_goto goto-short 200000
    counted loop_call call 200
    counted loop_double double 200
}

# Counts loops of programs at a fixed address, without optimisation, with other compiler options,
# and without symbols.
test_kinds_of_files() {
    build loops -no-pie
    counted loop_partition partition 100
    counted loop_interpret interpret 2
    build loops -O0
    counted loop_partition partition 30
    counted loop_interpret interpret 1
    build loops -O3 -march=native -fno-tree-vectorize
    counted loop_double double 200
    counted loop_search search 2
    needs strip
    build loops
    rm "$work/loops.options"
    place=$(nm "$work/loops" | sed -n 's/^0*\([0-9a-f]*\) [Tt] loop_list$/0x\1/p')
    strip "$work/loops"
    "$portolan" --format csv -e "kernel load --symbol $place $work/loops" >"$work/out" 2>&1 || place=
    [ -n "$place" ] && counted "$place" list 2000
}

# Counts a loop in a library, which exists only after the library is mapped.
test_in_a_library() {
    compiler=${CC:-cc}
    needs "${compiler%% *}"
    printf 'long loop_in(const int *a, long n);\nlong loop_in(const int *a, long n) { long s = 0; for (long i = 0; i < n; i++) { s += a[i]; __asm__ volatile("" : "+r"(s)); } return s; }\n' >"$work/lib.c"
    printf '#include <stdio.h>\nlong loop_in(const int *a, long n);\nstatic int a[1000];\nint main(void) { long s = 0; for (int i = 0; i < 1000; i++) { a[i] = i; s += loop_in(a, 1000); } printf("1000000 iterations, computed %%ld\\n", s); return 0; }\n' >"$work/main.c"
    # shellcheck disable=SC2086
    ${CC:-cc} -O2 -fPIC -shared "$work/lib.c" -o "$work/libloops.so" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    # shellcheck disable=SC2086
    ${CC:-cc} -O2 "$work/main.c" "$work/libloops.so" -Wl,-rpath,"$work" -o "$work/uses" 2>"$work/cc" || skip "no linker: $(head -n 1 "$work/cc")"
    explain "--output $work/printed --file $work/libloops.so loop_in $work/uses"
    holds out ': 1000000 iterations in the whole run'
    [ "$(cat "$work/printed")" = '1000000 iterations, computed 332834167000' ] || [ -s "$work/printed" ] || fail "printed: $(cat "$work/printed")"
}

test_threads_signals_children() {
    build loops
    counted loop_sum threads 100
    counted loop_sum fork 50
    same=no
    counted loop_sum timer 3000
    # The handler must not change the computed result.
    [ "$(sed 's/.*computed//' "$work/alone")" = "$(sed 's/.*computed//; /signals/d' "$work/printed" | tail -n 1)" ] || fail "computed: $(cat "$work/alone" "$work/printed")"
}

# A thread that is creating another thread or a process is within a system call and must not be
# changed before the call ends. Each case occurs many times in one run.
test_begins_and_ends() {
    build loops
    for _ in 1 2 3; do counted loop_sum births 30; done
    counted loop_sum spawns 5
    # These processes execute the loop in the traced process's memory but are not traced.
    for _ in 1 2; do
        counted loop_sum vforks 20000
        counted loop_sum shared 20000
        # The system reports shared-sigchld like a fork, shared-apart like a thread, and
        # vforks-apart-sigchld like a vfork.
        counted loop_sum shared-sigchld 20000
        counted loop_sum shared-apart 20000
        counted loop_sum vforks-apart-sigchld 20000
        # Threads begin and end while the thread that called vfork is blocked.
        counted loop_sum vforks-apart-births 60000
    done
    # The program itself handles page faults in its loop.
    counted loop_sum faults 30
    for kind in births spawns faults; do
        repeats=1000 attached=0
        [ "$kind" != births ] || repeats=5000
        [ "$kind" != spawns ] || repeats=100
        "$work/loops" "$kind" $repeats >"$work/alone"
        "$work/loops" "$kind" $repeats >"$work/attached" &
        pid=$!
        until_it_runs "$pid"
        # The process may have ended before it is attached again.
        while kill -0 "$pid" 2>/dev/null; do
            "$portolan" -e "program explain --pid $pid --seconds 0.05s loop_sum" >"$work/out" 2>"$work/err" </dev/null || break
            attached=$((attached + 1))
        done
        [ "$attached" -gt 0 ] || fail "$kind was never attached: $(cat "$work/err")"
        wait "$pid" || fail "$kind ended with $?: $(cat "$work/out" "$work/err")"
        cmp -s "$work/alone" "$work/attached" || fail "$kind: printed $(cat "$work/attached") instead of $(cat "$work/alone")"
    done
}

# After attaching and detaching, the process ends as if it had not been traced.
test_attached() {
    build loops
    "$work/loops" wait 12000 >"$work/alone"
    "$work/loops" wait 240000 >"$work/attached" &
    pid=$!
    until_it_runs "$pid"
    explain "--pid $pid --seconds 0.3s loop_sum"
    kill -0 "$pid" 2>/dev/null || fail 'it is gone'
    grep -q "$(basename "$work")" "/proc/$pid/maps" || fail 'its maps are gone'
    explain "--pid $pid --seconds 0.1s loop_sum"
    # Tracing ends after the requested seconds, not at the end of the program.
    awk '/ iterations in [0-9.]+ s/ { counted = $2 } END { exit !(counted > 0 && counted < 240000 * 65536) }' "$work/out" || fail "$(cat "$work/out")"
    wait "$pid" || fail "it ended with $?"
    [ "$(cut -d' ' -f1 "$work/attached")" -eq $((240000 * 65536)) ] || fail "counted itself: $(cat "$work/attached")"
    [ "$(($(sed 's/.*computed //' "$work/alone") * 20))" -eq "$(sed 's/.*computed //' "$work/attached")" ] || fail "computed: $(cat "$work/alone" "$work/attached")"
}

test_refused() {
    build loops
    expect 1 "$portolan" -e "program explain loop_sum"
    holds err 'no program given'
    expect 1 "$portolan" -e "program explain 1"
    holds err 'no program has been profiled'
    expect 1 "$portolan" -e "program explain nowhere $work/loops"
    holds err 'nowhere'
    expect 1 "$portolan" -e "program explain loop_sum --machine neoverse-v2 $work/loops sum 10"
    holds err 'neoverse-v2 is a machine for aarch64, but this CPU executes x86-64'
    expect 1 "$portolan" -e "program explain loop_list $work/loops sum 10"
    holds err ' s: no execution of the instruction at 0x'
    # If a function has several loops, the message lists the others.
    printf 'long loop_two(const int *a, long n, int up);\nlong loop_two(const int *a, long n, int up) { long s = 0; if (up) for (long i = 0; i < n; i++) { s += a[i]; __asm__ volatile("" : "+r"(s)); } else for (long i = n; i > 0; i--) { s ^= a[i]; __asm__ volatile("" : "+r"(s)); } return s; }\nint main(int argc, char **argv) { static int a[1000]; long s = 0; (void)argv; for (int i = 0; i < 1000; i++) s += loop_two(a, 900, 0) + loop_two(a, 0, argc); return s > 0; }\n' >"$work/two.c"
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 -fno-inline -fno-ipa-cp "$work/two.c" -o "$work/two" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    place=loop_two
    for _ in 1 2; do
        "$portolan" -e "program explain $place $work/two" >"$work/out" 2>"$work/err" </dev/null && break
        holds err 'other loops of this code: 0x'
        place=$(sed -n 's/.*other loops of this code: \(0x[0-9a-f]*\).*/\1/p' "$work/err")
    done
    holds out ': 900000 iterations in the whole run'
    # At most five of these loops are listed.
    awk 'BEGIN { print "long loop_many(const int *a, long n, int w) { long s = 0; switch (w) {"; for (i = 0; i < 8; i++) print "case " i ": for (long i = 0; i < n; i++) { s += a[i] * " i + 3 "; __asm__ volatile(\"\" : \"+r\"(s)); } break;"; print "} return s; }\nint main(int argc, char **argv) { static int a[9]; (void)argv; return loop_many(a, 0, argc) > 5; }" }' >"$work/many.c"
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 -fno-inline -fno-ipa-cp "$work/many.c" -o "$work/many" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    expect 1 "$portolan" -e "program explain loop_many $work/many"
    holds err ' and 2 more'
    expect 1 "$portolan" -e "program explain loop_sum --pid 4194304"
    expect 1 "$portolan" -e "program explain --file /bin/sh 0x10 $work/loops sum 1"
    # A program in the current directory must be named with ./, like in a shell.
    cp "$work/loops" "$work/only-here"
    (cd "$work" && expect 1 "$portolan" -e "program explain loop_sum only-here sum 10")
    holds err 'no such program: only-here'
    cp "$work/loops" "$work/other"
    chmod u+s "$work/other"
    expect 1 "$portolan" -e "program explain loop_sum $work/other sum 10"
    holds err 'set-user-ID'
}

# Without tables for this CPU, the text states that there is no prediction.
test_without_tables() {
    build loops
    PORTOLAN_DATA=$work explain "--measure 0 --output $work/printed loop_list $work/loops list 1000"
    holds out 'no prediction: this CPU has no tables'
}

# same_output NAME INPUT WORDS: watches the hottest loop of a program from start to end. The
# program's output must equal that without watching.
same_output() {
    real=$1 input=$2; shift 2
    command -v "$1" >/dev/null 2>&1 || return 0
    "$@" <"$input" >"$work/alone" 2>&1
    for number in 1 2 3; do   # a loop may be refused
        rm -f "$work/profiled" "$work/printed"
        "$portolan" -e "program profile --measure 0 --output $work/profiled --input $input -- $*; program explain $number --measure 0 --output $work/printed" >"$work/out" 2>"$work/err" </dev/null && break
        # The program is too short for a hot loop, or its loop is rejected.
        grep -qE 'too little CPU time|ptrace of process|no loop|not executed|space for a jump|at most' "$work/err" || fail "$real: $(cat "$work/err")"
        number=
    done
    [ -n "$number" ] || return 0
    grep -qE ' iterations? in ' "$work/out" || fail "$real: no count: $(cat "$work/out")"
    cmp -s "$work/alone" "$work/printed" || fail "$real: its output changed: $(cat "$work/out")"
}

test_programs_print_the_same() {
    build loops
    # Some megabytes of compressible data, which are always the same.
    seq 1 250000 >"$work/numbers"
    printf 'my $s=0; for (my $i=0;$i<1000000;$i++) { $s+=$i%%7; } print "$s\\n";\n' >"$work/p.pl"
    printf 'print(sum(i*i%%7 for i in range(800000)))\n' >"$work/p.py"
    printf 'create table t(a integer, b text); with recursive c(x) as (select 1 union all select x+1 from c where x<50000) insert into t select x, hex(x*7919) from c; select sum(a), max(b) from t where b like "%%3%%";\n' >"$work/q.sql"
    same_output gzip "$work/numbers" gzip -c -n -6
    same_output xz "$work/numbers" xz -c -2
    same_output bzip2 "$work/numbers" bzip2 -c
    same_output zstd "$work/numbers" zstd -q -c -T2 -9
    same_output sort "$work/numbers" sort -S 50M
    same_output openssl "$work/numbers" openssl enc -aes-256-cbc -pbkdf2 -iter 200000 -k a -S 0011223344556677
    same_output perl /dev/null perl "$work/p.pl"
    same_output python3 /dev/null python3 -S "$work/p.py"
    same_output sqlite3 "$work/q.sql" sqlite3
    compiler=${CC:-cc}
    cc1=$(${compiler##* } -print-prog-name=cc1 2>/dev/null)
    "${compiler##* }" -E "$source/tests/support/loops_running.c" -o "$work/loops.i" 2>/dev/null && same_output cc1 /dev/null "${cc1:-cc1}" -quiet -O2 -fpreprocessed "$work/loops.i" -o -
    same_output threads /dev/null "$work/loops" threads 100
    same_output fork /dev/null "$work/loops" fork 150
}

# Missing cycles are attributed if only one cause is possible. Otherwise attribution is refused.
test_causes() {
    build loops
    cause() {
        format=json explain "--output $work/printed $1 $work/loops $2 $3"
        tr -d '\n' <"$work/out" | sed -n 's/.*"cause": *"\([^"]*\)".*/\1/p'
    }
    case $(cause loop_partition partition 3000) in branches | 'not split' | '') ;; *) fail "partition: $(cat "$work/out")" ;; esac
    case $(cause loop_list list-middle 100) in caches | 'not split' | '') ;; *) fail "list: $(cat "$work/out")" ;; esac
    case $(cause loop_sum sum 1000) in branches | caches) fail "sum: $(cat "$work/out")" ;; esac
}

# term KEY: prints a number of the JSON document, or nothing if it is absent.
term() { tr -d '\n' <"$work/out" | sed -n 's/.*"'"$1"'": *\(-\{0,1\}[0-9.]*\).*/\1/p'; }

# Replays in copies of the process. Half of the branches of both loops are random, so the missing
# cycles must be attributed to them or attribution refused. Afterwards the process has no child.
test_replays() {
    build loops
    for run in 'partition 4000' 'search 150'; do
        loop=${run% *}
        format=json explain "--output $work/printed loop_$loop $work/loops $run"
        branch=$(term branch_cycles) above=$(term above)
        [ -n "$branch" ] || { grep -q '"not_replayed": *"\|"reason": *"' "$work/out" || fail "$loop: no terms and no reason: $(cat "$work/out")"; continue; }
        # The sum of the terms equals the missing cycles.
        awk -v sum="$branch $(term cache_cycles) $(term rest_cycles)" -v all="$above" 'BEGIN { split(sum, t); d = t[1] + t[2] + t[3] - all; exit !(d < 0.05 + all / 50 && d > -0.05 - all / 50) }' ||
            fail "$loop: $branch + $(term cache_cycles) + $(term rest_cycles) is not $above"
        # 40 % mispredicted branches cost at least 5 cycles on any machine.
        awk -v b="$branch" 'BEGIN { exit !(b > 4) }' || fail "$loop: $branch of branches"
    done
    "$work/loops" wait 6000000 >"$work/attached" &   # runs until it is killed
    pid=$!
    until_it_runs "$pid"
    explain "--pid $pid --seconds 0.5s loop_sum"
    [ -z "$(cat "/proc/$pid/task/"*"/children" 2>/dev/null)" ] || fail "children are left: $(cat "/proc/$pid/task/"*"/children")"
    kill -0 "$pid" || fail 'it is gone'
    kill "$pid"
    wait "$pid" 2>/dev/null
}

# alone NAME REPEATS: prints cycles per iteration of a program by its own clock, or nothing if the
# mean of its visits is more than 10 % above their lower quartile, because the host is busy.
alone() { CYCLES=1 "$work/loops" "$1" "$2" 2>/dev/null | awk '/ cycles per iteration$/ { low = $1 } / cycles on average$/ { mean = $1 } END { if (mean < 1.1 * low) print low }'; }
# extra PROGRAM WITHOUT REPEATS: prints the difference of the cycles of two programs, or nothing.
extra() { echo "$(alone "$1" "$3") $(alone "$2" "$3")" | awk 'NF == 2 { print $1 - $2 }'; }
# true_term KEY LOOP PROGRAM WITHOUT REPEATS: compares term KEY of PROGRAM with the extra time over
# WITHOUT, which runs the same loop on data without the cause. They must agree within 20 % and the
# term's uncertainty. If the host is busy, nothing is compared, and a term may be refused. After
# three refusals, or three runs on a busy host, a term is not sought again.
true_term() {
    compared=0 refused=0 busy=0
    for _ in 1 2 3 4 5 6; do
        truth=$(extra "$3" "$4" "$5")
        [ -n "$truth" ] || { busy=$((busy + 1)); [ "$busy" -lt 3 ] || break; continue; }
        format=json explain "--measure ${measure:-0} --output $work/printed loop_$2 $work/loops $3 $5"
        found=$(term "$1_cycles") off=$(term "$1_off")
        [ -n "$found" ] || { refused=$((refused + 1)); [ "$refused" -lt 3 ] || break; continue; }
        again=$(extra "$3" "$4" "$5")
        [ -n "$again" ] && awk -v a="$truth" -v b="$again" 'BEGIN { d = a - b; exit !(a > 1 && d < a / 10 && d > -a / 10) }' || continue
        compared=$((compared + 1)) any=yes
        awk -v t="$truth" -v f="$found" -v o="$off" 'BEGIN { d = f - t; m = t / 5 + o; exit !(d <= m && d >= -m) }' && return 0
    done
    # A single comparison may be disturbed by the host.
    [ "$compared" -lt 3 ] || fail "$3: the term of $1 is $found (± $off), and its truth $truth"
}
test_terms_are_true() {
    build loops
    any=
    # about 0.6 s each: a shorter run ends before enough of its moments are replayed
    true_term branch partition partition partition-sorted 4000
    true_term branch search search search-same 150
    true_term cache list list-middle list 1000
    # the cost of page walks varies by a factor of ten on some virtual machines; it is then refused
    measure=1 true_term tlb list pages pages-huge 30
    [ "$any" ] || skip 'the host was too busy to compare a term with its truth'
}

# kernel blame runs the recorded iterations with their outcomes and addresses. The costs of causes
# that it finds agree with the times of the program on data without them, and a loop that takes
# another time outside of the program has no costs.
test_recorded_costs() {
    build loops
    explain_and_blame() {
        "$portolan" --format json -e "program explain --measure 0 --output $work/printed loop_$1 $work/loops $2 $3; kernel load --symbol loop_$1 $work/loops; kernel blame --seconds 0.01" >"$work/out" 2>"$work/err" </dev/null || true
    }
    # cost LOOP PROGRAM WITHOUT REPEATS COLUMN INSTRUCTION
    cost() {
        compared=0
        for _ in 1 2 3 4 5; do
            truth=$(extra "$2" "$3" "$4")
            [ -n "$truth" ] || continue
            explain_and_blame "$1" "$2" "$4"
            grep -q '"recorded_agrees": *true' "$work/out" || continue
            found=$(tr '{' '\n' <"$work/out" | grep "\"instruction\": *\"$6" | sed -n "s/.*\"$5\": *\(-*[0-9.]*\).*/\1/p" | head -n 1)
            off=$(tr '{' '\n' <"$work/out" | grep "\"instruction\": *\"$6" | sed -n 's/.*"error": *\([0-9.]*\).*/\1/p' | head -n 1)
            [ -n "$found" ] || continue
            compared=$((compared + 1))
            # the recorded run itself may differ from the program by a quarter
            awk -v t="$truth" -v f="$found" -v o="$off" 'BEGIN { d = f - t; m = t / 4 + o + 1; exit !(d <= m && d >= -m) }' && return 0
        done
        [ "$compared" -lt 3 ] || fail "$2: $6 costs $found (± $off), and its truth is $truth"
    }
    cost partition partition partition-sorted 400 sorted 'jnl\|jge'
    cost list list-middle list 200 omitted 'mov rdi, \[rdi'
}

# Other commands use the recording. The loop's pane shows the time in the program by path, and
# kernel blame analyses the most frequent path, whose branches depend on data.
test_recorded_paths() {
    build loops
    explain "--measure 0 --output $work/printed loop_partition $work/loops partition 3000; kernel load --symbol loop_partition $work/loops; view kernel"
    grep -q 'in the program [0-9.]* cycles (' "$work/out" || fail "no time: $(cat "$work/out")"
    holds out '% of iterations execute'
    status=0
    bounded "$portolan" -e "program explain --measure 0 --output $work/printed loop_partition $work/loops partition 3000; kernel load --symbol loop_partition $work/loops; kernel blame --seconds 2" >"$work/out" 2>"$work/err" </dev/null || status=$?
    if grep -q '^no paths' "$work/out"; then   # the host was too busy to record before the program ended
        grep -q 'depends on data' "$work/err" || fail "status $status: $(cat "$work/err")"
    elif [ "$status" -eq 0 ]; then
        grep -qE 'along the path of|path of most iterations was not measured: (no time of the unchanged loop: )?(no stable|core is)' "$work/out" || fail "no path: $(cat "$work/out")"
        grep -qE 'with the recorded branch outcomes and addresses: [0-9]|recorded iterations were not measured outside the program: core is' "$work/out" || fail "no recorded run: $(cat "$work/out")"
    else
        grep -qE 'no stable time|core is contended|perf|seccomp|not available|within|cancelled' "$work/err" || fail "status $status: $(cat "$work/err")"
        grep -q 'depends on data' "$work/err" && fail "the path is refused: $(cat "$work/err")"
    fi
    # The memory view shows the footprint of the loop's loads.
    explain "--measure 0 --output $work/printed loop_list $work/loops list-middle 100; kernel load --symbol loop_list $work/loops; kernel memory"
    # The view requires a footprint, which few recordings have.
    awk '/^loads, per iteration/ { loads = 1 } loads && /^0x/ && $(NF - 1) ~ /^[0-9]/ { found = 1 } END { exit !found }' "$work/out" &&
        { grep -q 'in the program the loop'\''s loads use .* MiB' "$work/out" || fail "no memory: $(cat "$work/out")"; }
    # Another loop does not show these times.
    status=0
    "$portolan" -e "program explain --measure 0 --output $work/printed loop_partition $work/loops partition 3000; kernel load --symbol loop_list $work/loops; view kernel" >"$work/out" 2>"$work/err" </dev/null || status=$?
    ! grep -q 'in the program [0-9.]* cycles (' "$work/out" || fail "another loop has its times: $(cat "$work/out")"
}

# All iterations of an interpreter's loop begin with a jump from its cases. They are timed in the
# original code if copies of the process can be made.
test_interpreter() {
    build loops
    format=json explain "--measure 0 --output $work/printed loop_interpret $work/loops interpret 40"
    grep -q '"cycles":[0-9]' "$work/out" || grep -q '"reason": *"' "$work/out" || fail "no time and no reason: $(cat "$work/out")"
    explain "--measure 0 --output $work/printed loop_interpret $work/loops interpret 40"
    grep -qE "in copies of the process, which execute the loop's original code|for the jump to the counting code|not measured" "$work/out" || fail "$(cat "$work/out")"
    holds out 'hardware counters'
}

# If the target is killed, watching ends and reports it.
test_killed() {
    build loops
    "$work/loops" wait 100000000 >"$work/attached" &
    pid=$!
    until_it_runs "$pid"
    "$portolan" -e "program explain --pid $pid --seconds 600s loop_sum" >"$work/out" 2>"$work/err" </dev/null &
    watching=$!
    wait_until grep -q "TracerPid:	[1-9]" "/proc/$pid/status"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    wait "$watching"
    [ "$?" -le 1 ] || fail "it crashed: $(cat "$work/out" "$work/err")"
}

# If Portolan itself is killed, the watched process returns to its original code and may start
# threads.
test_abandoned() {
    build loops
    "$work/loops" births 1500 >"$work/alone"
    for signal in KILL TERM; do
        "$work/loops" births 1500 >"$work/attached" &
        pid=$!
        until_it_runs "$pid"
        "$portolan" -e "program explain --pid $pid --seconds 600s loop_sum" >"$work/out" 2>"$work/err" </dev/null &
        watching=$!
        # The counters occupy a mapping of 256 MiB.
        wait_until sh -c 'grep -q "^Size: *262144 kB" "/proc/$1/smaps" || ! kill -0 "$1"' - "$pid"
        kill -"$signal" "$watching"
        wait "$watching" 2>/dev/null
        wait_until sh -c '! grep -q "^Size: *262144 kB" "/proc/$1/smaps" 2>/dev/null' - "$pid"
        wait "$pid" || fail "$signal: it ended with $?"
        cmp -s "$work/alone" "$work/attached" || fail "$signal: printed $(cat "$work/attached") instead of $(cat "$work/alone")"
    done
}

# Under seccomp, the code is not changed. The loop is sampled instead if the system has a clock for
# it. The same holds if Portolan itself must not use ptrace.
test_sampled_instead() {
    build loops
    # filter N PROGRAM: refuses the first N of two system calls.
    cat >"$work/filter.c" <<'EOF'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int c, char **v)
{
    unsigned n = c < 3 ? 0 : (unsigned)atoi(v[1]);
    struct sock_filter all[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n > 0 ? SYS_ptrace : ~0u, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n > 1 ? SYS_perf_event_open : ~0u, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)};
    struct sock_fprog program = {5, all};
    if (c < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
        return 77;
    execv(v[2], v + 2);
    return 1;
}
EOF
    # shellcheck disable=SC2086
    ${CC:-cc} "$work/filter.c" -o "$work/filter" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    "$work/filter" 0 "$work/loops" sum 1 >"$work/out" || skip 'no seccomp here'
    "$work/filter" 0 "$work/loops" wait 100000000 >"$work/attached" &
    pid=$!
    until_it_runs "$pid"
    wait_until grep -q "Seccomp:	2" "/proc/$pid/status"
    "$portolan" -e "program explain --pid $pid --seconds 0.3s loop_sum" >"$work/out" 2>"$work/err" </dev/null
    cat "$work/err" >>"$work/out"
    holds out 'runs under seccomp'
    ! grep -q 'x-p.*loops' "/proc/$pid/maps" || [ "$(grep -c 'TracerPid:	0' "/proc/$pid/status")" -eq 1 ] || fail 'it is traced'
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    "$work/loops" wait 100000000 >"$work/attached" &
    pid=$!
    until_it_runs "$pid"
    for n in 1 2; do
        "$work/filter" "$n" "$portolan" -e "program explain --pid $pid --seconds 0.3s loop_sum" >"$work/out" 2>"$work/err" </dev/null
        cat "$work/err" >>"$work/out"
        holds out 'Portolan runs under a seccomp profile, as in a container'
        grep -q "sampled by the system's clock instead" "$work/out" || [ -s "$work/err" ] || fail "$(cat "$work/out")"
    done
    holds out "Sampling by the system's clock also failed: "
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    true
}

test_document() {
    build loops
    format=json explain "--output $work/printed loop_partition $work/loops partition 3000"
    grep -q '"iterations": *196608000' "$work/out" || fail "$(cat "$work/out")"
    grep -q '"taken":' "$work/out" || fail "no branches: $(cat "$work/out")"
}

run_tests
