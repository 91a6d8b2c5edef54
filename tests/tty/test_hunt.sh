#!/bin/sh
# Shows that machine hunt finds differences from LLVM's model, with llvm-mca, and differences
# between two models of one machine.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# A stand-in for llvm-mca. The cycles of a block equal its number of instructions. Blocks with a
# rotation have no result.
fake_llvm() {
    cat >"$work/llvm-mca" <<'SCRIPT'
#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && table=$2; shift; done
awk '/LLVM-MCA-BEGIN/ { name = $3; n = 0; lost = 0; next }
    /LLVM-MCA-END/ { printf "[%d] Code Region - %s\n\nIterations: 50\nInstructions: %d\nTotal Cycles: %d\n\n", regions++, name, 50 * (n - lost), 50 * n + 7; next }
    { n++; lost += /^ro[lr]/ }' >"$table"
SCRIPT
    chmod +x "$work/llvm-mca"
    export PORTOLAN_LLVM_MCA="$work/llvm-mca"
}

test_against_llvm_by_another_program() {
    fake_llvm
    expect 0 "$portolan" --format json -e 'machine hunt --machine skylake --against llvm-mca --forms 300 --blocks 200 --time 1h'
    holds out '"against":"llvm-mca'\''s skylake"'
    holds out '_width: 1, not '
    ! grep -qE '"block":"[^"]*\bro[lr] ' "$work/out" || fail 'a block whose time is not known is a finding'
    [ "$(grep -oE '"refused":[0-9]+' "$work/out" | grep -oE '[0-9]+')" -gt 0 ] || fail 'no block was refused'
    expect 0 "$portolan" -e 'machine hunt --machine zen4-charted --against llvm-mca --forms 50 --blocks 20 --time 1h; machine hunt --machine zen4-charted --against llvm-mca:znver3 --forms 50 --blocks 20 --time 1h'
    holds out "zen4-charted compared with llvm-mca's znver4: "
    holds out "zen4-charted compared with llvm-mca's znver3: "
}

# A block that crashes llvm-mca is omitted, but no other block.
test_llvm_dies() {
    cat >"$work/llvm-mca" <<'SCRIPT'
#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && table=$2; shift; done
cat >"$table.in"
! grep -q '^imul' "$table.in" || kill -SEGV $$
awk '/LLVM-MCA-BEGIN/ { name = $3; n = 0; next }
    /LLVM-MCA-END/ { printf "[%d] Code Region - %s\n\nInstructions: %d\nTotal Cycles: %d\n\n", regions++, name, 50 * n, 50 * n; next }
    { n++ }' "$table.in" >"$table"
SCRIPT
    chmod +x "$work/llvm-mca"
    export PORTOLAN_LLVM_MCA="$work/llvm-mca"
    expect 0 "$portolan" -e 'machine hunt --machine skylake --against llvm-mca --forms 100 --blocks 60 --time 1h'
    holds out 'omitted, because llvm-mca lacks one of their instructions'
    lacks out imul
}

test_without_llvm() {
    export PORTOLAN_LLVM_MCA="$work/none"
    expect 1 "$portolan" -e 'machine hunt --machine skylake --against llvm-mca --blocks 20'
    holds err 'install the package llvm-22'
    expect 1 "$portolan" -e 'machine hunt --machine skylake --against "llvm-mca:a b"'
    holds err 'invalid CPU name'
    expect 1 "$portolan" -e 'machine hunt --machine skylake --against llvm-mca --against-model bounds'
    holds err '--against-model does not apply to llvm-mca'
}

test_against_llvm() {
    needs llvm-mca-22
    expect 0 "$portolan" -e 'machine hunt --machine skylake --against llvm-mca --forms 100 --blocks 20 --time 1h --seed 1'
    holds out "skylake compared with llvm-mca's skylake: "
    holds out 'cycles, '
    expect 1 "$portolan" -e 'machine hunt --machine skylake --against llvm-mca:nothing --blocks 20'
    holds err 'LLVM does not recognise the CPU nothing'
}

# A model agrees with itself. Bounds and simulation differ.
test_two_models_of_one_machine() {
    expect 0 "$portolan" -e 'machine hunt --machine skylake --against-model simulate --forms 300 --blocks 300 --time 1h --seed 1'
    holds out 'skylake compared with skylake, simulated: '
    lacks out ' 0 findings'
    expect 0 "$portolan" -e 'machine hunt --machine skylake --model simulate --against haswell --against-model bounds --forms 60 --blocks 30 --time 1h'
    holds out 'skylake compared with haswell, highest bound: '
    expect 0 "$portolan" -e 'machine hunt --machine skylake --model simulate --against-model simulate --forms 60 --blocks 30 --time 1h'
    holds out 'skylake compared with skylake: differences above 5 %: 0 of 30 blocks; 0 findings'
}

run_tests
