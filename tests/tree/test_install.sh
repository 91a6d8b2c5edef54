#!/bin/sh
# Tests which files are installed, which remain after uninstalling, and which a release contains.
# Neither the installation nor a release may contain a path of the build.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

build=$(cd "$(dirname "$portolan")" && pwd)
# Runs make with its own targets and flags, separate from the make that runs the tests.
run_make() { env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u MFLAGS make -s -C "$build" "$@" >"$work/make" 2>&1 || fail "make $*: $(tail -n 3 "$work/make")"; }
install_once() {
    [ -d "$work/root" ] && return
    run_make install DESTDIR="$work/root"
    prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
}
prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")

# The installed program finds its data without PORTOLAN_DATA, even after the installation was moved.
test_installed_program_finds_its_data() {
    install_once
    cp -R "$work/root$prefix" "$work/moved"
    expect 0 env -u PORTOLAN_DATA "$work/moved/bin/portolan" "$work/moved/share/portolan/kernels/triad-skl-O3.s"
    holds out 'cycles'
    expect 0 env -u PORTOLAN_DATA "$portolan" -e 'machine list'
    holds out 'skylake'
    # A moved program uses the data that were moved with it, even if the original location has data.
    sed -i 's/^title,[^,]*/title,Of the moved ones/' "$work/moved/share/portolan/machines/skylake/machine.csv"
    grep -q 'Of the moved ones' "$work/moved/share/portolan/machines/skylake/machine.csv" || fail 'the machine has no title'
    [ -d "$prefix" ] && unshare -rm true 2>/dev/null || skip 'no mounts of its own: an installed release beside it was not tried'
    expect 0 env -u PORTOLAN_DATA unshare -rm sh -c 'mount --bind "$1$2" "$2" && exec "$1/../moved/bin/portolan" -e "machine show skylake"' sh "$work/root" "$prefix"
    holds out 'Of the moved ones'
}

# A moved installation finds portolan-cc, and what it links, next to the program. A program copied
# without them finds them where they were installed.
test_installed_program_finds_its_compiler() {
    install_once
    [ -x "$work/root$prefix/bin/portolan-cc" ] || skip 'built without LLVM'
    load="program load $source/data/programs/matmul.c -O1"
    cp -R "$work/root$prefix" "$work/whole"
    expect 0 env PORTOLAN_DATA="$source/data" "$work/whole/bin/portolan" -e "$load"
    mkdir "$work/away" && cp "$work/root$prefix/bin/portolan" "$work/away"
    [ -d "$prefix" ] && unshare -rm true 2>/dev/null || skip 'no mounts of its own: the installed place was not tried'
    expect 0 unshare -rm sh -c 'mount --bind "$1$2" "$2" && PORTOLAN_DATA=$4 PATH=/usr/bin:/bin exec "$1/../away/portolan" -e "$3"' sh "$work/root" "$prefix" "$load" "$source/data"
}

test_documents_licences_and_completions_are_installed() {
    install_once
    for file in README.md NEWS COPYING docs/analysis.md; do
        [ -r "$work/root$prefix/share/doc/portolan/$file" ] || fail "$file is not installed"
    done
    for file in "$source"/docs/*.md; do
        [ -r "$work/root$prefix/share/doc/portolan/docs/${file##*/}" ] || fail "$file is not installed"
    done
    for file in portolan/machines/LICENSE-LLVM portolan/machines/README bash-completion/completions/portolan zsh/site-functions/_portolan \
        fish/vendor_completions.d/portolan.fish man/man1/portolan.1 man/man5/portolan-machine.5 man/man7/portolan-commands.7; do
        [ -r "$work/root$prefix/share/$file" ] || fail "$file is not installed"
    done
    grep -q 'Apache License' "$work/root$prefix/share/portolan/machines/LICENSE-LLVM" && grep -q 'LLVM Exceptions' "$work/root$prefix/share/portolan/machines/LICENSE-LLVM" ||
        fail 'the licence of LLVM lacks its text'
}

test_no_path_of_the_build() {
    install_once
    case $(sed -n 's/^PREFIX_MAP = //p' "$build/Makefile") in '') skip 'the compiler does not map paths' ;; esac
    case $(sed -n 's/^SANITIZER_CFLAGS = //p' "$build/Makefile") in ?*) skip 'sanitizers keep paths' ;; esac
    # Files may contain the prefix, which is below the build directory in make distcheck.
    for path in "$build" "$(cd "$source" && pwd)"; do
        grep -rlaF "$path" "$work/root" >"$work/files"
        while read -r file; do
            LC_ALL=C sed "s|$prefix/||g" "$file" >"$work/without"
            ! grep -aqF "$path/" "$work/without" && ! grep -aqxF "$path" "$work/without" || fail "${file##*/} holds the path $path"
        done <"$work/files"
    done
    ! strings -a "$portolan" 2>/dev/null | sed "s|$prefix/||g" | grep -qF "$build" || fail "the program holds the path $build"
}

# Directories shared with other programs, and the prefix, may remain. Below the prefix no path with
# this program's name may remain.
test_uninstall_leaves_nothing() {
    install_once
    run_make uninstall DESTDIR="$work/root"
    { find "$work/root" ! -type d; find "$work/root$prefix" -mindepth 1 -name '*portolan*'; } >"$work/left"
    [ ! -s "$work/left" ] || fail "left behind: $(head -5 "$work/left")"
    rm -rf "$work/root"
}

# A release contains all files of the repository and no files from tests or builds.
test_release_holds_what_the_repository_holds() {
    git -C "$source" rev-parse --git-dir >/dev/null 2>&1 && [ "$(git -C "$source" rev-parse --show-toplevel)" = "$(cd "$source" && pwd -P)" ] || skip 'not in a repository'
    run_make distdir distdir="$work/release"
    git -C "$source" ls-files | grep -v '^\.gitignore$\|/\.gitignore$\|^\.gitattributes$' | sort >"$work/tracked"
    (cd "$work/release" && find . -type f | sed 's|^\./||' | sort) >"$work/released"
    comm -23 "$work/tracked" "$work/released" >"$work/lacking"
    [ ! -s "$work/lacking" ] || fail "not in a release: $(head -5 "$work/lacking")"
    grep -E '\.(o|a|log|trs)$' "$work/released" >"$work/extra" && fail "too much in a release: $(head -5 "$work/extra")"
    return 0
}

# ar's default operation prints a warning if ar is deterministic.
test_archives_are_made_without_a_warning() {
    grep -q '^ARFLAGS = cr$' "$build/Makefile" || fail 'ARFLAGS are not cr'
}

# The shell completions in the source tree equal those that the program prints.
test_completions_are_the_tables() {
    for file in bash/portolan zsh/_portolan fish/portolan.fish; do
        "$portolan" -e "help --completion ${file%/*}" >"$work/script"
        cmp -s "$work/script" "$source/completion/$file" || fail "completion/$file is not what the tables say; run tools/make-man.sh"
    done
}

run_tests
