#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Inference on the screen: a run is watched in its view, its mapping is adopted, shown in the
# mapping
# view, and discarded. Other input meanwhile does not disturb the run.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
prompt() { t send-keys :; t send-keys -l "$*"; t send-keys Enter; }
gone() { ! screen_holds "$1"; }
open_loop() {
    open_screen "$1" "$2" "env HOME=$home TERM=screen-256color '$portolan' --machine skylake '$source/tests/data/triad.s'; echo left with \$?; read -r x"
    see 'triad.s'
}

# Infers a mapping of four forms, uses it, and returns to the former mapping.
test_evolve_and_adopt() {
    open_loop 80 24
    prompt "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)'"
    see '4 forms selected'
    prompt 'experiments generate; experiments measure --simulate skylake'
    see '10 measured'
    # The run's view shows it, and a key stops it.
    prompt 'evolve start --ports 4 --seconds 3600 --threads 1 --checkpoint none'
    see 'run 1: 4 forms'
    prompt 'evolve status'
    see 'run 1: running'
    see 'p pause or resume  s stop'
    # The view shows the current phase in words, its work, and the remaining time.
    see 'estimating the error scale, '
    see ' s, 60 min left'
    see 'a short search estimates the noise of the measurements, which determines'
    t send-keys s
    see 'run 1: stopped'
    t send-keys a
    # The adopted mapping lists the four forms first, uses the machine's ports, and is marked as
    # inferred.
    see 'Intel Skylake (client), 4 forms inferred  3'
    t send-keys Down
    see '*p'
    see ' other forms with this usage'
    t send-keys u
    see 'undone: evolve adopt'
    see 'Intel Skylake (client)  '
    gone 'forms inferred' || fail 'the mapping is still the one that was inferred'
    t send-keys C-r
    see '4 forms inferred  3'
    t send-keys Q
    see 'left with 0'
}

# Ctrl-C, a terminal that shrinks to nothing and grows again, and pasted text that is no loop do not
# end the run. Quitting is confirmed once.
test_disturbed() {
    open_loop 120 40
    prompt "experiments load '$source/data/experiments/golden-cove-five.csv'; evolve start --seconds 3600 --threads 1 --checkpoint none"
    see 'evolve status shows its progress'
    prompt 'view evolution; set panes off'
    see 'run 1: running'
    see ' s, 60 min left'
    see 'a short search estimates the noise of the measurements, which determines'
    t send-keys C-c
    see 'Q quits; job cancel 3 stops evolve 1'
    t resize-window -x 20 -y 5
    see 'too small; minimum:'
    t send-keys j 1 3
    t resize-window -x 19 -y 30
    see '20 columns, 6 rows'
    t resize-window -x 120 -y 40
    see 'run 1: running'
    head -c 3000 "$portolan" | base64 >"$work/garbage"
    t load-buffer "$work/garbage"
    t paste-buffer -p
    see 'Not loaded.'
    t resize-window -x 20 -y 5
    see 'too small; minimum:'
    t resize-window -x 80 -y 24
    see 'Not loaded.'
    t send-keys Escape
    see 'dropped; the kernel is still'
    prompt 'view evolution'
    see 'run 1: running'
    t send-keys Q
    see 'enter quit again to cancel the'
    t send-keys 1 3
    see 'run 1: running'
    prompt 'job cancel 3'
    see 'run 1: stopped'
    t send-keys Q
    see 'left with 0'
}

run_tests
