#!/bin/sh
# portolan-cc: compiling, linking, tracing, and how the program finds it. Skipped if Portolan was
# built without LLVM.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

programs=$source/data/programs

# traced MODE PROGRAM ARGUMENTS...: runs the program and writes its trace to $work/trace.
traced() {
    mode=$1; shift
    expect 0 env PORTOLAN_TRACE="$work/trace" PORTOLAN_TRACE_MODE="$mode" "$@"
    grep -qx end "$work/trace" || fail 'the trace is not complete'
}
sum_of() { awk -v kind="$1" '$1 == kind { n += $3 } END { printf "%.0f\n", n }' "$work/trace"; }

# The sizes are macros. The program is built for each size, and the counts are those of each build.
# Sizes for which the compiler generates different blocks are omitted, and named.
test_define() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    printf '#ifndef SIZE\n#define SIZE 7\n#endif\n#include <stdlib.h>\nstatic double a[SIZE], b[SIZE];\nint main(int c, char **v) { int n = atoi(v[1]); for (int t = 0; t < n; t++) for (int i = 0; i < SIZE; i++) a[i] += b[i] * t; return a[3] == 1; }\n' >sizes.c
    expect 0 "$portolan" --format csv -e 'program load sizes.c -O1 --define N=SIZE; program run N=1000,2000,4000 T=2,3,5 --mode counts; program blocks N=100000 T=10; program validate N=20000 T=50 --machine skylake --times 1'
    grep -q ',1000000,' "$work/out" || fail "no million: $(head -c 500 "$work/out")"
    grep -q '^20000,50,' "$work/out" || fail "not validated: $(tail -n 3 "$work/out")"
    expect 0 "$portolan" -e 'program load sizes.c -O3 --define N=SIZE; program run N=1,1000,2000 T=2,3; program predict N=1 T=5 --machine skylake; program predict N=4000 T=5 --machine skylake'
    holds out 'omitted: N=1 T=2; N=1 T=3; the compiler generates other blocks'
    [ "$(grep -c 'assumed: the blocks of the runs, although the compiler generates other blocks for N=1 T=5' out)" = 1 ] || fail "$(cat out)"
    expect 0 "$portolan" --format json -e 'program load sizes.c -O3 --define N=SIZE; program run N=1,1000,2000 T=2,3 --mode counts'
    holds out '"omitted_inputs":"N=1 T=2; N=1 T=3"'
    expect 1 "$portolan" -e 'program load sizes.c -O3 --define N=SIZE; program run N=1,2000 T=2'
    holds err 'the compiler generates other blocks for N=1 T=2 than for the largest size'
    # A failed build prevents only the comparison of blocks.
    printf '#if SIZE > 5000\n#error beyond the limit\n#endif\n' | cat - sizes.c >limited.c
    expect 0 "$portolan" -e 'program load limited.c -O3 --define N=SIZE; program run N=1000,2000,4000 T=2,3; program predict N=8000 T=5 --machine skylake'
    holds out 'assumed: the blocks of the runs; not compared with the blocks for N=8000 T=5, because the build failed: limited.c:2'
    grep -q '^skylake .* 0\.0000' out || fail "no time: $(cat out)"
    # One input can be several macros, without which the program does not compile.
    printf 'int a[ROWS][COLUMNS]; int main(void) { for (int i = 0; i < ROWS; i++) for (int j = 0; j < COLUMNS; j++) a[i][j] += i; return 0; }\n' >rows.c
    expect 0 "$portolan" --format csv -e 'program load rows.c -O1 --define N=ROWS --define N=COLUMNS; program run N=160,192,224,256 --mode counts; program blocks N=1000'
    grep -q ',1000000,' out || fail "no million: $(head -c 500 out)"
    expect 0 "$portolan" -e 'program load rows.c -O1 --define N=ROWS --define N=COLUMNS'
    grep -q 'run it with program run N=160,192,224,256$' out || fail "$(cat out)"
    expect 0 "$portolan" -e 'program load rows.c -O1 --define N=ROWS --define M=COLUMNS'
    holds out 'run it with program run N=160,192,224,256 M=160,192,224,256'
    expect 1 "$portolan" -e 'program load rows.c -O1 --define N=ROWS --define M=COLUMNS; program run N=160,192'
    holds err 'input M of --define has no value; give its values'
    expect 1 "$portolan" -e 'program load sizes.c --define N=3+4'
    holds err 'invalid definition "N=3+4"'
    expect 0 "$cc" -O1 sizes.c -o sizes
    expect 1 "$portolan" -e 'program load ./sizes --define N=SIZE'
    holds err 'is an executable; give the sources of the program'
}

# Ctrl-C ends the compiler, which waits at a pipe for a header.
test_cancelled_build() {
    needs_llvm
    cd "$work" || return 1
    mkfifo pipe
    printf '#if SIZE > 5000\n#include "pipe"\n#endif\n#include <stdlib.h>\nstatic double a[SIZE];\nint main(int c, char **v) { for (int i = 0; i < SIZE; i++) a[i] += i * c; return a[3] == 1; }\n' >waits.c
    open_screen 120 30 "env HOME=$work '$portolan'; read -r x"
    see 'triad-skl-O3.s'
    for command in predict blame; do
        [ $command = predict ] && progress=compiling || progress=counting
        t send-keys ":program load waits.c -O1 --define N=SIZE; program run N=1000,2000,4000 --mode counts; program $command N=8000 --machine skylake" Enter
        see "$progress  program $command"
        t send-keys C-c
        see 'cancelled after'
    done
    t send-keys Q
}

# x86 has no conditional move of floating-point values, so a select of them is a branch in the
# machine code. It is mispredicted half of the time on random bits, and hardly on alternating ones.
test_branches_of_selects() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'selects are branches on x86-64 only'
    cd "$work" || return 1
    cat >select.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    unsigned long bit = 1, random = argc == 3;
    double v = 1, w = argv[1][0];
    for (long i = 0; i < 4000; i++) {
        bit = random ? bit * 6364136223846793005u + 1442695040888963407u : ~bit;
        v = bit >> 63 ? v * 0.5 : v + w;
    }
    printf("%g %s\n", v, argv[1]);
    return 0;
}
C
    expect 0 "$cc" -O2 select.c -o select
    traced exact ./select x
    mispredicted=$(sum_of mispredicted)
    [ "$mispredicted" -le 100 ] || fail "alternating bits: $mispredicted mispredictions"
    traced exact ./select x y
    mispredicted=$(sum_of mispredicted)
    [ "$mispredicted" -ge 1600 ] && [ "$mispredicted" -le 2400 ] ||
        fail "4000 random bits: $mispredicted mispredictions"
}

# portolan-cc replaces a compiler: one command, separate objects, dependencies on headers, other
# actions, the same output.
test_compiler_drop_in() {
    needs_llvm
    cd "$work" || return 1
    cat >main.c <<'C'
#include <stdio.h>
#include "part.h"
int main(int argc, char **argv) { (void)argv; printf("%d\n", part(argc)); return 0; }
C
    echo 'int part(int n);' >part.h
    echo '#include "part.h"
int part(int n) { int sum = 0; for (int i = 0; i <= n; i++) sum += FACTOR * i; return sum; }' >part.c
    expect 0 "$cc" -O1 -DFACTOR=3 -o whole main.c part.c
    expect 0 ./whole
    holds out 3
    expect 0 "$cc" -c -O2 -MD main.c
    expect 0 "$cc" -D FACTOR=3 -c part.c -o other.o
    grep -q 'part.h' main.d || fail 'main.d lacks the header'
    expect 0 "$cc" main.o other.o -o parts -lm
    traced counts ./parts
    [ "$(grep -c ^unit "$work/trace")" -eq 2 ] || fail 'two units were expected'
    expect 0 "$cc" --version
    holds out clang
    expect 1 "$cc" -c part.c
    holds err "undeclared identifier 'FACTOR'"
}

# A call with the attribute musttail must remain a tail call, also after a select that is a branch.
test_calls_that_end_a_function() {
    needs_llvm
    cd "$work" || return 1
    echo 'int part(int n) { return n + 1; }' >part.c
    cat >main.c <<'C'
#include <stdio.h>
int part(int n);
__attribute__((noinline)) static int last(int n) { if (n > 2) return 7; __attribute__((musttail)) return part(n); }
int main(int argc, char **argv) { (void)argv; printf("%d\n", last(argc)); return 0; }
C
    expect 0 "$cc" -O1 -o whole main.c part.c
    expect 0 ./whole
    holds out 2
    cat >part.c <<'C'
double part(double v, long n) { return v + n; }
C
    cat >main.c <<'C'
#include <stdio.h>
double part(double v, long n);
__attribute__((noinline)) static double last(double v, long n) {
    v = n >> 3 ? v * 0.5 : v + 3;
    __attribute__((musttail)) return part(v, n);
}
int main(int argc, char **argv) { (void)argv; printf("%g\n", last(argc, argc)); return 0; }
C
    expect 0 "$cc" -O2 -o whole main.c part.c
    expect 0 ./whole
    holds out 5
}

# Without PORTOLAN_TRACE, no trace is written. A child process does not overwrite its parent's
# trace.
test_runtime_alone() {
    needs_llvm
    cd "$work" || return 1
    printf '#include <unistd.h>\n#include <sys/wait.h>\nint main(void) { if (fork() == 0) return 0; wait(0); return 0; }\n' >forks.c
    expect 0 "$cc" forks.c -o forks
    rm -f trace
    expect 0 ./forks
    [ ! -e trace ] || fail 'a trace without being asked'
    traced exact ./forks
    [ "$(sum_of block)" -ge 1 ] || fail 'no block'
}

# Counts of blocks and references equal those computed by hand.
test_counts_by_hand() {
    needs_llvm
    cd "$work" || return 1
    printf 'volatile int x;\nint main(void) { for (int i = 0; i < 1000; i++) x = i; return 0; }\n' >loop.c
    expect 0 "$cc" -O2 -fno-unroll-loops loop.c -o loop
    traced exact ./loop
    [ "$(sum_of access)" -eq 1000 ] || fail "$(sum_of access) references instead of 1000"
    grep -q '^block [0-9]* 1000 ' trace || fail 'no block was executed 1000 times'
    printf '#include <string.h>\nchar a[6400] = {1}, b[6400];\nint main(int c, char **v) { (void)v; memcpy(b, a, sizeof b); return b[c]; }\n' >ranges.c
    expect 0 "$cc" -O1 ranges.c -o ranges
    traced exact ./ranges
    # The program reads one range and writes one, of 100 or 101 lines each, and the byte at the end.
    n=$(sum_of access)
    [ "$n" -ge 201 ] && [ "$n" -le 203 ] || fail "$n references of ranges"
}

test_languages() {
    needs_llvm
    cd "$work" || return 1
    printf '#include <stdexcept>\n#include <vector>\nstatic int f(int n) { if (n > 2) throw std::runtime_error("x"); return n; }\nint main() { std::vector<int> v(100, 1); try { f(3); } catch (const std::exception &) { return 7; } return v[5]; }\n' >throws.cc
    expect 0 "$cc" -O1 throws.cc -o throws
    expect 7 env PORTOLAN_TRACE=trace PORTOLAN_TRACE_MODE=exact ./throws
    grep -qx end trace || fail 'no end'
}

# program load accepts an executable that was compiled and linked by separate commands.
test_built_elsewhere() {
    needs_llvm
    cd "$work" || return 1
    expect 0 "$cc" -O1 -c "$programs/laplace2d.c" -o laplace2d.o
    expect 0 "$cc" laplace2d.o -o laplace2d
    expect 0 "$portolan" --format json -e 'program load ./laplace2d; program run N=8,16,32,64'
    holds out '"references"'
    lacks out nan
}

# If the program is copied without its compiler, it searches PATH for the compiler and reports a
# missing one.
test_copied_away() {
    needs_llvm
    mkdir -p "$work/away" "$work/tools"
    cp "$portolan" "$work/away/portolan"
    load="program load $programs/matmul.c -O1"
    needs strings
    installed=$(strings -a "$portolan" | sed -n 's/^portolan-cc not found: neither next to this program nor in \(.*\) nor on PATH$/\1/p')
    [ -n "$installed" ] || fail 'the installed place is not in the message'
    if ! [ -x "$installed/portolan-cc" ]; then
        expect 1 "$work/away/portolan" -e "$load"
        holds err "portolan-cc not found: neither next to this program nor in $installed nor on PATH"
    fi
    ln -s "$(cd "$(dirname "$cc")" && pwd)/portolan-cc" "$work/tools/portolan-cc"
    expect 0 env PATH="$work/tools:$PATH" "$work/away/portolan" -e "$load"
    cp "$cc" "$work/away/portolan-cc"
    cp "$(dirname "$cc")/libportolan_run.a" "$work/away"
    expect 0 "$work/away/portolan" -e "$load"
}

# portolan-cc names a missing part and the package that contains it. program load prints the same
# message.
test_missing_parts_are_named() {
    needs_llvm
    cd "$work" || return 1
    echo 'int main(int count, char **words) { return count > 9 && !words; }' >main.c
    echo end >main.f90
    for what in 'main.c clang' 'main.f90 flang'; do
        expect 1 env PATH=/nonexistent "$cc" -c "${what% *}"
        grep -q "^portolan-cc: cannot run ${what#* }[a-z-]*[0-9]*: No such file or directory; install the package ${what#* }-[0-9]*, or put the program on PATH$" "$work/err" ||
            fail "$(cat "$work/err")"
    done
    expect 1 env PATH=/nonexistent "$portolan" -e 'program load main.c'
    holds err 'install the package clang-'
    # The bitcode is of a format that LLVM cannot read.
    clang=$(sed -n 's/.*cannot run \(clang[a-z0-9-]*\): .*/\1/p' "$work/err" | head -n 1)
    mkdir "$work/newer"
    cat >"$work/newer/$clang" <<'SCRIPT'
#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" = -o ] && echo 'another format' >"$2"
    shift
done
SCRIPT
    chmod +x "$work/newer/$clang"
    expect 1 env PATH="$work/newer:$PATH" "$cc" -c main.c
    grep -q "LLVM [0-9]* cannot read the bitcode of the compiler.*install clang-[0-9]*, then configure and build Portolan again" "$work/err" ||
        fail "$(cat "$work/err")"
    mkdir "$work/alone" && cp "$portolan" "$cc" "$work/alone"
    needs strings
    installed=$(strings -a "$cc" | sed -n 's/^portolan-cc: libportolan_run.a.* nor in \(.*\); copy this library there.*/\1/p')
    [ -n "$installed" ] || fail 'the installed place is not in the message'
    [ ! -e "$installed/libportolan_run.a" ] || skip 'installed, too, where it is found'
    expect 1 env PORTOLAN_DATA="$source/data" "$work/alone/portolan" -e 'program load main.c'
    holds err 'libportolan_run.a'
    holds err 'make install'
}

# A signal arrives while a call or a reference is counted, and its handler makes calls and
# references. The handler must not wait for the interrupted counting, and no count is lost.
test_handlers() {
    needs_llvm
    cd "$work" || return 1
    cat >handler.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static volatile int parents, other[1000];
static void handler(int number) { parents += getppid() > number; }
static void *work(void *p)
{
    for (int i = 0; i < 1000000; i++)
        other[i % 1000] += 1;
    return p;
}
int main(int count, char **words)
{
    pthread_t thread;
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    if (count > 1 && pthread_create(&thread, 0, work, words) != 0)
        return 1;
    setitimer(ITIMER_REAL, &often, 0);
    for (int i = 0; count == 1 && i < 300000; i++)
        parents += getppid() > 0;
    work(words);
    setitimer(ITIMER_REAL, &never, 0);
    return count > 1 && pthread_join(thread, 0) != 0;
}
END
    expect 0 "$cc" -O1 -pthread handler.c -o handler
    for mode in calls exact; do
        traced "$mode" ./handler
        traced "$mode" ./handler threads
    done
}

# A signal handler jumps out of the interrupted code. Counting continues, loses at most one
# reference per jump, and no thread waits for the interrupted counting.
test_jumps_out_of_handlers() {
    needs_llvm
    cd "$work" || return 1
    cat >jump.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
static sigjmp_buf back;
static volatile int at, values[1000], other[1000];
static pthread_t first;
static void handler(int number)
{
    if (pthread_equal(pthread_self(), first))
        siglongjmp(back, number);
}
static void *work(void *p)
{
    for (int i = 0; i < 300000; i++)
        other[i % 1000] += 1;
    return p;
}
int main(int count, char **words)
{
    pthread_t thread;
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    first = pthread_self();
    if (pthread_create(&thread, 0, work, words) != 0)
        return 1;
    signal(SIGALRM, handler);
    if (sigsetjmp(back, 1) == 0 && count > 1)
        setitimer(ITIMER_REAL, &often, 0);
    for (; at < 300000; at++)
        values[at % 1000] += 1;
    setitimer(ITIMER_REAL, &never, 0);
    return pthread_join(thread, 0) != 0;
}
END
    expect 0 "$cc" -O1 -pthread jump.c -o jump
    traced exact ./jump
    all=$(sum_of access)
    traced exact ./jump often
    awk -v all="$all" -v seen="$(sum_of access)" 'BEGIN { exit !(seen > 0.97 * all) }' ||
        fail "$(sum_of access) of $all references"
}

# Traces loops, tasks, sections, critical and atomic regions of OpenMP. No thread waits forever, and
# the references of all threads equal those of the program without OpenMP.
test_openmp() {
    needs_llvm
    cd "$work" || return 1
    cat >parallel.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static long fib(long n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 8)
    a = fib(n - 1);
#pragma omp task shared(b) if (n > 8)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}
int main(void)
{
    static double values[200][200];
    double sum = 0;
    long hits = 0, result = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic, 2) reduction(+ : sum)
        for (int i = 0; i < 200; i++)
            for (int j = 0; j <= i; j++) {
                values[i][j] += i * j;
                sum += values[i][j];
            }
#pragma omp for
        for (int i = 0; i < 200; i++) {
#pragma omp atomic
            hits++;
#pragma omp critical
            values[0][i] += 1;
        }
#pragma omp single
        result = fib(12);
#pragma omp sections
        {
#pragma omp section
            for (int i = 0; i < 100; i++)
                values[1][i] *= 2;
#pragma omp section
            for (int i = 100; i < 200; i++)
                values[1][i] *= 2;
        }
    }
    printf("%g %ld %ld\n", sum, hits, result);
    return 0;
}
END
    expect 0 "$cc" -O1 parallel.c -o serial
    "$cc" -O1 -fopenmp parallel.c -o parallel 2>/dev/null || skip 'clang has no OpenMP here'
    traced exact ./serial
    alone=$(sum_of access)
    cp out serial.out
    for mode in exact sampled counts calls; do
        traced "$mode" ./parallel
        cmp -s out serial.out || fail "$mode: $(cat out)"
        [ "$mode" = counts ] || [ "$mode" = calls ] || awk -v a="$alone" -v b="$(sum_of access)" 'BEGIN { exit !(b > 0.9 * a && b < 1.5 * a) }' ||
            fail "$mode: $(sum_of access) references, $alone alone"
    done
}

# A process forked while another thread counts does not wait for locks that this thread held.
test_forks_with_threads() {
    needs_llvm
    cd "$work" || return 1
    cat >forks.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int other[1000], mine[1000], over;
static void *work(void *p)
{
    while (!over)
        for (int i = 0; i < 1000; i++)
            other[i] += 1;
    return p;
}
int main(void)
{
    pthread_t thread;
    int status, bad = pthread_create(&thread, 0, work, 0);
    for (int n = 0; !bad && n < 50; n++) {
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 1000; i++)
                mine[i] += 1;
            _exit(3);
        }
        bad += waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3;
    }
    over = 1;
    return pthread_join(thread, 0) || bad;
}
END
    expect 0 "$cc" -O1 -pthread forks.c -o forks
    traced exact ./forks
}

# The code that is predicted has the instructions, sections and alignments that clang generates from
# the same bitcode, so the options of its code generator apply. Registers and order may differ.
test_code_is_clangs() {
    needs_llvm
    cd "$work" || return 1
    cat >code.c <<'C'
#include <math.h>
double table[4096];
int pick(int c) { switch (c) { case 1: return 5; case 2: return 17; case 3: return 2; case 4: return 40; } return c; }
double roots(int n) { double s = 0; for (int i = 0; i < n; i++) s += sqrt(table[i]) * pick(i & 7); return s; }
int main(int c, char **v) { for (int i = 0; i < 4096; i++) table[i] = i * c; return roots(4096) > 1e6; }
C
    expect 0 "$cc" --version
    clang=$(sed -n 's/.*clang version \([0-9]*\).*/clang-\1/p' out)
    instructions() { grep -P '^\t[a-z]|^\t\.section\t\.(text|l?rodata)|^\t\.p2align\t[4-9]' | awk '{ print $1, (/^\t\./ ? $2 : "") }' | sort; }
    for options in -O0 -O1 -O3 '-O2 -ffast-math -march=haswell -ffunction-sections' '-O2 -fno-pie -mcmodel=medium' '-O2 -falign-loops=64 -mllvm -disable-cgp' \
        '-O2 -malign-branch=fused,jcc -malign-branch-boundary=32 -mpad-max-prefix-size=4'; do
        # shellcheck disable=SC2086 # a list of words
        {
            expect 0 "$cc" $options -c code.c -o code.o
            expect 0 "$clang" $options -gline-tables-only -c -emit-llvm code.c -o code.bc
            expect 0 "$clang" $options -w -Xclang -disable-llvm-passes -S -x ir code.bc -o code.s
        }
        objcopy -O binary --only-section=.portolan code.o code.about
        sed -n 's/.*"assembly":"//p' code.about | sed 's/\\"/\x01/g; s/".*//; s/\x01/"/g; s/\\t/\t/g; s/\\n/\n/g' | instructions >ours
        instructions <code.s >theirs
        [ "$(wc -l <ours)" -gt 40 ] && cmp -s ours theirs || fail "$options: $(diff ours theirs | head -5)"
    done
    printf 'int main(void) { __asm__("foo %%eax"); return 0; }\n' >wrong.c
    expect 1 "$cc" wrong.c -o wrong
    holds err "portolan-cc: wrong.c: error: <inline asm>:1:2: invalid instruction mnemonic 'foo'"
    expect 1 "$cc" -c code.c -o /dev/full
    holds err 'error: cannot write /dev/full: No space left on device'
    expect 1 "$cc" -c wrong.c -o left.o
    [ ! -e left.o ] || fail 'a faulty object is left'
}

# A search in 2 numbers calls back twice: the first callback is short, and the second takes 10 million
# iterations, which are no part of the search. The first comparison of each sort is the slowest. The
# sort moves 10 KiB per call, although its other comparisons are not all timed.
test_calls_back_unevenly() {
    needs_llvm
    cat >"$work/uneven.c" <<'END'
#include <search.h>
#include <stdlib.h>
static long looks, calls;
static int compare(const void *a, const void *b)
{
    for (volatile int i = 0; i < 10000000 && ++calls == 2; i++, calls--)
        looks += i & 1;
    return *(const int *)a != *(const int *)b;
}
static int order(const void *a, const void *b)
{
    for (volatile int i = 0; i < 300 && !calls; i++)
        looks += i & 1;
    calls++;
    return *(const int *)a - *(const int *)b;
}
static int values[10][256];
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)atoi(argv[1]) : 1;
    int key = -1;
    if (n == 2)
        return lfind(&key, values, &n, sizeof *values, compare) || looks < 0;
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < 10; i++)
            values[i][0] = i * 7 % 10;
        calls = 0;
        qsort(values, 10, sizeof *values, order);
    }
    return looks < 0;
}
END
    cd "$work" || return 1
    expect 0 "$portolan" --format csv -e 'program load uneven.c -O1; program run N=2,200; program predict N=2 --machine sapphirerapids; program predict N=200 --machine sapphirerapids'
    awk -F, '$1 == "part" { for (i = 1; i <= NF; i++) if ($i ~ /^calls/) calls = i; n++ } calls && $1 ~ /^main:/ { sum[n] += $calls } END { exit !(n == 2 && sum[1] < 1000000 && sum[2] > 200 * 100) }' "$work/out" ||
        fail "the times of a search and a sort: $(cat "$work/out")"
}

# A comparison costs the sort some cycles at any number of elements. Most callbacks are not timed,
# because reading the clock takes longer than the comparison.
test_calls_back_briefly() {
    needs_llvm
    cat >"$work/brief.c" <<'END'
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1, *values = malloc((size_t)n * sizeof *values);
    unsigned seed = 7;
    for (int k = 0; k < 8; k++) {
        for (int i = 0; i < n; i++)
            values[i] = (int)((seed = seed * 1664525 + 1013904223) >> 8);
        qsort(values, (size_t)n, sizeof *values, compare);
    }
    return values[0] < 0;
}
END
    cd "$work" || return 1
    expect 0 "$portolan" --format csv -e 'program load brief.c -O1; program run N=50,70,101,150,200; program predict N=20000 --machine sapphirerapids'
    awk -F, '$1 == "part" { for (i = 1; i <= NF; i++) if ($i ~ /^calls/) calls = i; else if ($i == "executions") times = i } calls && $1 ~ /^main:/ { sum += $calls } calls && $1 ~ /^compare:/ && $times > most { most = $times } END { exit !(most > 1000000 && sum > 2 * most) }' "$work/out" ||
        fail "a comparison costs the sort at least 2 cycles: $(cat "$work/out")"
}

run_tests
