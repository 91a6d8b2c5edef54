#!/bin/sh
# Two ranks of an MPI launcher on this host, if the program was configured --with-mpi. The results
# equal those of one process and are printed once. If a rank is killed, the checkpoint remains.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# Open MPI rejects root and more ranks than processors unless these variables permit them. Other
# launchers ignore them.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
MARK=$work   # in the environment of all its ranks
export MARK

needs_mpi() { [ -n "${PORTOLAN_MPIRUN-}" ] || skip 'built without MPI (./configure --with-mpi)'; }
ranks() { count=$1; shift; bounded "$PORTOLAN_MPIRUN" -n "$count" "$portolan" "$@"; }

measure() {
    [ -e "$work/all.csv" ] || "$portolan" --machine skylake -e "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)' 'VPADDQ (YMM, YMM, YMM)' \
'VPSHUFB (YMM, YMM, YMM)' 'VPOR (YMM, YMM, YMM)'; experiments generate; experiments measure --simulate skylake; experiments generate; experiments measure --simulate skylake; experiments save $work/all.csv" >"$work/measured" 2>&1 ||
        fail "$(cat "$work/measured")"
}

test_islands_give_one_result() {
    needs_mpi
    measure
    for migration in ring random none; do
        cat >"$work/evolve.pf" <<TEXT
experiments load $work/all.csv
evolve start --ports 5 --generations 2 --threads 1 --migration $migration --migrate-every 0.1s --checkpoint $work/run.json
evolve wait
evolve adopt
mapping save $work/$migration
evaluate
TEXT
        expect 0 ranks 2 --format json -b "$work/evolve.pf"
        grep -q '"command":"evolve start".*"ranks":2' "$work/out" || fail "one rank only: $(cat "$work/out" "$work/err")"
        [ "$(grep -c '"command":"evolve wait"' "$work/out")" -eq 1 ] || fail "printed more than once: $(cat "$work/out")"
        sed -n 's/.*"command":"evaluate".*"mape":\([^,]*\).*/\1/p' "$work/out" | awk '{ exit !($1 < 0.05) }' || fail "it explains little: $(tail -n 1 "$work/out")"
        [ -s "$work/$migration/mapping.csv" ] && [ -s "$work/run.json" ] || fail 'rank 0 wrote no files'
    done
}

# Each island searches for the number of ports. All islands use the number that rank 0 selects.
test_the_number_of_ports_is_one() {
    needs_mpi
    measure
    expect 0 ranks 2 --format json -e "experiments load $work/all.csv; evolve start --seconds 3 --threads 1 --checkpoint none; evolve wait"
    grep -q '"command":"evolve wait".*"state":"done".*"ports":[4-9].*"ranks":2' "$work/out" || fail "$(cat "$work/out" "$work/err")"
}

test_stop_and_pause_reach_all() {
    needs_mpi
    measure
    expect 0 ranks 2 -e "experiments load $work/all.csv; evolve start --ports 5 --seconds 600 --threads 1 --checkpoint none; evolve pause; evolve resume; evolve set uop-price 2; evolve stop"
    holds out 'run 1: stopped'
    # pmevo has no islands and reports that it uses one rank.
    expect 0 ranks 2 --format json -e "experiments load $work/all.csv; evolve start --algorithm pmevo --ports 5 --population 20 --generations 3 --checkpoint none; evolve wait"
    holds out '"ranks":1'
}

test_blocks_are_shared_out() {
    needs_mpi
    { echo hex,cycles; i=0; while [ $i -lt 3000 ]; do echo "4801d8,1"; echo "480fafc3,3"; echo "4829c34801d8,2.1"; i=$((i + 1)); done; } >"$work/blocks.csv"
    command="kernel evaluate $work/blocks.csv --machine skylake --threads 1"
    expect 0 "$portolan" --format json -e "$command --blocks $work/alone.csv"
    sed 's/"blocks_per_second":[^,}]*//' "$work/out" >"$work/alone"
    expect 0 ranks 3 --format json -e "$command --blocks $work/together.csv"
    holds out '"ranks":3'
    sed 's/"blocks_per_second":[^,}]*//; s/"ranks":3,//' "$work/out" | tr , '\n' | grep -E '"(n|refused|median|kendall)"' >"$work/some"
    tr , '\n' <"$work/alone" | grep -E '"(n|refused|median|kendall)"' | diff - "$work/some" >"$work/difference" || fail "$(cat "$work/difference")"
    sort "$work/alone.csv" >"$work/1"; sort "$work/together.csv" >"$work/2"
    cmp -s "$work/1" "$work/2" || fail "$(wc -l <"$work/2") rows of $(wc -l <"$work/1"), or others"
    # An invalid row is reported with its line number, as without ranks.
    echo 4801d8 >>"$work/blocks.csv"
    expect 1 ranks 2 -e "$command"
    grep -q 'blocks.csv:9002: 1 field instead of at least 2' "$work/err" || fail "$(cat "$work/err")"
}

test_files_are_shared_out() {
    needs_mpi
    libraries=$(find /lib /usr/lib -name 'lib[cm]*.so.*' -type f -size -3000k 2>/dev/null | head -n 5)
    # shellcheck disable=SC2086 # $libraries is a list of files
    set -- $libraries "$(command -v sh)"
    "$portolan" -e "forms scan $* --out $work/alone.csv" >"$work/out" 2>"$work/err" || skip "$(cat "$work/err")"
    expect 0 ranks 2 -e "forms scan $* --out $work/together.csv"
    cmp -s "$work/alone.csv" "$work/together.csv" || fail 'other counts'
    echo text >"$work/text"
    expect 1 ranks 2 -e "forms scan $* $work/text $work/text $work/text"
    holds err 'text'
}

# Equal values have equal times on every rank. The times equal those of one process, except for the
# call costs that each measures.
test_values_of_a_sweep_are_shared_out() {
    needs_mpi
    values=$(i=0; while [ $i -lt 150 ]; do printf '512k,2M,'; i=$((i + 1)); done; echo 8M)
    sweep="program load $source/data/programs/matmul.c -O1; program run N=16,24,32,48; program sweep l2_bytes=$values N=600 --machine skylake"
    "$portolan" --format csv -e "$sweep" >"$work/alone" 2>"$work/err" || { grep -q LLVM "$work/err" && skip 'built without LLVM'; fail "$(cat "$work/err")"; }
    for model in steady ammp; do
        expect 0 ranks 2 --format csv -e "$sweep --model $model"
        [ "$(grep -c '^524288,' "$work/out")" -eq 150 ] || fail "not every value has its row: $(cat "$work/out" "$work/err")"
        [ "$(grep -E '^(524288|2097152|8388608),' "$work/out" | sort -u | wc -l)" -eq 3 ] || fail "equal values have other times: $(sort -u "$work/out")"
        [ "$model" = ammp ] || grep -E '^(524288|2097152|8388608),' "$work/out" | sort -u >"$work/together.times"
    done
    grep -E '^(524288|2097152|8388608),' "$work/alone" | sort -u | paste -d, - "$work/together.times" | awk -F, '{ d = $2 / $5 - 1; if (d > .01 || d < -.01) exit 1 }' || fail "$(sort -u "$work/alone") instead of $(cat "$work/together.times")"
    expect 0 ranks 2 --format json -e "$sweep"
    holds out '"ranks":2'
}

# Prints the process of this test that has rank 1.
other_rank() {
    for process in $(grep -lz "^MARK=$work\$" /proc/[0-9]*/environ 2>/dev/null | grep -oE '[0-9]+'); do
        if grep -qzE '^(PMIX_RANK|OMPI_COMM_WORLD_RANK)=1$' "/proc/$process/environ" 2>/dev/null && [ "$(tr '\0' ' ' <"/proc/$process/cmdline" | cut -d' ' -f1)" = "$portolan" ]; then
            echo "$process"
            return
        fi
    done
}

test_a_dead_rank_leaves_the_checkpoint() {
    needs_mpi
    measure
    ranks 2 -e "experiments load $work/all.csv; evolve start --ports 5 --seconds 3600 --threads 1 --checkpoint $work/dying.json; evolve wait" >"$work/dying" 2>&1 &
    run=$!
    wait_until [ -s "$work/dying.json" ] || { fail "no checkpoint: $(cat "$work/dying")"; return; }
    victim=$(other_rank)
    [ -n "$victim" ] || { kill "$run"; fail 'rank 1 is not found'; return; }
    kill -9 "$victim"
    ! wait "$run" || fail 'the launcher says that all went well'
    [ -s "$work/dying.json" ] || fail 'the checkpoint is gone'
    expect 0 ranks 2 --format json -e "experiments load $work/all.csv; evolve resume $work/dying.json; evolve set generations 1; evolve stop; evolve adopt; evaluate"
    grep -q '"command":"evolve resume".*"ranks":2' "$work/out" || fail "it does not go on with both: $(cat "$work/out" "$work/err")"
    sed -n 's/.*"command":"evaluate".*"mape":\([^,]*\).*/\1/p' "$work/out" | awk '{ exit !($1 < 0.05) }' || fail "what had been found is lost: $(tail -n 1 "$work/out")"
}

run_tests
