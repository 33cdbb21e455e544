//! Nested pmap on ranks: values that lie on some ranks and are placeholders on the others, and the calls that move them.

mod calibrate;
mod engine;
mod exchange;
mod execute;
mod local;
mod packing;
mod transfer;
mod value;

pub use calibrate::calibrate;
pub use engine::{Body, Engine, Iteration, Run};
pub use value::{Piece, Shape, Value};
