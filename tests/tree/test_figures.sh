#!/bin/sh
# Shows that the tables of figures in README and docs equal those that tools/figures.sh makes from
# bench/results. The check finds outdated tables, unknown and unused figures, and figures in the
# prose of any document. Prints TAP.
set -eu
source=${PORTOLAN_SRC:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

result() {   # NAME, after a command
    status=$? number=$((number + 1))
    [ $status -eq 0 ] && echo "ok $number - $1" && return
    echo "not ok $number - $1"
    sed 's/^/# /' "$work/said"
    failed=1
}
said() { grep -qF "$1" "$work/said"; }
# Copies the tree's documents and figures.
copy() {
    rm -rf "$work/copy"
    mkdir -p "$work/copy/bench"
    cp -R "$source/bench/results" "$work/copy/bench/" && cp -R "$source/docs" "$source/README.md" "$work/copy/"
    chmod -R u+w "$work/copy"
}
check() { sh "$source/tools/figures.sh" check "$1" >"$work/said" 2>&1; }

echo 1..8
check "$source" && true; result "every table is what its figures say"
copy; sed -i 's/^cold-as,\([^,]*\),1.5/cold-as,\1,1.6/' "$work/copy/bench/results/figures.csv"
! check "$work/copy" && said "docs/comparison.md: a table is stale" && sh "$source/tools/figures.sh" write "$work/copy" && check "$work/copy" && grep -q '`as` alone | 1.6' "$work/copy/docs/comparison.md" && true
result "a figure that changed makes its tables stale until they are written"
copy; sed -i 's/{evolver-all-triples}/{trebles}/' "$work/copy/bench/results/readme.md"
! check "$work/copy" && said "bench/results/readme.md: no figure {trebles}" && true; result "a table of an unknown figure is a fault"
copy; echo 'unused,a figure,1,%,a CPU,2026,-,-,none' >>"$work/copy/bench/results/figures.csv"
! check "$work/copy" && said "no table shows unused" && true; result "a figure that no table shows is a fault"
copy; echo 'It is 3.1 % off.' >>"$work/copy/docs/comparison.md"
! check "$work/copy" && said "3.1 % stands in prose" && true; result "a figure in prose is a fault"
copy; echo 'It is 3 % off.' >>"$work/copy/docs/zen4.md"; printf 'A run takes\n4.5 s here.\n' >>"$work/copy/docs/notes/zen5.md"
! check "$work/copy" && said "docs/zen4.md:" && said '3 % stands in prose' && said "docs/notes/zen5.md:" && said '4.5 s stands in prose' && true
result "so it is in a document without tables, and in a note"
copy; printf 'Times agree within 3 %%, at\nmost 4 s apart, with noise of 2 %%.\n' >>"$work/copy/docs/blame.md"
check "$work/copy" && true; result "limits and settings may stand in prose"
copy; mkdir "$work/data"; printf 'hex,cycles\n4801d8,1.0\n480fafc3,3.2\n' >"$work/data/blocks.csv"
sed -i '2s/.*/skl-bounds,what,9.9,%,a CPU,2026,-,mape,kernel evaluate DATA\/blocks.csv --machine skylake/' "$work/copy/bench/results/figures.csv"
git init -q "$work/copy" && git -C "$work/copy" -c user.name=a -c user.email=a@b commit -q --allow-empty -m a
sh "$source/tools/figures.sh" measure "$work/copy" "$work/data" "${PORTOLAN:-$source/portolan}" >"$work/said" 2>&1 && said "skl-bounds: 9.9 -> " && ! grep -q 'bounds 9.9 %' "$work/copy/README.md" && check "$work/copy" && true
result "measuring runs a figure's command, keeps its value and writes the tables"
exit $failed
