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

# replay NAME ROUNDS PATH: runs a target with programs of PATH.
replay() {
    (
        ulimit -S -t "$seconds"
        REPLAY_ROUNDS=$2 TMPDIR=$work exec timeout $((7 * seconds)) env PATH="$3" "$replays/replay_$1" "$source/tests/fuzz/corpus/$1" >"$work/out" 2>&1
    ) || fail "$1: status $?: $(tail -3 "$work/out")"
}

test_no_target_fails() {
    seconds=${REPLAY_SECONDS:-120}
    rounds=${REPLAY_ROUNDS:-100}
    for corpus in "$source"/tests/fuzz/corpus/*; do
        name=$(basename "$corpus")
        case $name in
        # These targets start the assembler or create a directory for each input.
        assemble|hex|session) replay "$name" $((rounds / 10)) "$PATH" ;;
        # These start llvm-mc for unknown instructions, if it is installed.
        object|emission) replay "$name" "$rounds" /nonexistent; replay "$name" $((rounds / 10)) "$PATH" ;;
        *) replay "$name" "$rounds" "$PATH" ;;
        esac
    done
}

run_tests
