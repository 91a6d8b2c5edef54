#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A study of SNAP (Los Alamos; its source is not part of this repository): formulas of block counts
# and reuse distances, inferred from small runs and tested on larger ones.
#   SNAP=DIR PORTOLAN=./portolan PORTOLAN_DATA=data sh bench/snap.sh
#   [counts] [runtime] [machines] [timesteps] [costs]
# SNAP: directory of SNAP's source. WORK: directory of the builds, kept between calls (default
# /tmp/portolan-snap). TIMES: number of runs of each held-out input (default 7).
set -u
portolan=$(realpath "${PORTOLAN:-./portolan}")
work=${WORK:-/tmp/portolan-snap}
times=${TIMES:-7}
wrapper=$(dirname "$portolan")/portolan-fortran
[ -d "${SNAP:-}" ] || { echo 'SNAP must name the directory of the source of SNAP'; exit 1; }
[ -x "$wrapper" ] || { echo 'built without LLVM'; exit 0; }
flang=$("$wrapper" --version | sed -n 's/.*flang.* version \([0-9]*\).*/flang-new-\1/p')
mkdir -p "$work" || exit 1

# build NAME COMPILER: builds a copy of SNAP.
build() {
    [ -x "$work/$1/gsnap" ] && return
    rm -rf "${work:?}/$1" && cp -r "$SNAP" "$work/$1" && chmod -R u+w "$work/$1" &&
        make -C "$work/$1" MPI=no OPENMP=no TARGET=gsnap FORTRAN="$2" FFLAGS=-O3 >"$work/$1.log" 2>&1 || { tail -5 "$work/$1.log"; exit 1; }
}
build plain "$flang"
build traced "$wrapper"

# template DEPENDENT STEPS: prints an input file. A small epsi ensures that all requested iterations
# are performed.
template() {
    echo '! Input from namelist'
    echo '&invar'
    for line in npey=1 npez=1 'ichunk={ichunk}' nthreads=1 nnested=1 ndimen=3 'nx={nx}' lx=0.6 'ny={ny}' ly=0.6 'nz={nz}' lz=0.6 'nmom={nmom}' 'nang={nang}' 'ng={ng}' epsi=1.0E-12 \
        'iitm={iitm}' 'oitm={oitm}' "timedep=$1" tf=1.0 "nsteps=$2" mat_opt=0 src_opt=0 scatp=0 it_det=0 fluxp=0 fixup=1 soloutp=0 kplane=0 popout=0 swp_typ=0 angcpy=1 multiswp=0; do
        echo "  $line"
    done
    echo /
}
template 0 1 >"$work/snap.inp"
template 1 '{nsteps}' >"$work/steps.inp"

load="program load $work/traced/gsnap --untraced $work/plain/gsnap --template $work/snap.inp --arguments '{directory}/snap.inp {directory}/out'"
# SNAP allows only four values of nmom. All are run.
counted='ichunk=2,1,4 nx=4,8,12,16 ny=3,4,5,7,8 nz=3,4,5,7,8 nmom=2,1,3,4 nang=6,7,8,9,12,13,17 ng=3,2,4,5,6 iitm=2,1,3 oitm=2,1,3'
traced='ichunk=2,1,4 nx=4,8,12 ny=3,2,4,6 nz=2,3,4,6 nmom=2,1,3,4 nang=10,6,13,20 ng=2,1,3,5 iitm=2,1,3 oitm=1,2,3'

# compare_counts INPUTS: compares formulas.csv with counted.csv.
compare_counts() {
    sed 's/"[^"]*"/formula/g' "$work/formulas.csv" "$work/counted.csv" | awk -F, -v at="$1" '
        $1 == "block" { table++; for (i = 1; i <= NF; i++) column[$i] = i; next }
        table == 1 && NF > 5 { formula[$1] = $column["count"]; exact[$1] = $column["exact"] }
        table == 2 && NF > 5 {
            count = $column["count"]; weight = $column["instructions"] + 1; difference = formula[$1] - count; difference = difference < 0 ? -difference : difference
            same = difference <= 1e-9 * (count > 1 ? count : 1)
            blocks++; right += same; said += exact[$1]; said_wrong += exact[$1] && !same; off += difference * weight; all += count * weight
        }
        END { printf "at %s: %d blocks run; %d of the counts are right, of %d that are called exact there %d are wrong; error weighted by operations %.3f %%\n", at, blocks, right, said, said_wrong, 100 * off / all }'
}

counts() {
    at='ichunk=6 nx=18 ny=10 nz=9 nmom=4 nang=19 ng=7 iitm=4 oitm=4'   # beyond the runs in all inputs except nmom
    "$portolan" --format csv -e "$load; program run $counted --most 100 --mode counts; program blocks $at --top 5000" >"$work/formulas.csv" || exit 1
    "$portolan" --format csv -e "$load; program run $at --mode counts --limit 15m; program blocks --top 5000" >"$work/counted.csv" || exit 1
    compare_counts "$at"
}

# Inputs with run times up to 20 times the longest run, different in all nine parameters.
held='ichunk=4 nx=16 ny=8 nz=8 nmom=2 nang=16 ng=4 iitm=4 oitm=2
ichunk=8 nx=16 ny=10 nz=9 nmom=1 nang=32 ng=6 iitm=3 oitm=2
ichunk=6 nx=24 ny=6 nz=10 nmom=3 nang=18 ng=5 iitm=5 oitm=2
ichunk=4 nx=8 ny=12 nz=12 nmom=4 nang=28 ng=4 iitm=2 oitm=4
ichunk=3 nx=9 ny=9 nz=9 nmom=2 nang=24 ng=8 iitm=4 oitm=4'

runtime() {
    commands="$load; program run $traced --most 34 --mode exact --limit 5m"
    last=
    while read -r at; do
        commands="$commands; program validate $at --times $times --limit 5m; program misses $at; program misses $at --profile bins"
        last=$at
    done <<END
$held
END
    "$portolan" -e "$commands; program predict $last --top 12; program blame $last --limit 5m; program misses $last" | tee "$work/runtime.txt" |
        awk '/^ichunk/ && /error/ { getline; print $0; e = $12 < 0 ? -$12 : $12; sum += e; n++ } END { if (n) printf "mean error of %d held-out inputs: %.1f %%\n", n, sum / n }'
}

# Predicts five machines at the first two held-out inputs. The measured time is known only for this
# CPU (runtime).
machines() {
    commands="$load; program run $traced --most 34 --mode exact --limit 5m"
    for at in $(echo "$held" | sed -n 1,2p | tr ' ' +); do
        commands="$commands; program predict $(echo "$at" | tr + ' ') --machine sapphirerapids --machine icelake-server --machine skylake-avx512 --machine znver3 --machine znver4 --top 1"
    done
    "$portolan" --format csv -e "$commands" | grep -E '^(machine|sapphirerapids|icelake-server|skylake-avx512|znver3|znver4),' || exit 1
}

# Runs at most four time steps and predicts twelve and sixteen. The number of groups is also
# predicted outside of its range.
timesteps() {
    few='ichunk=2 nx=4 ny=4 nz=4 nmom=2 nang=10 iitm=2 oitm=2 nsteps=1,2,3,4'
    at='ichunk=2 nx=4 ny=4 nz=4 nmom=2 nang=10 iitm=2 oitm=2'
    steps="program load $work/traced/gsnap --untraced $work/plain/gsnap --template $work/steps.inp --arguments '{directory}/steps.inp {directory}/out'"
    for n in 12 16; do
        "$portolan" --format csv -e "$steps; program run $few ng=2,3,4 --mode counts; program blocks $at nsteps=$n ng=8 --top 5000" >"$work/formulas.csv" || exit 1
        "$portolan" --format csv -e "$steps; program run $at nsteps=$n ng=8 --mode counts; program blocks --top 5000" >"$work/counted.csv" || exit 1
        compare_counts "$at nsteps=$n ng=8"
    done
    "$portolan" -e "$steps; program run $few ng=2,3,4; program validate $at nsteps=12,16 ng=8 --times $times" | tail -4
}

# CPU seconds of ten predictions, a sweep and a machine sweep, in addition to those of the runs and
# formulas.
costs() {
    few='ichunk=2 nx=4,8 ny=4 nz=4 nmom=2 nang=10,13 ng=3 iitm=2 oitm=2'
    at='ichunk=2 nmom=2 ng=3 iitm=2 oitm=2 ny=4 nz=4'
    base="$load; program run $few"
    cpu_seconds() { for _ in 1 2 3; do { LC_ALL=C bash -c 'TIMEFORMAT="%U"; time "$@" >/dev/null 2>&1' - "$portolan" -e "$1"; } 2>&1 | tail -1; done | sort -n | head -1; }
    start=$(cpu_seconds "$base")
    ten=$(for n in 16 24 32 40 48 56 64 72 80 88; do printf '; program predict %s nx=%d nang=20 --machine skylake' "$at" "$n"; done)
    beyond() { cpu_seconds "$base$2" | awk -v start="$start" -v what="$1" -v by="${3:-1}" '{ printf "  %-40s %6.3f s\n", what, ($1 - start) / by }'; }
    echo 'CPU seconds beyond the runs and the formulas'
    beyond 'one prediction, of ten' "$ten" 10
    beyond '16 sizes of the second level' "; program sweep l2_bytes=64k,96k,128k,192k,256k,384k,512k,768k,1M,1536k,2M,3M,4M,6M,8M,16M $at nx=16 nang=20 --machine skylake"
    machines=$("$portolan" --format csv -e 'machine list' 2>/dev/null | awk -F, 'NR > 1 && $1 != "" { print $1 }' | while read -r m; do
        "$portolan" -e "machine show $m" 2>/dev/null | grep -q x86-64 && printf ' --machine %s' "$m"
    done)
    beyond 'every machine of x86-64' "; program predict $at nx=16 nang=20 $machines"
}

for part in ${*:-counts runtime costs}; do "$part"; done
