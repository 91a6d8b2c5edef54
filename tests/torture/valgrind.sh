#!/bin/sh
# Runs the unit tests that execute no measured code under valgrind: no invalid access, no
# uninitialised read, no leak. Arguments name other tests. Excluded are: tests of foreign code,
# because the sandbox cannot set its limits under valgrind (test_sandbox and all that measure);
# tests that start compilers, because valgrind 3.19 has no pidfd_open (test_compile); tests that
# need more than 53 bits of a floating-point number (test_fit); and tests that fork often, use many
# threads or take minutes, which sanitizers cover.
set -u
command -v valgrind >/dev/null || { echo 'skipped: valgrind is not installed'; exit 77; }
build=$(dirname "${PORTOLAN:-./portolan}")
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- test_a64 test_addresses test_alternatives test_assemble test_att_name test_base test_baseline test_bounds test_chain test_change test_chart_parting test_command test_complete \
    test_cpus test_cycle_ratio test_differences test_experiment_columns test_experiments test_export_mapping test_facts test_file test_graphlet test_growth test_import_uops test_journal test_kernel test_listing test_loops test_machine_image \
    test_machines test_mapping_diff test_memory test_metrics test_model_text test_object test_operation test_osaca test_osaca_entries test_overrides test_pmevo_json \
    test_report_markup test_result test_rows test_scan test_schedule test_sdcm test_table test_window
# These are calls of glibc's checked memmove, which valgrind 3.19 reports as memcpy. The second line
# shows the function.
cat >"$work/known" <<'END'
{
    memmove
    Memcheck:Overlap
    fun:__memcpy_chk
    fun:memmove
}
END
failed=0 run=0
for name; do
    [ -x "$build/tests/unit/$name" ] || continue
    run=$((run + 1))
    valgrind -q --suppressions="$work/known" --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --child-silent-after-fork=yes "$build/tests/unit/$name" >"$work/out" 2>"$work/err"
    status=$?
    if [ $status != 0 ]; then
        failed=$((failed + 1))
        echo "FAIL: $name: status $status: $(grep -E '^==' "$work/err" | head -12)"
    fi
done
echo "valgrind: $run test programs, $failed with faults"
[ $failed = 0 ]
