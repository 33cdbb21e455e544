//! Jobs in the calling thread.

use super::backend::Backend;
use super::failure::MpiResult;
use super::job::{self, Places};
use super::task::Task;
use std::ops::Range;

pub struct Serial;

impl Backend for Serial {
    fn run(&mut self, task: &Task, jobs: Range<usize>, places: Places) -> MpiResult<()> {
        job::run(task, jobs, places)
    }
}
