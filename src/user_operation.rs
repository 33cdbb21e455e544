//! Users' operations on matrices: a forward and a reverse function, any number of operands and results, one event.

use crate::count::{as_c, from_c};
use crate::error::{Code, Error, Result, of_users};
use crate::matrix::{Argument, Input, Operand, Owned, numbered};
use crate::tape::{Dependence, Event, Sweep, Tape, with_current};
use std::borrow::Cow;
use std::ffi::c_void;

/// An operand as the functions see it: column by column. Laid out as `admpi_operation_operand`.
#[repr(C)]
#[derive(Debug)]
pub struct SeenOperand {
    pub rows: i64,
    pub cols: i64,
    pub value: *const f64,
    /// Null where nothing is asked for.
    pub adjoint: *mut f64,
}

laid_out!(admpi_operation_operand, SeenOperand);

/// A result. Laid out as `admpi_operation_result`.
#[repr(C)]
#[derive(Debug)]
pub struct SeenResult {
    pub rows: i64,
    pub cols: i64,
    pub value: *mut f64,
    pub adjoint: *const f64,
}

laid_out!(admpi_operation_result, SeenResult);

/// What the functions get. Laid out as `admpi_operation_call`.
#[repr(C)]
#[derive(Debug)]
pub struct OperationCall {
    pub n_operands: i64,
    pub operand: *const SeenOperand,
    pub n_results: i64,
    pub result: *const SeenResult,
    pub data: *mut c_void,
}

laid_out!(admpi_operation_call, OperationCall);

pub(crate) type Function = unsafe extern "C-unwind" fn(*const OperationCall) -> i32;
pub(crate) type Destroy = unsafe extern "C-unwind" fn(*mut c_void);

/// A user's operation. Laid out as `admpi_operation`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UserOperation {
    pub size: usize,
    pub forward: Option<Function>,
    pub reverse: Option<Function>,
    pub destroy: Option<Destroy>,
}

laid_out!(admpi_operation, UserOperation);

/// The user's data of one operation, which is destroyed with it.
pub struct Data {
    pub(crate) data: *mut c_void,
    destroy: Option<Destroy>,
}

impl Drop for Data {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the user gave the function for this data, to be called once.
            unsafe { destroy(self.data) };
        }
    }
}

/// What an operation does: it is told the arrays, and lives as long as its event.
pub trait Compute: 'static {
    /// The operation, for messages.
    const NAME: &'static str;

    /// Computes the values of the results, which are zero.
    fn forward(&self, call: &OperationCall) -> Result<()>;
    /// Computes adjoints of the operands from those of the results.
    fn reverse(&self, call: &OperationCall) -> Result<()>;
}

/// A user's operation by its table of functions.
struct ByTable {
    forward: Function,
    reverse: Function,
    data: Data,
}

impl ByTable {
    fn call(&self, function: Function, call: &OperationCall) -> Result<()> {
        let call = OperationCall { data: self.data.data, ..*call };
        // SAFETY: the functions came with this data, and the arrays are those that their contract names.
        of_users(|| unsafe { function(&raw const call) })
    }
}

impl Compute for ByTable {
    const NAME: &'static str = "user's operation";

    fn forward(&self, call: &OperationCall) -> Result<()> {
        self.call(self.forward, call)
    }

    fn reverse(&self, call: &OperationCall) -> Result<()> {
        self.call(self.reverse, call)
    }
}

/// Calls `f` with what its functions see. Adjoints of operands that are empty are not asked for.
fn call(
    f: impl FnOnce(&OperationCall) -> Result<()>,
    (inputs, values): (&[Input], &[Cow<'_, [f64]>]),
    adjoints: &mut [Vec<f64>],
    results: &[SeenResult],
) -> Result<()> {
    let operands: Vec<SeenOperand> = inputs
        .iter()
        .zip(values)
        .zip(adjoints)
        .map(|((input, values), adjoint)| SeenOperand {
            rows: as_c(input.operand.part().rows),
            cols: as_c(input.operand.part().cols),
            value: values.as_ptr(),
            adjoint: if adjoint.is_empty() { std::ptr::null_mut() } else { adjoint.as_mut_ptr() },
        })
        .collect();
    f(&OperationCall {
        n_operands: as_c(operands.len()),
        operand: operands.as_ptr(),
        n_results: as_c(results.len()),
        result: results.as_ptr(),
        data: std::ptr::null_mut(),
    })
}

struct Recorded<C> {
    compute: C,
    inputs: Vec<Input>,
    results: Vec<Operand>,
    first: u32,
}

impl<C: Compute> Event for Recorded<C> {
    const NAME: &'static str = C::NAME;
    const PAUSES: bool = true;

    /// Once for each direction, also where all adjoints are zero: the function may call others that all ranks call.
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let n = self.results.iter().map(|result| result.part().len()).sum::<usize>();
        let mut taken = vec![0.0; n * width];
        sweep.take(self.first, n, &mut taken);
        let values: Vec<Cow<'_, [f64]>> = self.inputs.iter().map(Input::values).collect();
        for k in 0..width {
            let weights: Vec<f64> = taken.iter().skip(k).step_by(width).copied().collect();
            let mut at = 0;
            let mut seen = Vec::with_capacity(self.results.len());
            for result in &self.results {
                let part = result.part();
                seen.push(SeenResult {
                    rows: as_c(part.rows),
                    cols: as_c(part.cols),
                    value: result.values().as_ptr().cast_mut(),
                    adjoint: weights[at..].as_ptr(),
                });
                at += part.len();
            }
            let room = |input: &Input| if input.operand.is_active() { input.len() } else { 0 };
            let mut adjoints: Vec<Vec<f64>> =
                self.inputs.iter().map(|input| vec![0.0; room(input)]).collect();
            // No reference to the tape is held meanwhile.
            let reverse = |seen: &OperationCall| self.compute.reverse(seen);
            call(reverse, (&self.inputs, &values), &mut adjoints, &seen)?;
            for (input, adjoint) in self.inputs.iter().zip(&adjoints) {
                if !adjoint.is_empty() {
                    sweep.split(self.first, 0).0.add_columns(&input.operand, k, adjoint, 1.0)?;
                }
            }
        }
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.all_on_ids(self.inputs.iter().flat_map(|input| input.operand.ids()).collect());
        Ok(())
    }
}

impl Data {
    /// The data of a call, which the library has from now on; `size` is what the user says of a table of type `T`.
    pub(crate) fn of<T>(
        name: &str,
        size: usize,
        data: *mut c_void,
        destroy: Option<Destroy>,
    ) -> Result<Self> {
        if size < size_of::<T>() {
            return Err(Error::new(
                Code::Argument,
                format!("{name}.size = {size} is less than {}", size_of::<T>()),
            ));
        }
        Ok(Self { data, destroy })
    }
}

impl UserOperation {
    /// The data of a call, which the library has from now on.
    pub fn data(&self, data: *mut c_void) -> Result<Data> {
        Data::of::<Self>("operation", self.size, data, self.destroy)
    }

    fn functions(&self) -> Result<(Function, Function)> {
        let null = |name| Error::new(Code::Null, format!("operation.{name} is NULL"));
        let forward = self.forward.ok_or_else(|| null("forward"))?;
        Ok((forward, self.reverse.ok_or_else(|| null("reverse"))?))
    }

    /// As `apply`, by the functions of the table.
    ///
    /// # Safety
    /// As for `apply`. The functions may be called with `data`.
    pub unsafe fn apply(
        &self,
        data: Data,
        arguments: &[Argument],
        shapes: &[[i64; 2]],
    ) -> Result<Vec<Owned>> {
        let (forward, reverse) = self.functions()?;
        // SAFETY: the caller's promise.
        unsafe { apply(ByTable { forward, reverse, data }, arguments, shapes) }
    }
}

/// Lets the operation compute, and records it as one event if an operand is active and the thread's tape records. `shapes` are
/// rows and columns of the results.
///
/// # Safety
/// The arguments' matrices are null or live.
pub(crate) unsafe fn apply<C: Compute>(
    compute: C,
    arguments: &[Argument],
    shapes: &[[i64; 2]],
) -> Result<Vec<Owned>> {
    // SAFETY: the caller's promise.
    let (inputs, mut results) = unsafe { with_current(|tape| prepare(tape, arguments, shapes))? };
    // The function may assign to the matrices of its operands, which keep what they are here until it is recorded.
    let matrices = arguments.iter().map(|argument| argument.view.of);
    // SAFETY: live, as `prepare` has found.
    let _kept: Vec<Owned> =
        matrices.filter(|of| !of.is_null()).map(|of| unsafe { Owned::share(of) }.copy()).collect();
    {
        let values: Vec<Cow<'_, [f64]>> = inputs.iter().map(Input::values).collect();
        let seen: Vec<SeenResult> = results
            .iter_mut()
            .zip(shapes)
            .map(|(result, &[rows, cols])| {
                let value = result.fresh_values();
                value.fill(0.0);
                SeenResult { rows, cols, value: value.as_mut_ptr(), adjoint: std::ptr::null() }
            })
            .collect();
        let mut none = vec![Vec::new(); inputs.len()];
        // The function may use the tape, of which no reference is held.
        call(|seen| compute.forward(seen), (&inputs, &values), &mut none, &seen)?;
    }
    with_current(|tape| match tape.filter(|tape| tape.recording()) {
        Some(tape) => record(tape, inputs, &results, compute),
        None => Ok(()),
    })?;
    Ok(results)
}

/// # Safety
/// The arguments' matrices are null or live.
unsafe fn prepare(
    mut tape: Option<&mut Tape>,
    arguments: &[Argument],
    shapes: &[[i64; 2]],
) -> Result<(Vec<Input>, Vec<Owned>)> {
    let mut inputs = Vec::with_capacity(arguments.len());
    for (k, argument) in arguments.iter().enumerate() {
        inputs.push(numbered("operand", k, |name| {
            // SAFETY: the caller's promise.
            unsafe { Input::new(tape.as_deref(), name, argument) }
        })?);
    }
    let mut results = Vec::with_capacity(shapes.len());
    for &[rows, cols] in shapes {
        let (rows, cols) = (from_c("rows", rows)?, from_c("cols", cols)?);
        results.push(match &mut tape {
            Some(tape) => tape.matrix(rows, cols)?,
            None => Owned::zeros(rows, cols)?,
        });
    }
    Ok((inputs, results))
}

/// Records an operation that has been computed, if an operand is active.
fn record<C: Compute>(
    tape: &mut Tape,
    inputs: Vec<Input>,
    results: &[Owned],
    compute: C,
) -> Result<()> {
    if !inputs.iter().any(|input| input.operand.is_active()) {
        return Ok(());
    }
    let mut made = Vec::with_capacity(results.len());
    for result in results {
        // SAFETY: a live matrix of ours.
        let operand = unsafe { Tape::operand(Some(tape), "result", &result.view())? };
        if !result.is_on(tape) {
            return Err(Error::new(
                Code::Nest,
                "the user's forward function reset the tape, or changed it for another",
            ));
        }
        tape.keep_operand(&operand, true)?;
        made.push(operand);
    }
    for input in &inputs {
        tape.keep_operand(&input.operand, true)?;
    }
    let sizes: Vec<usize> = made.iter().map(|result| result.part().len()).collect();
    let n = sizes.iter().sum();
    let mut first =
        tape.record(n, |first, _| Recorded { compute, inputs, results: made, first })?;
    for (result, size) in results.iter().zip(sizes) {
        tape.activate(result, first);
        first += u32::try_from(size).expect("ids that were given out");
    }
    Ok(())
}
