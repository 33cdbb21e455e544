//! Datatypes: how they are made, and what MPI tells of them.

use super::handles::Datatype;
use super::raw::{self, MPI_Datatype, constants, wide_int, widen};
use super::{MpiResult, check, error};
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

impl Datatype {
    pub fn contiguous(self, count: c_int) -> MpiResult<Self> {
        let mut new = Self::null().0;
        // SAFETY: a live datatype and a place for the answer.
        check(unsafe { raw::MPI_Type_contiguous(count, self.0, &mut new) })?;
        Ok(Self(new))
    }

    pub fn commit(mut self) -> MpiResult<Self> {
        // SAFETY: as above.
        check(unsafe { raw::MPI_Type_commit(&mut self.0) })?;
        Ok(self)
    }

    pub fn set_name(self, name: &std::ffi::CStr) -> MpiResult<()> {
        // SAFETY: a live datatype and a string.
        check(unsafe { raw::MPI_Type_set_name(self.0, name.as_ptr()) })
    }

    pub fn free(mut self) -> MpiResult<()> {
        // SAFETY: a datatype that the library made and gives up.
        check(unsafe { raw::MPI_Type_free(&mut self.0) })
    }

    pub fn extent(self) -> MpiResult<(i64, i64)> {
        let (mut lower, mut extent) = (0, 0);
        // SAFETY: a live datatype and places for the answers.
        check(unsafe { raw::MPI_Type_get_extent(self.0, &mut lower, &mut extent) })?;
        Ok((widen(lower), widen(extent)))
    }

    /// How the type was made, or `None` for a predefined type.
    pub fn contents(self) -> MpiResult<Option<Contents>> {
        let (mut integers, mut addresses, mut datatypes, mut combiner) = (0, 0, 0, 0);
        // SAFETY: as above.
        check(unsafe {
            raw::MPI_Type_get_envelope(
                self.0,
                &mut integers,
                &mut addresses,
                &mut datatypes,
                &mut combiner,
            )
        })?;
        if combiner == constants().named {
            return Ok(None);
        }
        let mut i = vec![0; wide_int(integers)];
        let mut a: Vec<raw::MPI_Aint> = vec![0; wide_int(addresses)];
        let mut d = vec![Self::null().0; wide_int(datatypes)];
        // SAFETY: the arrays have the sizes that the envelope gave.
        check(unsafe {
            raw::MPI_Type_get_contents(
                self.0,
                integers,
                addresses,
                datatypes,
                i.as_mut_ptr(),
                a.as_mut_ptr(),
                d.as_mut_ptr(),
            )
        })?;
        Ok(Some(Contents {
            combiner,
            integers: i,
            addresses: a.into_iter().map(widen).collect(),
            datatypes: d.into_iter().map(Part).collect(),
        }))
    }
}

/// What `MPI_Type_get_contents` tells.
pub struct Contents {
    pub combiner: c_int,
    pub integers: Vec<c_int>,
    pub addresses: Vec<i64>,
    pub datatypes: Vec<Part>,
}

/// A datatype that `MPI_Type_get_contents` handed out; freed when dropped, unless it is predefined.
pub struct Part(pub(super) MPI_Datatype);

impl Part {
    pub fn datatype(&self) -> Datatype {
        Datatype(self.0)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let (mut integers, mut addresses, mut datatypes, mut combiner) = (0, 0, 0, 0);
        // SAFETY: a live handle. Predefined types may not be freed and were not made for us; a failing call
        // leaves a handle behind, no more.
        unsafe {
            let known = raw::MPI_Type_get_envelope(
                self.0,
                &mut integers,
                &mut addresses,
                &mut datatypes,
                &mut combiner,
            );
            if known == raw::SUCCESS && combiner != constants().named {
                raw::MPI_Type_free(&mut self.0);
            }
        }
    }
}

/// By the number of doubles.
static WIDE: Mutex<Vec<(usize, Datatype)>> = Mutex::new(Vec::new());

/// The committed type of `width` doubles, made once.
pub(super) fn wide_type(width: usize) -> MpiResult<Datatype> {
    let mut types = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, datatype)) = types.iter().find(|(w, _)| *w == width) {
        return Ok(*datatype);
    }
    let count = c_int::try_from(width).map_err(|_| error::too_many(1, width))?;
    let datatype = Datatype::double().contiguous(count)?.commit()?;
    types.push((width, datatype));
    Ok(datatype)
}

/// Frees the types of several doubles; MPI is about to end.
pub fn remove_wide_types() {
    for (_, datatype) in WIDE.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // A type that cannot be freed goes with MPI.
        let _ = datatype.free();
    }
}
