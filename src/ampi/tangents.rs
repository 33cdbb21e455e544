//! Operations on tangents, which are values with derivatives: those that would reduce the parts of an item apart are refused.

use super::user_op;
use crate::datatype::{is_of_bundles, is_of_complex, is_passive};
use crate::error::{Code, Error, Result};
use crate::mpi::{Datatype, Op};

/// Refuses what would reduce the values and the derivatives of tangents apart. The overloads of `admpi.hpp` pass operations
/// on tangents where they see the buffer's type: where they do not, MPI's own come here.
#[inline]
pub fn check_tangents(op: Op, datatype: Datatype) -> Result<()> {
    if is_of_bundles(datatype) { check_bundles(op, datatype) } else { Ok(()) }
}

#[inline(never)]
fn check_bundles(op: Op, datatype: Datatype) -> Result<()> {
    let why = match user_op::find(op) {
        Some(operation) if operation.has_derivative() => {
            "op: it was made by AMPI_Op_create_adjoint, so its function knows doubles only, but the datatype is of tangents; make one by AMPI_Op_create"
        }
        Some(_) => return Ok(()),
        None if op == Op::min_location() || op == Op::max_location() => {
            "op: MPI_MINLOC and MPI_MAXLOC reduce tangents in a buffer of admpi::value_index<Real>, with its admpi::mpi_type; for another structure or void * use an operation of AMPI_Op_create"
        }
        // What is linear may be done element by element; an operation of the program's own gets whole items.
        None if op == Op::sum() && !is_passive(datatype) => return Ok(()),
        None if is_number_operation(op) => {
            "op would reduce values and derivatives separately: the datatype is of tangents, but the type of the buffer does not show it. Pass a pointer to the tangents instead of void *, specialise admpi::scalar_of, or use AMPI_Op_create (in Fortran: AMPI_TANGENT or AMPI_TANGENT_VAR itself, or AMPI_Op_create)"
        }
        None => return Ok(()),
    };
    Err(Error::new(Code::Unsupported, why))
}

/// The same of an accumulate, which the library carries out itself, an operation after the other: of complex numbers what is
/// linear.
pub fn check_accumulated(op: Op, [origin, target]: [Datatype; 2]) -> Result<()> {
    if [Op::sum(), Op::replace(), Op::no_op()].contains(&op) {
        return Ok(());
    }
    let sides = [is_of_bundles(origin), is_of_bundles(target)];
    let why = if sides.contains(&true) && !is_number_operation(op) {
        "op: tangents are accumulated by MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE and MPI_NO_OP only; combine them after a Get"
    } else if sides[0] != sides[1] {
        "one of origin_datatype and target_datatype is of tangents, and the other is not: op would combine values and derivatives separately"
    } else if !sides[0] && (is_of_complex(origin) || is_of_complex(target)) {
        "op: complex numbers are accumulated by MPI_SUM, MPI_REPLACE and MPI_NO_OP only; combine them after a Get"
    } else {
        return Ok(());
    };
    Err(Error::new(Code::Unsupported, why))
}

fn is_number_operation(op: Op) -> bool {
    [Op::sum(), Op::product(), Op::min(), Op::max()].contains(&op)
}
