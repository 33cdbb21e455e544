/* The structs of the headers are laid out as Rust has them: the list is layout.txt. */
#include "admpi/derivatives.h"
#include "admpi/map.h"
#include "admpi/matrix.h"
#include "admpi/pmap_programs.h"
#include "admpi/profile.h"
#include "admpi/time_loop.h"
#include "admpi/tool_table.h"
#include "admpi/var.h"

#include "layout.h"

LAID_OUT_admpi_var;
LAID_OUT_admpi_var_int;
LAID_OUT_admpi_tape;
LAID_OUT_admpi_position;
LAID_OUT_admpi_nest;
LAID_OUT_admpi_statistics;
LAID_OUT_admpi_id;
LAID_OUT_admpi_run;
LAID_OUT_admpi_block;
LAID_OUT_admpi_varmat;
LAID_OUT_admpi_view;
LAID_OUT_admpi_operand;
LAID_OUT_admpi_adjoint;
LAID_OUT_admpi_values;
LAID_OUT_admpi_forward_call;
LAID_OUT_admpi_kernel_call;
LAID_OUT_admpi_operation_operand;
LAID_OUT_admpi_operation_result;
LAID_OUT_admpi_operation_call;
LAID_OUT_admpi_operation;
LAID_OUT_admpi_solve_call;
LAID_OUT_admpi_linear_system;
LAID_OUT_admpi_fixed_point_map;
LAID_OUT_admpi_map_values;
LAID_OUT_admpi_map_data;
LAID_OUT_admpi_map_call;
LAID_OUT_admpi_map_failure;
LAID_OUT_admpi_pmap_account;
LAID_OUT_admpi_pmap_topology;
LAID_OUT_admpi_input_check;
LAID_OUT_admpi_time_loop_statistics;
LAID_OUT_admpi_profile_spread;
LAID_OUT_admpi_profile_row;
LAID_OUT_admpi_tool;
