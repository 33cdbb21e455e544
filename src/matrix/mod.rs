//! Matrices of active doubles: values and ids in blocks, views of them, assignments, and array statements.
//!
//! A matrix is bound to a block. Copies of a matrix share its block until one of them is written to, so that a
//! copy records nothing. Blocks made while a tape records lie in its payload arena and are forgotten with it: a
//! matrix that is still bound then takes its values along to the heap, where also passive matrices live.
//!
//! What a tape can do with matrices stands here, as functions of `Tape`; the tape itself knows nothing of them.

mod adjoints;
mod arena_block;
mod argument;
mod array_statement;
mod assign;
mod block;
mod bound;
mod element_buffer;
mod elements;
mod gather;
mod id;
mod journal;
mod operand;
mod owned;
mod part;
mod runs;
#[cfg(test)]
mod tests;
mod view;

pub use argument::{Argument, Values, indices, numbered};
pub use array_statement::{Adjoints, Forward, ForwardCall, Kernel, KernelCall};
pub use block::{Cells, Matrix};
pub use element_buffer::ElementBuffer;
pub use gather::gather;
pub use id::Id;
pub use operand::{Adjoint, Input, Operand, with_operands};
pub use owned::Owned;
pub use part::Part;
pub use view::View;
