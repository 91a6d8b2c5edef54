#!/bin/sh
# Runs a test program. cmocka prints "not ok" for skipped tests, which automake counts as failures;
# this prints "ok" instead.
"$@" | sed 's/^not ok \([0-9][0-9]* # SKIP\)/ok \1/'
