#!/bin/sh
# Runs the commands that README and docs show: blocks of commands as one script in order, blocks of
# shell lines by sh. Searches and measurements are shortened (SHORTER). The test provides files that
# a reader would have. LEFT_OUT lists commands that are not run, with the reason.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

export PORTOLAN_CPU='GenuineIntel 6 94 3'   # tables that are there, for the commands that compare with this CPU's
# file|beginning of a line|reason why the test does not run it. A row that matches no line is a
# fault.
LEFT_OUT="
docs/adding-a-machine.md|machine check --machine NAME|NAME stands for a machine of the reader's
docs/adding-a-machine.md|machine correct FORM|FORM stands for a form that was checked
docs/adding-a-machine.md|machine hunt --machine NAME|NAME stands for a machine of the reader's
docs/explain.md|program explain 1|needs a program that was profiled; test_explain runs these
docs/explain.md|program explain partition|the same
docs/explain.md|program explain 0x4308|the same
docs/explain.md|program explain crc|the same
docs/hunting.md|machine hunt --machine skylake --against llvm-mca|needs llvm-mca of LLVM 22
docs/sessions.md|session load last|nothing is kept in a fresh directory
docs/sessions.md|session diff last|the same
docs/native.md|machine correct 'IMUL (R64, R64)'|where tables and this CPU agree there is nothing to correct
docs/scaling.md|srun -n 256|needs Slurm
"
# file|beginning of a block|commands that a reader has run before it.
BEFORE="
docs/programs.md|program validate|program load data/programs/jacobi.c -O3; program run N=32,48,61,64,77,96,128
docs/sessions.md|report session.html|kernel load data/kernels/triad-skl-O3.s; kernel analyze; experiments load few.csv; evolve start --ports 4 --generations 2 --checkpoint none; evolve wait
"
# Replacements that shorten times and counts, and fill in text that readers choose. LLVM's tables,
# whose import has its own test, take half a minute.
SHORTER='
s/--seconds [0-9]*m*/--seconds 0.2/g
s/--budget [0-9]*s/--budget 500ms/
s/--time [0-9]*s/--time 200ms/
s/--top 60/--top 4/
s/--top 200/--top 4/
s/--\(random\|triples\) [0-9]\{4\}/--\1 20/g
s/--most 1000/--most 20/
s/N=700,2000/N=200,400/
s/program blame N=2000/program blame N=400/
s/form~+/form~ADD/
s/V\*PD (YMM\*/VADD*PD (YMM*/
s/latency measure .\*./latency measure '\''ADD (R64, R64)'\''/
s/; mapping import llvm znver4; evaluate//
s/forms scan FILES/forms scan program/
s/mpirun -n 8/mpirun -n 2/
s/-- ARGUMENTS/-- 1/
'

# Writes each block that begins with a command of the workbench or a call of the program to a file
# block-NNN. Its first line is the block's place.
blocks() {
    nouns=$("$portolan" --format json -e help | tr '{' '\n' | sed -n 's/.*"command":"\([a-z]*\)[ "].*/\1/p' | sort -u | tr '\n' '|' | sed 's/|$//')
    (cd "$source" && awk -v nouns="$nouns" -v work="$work" '
        function end_block(   name) {
            if (!inside) return
            inside = 0
            kind = first ~ /^(\.\/)?portolan |^#!\/bin\/sh|^mpirun |^cc .*data\// ? "sh" : first ~ "^(" nouns ") " ? "pf" : ""
            if (kind == "") return
            name = sprintf("%s/block-%03d.%s", work, ++count, kind)
            printf "# %s:%d\n%s", file, line, text >name
            close(name)
        }
        FNR == 1 { end_block(); file = FILENAME }
        /^    / { if (!inside && $0 !~ /^     /) { inside = 1; line = FNR; first = substr($0, 5); text = "" }
                  if (inside) text = text substr($0, 5) "\n"; next }
        { end_block() }
        END { end_block() }' README.md docs/*.md)
}

files() {
    mkdir -p "$work/in/bin" && cd "$work/in" || exit 99
    ln -sfn "$source/data" data
    ln -sfn "$source/src" src
    ln -sf "$(realpath "$portolan")" portolan
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(realpath "$portolan")" >bin/portolan
    chmod +x bin/portolan
    [ -z "${PORTOLAN_MPIRUN-}" ] || ln -sf "$PORTOLAN_MPIRUN" bin/mpirun
    PATH=$work/in/bin:$PATH
    export PATH SLURM_ARRAY_TASK_ID=3 XDG_STATE_HOME="$work/in/state" XDG_DATA_HOME="$work/in/share"
    printf 'hex,cycles\n4801d8,1\n480fafc3,3\n' >blocks.csv
    printf 'experiment,cycles\n"ADD (R64, R64)",0.25\n"IMUL (R64, R64)",1\n' >singles.csv
    cat >part.pf <<TEXT
forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)'
experiments generate
experiments measure --simulate skylake
experiments save few.csv
experiments save all.csv
experiments save node1.csv --host
experiments save node2.csv --host
experiments save node3.csv --host
experiments save microcode-2b.csv --host
experiments save microcode-32.csv --host
mapping use skylake
mapping export uops-info skylake.csv
mapping use sapphirerapids
mapping export uops-info alderlakep.csv
session save monday
session save tuesday
TEXT
    printf 'experiments load few.csv\nevolve start --ports 4 --generations 2 --checkpoint none\nevolve wait\n' >evolve.pf
    portolan -b part.pf >made 2>&1 || fail "$(tail -n 3 made)"
    printf 'volatile double s; int main(void) { for (long i = 1; i < 40000000; i++) s += 1.0 / i; return 0; }\n' >solver.c
    "${CC:-cc}" -O1 -o solver solver.c 2>made || "cc" -O1 -o solver solver.c || fail "$(cat made)"
    cp solver any-program
    cp solver program
}

# Prints file $1 shortened, without the omitted lines.
prepared() {
    page=$(sed -n '1s/^# \(.*\):.*/\1/p' "$1")
    printf '%s' "$LEFT_OUT" | awk -F'|' -v place="$page" 'NF == 3 && $1 == place { print $2 }' >"$work/out-of-it"
    printf '%s' "$BEFORE" | awk -F'|' -v place="$page" -v first="$(sed -n 2p "$1")" 'NF == 3 && $1 == place && index(first, $2) == 1 { print $3 }'
    awk -v list="$work/out-of-it" -v used="$work/used" -v place="$page" '
        BEGIN { while ((getline l < list) > 0) begins[l] = 1 }
        { for (b in begins) if (index($0, b) == 1) { print place "|" b >>used; next } print }' "$1" | sed "$SHORTER"
}

# A host that is too busy to measure reports this. It is no fault of the text, and neither are
# missing measurements afterwards. A missing tool is named.
fault() {
    excused='core is contended|clock unstable|no stable time|which is not installed'
    ! grep -q 'experiments measure' "$work/now" || excused="$excused|no measured experiments|no inference run"
    ! grep -q 'kernel measure --file' "$work/now" || excused="$excused|no row has a block and its cycles"   # no block had a stable time
    other=$(sed -n 's/.*--machine \([a-z0-9-]*\).*kernel learn.*/\1/p' "$work/now" | head -n 1)
    [ -z "$other" ] || env -u PORTOLAN_CPU "$portolan" -e 'machine info' 2>/dev/null | grep -q " $other tables)" ||
        excused="$excused|no usage of up to [0-9]+ µops explains"   # for a machine other than this CPU
    said=$(grep '^portolan: ' "$work/err" | grep -cvE "$excused")
    [ "$1" -eq 1 ] && [ "$said" -eq 0 ] || fail "$place: status $1: $(tail -n 3 "$work/err")"
    echo "# $place: $(sed -n 's/^portolan: //p' "$work/err" | tail -n 1)"
}

test_documented_commands_run() {
    [ "$(uname -m)" = x86_64 ] || skip 'most of them are of x86-64'
    files
    blocks
    : >"$work/used"
    ran=0
    for block in "$work"/block-*; do
        place=$(sed -n '1s/^# //p' "$block")
        case $place in docs/programs.md:*) [ -x "$(dirname "$(realpath "$portolan")")/portolan-cc" ] || continue ;; esac
        { [ "${block##*.}" = sh ] || echo 'set keep-going on'; prepared "$block"; } >"$work/now"
        grep -v '^set keep-going' "$work/now" | grep -q '^[^#]' || continue
        began=$(date +%s)
        case $block in
        *.sh)
            grep -q '^mpirun' "$work/now" && [ -z "${PORTOLAN_MPIRUN-}" ] && continue
            bounded sh -e "$work/now" >"$work/out" 2>"$work/err" </dev/null || fault $? ;;
        *)  bounded portolan --machine skylake -b "$work/now" >"$work/out" 2>"$work/err" </dev/null || fault $? ;;
        esac
        [ -z "${TELL-}" ] || echo "# $place: $(($(date +%s) - began)) s"
        ran=$((ran + 1))
    done
    [ "$ran" -ge 25 ] || fail "only $ran blocks were found"
    printf '%s' "$LEFT_OUT" | awk -F'|' 'NF == 3 { print $1 "|" $2 }' | while read -r row; do
        grep -qxF "$row" "$work/used" || [ "${row##*|}" = 'srun -n 256' ] || fail "nothing begins so any more: $row"
    done
}

# The first session in README works on a CPU that README does not name, and ends as described.
# Measurements are omitted.
test_first_session_elsewhere() {
    files
    blocks
    block=$(grep -l '^kernel load data/kernels/triad-skl-O3.s  ' "$work"/block-*.pf | head -1)
    grep -vE '^kernel (measure|tune)' "$block" >"$work/now"
    PORTOLAN_CPU='AuthenticAMD 25 1 1' expect 0 portolan -b "$work/now"
    tail -n 40 "$work/out" >"$work/last"
    grep -q '3\.00 cycles' "$work/last" || fail "no 3.00 cycles: $(cat "$work/last")"
}

run_tests
