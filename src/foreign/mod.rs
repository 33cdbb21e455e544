//! Other AD tools: they keep their own record of the arithmetic, and beside it each thread has one companion tape that
//! holds communication only.
//!
//! A call is one step. Active numbers that go in get fresh ids of the companion tape, the call is recorded as always, and
//! what it wrote has ids of its own. The step remembers which numbers of the tool's those ids stand for. To reverse a step
//! is to take the tool's adjoints of what was written, to sweep the piece of the tape from before to after the call, and to
//! add the adjoints of what went in.
//!
//! A tool that works by address reverses the last step always first, and the tape then goes back to before it. A tool with
//! a tape of its own is known by a table of functions (`Tool`); its sweep meets handles of steps, which it may pass again, and
//! the tape goes back when the tool deletes them.

mod argument;
mod evaluate;
pub mod format;
mod steps;
#[cfg(test)]
mod tests;
pub mod tool;

pub use argument::{Argument, Numbers, Place, Variables};
pub use format::Format;
pub use steps::{Given, Steps, Told};
pub use tool::Tool;
