//! What a step reads and writes: arrays and matrices of the user's, and what only he knows how to keep.

use crate::error::{Code, Error, Result};
use crate::matrix::{Matrix, Owned};
use crate::tape::{Tape, Var, with_current};
use std::ffi::c_void;

/// Where active values lie now: their number, and the first. A container may have moved them.
pub type LocateFn = unsafe extern "C-unwind" fn(*mut c_void, *mut i64) -> *mut Var;

/// Which matrix it is now: two may have been swapped.
pub type LocateMatrixFn = unsafe extern "C-unwind" fn(*mut c_void) -> *mut Matrix;

/// Part of a state.
#[derive(Debug, Clone, Copy)]
pub enum Item {
    Array { first: *mut Var, n: usize },
    Located { locate: LocateFn, object: *mut c_void },
    Matrix { locate: LocateMatrixFn, object: *mut c_void },
}

/// Functions that keep what is not active: random generators, counters, files.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    /// What is to be kept, in memory of its own.
    pub save: unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void,
    pub restore: unsafe extern "C-unwind" fn(*mut c_void, *mut c_void),
    pub free: unsafe extern "C-unwind" fn(*mut c_void, *mut c_void),
    pub ctx: *mut c_void,
}

/// What a hook has saved.
#[derive(Debug)]
pub struct Saved {
    hook: Hook,
    data: *mut c_void,
}

impl Saved {
    fn of(hook: Hook) -> Self {
        // SAFETY: the user's function, with its context.
        Self { hook, data: unsafe { (hook.save)(hook.ctx) } }
    }

    pub fn restore(&self) {
        // SAFETY: as above; the data are what `save` gave.
        unsafe { (self.hook.restore)(self.hook.ctx, self.data) };
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        // SAFETY: as above, once.
        unsafe { (self.hook.free)(self.hook.ctx, self.data) };
    }
}

/// The parts, in the order in which the user named them.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub items: Vec<Item>,
    pub hooks: Vec<Hook>,
}

/// A state as it was, ids and all.
#[derive(Debug)]
pub struct Held {
    vars: Vec<Var>,
    matrices: Vec<Owned>,
    saved: Vec<Saved>,
}

impl Item {
    /// The elements where they lie.
    ///
    /// # Safety
    /// The user's objects live.
    unsafe fn vars<'a>(&self) -> Result<&'a mut [Var]> {
        let (first, n) = match *self {
            Self::Array { first, n } => (first, n),
            Self::Located { locate, object } => {
                let mut n = 0;
                // SAFETY: the user's function and object.
                let first = unsafe { locate(object, &mut n) };
                (first, usize::try_from(n).unwrap_or(0))
            }
            Self::Matrix { .. } => (std::ptr::null_mut(), 0),
        };
        if n == 0 {
            return Ok(&mut []);
        }
        if first.is_null() {
            return Err(Error::new(Code::Null, "time_loop: an array of the state is NULL"));
        }
        // SAFETY: the caller's promise.
        Ok(unsafe { std::slice::from_raw_parts_mut(first, n) })
    }
}

/// The matrix, for as long as this is used.
///
/// # Safety
/// The user's objects live.
unsafe fn shared(locate: LocateMatrixFn, object: *mut c_void) -> Result<Owned> {
    // SAFETY: the user's function and object.
    let of = unsafe { locate(object) };
    if of.is_null() {
        return Err(Error::new(Code::Null, "time_loop: a matrix of the state is NULL"));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { Owned::share(of) })
}

impl State {
    /// Copies all elements to `out`.
    ///
    /// # Safety
    /// The user's objects live, as for all functions here.
    pub unsafe fn get(&self, out: &mut Vec<Var>) -> Result<()> {
        out.clear();
        for item in &self.items {
            // SAFETY: the caller's promise.
            unsafe {
                match *item {
                    Item::Matrix { locate, object } => {
                        out.extend(Tape::elements("state", &shared(locate, object)?.view())?);
                    }
                    _ => out.extend_from_slice(item.vars()?),
                }
            }
        }
        Ok(())
    }

    /// Writes all elements.
    ///
    /// # Safety
    /// As for `get`.
    pub unsafe fn put(&self, mut from: &[Var]) -> Result<()> {
        let all = from.len();
        let changed = || {
            let text = format!(
                "time_loop: the state had {all} elements before; a step must not change their number"
            );
            Error::new(Code::Argument, text)
        };
        for item in &self.items {
            // SAFETY: the caller's promise.
            unsafe {
                match *item {
                    Item::Matrix { locate, object } => {
                        let matrix = shared(locate, object)?;
                        let (rows, cols) = matrix.shape();
                        let (mine, rest) =
                            from.split_at_checked(rows * cols).ok_or_else(changed)?;
                        let fresh = with_current(|tape| Tape::matrix_with(tape, rows, cols, mine))?;
                        matrix.rebind(&fresh);
                        from = rest;
                    }
                    _ => {
                        let to = item.vars()?;
                        let (mine, rest) = from.split_at_checked(to.len()).ok_or_else(changed)?;
                        to.copy_from_slice(mine);
                        from = rest;
                    }
                }
            }
        }
        if from.is_empty() { Ok(()) } else { Err(changed()) }
    }

    /// What the hooks save.
    pub fn save(&self) -> Vec<Saved> {
        self.hooks.iter().copied().map(Saved::of).collect()
    }

    /// The state as it is, to be given back by `release`.
    ///
    /// # Safety
    /// As for `get`.
    pub unsafe fn hold(&self) -> Result<Held> {
        let mut held = Held { vars: Vec::new(), matrices: Vec::new(), saved: self.save() };
        for item in &self.items {
            // SAFETY: the caller's promise.
            unsafe {
                match *item {
                    Item::Matrix { locate, object } => {
                        held.matrices.push(shared(locate, object)?.copy())
                    }
                    _ => held.vars.extend_from_slice(item.vars()?),
                }
            }
        }
        Ok(held)
    }

    /// # Safety
    /// As for `get`.
    pub unsafe fn release(&self, held: &Held) -> Result<()> {
        let (mut vars, mut matrices) = (held.vars.as_slice(), held.matrices.iter());
        for item in &self.items {
            // SAFETY: the caller's promise.
            unsafe {
                match *item {
                    Item::Matrix { locate, object } => {
                        if let Some(held) = matrices.next() {
                            shared(locate, object)?.rebind(held);
                        }
                    }
                    _ => {
                        let to = item.vars()?;
                        let n = to.len().min(vars.len());
                        to[..n].copy_from_slice(&vars[..n]);
                        vars = &vars[n..];
                    }
                }
            }
        }
        held.saved.iter().for_each(Saved::restore);
        Ok(())
    }
}
