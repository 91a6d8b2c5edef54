#!/bin/sh
# Every fuzz target takes its corpus and damaged versions of it. REPLAY_ROUNDS: so many of each file.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

replays=$(dirname "$portolan")/tests/fuzz

test_each_target_has_a_corpus() {
    for target in "$source"/tests/fuzz/fuzz_*.c; do
        name=$(basename "$target" .c)
        [ -d "$source/tests/fuzz/corpus/${name#fuzz_}" ] || fail "$name has none"
    done
}

test_no_target_fails() {
    for corpus in "$source"/tests/fuzz/corpus/*; do
        name=$(basename "$corpus")
        rounds=${REPLAY_ROUNDS:-100}
        # One process of the assembler, or a directory, for each.
        case $name in assemble|session) rounds=$((rounds / 10)) ;; esac
        REPLAY_ROUNDS=$rounds TMPDIR=$work timeout "${REPLAY_SECONDS:-120}" "$replays/replay_$name" "$corpus" >"$work/out" 2>&1 || fail "$name: status $?: $(tail -3 "$work/out")"
    done
}

run_tests
