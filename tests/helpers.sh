# Shared by the shell tests. A test file sources this file, defines functions test_NAME, each of
# which is one test, and ends with run_tests, which prints TAP. Each function runs in a subshell, so
# its changes do not affect other tests. A fault is reported but does not end the function, which
# may call `return`. Variables for tests: $portolan (the program), $source (the source tree), $work
# (a directory that is removed at the end).
set -u
portolan=${PORTOLAN:-./portolan}
source=${PORTOLAN_SRC:-.}
test_file=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
work=$(mktemp -d) || exit 99
export TMPDIR=$work/tmp    # what programs leave in it is removed too
mkdir "$TMPDIR" || exit 99
export PORTOLAN_CPU=none   # tests do not depend on this CPU
# Tests wait for events instead of durations. Each wait has this limit, 50 times the seconds needed
# on an idle machine. Only a hang reaches it.
HANG_SECONDS=${HANG_SECONDS:-600}

finish() {
    for socket in "${TMUX_TMPDIR:-/tmp}/tmux-$(id -u)/portolan-test-$$-"*; do tmux -S "$socket" kill-server 2>/dev/null; done
    wait_until rm -rf "$work" 2>/dev/null   # a program that is ending may still write
}
trap finish EXIT
trap 'exit 130' INT
trap 'printf "Bail out! a hang: %s was ended from outside in %s\n" "$test_file" "${name-}"; exit 143' TERM
trap 'exit 129' HUP

# Records a failure of the test and continues.
fail() { printf '%s\n' "$*" >>"$work/faults"; }
# Skips the test for the given reason.
skip() { printf '%s\n' "$*" >"$work/skipped"; exit 0; }
needs() { command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"; }
# $cc is the compiler for whole programs, which is built only if LLVM is installed.
cc=$(dirname "$portolan")/portolan-cc
needs_llvm() { [ -x "$cc" ] || skip 'built without LLVM'; }

# expect STATUS COMMAND...: runs the command and checks its status. Its output is in $work/out and
# $work/err.
expect() {
    expected_status=$1; shift
    got=0
    "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    [ "$got" -eq "$expected_status" ] || fail "status $got instead of $expected_status: $*: $(head -c 1000 "$work/err")"
}
# holds out|err TEXT, lacks out|err TEXT: check the output of the last command.
holds() { grep -qF -- "$2" "$work/$1" || fail "$1 lacks \"$2\": $(head -c 300 "$work/$1")"; }
lacks() { ! grep -qF -- "$2" "$work/$1" || fail "$1 has \"$2\": $(grep -F -- "$2" "$work/$1" | head -c 300)"; }

# wait_until COMMAND...: waits until the command succeeds. When the limit is reached, reports a hang
# and returns false.
wait_until() {
    polls=$((HANG_SECONDS * 20))
    until "$@"; do
        [ "$((polls -= 1))" -gt 0 ] || { fail "a hang: $HANG_SECONDS s without: $*"; return 1; }
        sleep 0.05
    done
}
# bounded COMMAND...: runs the command with limits of HANG_SECONDS of CPU time and ten times as long
# of elapsed time. If it reaches one, ends it and reports a hang.
bounded() {
    bounded_status=0
    (ulimit -S -t "$HANG_SECONDS"; exec timeout -k 5 "$((HANG_SECONDS * 10))" "$@") || bounded_status=$?
    case $bounded_status in
    124 | 152) fail "a hang: not ended after $HANG_SECONDS s: $*" ;;   # 152: SIGXCPU
    esac
    return "$bounded_status"
}

# t SUBCOMMAND... sends a command to this test's own tmux server. open_screen COLUMNS ROWS COMMAND
# starts the server.
t() { tmux -L "$socket" "$@"; }
open_screen() {
    needs tmux
    t -f /dev/null new-session -d -x "$1" -y "$2" "$3" 2>"$work/tmux" || skip "tmux: $(cat "$work/tmux")"
}
screen_holds() { t capture-pane -p | grep -qF -- "$1"; }
# see TEXT: waits until the screen contains the text. Ends the test if it does not appear.
see() {
    wait_until screen_holds "$1" && return 0
    fail "not seen: $1"
    t capture-pane -p >>"$work/faults" 2>&1
    exit 1
}

# Runs the test functions of the file in order.
run_tests() {
    names=$(sed -n 's/^\(test_[a-z0-9_]*\)().*/\1/p' "$test_file")
    [ -n "$names" ] || { echo "Bail out! no test in $test_file"; exit 99; }
    number=0
    failed=0
    # shellcheck disable=SC2086 # a list of words
    set -- $names
    echo "1..$#"
    for name in $names; do
        number=$((number + 1))
        socket=portolan-test-$$-$number   # a separate server: one that is ending would end a new session
        rm -f "$work/faults" "$work/skipped"
        status=0
        ( trap - EXIT; "$name" || true ) </dev/null 2>"$work/stderr" || status=$?
        cat "$work/stderr" >&2
        # An unknown command, because of a typo or because it was moved, is a fault of the test.
        [ -f "$work/skipped" ] || grep -E '^[^ ]+: [0-9]+: [^ ]+: not found$' "$work/stderr" >>"$work/faults"
        tmux -L "$socket" kill-server 2>/dev/null
        if [ -s "$work/faults" ] || { [ "$status" -ne 0 ] && fail "$name ended with status $status"; }; then
            echo "not ok $number - $name"
            sed 's/^/# /' "$work/faults"
            failed=1
        elif [ -f "$work/skipped" ]; then
            echo "ok $number - $name # SKIP $(cat "$work/skipped")"
        else
            echo "ok $number - $name"
        fi
    done
    exit "$failed"
}
