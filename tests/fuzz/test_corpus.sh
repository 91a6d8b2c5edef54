#!/bin/sh
# Every fuzz target takes its corpus and damaged versions of it. REPLAY_ROUNDS: so many of each
# file; REPLAY_SECONDS: of processor time, for each target, which what else the host does cannot use
# up. On the clock it has seven times as long, for what waits for ever.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

replays=$(dirname "$portolan")/tests/fuzz

test_each_target_has_a_corpus() {
    for target in "$source"/tests/fuzz/fuzz_*.c; do
        name=$(basename "$target" .c)
        [ -d "$source/tests/fuzz/corpus/${name#fuzz_}" ] || fail "$name has none"
    done
}

test_no_target_fails() {
    seconds=${REPLAY_SECONDS:-120}
    for corpus in "$source"/tests/fuzz/corpus/*; do
        name=$(basename "$corpus")
        rounds=${REPLAY_ROUNDS:-100}
        # One process of the assembler, or a directory, for each.
        case $name in assemble|hex|session) rounds=$((rounds / 10)) ;; esac
        (
            ulimit -S -t "$seconds"
            REPLAY_ROUNDS=$rounds TMPDIR=$work exec timeout $((7 * seconds)) "$replays/replay_$name" "$corpus" >"$work/out" 2>&1
        ) || fail "$name: status $?: $(tail -3 "$work/out")"
    done
}

run_tests
