//! The user's functions: a step, and whether there is another.

use crate::error::{Error, Result, of_users};
use std::ffi::c_void;

/// Does step `step` on the user's state; 0, or the loop fails.
pub type StepFn = unsafe extern "C-unwind" fn(step: i64, ctx: *mut c_void) -> i32;

/// Writes whether step `step` is to be done; 0, or the loop fails.
pub type ConditionFn =
    unsafe extern "C-unwind" fn(step: i64, ctx: *mut c_void, go_on_out: *mut i32) -> i32;

/// The user's functions, with a context that is destroyed with them.
#[derive(Debug)]
pub struct Step {
    pub function: StepFn,
    /// None where the number of steps is known before.
    pub condition: Option<ConditionFn>,
    pub ctx: *mut c_void,
    pub destroy: Option<unsafe extern "C-unwind" fn(*mut c_void)>,
}

impl Drop for Step {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the user's function, with its context, once.
            unsafe { destroy(self.ctx) };
        }
    }
}

impl Step {
    pub fn run(&self, step: u64) -> Result<()> {
        // SAFETY: the user's function, with its context.
        named(step, || unsafe { (self.function)(number(step), self.ctx) })
    }

    /// Whether there is a step `step`, where only the end tells.
    pub fn goes_on(&self, step: u64) -> Result<bool> {
        let Some(condition) = self.condition else { return Ok(false) };
        let mut go_on = 0;
        // SAFETY: as above.
        named(step, || unsafe { condition(number(step), self.ctx, &mut go_on) })?;
        Ok(go_on != 0)
    }
}

fn number(step: u64) -> i64 {
    i64::try_from(step).unwrap_or(i64::MAX)
}

fn named(step: u64, call: impl FnOnce() -> i32) -> Result<()> {
    of_users(call).map_err(|Error { code, message }| Error {
        code,
        message: format!("time_loop, step {step}: {message}"),
    })
}
