#!/bin/sh
# Runs every fuzz target on its corpus and on mutations of it. REPLAY_ROUNDS is the number of
# mutations per file. REPLAY_SECONDS is the limit of processor time per target, which does not
# depend on other load. The limit of elapsed time is seven times as long, and ends inputs that wait
# forever.
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
        # These targets start the assembler or create a directory for each input.
        case $name in assemble|hex|session) rounds=$((rounds / 10)) ;; esac
        (
            ulimit -S -t "$seconds"
            REPLAY_ROUNDS=$rounds TMPDIR=$work exec timeout $((7 * seconds)) "$replays/replay_$name" "$corpus" >"$work/out" 2>&1
        ) || fail "$name: status $?: $(tail -3 "$work/out")"
    done
}

run_tests
