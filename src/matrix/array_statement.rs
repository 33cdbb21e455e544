//! Array statements: a whole assignment as one event, whose reverse function comes from the header or from the user.

use super::argument::{Argument, Values, no_tape, numbered};
use super::block::Matrix;
use super::operand::{Operand, Place};
use super::owned::Owned;
use super::part::Part;
use super::view::View;
use crate::count::as_c;
use crate::error::{Code, Error, Result};
use crate::tape::{Dependence, Event, Sweep, Tape};
use std::cell::Cell;
use std::ffi::c_void;

/// Adjoints of element (i, j) from `adjoint + i * row_step + j * col_step` on, one a direction. Laid out as
/// `admpi_adjoint`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Adjoints {
    pub adjoint: *mut f64,
    pub row_step: i64,
    pub col_step: i64,
}

laid_out!(admpi_adjoint, Adjoints);

/// What a forward function gets. Laid out as `admpi_forward_call`.
#[repr(C)]
#[derive(Debug)]
pub struct ForwardCall {
    pub rows: i64,
    pub cols: i64,
    pub result: *mut f64,
    pub value: *const Values,
    pub payload: *const c_void,
}

laid_out!(admpi_forward_call, ForwardCall);

pub type Forward = unsafe extern "C-unwind" fn(*const ForwardCall) -> i32;

/// What a reverse function gets. Laid out as `admpi_kernel_call`.
#[repr(C)]
#[derive(Debug)]
pub struct KernelCall {
    pub rows: i64,
    pub cols: i64,
    pub width: i64,
    pub result: Adjoints,
    pub operand: *const Adjoints,
    pub payload: *const c_void,
    pub value: *const Values,
}

laid_out!(admpi_kernel_call, KernelCall);

pub type Kernel = unsafe extern "C-unwind" fn(*const KernelCall) -> i32;

/// The event. Operands, in as many places of the arena, and payload follow it there.
struct Statement {
    /// Where the result's block begins, how many elements it has, and the part that was computed.
    first: u32,
    n: usize,
    part: Part,
    /// What the other elements were taken from.
    carried: Option<Operand>,
    operands: *const Operand,
    values: *const Values,
    count: usize,
    payload: *const c_void,
    reverse: Kernel,
    /// Whether it works element by element: functions of users need not.
    elementwise: bool,
}

thread_local! {
    // Memory that is used again by one statement after the other, when they are reversed and when they are recorded.
    static PLACES: Cell<(Vec<Place>, Vec<Adjoints>)> = const { Cell::new((Vec::new(), Vec::new())) };
    static OPERANDS: Cell<Vec<Operand>> = const { Cell::new(Vec::new()) };
}

impl Event for Statement {
    const NAME: &'static str = "array statement";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        // SAFETY: written when the statement was recorded.
        let operands = unsafe { std::slice::from_raw_parts(self.operands, self.count) };
        let width = sweep.width();
        let (mut below, out) = sweep.split(self.first, self.n);
        if out.iter().all(|&w| w == 0.0) {
            return Ok(());
        }
        let (mut places, mut adjoints) = PLACES.take();
        for operand in operands {
            let mut place = below.place(operand)?;
            let (adjoint, row_step, col_step) = place.pointer(operand, width);
            places.push(place);
            adjoints.push(Adjoints { adjoint, row_step: as_c(row_step), col_step: as_c(col_step) });
        }
        let part = &self.part;
        let call = KernelCall {
            rows: as_c(part.rows),
            cols: as_c(part.cols),
            width: as_c(width),
            result: Adjoints {
                adjoint: out[part.offset * width..].as_mut_ptr(),
                row_step: as_c(part.row_step * width),
                col_step: as_c(part.col_step * width),
            },
            operand: adjoints.as_ptr(),
            payload: self.payload,
            value: self.values,
        };
        // SAFETY: the function that came with this payload, with arrays of the sizes that its contract names.
        let status = unsafe { (self.reverse)(&raw const call) };
        if status != 0 {
            return Err(Error::new(
                Code::Callback,
                format!("the reverse function returned {status}"),
            ));
        }
        for (place, operand) in places.iter().zip(operands) {
            below.gathered(place, operand)?;
        }
        if let Some(carried) = &self.carried {
            part.gaps(self.n, |gap| {
                let values = &out[gap.start * width..gap.end * width];
                below.add_places(carried, gap, values)
            })?;
        }
        out.fill(0.0);
        places.clear();
        adjoints.clear();
        PLACES.set((places, adjoints));
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        // SAFETY: written when the statement was recorded.
        let operands = unsafe { std::slice::from_raw_parts(self.operands, self.count) };
        let of_part: Vec<Vec<u32>> = operands.iter().map(Operand::ids).collect();
        let carried = self.carried.as_ref().map_or_else(Vec::new, Operand::ids);
        // A sum has operands of any number of elements.
        let fits = |ids: &Vec<u32>| ids.len() == 1 || ids.len() == self.part.len();
        if !self.elementwise || !of_part.iter().all(fits) {
            on.all_on_ids(of_part.into_iter().flatten().chain(carried).collect());
            return Ok(());
        }
        // Of each element of the block, its number in the part that was computed.
        let mut number = vec![None; self.n];
        self.part.places().enumerate().for_each(|(k, place)| number[place] = Some(k));
        for (place, k) in number.into_iter().enumerate() {
            match k {
                // One element alone is the operand of every one.
                Some(k) => on.next(of_part.iter().map(|ids| ids[k.min(ids.len() - 1)])),
                None => on.next(carried.get(place).copied()),
            }
        }
        Ok(())
    }
}

impl Tape {
    /// A matrix whose values are to be computed: of this shape, or, if some of its elements stay what they are in
    /// `like`, of that one's, with its values.
    ///
    /// # Safety
    /// `like` is null or live.
    pub unsafe fn fresh(
        tape: Option<&mut Self>,
        rows: usize,
        cols: usize,
        like: *const Matrix,
    ) -> Result<Owned> {
        let make = |tape: Option<&mut Self>, rows, cols| match tape {
            Some(tape) => tape.matrix(rows, cols),
            None => Owned::unwritten(rows, cols),
        };
        // SAFETY: the caller's promise.
        let Some(like) = (unsafe { like.as_ref() }) else { return make(tape, rows, cols) };
        let shape = |n: i64| usize::try_from(n).unwrap_or(0);
        let mut fresh = make(tape, shape(like.rows), shape(like.cols))?;
        // SAFETY: a live matrix is bound to a live block.
        fresh.fresh_values().copy_from_slice(unsafe { (*like.block).values() });
        Ok(fresh)
    }

    /// Records that `part` of a fresh matrix was computed from `arguments`, and the rest of it taken from `carried`:
    /// if nothing is active, or the tape does not record, the result stays passive.
    ///
    /// # Safety
    /// `part.of` and `carried` are null or live, and so are the arguments' matrices. `reverse` may be called with a copy
    /// of `payload` as long as the event is on the tape.
    pub unsafe fn array_statement(
        tape: Option<&mut Self>,
        part: &View,
        carried: *const Matrix,
        arguments: &[Argument],
        reverse: Kernel,
        payload: &[u8],
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { Self::statement(tape, part, carried, arguments, reverse, payload, true) }
    }

    /// # Safety
    /// As for `array_statement`.
    unsafe fn statement(
        tape: Option<&mut Self>,
        part: &View,
        carried: *const Matrix,
        arguments: &[Argument],
        reverse: Kernel,
        payload: &[u8],
        elementwise: bool,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let result = part.part("part")?;
            let fresh = &*(*part.of).block;
            let n = fresh.n;
            let Some(this) = tape else {
                let stale = |argument: &Argument| argument.scalar.id != 0 || argument.is_active();
                return if arguments.iter().any(stale) { Err(no_tape()) } else { Ok(()) };
            };
            let mut operands = OPERANDS.take();
            operands.clear();
            for (k, argument) in arguments.iter().enumerate() {
                operands.push(if argument.view.of.is_null() {
                    this.check_var("operand", &argument.scalar)?;
                    Operand::scalar(&argument.scalar)
                } else {
                    numbered("operand", k, |name| Self::operand(Some(this), name, &argument.view))?
                });
            }
            let carried = match carried.as_ref() {
                None => None,
                Some(matrix) if (*matrix.block).n != n => {
                    return Err(Error::new(
                        Code::Argument,
                        format!(
                            "carried has {} elements, but the result has {n}",
                            (*matrix.block).n
                        ),
                    ));
                }
                Some(matrix) => {
                    if (*matrix.block).lies_below(fresh) {
                        (*(*part.of).block).origin = matrix.block;
                    }
                    // Nothing is taken over where everything was computed.
                    let all = View { of: carried.cast_mut(), ..View::column(n) };
                    let some = result.len() < n;
                    some.then(|| Self::operand(Some(this), "carried", &all)).transpose()?
                }
            };
            let active = operands.iter().chain(&carried).any(Operand::is_active);
            if !this.recording() || !active {
                OPERANDS.set(operands);
                return Ok(());
            }
            if fresh.is_heap() || fresh.is_active() || !fresh.used.is_empty() {
                return Err(Error::new(
                    Code::Argument,
                    "part: its matrix was not made by admpi_detail_array_fresh in this recording",
                ));
            }
            for operand in &operands {
                this.keep_operand(operand, true)?;
            }
            if let Some(carried) = &carried {
                this.keep_operand(carried, false)?;
            }
            let place = this.allocate(size_of_val(&*operands), align_of::<Operand>())?;
            let kept: *mut Operand = this.payload_at(place).cast();
            let count = operands.len();
            kept.copy_from_nonoverlapping(operands.as_ptr(), count);
            OPERANDS.set(operands);
            let values = this.keep_values(arguments)?;
            let place = this.allocate(payload.len(), 64)?;
            let copy = this.payload_at(place);
            copy.copy_from_nonoverlapping(payload.as_ptr(), payload.len());
            let first = this.record(n, |first, _| Statement {
                first,
                n,
                part: result,
                carried,
                operands: kept,
                values,
                count,
                payload: copy.cast(),
                reverse,
                elementwise,
            })?;
            this.activate_block((*part.of).block, first);
            Ok(())
        }
    }

    /// The arguments' values, for a reverse function: scalars are copied, the others stay where they are.
    ///
    /// # Safety
    /// As for `array_statement`, after `keep_operand`.
    unsafe fn keep_values(&mut self, arguments: &[Argument]) -> Result<*const Values> {
        let scalars = self.store::<f64>(arguments.len())?;
        let place = self.allocate(size_of::<Values>() * arguments.len(), align_of::<Values>())?;
        let kept: *mut Values = self.payload_at(place).cast();
        let copies = self.stored_mut(&scalars);
        for (k, argument) in arguments.iter().enumerate() {
            copies[k] = argument.scalar.value;
            // SAFETY: room for as many; the caller's promise.
            unsafe {
                let mut values = argument.values("operand")?;
                if argument.view.of.is_null() {
                    values.value = &raw const copies[k];
                }
                kept.add(k).write(values);
            }
        }
        Ok(kept)
    }

    /// A matrix that `forward` computes from `arguments`, each a scalar or of that shape, and `reverse` takes back.
    ///
    /// # Safety
    /// As for `array_statement`; both functions keep to the arrays that they are given.
    pub unsafe fn apply(
        mut tape: Option<&mut Self>,
        (rows, cols): (usize, usize),
        arguments: &[Argument],
        forward: Forward,
        reverse: Kernel,
        payload: &[u8],
    ) -> Result<Owned> {
        let mut values = Vec::with_capacity(arguments.len());
        for (k, argument) in arguments.iter().enumerate() {
            let view = &argument.view;
            if !view.of.is_null() && (view.rows, view.cols) != (as_c(rows), as_c(cols)) {
                return Err(Error::new(
                    Code::Argument,
                    format!("operand[{k}] is {} x {}, not {rows} x {cols}", view.rows, view.cols),
                ));
            }
            // SAFETY: the caller's promise; so below.
            values.push(numbered("operand", k, |name| unsafe { argument.values(name) })?);
        }
        let mut fresh =
            // SAFETY: nothing is to be carried over.
            unsafe { Self::fresh(tape.as_deref_mut(), rows, cols, std::ptr::null())? };
        let call = ForwardCall {
            rows: as_c(rows),
            cols: as_c(cols),
            result: fresh.fresh_values().as_mut_ptr(),
            value: values.as_ptr(),
            payload: payload.as_ptr().cast(),
        };
        // SAFETY: the caller's promise.
        let status = unsafe { forward(&raw const call) };
        if status != 0 {
            return Err(Error::new(
                Code::Callback,
                format!("the forward function returned {status}"),
            ));
        }
        // SAFETY: the caller's promise.
        unsafe {
            Self::statement(
                tape,
                &fresh.view(),
                std::ptr::null(),
                arguments,
                reverse,
                payload,
                false,
            )?;
        }
        Ok(fresh)
    }
}
