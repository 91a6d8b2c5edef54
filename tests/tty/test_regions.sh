#!/bin/sh
# All loops of a file at once, on all machines; loops moved in memory, marked for other tools, and
# drawn as a page.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# Two loops and a region. The second loop has 34 bytes, with its jump on a 32-byte boundary.
cat >"$work/two.s" <<'TEXT'
	.text
f:
.L1:
	imulq %rax, %rbx
	addq $8, %rcx
	cmpq %rcx, %rdx
	jne .L1
.L2:
	vdivsd %xmm0, %xmm1, %xmm1
	subq $1, %rdi
	jne .L2
# LLVM-MCA-BEGIN sum
	addq %rax, %rbx
	addq %rbx, %rcx
# LLVM-MCA-END sum
TEXT

test_all_loops_at_once() {
    expect 0 "$portolan" --format csv -e "kernel load $work/two.s; kernel analyze --all --machine skylake --machine haswell"
    holds out 'loop,instructions,first_line,last_line,why,machine,cycles,bottleneck,lower_bound'
    [ "$(grep -c ',skylake,' "$work/out")" -eq 3 ] && [ "$(grep -c ',haswell,' "$work/out")" -eq 3 ] || fail "not every loop on both machines: $(cat "$work/out")"
    grep -q 'innermost loop .L1,skylake,3,dependencies,0' "$work/out" || fail "the multiplications do not take 3 cycles: $(cat "$work/out")"
    grep -q 'LLVM-MCA-BEGIN sum,skylake,' "$work/out" || fail 'the region is not there'
    # The results equal those of a separate analysis of each loop.
    for loop in 1 2 3; do
        all=$(awk -F, -v loop="$loop" '$1 == loop && $6 == "skylake" { print $7; exit }' "$work/out")
        alone=$("$portolan" --format json -e "kernel load $work/two.s; kernel use $loop; kernel analyze --machine skylake" | sed -n 's/.*"cycles":\([0-9.]*\),"bottleneck".*/\1/p' | tail -1)
        awk -v a="$all" -v b="$alone" 'BEGIN { exit !(a == b && b > 0) }' || fail "loop $loop: $all and alone $alone"
    done
    expect 0 "$portolan" -e "kernel load $work/two.s; kernel analyze --all --machine all"
    for machine in skylake znver4 sandybridge lunarlake-p; do holds out "$machine"; done
    lacks out cortex-a72
    expect 1 "$portolan" -e "kernel load $work/two.s; kernel analyze --all --machine cortex-a72"
    holds err 'is a machine for aarch64'
}

test_forms_on_all_machines() {
    expect 0 "$portolan" --format csv -e "forms compare 'IMUL (R64, R64)' --machine all"
    holds out 'form,machine,cycles,latency,usage'
    grep -q '"IMUL (R64, R64)",skylake,1,3,1\*p1' "$work/out" || fail "skylake: $(grep skylake "$work/out")"
    grep -q ',znver4,' "$work/out" && grep -q ',haswell,' "$work/out" || fail 'not all machines'
    expect 0 "$portolan" -e "forms compare 'FADD (D, D, D)' --isa aarch64 --machine cortex-a72 --machine neoverse-n1"
    grep -qE '^FADD \(D, D, D\) +0\.50 / [0-9]+ +0\.50 / [0-9]+' "$work/out" || fail "$(cat "$work/out")"
    expect 1 "$portolan" -e "forms compare 'NOSUCH*' --machine all"
    holds err 'no form matches'
}

# If the jump of this libcrypto loop ends at a boundary, Skylake's µop cache does not store its
# line.
test_alignment_is_swept() {
    hex=488b38488b114883c0084883c1084c21f24821f74809fa488950f84839c375e0
    expect 0 "$portolan" --format csv -e "kernel hex $hex; kernel whatif alignment=0..63 --machine skylake"
    [ "$(grep -c '^[0-9]' "$work/out")" -eq 64 ] || fail "not 64 places: $(wc -l <"$work/out")"
    grep -q '^0,3,frontend' "$work/out" && grep -q '^16,2.25,issue' "$work/out" && grep -q '^32,3,frontend' "$work/out" || fail "$(cat "$work/out")"
    expect 1 "$portolan" -e "kernel hex $hex; kernel whatif alignment=0..64 --machine skylake"
    holds err 'alignment=A..B'
}

test_markers_are_read_back() {
    for kind in llvm-mca osaca iaca; do
        expect 0 "$portolan" -e "kernel load $source/data/kernels/triad-skl-O3.s; kernel mark $work/marked.s --for $kind; kernel load $work/marked.s; kernel list"
        grep -qE '^\* +1 +8 .*(LLVM-MCA-BEGIN loop1|OSACA-BEGIN|IACA markers)' "$work/out" || fail "$kind: $(cat "$work/out")"
        # The label is within the region, and the jump does not leave it.
        sed -n '/BEGIN\|187,111/{n;p;}' "$work/marked.s" | grep -q '^\.L10:' || fail "$kind: the label is not inside: $(cat "$work/marked.s")"
    done
    expect 1 "$portolan" -e "kernel load $work/marked.s; kernel mark $work/again.s"
    holds err 'has markers already'
    expect 0 "$portolan" -e "kernel load $source/data/kernels/triad-a64-gcc-O3.s; kernel mark $work/marked.s --for osaca; kernel load $work/marked.s; kernel list"
    grep -qE '^\* +1 +8 .*OSACA-BEGIN' "$work/out" || fail "AArch64: $(cat "$work/out")"
    expect 1 "$portolan" -e "kernel load $source/data/kernels/triad-a64-gcc-O3.s; kernel mark $work/x.s --for iaca"
    holds err 'IACA has no markers for AArch64'
    expect 1 "$portolan" -e "kernel hex 4801d8; kernel mark $work/x.s"
    holds err 'no assembler text to mark'
}

test_trace_is_a_page() {
    expect 0 "$portolan" -e "kernel load $source/data/kernels/pi-O1.s; kernel trace $work/t.html --machine skylake --iterations 5"
    [ "$(grep -c '^\[[0-9]*,[0-9]*,\|steps=\[\[0,0' "$work/t.html")" -eq 60 ] || fail "not a step per instruction and iteration: $(grep -c '^\[' "$work/t.html")"
    holds_page() { grep -qF -- "$1" "$work/t.html" || fail "the page lacks $1"; }
    holds_page 'vdivsd %xmm0, %xmm1, %xmm0'
    holds_page "addEventListener('wheel'"
    ! grep -qE 'src=|href=|https?:' "$work/t.html" || fail 'the page fetches something'
    if command -v node >/dev/null 2>&1; then
        sed -n '/<script>/,/<\/script>/p' "$work/t.html" | sed '1d;$d' >"$work/t.js"
        # The page also works in a window narrower than the instructions' names.
        for width in 10 1000; do
            { echo "const side = $width;"; cat <<'STUB'; cat "$work/t.js"; } >"$work/page.js"
const pen = new Proxy({}, {get: () => () => {}, set: () => true});
const element = {clientWidth: side, clientHeight: side, getContext: () => pen, addEventListener: () => {}};
const document = {getElementById: () => element}, window = {addEventListener: () => {}};
STUB
            bounded node "$work/page.js" || fail "the script of the page fails in $width pixels"
        done
    fi
    # A file name is text, not markup.
    cp "$source/data/kernels/pi-O1.s" "$work/a<b>&.s"
    expect 0 "$portolan" -e "kernel load '$work/a<b>&.s'; kernel trace $work/t.html --machine skylake"
    holds_page 'a&lt;b>&amp;.s'
    expect 1 "$portolan" -e "kernel load $source/data/kernels/pi-O1.s; kernel trace $work/t.svg"
    holds err 'kernel trace FILE.html'
}

run_tests
