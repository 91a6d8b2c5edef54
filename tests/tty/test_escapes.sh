#!/bin/sh
# External text never controls the terminal: escape sequences, C1 controls and bidi overrides in
# file names, symbols, labels, source lines, forms, facts and compiler messages. They are escaped on
# standard output and standard error in every format.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

export LC_ALL=C.UTF-8
esc=$(printf '\033]0;owned\007\033[31m')
c1=$(printf '\302\233\063\061m')                 # CSI as one character
bidi=$(printf '\342\200\256gnp.exe')             # right-to-left override
raw=$(printf '\233\061m')                        # no UTF-8: CSI in Latin-1
bad="$esc$c1$bidi"
form="$(printf '\007\010\033c')$c1$bidi"        # without brackets, which must be closed in forms

# clean FILE NAME: fails if the file has bytes that must not be printed: C0 except tab and line
# feed, DEL, C1, overrides and isolates; and invalid UTF-8.
clean() {
    if LC_ALL=C grep -q -a -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]' "$1" || ! iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1; then
        fail "$2: $(LC_ALL=C cat -v "$1" | head -5)"
    fi
}
# try NAME COMMANDS: runs the commands in all formats.
try() {
    for format in text csv json md html; do
        "$portolan" --format $format -e "$2" >"$work/.out" 2>&1
        [ -s "$work/.out" ] || fail "$1 in $format printed nothing"
        clean "$work/.out" "$1 in $format"
    done
}

test_nothing_steers_the_terminal() {
    printf 'loop%s:\n addq %%rax, %%rbx # %s\n jne loop%s\n' "" "$bad" "" >"$work/comment.s"
    try 'a comment' "kernel load $work/comment.s; kernel show; kernel list; kernel analyze"
    printf '"l%s":\n addq %%rax, %%rbx\n jne "l%s"\n' "$bad" "$bad" >"$work/label.s"
    try 'a label' "kernel load $work/label.s; kernel show; kernel list; kernel analyze"
    printf ' addq %%rax, (((%s\n' "$bad" >"$work/fault.s"
    try 'a message of the assembler' "kernel load $work/fault.s"
    cp "$work/comment.s" "$work/name$bad.s"
    try 'a file name' "kernel load '$work/name$bad.s'; kernel list; kernel analyze"
    try 'a file that is not there' "kernel load '$work/none$bad.s'"
    cp "$work/comment.s" "$work/name$raw.s"
    try 'a file name that is no UTF-8' "kernel load '$work/name$raw.s'; kernel list; kernel analyze"
    try 'a word of a command' "nocommand$bad"
    try 'a word that is no UTF-8' "nocommand$raw"
    printf '.globl "f%s"\n.type "f%s", @function\n"f%s":\n1: addq %%rax, %%rbx\n jne 1b\n ret\n.size "f%s", .-"f%s"\n.globl g\n.type g, @function\ng: nop\n ret\n' "$bad" "$bad" "$bad" "$bad" "$bad" >"$work/symbol.s"
    if as --64 "$work/symbol.s" -o "$work/symbol.o" 2>"$work/.as"; then
        try 'a symbol of an object' "kernel load $work/symbol.o; kernel list; kernel show"
        try 'a symbol that is not there' "kernel load $work/symbol.o --symbol 'no$bad'"
    fi
    printf '#error "%s"\nvoid f(void) { }\n' "$bad" >"$work/fault.c"
    try 'a message of the compiler' "kernel load $work/fault.c"
    mkdir "$work/machine"
    printf 'key,value,unit,source\nname,"N%s",,"%s"\nports,"0 1",,\nisa,x86-64,,\nfact%s,"%s",,\n' "$bad" "$bad" "$bad" "$bad" >"$work/machine/machine.csv"
    printf 'form,usage,latency,source\n"ADD%s (R64, R64)",1*p01,1,"%s"\n' "$bad" "$bad" >"$work/machine/mapping.csv"
    try 'a machine' "mapping load $work/machine; machine show; mapping show; mapping list"
    printf 'experiment,cycles,state,more%s\n"A%s + B",,"%s",x\n"A%s",1,ok,"%s"\n' "$form" "$form" "$bad" "$form" "$bad" >"$work/table.csv"
    try 'experiments' "experiments load $work/table.csv; experiments list"
    try 'an experiment' "experiments load $work/table.csv; experiments show 1; experiments show 2"
    try 'classes of forms' "experiments load $work/table.csv; congruence; evaluate --heatmap"
    try 'a row that is refused' "experiments load $work/table.csv; experiments list no$bad"
    try 'failures' "experiments load $work/table.csv; experiments measure --simulate skylake; jobs"
    try 'a journal' "experiments load $work/table.csv; experiments measure --journal '$work/no$bad/such'"
    "$portolan" "--no$bad" >"$work/.out" 2>&1
    clean "$work/.out" 'an option that is none'
    "$portolan" -b "$work/no$bad.pf" >"$work/.out" 2>&1
    clean "$work/.out" 'a script that is not there'
    PORTOLAN_DATA="$work/no$bad" "$portolan" -e 'machine list; kernel hex 4801d8; kernel analyze' >"$work/.out" 2>&1
    clean "$work/.out" 'a data directory that is not there'
}

# A table is escaped when written to the terminal. Written to a file, it equals its input.
test_tables_to_a_terminal() {
    needs script
    printf 'experiment,cycles,state\n"A%s + B",,"%s"\n' "$form" "$form" >"$work/names.csv"
    for device in /dev/stdout /dev/tty /dev/fd/1 /proc/self/fd/2; do
        script -qec "'$portolan' -e 'experiments load $work/names.csv; experiments save $device'" /dev/null </dev/null 2>&1 | tr -d '\r' >"$work/.out"
        holds .out '\x1bc'
        clean "$work/.out" "experiments save $device"
    done
    "$portolan" -e "experiments load $work/names.csv; experiments save $work/again.csv; experiments load $work/again.csv; experiments save $work/third.csv" >/dev/null 2>&1
    LC_ALL=C grep -qaF "A$form" "$work/again.csv" || fail 'the name is another one in the file'
    cmp "$work/again.csv" "$work/third.csv" || fail 'what was saved and read again differs'
}

# Messages that quote words of commands escape them.
test_messages() {
    for command in "mapping load '$bad'" "mapping use '$bad'" "mapping new '0,$bad'" "mapping set 'F$bad' 1*p0" "mapping import llvm '$bad'" "mapping import osaca '$bad'" \
        "mapping import uops-info '$bad'" "session load '$bad'" "session save '/none/$bad'" "source '$bad'" "evolve resume '$bad'" "forms list '$bad'" "forms select '$bad'" "forms add '$bad'" \
        "forms scan '$bad'" "kernel $bad" "kernel hex $bad" "kernel evaluate '$bad'" "kernel load '$bad' --lines '$bad'" "throughput 'F$bad'" "help '$bad'" "help fact '$bad'" "job cancel $bad" \
        "view '$bad'" "set seed '$bad'" "set '$bad' 1" "latency measure '$bad'" "machine show '$bad'" "export '/none/$bad.html'" "experiments import '$bad'" "evaluate --mapping '$bad'"; do
        for format in text csv json md html; do   # some formats print nothing if the command succeeds
            "$portolan" --format $format -e "$command" >"$work/.out" 2>&1
            clean "$work/.out" "$format: $command"
        done
    done
}

# A line feed in a name does not add a row to a table.
test_line_feeds() {
    printf 'experiment,cycles,state\n"A",,"bad\n     1.00  forged"\n' >"$work/feed.csv"
    "$portolan" -e "experiments load $work/feed.csv; experiments list" >"$work/feed.out" 2>&1
    grep -q 'bad.x0a     1.00  forged' "$work/feed.out" || fail "$(cat "$work/feed.out")"
}

test_documents() {
    printf 'experiment,cycles,state\n"A%s + B",,"%s"\n' "$form" "$bad" >"$work/table.csv"
    printf ' addq %%rax, %%rbx # %s\n jne .\n' "$bad" >"$work/comment.s"
    for ending in html md json; do
        "$portolan" -e "experiments load $work/table.csv; experiments list; export $work/out.$ending" >/dev/null 2>&1
        [ -s "$work/out.$ending" ] || fail "no out.$ending"
        clean "$work/out.$ending" "experiments in $ending"
        rm -f "$work/out.$ending"
        "$portolan" -e "kernel load $work/comment.s; kernel analyze; export $work/out.$ending" >/dev/null 2>&1
        clean "$work/out.$ending" "a kernel in $ending"
    done
    "$portolan" -e "kernel load $work/comment.s; kernel report $work/report.html" >/dev/null 2>&1
    clean "$work/report.html" 'a report'
}

# JSON output is valid and contains the same text: every character of this list, in a file name.
test_json_of_invisible_characters() {
    needs python3
    name=$(printf 'soft\302\255grapheme\315\217hangul\343\205\244tag\363\240\201\201note\360\235\205\263none\357\277\276')
    printf ' addq %%rax, %%rbx\n jne .\n' >"$work/$name.s"
    "$portolan" --format json -e "kernel load '$work/$name.s'" >"$work/json.out" 2>&1
    clean "$work/json.out" 'invisible characters in json'
    LC_ALL=C grep -q '[^ -~]' "$work/json.out" && fail "not shown: $(LC_ALL=C cat -v "$work/json.out")"
    python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["kernel"] != sys.argv[2])' "$work/json.out" "$work/$name.s" || fail "$(cat "$work/json.out")"
}

# A symbol whose name continues on another line as a directive has no effect in files written about
# it: loops, graphs, reports, in every format.
test_names_that_would_be_code() {
    needs as
    printf '\t.globl evilN_incbin__etc_passwd\n\t.type evilN_incbin__etc_passwd, @function\nevilN_incbin__etc_passwd:\n1:\taddq %%rax, %%rbx\n\tmovl evilN_incbin__etc_passwd(%%rip), %%eax\n\tcmpl $1, %%eax\n\tje 2f\n\tjne 1b\n2:\tret\n\t.size evilN_incbin__etc_passwd, .-evilN_incbin__etc_passwd\n' >"$work/evil.s"
    as --64 "$work/evil.s" -o "$work/plain.o" || { fail 'as'; return; }
    python3 - "$work/plain.o" "$work/evil.o" <<'END' || { fail 'no object'; return; }
import sys
data = open(sys.argv[1], 'rb').read()
old = b'evilN_incbin__etc_passwd'
new = b'evil\n.incbin "/etc/passwd'[:len(old)]
assert old in data and len(old) == len(new)
open(sys.argv[2], 'wb').write(data.replace(old, new))
END
    for file in loop.s loop.dot loop.html loop.md trace.html export.json tuned.s; do rm -f "$work/$file"; done
    expect 0 "$portolan" --machine skylake -e "kernel load $work/evil.o; kernel save $work/loop.s; kernel graph $work/loop.dot; kernel report $work/loop.html; kernel report $work/loop.md; kernel trace $work/trace.html; kernel show; export $work/export.json"
    "$portolan" --machine skylake -e "kernel load $work/evil.o; kernel tune --export $work/tuned.s" >"$work/tune.out" 2>&1
    for file in loop.s loop.dot loop.html loop.md trace.html export.json tuned.s; do
        [ -f "$work/$file" ] || continue
        grep -q '^[[:space:]]*\.incbin' "$work/$file" && fail "$file: $(grep -n incbin "$work/$file")"
    done
    [ -s "$work/loop.s" ] || fail 'no loop.s'
    as --64 "$work/loop.s" -o "$work/loop.o" 2>"$work/as.err" || fail "$(cat "$work/as.err")"
}

# In pictures each label is one quoted string for gnuplot and dot, and their drawings are
# well-formed. Each program is first a stand-in that stores its input, then the real one if
# installed.
test_names_in_pictures() {
    mkdir -p "$work/stub"
    printf '#!/bin/sh\ncat >"$STUB/script"\nprintf "<svg></svg>" >figure\n' >"$work/stub/gnuplot"
    printf '#!/bin/sh\ncat >"$STUB/dotted"\nprintf "<svg></svg>"\n' >"$work/stub/dot"
    chmod +x "$work/stub/gnuplot" "$work/stub/dot"
    STUB=$work/stub; export STUB
    cp -r "${PORTOLAN_SRC:-.}/data/machines/skylake" "$work/evil"
    sed -i '/^title,/d' "$work/evil/machine.csv"
    printf '%s\n' 'title,"Evil'"'"'""; system(""touch '"$work"'/owned""); '"'"'`touch '"$work"'/owned`\""<script>alert(1)</script>&]]>",,' >>"$work/evil/machine.csv"
    printf 'experiment,cycles,spread,repeats,state\n"ADD (R64, R64)",0.25,0,3,ok\n"IMUL (R64, R64)",1,0,3,ok\n' >"$work/few.csv"
    printf '1:\tmovl "x] evil [URL=y] <b>&"(%%rip), %%eax\n\tmovl "back\\\\slash"(%%rip), %%ebx\n\tdecl %%ecx\n\tjne 1b\n' >"$work/names.s"
    commands="set machine $work/evil; experiments load $work/few.csv; plot accuracy $work/points.svg; kernel load $work/names.s; kernel graph $work/loop.svg"
    PATH="$work/stub:$PATH" expect 0 "$portolan" -e "$commands"
    # The title is one string in single quotes, with doubled quotes within it.
    sed -n "s/^set title //p" "$work/stub/script" >"$work/title"
    [ "$(wc -l <"$work/title")" = 1 ] && sed "s/''//g" "$work/title" | grep -qx "'[^']*'" || fail "title: $(cat "$work/title")"
    # After its label a node or graph must have only Portolan's attributes. When escapes and strings
    # are removed, no name may remain.
    sed 's/\\.//g; s/"[^"]*"//g' "$work/stub/dotted" >"$work/bare"
    grep -qE 'evil|URL|<b>|"' "$work/bare" && fail "dot: $(cat "$work/bare")"
    grep -q 'evil' "$work/stub/dotted" || fail "no name in $(cat "$work/stub/dotted")"
    for program in gnuplot dot; do
        command -v "$program" >"$work/.out" 2>&1 || continue
        picture=$work/points.svg
        [ "$program" = dot ] && picture=$work/loop.svg
        expect 0 "$portolan" -e "$commands"
        python3 -c 'import sys, xml.dom.minidom; t = xml.dom.minidom.parse(sys.argv[1]); sys.exit(len(t.getElementsByTagName("script")) + len(t.getElementsByTagName("b")))' "$picture" || fail "$program: $picture"
    done
    [ ! -e "$work/owned" ] || fail 'a name was run'
}

run_tests
