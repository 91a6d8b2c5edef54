#!/bin/sh
# Runs a test program. cmocka calls what was skipped "not ok", which automake counts as a failure:
# it is "ok" here.
"$@" | sed 's/^not ok \([0-9][0-9]* # SKIP\)/ok \1/'
