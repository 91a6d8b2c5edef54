#!/bin/sh
# Runs a test program. For skipped tests cmocka prints "not ok", which automake counts as a failure.
# This script prints "ok" instead.
"$@" | sed 's/^not ok \([0-9][0-9]* # SKIP\)/ok \1/'
