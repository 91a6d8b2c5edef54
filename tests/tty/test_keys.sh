#!/bin/sh
# Users can bind keys in portolan/rc. A fault in this file is reported and does not stop the
# workbench.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir -p "$home/portolan"
printf '.L1:\n imulq %%rax, %%rbx\n addq $8, %%rcx\n cmpq %%rcx, %%rdx\n jne .L1\n' >"$work/mul.s"

# open_with OPTION...: starts the workbench on the loop, with the start file in the home directory.
open_with() {
    open_screen 100 30 "exec env HOME=$home XDG_CONFIG_HOME=$home XDG_STATE_HOME=$home/state PORTOLAN_CPU=none $portolan $* --machine skylake $work/mul.s"
}

test_a_key_is_bound_and_unbound() {
    printf '# mine\nset machine znver4\nbind X view mapping\nbind kernel z do next-machine\nbind kernel F5 "kernel analyze; view log"\nunbind kernel m\n' >"$home/portolan/rc"
    open_with --machine haswell
    see 'haswell  3.00 cycles'   # an option comes after the file
    t send-keys m
    t send-keys z
    see 'skylake  3.00 cycles'   # one step, not two
    t send-keys z
    see 'haswell  3.00 cycles'
    t send-keys X
    see 'forms'
    t send-keys q
    see 'innermost loop'
    t send-keys '?'
    t send-keys '?'
    see 'Keys of Loop'
    t send-keys /
    t send-keys -l 'F5 '
    t send-keys Enter
    see 'kernel analyze; view log'
}

# bind lists the bound keys, and its output can be used to bind them again.
test_list_binds_again() {
    "$portolan" -e 'bind' >"$work/all" || fail "status $?"
    [ "$(wc -l <"$work/all")" -gt 100 ] || fail 'few keys are listed'
    expect 0 "$portolan" -e "source $work/all; bind kernel z 'jobs; view log'; keys kernel"
    grep -qE '^kernel +z +jobs; view log' "$work/out" || fail "z is not listed: $(tail -3 "$work/out")"
    expect 0 "$portolan" --format json -e 'keys all'
    holds out '"command":"prompt find"'
}

test_faults_are_reported_and_block_nothing() {
    printf 'bind kernl x quit\n\nset seed many\nquit\nbind X view mapping\n' >"$home/portolan/rc"
    open_with
    see "portolan/rc:1: unknown view or key"
    see 'did you mean kernel?'
    see 'the log shows all'
    t send-keys X
    see 'forms'
    t send-keys :view Space log Enter
    see 'rc:3:'
    see 'rc:4:'
}

test_it_can_be_left_out() {
    printf 'nonsense\n' >"$home/portolan/rc"
    open_with --no-rc
    see 'innermost loop'
    t send-keys :view Space log Enter
    see 'view log'
    screen_holds nonsense && fail 'the file was read'
    expect 0 env HOME="$home" XDG_CONFIG_HOME="$home" "$portolan" -e set   # scripts ignore the user's start file
    lacks err nonsense
}

# The workbench opens even if portolan/rc is invalid.
test_malformed_files() {
    for what in directory pipe zero dangling circle long; do
        rm -rf "$home/portolan/rc"
        case $what in
        directory) mkdir "$home/portolan/rc" ;;
        pipe) mkfifo "$home/portolan/rc" ;;
        dangling) ln -s nowhere "$home/portolan/rc" ;;
        circle) ln -s rc "$home/portolan/rc" ;;
        zero) printf 'set seed 3\n\000\n' >"$home/portolan/rc" ;;
        long) head -c 2000000 /dev/zero | tr '\0' x >"$home/portolan/rc" ;;
        esac
        open_with
        see 'portolan/rc: '
        see 'innermost loop'
        t kill-server
        socket=$socket-$what
    done
}

buffer_is() { [ "$(t show-buffer 2>/dev/null)" = "$1" ]; }
# Copied text reaches the terminal, here tmux, which stores it in a buffer.
test_copy_reaches_the_terminal() {
    open_with --no-rc
    t set-option -s set-clipboard on
    see 'innermost loop'
    t send-keys y
    see 'copied 4 lines'
    wait_until buffer_is "$(sed 1d "$work/mul.s")" || fail "the terminal has: $(t show-buffer)"
    t send-keys 3
    see 'distinct'
    row=$(t capture-pane -p | sed -n 's/  .*//; 6p')
    t send-keys g Space
    see '1 tagged'
    t send-keys Y
    see 'copied 1 line,'
    wait_until buffer_is "$row" || fail "the terminal has: $(t show-buffer), not: $row"
    expect 0 "$portolan" -e "kernel load $work/mul.s; copy kernel"
    [ "$(grep -v innermost "$work/out" | tail -4)" = "$(sed 1d "$work/mul.s")" ] || fail "copied: $(cat "$work/out")"
    expect 1 "$portolan" -e copy
    holds err 'needs a view'
}

run_tests
