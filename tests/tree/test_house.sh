#!/bin/sh
# Rules of the source tree that no compiler checks (docs/design.md).
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

cd "$source" || exit 99
# Fails if the command prints anything.
none() { "$@" >"$work/found" 2>&1; [ ! -s "$work/found" ] || fail "$(cat "$work/found")"; }

long_files() {
    find src tests \( -name '*.[ch]' -o -name '*.sh' \) -exec wc -l {} + | awk '$1 > 800 && $2 != "total" { print $2 " has " $1 " lines" }'
}
test_no_file_passes_800_lines() { none long_files; }

terminal_elsewhere() { grep -rnE '#include <(n?curses|readline/|term\.h)' src --include='*.[ch]' | grep -v '^src/tui/'; }
test_only_tui_knows_the_terminal() { none terminal_elsewhere; }

threads_elsewhere() { grep -rnE '\b(pthread_create|thrd_create) ?\(' src --include='*.[ch]' | grep -v '^src/work/'; }
test_threads_start_in_work_only() { none threads_elsewhere; }

# The process that saves the session after a crash must not wait for a lock (base/lock.h).
locks_elsewhere() { grep -rnE '\bpthread_mutex_(try|timed)?lock\(' src --include='*.[ch]' | grep -v '^src/base/lock\.c'; }
test_locks_are_taken_in_one_place() { none locks_elsewhere; }

# The umask belongs to all threads, and reading it changes it.
umask_asked() { grep -rnE '\bumask\(' src --include='*.[ch]'; }
test_the_umask_is_left_alone() { none umask_asked; }

# Unit tests use the shared functions that load machines, run commands and create files
# (tests/support).
helpers_elsewhere() { grep -nE '\b(mkdtemp|mkstemps?|tmpfile|open_memstream)\(|getenv\("PORTOLAN_SRC"\) \?|struct machine \*load_machine\(' tests/unit/*.c; }
test_unit_tests_share_helpers() { none helpers_elsewhere; }

# The name of a struct, enum or union has one meaning in the program.
names_defined_twice() {
    grep -rhoE '^ *(static |const )*(struct|enum|union) [a-zA-Z_0-9]+ \{' src tests/support --include='*.[ch]' | grep -oE '[a-zA-Z_0-9]+ \{' | tr -d ' {' | sort | uniq -d |
        while read -r name; do
            echo "$name:" $(grep -rlE "^ *(static |const )*(struct|enum|union) $name \{" src tests/support --include='*.[ch]')
        done
}
test_each_name_is_one_thing() { none names_defined_twice; }

# The C files, a line per line of code with the literals that continue in the next lines: FILE: TEXT.
joined() {
    find src -name '*.c' -exec awk '
        function out() { if (text != "") { gsub(/" *PRI[a-z]*[0-9]* *"/, "u", text); print file ": " text }; text = "" }
        FNR == 1 { out(); file = FILENAME }
        text ~ /"$/ && /^ *"/ { sub(/"$/, "", text); sub(/^ *"/, ""); text = text $0; next }
        { out(); text = $0 }
        END { out() }' {} +
}

# A noun after a number has both forms: plural() returns the ending. No other code chooses it. After
# a total ('1 of 3 forms') and a limit ('more than 8 ports'), and for the numbers of
# tests/tree/plural-only, which are never 1, it needs no singular.
singular_lacks() {
    grep -rnE '== 1 \? "" : "s"' src --include='*.[ch]' | grep -v '^src/base/str\.h:'
    joined | awk '{
        file = $1; text = substr($0, length(file) + 2)
        while (match(text, /([A-Za-z]+ )?%[-0-9]*(zu|u|lu|llu) ([a-z]+ )?[a-z]+s([^a-z%]|$)/)) {
            found = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH); sub(/[^a-z]$/, "", found)
            if (found !~ /^(of|than|most|maximum|limit|is|job|run|process|processor|CPU|pass|position|instruction|rank|row|to|at) %|(is|has|was|does|runs|its|as|this|cancels|continues|measures|scans|pauses|stops|classes)$| are /)
                print file " " found
        }
    }' | sort -u | grep -vxFf tests/tree/plural-only
}
test_numbers_have_a_singular() { none singular_lacks; }

# A message that a file or process cannot be used has the system's reason, by strerror or by
# file_fault. LLVM and libelf give none.
reason_lacks() {
    find src -name '*.c' ! -path src/program/compiler/module.c ! -path src/toolchain/object.c -exec awk '
        FNR == 1 { call = "" }
        /err_set\(/ { call = FILENAME ":" FNR ": " }
        call != "" { call = call $0 }
        call ~ /;$/ { if (call ~ /"(cannot (read|write|open|resolve|create|remove|rename|map)|no such (file|directory))/ && call !~ /strerror|_text\(/) print call; call = "" }' {} +
}
test_faults_have_the_reason() { none reason_lacks; }

# Words of file names are terms of the glossary or ordinary words (tests/tree/file-words). Singular
# and plural count as one word.
glossary() { sed -n '1,/^Not used/s/^| \([a-z µ]*\) | .*/\1/p' docs/glossary.md | tr ' ' '\n'; }
file_words() { find src -name '*.[ch]' | sed 's|.*/||; s|\.[ch]$||' | tr '_' '\n' | sort -u; }
singular() { sed 's/s$//' | sort -u; }
unknown_words() {
    { glossary; cat tests/tree/file-words; } | singular >"$work/known"
    file_words | singular | comm -23 - "$work/known" | sed 's/$/: of a file name, neither in docs\/glossary.md nor in tests\/tree\/file-words: add it to one of them/'
    file_words >"$work/used"
    sort -u tests/tree/file-words | comm -23 - "$work/used" | sed 's/$/: in tests\/tree\/file-words, but of no file name/'
}
test_file_names_are_terms() { none unknown_words; }

# Ambiguous words occur in no name of a file, function, type or macro (docs/glossary.md, 'Not
# used').
retired_words() {
    retired=$(sed -n '/^Not used/,/\.$/p' docs/glossary.md | tr '\n' ' ' | sed 's/.*: //; s/\. *$//; s/, */|/g')
    {
        find src -name '*.[ch]' | sed 's|.*/||; s|\.[ch]$||'
        find src -name '*.h' -exec sed 's|/\*.*\*/||' {} + | awk '/\/\*/ { c = 1 } !c { print } /\*\// { c = 0 }' | sed 's|"[^"]*"||g' |
            grep -oE '\b[a-z_0-9]+\(|(struct|enum|union) [a-z_0-9]+|\b[A-Z][A-Z_0-9]{3,}\b' | sed -E 's/^(struct|enum|union) //; s/\($//'
    } | sort -u | grep -iE "(^|_)($retired)s?(_|\$)"
}
test_names_avoid_retired_words() { none retired_words; }

# Every header is listed. Otherwise a release would lack it.
unlisted() {
    find src tests/unit tests/support -name '*.h' |
        awk 'FNR == NR { for (i = 1; i <= NF; i++) listed[$i] = 1; next } !($0 in listed)' Makefile.am -
}
test_headers_are_listed() { none unlisted; }

# A command's record is in the file named after the command, its noun, or another command with this
# noun. One-word commands are in the file of their subject.
records_elsewhere() {
    grep -nE '^const struct command command_[a-z_]+ = ' src/*/*.c | sed -E 's/^([^:]*):[0-9]*:const struct command command_([a-z_]+) = .*/\1 \2/' |
        awk '{ n = $1; sub(/.*\/cmd_/, "", n); sub(/[_.].*/, "", n); subject = n ~ /^(view|keys|workbench)$/ && $2 !~ /_/
            if ($1 !~ /^src\/cmd\/cmd_/ || (index($2, n) != 1 && !subject)) print $1 " has command " $2 }'
}
test_commands_are_where_their_name_says() { none records_elsewhere; }

# Every fixed JSON key is documented. Reports are pages and not JSON, and some columns are only for
# the screen.
keys_undocumented() {
    grep -hoE '\bresult_(count|number|text|flag|switch|bool)\([a-z]+, "[a-z_0-9]+"|\.key = "[a-z_0-9]+"[^}]*\}' $(ls src/cmd/*.c | grep -v '/cmd_report\.c$') | grep -vE 'NOT_CSV \| NOT_JSON' |
        grep -oE '^(result_[a-z]+\([a-z]+, |\.key = )"[a-z_0-9]+"' | grep -oE '"[a-z_0-9]+"' | tr -d '"' | sort -u >"$work/keys"
    [ -s "$work/keys" ] || echo 'no key was found'
    awk -v keys="$work/keys" 'FILENAME == keys { expected[$1] = 1; next }
        match($0, /^ *"[a-z_0-9]+": \{/) { split($0, part, "\""); described[part[2]] = 1 }
        END { for (key in expected) if (!(key in described)) print key " is not in data/schema.json" }' "$work/keys" data/schema.json
}
test_keys_are_documented() { none keys_undocumented; }

# No key is described twice: JSON readers would keep one of the descriptions.
keys_described_twice() {
    grep -oE '^    "[a-z_0-9]+": \{"description"' data/schema.json | sort | uniq -d
}
test_keys_are_described_once() { none keys_described_twice; }

# A wrong merge may delete earlier text. Each release must have its section, including the first and
# this one.
news_lost() {
    for release in 0.1.0 "$(sed -n 's/^AC_INIT(\[[^]]*\], *\[\([^]]*\)\].*/\1/p' configure.ac)"; do
        awk -v release="$release" '$0 == release { found = 1; next } found && /^  - / { entries++ } found && /^[0-9]/ { exit } END { exit !entries }' NEWS || echo "NEWS has no entries for release '$release'"
    done
}
test_news_keeps_its_releases() { none news_lost; }

# Objects depend on the flags that configure found. When these change, all objects are compiled
# again. LLVM's flags change when the packages of the tests are installed after a build. Then only
# the compiler's objects are compiled again.
not_compiled_again() {
    build=$(dirname "$portolan")
    compiles() { env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES make -C "$build" -n -o config.h -o machine_images.c -o "$2" -W "$1" "$3" 2>/dev/null | grep -q ' -c '; }
    for object in src/base/str.o src/main.o machine_images.o; do
        compiles flags.stamp llvm_flags.stamp "$object" || echo "$object is not compiled again when flags change"
        ! compiles llvm_flags.stamp flags.stamp "$object" || echo "$object is compiled again when LLVM's flags change"
    done
    compiler=src/program/compiler/portolan_cc-driver.o
    [ ! -e "$build/$compiler" ] || compiles llvm_flags.stamp flags.stamp "$compiler" || echo "$compiler is not compiled again when LLVM's flags change"
}
test_changed_flags_compile_again() { none not_compiled_again; }

# Each file exists that docs/design.md names as a place for additions. NAME and ID are placeholders.
missing_files() {
    sed -n '/^## Where to add things/,/^## Data/p' docs/design.md | grep -oE '`[a-z]+/[A-Za-z0-9_./*-]+`' | tr -d '`' | sort -u >"$work/named"
    [ "$(wc -l <"$work/named")" -ge 8 ] || echo "the list names only $(wc -l <"$work/named") files"
    while read -r name; do
        # shellcheck disable=SC2046 # the name may become a pattern
        set -- $(printf '%s' "$name" | sed 's/NAME/*/g; s/ID/*/g')
        [ -e "$1" ] || echo "$name is not there"
    done <"$work/named"
}
test_where_to_add_things() {
    none missing_files
    for kind in 'a command' 'a machine fact' 'a setting' 'a view' 'a column' 'an instruction set' 'a test'; do
        grep -q "^- \*\*$kind\*\*: " docs/design.md || fail "the list lacks $kind"
    done
}

# Documents wrap at 100 columns, including tables.
wide_lines() {
    # A character has one byte that is not a continuation byte.
    LC_ALL=C awk '{ gsub(/[\200-\277]/, "") } length($0) > 100 { print FILENAME ":" FNR ": " length($0) " columns, at most 100" }' README.md NEWS CONTRIBUTING.md docs/*.md docs/notes/*.md
}
test_documents_wrap_at_100_columns() { none wide_lines; }

# The version is the same in configure.ac, the program, the release notes, the manual and the
# package.
other_versions() {
    version=$(sed -n 's/^AC_INIT(\[Portolan\], \[\([0-9.]*\)\].*/\1/p' configure.ac)
    [ -n "$version" ] || echo 'configure.ac has none'
    [ "$("$portolan" -V)" = "portolan $version" ] || echo "the program says $("$portolan" -V)"
    [ "$(grep -m 1 -xE '[0-9]+\.[0-9]+\.[0-9]+' NEWS)" = "$version" ] || echo 'NEWS begins with another'
    ! grep -qiE '^since [0-9]' NEWS || echo 'NEWS has changes of no version'
    grep -xE '[0-9]+\.[0-9]+\.[0-9]+' NEWS >"$work/releases"
    sed -n 's/^portolan (\([^)]*\)).*/\1/p' debian/changelog | diff "$work/releases" - >"$work/differ" || echo "debian/changelog has other releases than NEWS: $(cat "$work/differ")"
    for page in man/*.[0-9]; do
        head -n 1 "$page" | grep -qE "\"Portolan $version\"|^\.so " || echo "$page is of another"
    done
}
test_the_version_is_one() { none other_versions; }

run_tests
