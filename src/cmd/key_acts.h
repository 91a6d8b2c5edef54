/* Predicates for struct key_row's @acts: whether keys have an effect in the session's state. UI
 * thread. */
#ifndef PORTOLAN_CMD_KEY_ACTS_H
#define PORTOLAN_CMD_KEY_ACTS_H

#include "cmd/session.h"

bool keys_run_is_there(const struct session *s);
bool keys_runs_are_there(const struct session *s);
bool keys_rounds_are_there(const struct session *s);
bool keys_run_goes_on(const struct session *s);
/* Returns whether inference is running, or the chart, check or hunt that LAB shows is running. */
bool keys_lab_can_stop(const struct session *s);
/* Returns whether experiments can be generated. */
bool keys_forms_can_be_measured(const struct session *s);
bool keys_run_has_mapping(const struct session *s);
/* Returns whether an inference run, or the chart that LAB shows, has a mapping. */
bool keys_mapping_is_inferred(const struct session *s);
bool keys_experiments_wait(const struct session *s);
bool keys_run_can_start(const struct session *s);
bool keys_experiments_are_measured(const struct session *s);
bool keys_mappings_are_measured(const struct session *s);
bool keys_kernel_is_there(const struct session *s);
bool keys_loop_runs_here(const struct session *s);
bool keys_loop_can_be_tuned(const struct session *s);
bool keys_loop_on_machines(const struct session *s);
bool keys_kernels_are_there(const struct session *s);
bool keys_loops_are_there(const struct session *s);
bool keys_loop_can_be_compared(const struct session *s);
bool keys_kernel_has_text(const struct session *s);
bool keys_kernel_has_a_source(const struct session *s);
bool keys_kernel_has_compilers(const struct session *s);
/* Returns whether the machine in view lacks a form of the loop, and another machine has all of
 * them. */
bool keys_machines_are_incomplete(const struct session *s);
bool keys_chain_is_drawn(const struct session *s);
bool keys_values_are_swept(const struct session *s);
bool keys_place_has_panes(const struct session *s);
/* Returns whether the focused pane has a table. */
bool keys_table_is_shown(const struct session *s);
bool keys_check_has_rows(const struct session *s);
bool keys_cpu_is_free(const struct session *s);
bool keys_check_can_start(const struct session *s);
bool keys_functions_are_listed(const struct session *s);
bool keys_hot_loops_are_there(const struct session *s);
bool keys_blocks_are_there(const struct session *s);
bool keys_program_has_rows(const struct session *s);
bool keys_program_has_both(const struct session *s);
bool keys_program_is_loaded(const struct session *s);
bool keys_program_has_run(const struct session *s);
bool keys_profile_runs(const struct session *s);
bool keys_measuring_goes_on(const struct session *s);

#endif
