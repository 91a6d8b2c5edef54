#!/bin/sh
# Each shell completes the command line with its own script.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

mkdir "$work/bin" "$work/home"
ln -s "$(cd "$(dirname "$portolan")" && pwd)/portolan" "$work/bin/portolan"
scripts=$(cd "$source" && pwd)/completion

# The program prints the completions that the scripts use.
test_program_completes_commands() {
    expect 0 "$portolan" --complete 'kernel list; kernel ana'
    holds out 'kernel list; kernel analyze'
    expect 0 "$portolan" --complete 'kernel analyze --machine skylake-'
    holds out 'kernel analyze --machine skylake-avx512'
    : >"$work/some file.s"
    expect 0 "$portolan" --complete "kernel load $work/bi"
    holds out "kernel load $work/bin/"
    expect 0 "$portolan" --complete 'no such'
    [ ! -s "$work/out" ] || fail 'it completes what is no command'
}

# type_and_see: completes options, a value, a machine, and a quoted command.
type_and_see() {
    t send-keys 'portolan --keep-' Tab; see 'portolan --keep-going'
    t send-keys C-u 'portolan --format js' Tab; see 'portolan --format json'
    t send-keys C-u 'portolan --machine skylake-' Tab; see 'portolan --machine skylake-avx512'
    t send-keys C-u "portolan -e 'kernel ana" Tab; see "kernel analyze"
}

test_bash() {
    needs bash
    open_screen 100 20 "env HOME=$work/home PATH=$work/bin:\$PATH PS1='> ' bash --norc --noprofile -i"
    t send-keys ". $scripts/bash/portolan" Enter
    type_and_see
}

test_zsh() {
    needs zsh
    printf 'PS1="> "\nfpath=(%s/zsh $fpath)\nautoload -Uz compinit; compinit -u -D\n' "$scripts" >"$work/home/.zshrc"
    open_screen 100 20 "env HOME=$work/home ZDOTDIR=$work/home PATH=$work/bin:\$PATH zsh -i"
    see '>'
    type_and_see
}

test_fish() {
    needs fish
    open_screen 100 20 "env HOME=$work/home PATH=$work/bin:\$PATH fish --private -i -C 'source $scripts/fish/portolan.fish'"
    see 'private mode'
    type_and_see
}

run_tests
