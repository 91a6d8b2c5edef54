#!/bin/sh
# The first minute of use: an example with hints, the tutorial, the demo.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
prompt() { t send-keys :; t send-keys -l "$*"; t send-keys Enter; }
gone() { ! screen_holds "$1"; }
unsee() {
    wait_until gone "$1" && return 0
    fail "still there: $1"
    t capture-pane -p >>"$work/faults"
    exit 1
}
open_bare() { wait_until rm -rf "$home/.local" 2>/dev/null; open_screen "$1" "$2" "env -u XDG_STATE_HOME HOME=$home '$portolan'; echo left with \$?; read -r x"; }

# A hint disappears when its command is used, independently of other hints.
test_hints_go() {
    open_bare 80 24
    see 'An example. What next?'
    see 'triad-skl-O3.s'
    see 'innermost loop .L10'
    see 'Paste a loop, or press L to load a file, p to profile a program'
    t send-keys m
    see 'Paste a loop, or press L'
    t set-buffer "$(printf '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n')"
    t paste-buffer -p
    unsee 'What next?'
    t send-keys Q
    see 'left with 0'
}

test_key_hides_the_hints() {
    open_bare 120 40
    see 'What next?'
    t send-keys Escape
    unsee 'What next?'
    see 'triad-skl-O3.s'
    t send-keys Q
    see 'left with 0'
}

# No hints are shown if a file was named or the screen is too small.
test_no_hints() {
    open_screen 80 24 "env HOME=$home '$portolan' '$source/data/kernels/pi-O1.s'; read -r x"
    see 'pi-O1.s'
    gone 'What next?' || fail 'hints next to a file that was named'
    t send-keys Q
    t kill-server
    open_bare 80 12
    see 'triad-skl-O3.s'
    gone 'What next?' || fail 'hints on twelve rows'
}

# Each step of the tutorial detects its completion, by the keys and commands in its text.
test_tutorial() {
    open_bare 80 24
    see 'What next?'
    prompt tutorial
    see 'Tutorial, 1 of 13'
    # An unbound key completes no step.
    t send-keys z
    t send-keys j
    see 'Done. Tutorial, 2 of 13'
    t send-keys m
    see 'Done. Tutorial, 3 of 13'
    t send-keys c
    see 'Done. Tutorial, 4 of 13'
    t send-keys c Tab Tab Tab Tab
    see 'Done. Tutorial, 5 of 13'
    t send-keys 3
    see 'Done. Tutorial, 6 of 13'
    prompt kernel list
    see 'Done. Tutorial, 7 of 13'
    t send-keys q
    prompt "kernel load data/kernels/pi-O1.s"
    see 'Done. Tutorial, 8 of 13'
    t send-keys d
    see 'Done. Tutorial, 9 of 13'
    prompt kernel whatif issue_width=6
    see 'Done. Tutorial, 10 of 13'
    t send-keys F8
    see ' Tutorial, 11 of 13'
    gone 'Done.' || fail 'a step that was skipped counts as done'
    prompt session list
    see 'Done. Tutorial, 12 of 13'
    t send-keys '?'
    see 'Done. Tutorial, 13 of 13'
    # The first Escape closes the help. The next one ends the tutorial.
    t send-keys Escape
    unsee '1 2 3 places'
    see 'Tutorial, 13 of 13'
    t send-keys Escape
    unsee 'Tutorial'
    prompt tutorial 14
    see 'the tutorial has 13 steps'
    t send-keys Q
}

# The demo plays and a key ends it. The session is then unchanged.
test_demo_stops() {
    open_bare 120 40
    see 'What next?'
    t set-buffer "$(printf '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n')"
    t paste-buffer -p
    see '3.00 cycles'
    prompt demo
    see 'Demo, 1 of 11'
    see 'triad-skl-O3.s'
    t send-keys x
    see 'your session is restored'
    see 'imulq %rax, %rbx'
    see 'kernel 2/2'
    t send-keys Q
    see 'left with 0'
}

test_demo_to_its_end() {
    open_bare 80 24
    see 'What next?'
    prompt demo --seconds 22   # two seconds per step: longer than a check of the screen takes on a busy machine
    see 'Demo, 4 of 11'
    see 'Demo, 7 of 11'
    see 'Demo, 9 of 11'
    see 'your session is restored'
    see 'triad-skl-O3.s'
    t send-keys Q
    see 'left with 0'
}

test_without_a_screen() {
    expect 1 "$portolan" -e tutorial
    holds err 'tutorial needs a view of the workbench'
    expect 1 "$portolan" -e demo
    holds err 'demo needs a view of the workbench'
}

# Without machine tables, the loop's pane gives this reason. It does not request a loop, because one
# is loaded.
test_without_tables() {
    expect 0 env PORTOLAN_DATA="$work/none" "$portolan" -e "kernel load $source/data/kernels/triad-skl-O3.s; view kernel"
    holds out 'neither the machine tables nor'
    lacks out 'Paste a loop here'
}

# The hint is complete on a narrow screen.
test_hint_is_whole() {
    open_bare 80 24
    see ':tutorial'
    see 'explains the workbench'
    t send-keys Q
}

# A terminal without paste marks sends pasted text as keys. They must not trigger key bindings, and
# the pasted text must be shown first.
test_paste_without_marks() {
    open_screen 100 30 "env HOME=$home TERM=screen-256color '$portolan' '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x"
    see '1/8'
    t set-buffer "$(printf '.L1:\n imulq %%rax, %%rbx\n addq $8, %%rcx\n jne .L1\n')"
    t paste-buffer
    see 'Pasted text: load it as a loop? Ctrl-D loads it, Esc discards it.'
    see 'imulq %rax, %rbx'
    t send-keys Escape
    see 'dropped; the kernel is still'
    t paste-buffer
    see 'Ctrl-D loads it'
    t send-keys C-d
    see 'Loop: pasted'
    t send-keys Q
    see 'left with 0'
}

run_tests
