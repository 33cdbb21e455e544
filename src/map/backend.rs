//! Who does jobs.

use super::failure::MpiResult;
use super::job::Places;
use super::task::Task;
use crate::error::{Code, Error, Result};
use crate::options::{self, MOST_THREADS, Workers};
use std::ops::Range;

/// One way to have jobs done: by this thread, by threads, by ranks.
pub trait Backend {
    /// Has some jobs of a task done, and writes what they give to `places`.
    fn run(&mut self, task: &Task, jobs: Range<usize>, places: Places) -> MpiResult<()>;

    /// How many jobs a rank does at once.
    #[cfg_attr(not(feature = "mpi"), allow(dead_code))] // ranks ask
    fn threads(&self) -> usize {
        1
    }
}

/// Which back end a map is to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The ranks of the map's communicator, or this one alone.
    pub ranks: bool,
    /// Threads on each of them; 1: the caller's own.
    pub threads: usize,
}

impl Choice {
    pub const SERIAL: Self = Self { ranks: false, threads: 1 };

    /// What the environment asks for: other ranks only where there are some.
    pub fn from_environment(ranks: bool, threads: usize) -> Result<Self> {
        match options::map()? {
            Workers::Ranks => Ok(Self { ranks, threads: 1 }),
            Workers::Serial => Ok(Self::SERIAL),
            Workers::Threads => Ok(Self { ranks: false, threads: number_of_threads(threads)? }),
            Workers::ThreadsOfRanks => Ok(Self { ranks, threads: number_of_threads(threads)? }),
        }
    }
}

/// `n`, or where that is 0 what the environment says, or else as many as there are cores.
pub fn number_of_threads(n: usize) -> Result<usize> {
    match n {
        0 => Ok(match options::map_threads()? {
            Some(n) => n,
            None => std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS),
        }),
        1..=MOST_THREADS => Ok(n),
        _ => Err(Error::new(
            Code::Argument,
            format!("threads = {n} is not between 0 and {MOST_THREADS}"),
        )),
    }
}
