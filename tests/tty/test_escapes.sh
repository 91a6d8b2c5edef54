#!/bin/sh
# Text from outside never steers the terminal: escape sequences, C1 controls and bidi overrides in file names, symbols, labels, source lines, forms, facts and
# compiler messages appear as what they are, on standard output and standard error, in every format.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

export LC_ALL=C.UTF-8
esc=$(printf '\033]0;owned\007\033[31m')
c1=$(printf '\302\233\063\061m')                 # CSI as one character
bidi=$(printf '\342\200\256gnp.exe')             # right-to-left override
raw=$(printf '\233\061m')                        # no UTF-8: CSI in Latin-1
bad="$esc$c1$bidi"

# Bytes that may not come out: C0 but tab and line feed, DEL, C1, overrides and isolates; and what is no UTF-8.
clean() {
    if LC_ALL=C grep -q -a -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]' "$1" || ! iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1; then
        fail "$2: $(LC_ALL=C cat -v "$1" | head -5)"
    fi
}
# try WHAT IS SHOWN, COMMANDS: in all formats.
try() {
    for format in text csv json; do
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
    printf ' addq %%rax, %s\n' "$bad" >"$work/fault.s"
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
    printf 'experiment,cycles,state\n"A%s + B",,"%s"\n' "$bad" "$bad" >"$work/table.csv"
    try 'experiments' "experiments load $work/table.csv; experiments list"
    try 'a journal' "experiments load $work/table.csv; experiments measure --journal '$work/no$bad/such'"
    "$portolan" "--no$bad" >"$work/.out" 2>&1
    clean "$work/.out" 'an option that is none'
}

run_tests
