#!/bin/sh
# Shows that the examples in help run as printed. The directory has the files that they name.
# Commands that they need run before them (BEFORE). Searches and measurements are shortened
# (SHORTER). LEFT_OUT lists the examples that need a screen, another process or a tool, with the
# reason.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# beginning of an example|reason. A row without a matching example is a fault.
LEFT_OUT="
demo|needs a screen
copy|needs a screen
do |needs a screen
filter|needs a screen
find|needs a screen
jump|needs a screen
kernel edit|needs an editor
kernel paste|reads standard input
kernel compile --compiler clang|needs clang
kernel load ./program --profile|needs perf
kernel load dot.f90|needs a Fortran compiler
kernel functions ./program --loops --profile|needs perf
kernel graph loop.svg|needs Graphviz
kernel measure|needs an idle core; test_measure
kernel memory --size 16K..512M --measure|needs memory; test_memory
kernel learn|needs an idle core
kernel blame|needs an idle core; test_blame
latency measure|needs an idle core; test_measure
machine calibrate|needs an idle core; test_measure
machine chart mine|needs an idle core; test_chart
machine check|needs an idle core; test_measure
machine correct|needs machine check
machine hunt --time 5m|needs an idle core
machine hunt --machine skylake --against llvm-mca|needs llvm-mca of LLVM 22
machine show native|needs a CPU with tables
mapping import llvm|needs llvm-mca of LLVM 22
pane |needs a screen
plot |needs gnuplot
program |needs a program; test_program, test_profile, test_explain, test_diff
prompt|needs a screen
quit|ends the program
session load work|needs a saved session; test_keeping
session load last|needs a saved session; test_keeping
session diff|needs a saved session; test_keeping
sort|needs a screen
experiments measure --budget|needs an idle core; test_measure
experiments measure --retry|needs an idle core; test_measure
experiments pause|needs a job
experiments resume|needs a job
experiments settle|needs a chart; test_chart
evolve pause|needs a job
evolve resume|needs a job
evolve start --live|needs an idle core
job |needs a job
export |needs a result of the same process
tutorial|needs a screen
kernel load libm.so.6|needs the symbols of one C library
kernel functions libm.so.6|the same
kernel functions /usr/bin/gzip|a link to itself on some systems
"
# beginning of an example|commands before it
BEFORE="
kernel compile|kernel load dot.c
kernel diagnostics|kernel load dot.c
kernel reload|kernel load dot.c
kernel analyze --trip|kernel load data/programs/matmul.c --loop 4
kernel switch|kernel load pi.s
kernel diff|kernel load pi.s
kernel compare|kernel load pi.s
kernel use 2|kernel load loops.s
evolve s|experiments load table.csv
evolve wait|experiments load table.csv; evolve start --ports 4 --seconds 0.3 --checkpoint none
evolve set|experiments load table.csv; evolve start --ports 4 --seconds 0.3 --checkpoint none
evolve status|experiments load table.csv; evolve start --ports 4 --seconds 0.3 --checkpoint none
evolve stop|experiments load table.csv; evolve start --ports 4 --seconds 0.3 --checkpoint none
evolve adopt|experiments load table.csv; evolve start --ports 4 --seconds 0.3 --checkpoint none; evolve wait
evolve edit|experiments load table.csv; evolve start --ports 4 --seconds 0.3 --checkpoint none; evolve wait
evaluate|experiments load table.csv
experiments generate|forms select --top 6
experiments save|experiments load table.csv
experiments split|experiments load table.csv
experiments show|forms select --top 8; experiments generate
experiments list|experiments load table.csv
experiments measure --simulate|experiments load table.csv
congruence|experiments load table.csv
redo|mapping set 'ADD (R64, R64)' 1*p0; undo
undo|mapping set 'ADD (R64, R64)' 1*p0
unbind|bind kernel b kernel list; bind F10 jobs
view experiments|experiments load table.csv
"
SHORTER='
s/--seconds [0-9]*m*/--seconds 1/
s/--time [0-9]*[sm]/--time 1s/
s/--population 1000 --generations 120/--population 20 --generations 2/
s/--seconds 10m/--seconds 1/
s/--by-chance/& --seconds 1/
s/--random 2000/--random 20/
s/--most [0-9]*/--most 20/
s/machine chart trial/machine chart trial --top 4/
'

files() {
    mkdir -p "$work/in" && cd "$work/in" || exit 99
    ln -sfn "$source/data" data
    export XDG_STATE_HOME="$work/in/state" XDG_DATA_HOME="$work/in/share" XDG_CONFIG_HOME="$work/in/config" HOME="$work/in"
    cp "$source/data/kernels/triad-skl-O3.s" triad.s
    cp "$source/data/kernels/pi-O1.s" pi.s
    sed 's/\.L2/.L9/g' pi.s | cat triad.s - >loops.s
    cp "$source/data/kernels/dot.c" dot.c
    printf 'hex,cycles\n4801d8,1\n480fafc3,3\n' >blocks.csv
    cp blocks.csv mine.csv
    printf 'kernel list\n' >evolve.pf
    cp evolve.pf measure.pf
    cat >made.pf <<TEXT
forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)'
experiments generate
experiments generate --singles --random 40 --size 3
experiments measure --simulate skylake
experiments save table.csv
experiments save more.csv
experiments save measured.csv
experiments save pairs.csv
experiments save experiments.json
experiments save more.json
experiments save node1.csv --host
experiments save node2.csv --host
experiments save node3.csv --host
experiments save before.csv
experiments save after.csv
experiments split 3 part.csv
mapping export uops-info skylake.csv
mapping export osaca skx.yml
mapping save mymachine/
mapping use zen4-charted
experiments save zen4.csv
TEXT
    "$portolan" --machine skylake -b made.pf >made 2>&1 || fail "$(tail -n 3 made)"
    mkdir -p forms mapping loops
    printf 'form,template,extension\n"CRC32 (R32, M32)","crc32 {RW:R32}, {R:M32}",SSE4\n' >forms/mine.csv
    cp forms/mine.csv forms/avx10.csv
    (cd mapping && ln -sfn ../data data && cp -r ../mymachine ../skylake.csv ../skx.yml . &&
        "$portolan" --machine skylake -e 'mapping save mine.csv' >made 2>&1) || fail "$(cat made)"
}

# Finds the rows of $1 whose first field is the beginning of $2. Prints the longest of these first
# fields, or with a third argument the second field of its row.
row() { printf '%s' "$1" | awk -F'|' -v example="$2" 'NF == 2 && index(example, $1) == 1 && length($1) >= length(best) { best = $1; value = $2 } END { if (best != "") print value }'; }

test_examples_run() {
    [ "$(uname -m)" = x86_64 ] || skip 'the examples are of x86-64'
    portolan=$(realpath "$portolan")
    source=$(realpath "$source")
    files
    nouns=$("$portolan" --format csv -e help | sed '1d; s/,.*//; s/ .*//; s/"//g' | sort -u)
    for noun in $nouns; do "$portolan" -e "help $noun"; done | sed -n 's/^  example: //p' | awk '!seen[$0]++' >examples
    [ "$(grep -c . examples)" -ge 200 ] || fail "only $(grep -c . examples) examples"
    printf '%s' "$LEFT_OUT" | awk -F'|' 'NF == 2 { print $1 }' | while read -r begins; do
        grep -q "^$begins" examples || fail "no example begins so any more: $begins"
    done
    ran=0
    while read -r example; do
        [ -z "$(row "$LEFT_OUT" "$example")" ] || continue
        before=$(row "$BEFORE" "$example")
        directory=.
        [ ! -d "${example%% *}" ] || directory=${example%% *}
        now=$(printf '%s' "$example" | sed "$SHORTER")
        began=$(date +%s%N)
        (cd "$directory" && bounded "$portolan" --machine skylake -e "kernel load $work/in/triad.s" \
            ${before:+-e "$before"} -e "$now" >"$work/out" 2>"$work/err" </dev/null) ||
            fail "$now: $(tail -n 2 "$work/err")"
        [ -z "${TELL-}" ] || echo "# $((($(date +%s%N) - began) / 1000000)) ms: $now"
        ran=$((ran + 1))
    done <examples
    [ "$ran" -ge 120 ] || fail "only $ran examples ran"
}

run_tests
