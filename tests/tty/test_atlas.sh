#!/bin/sh
# Shows that the atlas works in a browser from local files, and that no text of a machine becomes
# markup or code.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

mkdir -p "$work/evil" && {
    printf 'key,value,unit,source\nports,"0,1",,\nisa,x86-64,,\ntitle,"<script>document.body.id=""taken""</script>",,\nchecked,<b>bold</b>,,\n'
} >"$work/evil/machine.csv" && {
    printf 'form,usage,latency,micro_ops,source\n"ADD (R64, R64)",1*p01,1,1,"%s"\n' "<img src=x onerror=document.body.id='taken'>"
    printf '"<b>X</b> (R64)",1*p0,3,1,\n'
} >"$work/evil/mapping.csv"

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || ! command -v "$name" >/dev/null 2>&1 || browser=$name
done
# dump ADDRESS: prints the page after its scripts have run.
dump() {
    bounded "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=60000 --dump-dom "file://$work/site/index.html$1" \
        >"$work/out" 2>"$work/err" </dev/null
    grep -q '<h1' "$work/out" || skip "$browser shows no page here: $(tail -n 1 "$work/err")"
}
site() { expect 0 "$portolan" -e "machine atlas $work/site --machine $work/evil/ --machine zen4-charted --machine znver4 --experiments zen4-charted=$source/data/experiments/zen4.csv"; }

# Computes contrasts of both colour schemes as WCAG 2 defines them: 4.5:1 for text on both
# backgrounds, 3:1 for marks and the focus.
contrasts() {
    awk '
    function channel(text,    x) { x = (16 * (index("0123456789abcdef", substr(text, 1, 1)) - 1) + index("0123456789abcdef", substr(text, 2, 1)) - 1) / 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ^ 2.4 }
    function light(name,    c) { c = color[name]; return .2126 * channel(substr(c, 1, 2)) + .7152 * channel(substr(c, 3, 2)) + .0722 * channel(substr(c, 5, 2)) }
    function check(name, ground, least,    a, b, ratio) {
        a = light(name); b = light(ground); ratio = a > b ? (a + .05) / (b + .05) : (b + .05) / (a + .05)
        if (!(name in color) || !(ground in color) || ratio < least) printf "%s on %s: %.2f\n", name, ground, ratio
    }
    /--back: *#/ {
        schemes++
        split("", color)
        count = split($0, parts, ";")
        for (i = 1; i <= count; i++)
            if (match(parts[i], /--[a-z]+: *#[0-9a-f]+/)) { split(substr(parts[i], RSTART + 2, RLENGTH - 2), pair, /: *#/); color[pair[1]] = pair[2] }
        for (g = 1; g <= 2; g++) {
            ground = g == 1 ? "back" : "raised"
            check("text", ground, 4.5); check("quiet", ground, 4.5); check("link", ground, 4.5)
            check("mark", ground, 3); check("pipe", ground, 3); check("focus", ground, 3)
        }
    }
    END { if (schemes != 2) print schemes " colour schemes" }' "$1"
}
test_contrasts_of_both_schemes() {
    contrasts "$source/data/atlas/atlas.css" >"$work/faint"
    [ ! -s "$work/faint" ] || fail "$(cat "$work/faint")"
    sed 's/--quiet: #535d69/--quiet: #9aa3ad/' "$source/data/atlas/atlas.css" >"$work/faint.css"
    contrasts "$work/faint.css" | grep -q '^quiet on back: 2\.' || fail 'a faint colour passes'
}

test_a_site_is_written() {
    site
    holds out 'index.html: 3 machines'
    [ -f "$work/site/index.html" ] && [ -f "$work/site/data/machine-2.js" ] || fail 'files are missing'
    site   # replaces the site
    expect 1 "$portolan" -e "machine atlas $work/site --machine skylake --experiments znver4=x.csv"
    holds err 'the atlas has no machine znver4'
    expect 1 "$portolan" -e "machine atlas $work/evil --machine skylake"
    holds err ', which is not part of an atlas'
}

test_a_browser_shows_it() {
    [ -n "$browser" ] || skip 'no Chromium is installed'
    site
    dump ''
    holds out '>MOV (R64, M64)</a>'
    holds out 'aria-sort="descending"'
    lacks out 'role="alert"'
    dump '#/forms?q=%3Cb%3E'
    holds out '&lt;b&gt;X&lt;/b&gt; (R64)</a>'
    dump '#/form/x86-64/ADD%20(R64%2C%20R64)'
    holds out "&lt;img src=x onerror=document.body.id='taken'&gt;"
    lacks out '<body id'
    dump '#/form/x86-64/ADD%20(M32%2C%20I32)'
    holds out '1 × add dword ptr'
    dump '#/machine/zen4-charted'
    holds out '<svg'
    holds out 'issue_width'
    dump '#/machines'
    holds out '&lt;script&gt;document.body.id="taken"&lt;/script&gt;'
    holds out '&lt;b&gt;bold&lt;/b&gt;'
    lacks out '<body id'
    dump '#/differences/zen4-charted/znver4'
    holds out 'forms are known to both'
    lacks out 'role="alert"'
    dump '#/machine/nobody'
    holds out 'No such machine'
}

run_tests
