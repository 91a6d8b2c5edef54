#!/bin/sh
# The screen under tmux: opens, moves, prompt, paste, resize, leaves the terminal as it was.
set -u
command -v tmux >/dev/null 2>&1 || exit 77
portolan=${PORTOLAN:-./portolan}
source=${PORTOLAN_SRC:-.}
socket=portolan-test-$$
t() { tmux -L "$socket" "$@"; }
trap 't kill-server 2>/dev/null' EXIT

# Waits until the screen holds the text; each capture is a round trip, so the loop is bounded by their number.
see() {
    tries=0
    while [ "$tries" -lt 2000 ]; do
        t capture-pane -p | grep -qF -- "$1" && return 0
        tries=$((tries + 1))
    done
    printf 'FAIL: not seen: %s\n' "$1"
    t capture-pane -p
    exit 1
}

for TERM_UNDER_TEST in screen-256color screen vt100; do
    t kill-server 2>/dev/null
    socket=portolan-test-$$-$TERM_UNDER_TEST   # a dying server would take a new session with it
    t -f /dev/null new-session -d -x 120 -y 40 "env TERM=$TERM_UNDER_TEST '$portolan' '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x" || exit 77
    see 'Ports 2 and 3 are full for 2.00 cycles'
    see 'VMOVAPD (YMM, M256)  1*p23'
    t send-keys Down Down
    see 'ADD (R32, I8)'
    t send-keys m
    see 'Golden Cove'
    t send-keys :
    t send-keys -l "kernel load $source/data/kernels/pi-O2.s"
    t send-keys Enter
    see 'The divider is held for 4.00 cycles'
    t send-keys : flumb Enter
    see 'there is no command "flumb"'
    t send-keys C-c
    see 'q quits'
    t resize-window -x 80 -y 24
    see 'sapphirerapids'
    t resize-window -x 40 -y 10
    see 'The divider is held'
    t resize-window -x 120 -y 40
    see 'dependencies'
    t send-keys q
    see 'left with 0'
done

t kill-server 2>/dev/null
socket=portolan-test-$$-empty
t -f /dev/null new-session -d -x 100 -y 30 "env TERM=screen-256color '$portolan'; echo left with \$?; read -r x"
see 'No kernel is loaded'
t set-buffer "$(printf '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n')"
t paste-buffer -p
see 'imulq %rax, %rbx'
see '3.00 cycles, dependencies'
t send-keys '?'
see 'kernel analyze'
t send-keys q
see 'imulq'
t send-keys q
see 'left with 0'
