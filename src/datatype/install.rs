//! The library's own datatypes, between its beginning and its end.
#![forbid(unsafe_code)]

use super::layout::{Handle, Other};
use super::magic::{ACTIVE_EXTENT, COMPLEX_MAGIC, FLOAT_MAGIC, MAGIC, MATRIX_MAGIC, PAIR_EXTENT};
use super::{activity, bundle, foreign};
use crate::mpi::types::Made;
use crate::mpi::{Datatype, Failure, MpiResult};

/// Makes `AMPI_ADOUBLE` and its kin. Done once, when the library is initialised.
pub fn install() -> MpiResult<()> {
    let make = |from, extent, mark| {
        let made = Made::marked(from, extent, mark)?.commit()?;
        Ok::<_, Failure>(made.into_datatype())
    };
    let active = make(Datatype::double(), ACTIVE_EXTENT, MAGIC)?;
    active.set_name(c"AMPI_ADOUBLE")?;
    let attribute = activity::begin()?;
    active.set_active_double();
    let pair = |part, name| {
        let made = bundle::pair(part, PAIR_EXTENT)?;
        made.set_name(name)?;
        Ok::<_, Failure>(made)
    };
    pair(active, c"AMPI_ADOUBLE_INT")?.set_active_pair();
    let (tangent, active_tangent) =
        (bundle::bundle(2, Datatype::double())?, bundle::bundle(2, active)?);
    tangent.set_name(c"AMPI_TANGENT")?;
    active_tangent.set_name(c"AMPI_TANGENT_VAR")?;
    Datatype::set_tangents(tangent, active_tangent);
    let complex = |part, name| {
        let two = Made::contiguous(2, part)?;
        let made = make(two.datatype(), 2 * ACTIVE_EXTENT, COMPLEX_MAGIC)?;
        made.set_name(name)?;
        Ok::<_, Failure>(made)
    };
    complex(active, c"AMPI_ADOUBLE_COMPLEX")?.set_active_complex();
    let float = make(Datatype::float(), ACTIVE_EXTENT, FLOAT_MAGIC)?;
    float.set_name(c"AMPI_AFLOAT")?;
    float.set_active_float();
    pair(float, c"AMPI_AFLOAT_INT")?.set_active_float_pair();
    complex(float, c"AMPI_AFLOAT_COMPLEX")?.set_active_float_complex();
    let elements = |handle, name| {
        let made = make(Datatype::double(), 8, MATRIX_MAGIC)?;
        made.set_name(name)?;
        attribute.set(made, activity::remember(Other::Handle(handle).into()))?;
        Ok::<_, Failure>(made)
    };
    elements(Handle::Matrix, c"AMPI_VARMAT")?.set_of_matrix();
    elements(Handle::View, c"AMPI_VIEW")?.set_of_view();
    elements(Handle::Numbers, c"numbers of another AD tool")?.set_of_numbers();
    Ok(())
}

/// Frees them. No active buffer can be described afterwards.
pub fn remove() -> MpiResult<()> {
    bundle::remove();
    foreign::remove()?;
    activity::end();
    let made = [
        Datatype::active_float_complex(),
        Datatype::active_float(),
        Datatype::active_complex(),
        Datatype::active_double(),
        Datatype::of_matrix(),
        Datatype::of_view(),
        Datatype::of_numbers(),
    ];
    Datatype::null().set_active_float_complex();
    Datatype::null().set_active_float_pair();
    Datatype::null().set_active_float();
    Datatype::null().set_active_complex();
    Datatype::null().set_active_pair();
    Datatype::null().set_active_double();
    Datatype::set_tangents(Datatype::null(), Datatype::null());
    Datatype::null().set_of_matrix();
    Datatype::null().set_of_view();
    Datatype::null().set_of_numbers();
    made.into_iter().filter(|&made| made != Datatype::null()).try_for_each(Datatype::free)
}
