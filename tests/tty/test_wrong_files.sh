#!/bin/sh
# A file passed to the wrong command is recognised, and the right command is named. BHive's cycles
# are distinguished from cycles per iteration.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

make_files() {
    cd "$work" || exit 99
    printf '{"kind": "ExperimentList", "arch": {"kind": "Architecture", "insns": ["add"]}, "exps": [{"iseq": ["add"], "result": {"cycles": 1.0}}]}\n' >pmevo-experiments.json
    printf '{"kind": "Mapping3", "arch": {"kind": "Architecture", "insns": ["add"], "ports": ["0"]}, "assignment": {"add": [["0"]]}}\n' >pmevo-mapping.json
    printf '{"kind": "PortolanPopulation", "individuals": []}\n' >population.json
    printf '<root>\n <extension name="BASE">\n  <instruction string="ADD (R64, R64)">\n  </instruction>\n </extension>\n</root>\n' >uops.xml
    printf 'instruction,family,latency,throughput,uops,ports\n"ADD (R64, R64)",ADD,1,0.25,1,1*p0156\n' >uops.csv
    printf 'osaca_version: 0.5.0\nmicro_architecture: skx\narch_code: skx\nisa: x86\nports: ["0", "1"]\ninstruction_forms:\n- name: [ADD]\n' >osaca.yml
    printf 'experiment,cycles\n"ADD (R64, R64)",0.25\n' >experiments.csv
    printf 'form,usage,latency\n"ADD (R64, R64)",1*p0156,1\n' >mapping.csv
    printf 'form,template,extension\n"ADD (R64, R64)","add {RW:R64}, {R:R64}",\n' >forms.csv
    printf '4801d8,25.000000\n480fafc3,98.000000\n' >bhive.csv
    cp "$portolan" program
    printf '!<arch>\n' >lib.a
    printf 'PERFILE2\150\000\000\000' >perf.data
    printf 'BC\300\336\065\024' >module.bc
    printf 'MZ\220\000\003\000\000\000PE\000\000' >hello.exe
    printf '\317\372\355\376\007\000\000\001' >hello.macho
    printf '\312\376\272\276\000\000\000\002\001\000\000\007\000\000\000\003' >both.macho
    printf '\312\376\272\276\000\000\000\064\000\035\012\000' >Loop.class
    printf '\037\213\010\000' >loop.s.gz
    printf '\211PNG\r\n\032\n' >screen.png
}
make_files

# rejects FILE COMMAND REMEDY: the command must reject the file and print the remedy.
rejects() {
    "$portolan" -e "$2" >"$work/out" 2>"$work/err" </dev/null && fail "$2 took $1"
    grep -qF -- "this is " "$work/err" && grep -qF -- "; $3" "$work/err" || fail "$2 does not name $3: $(head -c 300 "$work/err")"
}

# Tries every command that reads a file with every kind of file that it does not accept.
test_each_file_names_its_command() {
    while IFS='|' read -r file remedy own; do
        while read -r command; do
            case "|$own|" in *"|$command|"*) continue ;; esac
            rejects "$file" "$(printf '%s' "$command" | sed "s/FILE/$file/")" "$(printf '%s' "$remedy" | sed "s/FILE/$file/")"
        done <<'COMMANDS'
kernel evaluate FILE --machine skylake
experiments load FILE
experiments import FILE
mapping import pmevo FILE
mapping import osaca FILE
mapping import uops-info FILE
mapping import csv FILE
forms add FILE
COMMANDS
    done <<'FILES'
pmevo-experiments.json|experiments import FILE|experiments import FILE
pmevo-mapping.json|mapping import pmevo FILE|mapping import pmevo FILE
population.json|evolve resume FILE|
uops.xml|mapping import uops-info FILE --architecture A|mapping import uops-info FILE
uops.csv|mapping import uops-info FILE|mapping import uops-info FILE
osaca.yml|mapping import osaca FILE|mapping import osaca FILE
experiments.csv|experiments load FILE|experiments load FILE
mapping.csv|mapping import csv FILE|mapping import csv FILE
forms.csv|forms add FILE|forms add FILE
bhive.csv|kernel evaluate FILE|kernel evaluate FILE --machine skylake
program|kernel load FILE|
lib.a|kernel load FILE|
perf.data|kernel load PROGRAM --profile FILE|
module.bc|llc FILE converts the bitcode to assembler text|
hello.exe|objdump -d prints its code|
hello.macho|llvm-objdump -d prints its code|
both.macho|llvm-objdump -d prints its code|
Loop.class|give machine code: an ELF program, library or object file|
loop.s.gz|unpack the file first|
screen.png|give the text itself|
FILES
}

test_kernel_load_names_other_commands() {
    for file in pmevo-experiments.json pmevo-mapping.json osaca.yml uops.xml experiments.csv perf.data module.bc hello.exe hello.macho both.macho Loop.class loop.s.gz screen.png; do
        "$portolan" -e "kernel load $file" >"$work/out" 2>"$work/err" && fail "kernel load took $file"
        grep -q 'this is ' "$work/err" || fail "kernel load says of $file: $(head -c 300 "$work/err")"
    done
}

# A fault inside a file of the right kind is not reported as another kind of file.
test_faults_of_the_right_file_stay() {
    printf '{"kind": "ExperimentList", "arch": {}, "exps": [{"iseq": 1}]}\n' >broken.json
    expect 1 "$portolan" -e 'experiments import broken.json'
    lacks err 'this is'
    printf 'experiment,cycles\n"ADD (R64, R64)",x\n' >broken.csv
    expect 1 "$portolan" -e 'experiments load broken.csv'
    lacks err 'this is'
    expect 1 "$portolan" -e 'kernel load nowhere.json'
    lacks err 'this is'
}

# BHive publishes files without a header, with cycles of 100 iterations. These are divided by 100.
# Cycles of one iteration of the same blocks are not divided.
test_bhive_cycles_are_recognised() {
    i=0
    : >hundred.csv; : >one.csv
    for block in 4801d8 480fafc3 4883c001 c5f858c1 f20f58c1 f20f59c1 4829d8 480fafc2 f20f5cc1 4821d8 4809d8 4831d8; do
        case $block in 480fafc*) cycles=3 ;; c5f858c1) cycles=0.5 ;; f20f5*) cycles=4 ;; *) cycles=1 ;; esac
        printf '%s,%s\n' "$block" "$cycles" >>one.csv
        printf '%s,%s\n' "$block" "$(awk "BEGIN { print 100 * $cycles }")" >>hundred.csv
    done
    expect 0 "$portolan" --format json -e 'kernel evaluate hundred.csv --machine skylake'
    holds out '"divided_by":100.0'
    sed 's/.*"mape":\([0-9.e-]*\).*/\1/' "$work/out" >hundred.mape
    expect 0 "$portolan" -e 'kernel evaluate hundred.csv --machine skylake'
    holds out 'cycles are totals of 100 iterations'
    expect 0 "$portolan" --format json -e 'kernel evaluate one.csv --machine skylake'
    lacks out divided_by
    sed 's/.*"mape":\([0-9.e-]*\).*/\1/' "$work/out" >one.mape
    cmp -s hundred.mape one.mape || fail "the errors differ: $(cat hundred.mape) and $(cat one.mape)"
}

# Rows without a measurement are omitted and counted, even in the first row. Text that is not code
# is not covered.
test_rows_without_cycles() {
    printf '%s\n' 4801d8, 480fafc3,3 4801d8,1 480fafc3, zz,1 4883c001,1 >gaps.csv
    expect 0 "$portolan" -e 'kernel evaluate gaps.csv --machine skylake'
    holds out '3 blocks, coverage 75.00 %'
    holds out '2 rows without cycles ignored'
    holds out '1 row with cycles is not valid code, and counts as not covered'
    expect 0 "$portolan" --format json -e 'kernel evaluate gaps.csv --machine skylake'
    holds out '"coverage":0.75,'
    holds out '"untimed":2,"refused":1,'
    printf '%s\n' 4801d8, 480fafc3, >gaps.csv
    expect 1 "$portolan" -e 'kernel evaluate gaps.csv --machine skylake'
    holds err 'no row has a block and its cycles'
}

# The message names the system's reason, also if that is not a missing file.
test_reasons_of_the_system() {
    ln -s loop loop
    ln -s loop/x loop.s
    printf '!<thin>\n//                                              6         `\nloop/\n/0              0           0     0     644     100       `\n' >thin.a
    while read -r command; do
        "$portolan" -e "$command" >out 2>err </dev/null && fail "$command took a link to itself"
        holds err 'Too many levels of symbolic links'
    done <<'COMMANDS'
mapping load loop
mapping load loop/x
session load loop
session load ./loop
program profile ./loop
program explain f ./loop
kernel load loop.s
kernel load thin.a
kernel evaluate bhive.csv --machine skylake --blocks loop
COMMANDS
    for command in 'mapping load absent' 'session load absent' 'program profile ./absent'; do
        "$portolan" -e "$command" >out 2>err </dev/null && fail "$command took a missing file"
        grep -qiE 'no (such|saved)' err || fail "$command: $(cat err)"
    done
}

run_tests
