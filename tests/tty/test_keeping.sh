#!/bin/sh
# Nothing is lost: the workbench saves its session automatically, and the next workbench offers it.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
state=$home/.local/state/portolan
unset XDG_STATE_HOME
prompt() { t send-keys :; t send-keys -l "$*"; t send-keys Enter; }
# paste TEXT: pastes it after printf has replaced its escapes.
# shellcheck disable=SC2059 # the text is the format
paste() { t set-buffer "$(printf "$1")"; t paste-buffer -p; }
# Starts a workbench on a separate screen and writes its process id to $home/pid. The tmux server
# ends with the workbench. The next test starts a new one.
open_bench() {
    t kill-server 2>/dev/null
    socket=$socket+
    trap 't kill-server 2>/dev/null' EXIT
    open_screen "$1" "$2" "HOME=$home; export HOME; echo \$\$ >$home/pid; exec '$portolan'"
}
kill_bench() { kill -9 "$(cat "$home/pid")"; }
# kept TEXT: returns whether a stored session contains the text. Ignores incomplete files, which a
# kill deletes.
kept() { grep -rqF --exclude='.*' --exclude='*.tmp*' -- "$1" "$state/sessions" 2>/dev/null; }
ended() { ! kill -0 "$(cat "$home/pid")" 2>/dev/null; }
await_kept() { wait_until kept "$1" || { fail "not kept: $1"; exit 1; }; }

# A second kernel, a changed usage, experiments and a what-if are restored after kill -9.
test_kill_and_come_back() {
    open_bench 100 30
    see 'What next?'
    paste '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n'
    see '3.00 cycles'
    prompt "set machine skylake; mapping set 'IMUL (R64, R64)' 4*p1; kernel whatif issue_width=1..4"
    see 'issue_width'
    prompt "forms select 'ADD (R64, R64)' 'SUB (R64, R64)'; experiments generate; experiments measure --simulate skylake; job wait; view kernel"
    await_kept 'ADD (R64, R64) + SUB (R64, R64)'
    await_kept 'issue_width'
    kill_bench
    open_bench 100 30
    see 'Last session'
    see 'pasted and 1 more kernel, 3 experiments'
    see 'Enter resumes it'
    t send-keys Enter
    see 'imulq %rax, %rbx'
    see '4.00 cycles'
    see 'kernel 2/2'
    prompt 'view whatif'
    see 'issue_width on skylake'
    prompt "kernel switch previous"
    see 'triad-skl-O3.s'
    prompt 'view experiments'
    see '3 experiments'
    prompt 'view mapping; filter form~IMUL & form~R64'
    see '4.00'
    t send-keys Q
}

# The history of the prompt is also restored after kill -9. Without a stored session, none is
# offered.
test_history_and_nothing_to_offer() {
    wait_until rm -rf "$home/.local" 2>/dev/null
    open_bench 80 24
    see 'What next?'
    prompt 'kernel list'
    see "first line"
    kill_bench
    rm -rf "$state/sessions"
    open_bench 80 24
    see 'What next?'
    t send-keys : Up
    see ':kernel list'
    t send-keys Escape
    t send-keys Q
}

# Two concurrent workbenches have separate sessions. The session of a running workbench is not
# offered to another.
test_two_at_once() {
    wait_until rm -rf "$home/.local" 2>/dev/null
    open_bench 80 24
    see 'What next?'
    paste '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n'
    await_kept 'imulq %rax, %rbx'
    t split-window "HOME=$home '$portolan'; read -r x"
    t resize-pane -Z
    see 'What next?'
    paste '.L1:\n subq %%rax, %%rbx\n jmp .L1\n'
    await_kept 'subq %rax, %rbx'
    kept 'imulq %rax, %rbx' || fail 'one session has overwritten the other'
    prompt session list
    see 'yes'
    t send-keys Q
}

# The session is also saved when the workbench's terminal closes.
test_end_of_the_terminal() {
    wait_until rm -rf "$home/.local" 2>/dev/null
    open_bench 80 24
    see 'What next?'
    paste '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n'
    see '3.00 cycles'
    t kill-server
    await_kept 'imulq %rax, %rbx'
    wait_until ended || fail 'the workbench outlives its terminal'
    open_bench 80 24
    see 'Enter resumes it'
    t send-keys Escape
    see 'triad-skl-O3.s'
    prompt session load last
    see 'imulq %rax, %rbx'
    t send-keys Q
}

# An interrupted inference run continues from its checkpoint. Each run has its own.
test_run_goes_on() {
    wait_until rm -rf "$home/.local" 2>/dev/null
    printf 'experiment,cycles\n"ADD (R64, R64)",0.25\n"IMUL (R64, R64)",1\n"ADD (R64, R64) + IMUL (R64, R64)",1\n' >"$work/e.csv"
    open_bench 100 30
    see 'What next?'
    see 'vfmadd132pd'   # an example loaded later would replace the view
    prompt "experiments load $work/e.csv; evolve start --ports 4 --seconds 1000; view evolution"
    see 'run 1: running'
    await_kept 'checkpoint,'
    kill_bench
    open_bench 100 30
    see '3 experiments, inference run at'
    t send-keys Enter
    see 'evolve status shows its progress'   # loading the kernel changes the view
    prompt view evolution
    see 'run 1: running'
    prompt 'evolve stop; evolve start --ports 4 --seconds 1000; view evolution'
    see 'run 2: running'
    two() { [ "$(find "$state/checkpoints" -name '*.json' | wc -l)" -ge 2 ]; }
    wait_until two || fail 'one checkpoint has overwritten another'
    t send-keys Q
}

test_sessions_by_command() {
    export HOME="$home"
    expect 0 "$portolan" --machine skylake -e "kernel load $source/data/kernels/pi-O1.s; kernel load $source/data/kernels/triad-skl-O3.s; session save $work/one"
    expect 0 "$portolan" -e "session load $work/one; kernel opened; kernel switch previous; session save $work/two; kernel opened"
    grep -qE '^\* +1 .*pi-O1.s' "$work/out" || fail 'the first is not the current one'
    expect 0 "$portolan" -e "session load $work/two; kernel opened; session diff $work/one"
    grep -qE '^\* +1 .*pi-O1.s' "$work/out" || fail 'the order of kernels is lost'
    holds out 'no difference'
    expect 0 "$portolan" -e "session load $work/two; mapping set 'ADD (R64, R64)' 2*p0; kernel load $source/data/kernels/pi-O2.s; set seed 7; session diff $work/one"
    grep -qE 'usage +skylake ADD \(R64, R64\) +1\*p0156 +2\*p0' "$work/out" || fail "no changed usage: $(cat "$work/out")"
    grep -qE 'kernel +pi-O2.s.* there' "$work/out" || fail 'no new kernel'
    grep -qE 'setting +seed +1 +7' "$work/out" || fail 'no changed setting'
    expect 1 "$portolan" -e 'session load no-such'
    holds err 'no saved session'
    # Text is in a fixed order. If nothing changed, version control finds nothing to commit.
    expect 0 "$portolan" -e "session load $work/one; session save $work/three"
    diff -r "$work/one" "$work/three" >"$work/faults" || fail 'saved again it is another text'
    LC_ALL=C grep -rLI . "$work/one" | grep . && fail 'not all of it is text'
    # The session's source can be compiled again.
    needs cc
    printf 'void f(double *a, long n)\n{\n    for (long i = 0; i < n; i++)\n        a[i] *= 2.5;\n}\n' >"$work/f.c"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/f.c; session save $work/c"
    # The name of a source file in a session is shown before the file is opened. The same command,
    # repeated, opens it.
    expect 1 "$portolan" -e "session load $work/c; kernel compile -O3"
    holds err "the session would open the file $work/f.c"
    printf 'session load %s\nset keep-going on\nkernel compile -O3\nkernel compile -O3\nkernel opened\n' "$work/c" >"$work/again.pf"
    expect 1 "$portolan" -b "$work/again.pf"
    holds out 'f.c -O3 -march=skylake'
}

run_tests
