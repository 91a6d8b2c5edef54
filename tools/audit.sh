#!/bin/sh
# Compares the shipped tables with uops.info's measured throughput, machine by machine:
# make audit DATA=DIRECTORY. DIRECTORY has uops.info's tables as CSV (zen.csv, skylake.csv, ...)
# with the columns instruction and throughput (`computed / measured` or one number; the last number
# counts).
#   audit.sh PORTOLAN DIRECTORY [MACHINE...]
# Prints for each machine: the number of common forms, their mean difference, the number of excluded
# forms, the mean difference of the other forms, and the five largest differences. Then compares the
# 500 forms that programs use most (tools/audit-forms): latencies that differ by half a cycle or
# more, and differing micro-ops and ports. tools/audit-exceptions.csv lists numbers of uops.info
# that are known to be wrong. Fails if a machine's mean is above 5 %, or if a latency differs.
# $LATENCIES is the output of `latency measure`, with which sapphirerapids is compared as well.
# $FORMS replaces the number of forms, 500.
#
# Excluded are forms whose time does not follow from port usages, or for which uops.info's number is
# not that of the instruction alone:
#   DIV, IDIV, SQRT...     the time depends on the operands; uops.info gives the fastest throughput
#   system instructions    microcode that depends on saved state or on the system, or that stops the
#                          pipeline: also loads and moves of segment, control and debug registers,
#                          flushed lines, fences, PAUSE, RDRAND, EMMS, PUSHF and POPF
#   REP ...                the time depends on the count
#   JMP, CALL, RET, LOOP   the number includes the prediction and the surrounding sequence
set -eu
portolan=$1 directory=$2
shift 2
aside='DIV|SQRT|^(REP|REPE|REPNE|REPNZ|REPZ)[ _]'
aside="$aside"'|^(CPUID|RDMSR|WRMSR|XSAVE[A-Z0-9]*|XRSTOR[A-Z0-9]*|FXSAVE[0-9]*|FXRSTOR[0-9]*|XGETBV|XSETBV|VERR|VERW|LAR|LSL|LLDT|LTR|LGDT|LIDT|SGDT|SIDT|SLDT|STR'
aside="$aside"'|SMSW|LMSW|RDRAND|RDSEED|RDTSC|RDTSCP|RDPMC|RDPID|RDPRU|RDFSBASE|RDGSBASE|WRFSBASE|WRGSBASE|CLFLUSH|CLFLUSHOPT|CLWB|CLZERO|CLDEMOTE'
aside="$aside"'|MONITOR[A-Z]*|MWAIT[A-Z]*|MFENCE|LFENCE|SFENCE|PAUSE|IN|OUT|CLI|STI|CLTS|CLAC|STAC|PUSHF[A-Z]*|POPF[A-Z]*|INVLPG[A-Z]*|INVD|WBINVD|WBNOINVD'
aside="$aside"'|SWAPGS|SYSCALL|SYSENTER|SYSRET|SERIALIZE|PTWRITE|EMMS|ENTER|CLD|STD|JMP|CALL[A-Z_]*|RET[A-Z_]*|LOOP[A-Z]*|JRCXZ|JECXZ) '
aside="$aside"'|[( ](SEG|CR[0-9]*|DR[0-9]*|FS|GS|ES|DS|SS|CS)[,)]'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the CSV of uops.info $1 as experiments of one form.
experiments() {
    awk -F'","' 'BEGIN { print "experiment,cycles,spread,repeats,state" }
        NR > 1 { form = substr($1, 2); n = split($4, parts, " / "); gsub(/[\r"]/, "", parts[n])
                 if (parts[n] + 0 > 0) printf "\"%s\",%s,,,ok\n", form, parts[n] }' "$1"
}

# Prints the number of forms of the experiments in $1 that machine $2 has, and their mean difference
# in %. Writes the five largest differences to $work/worst.
compare() {
    "$portolan" -b --format json -e "experiments load $1; evaluate --mapping $2" | tail -n 1 | tr '{' '\n' |
        awk -v file="$work/worst" 'function value(key) { match($0, "\"" key "\":[^,}]*"); return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) }
            /"mape"/ { printf "%d %.2f\n", value("n"), 100 * value("mape") }
            /"predicted"/ && shown++ < 5 { match($0, "\"experiment\":\"[^\"]*\""); name = substr($0, RSTART + 14, RLENGTH - 15)
                printf "    %-40s measured %6.2f, predicted %6.2f\n", name, value("measured"), value("predicted") >file }'
}

# Prints the latencies of machine $1 that differ from table $2, of the forms that programs use most.
latencies() {
    tool=${portolan%portolan}tools/audit-forms
    [ -x "$tool" ] || return 0
    "$tool" "$1" "$2" "$PORTOLAN_DATA/frequency/x86-64.csv" "${0%/*}/audit-exceptions.csv" "${FORMS:-500}" >"$work/forms" || failed="$failed $1"
    sed 's/^"/    "/; s/^[a-z][^:]*: /    /' "$work/forms"
}

check() {
    table=$directory/$2.csv
    [ -r "$table" ] || { echo "$1: no $table"; return; }
    experiments "$table" >"$work/all.csv"
    { head -n 1 "$work/all.csv"; tail -n +2 "$work/all.csv" | awk -v aside="$aside" '{ form = substr($0, 2); sub(/",.*/, "", form) } form !~ aside'; } >"$work/rest.csv"
    all=$(compare "$work/all.csv" "$1") rest=$(compare "$work/rest.csv" "$1")
    printf '%-16s %5d forms, %5.2f %%; %3d set aside, the others %5.2f %%\n' "$1" "${all% *}" "${all#* }" "$((${all% *} - ${rest% *}))" "${rest#* }"
    cat "$work/worst"
    latencies "$1" "$table"
    awk -v mean="${rest#* }" 'BEGIN { exit mean > 5 }' || failed="$failed $1"
}

failed=
for pair in znver1:zen znver2:zen2 znver3:zen3 znver4:zen4 haswell:haswell broadwell:broadwell skylake:skylake skylake-avx512:skylakex \
    icelake-client:icelake alderlake-p:alderlakep; do
    case " $* " in "  " | *" ${pair%:*} "*) check "${pair%:*}" "${pair#*:}" ;; esac
done
[ -z "${LATENCIES:-}" ] || { echo 'sapphirerapids, measured'; latencies sapphirerapids "$LATENCIES"; }
[ -z "$failed" ] || { echo "audit: more than 5 %, or a latency that differs:$failed" >&2; exit 1; }
