//! Derivatives of functions of the user's, on one rank or on many. What they record is forgotten.
#![forbid(unsafe_code)]

use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use crate::sparsity::{self, Exchange, Pattern};
use crate::tape::{
    Outside, Passive, Tape, Var, WIDEST, ask_current, current_or_null, in_nest, on_current,
    reverse_current,
};

/// Sets the results from the inputs.
pub type Function<'f> = &'f dyn Fn(&[Var], &mut [Var]) -> Result<()>;

/// What each of the ranks that compute a function together has.
fn each(own: f64, ranks: &mut impl Exchange) -> Result<Vec<f64>> {
    let words = ranks.exchange(vec![vec![own.to_bits()]; ranks.ranks()])?;
    Ok(words.iter().flatten().copied().map(f64::from_bits).collect())
}

/// The same of a number of elements.
fn each_number(own: usize, ranks: &mut impl Exchange) -> Result<Vec<usize>> {
    let words = ranks.exchange(vec![vec![own as u64]; ranks.ranks()])?;
    Ok(words.iter().flatten().copied().map(wide).collect())
}

/// What a result is before the function sets it: a NaN that no computation gives.
const UNSET: Var = Var { value: f64::from_bits(0x7ff4_6164_6d70_6931), id: 0, tag: 0 };

fn passive(x: &[f64]) -> Vec<Var> {
    x.iter().map(|&value| Var { value, ..Var::default() }).collect()
}

fn results(f: Function<'_>, x: &[Var], m: usize) -> Result<Vec<Var>> {
    let mut y = vec![UNSET; m];
    f(x, &mut y)?;
    let is_unset = |y: &Var| y.value.to_bits() == UNSET.value.to_bits();
    match y.iter().position(is_unset) {
        Some(i) => Err(Error::new(Code::Argument, format!("the function has not set y[{i}]"))),
        None => Ok(y),
    }
}

/// Records `f` at `x`, and hands the inputs and `m` results over while they are on the tape.
fn recorded<R>(
    f: Function<'_>,
    x: &[f64],
    m: usize,
    then: impl FnOnce(&[Var], &[Var]) -> Result<R>,
) -> Result<R> {
    in_nest(Outside::Dropped, || {
        let mut inputs = passive(x);
        on_current(|tape| {
            let first = tape.input_ids(inputs.len())?;
            for (x, id) in inputs.iter_mut().zip(first..) {
                (x.id, x.tag) = (id, tape.tag());
            }
            Ok(())
        })?;
        let y = results(f, &inputs, m)?;
        then(&inputs, &y)
    })
}

/// Seeds a result, which may be constant.
fn seed(y: &Var, weight: f64, direction: usize) -> Result<()> {
    let y = if y.id == 0 { Var::default() } else { *y };
    on_current(|tape| tape.seed(&y, if y.id == 0 { 0.0 } else { weight }, direction))
}

fn adjoints(x: &[Var], direction: usize, out: &mut [f64]) -> Result<()> {
    on_current(|tape| tape.adjoints_of(x, direction, out))
}

fn copy_values(y: &[Var], out: &mut [f64]) {
    out.iter_mut().zip(y).for_each(|(out, y)| *out = y.value);
}

/// The values of the results, and the sum of their gradients times these weights.
pub fn transposed_product(
    f: Function<'_>,
    x: &[f64],
    weights: &[f64],
    (values, product): (&mut [f64], &mut [f64]),
) -> Result<()> {
    recorded(f, x, weights.len(), |inputs, y| {
        copy_values(y, values);
        for (y, &weight) in y.iter().zip(weights) {
            seed(y, weight, 0)?;
        }
        // Checking mode refuses a sweep that nothing was seeded for.
        if !y.is_empty() {
            reverse_current()?;
        }
        adjoints(inputs, 0, product)
    })
}

/// The values of the results, and the Jacobian, column by column: by a sweep for each 16 results, or for each on a tape that the
/// thread has.
pub fn jacobian(
    f: Function<'_>,
    x: &[f64],
    values: &mut [f64],
    jacobian: &mut [f64],
) -> Result<()> {
    let m = values.len();
    let is_nested = !current_or_null().is_null();
    recorded(f, x, m, |inputs, y| {
        copy_values(y, values);
        let width = if is_nested { 1 } else { m.next_power_of_two().min(WIDEST) };
        if !is_nested {
            on_current(|tape| tape.set_width(width))?;
        }
        let mut row = vec![0.0; inputs.len()];
        for (group, rows) in y.chunks(width).enumerate() {
            if group > 0 {
                on_current(Tape::clear_adjoints)?;
            }
            for (direction, y) in rows.iter().enumerate() {
                seed(y, 1.0, direction)?;
            }
            reverse_current()?;
            for direction in 0..rows.len() {
                adjoints(inputs, direction, &mut row)?;
                let elements = jacobian.iter_mut().skip(group * width + direction).step_by(m);
                elements.zip(&row).for_each(|(element, derivative)| *element = *derivative);
            }
        }
        Ok(())
    })
}

/// Where the Jacobian of a function with `m` results may have elements, from one recording.
pub fn sparsity(f: Function<'_>, x: &[f64], m: usize) -> Result<Pattern> {
    recorded(f, x, m, |inputs, y| ask_current(|of| sparsity::jacobian(of, inputs, y)))
}

/// A number between 0.5 and 1.5 for each row, all different: the sum of the rows, weighted by these, tells what a pattern lacks.
#[allow(clippy::cast_precision_loss)] // 53 bits
fn probe(row: usize) -> f64 {
    let mut bits = (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 31).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    0.5 + ((bits ^ bits >> 29) >> 11) as f64 / 9_007_199_254_740_992.0
}

/// The values of the results, and the elements of a Jacobian that a pattern has, row by row: by a sweep for each 16 colours of its
/// rows, or for each on a tape that the thread has. The direction behind the last colour finds out whether the pattern has all.
pub fn sparse_jacobian(
    f: Function<'_>,
    x: &[f64],
    pattern: &Pattern,
    (values, elements): (&mut [f64], &mut [f64]),
) -> Result<()> {
    if pattern.cols() != x.len() {
        let text = format!("s has {} columns, but there are {} inputs", pattern.cols(), x.len());
        return Err(Error::new(Code::Argument, text));
    }
    let rows = sparsity::rows(pattern);
    let colour = |i: usize| wide32(rows.colour[i]);
    let last = wide32(rows.colours);
    let is_nested = !current_or_null().is_null();
    recorded(f, x, pattern.rows(), |inputs, y| {
        copy_values(y, values);
        let width = if is_nested { 1 } else { (last + 1).next_power_of_two().min(WIDEST) };
        if !is_nested {
            on_current(|tape| tape.set_width(width))?;
        }
        let n = inputs.len();
        let mut swept = vec![0.0; n * width];
        for first in (0..=last).step_by(width) {
            if first > 0 {
                on_current(Tape::clear_adjoints)?;
            }
            let directions = first..(first + width).min(last + 1);
            for (i, y) in y.iter().enumerate() {
                if directions.contains(&colour(i)) {
                    seed(y, 1.0, colour(i) - first)?;
                }
                if directions.contains(&last) {
                    seed(y, probe(i), last - first)?;
                }
            }
            if y.is_empty() {
                break;
            }
            reverse_current()?;
            for direction in 0..directions.len() {
                adjoints(inputs, direction, &mut swept[direction * n..][..n])?;
            }
            for i in (0..pattern.rows()).filter(|&i| directions.contains(&colour(i))) {
                let row = &swept[(colour(i) - first) * n..][..n];
                let to = &mut elements[pattern.start()[i]..pattern.start()[i + 1]];
                to.iter_mut().zip(pattern.row(i)).for_each(|(to, &j)| *to = row[wide32(j)]);
            }
            if directions.contains(&last) {
                check_sums(pattern, elements, &swept[(last - first) * n..][..n])?;
            }
        }
        Ok(())
    })
}

/// An error if weighted sums of the whole rows are not those of a pattern's elements.
fn check_sums(pattern: &Pattern, elements: &[f64], sums: &[f64]) -> Result<()> {
    let (mut sum, mut size) = (vec![0.0; sums.len()], vec![0.0; sums.len()]);
    for i in 0..pattern.rows() {
        let row = &elements[pattern.start()[i]..pattern.start()[i + 1]];
        for (element, &j) in row.iter().zip(pattern.row(i)) {
            let term = element * probe(i);
            sum[wide32(j)] += term;
            size[wide32(j)] += term.abs();
        }
    }
    let least = 1e-10 * elements.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    for (j, &whole) in sums.iter().enumerate() {
        // What is not finite tells nothing.
        if (sum[j] - whole).abs() > 1e-8 * (size[j] + whole.abs()) + least {
            let text = format!(
                "column {j} of the pattern lacks an element: a vector times the column is {whole}, but its elements give {}",
                sum[j]
            );
            return Err(Error::new(Code::Argument, text));
        }
    }
    Ok(())
}

/// An Allreduce that was forgotten makes results of ranks differ by more than rounding does.
fn check_replicated(value: f64, ranks: &mut impl Exchange) -> Result<()> {
    let all = each(value, ranks)?;
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest - least > 1e-12 * least.abs().max(greatest.abs()) {
        let why = format!(
            "the function returned {value} on this rank, and from {least} to {greatest} on all ranks. It must return the same on all, such as the result of an Allreduce"
        );
        return Err(Error::new(Code::Argument, why));
    }
    // What is not finite tells nothing.
    Ok(())
}

/// The value of an objective, and its gradient by this rank's inputs.
pub fn gradient(
    f: Function<'_>,
    x: &[f64],
    gradient: &mut [f64],
    ranks: &mut impl Exchange,
) -> Result<f64> {
    recorded(f, x, 1, |inputs, y| {
        check_replicated(y[0].value, ranks)?;
        // The objective is the sum of what the ranks seed.
        seed(&y[0], if ranks.rank() == 0 { 1.0 } else { 0.0 }, 0)?;
        reverse_current()?;
        adjoints(inputs, 0, gradient)?;
        Ok(y[0].value)
    })
}

/// The derivative by an input: by a sweep, and by the differences that changed least from step to step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Check {
    pub reverse: f64,
    pub difference: f64,
    pub is_right: bool,
}

/// Compares central differences for steps from 1e-2 to 1e-9, of which one must agree. `value` gives that of the function at a
/// step from `x`; it is asked as often whatever it gives.
fn check_input(
    mut value: impl FnMut(f64) -> Result<f64>,
    (x, reverse): (f64, f64),
    rounding: f64,
    tolerance: f64,
) -> Result<Check> {
    let mut check = Check { reverse, ..Check::default() };
    let (mut before, mut least) = (f64::INFINITY, f64::INFINITY);
    let mut step = 1e-2 * x.abs().max(1.0);
    for tried in 0..8 {
        let difference = (value(step)? - value(-step)?) / (2.0 * step);
        let largest = reverse.abs().max(difference.abs());
        check.is_right |= (reverse - difference).abs() <= tolerance * largest + rounding;
        let change = (difference - before).abs();
        if tried == 0 || change < least {
            check.difference = difference;
        }
        if tried > 0 {
            least = least.min(change);
        }
        before = difference;
        step *= 0.1;
    }
    Ok(check)
}

/// Compares an objective's gradient by this rank's inputs with central differences of the objective. The value, and how many
/// inputs of all ranks are wrong.
pub fn check_gradient(
    f: Function<'_>,
    x: &[f64],
    tolerance: f64,
    checks: &mut [Check],
    ranks: &mut impl Exchange,
) -> Result<(f64, usize)> {
    let mut reverse = vec![0.0; x.len()];
    let value = gradient(f, x, &mut reverse, ranks)?;
    let largest = reverse.iter().fold(0.0, |largest: f64, d| largest.max(d.abs()));
    let largest = each(largest, ranks)?.into_iter().fold(0.0, f64::max);
    let lengths = each_number(x.len(), ranks)?;
    let _passive = Passive::begin();
    let mut moved = passive(x);
    let mut wrong = 0;
    for (rank, n) in lengths.into_iter().enumerate() {
        let is_mine = rank == ranks.rank();
        for i in 0..n {
            let own = if is_mine { (x[i], reverse[i]) } else { (0.0, 0.0) };
            // Values are exact to 1e-16 and differences, at their best step, to the power of 2/3 of that.
            let rounding = 1e-10 * (value.abs() / own.0.abs().max(1.0) + largest);
            // The steps are those of the rank whose input it is.
            let at = each(own.0, ranks)?[rank];
            let along = |step: f64| {
                if is_mine {
                    moved[i].value = at + step;
                }
                Ok(results(f, &moved, 1)?[0].value)
            };
            let check = check_input(along, (at, own.1), rounding, tolerance)?;
            if is_mine {
                moved[i].value = x[i];
                wrong += usize::from(!check.is_right);
                checks[i] = check;
            }
        }
    }
    Ok((value, each_number(wrong, ranks)?.iter().sum()))
}
