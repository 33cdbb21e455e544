//! Without MPI there are no ranks to serve.

use super::data::{Data, Handle};
use super::failure::Outcome;
use super::job::Places;
use super::task::Task;
use super::threads::Threads;

pub enum Service {}

pub fn at_end(_: fn(usize)) {}

impl Service {
    pub fn serial(&self) -> u64 {
        match *self {}
    }

    pub fn keep(&mut self, _data: &Data) -> Outcome<()> {
        match *self {}
    }

    pub fn forget(&mut self, _handle: Handle) -> Outcome<()> {
        match *self {}
    }

    pub fn stop(self) -> Outcome<()> {
        match self {}
    }

    pub fn run(
        &mut self,
        _task: &Task,
        _own: (&mut Threads, usize),
        _places: Places,
    ) -> Outcome<()> {
        match *self {}
    }
}
