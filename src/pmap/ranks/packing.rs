//! Matrices in blocks, one behind the other, as they are sent.

use super::value::Shape;
use crate::datatype::Whole;
use crate::error::Result;
use crate::matrix::Owned;
use crate::pmap::blocks;
use crate::tape::{Tape, Var, with_current};
use std::rc::Rc;

/// The elements of blocks of rows, each column by column, one block behind the other.
fn by_blocks<T: Copy>(elements: &[T], [rows, cols]: Shape, n: usize) -> Vec<T> {
    let mut packed = Vec::with_capacity(elements.len());
    for (first, n) in blocks(rows, n) {
        for j in 0..cols {
            packed.extend_from_slice(&elements[j * rows + first..][..n]);
        }
    }
    packed
}

/// The way back: `parts` are the rows of each block.
fn from_blocks<T: Copy + Default>(elements: &[T], [rows, cols]: Shape, parts: &[usize]) -> Vec<T> {
    let mut joined = vec![T::default(); elements.len()];
    let (mut first, mut from) = (0, 0);
    for &n in parts {
        for j in 0..cols {
            joined[j * rows + first..][..n].copy_from_slice(&elements[from..from + n]);
            from += n;
        }
        first += n;
    }
    joined
}

/// What is sent in blocks: a matrix, or scalars where their ids are in another order than those of a matrix.
pub enum Packed {
    /// Another rank sends.
    Elsewhere,
    Matrix(Rc<Owned>),
    Values(Vec<Var>),
}

impl Packed {
    pub fn new(matrix: &Rc<Owned>, shape: Shape, dim: usize, n: usize) -> Result<Self> {
        if lie_in_order(shape, dim) {
            return Ok(Self::Matrix(matrix.clone()));
        }
        if let Some(values) = matrix.passive_values() {
            let packed = Owned::passive(shape[0], shape[1], by_blocks(values, shape, n))?;
            return Ok(Self::Matrix(Rc::new(packed)));
        }
        Ok(Self::Values(by_blocks(&matrix.elements()?, shape, n)))
    }

    pub fn whole(&mut self) -> Whole<'_> {
        match self {
            Self::Elsewhere => Whole::Elsewhere,
            Self::Matrix(matrix) => Whole::Matrix(matrix),
            Self::Values(values) => Whole::Values(values),
        }
    }
}

/// A matrix of which blocks of rows have come one behind the other.
pub fn unpacked(all: Owned, shape: Shape, parts: &[usize]) -> Result<Owned> {
    match all.passive_values() {
        Some(values) => Owned::passive(shape[0], shape[1], from_blocks(values, shape, parts)),
        None => made(shape, &from_blocks(&all.elements()?, shape, parts)),
    }
}

/// Whether blocks along `dim` lie one behind the other.
pub const fn lie_in_order([_, cols]: Shape, dim: usize) -> bool {
    dim == 1 || cols <= 1
}

fn made(shape: Shape, elements: &[Var]) -> Result<Owned> {
    with_current(|tape| Tape::matrix_with(tape, shape[0], shape[1], elements))
}
