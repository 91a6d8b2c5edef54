# What the shell tests share. A test file sources this, defines functions test_NAME, each of which
# is one test, and ends with run_tests, which speaks
# TAP. Each function runs in a subshell: what it changes is its own, and a fault is reported and
# does not end it unless it says `return`.
# For the tests: $portolan, $source (the source tree), $work (a directory, removed at the end).
set -u
portolan=${PORTOLAN:-./portolan}
source=${PORTOLAN_SRC:-.}
test_file=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
work=$(mktemp -d) || exit 99
export PORTOLAN_CPU=none   # no test depends on the CPU that it runs on
# Tests wait for events, never for a time. Every wait has this limit, which only a hang reaches:
# what takes seconds on an idle machine has it 50 times over.
HANG_SECONDS=${HANG_SECONDS:-600}

finish() {
    for socket in "${TMUX_TMPDIR:-/tmp}/tmux-$(id -u)/portolan-test-$$-"*; do tmux -S "$socket" kill-server 2>/dev/null; done
    wait_until rm -rf "$work" 2>/dev/null   # a program that is just ending may still write
}
trap finish EXIT
trap 'exit 130' INT
trap 'printf "Bail out! a hang: %s was ended from outside in %s\n" "$test_file" "${name-}"; exit 143' TERM
trap 'exit 129' HUP

# The test has failed; it goes on.
fail() { printf '%s\n' "$*" >>"$work/faults"; }
# The test cannot be run here, for the reason given.
skip() { printf '%s\n' "$*" >"$work/skipped"; exit 0; }
needs() { command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"; }
# $cc is the compiler for whole programs, which is built where LLVM is.
cc=$(dirname "$portolan")/portolan-cc
needs_llvm() { [ -x "$cc" ] || skip 'built without LLVM'; }

# expect STATUS COMMAND...: runs it, output in $work/out and $work/err.
expect() {
    wanted=$1; shift
    got=0
    "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    [ "$got" -eq "$wanted" ] || fail "status $got instead of $wanted: $*: $(head -c 1000 "$work/err")"
}
# holds out|err TEXT, lacks out|err TEXT: what the last command printed.
holds() { grep -qF -- "$2" "$work/$1" || fail "$1 lacks \"$2\": $(head -c 300 "$work/$1")"; }
lacks() { ! grep -qF -- "$2" "$work/$1" || fail "$1 has \"$2\": $(grep -F -- "$2" "$work/$1" | head -c 300)"; }

# wait_until COMMAND...: until it succeeds; false, and told as a hang, when the limit is reached.
wait_until() {
    polls=$((HANG_SECONDS * 20))
    until "$@"; do
        [ "$((polls -= 1))" -gt 0 ] || { fail "a hang: $HANG_SECONDS s without: $*"; return 1; }
        sleep 0.05
    done
}
# bounded COMMAND...: runs it; what hangs is ended, and told as that: after HANG_SECONDS of CPU time
# in one process, or ten times as long by the clock.
bounded() {
    bounded_status=0
    (ulimit -S -t "$HANG_SECONDS"; exec timeout -k 5 "$((HANG_SECONDS * 10))" "$@") || bounded_status=$?
    case $bounded_status in
    124 | 152) fail "a hang: not ended after $HANG_SECONDS s: $*" ;;   # 152: SIGXCPU
    esac
    return "$bounded_status"
}

# A screen: t SUBCOMMAND... speaks to this test's own tmux server, open_screen COLUMNS ROWS COMMAND
# starts it.
t() { tmux -L "$socket" "$@"; }
open_screen() {
    needs tmux
    t -f /dev/null new-session -d -x "$1" -y "$2" "$3" 2>"$work/tmux" || skip "tmux: $(cat "$work/tmux")"
}
screen_holds() { t capture-pane -p | grep -qF -- "$1"; }
# see TEXT: waits until the screen holds it; the test ends when it does not come.
see() {
    wait_until screen_holds "$1" && return 0
    fail "not seen: $1"
    t capture-pane -p >>"$work/faults" 2>&1
    exit 1
}

# Runs the functions of the file in their order.
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
        socket=portolan-test-$$-$number   # of its own: a dying server would take a new session with it
        rm -f "$work/faults" "$work/skipped"
        status=0
        ( trap - EXIT; "$name" || true ) </dev/null 2>"$work/stderr" || status=$?
        cat "$work/stderr" >&2
        # A command that is misspelt, or moved to another file, is a fault of the test.
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
