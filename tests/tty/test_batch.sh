#!/bin/sh
# The program without a terminal: its output, errors and exit status.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

kernel=$source/data/kernels/triad-skl-O3.s
forms='forms select "ADD (R64, R64)" "IMUL (R64, R64)" "XOR (R64, R64)" "SHL (R64, I8)"'

test_analyze_prints_json() {
    expect 0 "$portolan" -b --format json -e "kernel load $kernel; kernel analyze --machine skylake --machine znver1"
    holds out '"machine":"skylake"'
    holds out '"machine":"znver1"'
    for key in instructions line text form usage latency pressure flags ports bounds frontend dependencies issue cycles bottleneck chain unknown; do
        holds out "\"$key\":"
    done
    [ "$(wc -l <"$work/out")" -eq 2 ] || fail "one JSON object per command was expected"
}

# rep stosq repeats by a register's count, so its cycles must be reported as a lower bound. stosq
# without rep is not repeated.
test_repeated_is_a_lower_bound() {
    expect 0 "$portolan" --machine skylake -e 'kernel hex f348ab; kernel analyze; kernel simulate'
    [ "$(grep -c 'The time of a repeated stosq depends on its count' "$work/out")" -eq 2 ] || fail 'the analysis and the simulation say so'
    holds out 'cycles per iteration simulated'
    [ "$(grep -c 'at least .* cycles per iteration' "$work/out")" -eq 2 ] || fail 'both are lower bounds'
    expect 0 "$portolan" --machine skylake --format json -e 'kernel hex f348ab; kernel simulate; kernel hex 48ab; kernel simulate'
    [ "$(grep -c '"lower_bound": *true' "$work/out")" -eq 1 ] || fail 'one of the two is a lower bound'
}

# Each block belongs to one of the halves even and odd, regardless of the case of its hex digits and
# its place in the file.
test_halves_of_blocks() {
    { echo hex,cycles; sed 1d "$source/tests/data/blocks.csv" | sed 's/$/,1/'; } >"$work/lower.csv"
    { echo hex,cycles; sed 1d "$work/lower.csv" | sort -r | tr a-f A-F; } >"$work/upper.csv"
    for half in even odd; do
        for file in lower upper; do
            expect 0 "$portolan" -e "kernel evaluate $work/$file.csv --machine skylake --measured-by portolan --half $half --threads 1 --blocks $work/$file.$half"
            sed 1d "$work/$file.$half" | cut -d, -f1 | tr A-F a-f | sort >"$work/$file.$half.hex"
        done
        cmp "$work/lower.$half.hex" "$work/upper.$half.hex" || fail "the $half half differs"
        [ -s "$work/lower.$half.hex" ] || fail "the $half half is empty"
    done
    sort -u "$work/lower.even.hex" "$work/lower.odd.hex" >"$work/both"
    sed '1d; s/,1$//' "$work/lower.csv" | sort -u | cmp - "$work/both" || fail 'the halves are the file'
    [ -z "$(comm -12 "$work/lower.even.hex" "$work/lower.odd.hex")" ] || fail 'a block is in both halves'
}

test_throughput_and_prefixes() {
    expect 0 "$portolan" --machine skylake -e 'throughput 2*ADD (R64, R64) + IMUL (R64, R64)'
    holds out '1.0000 cycles on skylake, bound by p1'
    expect 0 "$portolan" --machine skylake --format json -e 'throughput 4*ADD (R64, R64); throughput IMUL (R64, R64)'
    holds out '"cycles":1.0'
    expect 0 "$portolan" --machine skylake -e 'throughput RDTSC () + 2*CLD ()'
    holds out '33.0000 cycles on skylake, bound by microcode or serialisation'
    expect 0 "$portolan" -e "k l $kernel; k a"
    holds out 'Tied limits, 2.00 cycles per iteration: ports 2 and 3 ('
    expect 0 "$portolan" "$kernel"
    holds out 'Sapphire Rapids'
}

# Learns on a simulated CPU. kernel evaluate detects blocks of `kernel measure` by the columns of
# the file.
test_learn_and_evaluate() {
    expect 0 "$portolan" --machine skylake --format json -e "kernel learn 'IMUL (R64, R64)' --simulate skylake"
    holds out '"usage":"1*p1"'
    holds out '"evidence":'
    expect 0 "$portolan" --machine skylake -e "kernel load $kernel; kernel learn --simulate skylake"
    holds out 'skylake has usages for all forms of the kernel'
    expect 1 "$portolan" --machine skylake -e "kernel learn 'NO (SUCH)' --simulate skylake"
    expect 1 "$portolan" --machine skylake -e 'kernel learn'
    expect 0 "$portolan" --format json -e "kernel evaluate $source/tests/data/zen4-rules.csv --machine znver4"
    cp "$work/out" "$work/own"
    expect 0 "$portolan" --format json -e "kernel evaluate $source/tests/data/zen4-rules.csv --machine znver4 --measured-by portolan"
    [ "$(sed 's/.*"mape": *\([^,]*\).*/\1/' "$work/own")" = "$(sed 's/.*"mape": *\([^,]*\).*/\1/' "$work/out")" ] || fail 'the protocol was not recognised'
    expect 1 "$portolan" -e "kernel evaluate $source/tests/data/zen4-rules.csv --machine znver4 --measured-by hand"
}

# Errors name the place and the remedy.
test_faults_name_place_and_remedy() {
    expect 1 "$portolan" -e 'kernel analyze'
    holds err 'no kernel is loaded; run kernel load FILE'
    expect 1 "$portolan" -e 'kernel load /nonexistent.s'
    holds err '/nonexistent.s'
    # An unknown option lists the command's options. A noun alone lists its commands.
    expect 1 "$portolan" -e 'kernel analyze --flumb'
    holds err 'kernel analyze has no option "--flumb"; options: --machine'
    expect 1 "$portolan" -e 'kernel evaluate x.csv --model fast'
    holds err '--model cannot be "fast"; use bounds or simulate'
    expect 1 "$portolan" -e 'kernel load x.s --loop'
    holds err '--loop needs a value'
    expect 1 "$portolan" -e 'kernel list everything'
    holds err 'kernel list has no arguments, so "everything"'
    expect 1 "$portolan" -e 'experiments measure --budget'
    expect 1 "$portolan" -e 'evolve'
    holds err 'evolve start, evolve status'
    expect 0 "$portolan" -e "kernel load $kernel; kernel analyze --machine=znver4"
    holds out 'AMD Zen 4'
    expect 0 "$portolan" -e 'kernel hex 48 01 d8'
    holds out 'whole block, 1 instruction'
}

# The assembler's error names the line once, and the number of further errors.
test_assembler_errors_name_the_line() {
    printf 'kernel paste\n foo bar\n add eax, [rbx\n.\n' >"$work/bad.pf"
    expect 1 "$portolan" -b "$work/bad.pf"
    holds err "pasted:1: no such instruction: \`foo bar' (and 1 more line); correct the line"
    printf 'kernel paste\n.\n' >"$work/none.pf"
    expect 1 "$portolan" -b "$work/none.pf"
    holds err 'the text is empty'
}

# No line of a paste is dropped: with a very long line, the whole text is refused.
test_pastes_that_are_too_long() {
    { printf 'kernel paste\n1: addq %%rbx, %%rax\n'; head -c 33554500 /dev/zero | tr '\0' a; printf '\n jmp 1b\n.\n'; } >"$work/long.pf"
    expect 1 "$portolan" -b "$work/long.pf"
    holds err 'the text has 32 MiB; the maximum is 16 MiB'
}

test_unknown_commands_machines_options() {
    expect 1 "$portolan" -e 'm s x'
    holds err 'is ambiguous'
    expect 1 "$portolan" -e 'flumb'
    holds err '"flumb" is no command'
    # With a format for programs the error is an object of the command as typed.
    expect 1 "$portolan" --format json -e 'mapping flumb'
    holds out '{"schema":1,"command":"mapping flumb","error":"\"mapping flumb\" is no command'
    expect 1 "$portolan" --format json -e 'mapping "use'
    holds out '"error":"unclosed'
    expect 1 "$portolan" --machine i486 -e 'machine show'
    holds err 'no machine "i486"'
    expect 1 "$portolan" -e 'throughput ADD (R64, R64'
    holds err 'parenthesis'
    expect 2 "$portolan" --format xml
    expect 2 "$portolan" --flumb
    expect 0 "$portolan" --help
    expect 0 "$portolan" --version
}

# For entries of a file that describe no form, text output lists the first five and formats for
# programs list all.
test_unused_entries_of_a_file() {
    { printf "isa: x86\nports: ['0']\ninstruction_forms:\n- {name: nop, operands: [], port_pressure: [[1, '0']]}\n"
      for i in 1 2 3 4 5 6 7; do printf "%s {name: flumb%s, operands: [], port_pressure: [[1, '0']]}\n" - "$i"; done; } >"$work/unused.yml"
    expect 0 "$portolan" -e "mapping import osaca $work/unused.yml"
    holds out 'line 5: flumb1 not used: no form matches'
    holds out 'unused entries not shown: 2; --format json lists all'
    lacks out flumb6
    expect 0 "$portolan" -b --format json -e "mapping import osaca $work/unused.yml"
    holds out '{"line":11,"name":"flumb7","reason":"no form matches"}'
}

# Exports mappings to the formats of other tools and imports them again. Also covers documents,
# sessions and C source.
test_other_tools_files_and_back() {
    expect 0 "$portolan" --machine skylake -e "mapping export osaca $work/m.yml; mapping import osaca $work/m.yml; mapping export uops-info $work/back.csv; mapping use skylake; mapping export uops-info $work/there.csv"
    sort "$work/there.csv" >"$work/a" && sort "$work/back.csv" >"$work/b"
    cmp -s "$work/a" "$work/b" || fail "the OSACA round trip changes the mapping"
    expect 0 "$portolan" --machine skylake -e "mapping export pmevo $work/m.json; mapping import pmevo $work/m.json; mapping export uops-info $work/m.csv; throughput 2*ADD (R64, R64)"
    holds out '0.5000 cycles'
    expect 0 "$portolan" -e "kernel load $kernel; kernel report $work/r.html; kernel report $work/r.md --machine znver4; kernel analyze; export $work/e.json"
    grep -q '</html>' "$work/r.html" && grep -q 'AMD Zen 4' "$work/r.md" && grep -q '"machine":"skylake"' "$work/e.json" || fail "a report is not what it should be"
    expect 0 "$portolan" -e "kernel load $kernel; mapping set 'ADD (R64, R64)' 1*p0; session save $work/session"
    expect 0 "$portolan" --session "$work/session" -e "mapping show 'ADD (R64, R64)'; kernel list"
    holds out '1*p0 '
    expect 1 "$portolan" -e "mapping import osaca $kernel"
    holds err "$kernel"
    expect 1 "$portolan" -e "mapping export xml $work/x"
    [ ! -e "$work/x" ] || fail "a refused export left a file"
}

test_c_source() {
    needs cc
    printf 'void f(double *a, long n)\n{\n    for (long i = 0; i < n; i++)\n        a[i] *= 2.5;\n}\n' >"$work/f.c"
    expect 0 "$portolan" -e "kernel load $work/f.c -O2; kernel show"
    holds out '4: a[i] *= 2.5;'
    expect 1 "$portolan" -e "kernel load $work/f.c -O2 -o $work/x"
    holds err 'is not allowed'
}

test_help_and_settings() {
    expect 0 "$portolan" -e 'help kernel load'
    holds out 'kernel load FILE'
    ! grep -q 'kernel save' "$work/out" || fail "help shows more than it was asked for"
    expect 0 "$portolan" --format json -e 'set keep-going on; set'
    holds out '"keep-going":true'

    expect 1 "$portolan" -e 'experiments generate'
    holds err 'forms select --top 60'
    # A table of the most frequent forms can be measured and explained.
    expect 0 "$portolan" -e 'forms select --top 3; experiments generate'
    holds out '3 forms selected'
    holds out '6 experiments added, 6 in all, of 3 forms'
    expect 1 "$portolan" -e "forms select --top 3 'ADD*'"
    holds err '--top and patterns cannot be combined'
}

# The program accepts several files, such as a script and a kernel. The same seed draws the same
# experiments. Another seed draws others.
test_files_and_seeds() {
    printf 'machine show skylake\n' >"$work/named.pf"
    expect 0 "$portolan" "$work/named.pf" "$kernel"
    holds out 'Intel Skylake'
    holds out 'cycles per iteration'
    expect 2 "$portolan" --threads 0 -e jobs
    expect 2 "$portolan" --seed x -e jobs
    expect 0 "$portolan" --seed 7 --threads 1 -e 'experiments generate --random 20 --size 3; experiments list'
    cp "$work/out" "$work/seven"
    expect 0 "$portolan" -e 'experiments generate --random 20 --size 3 --seed 7; experiments list'
    cmp -s "$work/out" "$work/seven" || fail "--seed is not the commands' seed"
    expect 0 "$portolan" -e 'experiments generate --random 20 --size 3; experiments list'
    cmp -s "$work/out" "$work/seven" && fail "--seed changes nothing"
}

# Options of kernel load for text and objects are applied or rejected. A simulation of few
# iterations still reports the latency of the loop-carried chain.
test_kernel_options_hold() {
    printf 'dot:\n.L1: imulq %%rax, %%rbx\n decq %%rcx\n jne .L1\n ret\ncopy:\n.L2: movq (%%rsi), %%rax\n decq %%rcx\n jne .L2\n ret\n' >"$work/two.s"
    expect 0 "$portolan" -e "kernel load $work/two.s --symbol copy"
    holds out 'innermost loop .L2'
    expect 0 "$portolan" -e "kernel load $work/two.s --lines 1-5; kernel list"
    holds out '.L1'
    lacks out '.L2'
    expect 1 "$portolan" -e "kernel load $work/two.s --symbol axpy"
    holds err 'no label axpy in this text'
    expect 1 "$portolan" -e 'kernel load /bin/sh --lines 3-9'
    holds err '--lines needs --symbol'
    expect 1 "$portolan" -e 'kernel load /bin/sh --isa '"$(uname -m | sed 's/x86_64/aarch64/;t;s/.*/x86-64/')"
    holds err 'omit --isa'
    expect 1 "$portolan" -e "kernel load $kernel --lines 9-3"
    holds err '--lines cannot be "9-3"; give lines as 10-25'
    printf '.L1: imulq %%rax, %%rax\n imulq %%rax, %%rax\n imulq %%rax, %%rax\n jmp .L1\n' >"$work/chain.s"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/chain.s; kernel simulate --iterations 16"
    holds out '9.00 cycles per iteration simulated'
    holds out 'bound 9.00'
    # Stalls name the buffer that is full.
    printf '.L1: sqrtsd %%xmm0, %%xmm0\n movq %%rax, (%%rdi)\n movq %%rax, 8(%%rdi)\n jmp .L1\n' >"$work/stores.s"
    printf '.L1: sqrtsd %%xmm0, %%xmm0\n movq (%%rdi), %%rax\n movq 8(%%rdi), %%rcx\n jmp .L1\n' >"$work/loads.s"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/stores.s; kernel simulate"
    holds out 'scheduler 0.00, load buffer 0.00, store buffer 1'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/loads.s; kernel simulate; view timeline"
    holds out 'scheduler 0.00, load buffer 1'
    holds out 'ROB 0.00, load buffer 1'
    expect 1 "$portolan" -e "kernel load $kernel; kernel simulate --iterations 0"
    holds err 'from 1 to 100000'
    expect 1 "$portolan" -e 'kernel evaluate x.csv --threads 5000'
    holds err 'from 1 to 1024'
}

# Reports and exports contain the named machines, regardless of the option that named them.
test_reports_of_named_machines() {
    expect 0 "$portolan" --machine skylake -e "kernel load $kernel; kernel report $work/r.md --machine=znver4; kernel analyze --machine=znver4; export $work/e.html; export $work/e.md; export $work/e.csv"
    for file in r.md e.html e.md; do
        grep -q 'AMD Zen 4' "$work/$file" || fail "$file is not of znver4"
        ! grep -q Skylake "$work/$file" || fail "$file is of skylake"
    done
    grep -q '^znver4,3,' "$work/e.csv" || fail 'the CSV has no rows of znver4'
    grep -q 'style="background:#' "$work/e.html" || fail 'the HTML has no heat map'
}

# Runs every kernel command in every format. CSV and JSON can be parsed, and no value is nan.
test_kernel_commands_in_all_formats() {
    for format in text csv json md html; do
        expect 0 "$portolan" --format $format --machine skylake -e "kernel hex 4801d8; kernel show; kernel list; kernel analyze; kernel simulate; kernel whatif issue_width=6; kernel whatif issue_width=1..3; kernel learn 'IMUL (R64, R64)' --simulate skylake; kernel evaluate $source/tests/data/zen4-rules.csv --machine znver4"
        ! grep -qiw nan "$work/out" || fail "$format has nan: $(grep -iw nan "$work/out" | head -n 3)"
        [ -s "$work/out" ] || fail "nothing in $format"
    done
    printf '.L1:\n addq %%rax, %%rbx\n flumb %%rax\n jmp .L1\n' >"$work/bad.s"
    expect 0 "$portolan" --format json -e "kernel load $work/bad.s --skip-bad"
    [ "$(grep -c '^{' "$work/out")" = "$(wc -l <"$work/out")" ] || fail 'lines that are no JSON'
    holds out '"left_out":[{"line":3,'
}

# Errors in scripts have line numbers. Scripts may contain pasted text, and continue after errors
# with keep-going.
test_scripts() {
    printf 'kernel paste\n1: imulq %%rax, %%rax\n jmp 1b\n.\nkernel analyze --machine skylake\nflumb\nhelp\n' >"$work/script.pf"
    expect 1 "$portolan" -b "$work/script.pf"
    holds out 'imulq %rax, %rax'
    holds err "script.pf:6: \"flumb\" is no command"
    printf 'set keep-going on\nflumb\nmachine list\n' >"$work/go.pf"
    expect 1 "$portolan" -b "$work/go.pf"
    holds out 'znver4'
    holds err 'go.pf:2: "flumb" is no command'
    expect 1 "$portolan" -e 'set keep-going on; flumb; machine list'
    holds out 'znver4'
    holds err 'flumb'
    # A failed command does not make later commands fail.
    printf 'set keep-going on\nkernel edit\nmapping use skylake\nsession save %s\nsession diff %s\nsession load %s\nkernel load %s\nkernel whatif issue_width=6 --machine skylake\n' \
        "$work/after" "$work/after" "$work/after" "$kernel" >"$work/after.pf"
    expect 1 "$portolan" -b "$work/after.pf"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "more than one fault: $(cat "$work/err")"
}

test_sourced_scripts() {
    printf 'source %s\nmachine show skylake\n' "$work/inner.pf" >"$work/outer.pf"
    printf 'kernel paste\n nop\n.\nkernel show\n' >"$work/inner.pf"
    expect 0 "$portolan" -b "$work/outer.pf"
    holds out 'NOP ()'
    holds out 'Intel Skylake'
    printf 'source %s\n' "$work/loop.pf" >"$work/loop.pf"
    expect 1 "$portolan" -b "$work/loop.pf"
    holds err 'scripts are nested deeper than 16'
    expect 0 "$portolan" --format json -e 'machine info'
    holds out '"counters":'
}

# Errors suggest what was probably meant: commands, files, forms, machines, settings, facts, views.
test_did_you_mean() {
    mkdir "$work/near"
    cp "$kernel" "$work/near/triad.s"
    while IFS='|' read -r command meant; do
        expect 1 "$portolan" --machine skylake -e "$command"
        holds err "did you mean $meant?"
    done <<TEXT
kernel laod x|kernel load
help kernle|kernel
help kernel why|kernel blame
help faster|kernel tune
help explain|program explain
kernel load $work/near/traid.s|$work/near/triad.s
kernel load $work/near/TRIAD.S|$work/near/triad.s
throughput ADDD (R64, R64)|ADD (R64, R64)
throughput ADD (R64,R64)|ADD (R64, R64)
forms select 'IMLU (R64, R64)'|IMUL (R64, R64)
forms list 'IMLU (R64, R64)'|IMUL (R64, R64)
kernel learn 'IMLU (R64, R64)' --simulate skylake|IMUL (R64, R64)
kernel hex 90; kernel whatif 'latency:IMLU (R64, R64)=3'|IMUL (R64, R64)
machine show skylke|skylake
set seedd 3|seed
view kernl|kernel
TEXT
    expect 0 "$portolan" --machine skylake -e "mapping show 'IMLU (R64, R64)'"
    holds out 'did you mean IMUL (R64, R64)?'
    expect 1 "$portolan" --machine skylake -e "mapping set 'ADDD (R64, R64)' 1*p0"
    holds err 'did you mean ADD (R64, R64)?'
    expect 1 "$portolan" --machine skylake -e 'mapping set VADDSD 1*p0'
    holds err 'no form "VADDSD" in skylake or in the form tables; did you mean VADDSD ('
    expect 0 "$portolan" --machine skylake -e "mapping set --new 'MINE (R64)' 1*p0; mapping show 'MINE (R64)'"
    holds out '1*p0'
}

# Both sides of a difference fit in 80 columns with any port names. A usage that does not fit has
# its own line.
test_diff_within_80_columns() {
    for pair in 'skylake sapphirerapids' 'znver3 znver4' 'haswell zen5-charted --renamed'; do
        expect 0 "$portolan" -e "mapping diff ${pair%% *} ${pair#* }"
        sed '/forms\{0,1\} in both/d; /^ports by /d' "$work/out" | awk 'length > 80 && (/ \| [^ ]*p/ && !/^  \| / || /^[A-Z]/) { print; bad = 1 } END { exit bad }' >"$work/long" || fail "$pair: $(head -3 "$work/long")"
    done
    expect 0 "$portolan" -e "mapping diff skylake sapphirerapids 'VADDSUBPD (YMM, YMM, YMM)'"
    holds out 'VADDSUBPD (YMM, YMM, YMM)      ports    1*p01              1*p15'
}

# After a change of ports the pressure on each is shown before and after.
test_whatif_pressure() {
    expect 0 "$portolan" -e "kernel load $kernel; kernel whatif --machine skylake 'usage:VMOVAPD (YMM, M256)=1*p237'"
    awk '$1 == "2" && $2 == "2.00" && $3 == "1.33" { found = 1 } END { exit !found }' "$work/out" || fail "$(cat "$work/out")"
}

# A what-if accepts ports by the names that users see, and by the machine's own names.
test_whatif_names() {
    for ports in 'ALU0,ALU1' '0,1'; do
        expect 0 "$portolan" --machine zen5-charted -e "kernel hex 4801d84801d9; kernel whatif 'usage:ADD (R64, R64)=1*p[$ports]'"
        awk '$1 == "ALU0" && $3 == "1.00" { found = 1 } END { exit !found }' "$work/out" || fail "$ports: $(cat "$work/out")"
    done
    expect 1 "$portolan" --machine zen5-charted -e "kernel hex 4801d8; kernel whatif 'usage:ADD (R64, R64)=1*p[ALU9]'"
    holds err 'unknown port "ALU9"'
}

# A latency without a table entry counts as one cycle. A note next to the result reports it.
test_unknown_latency() {
    printf '.L1:\n cltq\n addq %%rax, %%rax\n jne .L1\n' >"$work/latency.s"
    expect 0 "$portolan" --machine zen5-charted -e "kernel load $work/latency.s; kernel analyze"
    holds out 'latency unknown: CDQE (), counted as 1 cycle'
    holds out 'at least 2.00 cycles per iteration'
    expect 0 "$portolan" --machine zen5-charted --format json -e "kernel load $work/latency.s; kernel analyze"
    holds out '"latency_guessed":1.0'
}

# Rejected lines are listed. The remaining lines are analysed on request.
test_refused_lines() {
    printf '.L1:\n addq %%rax, %%rbx\n flumb %%rax\n jmp .L1\n' >"$work/bad.s"
    expect 1 "$portolan" -e "kernel load $work/bad.s"
    holds err 'bad.s:3:'
    expect 0 "$portolan" -e "kernel load $work/bad.s --skip-bad; kernel analyze --machine skylake"
    holds out 'skipped line 3'
    expect 0 "$portolan" -e "kernel load $kernel; kernel save $work/saved.s; kernel load $work/saved.s; kernel analyze --machine skylake"
    holds out '2.00 cycles per iteration'
}

# mapping diff compares shipped machines, and an imported table with a machine. A saved mapping can
# be loaded again.
test_mappings_differ() {
    expect 0 "$portolan" -b --format json -e 'mapping diff haswell broadwell'
    for key in a b ports renamed shared equal only_a only_b kinds forms; do
        holds out "\"$key\":"
    done
    holds out '"renamed":false'
    holds out '{"form":"ADC (R64, R64)","kind":"more","a":"1*p06+1*p0156","b":"1*p06"}'
    expect 0 "$portolan" -b -e 'mapping diff skylake znver3 ADD*'
    holds out 'ports matched by use:'
    expect 1 "$portolan" -b -e 'mapping diff skylake'
    printf 'instruction,family,latency,throughput,uops,ports\n"ADD_01 (R64, R64)",BASE,1,0.25 / 0.25,1 / 1,1*p0156\n' >"$work/Table.csv"
    expect 0 "$portolan" -b -e "mapping import uops-info $work/Table.csv; mapping diff uops-table skylake; throughput ADD (R64, R64)"
    holds out 'uops-table: 1 form on 4 ports'
    holds out '1 form in both'
    holds out 'alike 1 (100.0 %'
    holds out '0.2500 cycles on uops-table'
    printf 'instruction,family,latency,throughput,uops,ports\n"ADD_01 (R64, R64)",BASE,1,0.25 / 0.25,1 / 1,1*z9\n' >"$work/bad.csv"
    expect 1 "$portolan" -b -e "mapping import uops-info $work/bad.csv"
    holds err 'bad.csv:2: invalid ports of ADD_01 (R64, R64)'

    expect 0 "$portolan" --machine skylake -e "mapping save $work/copy; machine show $work/copy"
    holds out 'forms'
}

# In this loop of the OSACA paper, which stores its sum on the stack, the chain through memory
# extends to the next iteration.
test_graph_of_dependences() {
    expect 0 "$portolan" -e "kernel load $source/data/kernels/pi-O1.s; kernel graph $work/g.dot --machine skylake"
    grep -q '^digraph' "$work/g.dot" && grep -q 'bound by dependencies' "$work/g.dot" || fail "no graph: $(head -3 "$work/g.dot")"
    grep -q 'vdivsd %xmm0, %xmm1, %xmm0\\nlatency' "$work/g.dot" || fail 'the divide lacks its latency'
    [ "$(grep -c '^  i[0-9]* \[' "$work/g.dot")" -eq 12 ] || fail 'not a node per instruction'
    grep -q 'style=dashed.*1 later.*color=red' "$work/g.dot" || fail 'the chain does not go into the next iteration'
    grep -q '^  i10 -> i11;' "$work/g.dot" || fail 'no edge from the comparison to the branch'
    # Branches also read registers, and the flags of the decrement that counts down the loop.
    printf '.L1:\n  addq %%rax, %%rbx\n  decq %%rcx\n  movq %%rdx, %%rsi\n  jnz .L1\n' >"$work/down.s"
    expect 0 "$portolan" -e "kernel load $work/down.s; kernel graph $work/g.dot --machine skylake"
    grep -q '^  i1 -> i3;' "$work/g.dot" || fail 'no edge from the decrement to the branch'
    ! grep -q '^  i0 -> i3' "$work/g.dot" || fail 'an edge from flags that are written over'
    printf '.L1:\n  sub x1, x1, 1\n  fadd d0, d0, d1\n  cbnz x1, .L1\n' >"$work/down.s"
    expect 0 "$portolan" -e "kernel load $work/down.s --isa aarch64; kernel graph $work/g.dot --machine neoverse-n1"
    grep -q '^  i0 -> i2;' "$work/g.dot" || fail 'no edge to a branch that reads a register'
    expect 1 "$portolan" -e "kernel load $source/data/kernels/pi-O1.s; kernel graph $work/g.png"
    holds err 'kernel graph FILE.dot, or FILE.svg'
    printf '#!/bin/sh\necho "<svg>$(head -c 12)</svg>"\n' >"$work/dot"; chmod +x "$work/dot"
    expect 0 env PATH="$work:$PATH" "$portolan" -e "kernel load $source/data/kernels/pi-O1.s; kernel graph $work/g.svg --machine skylake"
    grep -q '<svg>digraph loop</svg>' "$work/g.svg" || fail "Graphviz was not given the graph: $(head -c 200 "$work/g.svg")"
    printf '#!/bin/sh\necho no; exit 1\n' >"$work/dot"
    expect 1 env PATH="$work:$PATH" "$portolan" -e "kernel load $source/data/kernels/pi-O1.s; kernel graph $work/g.svg --machine skylake"
    holds err 'dot failed: no'
}

# The man page contains the command table unchanged.
test_man_page_is_the_command_table() {
    "$portolan" -e 'help --man' >"$work/commands"
    sed -n '/^.\\" commands begin/,/^.\\" commands end/p' "$source/man/portolan-commands.7" | sed '1d;$d' >"$work/page"
    cmp -s "$work/commands" "$work/page" || fail "man/portolan-commands.7 is not what the table says; run tools/make-man.sh"
    "$portolan" -e 'help facts --man' >"$work/facts"
    sed -n '/^.\\" facts begin/,/^.\\" facts end/p' "$source/man/portolan-machine.5" | sed '1d;$d' >"$work/page"
    cmp -s "$work/facts" "$work/page" || fail "man/portolan-machine.5 is not what the schema says; run tools/make-man.sh"
}

# help, what-if and the loader's warning use the schema of facts.
test_schema_of_facts() {
    expect 0 "$portolan" -e 'help fact issue_width'
    holds out 'value: number of µops/cycle, 1 to 65536'
    expect 1 "$portolan" -e 'help fact isue_width'
    holds err 'did you mean issue_width?'
    expect 1 "$portolan" --machine skylake -e "kernel load $kernel; kernel whatif isue_width=6"
    holds err 'did you mean issue_width?'
    expect 1 "$portolan" --machine skylake -e "kernel load $kernel; kernel whatif scheduler=0..3"
    holds err 'scheduler must be from 1 to 65536'
    expect 0 "$portolan" --machine skylake -e "mapping save $work/doubtful"
    echo 'isue_width,4,,' >>"$work/doubtful/machine.csv"
    expect 0 "$portolan" -e "machine show $work/doubtful"
    holds err 'unknown fact "isue_width"; did you mean issue_width?'
}

# Views are printed without a screen. Batch mode waits for a job. Commands of the screen report that
# they need one.
test_views_and_jobs_without_a_screen() {
    expect 0 "$portolan" --machine skylake -e "kernel load $kernel; view kernel"
    holds out 'Intel Skylake (client)  2.00 cycles, ports'
    expect 0 env COLUMNS=80 LINES=22 "$portolan" --ascii -e 'view help'
    holds out 'Tab'
    expect 1 "$portolan" -e 'sort x'
    holds err 'view of the workbench'
    expect 0 "$portolan" -e "forms scan /bin/sh --out $work/counts.csv"
    [ "$(head -n 1 "$work/counts.csv")" = form,count ] || fail 'forms scan --out wrote no header'
    awk -F, 'NR > 2 && $NF + 0 > last { exit 1 } { last = $NF + 0 }' "$work/counts.csv" || fail 'forms scan --out: counts do not fall'
    expect 1 "$portolan" -e "forms scan /bin/sh --out $work/none/counts.csv"
    expect 0 "$portolan" -e 'forms scan /bin/sh; jobs'
    holds out 'of instructions'
    holds out 'done'
    expect 1 "$portolan" -e 'job wait 9'
    holds err 'no job 9'
    # Printed text has no colours: characters show levels of heat.
    expect 0 "$portolan" --machine haswell -e "forms select 'ADD (R64, R64)' 'VADDPD (YMM, YMM, YMM)'; experiments generate; experiments measure --simulate skylake; view accuracy"
    lacks out '▀'
    holds out '@@'
}

# Options of commands override the session's defaults. Also covers filters of rows, and one
# experiment with its samples.
test_defaults_of_the_session() {
    generate() { "$portolan" $1 -e "$forms; experiments generate --random 9 --size 3 $2; experiments list" 2>/dev/null; }
    generate '' '' >"$work/one"
    generate '--seed 7' '' >"$work/seven"
    generate '' '--seed 7' >"$work/named"
    cmp -s "$work/seven" "$work/named" || fail "--seed 7 is not what experiments generate --seed 7 does"
    cmp -s "$work/seven" "$work/one" && fail "--seed changes nothing"
    expect 2 "$portolan" --seed x -e jobs
    expect 2 "$portolan" --threads 0 -e jobs
    expect 1 "$portolan" -e 'set threads 2000'
    holds err '1 to 1024'
    expect 0 "$portolan" --format json -e "$forms; experiments generate; experiments measure --simulate skylake form~IMUL & experiment!=IMUL (R64, R64)"
    holds out '"left":0'
    expect 0 "$portolan" --format csv -e "$forms; experiments generate; experiments measure --simulate skylake; experiments list cycles>0.9 & form~SHL; experiments show 1"
    holds out 'IMUL (R64, R64) + SHL (R64, I8)'
    holds out '1,50,0.2'
    expect 1 "$portolan" -e 'experiments pause'
    holds err 'no experiments are being measured'
    expect 1 "$portolan" -e 'experiments show 1'
}

# Only requested output is written, in the format of the file's name. Missing values are "-", empty
# or null, never nan.
test_experiments_as_asked_for() {
    expect 0 "$portolan" --format json -e 'experiments generate --random 3 --size 2'
    holds out '"added":3,"experiments":3,'
    expect 0 "$portolan" --format json -e "$forms; experiments generate --singles; experiments generate"
    holds out '"added":4,"experiments":4,'
    holds out '"added":6,"experiments":10,'
    expect 1 "$portolan" -e "$forms; experiments generate; experiments save $work/e.xml"
    holds err 'unknown file extension ".xml"; use .csv, or .json for PMEvo'
    [ ! -e "$work/e.xml" ] || fail 'e.xml was written'
    expect 0 "$portolan" -e "$forms; experiments generate; experiments save $work/e.csv; experiments save $work/e.json"
    grep -q '^experiment,' "$work/e.csv" || fail 'e.csv is no CSV'
    grep -q '^[[{]' "$work/e.json" || fail 'e.json is no JSON'
    expect 1 "$portolan" -e "$forms; experiments generate; experiments show 11"
    holds err 'numbers are 1 to 10'
    expect 1 "$portolan" -e "$forms; experiments generate; experiments measure --cpu 9999"
    holds err 'CPU 9999 is not available'
    expect 1 "$portolan" -e 'machine calibrate --cpu 9999'
    holds err 'CPU 9999 is not available'
    expect 1 "$portolan" -e 'forms list NOSUCH'
    holds err 'no form matches "NOSUCH"'
    for format in text csv json md html; do
        expect 0 "$portolan" --format $format -e "experiments load $work/e.csv; experiments list; experiments show 1; congruence; evaluate"
        ! grep -qw nan "$work/out" || fail "$format: $(grep -w nan "$work/out")"
    done
    # A single experiment has no correlation between two values.
    expect 0 "$portolan" --format csv -e "forms select 'ADD (R64, R64)'; experiments generate; experiments measure --simulate skylake; evaluate"
    grep -qE '^skylake,1,[^,]*,,,0$' "$work/out" || fail "correlations of one experiment: $(cat "$work/out")"
}

# CSV quotes names of machines, loops and files that contain commas and quotes.
test_names_in_csv() {
    name='one,"two"'
    mkdir "$work/$name"
    cp "$source"/data/machines/skylake/*.csv "$work/$name"
    cp "$kernel" "$work/$name.s"
    expect 0 "$portolan" --format csv -e "mapping load '$work/$name'; throughput 'ADD (R64, R64)'; kernel load '$work/$name.s'; kernel analyze; kernel simulate; mapping list"
    holds out '"one,""two""",0.25,0,0.25,1'
    ! grep -E '(^|,)one,' "$work/out" >"$work/bare" || fail "not quoted: $(cat "$work/bare")"
}

# A job without a wait in the script ends with the last command, with a message. A job with a wait
# ends without one.
test_unfinished_job() {
    table="$forms; experiments generate; experiments measure --simulate skylake"
    expect 0 "$portolan" -e "$table; evolve start --ports 4 --seconds 600 --checkpoint none --threads 1"
    holds err 'has not finished and ends with the last command; add job wait to wait for it'
    expect 0 "$portolan" -e "$table; evolve start --ports 4 --generations 1 --checkpoint none; evolve wait"
    lacks err 'has not finished'
}

# Runs an inference and prints it in every format. Invalid values are rejected.
test_evolve() {
    table="$forms; experiments generate; experiments measure --simulate skylake"
    expect 1 "$portolan" -e "$table; evolve start --ports x,"
    holds err "empty port name in \"x,\""
    expect 1 "$portolan" -e "$table; evolve start --issue-width wide"
    holds err 'or auto'
    expect 1 "$portolan" -e "$table; evolve start --most 5"
    holds err 'add --active'
    for format in text csv json md html; do
        expect 0 "$portolan" --format $format -e "$table; evolve start --ports 4 --seconds 60 --checkpoint none --threads 1; evolve status; evolve pause; evolve stop"
        ! grep -qw nan "$work/out" || fail "$format: $(grep -w nan "$work/out")"
    done
    expect 0 "$portolan" --format json -e "$table; evolve start --ports 4 --generations 1 --checkpoint none; evolve wait; evolve adopt"
    holds out '"state":"done"'
    holds out '"machine":"evolved","forms":4,'
    expect 0 "$portolan" -e "$table; evolve start --ports 4 --generations 1 --checkpoint none; evolve wait; evolve status"
    holds out '; smallest error so far '
}

# Active experiments print their rounds in every format, and write a table from which the next run
# continues.
test_active_experiments() {
    start="$forms; experiments generate; evolve start --active --simulate skylake --seconds 0.5 --checkpoint $work/active.json"
    expect 0 "$portolan" --format json -e "$start --most 8; evolve status"
    test "$(grep -c '"rounds":\[{"measurements":' "$work/out")" = 2 || fail 'both the start and the status tell the rounds'
    holds out '"end":"'
    expect 0 "$portolan" --format csv -e "evolve start --active --continue --most 12 --simulate skylake --seconds 0.5 --checkpoint $work/active.json"
    holds out 'measurements,seconds,error,noise,disagreement,end'
    expect 1 "$portolan" -e 'evolve start --active --continue --checkpoint none'
    holds err 'needs the checkpoint file of the earlier run'
    expect 1 "$portolan" -e "$forms; experiments generate; evolve start --active --size 9"
    holds err '"9"; give a number from 2 to 8'
}

# Closed standard files are opened as /dev/null. Otherwise a file opened later would get their
# number, and output and messages would be written to it.
test_closed_standard_files() {
    [ -d /proc/self/fd ] || skip 'no /proc'
    mkfifo "$work/script"
    "$portolan" -b "$work/script" <&- >&- 2>&- &
    pid=$!
    exec 7>"$work/script"
    wait_until test -e "/proc/$pid/fd/3" || fail 'the script is not opened as a file of its own'
    for number in 0 1 2; do
        [ "$(readlink "/proc/$pid/fd/$number")" = /dev/null ] || fail "descriptor $number is $(readlink "/proc/$pid/fd/$number")"
    done
    echo 'kernel hex 4801d8' >&7
    exec 7>&-
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 1 ] || fail "status $status, although nothing could be printed"
}

test_interrupt_ends_in_good_order() {
    yes 'forms scan /bin/sh' | head -n 100000 >"$work/long.pf"
    "$portolan" -b "$work/long.pf" >"$work/long.out" 2>/dev/null &
    pid=$!
    wait_until grep -q covers "$work/long.out" || fail 'the script prints nothing'
    kill -INT "$pid"
    got=0
    wait "$pid" || got=$?
    [ "$got" -eq 130 ] || fail "interrupted: status $got instead of 130"
}

# Commands in README and docs work. `kernel measure` and `kernel blame` depend on the host;
# test_measure.sh and test_blame.sh test them.
test_readme_first_session() {
    sed -n '/^## A first session/,/^## Figures/s/^    //p' "$source/README.md" | grep -vE '^kernel (measure|blame)' >"$work/first.pf"
    [ "$(wc -l <"$work/first.pf")" -ge 5 ] || fail "README shows $(wc -l <"$work/first.pf") commands"
    cd "$source" || exit 1
    expect 0 "$portolan" -b "$work/first.pf"
    holds out '3.00 cycles per iteration'
    # Runs the same commands, with their comments, by -e.
    expect 0 "$portolan" -e "$(cat "$work/first.pf")"
    holds out '3.00 cycles per iteration'
}

# help lists each command once, under its task.
test_help_by_task() {
    expect 0 "$portolan" -b -e help
    for task in 'Analyse a loop' Measure Compare 'Whole programs' 'Infer a mapping' 'Chart a CPU, and machines' 'Session and workbench'; do holds out "$task"; done
    grep '^  ' "$work/out" | cut -c3-24 | sed 's/ *$//' | sort >"$work/listed"
    "$portolan" --format csv -e help | sed '1d; s/,.*//' | sort >"$work/all"
    cmp -s "$work/listed" "$work/all" || fail "the list and the commands differ: $(comm -3 "$work/listed" "$work/all" | head -5)"
}

run_tests
