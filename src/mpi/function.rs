//! Functions of users, called with memory of the library's or their own.

use super::raw::{self, MPI_Datatype, MPI_User_function};
use super::{Datatype, MpiResult, Op, check, error, ffi, times, to_float, wide_int};
use crate::error::{Code, Error};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

type Reduce = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype);

/// What MPI calls instead of the functions of operations, one for each of so many: asked by the library, it says
/// which one the operation leads to. The number of a handle does not tell: MPI gives that of one that was freed to the
/// next, which may be a stranger's.
static RELAYS: [Reduce; 64] = {
    macro_rules! relays {
        ($($k:literal)*) => { [$(relay::<$k>),*] };
    }
    relays!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38
        39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63)
};

/// The functions behind them. They stay: MPI may call one for an operation that has been freed.
static BEHIND: [OnceLock<Reduce>; RELAYS.len()] = [const { OnceLock::new() }; RELAYS.len()];

#[derive(Clone, Copy)]
enum Asked {
    No,
    Yes,
    Answered(usize),
}

thread_local! {
    static ASKED: Cell<Asked> = const { Cell::new(Asked::No) };
}

unsafe extern "C" fn relay<const K: usize>(
    left: *mut c_void,
    right: *mut c_void,
    count: *mut c_int,
    datatype: *mut MPI_Datatype,
) {
    match (ASKED.get(), BEHIND[K].get()) {
        (Asked::No, Some(function)) => {
            // SAFETY: the promise of `Function::new`; MPI's own arguments.
            unsafe { function(left, right, count, datatype) }
        }
        _ => ASKED.set(Asked::Answered(K)),
    }
}

/// What a user's operation does to arrays of items: inout = in op inout.
#[derive(Debug, Clone, Copy)]
pub struct Function(Reduce);

/// The adjoint of one application of an operation, in one direction: the operands' values, the result's adjoint,
/// the operands' adjoints, the number of items and of doubles in each.
type Adjoint =
    unsafe extern "C" fn(*const f64, *const f64, *const f64, *mut f64, *mut f64, c_int, c_int);

/// The derivative of a user's operation.
#[derive(Debug, Clone, Copy)]
pub struct Derivative(Adjoint);

/// The product of complex numbers; of floats, every part of it is one.
unsafe extern "C" fn complex_product<const FLOATS: bool>(
    left: *mut c_void,
    right: *mut c_void,
    count: *mut c_int,
    _: *mut MPI_Datatype,
) {
    // SAFETY: MPI's arguments: so many complex numbers in each array.
    let (n, left, right) = unsafe { (wide_int(*count), left.cast(), right.cast::<[f64; 2]>()) };
    // SAFETY: as above.
    let (left, right) = unsafe { (complex(left, n), complex_mut(right, n)) };
    let round = |x: f64| if FLOATS { to_float(x).into() } else { x };
    let product = |x: f64, y: f64| round(x * y);
    for (&[a, b], z) in left.iter().zip(right) {
        let [c, d] = *z;
        *z = [round(product(a, c) - product(b, d)), round(product(a, d) + product(b, c))];
    }
}

/// An operand's adjoint is the result's by the conjugate of the other operand.
unsafe extern "C" fn complex_product_adjoint(
    left: *const f64,
    right: *const f64,
    result: *const f64,
    left_adjoint: *mut f64,
    right_adjoint: *mut f64,
    count: c_int,
    size: c_int,
) {
    let n = wide_int(count) * wide_int(size) / 2;
    // SAFETY: the promise of `Derivative::new`: arrays of so many complex numbers.
    let [left, right, result] =
        unsafe { [left, right, result].map(|numbers| complex(numbers.cast(), n)) };
    // SAFETY: as above.
    let [left_adjoint, right_adjoint] =
        unsafe { [left_adjoint, right_adjoint].map(|numbers| complex_mut(numbers.cast(), n)) };
    let add = |adjoint: &mut [f64; 2], [c, d]: [f64; 2], [s, t]: [f64; 2]| {
        adjoint[0] += times(s, c) + times(t, d);
        adjoint[1] += times(t, c) - times(s, d);
    };
    for i in 0..n {
        add(&mut left_adjoint[i], right[i], result[i]);
        add(&mut right_adjoint[i], left[i], result[i]);
    }
}

/// # Safety
/// There are so many complex numbers while the result lives.
unsafe fn complex<'a>(numbers: *const [f64; 2], n: usize) -> &'a [[f64; 2]] {
    // SAFETY: the caller's promise.
    if n == 0 { &[] } else { unsafe { std::slice::from_raw_parts(numbers, n) } }
}

/// # Safety
/// As for `complex`; nothing else leads to them.
unsafe fn complex_mut<'a>(numbers: *mut [f64; 2], n: usize) -> &'a mut [[f64; 2]] {
    // SAFETY: the caller's promise.
    if n == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(numbers, n) } }
}

#[cold]
fn null(name: &str) -> super::Failure {
    Error::new(Code::Null, format!("{name} is NULL")).into()
}

impl Function {
    /// The product of complex numbers.
    pub const COMPLEX_PRODUCT: Self = Self(complex_product::<false>);
    /// Of floats, in memory for doubles.
    pub const FLOAT_COMPLEX_PRODUCT: Self = Self(complex_product::<true>);

    /// # Safety
    /// The function may be called as MPI calls it, with the datatypes of the calls that it is used in, from now
    /// on.
    pub unsafe fn new(function: MPI_User_function) -> MpiResult<Self> {
        function.map(Self).ok_or_else(|| null("function"))
    }

    /// Its relay, if there are not too many functions.
    fn relay(self) -> Option<usize> {
        BEHIND
            .iter()
            .position(|behind| std::ptr::fn_addr_eq(*behind.get_or_init(|| self.0), self.0))
    }

    /// An operation of MPI that calls the function.
    pub fn operation(self, commute: c_int) -> MpiResult<Op> {
        let mut op = Op::sum().0;
        let called = self.relay().map_or(self.0, |k| RELAYS[k]);
        // SAFETY: the promise of `new`, and a place for the handle.
        check(unsafe { ffi::MPI_Op_create(Some(called), commute, &mut op) })?;
        Ok(Op(op))
    }

    /// Whether a live operation is one of those that `operation` made for the function, as far as can be told. That of
    /// a stranger is applied to zeros that nobody needs.
    pub fn is_behind(self, op: Op) -> bool {
        let Some(own) = self.relay() else { return true };
        let (left, mut right) = ([0.0_f64; 512], [0.0_f64; 512]);
        ASKED.set(Asked::Yes);
        // SAFETY: a live operation; memory for many times an item, also under another datatype than is said.
        let code = unsafe {
            let (from, to) = (left.as_ptr().cast(), right.as_mut_ptr().cast());
            ffi::MPI_Reduce_local(from, to, 1, Datatype::double().raw(), op.raw())
        };
        let answer = ASKED.replace(Asked::No);
        code == raw::SUCCESS && matches!(answer, Asked::Answered(k) if k == own)
    }

    /// Reduces `count` items at `left` into those at `right`.
    ///
    /// # Safety
    /// The items are there, and those at `right` may be written.
    pub unsafe fn apply(
        self,
        left: *mut c_void,
        right: *mut c_void,
        mut count: c_int,
        datatype: Datatype,
    ) {
        let mut datatype = datatype.raw();
        // SAFETY: the promises of `new` and of the caller.
        unsafe { (self.0)(left, right, &mut count, &mut datatype) };
    }

    /// Reduces `items` of plain doubles.
    pub fn apply_doubles(self, left: &[f64], right: &mut [f64], items: usize) -> MpiResult<()> {
        assert!(left.len() == right.len());
        if items == 0 {
            return Ok(());
        }
        let size = left.len() / items;
        let datatype =
            if size == 1 { Datatype::double() } else { super::datatype::wide_type(size)? };
        let (mut count, mut datatype) = (narrow(items, size)?, datatype.raw());
        let from = left.as_ptr().cast_mut().cast();
        // SAFETY: the promise of `new`; two arrays of the items. MPI's kind of function does not write to the
        // first.
        unsafe { (self.0)(from, right.as_mut_ptr().cast(), &mut count, &mut datatype) };
        Ok(())
    }
}

impl Derivative {
    /// That of both products of complex numbers.
    pub const COMPLEX_PRODUCT: Self = Self(complex_product_adjoint);

    /// # Safety
    /// The function may be called from now on, with arrays of `len` times `size` doubles.
    pub unsafe fn new(function: Option<Adjoint>) -> MpiResult<Self> {
        function.map(Self).ok_or_else(|| null("derivative"))
    }

    /// Adds the adjoints of the operands of `items`, given the operands and the result's adjoint.
    pub fn apply(
        self,
        operands: [&[f64]; 2],
        result: &[f64],
        adjoints: [&mut [f64]; 2],
        items: usize,
    ) -> MpiResult<()> {
        let [left, right] = adjoints;
        let n = result.len();
        assert!([operands[0].len(), operands[1].len(), left.len(), right.len()] == [n; 4]);
        if items == 0 {
            return Ok(());
        }
        let (count, size) = (narrow(items, n / items)?, narrow(n / items, items)?);
        // SAFETY: the promise of `new`.
        unsafe {
            (self.0)(
                operands[0].as_ptr(),
                operands[1].as_ptr(),
                result.as_ptr(),
                left.as_mut_ptr(),
                right.as_mut_ptr(),
                count,
                size,
            );
        }
        Ok(())
    }
}

fn narrow(n: usize, others: usize) -> MpiResult<c_int> {
    c_int::try_from(n).map_err(|_| error::too_many(n, others))
}
