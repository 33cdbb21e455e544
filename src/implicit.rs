//! Equations that functions of the user's solve: linear systems whose matrix is never formed, and fixed points. Of the
//! functions' iterations nothing is recorded; a sweep records one evaluation in a nest, and reverses that.

use crate::count::as_c;
use crate::error::{Code, Error, Result, of_users};
use crate::matrix::{Argument, Matrix, Owned, View};
use crate::tape::{Outside, Passive, Tape, in_nest, on_current, reverse_current};
use crate::user_operation::{
    Compute, Data, Destroy, OperationCall, SeenOperand, SeenResult, apply,
};
use std::ffi::c_void;

/// What the function that solves a linear system gets. Laid out as `admpi_solve_call`.
#[repr(C)]
#[derive(Debug)]
pub struct SolveCall {
    pub n_p: i64,
    pub p: *const *mut Matrix,
    pub rows: i64,
    pub cols: i64,
    pub rhs: *const f64,
    pub x: *mut f64,
    pub transposed: i32,
    pub data: *mut c_void,
}

laid_out!(admpi_solve_call, SolveCall);

type Solve = unsafe extern "C-unwind" fn(*const SolveCall) -> i32;
/// Makes a matrix from parameters and another one.
type Evaluate = unsafe extern "C-unwind" fn(
    n_p: i64,
    p: *const *mut Matrix,
    x: *mut Matrix,
    y_out: *mut *mut Matrix,
    data: *mut c_void,
) -> i32;
type Norm = unsafe extern "C-unwind" fn(n: i64, x: *const f64, data: *mut c_void) -> f64;

/// A linear system. Laid out as `admpi_linear_system`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct LinearSystem {
    pub size: usize,
    pub solve: Option<Solve>,
    pub product: Option<Evaluate>,
    pub destroy: Option<Destroy>,
}

laid_out!(admpi_linear_system, LinearSystem);

/// A fixed point. Laid out as `admpi_fixed_point_map`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct FixedPoint {
    pub size: usize,
    pub evaluate: Option<Evaluate>,
    pub norm: Option<Norm>,
    pub destroy: Option<Destroy>,
    pub tolerance: f64,
    pub max_iterations: i64,
}

laid_out!(admpi_fixed_point_map, FixedPoint);

fn null(name: &str) -> Error {
    Error::new(Code::Null, format!("{name} is NULL"))
}

/// The arrays of a call.
fn operands(call: &OperationCall) -> &[SeenOperand] {
    // SAFETY: what a call holds lives as long as it.
    unsafe {
        std::slice::from_raw_parts(call.operand, usize::try_from(call.n_operands).unwrap_or(0))
    }
}

fn result(call: &OperationCall) -> &SeenResult {
    // SAFETY: these operations have one.
    unsafe { &*call.result }
}

fn len(rows: i64, cols: i64) -> usize {
    usize::try_from(rows * cols).unwrap_or(0)
}

/// # Safety
/// `value` are as many.
unsafe fn copy_of(rows: i64, cols: i64, value: *const f64) -> Result<Owned> {
    let n = |n: i64| usize::try_from(n).unwrap_or(0);
    // SAFETY: the caller's promise.
    let values = unsafe { std::slice::from_raw_parts(value, len(rows, cols)) };
    Owned::passive(n(rows), n(cols), values.iter().copied())
}

/// Parameters as matrices of their own.
struct Parameters {
    matrices: Vec<Owned>,
    handles: Vec<*mut Matrix>,
}

impl Parameters {
    fn of(operands: &[SeenOperand]) -> Result<Self> {
        // SAFETY: the arrays of a call.
        let matrix = |p: &SeenOperand| unsafe { copy_of(p.rows, p.cols, p.value) };
        let matrices: Vec<Owned> = operands.iter().map(matrix).collect::<Result<_>>()?;
        let handles = matrices.iter().map(|matrix| matrix.view().of).collect();
        Ok(Self { matrices, handles })
    }

    /// Makes those whose adjoints are asked for inputs.
    fn input(&self, operands: &[SeenOperand]) -> Result<()> {
        for (matrix, _) in self.asked(operands) {
            on_current(|tape| tape.input_matrix(matrix))?;
        }
        Ok(())
    }

    /// Hands their adjoints over.
    fn give_adjoints(&self, operands: &[SeenOperand]) -> Result<()> {
        for (matrix, operand) in self.asked(operands) {
            // SAFETY: as many as elements.
            let to = unsafe {
                std::slice::from_raw_parts_mut(operand.adjoint, len(operand.rows, operand.cols))
            };
            adjoints(&matrix.view(), to)?;
        }
        Ok(())
    }

    fn asked<'a>(
        &'a self,
        operands: &'a [SeenOperand],
    ) -> impl Iterator<Item = (&'a Owned, &'a SeenOperand)> {
        self.matrices.iter().zip(operands).filter(|(_, operand)| !operand.adjoint.is_null())
    }

    /// What `function` makes of them and `x`, which must have the shape of `x`.
    fn evaluate(&self, what: &str, function: Evaluate, x: &Owned, data: &Data) -> Result<Owned> {
        let (handles, mut y) = (&self.handles, std::ptr::null_mut());
        // SAFETY: the function came with this data; the matrices live.
        unsafe {
            let n = as_c(handles.len());
            of_users(|| function(n, handles.as_ptr(), x.view().of, &raw mut y, data.data))?;
        }
        if y.is_null() {
            return Err(Error::new(Code::Null, format!("{what} made no matrix")));
        }
        // SAFETY: the function gave its reference away.
        let y = unsafe { Owned::from_raw(y) };
        let ((rows, cols), (m, n)) = (y.shape(), x.shape());
        if (rows, cols) == (m, n) {
            return Ok(y);
        }
        Err(Error::new(Code::Argument, format!("{what} is {rows} x {cols}, expected {m} x {n}")))
    }
}

/// Sweeps from these adjoints of `y`.
fn sweep(y: &View, weights: &[f64]) -> Result<()> {
    // SAFETY: a live matrix.
    on_current(|tape| unsafe { tape.seed_view("y", y, weights, 0) })?;
    reverse_current()
}

fn adjoints(x: &View, out: &mut [f64]) -> Result<()> {
    // SAFETY: a live matrix.
    on_current(|tape| unsafe { tape.adjoints_of_view("x", x, 0, out) })
}

struct Linear {
    solve: Solve,
    product: Evaluate,
    data: Data,
}

impl Linear {
    /// The solution for `rhs`, to `x`, of the matrix or of its transpose.
    fn solve(
        &self,
        call: &OperationCall,
        transposed: bool,
        rhs: *const f64,
        x: *mut f64,
    ) -> Result<()> {
        let p = Parameters::of(&operands(call)[1..])?;
        let SeenResult { rows, cols, .. } = *result(call);
        let call = SolveCall {
            n_p: as_c(p.handles.len()),
            p: p.handles.as_ptr(),
            rows,
            cols,
            rhs,
            x,
            transposed: i32::from(transposed),
            data: self.data.data,
        };
        let _section = Passive::begin();
        // SAFETY: the function came with this data, and the arrays are those that its contract names.
        of_users(|| unsafe { (self.solve)(&raw const call) })
    }
}

impl Compute for Linear {
    const NAME: &'static str = "linear_solve";

    fn forward(&self, call: &OperationCall) -> Result<()> {
        self.solve(call, false, operands(call)[0].value, result(call).value)
    }

    /// For A x = b: b̅ += g with Aᵀ g = x̅, and p̅ gets what the product A(p) x gets for −g.
    fn reverse(&self, call: &OperationCall) -> Result<()> {
        let (operands, x) = (operands(call), result(call));
        let mut g = vec![0.0; len(x.rows, x.cols)];
        self.solve(call, true, x.adjoint, g.as_mut_ptr())?;
        let (b, p) = operands.split_first().expect("the right-hand side");
        if !b.adjoint.is_null() {
            // SAFETY: as many as g, of an array of its own.
            unsafe { b.adjoint.copy_from_nonoverlapping(g.as_ptr(), g.len()) };
        }
        if p.iter().all(|operand| operand.adjoint.is_null()) {
            return Ok(());
        }
        g.iter_mut().for_each(|weight| *weight = -*weight);
        in_nest(Outside::Refused, || {
            let parameters = Parameters::of(p)?;
            parameters.input(p)?;
            // SAFETY: the values of the call's result.
            let x = unsafe { copy_of(x.rows, x.cols, x.value)? };
            let what = "linear_solve: the product";
            let y = parameters.evaluate(what, self.product, &x, &self.data)?;
            sweep(&y.view(), &g)?;
            parameters.give_adjoints(p)
        })
    }
}

/// X with A(p) X = B.
///
/// # Safety
/// The arguments' matrices are null or live; the functions may be called with `data`.
pub unsafe fn linear_solve(
    system: &LinearSystem,
    data: *mut c_void,
    b: &Argument,
    p: &[Argument],
) -> Result<Owned> {
    let data = Data::of::<LinearSystem>("system", system.size, data, system.destroy)?;
    let solve = system.solve.ok_or_else(|| null("system.solve"))?;
    let product = system.product.ok_or_else(|| null("system.product"))?;
    let shape = if b.view.of.is_null() { [1, 1] } else { [b.view.rows, b.view.cols] };
    let arguments: Vec<Argument> = [*b].into_iter().chain(p.iter().copied()).collect();
    // SAFETY: the caller's promise.
    let mut made = unsafe { apply(Linear { solve, product, data }, &arguments, &[shape])? };
    Ok(made.remove(0))
}

struct Iteration {
    map: FixedPoint,
    evaluate: Evaluate,
    data: Data,
    start: Vec<f64>,
}

impl Iteration {
    /// The largest magnitude, or what the user's function says.
    fn norm(&self, x: &[f64]) -> f64 {
        match self.map.norm {
            // SAFETY: the function came with this data.
            Some(norm) => unsafe { norm(as_c(x.len()), x.as_ptr(), self.data.data) },
            None => x.iter().fold(0.0, |most: f64, x| {
                if x.is_nan() || most.is_nan() { f64::NAN } else { most.max(x.abs()) }
            }),
        }
    }

    /// Iterates `next` from `x` on until it changes x by no more than the tolerance.
    fn iterate(
        &self,
        what: &str,
        mut x: Vec<f64>,
        least: f64,
        mut next: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let (mut residual, mut i) = (0.0f64, 0);
        while i < self.map.max_iterations && residual.is_finite() {
            i += 1;
            let y = next(&x)?;
            x.iter_mut().zip(&y).for_each(|(x, y)| *x = y - *x);
            residual = self.norm(&x);
            let scale = self.norm(&y).max(least);
            x = y;
            if residual <= self.map.tolerance * scale {
                return Ok(x);
            }
        }
        let change = if (1e-4..1e6).contains(&residual) {
            residual.to_string()
        } else {
            format!("{residual:.3e}")
        };
        Err(Error::new(
            Code::Convergence,
            format!(
                "fixed_point: {what} did not converge in {i} iterations; the last one changed it by {change}"
            ),
        ))
    }

    fn evaluate(&self, p: &Parameters, x: &Owned) -> Result<Owned> {
        p.evaluate("fixed_point: f(x)", self.evaluate, x, &self.data)
    }
}

impl Compute for Iteration {
    const NAME: &'static str = "fixed_point";

    fn forward(&self, call: &OperationCall) -> Result<()> {
        let p = Parameters::of(operands(call))?;
        let to = result(call);
        let _section = Passive::begin();
        let x = self.iterate("the iteration", self.start.clone(), 1.0, |x| {
            // SAFETY: as many as the result has.
            let x = unsafe { copy_of(to.rows, to.cols, x.as_ptr())? };
            let y = self.evaluate(&p, &x)?;
            let mut values = vec![0.0; len(to.rows, to.cols)];
            // SAFETY: a live matrix.
            unsafe { Tape::values_of("f(x)", &y.view(), &mut values)? };
            Ok(values)
        })?;
        // SAFETY: as many, of an array of its own.
        unsafe { to.value.copy_from_nonoverlapping(x.as_ptr(), x.len()) };
        Ok(())
    }

    /// With g = x̅ + g ∂f/∂x, itself a fixed point that is found by sweeps over one recording of f, p̅ += g ∂f/∂p.
    /// (Christianson, "Reverse accumulation and attractive fixed points", Optimization Methods and Software 3, 1994.)
    fn reverse(&self, call: &OperationCall) -> Result<()> {
        let (p, to) = (operands(call), result(call));
        let n = len(to.rows, to.cols);
        // SAFETY: as many as the result has.
        let weights = unsafe { std::slice::from_raw_parts(to.adjoint, n) }.to_vec();
        in_nest(Outside::Refused, || {
            let parameters = Parameters::of(p)?;
            // SAFETY: the values of the call's result.
            let x = unsafe { copy_of(to.rows, to.cols, to.value)? };
            on_current(|tape| tape.input_matrix(&x))?;
            parameters.input(p)?;
            let y = self.evaluate(&parameters, &x)?;
            let through = |g: &[f64]| {
                on_current(Tape::clear_adjoints)?;
                sweep(&y.view(), g)
            };
            let g = self.iterate("the adjoint iteration", weights.clone(), 0.0, |g| {
                through(g)?;
                let mut next = vec![0.0; n];
                adjoints(&x.view(), &mut next)?;
                next.iter_mut().zip(&weights).for_each(|(next, weight)| *next += weight);
                Ok(next)
            })?;
            through(&g)?;
            parameters.give_adjoints(p)
        })
    }
}

/// x with x = f(x, p), by iterating from the values of `start`.
///
/// # Safety
/// As for `linear_solve`.
pub unsafe fn fixed_point(
    map: &FixedPoint,
    data: *mut c_void,
    start: &View,
    p: &[Argument],
) -> Result<Owned> {
    let data = Data::of::<FixedPoint>("map", map.size, data, map.destroy)?;
    let evaluate = map.evaluate.ok_or_else(|| null("map.evaluate"))?;
    let wrong = |text| Err(Error::new(Code::Argument, text));
    if map.tolerance.is_nan() || map.tolerance < 0.0 {
        return wrong(format!("fixed_point: the tolerance is {}", map.tolerance));
    }
    if map.max_iterations < 1 {
        return wrong(format!("fixed_point: max_iterations is {}", map.max_iterations));
    }
    // SAFETY: the caller's promise.
    let values = unsafe {
        let mut values = vec![0.0; start.count("start")?];
        Tape::values_of("start", start, &mut values)?;
        values
    };
    let iteration = Iteration { map: *map, evaluate, data, start: values };
    // SAFETY: the caller's promise.
    let mut made = unsafe { apply(iteration, p, &[[start.rows, start.cols]])? };
    Ok(made.remove(0))
}
