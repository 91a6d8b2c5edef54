#!/bin/sh
# A loop with data beyond the first-level cache. Streams and sizes are predicted from a machine's
# facts, and unpredictable parts are described. If this CPU can be measured, the loop is run on
# arrays.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

kernel() { printf '%s\n' .L1: "$@" 'jne .L1' >"$work/$name.s"; }

name=triad
kernel 'vmovupd (%rsi,%rax,8), %ymm0' 'vfmadd231pd (%rdx,%rax,8), %ymm2, %ymm0' 'vmovupd %ymm0, (%rdi,%rax,8)' 'addq $4, %rax' 'cmpq %rcx, %rax'
name=symbols
kernel 'vmovupd b(%rax), %ymm0' 'vaddpd c+64(%rax), %ymm0, %ymm0' 'vmovupd %ymm0, a(%rax)' 'addq $32, %rax' 'cmpq $80000000, %rax'
name=chase
kernel 'movq (%rax), %rax' 'decq %rcx'
name=none
kernel 'imulq %rax, %rbx' 'decq %rcx'
name=still
kernel 'movq 8(%rsp), %rax' 'decq %rcx'
name=unknown
kernel 'movq (%rdi), %rax' 'addq %rdx, %rdi' 'decq %rcx'
name=pages
kernel 'movq (%rdi), %rax' 'addq $4160, %rdi' 'decq %rcx'
name=rows
kernel 'movq (%rdi), %rax' 'addq (%rsi), %rax' 'addq $8, %rdi' 'addq $8, %rsi' 'decq %rcx'

test_predicted() {
    expect 0 "$portolan" --machine skylake -e "kernel load $work/triad.s; kernel memory"
    holds out 'rsi + rax*8'
    grep -qE '^ +3 +rdi \+ rax\*8 +store +32 +0.50' "$work/out" || fail 'the store is no stream'
    grep -qE '^16K +L1 .* core: ports' "$work/out" || fail 'no first level'
    grep -qE '^512M +memory .* memory bandwidth$' "$work/out" || fail 'no memory'
    grep -qE '^remedies: non-temporal stores, [0-9.]+x.* \(([0-9]+[KM] to )?512M\)$' "$work/out" || fail 'no remedy'
    grep -qE '^64K +L2 .* L2 bandwidth$' "$work/out" || fail 'no second level'
    grep -qE '^cache blocking of repeated passes: blocks of 16K, [0-9.]+x \(L2\); .*\(memory\)$' "$work/out" || fail 'no word of blocks'
    for column in hops measured spread from; do
        if grep -E '^(size|stream) ' "$work/out" | grep -qw "$column"; then fail "an empty column $column"; fi
    done
    [ "$(grep -E '^(size|[0-9.]+[KMG]) ' "$work/out" | wc -L)" -le 80 ] || fail 'the table is too wide'
    # Labels of the plot are values of the table.
    holds out 'log scale'
    sed -n 's/^ *\([0-9.]*\) |.*/\1/p' "$work/out" >"$work/labels"
    [ -s "$work/labels" ] || fail 'the plot has no label'
    while read -r label; do
        grep -E '^[0-9.]+[KM] ' "$work/out" | grep -qwF -- "$label" || fail "$label is in no row"
    done <"$work/labels"
    holds out 'non-temporal stores'
    holds out 'the times add up (ECM)'
    holds out 'from the facts of skylake'
    holds out 'roofline: '
    holds out 'GB/s of a socket'
    expect 0 "$portolan" --format json --machine skylake -e "kernel load $work/triad.s; kernel memory --size 2M"
    holds out '"size":2097152'
    holds out '"block_bytes":16384'
    holds out '"hops":null'
    expect 0 "$portolan" --format csv --machine skylake -e "kernel load $work/triad.s; kernel memory --size 16K..64K"
    [ "$(grep -cE '^(16384|32768|65536),L[12],' "$work/out")" -eq 3 ] || fail "no rows: $(cat "$work/out")"
}
# Arrays that the code names are separate arrays. The loop's end determines their size.
test_symbols() {
    expect 0 "$portolan" --machine skylake -e "kernel load $work/symbols.s; kernel memory --size 16M; kernel analyze"
    for stream in 'b [+] rax +load' 'c [+] rax +load' 'a [+] rax +store'; do
        grep -qE "^ +[123] +$stream +32 +0.50" "$work/out" || fail "$stream is no stream: $(cat "$work/out")"
    done
    holds out 'Assumed: data in the first-level cache (L2 '
    holds out 'The arrays total 240 MB if rax begins at 0. An iteration then takes '
    expect 0 "$portolan" --machine skylake -e "kernel load $work/triad.s; kernel analyze"
    holds out 'Assumed: data in the first-level cache (L2 '
    if grep -q 'The arrays total' "$work/out"; then fail 'a size that the loop does not tell'; fi
    expect 0 "$portolan" --machine skylake -e "kernel load $work/none.s; kernel analyze"
    if grep -q 'first level (L2' "$work/out"; then fail 'arrays of a loop without memory'; fi
}
test_words() {
    expect 0 "$portolan" --machine skylake -e "kernel load $work/none.s; kernel memory"
    holds out 'no memory access: 3.00 cycles per iteration with arrays of any size'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/still.s; kernel memory"
    holds out 'addresses of all accesses are constant'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/unknown.s; kernel memory"
    holds out 'instruction 1: the address depends on rdi, which instruction 2 (addq %rdx, %rdi) computes in an unsupported way'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/chase.s; kernel memory --size 512M"
    holds out 'memory latency'
    expect 1 "$portolan" --machine haswell -e "kernel memory"
    holds err 'kernel'
    expect 0 "$portolan" --machine neoverse-n1 -e "kernel load $work/triad.s; kernel memory --machine golden-cove-inferred --size 2M"
    holds out 'not predicted: facts about the caches and the memory of golden-cove-inferred are missing'
}
test_shared_arrays() {
    expect 0 "$portolan" --machine skylake -e "kernel load $work/rows.s; kernel memory --size 16M; kernel memory --size 16M --arrays 2=1+8192"
    holds out '8192 bytes after stream 2'
    expect 1 "$portolan" --machine skylake -e "kernel load $work/rows.s; kernel memory --arrays 2=7+8"
    holds err '2 and 7 are not the numbers of two different streams'
    for wrong in 2 2= =1 2=1+ a=b 2=1*3 1=1 ''; do
        expect 1 "$portolan" --machine skylake -e "kernel load $work/rows.s; kernel memory --arrays '$wrong'"
    done
}
test_wrong_sizes() {
    for wrong in 0 -1 1 16 16K.. ..16K 16K..8K 1T 16X 1e99 nan 16K...32K 16K..32K..64K ''; do
        expect 1 "$portolan" --machine skylake -e "kernel load $work/triad.s; kernel memory --size '$wrong'"
        holds err '--size'
    done
    expect 1 "$portolan" --machine skylake -e "kernel load $work/triad.s; kernel memory --size 16K..8K"
    holds err 'begins with the larger size'
    expect 1 "$portolan" --machine skylake -e "kernel load $work/triad.s; kernel memory --pages 1G"
    expect 1 "$portolan" -e "machine calibrate --memory --cpu 0"
    holds err '--cpu does not apply to --memory'
}
# A measured time whose loads depend on indices in memory is shown with the data of its measurement.
test_data() {
    case $(uname -m) in x86_64) ;; *) skip 'x86-64 alone' ;; esac
    name=histogram
    kernel 'movl (%rsi,%rcx,4), %eax' 'incl (%rdi,%rax,4)' 'addq $1, %rcx' 'cmpq %r8, %rcx'
    status=0
    "$portolan" -e "kernel load $work/histogram.s; kernel measure" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -ne 0 ] || holds out 'all indices are equal'
    status=0
    "$portolan" -e "kernel load $work/none.s; kernel measure" >"$work/out" 2>"$work/err" || status=$?
    lacks out 'data: '
}
# Measurements depend on the host. The command must end with a time or the reason for its absence.
test_measured() {
    case $(uname -m) in x86_64) ;; *) skip 'x86-64 alone' ;; esac
    for loop in triad chase rows symbols; do
        status=0
        "$portolan" --format csv --machine skylake -e "kernel load $work/$loop.s; kernel memory --size 32K..128K --measure" >"$work/out" 2>"$work/err" || status=$?
        if [ "$status" -eq 0 ]; then
            [ "$(grep -cE '^(32768|65536|131072),' "$work/out")" -eq 3 ] || fail "$loop has no rows: $(cat "$work/out")"
        else
            holds err 'not measured: '
        fi
    done
    # Sizes that are too small for the strides are named with the reason.
    status=0
    "$portolan" --machine skylake -e "kernel load $work/pages.s; kernel memory --size 4K..64K --measure" >"$work/out" 2>"$work/err" || status=$?
    if [ "$status" -eq 0 ]; then
        holds out 'not measured at 4K, 8K, 16K: the strides'
    else
        holds err 'not measured: '
        lacks err 'the strides'
    fi
    expect 1 "$portolan" --machine skylake -e "kernel load $work/pages.s; kernel memory --size 4K --measure"
    holds err 'need arrays of more than 4096 bytes'
    expect 1 "$portolan" --machine skylake -e "kernel load $work/unknown.s; kernel memory --measure --size 64K"
    expect 1 "$portolan" --machine skylake -e "kernel load $work/triad.s; kernel memory --measure --size 60G"
    grep -qE 'three quarters|cannot map' "$work/err" || fail "no word of memory: $(cat "$work/err")"
    (
        ulimit -v 300000 || skip 'no limit can be set'
        expect 1 "$portolan" --machine skylake -e "kernel load $work/triad.s; kernel memory --measure --size 512M"
    )
}

run_tests
