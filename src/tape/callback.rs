//! User callbacks: operations whose reverse function the user writes.

use super::Tape;
use super::cursors::Var;
use super::dependence::Dependence;
use super::event::Event;
use super::stored::Ids;
use super::sweep::Sweep;
use crate::count::as_c;
use crate::error::{Result, of_users};
use std::ffi::c_void;

/// Gets the `n_out * width` adjoints of the results, writes the `n_in * width` ones to add to the operands.
pub type ReverseFn = unsafe extern "C-unwind" fn(
    n_out: i64,
    n_in: i64,
    width: i32,
    out_adjoint: *const f64,
    in_adjoint: *mut f64,
    payload: *mut c_void,
) -> i32;

struct Callback {
    operands: Ids,
    first: u32,
    n_out: usize,
    reverse: ReverseFn,
    payload: *mut c_void,
}

/// A destructor to run when what lies above it is forgotten.
struct OnRecover {
    function: unsafe extern "C-unwind" fn(*mut c_void),
    payload: *mut c_void,
}

impl Drop for OnRecover {
    fn drop(&mut self) {
        // SAFETY: the user registered the function for this payload, to be called once.
        unsafe { (self.function)(self.payload) };
    }
}

impl Event for OnRecover {
    const NAME: &'static str = "on_recover";
    fn reverse(&mut self, _sweep: &mut Sweep<'_>) -> Result<()> {
        Ok(())
    }
}

impl Event for Callback {
    const NAME: &'static str = "callback";
    const PAUSES: bool = true;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let (n_in, n_out) = (self.operands.len(), self.n_out);
        let mut adjoints = sweep.scratch((n_out + n_in) * width);
        let (out, operands) = adjoints.split_at_mut(n_out * width);
        sweep.take(self.first, n_out, out);
        // SAFETY: the user's function, with arrays of the sizes that its contract names.
        let called = of_users(|| unsafe {
            (self.reverse)(
                as_c(n_out),
                as_c(n_in),
                i32::try_from(width).unwrap_or(0),
                out.as_ptr(),
                operands.as_mut_ptr(),
                self.payload,
            )
        });
        if called.is_ok() {
            sweep.add(&self.operands, operands);
        }
        sweep.recycle(adjoints);
        called
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.all_on(&[self.operands]);
        Ok(())
    }
}

impl Tape {
    /// Records an operation with a user's reverse function and returns the first id of its results
    /// (0 when not recording). `payload_bytes` of `payload` are copied into the arena; with none the
    /// pointer itself is kept.
    ///
    /// # Safety
    /// `payload` is readable for `payload_bytes`, and `reverse` may be called with it, or with the copy,
    /// as long as the event is on the tape.
    pub unsafe fn callback(
        &mut self,
        operands: &[Var],
        n_out: usize,
        reverse: ReverseFn,
        payload: *const c_void,
        payload_bytes: usize,
    ) -> Result<u32> {
        self.check_vars("in", operands)?;
        if !self.recording() {
            return Ok(0);
        }
        let ids = self.ids(operands.len(), operands.iter().map(|operand| operand.id))?;
        let mut kept = payload.cast_mut();
        if payload_bytes > 0 {
            let offset = self.allocate(payload_bytes, 16)?;
            kept = self.payload_at(offset).cast();
            // SAFETY: fresh bytes of the arena, and the caller's promise.
            unsafe {
                std::ptr::copy_nonoverlapping(payload.cast::<u8>(), kept.cast(), payload_bytes)
            };
        }
        self.record(n_out, |first, _| Callback {
            operands: ids,
            first,
            n_out,
            reverse,
            payload: kept,
        })
    }

    /// Calls `function` when this place of the tape is forgotten, newest first.
    ///
    /// # Safety
    /// `function` may be called with `payload` until then.
    pub unsafe fn on_recover(
        &mut self,
        function: unsafe extern "C-unwind" fn(*mut c_void),
        payload: *mut c_void,
    ) -> Result<()> {
        self.record(0, |_, _| OnRecover { function, payload })?;
        Ok(())
    }
}
