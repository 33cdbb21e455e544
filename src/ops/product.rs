//! The product of two matrices.

use super::dense::{add_product, dense, direction, values};
use crate::error::{Code, Error, Result};
use crate::tape::{Event, Operand, Owned, Sweep, Tape};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::borrow::Cow;

struct Product {
    a: Operand,
    b: Operand,
    first: u32,
}

impl Event for Product {
    const NAME: &'static str = "multiply";

    /// For C = A B, with bars for adjoints: A̅ += C̅ Bᵀ and B̅ += Aᵀ C̅. (Giles, "Collected matrix derivative results for
    /// forward and reverse mode algorithmic differentiation", 2008, section 2.2.2.)
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (m, n) = (self.a.part().rows, self.b.part().cols);
        let width = sweep.width();
        let (mut operands, out) = sweep.split(self.first, m * n);
        if out.iter().all(|&w| w == 0.0) {
            return Ok(());
        }
        let (mut copy_of_a, mut copy_of_b) = (Vec::new(), Vec::new());
        let (a, b) = (values(&self.a, &mut copy_of_a), values(&self.b, &mut copy_of_b));
        for k in 0..width {
            let w = match width {
                1 => Cow::Borrowed(&*out),
                _ => Cow::Owned(direction(out, width, k)),
            };
            let w = dense(&w, m, n);
            operands.add(&self.a, |mut a| add_product(&mut a, (width, k), w, b.transpose()))?;
            operands.add(&self.b, |mut b| add_product(&mut b, (width, k), a.transpose(), w))?;
        }
        out.fill(0.0);
        Ok(())
    }
}

/// A B. Either may be passive, the view of a transpose, or any other; and they may overlap.
pub fn multiply(tape: Option<&mut Tape>, a: Operand, b: Operand) -> Result<Owned> {
    let (of_a, of_b) = (a.part(), b.part());
    if of_a.cols != of_b.rows {
        return Err(Error::new(
            Code::Argument,
            format!(
                "multiply: a is {} x {}, but b is {} x {}",
                of_a.rows, of_a.cols, of_b.rows, of_b.cols
            ),
        ));
    }
    let (m, n) = (of_a.rows, of_b.cols);
    let product = |to: &mut [f64]| {
        let (mut copy_of_a, mut copy_of_b) = (Vec::new(), Vec::new());
        let (a, b): (MatRef<'_, f64>, _) = (values(&a, &mut copy_of_a), values(&b, &mut copy_of_b));
        let to = MatMut::from_column_major_slice_mut(to, m, n);
        matmul(to, Accum::Replace, a, b, 1.0, Par::Seq);
    };
    let Some(tape) = tape else {
        let mut c = Owned::zeros(m, n);
        product(c.fresh_values());
        return Ok(c);
    };
    let mut c = tape.matrix(m, n)?;
    product(c.fresh_values());
    if tape.recording() && (a.is_active() || b.is_active()) {
        // Each one's values are for the other's adjoints.
        tape.keep_operand(&a, b.is_active())?;
        tape.keep_operand(&b, a.is_active())?;
        let first = tape.record(m * n, |first, _| Product { a, b, first })?;
        tape.activate(&c, first);
    }
    Ok(c)
}
