#!/bin/sh
# kernel blame on this CPU prints a table and a sentence, or the reason why there is no measured
# time.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

reasons='no stable time|core is contended|perf|seccomp|not available|for another instruction set|this CPU executes'

test_loop_is_blamed() {
    status=0
    bounded "$portolan" --format json -e "kernel load $source/data/kernels/pi-O1.s; kernel blame --seconds 3" >"$work/out" 2>"$work/err" </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        grep -qE "$reasons" "$work/err" || fail "status $status: $(cat "$work/err")"
        return
    fi
    for key in '"measured"' '"predicted"' '"sentence"' '"instructions"' '"dependences"' '"variants"'; do holds out "$key"; done
}

test_needs_a_loop() {
    expect 1 "$portolan" -e 'kernel blame'
    holds err 'no kernel is loaded'
}

test_refused_code_says_why() {
    status=0
    bounded "$portolan" -e 'kernel hex 0f0b; kernel blame --seconds 1' >"$work/out" 2>"$work/err" </dev/null || status=$?
    [ "$status" -eq 1 ] || fail "status $status"
    grep -qE "a system instruction|$reasons" "$work/err" || fail "$(cat "$work/err")"
}

run_tests
