#!/bin/sh
# Shows that an instruction set is a folder under src/isa with a table of operations. Code outside
# of it names no set and calls the table. Prints TAP.
set -eu
source=${PORTOLAN_SRC:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source/src"

test_number=0
failed=0
report() {   # NAME FILE-OF-FAULTS
    test_number=$((test_number + 1))
    if [ -s "$2" ]; then
        failed=1
        echo "not ok $test_number - $1"
        sed 's/^/# /' "$2"
    else
        echo "ok $test_number - $1"
    fi
}

echo 1..6
grep -rnE 'ISA_(X86_64|AARCH64)' --include='*.[ch]' . | grep -v '^\./isa/' >"$work/faults" || true
report "no set is named outside src/isa" "$work/faults"

# The names of sets are written only in isa.h. Commands get the names that they accept and print
# from there.
grep -rnE '"[^"]*(x86-64 or aarch64|x86-64[|]aarch64|x86-64 (n?or|and) AArch64)' --include='*.[ch]' . | grep -v '^\./isa/isa\.h:' >"$work/faults" || true
report "no text lists the sets" "$work/faults"

for file in body.c chain.c cpu.c decode.c encode.c foreign.c form.c operation.c ops.c; do
    for set in isa/*/; do
        [ -f "$set$file" ] || echo "$set$file is missing"
    done
done >"$work/faults"
report "the sets' folders have the same files" "$work/faults"

# Code queries decoded properties by name: operation, condition, roles.
grep -rnE '(strn?cmp|str_match(_any)?|str_has_prefix)\([^()]*mnemonic' analysis simulate report view --include='*.c' >"$work/faults" || true
report "analysis, simulate, report and view compare no mnemonics" "$work/faults"

# Only the instruction set interprets a form name.
grep -rnE '"[A-Z_][A-Z0-9_]* [(]' base model throughput table analysis simulate report measure infer work cmd view --include='*.c' >"$work/faults" || true
report "above isa no form is named" "$work/faults"

# Functions of these rooms can be called by any thread.
grep -rnE '^ +static ' isa toolchain analysis simulate throughput --include='*.c' | grep -vE 'static (const|_Atomic|_Thread_local)' >"$work/faults" || true
report "no function keeps data of its own between calls" "$work/faults"
exit $failed
