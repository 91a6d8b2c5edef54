#!/bin/sh
# The screen under tmux: opening, moving, prompt, paste, resizing, and the state of the terminal
# afterwards.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
# Types the words literally, and Enter.
enter() { t send-keys -l "$*"; t send-keys Enter; }
# Enters a command at the workbench's prompt.
prompt() { t send-keys :; enter "$*"; }
# paste TEXT: expands the escapes with printf and pastes the text in brackets, like a terminal.
# shellcheck disable=SC2059 # the text is the format
paste() { t set-buffer "$(printf "$1")"; t paste-buffer -p; }

# Waits until the shell prompts for a command. Text typed earlier may be lost with the screen.
shell_asks() { [ "$(t capture-pane -p | grep -v '^ *$' | tail -n 1)" = 'ready>' ]; }
see_prompt() {
    wait_until shell_asks && return 0
    fail 'the shell does not come back'
    t capture-pane -p >>"$work/faults"
    exit 1
}

open_shell() {
    open_screen 100 30 "HOME=$home PS1='ready> ' TERM=screen-256color sh -i"
    see 'ready>'
}
open_empty() {
    open_shell
    enter "'$portolan'; echo left with \$?"
    see 'triad-skl-O3.s'
}
# Opens the workbench with a pasted loop of one multiplication.
open_pasted() {
    open_empty
    paste '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n'
    see 'imulq %rax, %rbx'
    see '3.00 cycles, dependencies'
}

# Fails if the screen has other characters than ASCII.
ascii_only() { t capture-pane -p | LC_ALL=C grep '[^ -~]' && fail "not ASCII: $(t capture-pane -p)"; }
# Uses the workbench on a terminal with TERM=$1: moves, commands, messages, sizes. Calls $2, if
# given, at each size.
look_around() {
    open_screen 120 40 "env HOME=$home TERM=$1 '$portolan' '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x"
    see 'Tied limits, 2.00 cycles per iteration:'
    see 'VMOVAPD (YMM, M256)  1*p23'
    ${2:-:}
    t send-keys Down Down
    see 'ADD (R32, I8)'
    t send-keys m
    see 'Golden Cove'
    prompt "kernel load $source/data/kernels/pi-O2.s"
    see 'The divider is busy for 4.00 cycles'
    prompt flumb
    see '"flumb" is no command'
    t send-keys C-c
    see 'q or Q quits'
    t resize-window -x 80 -y 24
    see 'sapphirerapids'
    ${2:-:}
    t resize-window -x 40 -y 10
    see 'The divider is busy'
    ${2:-:}
    t resize-window -x 120 -y 40
    see 'retire'
    t send-keys q
    see 'left with 0'
}
test_terminal_of_256_colours() { look_around screen-256color; }
test_terminal_of_8_colours() { look_around screen; }
test_terminal_without_colours() { look_around vt100; }
test_console_of_linux() { look_around linux ascii_only; }
test_terminal_of_ascii() { look_around 'screen-256color LC_ALL=C' ascii_only; }
test_no_color() {
    look_around 'screen-256color NO_COLOR=1'
    open_screen 80 24 "env HOME=$home TERM=screen-256color NO_COLOR=1 '$portolan' '$source/data/kernels/triad-skl-O3.s'; read -r x"
    see '1/8'
    colour_holds '8;5;' && fail 'colours in spite of NO_COLOR'
    t send-keys Q
}

colour_holds() { t capture-pane -pe | grep -qF -- "$1"; }
# Colours follow the terminal's reported background, or the setting.
test_colours_for_the_background() {
    open_screen 100 30 "env HOME=$home TERM=screen-256color '$portolan' '$source/data/kernels/triad-skl-O3.s'; read -r x"
    see '1/8'
    t send-keys -l "$(printf '\033]11;rgb:ffff/ffff/ffff\033\\')"
    wait_until colour_holds '48;5;24m' || fail 'no colours for a light background'
    see '1/8'
    prompt 'set background dark'
    wait_until colour_holds '48;5;80m' || fail 'no colours for a dark background'
    t send-keys -l "$(printf '\033]11;rgb:ff/ff/ff\007j')"
    see '2/8'
    colour_holds '48;5;24m' && fail 'the setting was not kept'
    prompt 'set background light'
    wait_until colour_holds '48;5;24m' || fail 'the setting has no effect'
    t send-keys Q
}
# A terminal whose cursor cannot move has no screen. The message lists commands that work on it.
test_dumb_terminal() {
    open_screen 100 30 "env HOME=$home TERM=dumb '$portolan' '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x"
    see 'portolan -e runs commands without a terminal'
    see 'left with 1'
}

test_find_in_help_by_key_and_mouse() {
    open_pasted
    t send-keys '?'
    see 'compare machines side by side'
    t send-keys '?'
    see 'Keys of Loop'
    # The search key, and its label on the key bar, open the prompt with the command's name.
    t send-keys /
    see ':find'
    enter 'Ctrl-L'
    see 'fg resumes'
    t send-keys F3
    see ':find'
    t send-keys C-c
    see 'all keys and commands'
    t send-keys q
    see 'imulq'
    # Clicks on the prompt's label in the last row. Each coordinate is sent as a character with
    # offset 33.
    bar=$(t capture-pane -p | tail -n 1)
    before=${bar%%: command*}
    at=$(printf '\\%03o' $((33 + ${#before})))
    row=$(printf '\\%03o' $((32 + $(t display-message -p '#{pane_height}'))))
    t send-keys -l "$(printf "\\033[M $at$row")"
    see ':'
    enter 'find jmp'
    see '2/2'
}

# At the prompt, Tab completes and shows candidates, Esc closes the prompt, and Ctrl-R searches the
# history.
test_prompt_completes_and_remembers() {
    open_pasted
    t send-keys :
    t send-keys -l 'kernel '
    t send-keys Tab
    see 'analyze'
    t send-keys Escape
    see 'q back'
    t send-keys :
    t send-keys -l 'machine sh'
    t send-keys Tab
    see ':machine show'
    enter 'znver1'
    see 'issue_width'
    t send-keys :
    t send-keys C-r
    t send-keys -l 'znv'
    see 'machine show znver1'
    t send-keys C-c
    t send-keys q
    see 'imulq'
}

# Keys are typed ahead in one burst. The line is entered at the prompt and the digit after it in the
# view, and the next prompt is empty.
test_keys_typed_ahead() {
    open_pasted
    t send-keys -l "$(printf ':view help\r3:')"
    see 'distinct'
    enter 'view mapping'
    see 'Enter edit usage'
    t send-keys q
    see 'imulq'
}

test_loops_typed_and_pasted_into_the_prompt() {
    open_pasted
    prompt 'kernel paste'
    see 'Ctrl-D loads it'
    enter 'x: popcntq %rax, %rbx'
    enter 'jmp x'
    t send-keys C-d
    see 'POPCNT (R64, R64)'
    t send-keys :
    paste '.L1:\n mulq %%rbx\n jmp .L1\n'
    see 'mulq %rbx'
}

# A paste whose mark arrives within a character or key sequence for the prompt. Its lines are still
# a loop.
test_paste_within_a_key() {
    open_pasted
    t send-keys :
    see ':'
    t send-keys -l "$(printf '\303\033[200~.L1:\n popcntq %%rax, %%rbx\n jmp .L1\n\033[201~')"
    see 'POPCNT (R64, R64)'
}

# Pasted text that is no loop is rejected with the place, the reason and a remedy.
test_pastes_that_are_no_loops() {
    open_pasted
    paste 'int main(void)\n{\n    return 0;\n}\n'
    see 'the text looks like C'
    paste '\001\002 garbage\nmore\n'
    see 'pasted:'
    paste ' frobnicate %%rax\n foo\n'
    see "pasted:1: no such instruction: \`frobnicate %rax' (and 1 more line)"
    t send-keys Escape
    see 'dropped; the kernel is still'
    see 'imulq %rax'
}

# Long commands continue in the background. Later commands of the line wait for them, and Esc ends
# both.
test_long_commands() {
    open_pasted
    awk 'BEGIN { for (i = 0; i < 400000; i++) print " addq $" i % 100 ", %rax" }' >"$home/long.s"
    prompt "kernel load $home/long.s; view mapping"
    see 'Esc stops'
    t send-keys Escape
    see 'cancelled after'
    see 'imulq %rax'
    prompt 'forms scan /bin/sh; job wait; view log'
    see ':forms scan /bin/sh; job wait; view log'
    see 'following'   # the log exists; therefore the entire line was run
    t send-keys 1
    see 'imulq %rax'
}

# A job runs in the background and shows its table when it ends.
test_job_shows_its_table() {
    open_pasted
    prompt 'forms scan /bin/sh'
    see 'of instructions'
    t send-keys 1
    see 'imulq %rax'
}

no_server() { ! t list-sessions >/dev/null 2>&1; }

# Key sequences that are not in TERM's description: PgDn and Home work under vt100, and Ctrl-Left
# has no function. Their letters and digits are never read as keys.
test_sequences_that_curses_does_not_know() {
    for term in vt100 screen-256color; do
        t kill-server 2>/dev/null
        wait_until no_server   # a server that is ending would end the new session
        open_screen 100 30 "env HOME=$home TERM=$term '$portolan' '$source/data/kernels/triad-skl-O3.s'; read -r x"
        see '1/8'
        t send-keys -l "$(printf '\033[1;5D\033[1;5Dj')"
        see '2/8'
        see 'ports 2 and 3 ('
        t send-keys -l "$(printf '\033[6~')"
        see '8/8'
        t send-keys -l "$(printf '\033[1~')"
        see '1/8'
        t send-keys Q
    done
}

test_advice_is_whole_on_a_small_screen() {
    for kernel in pi-O1 stencil-a64-gcc-O3; do
        sentence=$("$portolan" --format json -e "kernel load $source/data/kernels/$kernel.s; kernel analyze" | grep -o '"sentence":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
        [ -n "$sentence" ] || fail "no advice for $kernel"
        COLUMNS=80 LINES=22 "$portolan" -e "kernel load $source/data/kernels/$kernel.s; view kernel" | sed 's/ *$//' | tr '\n' ' ' | grep -qF -- "$sentence" ||
            fail "cut at 80x24: $sentence"
    done
}

test_stops_and_comes_back() {
    open_pasted
    t send-keys C-z
    see 'Stopped'
    see_prompt
    enter fg
    see 'imulq %rax'
    t send-keys q
    see 'left with'
    see_prompt
    enter 'echo back $((40 + 2))'
    see 'back 42'
}

# After a crash, the terminal is usable and echoes typed text.
test_crash_leaves_a_usable_terminal() {
    open_shell
    enter "'$portolan' & echo \$! >$home/pid; fg"
    see 'triad-skl-O3.s'
    kill -SEGV "$(cat "$home/pid")"
    see 'egmentation'
    see_prompt
    enter 'echo still $((40 + 2))'
    see 'still 42'
}

# Changes to the session also survive the crash.
test_crash_saves_the_session() {
    open_shell
    enter "XDG_STATE_HOME=$home/state '$portolan' & echo \$! >$home/pid; fg"
    see 'triad-skl-O3.s'
    prompt 'kernel hex 480fafc3'
    see 'imul rax, rbx'
    kill -BUS "$(cat "$home/pid")"
    see 'the session was saved'
    see_prompt
    expect 0 "$portolan" --session "$home"/state/portolan/rescued-* -e 'kernel analyze'
    holds out 'imul rax, rbx'
}

# A crash in a job's thread also restores the terminal and saves the session, although the screen's
# thread continues concurrently.
test_crash_of_a_job() {
    needs python3
    open_shell
    enter "XDG_STATE_HOME=$home/other '$portolan' & echo \$! >$home/pid; fg"
    see 'triad-skl-O3.s'
    prompt "experiments load $source/data/experiments/golden-cove-five.csv; evolve start --threads 1 --checkpoint none"
    see 'shows its progress'
    python3 -c 'import ctypes, os, sys
pid = int(sys.argv[1])
worker = max(int(task) for task in os.listdir("/proc/%d/task" % pid))   # the newest thread: older ones wait for faults, or belong to a sanitizer
sys.exit(worker == pid or ctypes.CDLL(None).tgkill(pid, worker, 11))' "$(cat "$home/pid")" || fail 'no thread of a job'
    see 'the session was saved'
    see_prompt
    enter 'echo still $((40 + 2))'
    see 'still 42'
}

run_tests
