#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions as documents, plots as pictures. Tests that need a browser or gnuplot are skipped without
# it.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# A session with all kinds of content: a loop, a swept parameter, simulated measurements and a
# mapping inferred from them.
forms="forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)'"
all="set machine skylake,znver4; kernel load '$source/tests/data/triad.s'; kernel whatif issue_width=1..4; $forms; experiments generate
    experiments measure --simulate skylake; evolve start --ports 4 --seconds 1 --threads 1 --checkpoint none; evolve wait"
all=$(printf '%s' "$all" | tr '\n' ';')

test_report_as_markdown() {
    expect 0 "$portolan" -e "$all; report '$work/r.md'"
    cp "$work/r.md" "$work/out"
    for part in '# Report of a session' '### Intel Skylake (client): ' '### AMD Zen 4: ' '## Experiments' '10 experiments with 4 instruction forms.' '## Mapping' '| ADD (R64, R64) | 1\*p0156 | 1 |' '## Accuracy' \
        '| Intel Skylake (client) | 10 | 0.' '## Evolution' 'Run 1: done' '| seconds | best so far'; do
        holds out "$part"
    done
    expect 0 "$portolan" -e "kernel load '$source/tests/data/triad.s'; report '$work/r.md'"
    cp "$work/r.md" "$work/out"
    holds out '## Mapping'
    lacks out '## Experiments'
    lacks out '## Evolution'
}

test_report_as_html() {
    expect 0 "$portolan" -e "$all; report '$work/r.html'"
    cp "$work/r.html" "$work/out"
    for part in '<h1>Report of a session</h1>' '<h2>Experiments</h2>' '<h2>Accuracy</h2>' '<h2>Evolution</h2>' '</html>'; do
        holds out "$part"
    done
    # The page loads nothing. Its only addresses are names of formats.
    grep -oE '(src|href)="[^"]*"|https?://[^"<> ]*' "$work/r.html" | grep -vE '^href="#|^https?://www\.w3\.org/' >"$work/addresses"
    [ ! -s "$work/addresses" ] || fail "addresses: $(cat "$work/addresses")"
}

test_nothing_to_report() {
    expect 1 "$portolan" -e "report '$work/r.html'"
    holds err 'the session is empty'
    expect 1 "$portolan" -e "kernel load '$source/tests/data/triad.s'; report '$work/r.pdf'"
    holds err 'must end in .html or .md'
}

# Runs Portolan with a PATH that has the tools it needs, except for gnuplot.
without_gnuplot() {
    mkdir -p "$work/bin"
    for tool in as objdump c++filt; do
        found=$(command -v "$tool") && ln -sf "$found" "$work/bin/$tool"
    done
    PATH=$work/bin "$portolan" "$@"
}

test_without_gnuplot() {
    expect 1 without_gnuplot -e "$all; plot evolution '$work/e.svg'"
    holds err 'gnuplot, which is not installed; install gnuplot (Debian: gnuplot-nox)'
    [ ! -e "$work/e.svg" ] || fail 'a file was left'
    expect 0 without_gnuplot -e "$all; report '$work/plain.html'"
    holds out 'Without pictures: '
    cp "$work/plain.html" "$work/out"
    holds out 'Without pictures: '
    holds out '</html>'
    lacks out '<svg'
}

test_plots() {
    needs gnuplot
    expect 0 "$portolan" -e "$all; plot evolution '$work/evolution.svg'; plot front '$work/front.svg'; plot accuracy '$work/accuracy.svg'; plot whatif '$work/whatif.svg'; plot evolution '$work/evolution.png'"
    for plot in evolution front accuracy whatif; do
        grep -q '</svg>' "$work/$plot.svg" || fail "$plot.svg is not whole"
    done
    [ "$(head -c 4 "$work/evolution.png" | tail -c 3)" = PNG ] || fail 'evolution.png is no PNG'
    cp "$work/evolution.svg" "$work/out"
    for text in '>best so far<' '>median<' '>worst<' 'mean error, %' 'Evolution, run 1'; do
        holds out "$text"
    done
    cp "$work/accuracy.svg" "$work/out"
    holds out '10 experiments'
    cp "$work/whatif.svg" "$work/out"
    holds out 'issue_width'
}

test_nothing_to_plot() {
    expect 1 "$portolan" -e 'plot evolution e.svg'
    holds err 'no inference run'
    expect 1 "$portolan" -e 'plot whatif e.svg'
    holds err 'no parameter was swept'
    expect 1 "$portolan" -e 'plot accuracy e.svg'
    holds err 'no experiments'
    expect 1 "$portolan" -e 'plot accuracy e.pdf'
    holds err 'must end in .svg or .png'
    expect 1 "$portolan" -e 'machine list; export e.svg'
    holds err 'plot accuracy FILE.svg'
}

test_browser_opens_the_report() {
    needs gnuplot
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'chromium is not installed'
    expect 0 "$portolan" -e "$all; report '$work/r.html'"
    # Chromium cannot use its sandbox as root. The page is trusted, because this test makes it.
    bounded "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --dump-dom "file://$work/r.html" >"$work/out" 2>"$work/err" || skip "$browser does not run here: $(tail -1 "$work/err")"
    for part in '<h2>Evolution</h2>' '<h2>Accuracy</h2>' 'Evolution, run 1' '10 experiments'; do
        holds out "$part"
    done
    [ "$(grep -c '<svg' "$work/out")" -eq 4 ] || fail "$(grep -c '<svg' "$work/out") pictures instead of 4"
    # An HTML parser that repairs a page moves or closes elements. The text must be unchanged, and
    # nothing may follow the body.
    tail -1 "$work/out" | grep -q '</body></html>$' || fail "the page does not end as one: $(tail -1 "$work/out" | tail -c 200)"
    bounded "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --window-size=1200,2000 --screenshot="$work/r.png" "file://$work/r.html" >/dev/null 2>&1
    [ "$(wc -c <"$work/r.png")" -gt 50000 ] || fail 'an empty page was drawn'
}

# A machine with 18 busy ports in a window of 1,200 points. The page itself does not scroll. Ports
# and notes of its widest table are visible, and instruction names stay in place when the table
# scrolls. A script added by the test reads the positions from the page.
test_wide_tables_fit() {
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'chromium is not installed'
    expect 0 "$portolan" -e "set machine znver4; kernel load '$source/data/kernels/pi-O1.s'; report '$work/wide.html'"
    sed '/<\/body>/i <script>addEventListener("load", () => { const t = document.querySelector(".ports"), head = t.tHead.rows[0].cells, n = head.length; const notes = head[n - 2].getBoundingClientRect().right <= innerWidth, page = document.documentElement.scrollWidth <= innerWidth; t.scrollLeft = 9999; const name = t.tBodies[0].rows[0].cells[1].getBoundingClientRect().left >= t.getBoundingClientRect().left; document.title = `${n - 5} ports, notes ${notes}, page ${page}, scrolled ${t.scrollLeft > 99}, name ${name}`; })</script>' \
        "$work/wide.html" >"$work/asked.html"
    bounded "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --window-size=1200,900 --dump-dom "file://$work/asked.html" >"$work/out" 2>"$work/err" || skip "$browser does not run here: $(tail -1 "$work/err")"
    holds out '<title>18 ports, notes true, page true, scrolled true, name true</title>'
}

run_tests
