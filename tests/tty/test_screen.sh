#!/bin/sh
# The screen under tmux: opens, moves, prompt, paste, resize, leaves the terminal as it was.
set -u
command -v tmux >/dev/null 2>&1 || exit 77
portolan=${PORTOLAN:-./portolan}
source=${PORTOLAN_SRC:-.}
socket=portolan-test-$$
t() { tmux -L "$socket" "$@"; }
home=$(mktemp -d) || exit 99
trap 't kill-server 2>/dev/null; rm -rf "$home" 2>/dev/null' EXIT

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

# Waits until the shell asks for the next command: what is typed before may be thrown away with the screen.
see_prompt() {
    tries=0
    while [ "$tries" -lt 2000 ]; do
        [ "$(t capture-pane -p | grep -v '^ *$' | tail -n 1)" = 'ready>' ] && return 0
        tries=$((tries + 1))
    done
    echo 'FAIL: the shell does not come back'
    t capture-pane -p
    exit 1
}

for TERM_UNDER_TEST in screen-256color screen vt100; do
    t kill-server 2>/dev/null
    socket=portolan-test-$$-$TERM_UNDER_TEST   # a dying server would take a new session with it
    t -f /dev/null new-session -d -x 120 -y 40 "env HOME=$home TERM=$TERM_UNDER_TEST '$portolan' '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x" || exit 77
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
    see '"flumb" is no command'
    t send-keys C-c
    see 'F10 quits'
    t resize-window -x 80 -y 24
    see 'sapphirerapids'
    t resize-window -x 40 -y 10
    see 'The divider is held'
    t resize-window -x 120 -y 40
    see 'retire'
    t send-keys q
    see 'left with 0'
done

t kill-server 2>/dev/null
socket=portolan-test-$$-empty
t -f /dev/null new-session -d -x 100 -y 30 "HOME=$home PS1='ready> ' TERM=screen-256color sh -i"
see 'ready>'
t send-keys -l "'$portolan'; echo left with \$?"
t send-keys Enter
see 'No kernel is loaded'
t set-buffer "$(printf '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n')"
t paste-buffer -p
see 'imulq %rax, %rbx'
see '3.00 cycles, dependencies'
t send-keys '?'
see 'the view before'
# The search key and its label on the key bar open the prompt with the command's name in it.
t send-keys /
see ':find'
t send-keys -l 'Ctrl-L'
t send-keys Enter
see 'fg comes back'
t send-keys F3
see ':find'
t send-keys C-c
see 'F10'
t send-keys q
see 'imulq'
# A press on the F3 of the key bar: column 22 of the last row, each coordinate plus 32 as a character.
row=$(printf '\\%03o' $((32 + $(t display-message -p '#{pane_height}'))))
t send-keys -l "$(printf "\\033[M 6$row")"
see ':find'
t send-keys -l 'jmp'
t send-keys Enter
see '2/2'

# The prompt: Tab completes and shows what fits, Esc leaves, Ctrl-R searches, history comes back.
t send-keys :
t send-keys -l 'kernel '
t send-keys Tab
see 'analyze'
t send-keys Escape
see 'F10'
t send-keys :
t send-keys -l 'machine sh'
t send-keys Tab
see ':machine show'
t send-keys -l 'znver1'
t send-keys Enter
see 'issue_width'
t send-keys :
t send-keys C-r
t send-keys -l 'znv'
see 'machine show znver1'
t send-keys C-c
t send-keys q
see 'imulq'

# Keys typed ahead in one burst: the line is the prompt's, the digit behind it the view's, and the next prompt starts empty.
t send-keys -l "$(printf ':view help\r2:')"
see 'retired'
t send-keys -l 'view mapping'
t send-keys Enter
see 'Enter edits a usage'
t send-keys q
see 'imulq'

# A loop that is typed, and one pasted into the prompt.
t send-keys :
t send-keys -l 'kernel paste'
t send-keys Enter
see 'Ctrl-D takes it'
t send-keys -l 'x: popcntq %rax, %rbx'
t send-keys Enter
t send-keys -l 'jmp x'
t send-keys Enter C-d
see 'POPCNT (R64, R64)'
t send-keys :
t set-buffer "$(printf '.L1:\n mulq %%rbx\n jmp .L1\n')"
t paste-buffer -p
see 'mulq %rbx'

# What is no loop is refused with where, what and what to do.
t set-buffer "$(printf 'int main(void)\n{\n    return 0;\n}\n')"
t paste-buffer -p
see 'this looks like C'
t set-buffer "$(printf '\001\002 garbage\nmore\n')"
t paste-buffer -p
see 'pasted:'
t set-buffer "$(printf ' frobnicate %%rax\n foo\n')"
t paste-buffer -p
see "pasted:1: no such instruction: \`frobnicate %rax' (and 1 more line)"
see 'mulq %rbx'

# What takes its time goes on behind the screen; what follows on the line waits for it, and Esc ends both.
awk 'BEGIN { for (i = 0; i < 400000; i++) print " addq $" i % 100 ", %rax" }' >"$home/long.s"
t send-keys :
t send-keys -l "kernel load $home/long.s; view mapping"
t send-keys Enter
see 'Esc ends'
t send-keys Escape
see 'cancelled after'
see 'mulq %rbx'
t send-keys :
t send-keys -l "forms scan /bin/sh; job wait; view log"
t send-keys Enter
see ':forms scan /bin/sh; job wait; view log'
see 'following'   # the log is there, so the line has been run to its end
t send-keys 1
see 'mulq %rbx'

# A job runs behind the screen and shows its table when it ends.
t send-keys :
t send-keys -l 'forms scan /bin/sh'
t send-keys Enter
see 'of occurrences have a usage'
t send-keys 1
see 'mulq %rbx'

# Stop and come back.
t send-keys C-z
see 'Stopped'
see_prompt
t send-keys -l fg
t send-keys Enter
see 'mulq %rbx'
t send-keys q
see_prompt
t send-keys -l 'echo back with $?'
t send-keys Enter
see 'back with 0'
see_prompt

# A crash leaves a usable terminal: what is typed shows again.
t send-keys -l "'$portolan' & echo \$! >$home/pid; fg"
t send-keys Enter
see 'No kernel is loaded'
kill -SEGV "$(cat "$home/pid")"
see 'egmentation'
see_prompt
t send-keys -l 'echo still $((40 + 2))'
t send-keys Enter
see 'still 42'
t kill-server
