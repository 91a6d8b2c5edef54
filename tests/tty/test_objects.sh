#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Archives, object files and programs: members, functions, places in them, and misspelt names.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
XDG_STATE_HOME=$home
export XDG_STATE_HOME

# Makes two.o, nest.o, lib.a (with nest.o and a second two.o) and thin.a.
make_archives() {
    needs gcc
    needs ar
    cd "$work" || exit 99
    cat >two.c <<'C'
void scale_all(double *a, long n) { for (long i = 0; i < n; i++) a[i] *= 2.5; }
long add_up(const long *a, long n) { long s = 0; for (long i = 0; i < n; i++) s += a[i] * 3; return s; }
C
    cat >nest.c <<'C'
void matmul(double *a, const double *b, const double *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += b[i * n + k] * c[k * n + j];
            a[i * n + j] = s;
        }
}
C
    mkdir -p sub
    gcc -O1 -c -o sub/two.o two.c && gcc -O1 -c nest.c || skip 'gcc does not work'
    cp sub/two.o two.o
    echo text >notes.txt
    ar rc lib.a two.o notes.txt nest.o && ar q lib.a two.o && ar rcT thin.a sub/two.o nest.o
}

test_archives() {
    make_archives
    # Selects the most deeply nested loop of all members.
    for archive in lib.a thin.a; do
        expect 0 "$portolan" -e "kernel load $archive; kernel show"
        holds out "$archive(nest.o): innermost loop matmul"
        holds out mulsd
    done
    expect 0 "$portolan" -e 'kernel load lib.a(two.o); kernel load lib.a(two.o:2) --symbol add_up; kernel load thin.a(two.o)'
    holds out 'lib.a(two.o): innermost loop scale_all'
    holds out 'lib.a(two.o:2): innermost loop add_up'
    holds out 'thin.a(two.o): innermost loop scale_all'
    expect 0 "$portolan" -e 'kernel load lib.a --symbol matmul'
    holds out 'lib.a(nest.o): innermost loop matmul'
    expect 1 "$portolan" -e 'kernel load lib.a --symbol add_up'
    holds err 'several members have a function add_up: lib.a(two.o), lib.a(two.o:2)'
    expect 1 "$portolan" -e 'kernel load lib.a(tow.o)'
    holds err 'no object file (tow.o) in this archive; did you mean (two.o)?'
    # Counts the code of all members.
    expect 0 "$portolan" --format json -e 'forms scan lib.a; forms scan two.o nest.o two.o'
    [ "$(sed -n 's/.*"instructions":\([0-9]*\).*/\1/p' "$work/out" | uniq | wc -l)" = 1 ] || fail "lib.a: $(cut -c 1-200 "$work/out")"
    rm -f sub/two.o
    expect 1 "$portolan" -e 'kernel load thin.a(two.o)'
    holds err 'lacks its member'
    expect 0 "$portolan" -e 'kernel functions lib.a'
    [ "$(grep -cE 'matmul|scale_all|add_up' "$work/out")" = 5 ] || fail "kernel functions lib.a: $(cat "$work/out")"
    printf '!<arch>\n' >empty.a
    expect 1 "$portolan" -e 'kernel load empty.a'
    holds err 'no object files in this archive'
    head -c 400 lib.a >cut.a
    expect 1 "$portolan" -e 'kernel load cut.a'
}

# A place in a function selects the loop around it. A loop's head selects this loop.
test_places() {
    make_archives
    expect 0 "$portolan" -e 'kernel load nest.o; kernel list'
    outer=$(grep -o 'outer loop matmul+0x[0-9a-f]*' "$work/out" | head -n 1 | grep -o 'matmul.*')
    inner=$(grep -o 'innermost loop matmul+0x[0-9a-f]*' "$work/out" | head -n 1 | grep -o 'matmul.*')
    expect 0 "$portolan" -e "kernel load nest.o --symbol $outer"
    holds out "outer loop $outer"
    expect 0 "$portolan" -e "kernel load nest.o --symbol $inner"
    holds out "innermost loop $inner"
    expect 1 "$portolan" -e 'kernel load nest.o --symbol matmul+0x8000'
    holds err 'the function matmul has only 0x'
}

test_near_names() {
    make_archives
    expect 1 "$portolan" -e 'kernel load two.o --symbol ad_up'
    holds err 'no function ad_up with code in this file; did you mean add_up?'
    expect 1 "$portolan" -e 'kernel load two.o --symbol scale'
    holds err 'did you mean scale_all?'
    expect 1 "$portolan" -e 'kernel load lib.a --symbol mutmal'
    holds err 'did you mean matmul?'
    expect 1 "$portolan" -e 'kernel load two.o --symbol qqqqqqqq'
    holds err 'kernel functions FILE lists'
}

needs_libdw() { grep -q 'define HAVE_LIBDW' "$(dirname "$portolan")/config.h" || skip 'built without libdw'; }

# Finds source lines, inlined functions and requested lines in programs, objects and members of
# archives. If the source is missing, only its text is missing.
test_source_lines() {
    needs_libdw
    make_archives
    cat >in.cpp <<'C'
struct v { double x, y; double dot(const v &o) const
    { return x * o.x + y * o.y; } };
double total(const v *a, const v *b, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i].dot(b[i]);
    for (long i = 0; i < n; i++)
        s *= a[i].x;
    return s;
}
v a[100], b[100];
int main() { return total(a, b, 100) > 0; }
C
    g++ -O1 -g -o in in.cpp && g++ -O1 -g -c in.cpp && gcc -O1 -g -c nest.c && ar rc debug.a two.o in.o nest.o || skip 'no compiler'
    for file in in in.o 'debug.a(in.o)'; do
        expect 0 "$portolan" -e "kernel load '$file' --symbol total --lines 7; kernel show"
        holds out '2: { return x * o.x + y * o.y; } };  inlined v::dot'
        expect 0 "$portolan" --format json -e "kernel load '$file' --symbol total --lines 9; kernel show"
        holds out '"source_line":9,"source":"        s *= a[i].x;"'
    done
    # Without space for source lines next to the instructions, a screen shows the line of the
    # instruction under the cursor.
    expect 0 env COLUMNS=80 LINES=24 "$portolan" -b -e 'kernel load in --symbol total --lines 7; view kernel'
    holds out '2: { return x * o.x + y * o.y; } };  inlined v::dot'
    expect 0 "$portolan" -e 'kernel load debug.a --symbol matmul --lines 7; kernel analyze --machine skylake'
    holds out '7: s += b[i * n + k] * c[k * n + j];'
    expect 0 "$portolan" -e 'kernel load debug.a --symbol matmul --lines 8; kernel show'
    holds out 'outer loop matmul'
    expect 1 "$portolan" -e 'kernel load in --symbol total --lines 900'
    holds err 'no loop with code from lines 900-900 of in.cpp'
    expect 1 "$portolan" -e 'kernel load two.o --lines 1'
    holds err 'this code has no debug information'
    # Lines refer to the function's own file. Otherwise lines of any member would match.
    expect 1 "$portolan" -e 'kernel load debug.a --lines 7'
    holds err '--lines needs --symbol'
    expect 0 "$portolan" -b -e 'kernel load debug.a(nest.o) --lines 7; kernel show'
    holds out 's += b[i * n + k] * c[k * n + j];'
    # A session stores the lines, their text and inlined functions, and saves them unchanged.
    expect 0 "$portolan" -e 'kernel load in.o --symbol total --lines 7; session save kept; kernel show'
    expect 0 "$portolan" -e 'session load kept; kernel load two.o; session save again'
    expect 0 "$portolan" -e 'session load again; kernel switch previous; session save kept-again; kernel show'
    holds out '2: { return x * o.x + y * o.y; } };  inlined v::dot'
    holds out '6: for (long i = 0; i < n; i++)'
    cmp -s kept/kernel-lines.csv kept-again/kernel-lines.csv || fail 'other lines were saved'
    # The loop also retains its name and address, which its jumps and the front end model use.
    expect 0 "$portolan" -e 'kernel load in.o --symbol total --lines 7; kernel show; kernel analyze --machine skylake'
    cp out loaded
    expect 0 "$portolan" -e 'session load kept-again; kernel show; kernel analyze --machine skylake'
    sed -n '/inlined v::dot/,$p' out >kept-show && sed -n '/inlined v::dot/,$p' loaded >loaded-show && [ -s kept-show ] || fail 'no source lines'
    holds out 'innermost loop total(v const*, v const*, long)'
    diff loaded-show kept-show >difference || fail "$(cat difference)"
    cmp -s kept/kernel-source.txt kept-again/kernel-source.txt || fail 'another source was saved'
    # An invalid UTF-8 name in debug information does not prevent loading the session.
    sed 's/dot(/squarename(/g' in.cpp >named.cpp && g++ -O1 -g -c named.cpp && LC_ALL=C sed 's/squarename/squar\xff\xfeame/g' named.o >bytes.o || fail 'no object'
    expect 0 "$portolan" -e 'kernel load bytes.o --lines 7; session save bytes'
    expect 0 "$portolan" -e 'session load bytes; kernel show'
    holds out 'squar\xff\xfeame'
    mkdir gone && mv in.cpp gone/
    expect 0 "$portolan" --format json -e 'kernel load in --symbol total --lines 9; kernel show'
    holds out '"source_line":9'
    expect 0 "$portolan" --format json -e 'kernel load in --symbol total --lines 9; session save gone-too; session load gone-too; kernel show'
    holds out '"source_line":9'
    [ ! -e gone-too/kernel-source.txt ] || fail 'a source that is not there was saved'
}

# Damaged debug information neither ends nor blocks the program.
test_damaged_debug_information() {
    needs_libdw
    make_archives
    gcc -O1 -g -c nest.c || skip 'no compiler'
    for section in .debug_line .debug_info .debug_abbrev .debug_str; do
        for offset in 0 8 20 40; do
            objcopy --dump-section "$section=part" nest.o || skip 'no objcopy'
            printf '\377\377\377\377\200' | dd of=part bs=1 seek="$offset" conv=notrunc 2>"$work/said"
            objcopy --update-section "$section=part" nest.o bad.o
            expect 0 "$portolan" -e 'kernel load bad.o; kernel show'
            holds out mulsd
            "$portolan" -e 'kernel load bad.o --lines 7' >"$work/out" 2>"$work/err" || grep -q 'no source lines: \|no loop with code from lines' "$work/err" || fail "--lines of bad.o: $(cat "$work/err")"
        done
    done
}

# A program of more than 2 GB, whose symbols and debug information follow the code, is mapped
# instead of read. Its size comes from a hole in the file, which must not increase the memory use.
test_large_program() {
    needs_libdw
    needs python3
    make_archives
    awk 'BEGIN { for (i = 0; i < 300; i++) printf "double f%d(double *a, long n)\n{\n    double s = 0;\n    for (long i = 0; i < n; i++)\n        s += a[i] * %d.5;\n    return s;\n}\n", i, i
        print "int main(void) { double a[4] = {1}; return (int)f7(a, 4); }" }' >many.c
    gcc -O1 -g -o many many.c || skip 'no compiler'
    python3 - many large <<'PYTHON' || skip 'the file system has no room'
import struct, sys
content = bytearray(open(sys.argv[1], "rb").read())
table, = struct.unpack_from("<Q", content, 0x28)
size, count = struct.unpack_from("<HH", content, 0x3a)
headers = bytearray(content[table:table + size * count])
with open(sys.argv[2], "wb") as large:
    at = (1 << 31) + 4096
    for header in range(0, size * count, size):
        kind, flags, _, offset, length = struct.unpack_from("<IQQQQ", headers, header + 4)
        if kind in (0, 8) or flags & 2:   # sections without bytes in the file, or loaded when it runs
            continue
        large.seek(at)
        large.write(content[offset:offset + length])
        struct.pack_into("<Q", headers, header + 24, at)
        content[offset:offset + length] = bytes(length)
        at += length + -length % 64
    large.seek(at)
    large.write(headers)
    struct.pack_into("<Q", content, 0x28, at)
    large.seek(0)
    large.write(content)
PYTHON
    [ "$(wc -c <large)" -gt 2147483648 ] || fail 'not large'
    cat >limited <<'SH'
#!/bin/sh
# The limit does not count mapped files. If the program cannot run under the limit (sanitizers), it
# runs without it.
(ulimit -d 400000 && "$1" --version) >/dev/null 2>&1 && ulimit -d 400000
exec "$@"
SH
    chmod +x limited
    expect 0 ./limited "$portolan" -e 'kernel load large --symbol f77; kernel show'
    holds out 'innermost loop f77+'
    holds out '544: s += a[i] * 77.5;'
    expect 0 ./limited "$portolan" -e 'kernel functions large'
    holds out 'and 260 more functions with a loop'
    expect 1 ./limited "$portolan" -e 'kernel load large --symbol f777'
    holds err 'f77'
    open_screen 80 24 "env HOME=$home '$portolan' large; read -r x"
    see 'innermost loop f'
    t send-keys f
    see '300 functions with a loop'
    t send-keys /
    t send-keys -l f123
    t send-keys Enter
    t send-keys Enter
    see 'innermost loop f123+'
    t send-keys Q
}

# Programs on every Debian are stripped. They must have functions and loops.
test_programs_of_the_system() {
    for program in /bin/bash /bin/ls /bin/grep; do
        [ -x "$program" ] || skip "no $program"
        expect 0 "$portolan" -e "kernel load $program"
        holds out 'innermost loop'
    done
}

# Addresses equal those of objdump, in the column and as jump targets. Calls through stubs have
# their function's name.
test_addresses_as_objdump_has_them() {
    needs objdump
    needs cc
    cd "$work" || return
    cat >where.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline, cold)) int rare(const char *s) { return puts(s) + (int)strlen(getenv("HOME")); }
__attribute__((noinline)) int report(int n, char **v)
{
    char *copy = strdup(v[0]);
    if (n > 3)
        return rare(copy);
    if (n > 2 && !strchr(copy, 'x'))
        printf("%d\\n", n);
    free(copy);
    return n;
}
int main(int n, char **v) { return report(n, v); }
END
    for how in '-O2 -fcf-protection=none' '-O2 -fcf-protection=full -Wl,-z,lazy' '-O1 -static-pie' '-O2 -fno-plt' '-O2 -c -ffunction-sections' '-O2 -c'; do
        # shellcheck disable=SC2086 # $how is a list of options
        cc $how -o where where.c 2>cc.err || continue
        for function in report rare; do
            "$portolan" -e "kernel load where --symbol $function; kernel show" >shown 2>shown.err || fail "$how: $(cat shown.err)"
            sed -n 's/^ *0x\([0-9a-f]*\)  .*/\1/p' shown >ours
            objdump -d --no-show-raw-insn --disassemble="$function" where | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >theirs
            [ -s ours ] && [ "$(head -n "$(wc -l <ours)" theirs)" = "$(cat ours)" ] || fail "$how, $function: $(diff theirs ours | head -5)"
            # Jump targets in a linked program have address and name.
            case $how in *-c*|*static*) continue ;; esac   # a static program has several names per address
            grep -oE '(call|jmp|j[a-z]+) 0x[0-9a-f]+ <[^>]*>' shown | sed 's/^[a-z]* 0x//' | sort -u >ours
            objdump -d --no-show-raw-insn --disassemble="$function" where | grep -oE '(call|jmp|j[a-z]+) +[0-9a-f]+ <[^>]*>' | sed 's/^[a-z]* *//' | sort -u >theirs
            diff theirs ours >difference || fail "$how, $function: $(cat difference)"
        done
    done
    # Names that the linker will resolve are also shown.
    cc -O2 -c -o where where.c && expect 0 "$portolan" -e 'kernel load where --symbol rare; kernel show'
    holds out 'puts'
    holds out 'strlen'
}

# Code after the end of a symbol belongs to no symbol.
test_code_beyond_a_symbol() {
    needs as
    cd "$work" || return
    printf '\t.globl tiny\n\t.type tiny, @function\ntiny:\n\txorl %%eax, %%eax\n\tret\n\t.size tiny, .-tiny\n1:\taddq %%rax, %%rbx\n\tdecq %%rcx\n\tjne 1b\n\tret\n' >beyond.s
    as --64 beyond.s -o beyond.o || { fail 'as'; return; }
    expect 0 "$portolan" -e 'kernel load beyond.o; kernel list; kernel show'
    holds out 'innermost loop beyond.o+0x3'
    lacks out 'tiny+'
}

# A place in no function is named by the label before it.
test_labels_name_code() {
    needs as
    cd "$work" || return
    printf '\t.globl f\n\t.type f, @function\nf:\tjmp inner\n\t.size f, .-f\ninner:\taddq (%%rdi), %%rax\n\tdecq %%rsi\n\tjne inner\n\tret\nhelper:\tmovl $1, %%ecx\n\tcall inner\n\tret\n' >labels.s
    as --64 labels.s -o labels.o || { fail 'as'; return; }
    expect 0 "$portolan" -e 'kernel load labels.o --symbol helper; kernel show; kernel load labels.o; kernel show'
    holds out 'call 0x2 <inner>'
    holds out 'jnz 0x2 <inner>'
}

# Tables of a linked program's instructions contain their addresses.
test_tables_have_addresses() {
    needs as
    needs ld
    cd "$work" || return
    printf '\t.globl _start\n\t.type _start, @function\n_start:\n1:\taddq %%rax, %%rbx\n\tdecq %%rcx\n\tjne 1b\n\tret\n\t.size _start, .-_start\n' >linked.s
    as --64 linked.s -o linked.o && ld -o linked linked.o || { fail 'as, ld'; return; }
    head=0x$(objdump -d linked | sed -n '/<_start>:/{n;s/^ *\([0-9a-f]*\):.*/\1/p;}')
    for command in 'kernel show' 'kernel list' 'kernel analyze --machine skylake' 'kernel diff --machine skylake --machine znver4'; do
        for format in text json csv; do
            expect 0 "$portolan" --format "$format" -e "kernel load linked; $command"
            holds out "${head#0x}"
        done
    done
}

run_tests
