#!/bin/sh
# Prints the address of the main Debian archive that apt uses on this machine: mirror.sh. Fails if
# apt has none.
set -eu
apt-get indextargets --format '$(CREATED_BY) $(COMPONENT) $(SUITE) $(REPO_URI)' |
    awk '$1 == "Packages" && $2 == "main" && $3 !~ /-(security|updates)$/ && !found { found = 1; print $4 } END { exit !found }'
