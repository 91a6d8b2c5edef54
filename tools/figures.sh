#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables in documents, made from bench/results/figures.csv. In a document <!-- figures NAME -->
# begins the text made of bench/results/NAME.md, and <!-- end of figures --> ends it. {id} is a
# figure's value with its unit, {id:value} the value alone.
#   figures.sh write TOP          writes the tables into the documents
#   figures.sh check TOP          prints outdated, unknown and unused figures, and figures in prose;
#                                 status 1 if there are any
#   figures.sh measure TOP DATA [PORTOLAN]   runs the commands of all figures whose data is in DATA,
#                                 and stores their values
set -eu
action=${1:?write, check or measure} top=${2:?directory of the sources}
figures=$top/bench/results/figures.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Splits a line of CSV into field[1..]. Within quotes a quote is doubled.
fields='
function split_csv(line, field,    n, c, text, quoted) {
    split("", field); n = 0; text = ""; quoted = 0
    for (; line != ""; line = substr(line, 2)) {
        c = substr(line, 1, 1)
        if (quoted && c == "\"" && substr(line, 2, 1) == "\"") { text = text c; line = substr(line, 2) }
        else if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) { field[++n] = text; text = "" }
        else text = text c
    }
    field[++n] = text
    return n
}'

# Prints a document with new tables. Appends faults to $work/faults and the used figures to
# $work/used.
render() {
    awk -v figures="$figures" -v dir="$top/bench/results" -v faults="$work/faults" -v used="$work/used" -v name="${1#"$top"/}" "$fields"'
    BEGIN {
        while ((getline line < figures) > 0) {
            count = split_csv(line, f)
            if (count != 9) print "bench/results/figures.csv: " count " fields, 9 expected: " line >> faults
            value[f[1]] = f[3]; unit[f[1]] = f[4]
        }
    }
    function fill(line, where,    out, id, key) {
        out = ""
        while (match(line, /\{[a-z0-9.-]+(:value)?\}/)) {
            id = substr(line, RSTART + 1, RLENGTH - 2)
            key = id; sub(/:value$/, "", key)
            if (!(key in value)) print where ": no figure {" id "} in bench/results/figures.csv" >> faults
            print key >> used
            out = out substr(line, 1, RSTART - 1) value[key] (key == id && unit[key] != "" ? " " unit[key] : "")
            line = substr(line, RSTART + RLENGTH)
        }
        return out line
    }
    /^<!-- figures [a-z0-9-]+ -->$/ {
        print
        from = dir "/" $3 ".md"; lines = 0
        while ((getline line < from) > 0) { print fill(line, "bench/results/" $3 ".md"); lines++ }
        close(from)
        if (!lines) print name ": no table bench/results/" $3 ".md" >> faults
        inside = 1
        next
    }
    /^<!-- end of figures -->$/ { inside = 0 }
    !inside { print }
    END { if (inside) print name ": figures without an end" >> faults }' "$1"
}

# Finds percentages and times in the prose of a document, outside of tables of figures, code and
# quoted commands. A limit or a setting is not a result. One of these words precedes it, as in
# "within 3 %".
prose() {
    awk -v name="${1#"$top"/}" '
    BEGIN { limit = "(^|[ (])(within|at most|at least|than|up to|above|below|every|exceeds|default|=|over|last|after|for|level of|noise of) $" }
    /^<!-- figures / { inside = 1 }
    /^```/ { code = !code }
    !inside && !code && !/^    / {
        text = before " " $0; gsub(/ +/, " ", text)
        from = 1
        while (match(substr(text, from), /[0-9][0-9.,]*( to [0-9.]+)? (%|ms|s)([ ,.;:)|]|$)/)) {
            start = from + RSTART - 1; end = start + RLENGTH - 1
            if (end > length(before) && substr(text, 1, start - 1) !~ limit) {
                figure = substr(text, start, RLENGTH); sub(/[ ,.;:)|]$/, "", figure)
                print name ":" NR ": " figure " stands in prose without a row of bench/results/figures.csv"
            }
            from = end + 1
        }
    }
    { before = code || /^    / ? "" : $0; gsub(/ +/, " ", before); sub(/^ /, "", before) }
    /^<!-- end of figures/ { inside = 0; before = "" }' "$1"
}

documents=$(grep -lE '^<!-- figures [a-z0-9-]+ -->$' "$top/README.md" "$top"/docs/*.md "$top"/docs/notes/*.md)
: >"$work/faults"; : >"$work/used"

case $action in
write|check)
    for document in $documents; do
        render "$document" >"$work/new"
        cmp -s "$work/new" "$document" && continue
        if [ "$action" = write ]; then cat "$work/new" >"$document"; else echo "${document#"$top"/}: a table is stale; sh tools/figures.sh write . rewrites it" >>"$work/faults"; fi
    done
    for document in "$top/README.md" "$top"/docs/*.md "$top"/docs/notes/*.md; do
        prose "$document" >>"$work/faults"
    done
    sort -u "$work/used" >"$work/all"
    sed '1d; s/,.*//' "$figures" | sort >"$work/ids"
    uniq -d "$work/ids" | sed 's|^|bench/results/figures.csv: twice: |' >>"$work/faults"
    sort -u "$work/ids" | comm -23 - "$work/all" | sed 's|^|bench/results/figures.csv: no table shows |' >>"$work/faults"
    cat "$work/faults"
    [ ! -s "$work/faults" ];;
measure)
    data=$(cd "${3:?directory of the data}" && pwd) portolan=${4:-$top/portolan}
    commit=$(git -C "$top" rev-parse --short HEAD) today=$(date +%F)
    awk "$fields"'NR > 1 { split_csv($0, f); print f[1] "\037" f[3] "\037" f[4] "\037" f[8] "\037" f[9] }' "$figures" |
    while IFS=$(printf '\037') read -r id value unit member command; do
        file=$(printf %s "$command" | sed -n 's|.*DATA/\([^ ]*\).*|\1|p')
        [ "$member" != - ] && [ -n "$file" ] && [ -e "$data/$file" ] || continue
        line=$(printf %s "$command" | sed "s|DATA/|$data/|")
        found=$("$portolan" --format json -e "$line" </dev/null | sed -n "s|.*\"$member\":\([-0-9.e]*\).*|\1|p")
        [ -n "$found" ] || { echo "$id: no $member from $line" >&2; continue; }
        # Rounds to the number of decimals of the old figure. Percentages are fractions in JSON.
        new=$(awk -v was="$value" -v now="$found" -v percent="$unit" 'BEGIN {
            decimals = index(was, ".") ? length(was) - index(was, ".") : 0
            text = sprintf("%." decimals "f", percent == "%" ? 100 * now : now)
            if (was ~ /^\./) sub(/^0/, "", text)
            print text
        }')
        echo "$id: $value -> $new"
        printf '%s\t%s\n' "$id" "$new" >>"$work/measured"
    done
    [ -s "$work/measured" ] || { echo "no data of a figure's command is in $data" >&2; exit 1; }
    awk -v measured="$work/measured" -v commit="$commit" -v today="$today" "$fields"'
    function quoted(text) { if (text ~ /[",]/) { gsub(/"/, "\"\"", text); return "\"" text "\"" } return text }
    BEGIN { while ((getline line < measured) > 0) { split(line, pair, "\t"); new[pair[1]] = pair[2] } }
    { split_csv($0, f) }
    f[1] in new { f[3] = new[f[1]]; f[6] = today; f[7] = commit }
    { for (i = 1; i <= 9; i++) printf "%s%s", quoted(f[i]), i < 9 ? "," : "\n" }' "$figures" >"$work/figures.csv"
    cat "$work/figures.csv" >"$figures"
    sh "$0" write "$top";;
*)
    echo "figures.sh: $action is none of write, check, measure" >&2; exit 2;;
esac
