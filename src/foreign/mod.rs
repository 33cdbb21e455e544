//! Other AD tools: they keep their own record of the arithmetic, and beside it each thread has one companion tape that
//! holds communication only.
//!
//! A call is one step. Active numbers that go in get fresh ids of the companion tape, the call is recorded as always, and
//! what it wrote has ids of its own. The step remembers which numbers of the tool's those ids stand for. To reverse a step
//! is to take the tool's adjoints of what was written, to sweep the piece of the tape from before to after the call, and to
//! add the adjoints of what went in. The last step is always reversed first, and the tape then goes back to before it.

mod argument;
mod steps;
#[cfg(test)]
mod tests;

pub use argument::{Argument, Format};
pub use steps::Steps;
