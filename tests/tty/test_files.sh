#!/bin/sh
# Effects of the program on files when it is interrupted, limited or finds files that it did not
# create.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

lines() { if [ -f "$work/rows.csv" ]; then wc -l <"$work/rows.csv"; else echo 0; fi; }
four_lines_or_end() { [ "$(lines)" -ge 4 ] || ! kill -0 "$measuring" 2>/dev/null; }

test_cancelled_measuring_keeps_its_rows() {
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    { echo hex; i=0; while [ $i -lt 2000 ]; do echo 4801d8; i=$((i + 1)); done; } >"$work/blocks.csv"
    "$portolan" -e "kernel measure --file $work/blocks.csv --out $work/rows.csv" >"$work/out" 2>&1 &
    measuring=$!
    wait_until four_lines_or_end || fail "no rows come: $(cat "$work/out")"
    kill -INT "$measuring"
    status=0
    wait "$measuring" || status=$?
    [ "$status" -eq 130 ] || fail "status $status: $(cat "$work/out")"
    [ "$(lines)" -ge 4 ] && [ "$(lines)" -lt 2000 ] || fail "$(lines) lines of 2000"
    # Every row is complete.
    grep -v "^hex,cycles,spread,state$\|^4801d8,[0-9.]*,[0-9.e-]*,.*[a-z]$" "$work/rows.csv" >"$work/torn" && fail "torn rows: $(cat "$work/torn")"
}

# If a write exceeds the limit on file sizes, existing files are unchanged and no new file remains.
test_limit_on_file_sizes_is_an_error() {
    echo old >"$work/old.csv"
    expect 1 sh -c "ulimit -f 1; '$portolan' -e \"forms select '*'; experiments generate --random 100 --size 2; experiments save $work/old.csv\""
    holds err ulimit
    [ "$(cat "$work/old.csv")" = old ] || fail 'the file that was there has changed'
    [ -z "$(find "$work" -name '.portolan*')" ] || fail "something is left: $(find "$work" -name '.portolan*')"
}

test_links_are_followed_and_devices_written_to() {
    mkdir "$work/far"
    ln -s far/table.csv "$work/table.csv"
    expect 0 "$portolan" -e "forms select 'ADD (R64, R64)'; experiments generate; experiments save $work/table.csv; experiments save /dev/stdout"
    { [ -L "$work/table.csv" ] && [ -s "$work/far/table.csv" ]; } || fail 'the link was not followed'
    grep -q '^"ADD (R64, R64)"' "$work/out" || fail "nothing on standard output: $(head -c 300 "$work/out")"
    [ -e /dev/stdout ] || fail '/dev/stdout is gone'
}

# Runs the torture test with few kills. `make torture` runs it with more.
test_killed_programs_leave_nothing_half_done() {
    needs as
    KILLS=2 PORTOLAN=$portolan sh "$source/tests/tty/torture.sh" >"$work/out" 2>&1 || fail "$(tail -3 "$work/out")"
}

# A killed program leaves a temporary directory. The next program that needs one removes it, and
# nothing else.
test_directories_of_killed_programs_are_collected() {
    needs as
    mkdir -p "$TMPDIR/portolan-aaaaaa" "$TMPDIR/portolan-bbbbbb" "$TMPDIR/portolan-cccccc" "$work/mine"
    chmod 700 "$TMPDIR/portolan-aaaaaa" "$TMPDIR/portolan-bbbbbb" "$work/mine"
    touch "$TMPDIR/portolan-aaaaaa/.portolan-owner" "$TMPDIR/portolan-aaaaaa/in.s" "$TMPDIR/portolan-bbbbbb/thesis.txt" "$TMPDIR/portolan-cccccc/.portolan-owner" \
        "$work/mine/.portolan-owner" "$work/mine/thesis.txt"
    chmod 755 "$TMPDIR/portolan-cccccc"
    ln -s "$work/mine" "$TMPDIR/portolan-dddddd"
    printf '.p2align 4\naddq %%rax, %%rbx\n' >"$work/short.s"   # text with directives is assembled in a temporary directory
    expect 0 "$portolan" -e "kernel load $work/short.s"
    [ ! -e "$TMPDIR/portolan-aaaaaa" ] || fail 'the directory of a killed program is still there'
    { [ -e "$TMPDIR/portolan-bbbbbb/thesis.txt" ] && [ -e "$TMPDIR/portolan-cccccc/.portolan-owner" ] && [ -e "$work/mine/thesis.txt" ]; } || fail 'a directory of somebody else is gone'
}

# Writes files on a file system in user space that rejects the flags of renameat2 (bindfs, if it can
# be mounted).
test_file_system_in_user_space() {
    needs bindfs
    mkdir "$work/below" "$work/fuse"
    bindfs "$work/below" "$work/fuse" 2>"$work/mount" || skip "nothing can be mounted here: $(head -1 "$work/mount")"
    printf ' addq %%rax, %%rbx\n' >"$work/one.s"
    expect 0 "$portolan" -e "kernel load $work/one.s; session save $work/fuse/session"
    expect 0 "$portolan" -e "session load $work/fuse/session; forms select 'ADD (R64, R64)'; experiments generate; session save $work/fuse/session"
    expect 0 "$portolan" -e "session load $work/fuse/session; kernel list; experiments save $work/fuse/table.csv; experiments save $work/fuse/table.csv"
    grep -q '^"ADD (R64, R64)"' "$work/below/table.csv" || fail 'the table is not there'
    expect 0 "$portolan" -e "experiments load $work/fuse/table.csv; experiments measure --simulate skylake --journal $work/fuse/journal"
    expect 0 "$portolan" -e "experiments load $work/fuse/table.csv; experiments measure --simulate skylake --journal $work/fuse/journal; mapping new 2 mine; mapping save $work/fuse/mine; mapping save $work/fuse/mine"
    for name in thesis.txt sub/thesis.txt; do
        mkdir -p "$work/fuse/session/sub"
        echo years >"$work/fuse/session/$name"
        expect 1 "$portolan" -e "session load $work/fuse/session; session save $work/fuse/session"
        [ "$(cat "$work/fuse/session/$name")" = years ] || fail "$name is gone"
        rm "$work/fuse/session/$name"
    done
    [ -z "$(find "$work/below" -name '.portolan*')" ] || fail "something is left: $(find "$work/below" -name '.portolan*')"
    wait_until umount "$work/fuse" || fail 'it is still in use'
}

# A full directory of temporary files is not reported as a fault of the source.
test_no_room_for_temporary_files() {
    needs gcc
    needs unshare
    mkdir -p "$work/full"
    unshare -rm mount -t tmpfs -o size=16k tmpfs "$work/full" 2>/dev/null || skip "no file system can be mounted"
    awk 'BEGIN { for (i = 0; i < 300; i++) printf "int g%d(int x) { while (x %% 7) x += %d; return x; }\n", i, i + 1 }' >"$work/many.c"
    for compiler in gcc clang clang-19; do
        command -v "$compiler" >/dev/null || continue
        expect 1 unshare -rm sh -c "mount -t tmpfs -o size=16k tmpfs '$work/full' && TMPDIR='$work/full' '$portolan' -e 'kernel load $work/many.c --compiler $compiler'"
        holds err "no room for temporary files in $work/full"
        lacks err 'correct the source file and load it again'
    done
    # A source whose own error message mentions a full disk is at fault.
    printf '#error No space left on device\n' >"$work/words.c"
    expect 1 "$portolan" -e "kernel load $work/words.c"
    lacks err 'no room for temporary files'
}

run_tests
